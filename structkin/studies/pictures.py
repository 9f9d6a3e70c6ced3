"""Pictures of the studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from structkin.dynamics.integrators.methods import STEP_POLYNOMIALS
from structkin.numerical_tolerances import LEAST_DRAWN, ROUNDING_OF_ONE
from structkin.show.style import DRIVER, GROUND, NORMAL, PALETTE, SMALL, new_figure
from structkin.studies.agreement import BlandAltman
from structkin.studies.baumgarte import TABLE_1, growth, response, roots
from structkin.studies.cartesian import PENDULUM, PENDULUM_TIMES, RIGHT, Agreement, Case, Trial
from structkin.studies.guides import direction, guides
from structkin.studies.jumps import JUMPS, JumpRun
from structkin.studies.markers import Markers
from structkin.studies.small_steps import Deviation
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from structkin.studies.gait import Gait


def draw_bland_altman(axes: Axes, found: BlandAltman, name: str) -> None:
    """Draw differences over means, with their mean and the limits of agreement."""
    axes.plot(found.means, 1e6 * found.differences, ".", color=PALETTE[0], ms=3)
    for level, style in ((found.bias, "-"), *((limit, "--") for limit in found.limits)):
        axes.axhline(1e6 * level, color=DRIVER, linestyle=style, linewidth=1)
    tidy(axes, f"{name}: {found.outside:.0%} outside the limits", "mean of both [m]", "difference [µm]")


def draw_pendulum(found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the pendulum: path against the published data, agreement, energy, violation, and errors over the gain."""
    figure = new_figure(10.0, 9.5)
    (path, errors), (x, y), (energy, violation) = figure.subplots(3, 2)
    first = found[0].simulation
    for k, name in enumerate("xy"):
        path.plot(first.t, first.position("P")[:, k], color=PALETTE[k], label=f"{name}, gain {found[0].gain:g}")
        path.plot(PENDULUM_TIMES, PENDULUM[:, k], "o", color=PALETTE[k], ms=3, label=f"{name}, IFToMM")
    tidy(path, "the bob", "t [s]", "place [m]")
    path.set_ylim(-1.1, 1.7)
    path.legend(fontsize=SMALL, ncols=2, loc="upper right")
    gains = [one.gain for one in found]
    errors.semilogy(gains, [one.worst for one in found], "o-", color=PALETTE[0], ms=3)
    tidy(errors, "largest error in 10 s against the closed form", "alpha = beta [1/s]", "error [m]")
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} against {len(limits.means)} published points")
    shown = _some(found)
    for k, one in enumerate(shown):
        r = one.simulation
        energy.plot(r.t, 1e6 * (r.energy - r.energy[0]), color=PALETTE[k], label=f"gain {one.gain:g}")
        violation.semilogy(r.t[1:], r.violation[1:] + LEAST_DRAWN, color=PALETTE[k], label=f"gain {one.gain:g}")
    tidy(energy, "change of energy", "t [s]", "[µJ]")
    tidy(violation, "joint closure error", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def _some(found: Sequence[Trial]) -> list[Trial]:
    return [found[k] for k in sorted({0, len(found) // 2, len(found) - 1})]


def draw_slider_crank(case: Case, found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the slider-crank: elbow, slider with a gain that is too small and one that suffices, agreement, energy, gap.

    The gains shown are those of the paper: 0 and 50 (Figs. 8-11).
    """
    figure = new_figure(10.0, 12.5)
    elbows, (slider, errors), (x, y), (energy, violation) = figure.subplots(4, 2)
    shown = [one for one in found if one.gain in (0, 50)]
    best = shown[-1].simulation
    t, true = best.t, case.path(best.t)
    for k, (axes, name) in enumerate(zip(elbows, "xy", strict=True)):
        axes.plot(t, true[:, k], color=GROUND, linewidth=3, alpha=0.4, label="our reference")
        axes.plot(best.t, best.position(case.point)[:, k], color=PALETTE[1], linewidth=1, label="gain 50")
        tidy(axes, f"{name} of the elbow", "t [s]", f"{name} [m]")
        axes.set_ylim(-1.1, 1.5)
    elbows[0].legend(fontsize=SMALL, loc="upper right", ncols=2)
    slider.plot(t, 2 * true[:, 0], color=GROUND, linewidth=3, alpha=0.4, label="2 cos(angle)")
    for k, one in enumerate(shown):
        r, label = one.simulation, f"gain {one.gain:g}"
        slider.plot(r.t, r.position("C")[:, 0], color=PALETTE[k], linewidth=1, label=label)
        energy.semilogy(r.t[1:], np.abs(r.energy - r.energy[0])[1:] + LEAST_DRAWN, color=PALETTE[k], label=label)
        violation.semilogy(r.t[1:], r.violation[1:] + LEAST_DRAWN, color=PALETTE[k], label=label)
    tidy(slider, "the slider", "t [s]", "x [m]")
    slider.set_ylim(-2.2, 3.0)
    slider.legend(fontsize=SMALL, loc="upper right", ncols=3)
    gains = np.array([one.gain for one in found])
    worst = np.array([one.worst for one in found])
    right = np.array([one.right for one in found])
    errors.semilogy(gains[right], worst[right], "o", color=PALETTE[0], ms=4, label="right")
    errors.semilogy(gains[~right], np.minimum(worst[~right], 10), "x", color=DRIVER, ms=6, label="wrong, or stopped")
    tidy(errors, "largest error of the elbow in 10 s, LSODA", "alpha = beta [1/s]", "error [m]")
    errors.legend(fontsize=SMALL)
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} of the elbow against our reference")
    tidy(energy, "change of energy", "t [s]", "[J]")
    tidy(violation, "joint closure error", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def draw_map(found: Sequence[Trial], row: Literal["step", "tolerance"]) -> Figure:
    """Draw the largest error of the elbow over the gain, a row for each step or tolerance, and which motions are right.

    Each of these gains must have a trial in each row.
    """
    from matplotlib.colors import LogNorm

    table = {(one.gain, getattr(one, row)): one.worst for one in found}
    gains = sorted({gain for gain, _ in table})
    sizes = sorted({size for _, size in table}, reverse=True)
    worst = np.array([[min(table[gain, size], 4.0) for gain in gains] for size in sizes])
    figure = new_figure(max(5.5, 2.6 + 0.64 * len(gains)), 1.6 + 0.55 * len(sizes))
    axes = figure.add_subplot()
    # Colours begin at the tolerance of the integrator.
    picture = axes.imshow(worst, norm=LogNorm(vmin=1e-8, vmax=4), cmap="cividis_r", aspect="auto")
    for i, size in enumerate(sizes):
        for k, gain in enumerate(gains):
            error = table[gain, size]
            text = "stops" if np.isinf(error) else f"{error:.0e}"
            colour = "white" if error > 1e-4 else "black"
            weight = "normal" if error < RIGHT else "bold"
            axes.text(k, i, text, ha="center", va="center", fontsize=SMALL - 1, color=colour, weight=weight)
    axes.set_xticks(range(len(gains)), [f"{gain:g}" for gain in gains])
    names = [f"{1e3 * size:g} ms" if row == "step" else f"{size:.3g}" for size in sizes]
    axes.set_yticks(range(len(sizes)), names)
    axes.set_xlabel("alpha = beta [1/s]", fontsize=NORMAL)
    axes.set_ylabel("step of RK4" if row == "step" else "tolerance of LSODA", fontsize=NORMAL)
    axes.set_title("slider-crank with equal rods: largest error of the elbow in 10 s [m]", fontsize=NORMAL)
    figure.colorbar(picture, label="[m]")
    return figure


def measured(markers: Markers, origin: float) -> dict[str, Floats]:
    """Return the guided coordinates (n,) as the markers of the right side give them, sample by sample."""
    hat, thigh, shank, foot = (
        np.unwrap(np.angle(direction(markers, name))) for name in ("hat", "thigh", "shank", "foot")
    )
    hip = markers.places["hip"]
    return {
        "x": hip[:, 0] - origin,
        "y": hip[:, 1],
        "pitch": hat,
        "right_hip": thigh - hat,
        "right_knee": shank - thigh,
        "right_ankle": foot - shank,
    }


def draw_guides(markers: Markers, smooth: Markers, period: float) -> Figure:
    """Draw the splines of one stride over the markers as read and after the filter; left guides are dashed."""
    course = guides(smooth, period)
    t = np.linspace(0.0, period, 401)
    splines = {name: CubicSpline(course.t, values)(t) for name, values in course.values.items()}
    figure = new_figure(11.0, 6.0)
    since = markers.t - markers.t[0]
    within = since <= period
    raw, filtered = (measured(one, course.origin) for one in (markers, smooth))
    for axes, (name, values) in zip(figure.subplots(2, 3).ravel(), raw.items(), strict=True):
        unit = 1.0 if name in ("x", "y") else 180 / np.pi
        # Angles of the record and of the guides may differ by whole turns.
        turns = 0.0 if unit == 1.0 else 2 * np.pi * round((splines[name][0] - values[0]) / (2 * np.pi))
        axes.plot(since[within], unit * (values + turns)[within], "o", ms=3, color=PALETTE[1], label="markers")
        axes.plot(since[within], unit * (filtered[name] + turns)[within], "x", ms=4, color=GROUND, label="filtered")
        axes.plot(t, unit * splines[name], color=PALETTE[0], label="guide, a cubic spline")
        if name.startswith("right"):
            left = splines[name.replace("right", "left")]
            axes.plot(t, unit * left, "--", color=PALETTE[2], label="guide of the left leg")
        tidy(axes, name.removeprefix("right_"), "t [s]", "m" if unit == 1.0 else "deg")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


MARKS = {"small steps": "o-", "DOP853": "s", "LSODA": "^", "DOP853, jumps located": "x-"}


def draw_convergence(found: Sequence[Deviation]) -> Figure:
    """Draw the errors over the stiffness, with the share of the time step, for each mechanism."""
    figure = new_figure(10.0, 3.6)
    names = list(dict.fromkeys(one.case for one in found))
    for k, (axes, name) in enumerate(zip(figure.subplots(1, len(names), sharey=True), names, strict=True)):
        ours = [one for one in found if one.case == name]
        stiffness = np.array([one.stiffness for one in ours])
        axes.loglog(stiffness, [one.error for one in ours], "o-", color=PALETTE[0], ms=4, label="of the stiffness")
        axes.loglog(stiffness, [one.stepping for one in ours], "s--", color=PALETTE[1], ms=4, label="of the step")
        slope = ours[-1].error * stiffness[-1] / stiffness
        axes.loglog(stiffness, slope, ":", color=GROUND, label="first order")
        tidy(axes, name, "stiffness of the softest joint [N/m]", "" if k else "error, in parts of the path")
    figure.axes[0].legend(fontsize=SMALL)
    return figure


def draw_jumps(found: Sequence[JumpRun]) -> Figure:
    """Draw the error at the end over the evaluations of the forces, for each jump and method."""
    figure = new_figure(10.0, 3.8)
    for axes, jump in zip(figure.subplots(1, len(JUMPS), sharey=True), JUMPS, strict=True):
        for k, (method, mark) in enumerate(MARKS.items()):
            ours = [one for one in found if (one.jump, one.method) == (jump, method)]
            calls, errors = [one.evaluations for one in ours], [max(one.error, ROUNDING_OF_ONE) for one in ours]
            axes.loglog(calls, errors, mark, color=PALETTE[k], ms=4, label=method)
        tidy(axes, jump, "evaluations of the forces", "error of the angle after 1 s [rad]" * (jump == JUMPS[0]))
    figure.axes[1].legend(fontsize=SMALL)
    return figure


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
            left.annotate(
                f"({alpha:g}, {beta:g})", (x, y), (4, 4), textcoords="offset points", fontsize=SMALL, bbox=PAPER
            )
    left.annotate("Tab. 1, others", (0.02, 0.02), (6, 6), textcoords="offset points", fontsize=SMALL, bbox=PAPER)
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
