"""Pictures of the studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.integrators.step_roots import STEP_POLYNOMIALS
from structkin.show.style import DRIVER, GROUND, NORMAL, PALETTE, SMALL, new_figure
from structkin.studies.baumgarte import TABLE_1, growth, response, roots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from structkin.studies.gait import Gait

Plane = NDArray[np.complexfloating[Any, Any]]


def tidy(axes: Axes, title: str, x: str, y: str) -> None:
    """Label axes in the font size of our other pictures."""
    axes.set_title(title, fontsize=NORMAL)
    axes.set_xlabel(x, fontsize=NORMAL)
    axes.set_ylabel(y, fontsize=NORMAL)
    axes.tick_params(which="both", labelsize=SMALL)
    axes.grid(True, linewidth=0.4, color="#dddddd")
    axes.set_axisbelow(True)


def draw_responses() -> Figure:
    """Draw how the error of a constraint decays for several gains (Flores & Lankarani, Figs. 56-58)."""
    figure = new_figure(10.0, 3.6)
    t = np.linspace(0, 2, 401)
    families = (
        ("alpha > beta: overdamped", ((5, 1), (5, 3), (10, 5), (20, 10))),
        ("alpha = beta: critical", ((2, 2), (5, 5), (10, 10), (20, 20))),
        ("alpha < beta: underdamped", ((1, 5), (2, 10), (5, 20), (10, 40))),
    )
    for axes, (title, gains) in zip(figure.subplots(1, 3), families, strict=True):
        for k, (alpha, beta) in enumerate(gains):
            axes.plot(t, response(alpha, beta, t), color=PALETTE[k], label=f"{alpha}, {beta}")
        tidy(axes, title, "t [s]", "error for e(0) = 0, e'(0) = 1")
        low, high = axes.get_ylim()
        axes.set_ylim(low, 1.3 * high)
        axes.legend(title="alpha, beta [1/s]", fontsize=SMALL, title_fontsize=SMALL, loc="upper right", ncols=2)
    return figure


def draw_stability() -> Figure:
    """Draw where in the plane of the gains, made dimensionless by the step, the error decays for each integrator.

    Left the regions (Fig. 60 shows Euler's), with the gains of Tab. 1; right |z| along alpha = beta.
    """
    figure = new_figure(10.0, 4.8)
    left, right = figure.subplots(1, 2)
    a, b = np.meshgrid(np.linspace(-0.1, 4.2, 431), np.linspace(0, 4.2, 421))
    for k, name in enumerate(STEP_POLYNOMIALS):
        size = np.abs(growth(name, a, b, 1.0))
        left.contour(a, b, size, levels=[1.0], colors=[PALETTE[k]])
        left.plot([], [], color=PALETTE[k], label=name)
        gains = np.linspace(0.01, 4.2, 400)
        right.plot(gains, np.abs(growth(name, gains, gains, 1.0)), color=PALETTE[k], label=name)
    for k, (alpha, beta, _, _) in enumerate(TABLE_1):
        x, y = alpha * 1e-3, beta * 1e-3
        fades = abs(growth("euler", alpha, beta, 1e-3)) < 1
        left.plot(x, y, "o" if fades else "x", color=GROUND if fades else DRIVER, ms=5, clip_on=False)
        if k >= 4:
            left.annotate(f"({alpha:g}, {beta:g})", (x, y), (4, 4), textcoords="offset points", fontsize=SMALL)
    left.annotate("Tab. 1, others", (0.02, 0.02), (6, 6), textcoords="offset points", fontsize=SMALL)
    tidy(left, "inside each line the error decays (gear4: on its right)", "alpha h", "beta h")
    left.set(xlim=(-0.1, 4.2), ylim=(0, 4.2))
    right.axhline(1, color=GROUND, linewidth=0.8)
    tidy(right, "growth of the error per step, alpha = beta", "alpha h", "|z|")
    right.set(ylim=(0, 1.6))
    for axes in (left, right):
        axes.legend(fontsize=SMALL)
    return figure


#: Largest ankle moment in normal walking per body mass [N m/kg], from force plates (D. A. Winter).
ANKLE_PEAKS = (1.3, 1.7)

#: The background of text on top of lines.
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}

#: Lines that are drawn in the plane of s h: real and imaginary parts.
REALS, IMAGINARIES = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, np.pi)


def draw_mapping() -> Figure:
    """Draw how a step h maps the plane of s into the plane of z, exactly and by Euler's method, with Tab. 1's roots.

    The exact z = exp(s h) maps the left half-plane into the unit circle (Flores & Lankarani, Fig. 59). Euler's
    z = 1 + s h only translates it: what stays outside the circle grows.
    """
    maps: tuple[tuple[str, float, Callable[[Plane], Plane]], ...] = (
        ("s h, green where the error decays", 3.5, lambda x: x),
        ("z = exp(s h), exactly", 1.8, np.exp),
        ("z = 1 + s h, Euler's method", 3.5, lambda x: 1 + x),
    )
    figure = new_figure(11.0, 3.9)
    panels = figure.subplots(1, 3)
    for axes, (title, end, into) in zip(panels, maps, strict=True):
        for k, part in enumerate(REALS):
            line = into(part + 1j * np.linspace(-np.pi, np.pi, 201))
            axes.plot(line.real, line.imag, color=GROUND if part == 0 else PALETTE[k], linewidth=2 if part == 0 else 1)
        for part in IMAGINARIES:
            for sign in (1, -1) if part else (1,):
                line = into(np.linspace(REALS[0], REALS[-1], 101) + 1j * sign * part)
                axes.plot(line.real, line.imag, color="#bbbbbb", linewidth=0.7, zorder=1)
        for k, (alpha, beta, _, _) in enumerate(TABLE_1):
            z = into(roots(alpha, beta) * 1e-3)
            axes.plot(z.real, z.imag, "o", color=DRIVER, ms=4, zorder=3)
            if k >= 4:
                upper = z[np.argmax(z.imag)]
                place = (upper.real, upper.imag)
                axes.annotate(
                    f"({alpha:g}, {beta:g})", place, (6, 5), textcoords="offset points", fontsize=SMALL, bbox=PAPER
                )
        axes.set(aspect="equal", xlim=(-end, end), ylim=(-end, end))
        tidy(axes, title, "real part", "imaginary part")
    panels[0].axvspan(-3.5, 0, color=PALETTE[2], alpha=0.15, zorder=0)
    turn = np.exp(1j * np.linspace(0, 2 * np.pi, 201))
    for axes in panels[1:]:
        axes.fill(turn.real, turn.imag, color=PALETTE[2], alpha=0.15, zorder=0)
    return figure


def draw_gait(gait: Gait) -> Figure:
    """Draw a stride: the person, the joint angles, the ground reaction, and the joint moments."""
    from structkin.studies.gait import joint_moments

    motion, ground = gait.motion, gait.ground
    figure = new_figure(10.0, 10.0)
    rows = figure.subplots(4, 1, height_ratios=(2.2, 1, 1, 1))
    person, angles, reaction, moments = rows
    for side, colour in (("left", PALETTE[1]), ("right", PALETTE[0])):
        chain = [motion.position(point) for point in ("T", "H", f"K_{side}", f"A_{side}", f"B_{side}")]
        for k in range(0, len(motion), max(1, len(motion) // 16)):
            person.plot([place[k, 0] for place in chain], [place[k, 1] for place in chain], color=colour, linewidth=1)
    person.axhline(0, color=GROUND, linewidth=0.8)
    every = slice(None, None, max(1, len(motion) // 16))
    for x, force in zip(ground.place[every], ground.force[every], strict=True):
        person.plot([x, x + 4e-4 * force[0]], [0, 4e-4 * force[1]], color=DRIVER, linewidth=1)
    person.set_aspect("equal")
    tidy(person, "right leg blue, left leg orange, ground reaction red", "x [m]", "y [m]")
    names = (("hip", PALETTE[0], np.pi), ("knee", PALETTE[1], 0.0), ("ankle", PALETTE[2], -np.pi / 2))
    for name, colour, straight in names:
        angle = motion.drivers[f"right_{name}"][0] + straight
        angles.plot(motion.t, np.degrees(angle), color=colour, label=name)
    tidy(angles, "joint angles of the right leg, 0 when standing straight", "t [s]", "angle [deg]")
    reaction.plot(motion.t, ground.force[:, 0], color=PALETTE[0], label="forward")
    reaction.plot(motion.t, ground.force[:, 1], color=PALETTE[1], label="up")
    reaction.fill_between(motion.t, 0, ground.shares["right"] * ground.force[:, 1], color=PALETTE[1], alpha=0.15)
    tidy(reaction, "resultant ground reaction (shaded: the right foot's share, assumed)", "t [s]", "force [N]")
    found = joint_moments(gait.forces)
    for name, colour, _ in names:
        moments.plot(motion.t, found[f"right_{name}"], color=colour, label=name)
    low, high = (peak * gait.mass for peak in ANKLE_PEAKS)
    moments.axhspan(low, high, color=PALETTE[2], alpha=0.15, label="largest of the ankle\nin normal walking")
    tidy(moments, "joint moments of the right leg, positive in extension", "t [s]", "moment [N m]")
    for axes in (angles, reaction, moments):
        axes.legend(fontsize=SMALL, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
