"""Forces of a motion: for the terminal, CSV, JSON, and as curves, in N and N m whatever the file's units.

Tables for reading and pictures have kN and kN m from 1000 on; files do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import Kinetostatics, Simulation
from structkin.dynamics.friction import lock_note
from structkin.dynamics.inverse.kinetostatics import pulls
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.units import Units
from structkin.numerical_tolerances import NEGLIGIBLE, ROUNDING
from structkin.show.columns import (
    Column,
    driver_columns,
    failed_groups,
    frame_of,
    nested,
    plain_values,
    status_words,
    time_column,
    write_columns,
)
from structkin.show.cylinders import cylinder_notes
from structkin.show.fitting import add_title, legends_above
from structkin.show.letters import legible
from structkin.show.motion_plot import abscissa, mean, name_shades, shade
from structkin.show.quantities import first_peak, largest, measures_of
from structkin.show.style import DRIVER, NORMAL, PALETTE, dress, new_figure
from structkin.show.style import GROUND as GREY
from structkin.show.terminal import outcome_lines, short, text_table
from structkin.solve import Motion
from structkin.types import Floats

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from rich.table import Table


#: From this magnitude on [N, N m, W, J] numbers are shown in thousands.
LARGE = 1e3


def thousands(unit: str, peak: float) -> tuple[float, str]:
    """Return the size and the name of the unit in which values up to `peak` are shown.

    >>> thousands("N m", 999.0), thousands("N m", -1000.0)
    ((1.0, 'N m'), (1000.0, 'kN m'))
    """
    return (1e3, f"k{unit}") if abs(peak) >= LARGE else (1.0, unit)


def usual_sizes(forces: Kinetostatics) -> dict[str, float]:
    """Return usual magnitudes of forces, moments and power, by their units: below small parts of them is rounding.

    They are the largest force of joints, drivers and loads, its moment about the mechanism, and the power of both.
    """
    m, size = forces.motion.mechanism, forces.motion.size
    found = [largest(force) for force in forces.applied.force.values()]
    found += [largest(forces.driver(id)) / (size if effort_unit(m, id) == "N m" else 1.0) for id in m.drivers]
    for pair in bearing_links(m):
        found += [largest(forces.reaction(*pair)), largest(forces.reaction_moment(*pair)) / size]
    force = max(found)
    rates = [largest(z[1]) / m.drivers[id].unit(size) for id, z in forces.motion.drivers.items()]
    work = force * size
    return {"N": force, "N m": work, "W": (work + largest(forces.kinetic_energy)) * max(rates, default=0.0)}


def effort_unit(mechanism: Mechanism, driver: str) -> str:
    """Return the unit of a driver's effort: "N m" or "N"."""
    return "N m" if mechanism.drivers[driver].kind == "angle" else "N"


