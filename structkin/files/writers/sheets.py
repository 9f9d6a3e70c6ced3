"""A mechanism and its motion as named columns, for the formats of tables: structure, motion, K and L, forces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from structkin.dynamics.inverse.kinetostatics import kinetostatics
from structkin.model.mechanism import Mechanism
from structkin.show.columns import Column, all_columns, failed_groups, status_words, time_column
from structkin.show.forces import effort_columns, frame_columns, reaction_columns
from structkin.show.measures import driver_quantity, measures_of
from structkin.solve import Motion


@dataclass(frozen=True)
class Sheet:
    """A table: headings with units, such as "P.x [mm]", and a column of values below each; None means unknown."""

    title: str
    heads: tuple[str, ...]
    columns: tuple[tuple[Any, ...], ...]


def sheets_of(motion: Motion) -> list[Sheet]:
    """Return the tables of a motion, in the units of the file; forces only if there are masses or forces."""
    m = motion.mechanism
    found = [_about(motion), structure_sheet(motion), _sheet("motion", motion, all_columns(motion))]
    found.append(_sheet("K and L", motion, [time_column(motion), *coefficient_columns(motion)]))
    if has_forces(m):
        forces = kinetostatics(motion)
        columns = [*effort_columns(forces), *reaction_columns(forces), *frame_columns(forces)]
        found.append(_sheet("forces", motion, [time_column(motion), *columns]))
    return found


def has_forces(mechanism: Mechanism) -> bool:
    """Return whether anything acts on a mechanism: masses, gravity, loads, efforts."""
    given = mechanism.forces
    masses = any(link.mass for link in mechanism.links.values())
    return masses or bool(given.gravity or given.loads or given.efforts)


def coefficient_columns(motion: Motion) -> Iterator[Column]:
    """Yield K of every point and moving link by each driver, then L by each pair of drivers, in the file's units."""
    m, measures = motion.mechanism, measures_of(motion.mechanism)
    ids = list(m.drivers)
    quantity = {id: driver_quantity(m, id) for id in ids}
    held = {point for link in m.links.values() for point in link.local}
    parts = [(point, "length", ("x", "y")) for point in m.places if point in held]
    names = [*parts, *((link, "angle", ("",)) for link in m.topology.moving_links)]
    for letter in ("K", "L") if ids else ():
        for part, what, axes in names:
            values = (motion.K if letter == "K" else motion.L)(part).reshape(len(motion), len(axes), len(ids), -1)
            for i, first in enumerate(ids):
                for j, second in enumerate(ids[: i + 1] if letter == "L" else [""]):
                    by = [first, second] if second else [first]
                    unit = "/".join([measures.unit(what), *(measures.unit(quantity[id]) for id in by)])
                    size = measures.size(what) / math.prod(measures.size(quantity[id]) for id in by)
                    for k, axis in enumerate(axes):
                        yield Column(part, f"{letter}{axis} by {' and '.join(by)}", unit, values[:, k, i, j] / size)


def structure_sheet(motion: Motion) -> Sheet:
    """Return the structural groups in solve order."""
    rows = [
        (
            group.index + 1, group.kind, ", ".join(group.links), ", ".join(group.joints), ", ".join(group.drivers),
            group.class_, group.order, group.level, ", ".join(str(index + 1) for index in group.depends_on),
        )
        for group in motion.structure.groups
    ]  # fmt: skip
    heads = ("group", "kind", "links", "joints", "drivers", "class", "order", "level", "depends on")
    return Sheet("structure", heads, tuple(zip(*rows, strict=True)) or ((),) * len(heads))


def _about(motion: Motion) -> Sheet:
    m, units = motion.mechanism, motion.mechanism.units
    said = {
        "title": m.title or "mechanism",
        "mobility": motion.structure.mobility,
        "samples": len(motion),
        "samples that are ok": int(motion.ok.sum()),
        "unit of length": units.length,
        "unit of angles": units.angle,
    }
    return Sheet("mechanism", ("what", "value"), (tuple(said), tuple(said.values())))


def _sheet(title: str, motion: Motion, columns: list[Column]) -> Sheet:
    heads = [f"{column.name} [{column.unit}]" for column in columns]
    values = [tuple(x if math.isfinite(x) else None for x in column.values.tolist()) for column in columns]
    status = (tuple(status_words(motion)), tuple(failed_groups(motion)))
    return Sheet(title, (*heads, "status", "group"), (*values, *status))
