"""Forces of a motion as a table: for the terminal, CSV, JSON. Forces are in N and N m whatever the file's units."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import Kinetostatics
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kinematics.limits.passages import report
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.units import Units
from structkin.show.columns import Column, driver_columns, failed_groups, status_words, time_column
from structkin.show.table import nested, plain_values, write_columns

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


def effort_unit(mechanism: Mechanism, driver: str) -> str:
    """Return the unit of a driver's effort: "N m" or "N"."""
    return "N m" if mechanism.drives[driver].kind == "angle" else "N"


def bearing_links(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Yield each joint with the links whose reactions tell all: of two links the moving one, or else the second."""
    for joint in mechanism.topology.joints:
        ends = [end for end in joint.links if end != GROUND]
        yield from ((joint.id, end) for end in (ends if len(joint.links) > 2 else ends[-1:]))


def effort_columns(forces: Kinetostatics) -> Iterator[Column]:
    """Yield the effort and the power of each driver."""
    for id in forces.motion.mechanism.drives:
        yield Column(id, "effort", effort_unit(forces.motion.mechanism, id), forces.driver(id))
        yield Column(id, "power", "W", forces.driver_power(id))


def reaction_columns(forces: Kinetostatics) -> Iterator[Column]:
    """Yield the force of each joint on its links, and the moment of each prismatic joint and belt."""
    m = forces.motion.mechanism
    kinds = {joint.id: joint.kind for joint in m.topology.joints}
    for joint, link in bearing_links(m):
        force = forces.reaction(joint, link)
        for k, axis in enumerate("xy"):
            yield Column(f"{joint} on {link}", f"F{axis}", "N", force[:, k])
        if kinds[joint] == "P" or (
            joint in m.joints.of(TurnCoupling) and m.joints.of(TurnCoupling)[joint].type == "belt"
        ):
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
    """Return a row a sample, with the columns of `write_forces_csv`; needs pandas.

    The drivers' values are in the units of the file or in those given; forces are in N, moments in N m.
    """
    from structkin.show.table import frame_of

    return frame_of(_columns(forces, units), forces.motion)


def write_forces_csv(forces: Kinetostatics, target: str | Path | IO[str]) -> None:
    """Write forces as CSV: names in the first line, units in the second, then a line a sample.

    Columns: t; the value of each driver; its effort and power; Fx, Fy of each joint on its links, and M of prismatic
    joints and belts; Fx, Fy, M on the ground; status and group. Raises `InputError` where the file cannot be written.
    """
    write_columns(_columns(forces), forces.motion, target)


def forces_to_dict(forces: Kinetostatics) -> dict[str, Any]:
    """Return forces as plain data for JSON; NaN is None."""
    motion, m = forces.motion, forces.motion.mechanism
    return {
        "title": m.title,
        "units": {"force": "N", "moment": "N m", "power": "W", "time": "s"},
        "samples": len(motion),
        "ok": int(motion.ok.sum()),
        "t": plain_values(motion.t),
        "drivers": nested(effort_columns(forces)),
        "reactions": nested(reaction_columns(forces)),
        "ground": nested(frame_columns(forces))[GROUND],
        "unique": {id: forces.unique(id) for id in [*m.drives, *(joint.id for joint in m.topology.joints)]},
        "status": status_words(motion),
        "group": [name or None for name in failed_groups(motion)],
    }


def forces_table(forces: Kinetostatics) -> Table:
    """Return the largest forces of the motion, for the terminal."""
    from rich.table import Table
    from rich.text import Text

    m = forces.motion.mechanism
    table = Table(
        title=Text(f"{m.title or 'Mechanism'}: forces"),
        caption=Text(_course(forces)),
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("", overflow="fold")
    for head in ("mean", "largest", "at"):
        table.add_column(head, justify="right", overflow="fold")
    for id in m.drives:
        values, unit = forces.driver(id), effort_unit(m, id)
        table.add_row(Text(f"driver {id}"), *_cells(forces, values, unit, forces.unique(id)))
    for joint, link in bearing_links(m):
        size = np.hypot(*forces.reaction(joint, link).T)
        table.add_row(Text(f"{joint} on {link}"), *_cells(forces, size, "N", forces.unique(joint)))
        moment = forces.reaction_moment(joint, link)
        if np.any(np.abs(moment) > 0):
            table.add_row(Text(f"{joint} on {link}, moment"), *_cells(forces, moment, "N m", forces.unique(joint)))
    table.add_row("on the ground", *_cells(forces, np.hypot(*forces.shaking_force.T), "N", True))
    table.add_row("on the ground, moment", *_cells(forces, forces.shaking_moment, "N m", True))
    return table


def _cells(forces: Kinetostatics, values: Any, unit: str, unique: bool) -> list[str]:
    good = np.flatnonzero(np.isfinite(values))
    if not len(good):
        return ["-", "-", "-"]
    peak = good[np.argmax(np.abs(values[good]))]
    at = forces.t[peak]
    mark = "" if unique else " *"
    return [
        f"{_short(values[good].mean())} {unit}{mark}",
        f"{_short(values[peak])} {unit}{mark}",
        f"{at:.5g} s" if np.isfinite(at) else f"sample {peak}",
    ]


def _short(value: float) -> str:
    return f"{value if abs(value) > 1e-9 else 0.0:.5g}"


def _course(forces: Kinetostatics) -> str:
    m = forces.motion.mechanism
    lines = report(forces.motion).splitlines()[:7]
    if not any(body.mass or body.inertia for body in forces.bodies):
        lines.append("no link has a mass: only applied forces count")
    if not all(forces.unique(joint.id) for joint in m.topology.joints):
        lines.append("* not unique: joints are redundant; the smallest forces are shown")
    for joint in forces.pressing:
        force = forces.contact_force(joint)
        apart = int(np.sum(force < -1e-9 * np.nanmax(np.abs(force), initial=0.0)))
        if apart:
            lines.append(f"{joint}: the two links pull at each other at {apart} samples; they would part there")
    put_in = sum((forces.driver_power(id) for id in m.drives), np.zeros(len(forces.motion)))
    gap = np.abs(put_in + forces.applied_power - forces.kinetic_power)
    scale = np.abs(put_in) + np.abs(forces.applied_power) + np.abs(forces.kinetic_power)
    if np.isfinite(gap).any() and np.nanmax(scale) > 0:
        lines.append(f"power in less power stored: {np.nanmax(gap) / np.nanmax(scale):.0e} of the largest power")
    return "\n".join(lines)