def bearing_links(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Yield each joint with the links whose reactions are shown: of two links the moving one, or else the second."""
    for joint in mechanism.topology.joints:
        ends = [end for end in joint.links if end != GROUND]
        yield from ((joint.id, end) for end in (ends if len(joint.links) > 2 else ends[-1:]))


def forces_of(motion: Motion) -> Kinetostatics | None:
    """Return the forces of a motion, with the loads of a simulation; None if there are neither masses nor loads.

    Raises `InputError` where forces cannot be computed, for instance without the rates of the drivers.
    """
    m = motion.mechanism
    masses = any(link.mass or link.inertia for name, link in m.links.items() if name != GROUND)
    loads = motion.loads if isinstance(motion, Simulation) else ()
    return motion.forces(loads=loads) if masses or loads or m.forces.loads else None


def effort_columns(forces: Kinetostatics) -> Iterator[Column]:
    """Yield the effort and the power of each driver."""
    for id in forces.motion.mechanism.drivers:
        yield Column(id, "effort", effort_unit(forces.motion.mechanism, id), forces.driver(id))
        yield Column(id, "power", "W", forces.driver_power(id))


def reaction_columns(forces: Kinetostatics) -> Iterator[Column]:
    """Yield the force of each joint on its links, and the moment of joints that transmit one."""
    m = forces.motion.mechanism
    for joint, link in bearing_links(m):
        force = forces.reaction(joint, link)
        for k, axis in enumerate("xy"):
            yield Column(f"{joint} on {link}", f"F{axis}", "N", force[:, k])
        if m.joints[joint].has_moment:
            yield Column(f"{joint} on {link}", "M", "N m", forces.reaction_moment(joint, link))


def frame_columns(forces: Kinetostatics) -> Iterator[Column]:
    """Yield the shaking force and moment on the ground."""
    for k, axis in enumerate("xy"):
        yield Column(GROUND, f"F{axis}", "N", forces.shaking_force[:, k])
    yield Column(GROUND, "M", "N m", forces.shaking_moment)


def _columns(forces: Kinetostatics, units: Units | None = None) -> list[Column]:
    return [
        time_column(forces.motion),
        *driver_columns(forces.motion, units),
        *effort_columns(forces),
        *reaction_columns(forces),
        *frame_columns(forces),
    ]


def forces_to_dataframe(forces: Kinetostatics, units: Units | None = None) -> pd.DataFrame:
    """Return a data frame with one row per sample and the columns of `write_forces_csv`; needs pandas.

    The drivers' values are in the units of the file or in those given; forces are in N, moments in N m.
    """
    return frame_of(_columns(forces, units), forces.motion, _words(forces))


def write_forces_csv(forces: Kinetostatics, target: str | Path | IO[str]) -> None:
    """Write forces as CSV: names in the first line, units in the second, then one line per sample.

    Columns: t; the value of each driver; its effort and power; Fx, Fy of each joint on its links, and M of prismatic
    joints, fastened links and belts; Fx, Fy, M on the ground; status ("locked" by friction as well) and group. Raises
    `InputError` if the file cannot be written.
    """
    write_columns(_columns(forces), forces.motion, target, _words(forces))


def forces_to_dict(forces: Kinetostatics) -> dict[str, Any]:
    """Return forces as plain data for JSON; NaN becomes None."""
    motion, m = forces.motion, forces.motion.mechanism
    return {
        "title": m.title,
        "units": {"force": "N", "moment": "N m", "power": "W", "time": "s"},
        "samples": len(motion),
        "ok": int((motion.ok & ~forces.locked).sum()),
        "t": plain_values(motion.t),
        "drivers": nested(effort_columns(forces)),
        "reactions": nested(reaction_columns(forces)),
        "ground": nested(frame_columns(forces))[GROUND],
        "unique": {id: forces.unique(id) for id in [*m.drivers, *(joint.id for joint in m.topology.joints)]},
        "status": _words(forces),
        "group": [name or None for name in failed_groups(motion)],
        "notes": list(forces.notes),
    }


def _words(forces: Kinetostatics) -> list[str]:
    return [
        "locked" if locked else word for word, locked in zip(status_words(forces.motion), forces.locked, strict=True)
    ]


def forces_table(forces: Kinetostatics) -> Table:
    """Return a table of the forces of the motion: mean over time, and largest magnitude; one unit for all forces."""
    m = forces.motion.mechanism
    rows = [(f"driver {id}", forces.driver(id), effort_unit(m, id), forces.unique(id)) for id in m.drivers]
    for joint, link in bearing_links(m):
        size = np.hypot(*forces.reaction(joint, link).T)
        rows.append((f"{joint} on {link}", size, "N", forces.unique_force(joint, link)))
        moment = forces.reaction_moment(joint, link)
        if np.any(np.abs(moment) > 0):
            rows.append((f"{joint} on {link}, moment", moment, "N m", forces.unique_moment(joint, link)))
    rows.append(("on the ground", np.hypot(*forces.shaking_force.T), "N", True))
    rows.append(("on the ground, moment", forces.shaking_moment, "N m", True))
    top = {unit: max(np.nanmax(np.abs(values), initial=0.0) for _, values, of, _ in rows if of == unit)
           for unit in ("N", "N m")}  # fmt: skip
    usual = usual_sizes(forces)
    cells = [
        (name, *_cells(forces, values, usual[unit], *thousands(unit, top[unit]), unique))
        for name, values, unit, unique in rows
    ]
    figures = ("mean", "largest", "at")
    return text_table(f"{m.title or 'Mechanism'}: forces", _course(forces, usual["W"]), ("", *figures), cells, figures)


def _cells(forces: Kinetostatics, values: Any, usual: float, size: float, unit: str, unique: bool) -> list[str]:
    peak = first_peak(values)
    if peak is None:
        return ["-", "-", "-"]
    at, most = forces.t[peak], short(values[peak] / size, usual / size)
    place = f"{at:.5g} s" if np.isfinite(at) else f"sample {peak}"
    mark = "" if unique else " *"
    return [
        f"{short(mean(forces.motion, values) / size, usual / size)} {unit}{mark}",
        f"{most} {unit}{mark}",
        "-" if most == "0" else place,  # rounding errors are largest somewhere, which says nothing
    ]


def _course(forces: Kinetostatics, usual: float) -> str:
    m = forces.motion.mechanism
    lines = outcome_lines(forces.motion)
    lines += [note] if (note := lock_note(forces)) else []
    lines += forces.notes
    if not any(body.mass or body.inertia for body in forces.bodies):
        lines.append("no link has a mass: only applied forces count")
    lines += cylinder_notes(m)
    if forces.not_unique:
        lines.append("* not unique because joints are redundant; the solution of smallest forces is shown")
    put_in = sum((forces.driver_power(id) for id in m.drivers), np.zeros(len(forces.motion)))
    gap = np.abs(put_in + forces.applied_power - forces.kinetic_power)
    scale = np.abs(put_in) + np.abs(forces.applied_power) + np.abs(forces.kinetic_power)
    if np.isfinite(gap).any() and np.nanmax(scale) > ROUNDING * usual:
        lines.append(f"power balance error: {np.nanmax(gap) / np.nanmax(scale):.0e} of the largest power")
    return "\n".join(lines)


# --- pictures --------------------------------------------------------------------------------------------

#: After the name of a joint, some values of which are negative: see `signed_size`.
PULLS = " (negative: pulls)"
#: Largest number of joints drawn: those with the largest reactions.
MOST_JOINTS = 8

Curve = tuple[str, Floats, str]  # label, values, colour


@legible
def plot_forces(forces: Kinetostatics) -> Figure:
    """Plot driver efforts, magnitudes of joint reactions, and force and moment on the ground, one above the other.

    At most eight joints are drawn, those with the largest reactions. The force of a contact that would have to pull is
    drawn as negative. Samples that are not ok are shaded, and the legend below names the reasons.
    """
    m = forces.motion.mechanism
    torques = [id for id in m.drivers if effort_unit(m, id) == "N m"]
    pushes = [id for id in m.drivers if effort_unit(m, id) == "N"]
    colours = [DRIVER, *(PALETTE[k % len(PALETTE)] for k in range(1, len(m.drivers)))]
    panels: list[tuple[str, list[Curve]]] = [
        (f"{words} [{unit}]", [(id, forces.driver(id), colours[k]) for k, id in enumerate(ids)])
        for words, unit, ids in (("driver torque", "N m", torques), ("driver force", "N", pushes))
        if ids
    ]
    reactions = [(*one, PALETTE[k % len(PALETTE)]) for k, one in enumerate(largest_reactions(forces))]
    panels.append(("joint reaction [N]", reactions))
    x, y = forces.shaking_force.T
    panels.append(("force on the ground [N]", [("x", x, PALETTE[0]), ("y", y, PALETTE[1])]))
    panels.append(("moment on the ground [N m]", [("about the origin", forces.shaking_moment, GREY)]))
    figure = new_figure(9.0, 2.2 + 1.75 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    along, usual = abscissa(forces.motion, measures_of(m)), usual_sizes(forces)
    lines = {}
    for ax, (label, curves) in zip(axes, panels, strict=True):
        shown, scaled = in_thousands(label, curves)
        least = usual[label.rstrip("]").partition(" [")[2]] / (1.0 if shown == label else LARGE)
        lines[ax] = panel(ax, along.values, shown, scaled, least)
        shade(ax, forces.motion, along.values)
    axes[-1].set_xlabel(along.name, fontsize=NORMAL)
    figure.align_ylabels()
    joints = len(list(bearing_links(m)))
    left_out = f"; of {joints} joint reactions the {MOST_JOINTS} largest" if joints > MOST_JOINTS else ""
    add_title(figure, f"{m.title or 'Mechanism'}: forces{left_out}")
    name_shades(figure, forces.motion)
    legends_above(lines)
    return figure


def in_thousands(label: str, curves: Sequence[Curve]) -> tuple[str, Sequence[Curve]]:
    """Return the label "name [unit]" and curves of forces, moments or energies, in `thousands` if they are large.

    >>> label, [(_, values, _)] = in_thousands("joint reaction [N]", [("A", np.array([0.0, 125e3]), "k")])
    >>> label, values.tolist()
    ('joint reaction [kN]', [0.0, 125.0])
    """
    peak = max((largest(values) for _, values, _ in curves), default=0.0)
    name, _, unit = label.rstrip("]").partition(" [")
    size, unit = thousands(unit, peak)
    return f"{name} [{unit}]", [(name, values / size, colour) for name, values, colour in curves]


def largest_reactions(forces: Kinetostatics, mark: str = " (not unique)") -> list[tuple[str, Floats]]:
    """Return the name of each joint with one of the largest reactions, in their order, and its `signed_size`.

    The `mark` follows the names of those that are not unique.
    """
    pairs = list(bearing_links(forces.motion.mechanism))
    sizes = [signed_size(forces, *pair) for pair in pairs]
    kept = sorted(sorted(range(len(pairs)), key=lambda k: -largest(sizes[k]))[:MOST_JOINTS])
    joints = [joint for joint, _ in pairs]
    names = [joint if joints.count(joint) == 1 else f"{joint} on {link}" for joint, link in pairs]
    marks = [
        PULLS * bool((size < 0).any()) + ("" if forces.unique_force(*pair) else mark)
        for pair, size in zip(pairs, sizes, strict=True)
    ]
    return [(names[k] + marks[k], sizes[k]) for k in kept]


def signed_size(forces: Kinetostatics, joint: str, link: str) -> Floats:
    """Return the magnitude (n,) [N] of a reaction, negative where a contact would have to pull.

    The magnitude alone would come back from zero as if the links pressed on each other again.
    """
    size = np.hypot(*forces.reaction(joint, link).T)
    return np.asarray(np.where(pulls(forces, joint), -size, size) if joint in forces.pressing else size)


def panel(ax: Axes, x: Floats, label: str, curves: Sequence[Curve], usual: float = 0.0) -> list[Line2D]:
    """Draw curves over x in one panel; return their lines, labelled by their names.

    Small parts of the largest value, or of the `usual` magnitude, are rounding errors.
    """
    lines = []
    marker = "." if len(x) <= 30 else ""
    size = max((largest(values) for _, values, _ in curves), default=0.0)
    for k, (name, values, colour) in enumerate(curves):
        below = [other for _, other, _ in curves[:k] if np.allclose(values, other, 0, 1e-2 * size, equal_nan=True)]
        # a curve that covers others is dashed, so that they stay visible
        style: Any = (2 * len(below), (3, 3 + 2 * len(below))) if below else "-"
        [line] = ax.plot(x, values, color=colour, linewidth=1.5, linestyle=style, marker=marker, label=name)
        line.set_gid(f"curve:{name}:{label}")
        lines.append(line)
    dress(ax, y=label)
    shown = np.concatenate([values[np.isfinite(values)] for _, values, _ in curves] or [np.zeros(0)])
    if not len(shown):
        text = "unknown: no sample has a pose, or the drivers' rates were not given"
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, fontsize=NORMAL, color=GREY)
    elif np.ptp(shown) <= NEGLIGIBLE * max(size, usual):
        # do not magnify rounding errors of a constant
        middle = float(shown.mean())
        half = 0.1 * (max(abs(middle), usual) or 1.0)
        ax.set_ylim(middle - half, middle + half)
    ax.ticklabel_format(axis="y", useOffset=False)
    return lines
