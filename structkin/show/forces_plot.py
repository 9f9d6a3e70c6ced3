"""Driver efforts, joint reactions and the forces on the frame over time, one above the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from structkin.dynamics import Kinetostatics
from structkin.show.forces_output import bearing_links, effort_unit
from structkin.show.letters import legible
from structkin.show.measures import measures_of
from structkin.show.motion_plot import abscissa, shade
from structkin.show.style import DRIVER, GROUND, LARGE, NORMAL, PALETTE, SMALL, new_figure, plain

Floats = NDArray[np.float64]

#: Joints drawn: those that bear most.
MOST_JOINTS = 8

Curve = tuple[str, Floats, str]  # label, values, colour


@legible
def plot_forces(forces: Kinetostatics) -> Figure:
    """Plot driver efforts, sizes of joint reactions, and force and moment on the ground, one above the other.

    Of many joints the eight with the largest reactions are drawn. Samples that are not ok are shaded.
    """
    m = forces.motion.mechanism
    torques = [id for id in m.drives if effort_unit(m, id) == "N m"]
    pushes = [id for id in m.drives if effort_unit(m, id) == "N"]
    panels: list[tuple[str, list[Curve]]] = [
        (f"{words} [{unit}]", [(id, forces.driver(id), _colour(k)) for k, id in enumerate(ids)])
        for words, unit, ids in (("driver torque", "N m", torques), ("driver force", "N", pushes))
        if ids
    ]
    panels.append(("joint reaction [N]", _reactions(forces)))
    x, y = forces.shaking_force.T
    panels.append(("force on the ground [N]", [("x", x, PALETTE[0]), ("y", y, PALETTE[1])]))
    panels.append(("moment on the ground [N m]", [("about the origin", forces.shaking_moment, GROUND)]))
    figure = new_figure(9.0, 2.2 + 1.75 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    along = abscissa(forces.motion, measures_of(m))
    for ax, (label, curves) in zip(axes, panels, strict=True):
        panel(ax, along.values, label, curves)
        shade(ax, forces.motion, along.values)
    axes[-1].set_xlabel(along.name, fontsize=NORMAL)
    figure.align_ylabels()
    figure.suptitle(plain(f"{m.title or 'Mechanism'}: forces"), fontsize=LARGE)
    return figure


def _colour(k: int) -> str:
    return DRIVER if k == 0 else PALETTE[k % len(PALETTE)]


def _reactions(forces: Kinetostatics) -> list[Curve]:
    pairs = list(bearing_links(forces.motion.mechanism))
    sizes = [np.hypot(*forces.reaction(joint, link).T) for joint, link in pairs]
    peaks = [float(np.max(size[np.isfinite(size)], initial=0.0)) for size in sizes]
    kept = sorted(sorted(range(len(pairs)), key=lambda k: -peaks[k])[:MOST_JOINTS])
    joints = [joint for joint, _ in pairs]
    names = [joint if joints.count(joint) == 1 else f"{joint} on {link}" for joint, link in pairs]
    marks = ["" if forces.unique(joint) else " (not unique)" for joint in joints]
    return [(names[k] + marks[k], sizes[k], PALETTE[n % len(PALETTE)]) for n, k in enumerate(kept)]


def panel(ax: Axes, x: Floats, label: str, curves: Sequence[Curve]) -> None:
    """Draw curves over x into one panel, their names above it."""
    marker = "." if len(x) <= 30 else ""
    for name, values, colour in curves:
        [line] = ax.plot(x, values, color=colour, linewidth=1.5, marker=marker, label=plain(name))
        line.set_gid(f"curve:{name}:{label}")
    ax.set_ylabel(label, fontsize=NORMAL)
    dress(ax)
    shown = np.concatenate([values[np.isfinite(values)] for _, values, _ in curves] or [np.zeros(0)])
    if not len(shown):
        text = "not known: no sample has a pose, or the rates of the drivers were not given"
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, fontsize=NORMAL, color=GROUND)
    elif np.ptp(shown) <= 1e-9 * max(1.0, float(np.max(np.abs(shown)))):
        # rounding around a constant is no curve
        middle = float(shown.mean())
        ax.set_ylim(middle - 0.1 * max(1.0, abs(middle)), middle + 0.1 * max(1.0, abs(middle)))
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=8, fontsize=SMALL, frameon=False, borderaxespad=0.2)
