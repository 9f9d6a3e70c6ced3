"""A mechanism and its motion as named columns, for the formats of tables: structure, motion, K and L, forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structkin.errors import InputError
from structkin.show.columns import (
    Column,
    all_coefficients,
    all_columns,
    failed_groups,
    plain_values,
    status_words,
    time_column,
)
from structkin.show.motion_forces import effort_columns, forces_of, frame_columns, reaction_columns
from structkin.show.terminal import GROUP_HEADS, group_rows
from structkin.solve import Motion


@dataclass(frozen=True)
class Sheet:
    """A table: headings with units, such as "P.x [mm]", and a column of values below each; None means unknown."""

    title: str
    heads: tuple[str, ...]
    columns: tuple[tuple[Any, ...], ...]


def sheets_of(motion: Motion) -> list[Sheet]:
    """Return the tables of a motion in the units of the file, K and L as in CSV, forces in N and N m.

    There is a sheet of forces only if there are masses or loads. Where they cannot be computed, it says why.
    """
    found = [_about(motion), structure_sheet(motion), _sheet("motion", motion, all_columns(motion))]
    found.append(_sheet("K and L", motion, [time_column(motion), *all_coefficients(motion)]))
    try:
        forces = forces_of(motion)
    except InputError as error:
        why = tuple(str(problem) for problem in error.problems)
        return [*found, Sheet("forces", ("forces cannot be computed, because",), (why,))]
    if forces is not None:
        columns = [*effort_columns(forces), *reaction_columns(forces), *frame_columns(forces)]
        found.append(_sheet("forces", motion, [time_column(motion), *columns]))
    return found


def structure_sheet(motion: Motion) -> Sheet:
    """Return the structural groups in solve order."""
    heads = ("group", *GROUP_HEADS)
    return Sheet("structure", heads, tuple(zip(*group_rows(motion.structure), strict=True)) or ((),) * len(heads))


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
    values = [tuple(plain_values(column.values)) for column in columns]
    status = (tuple(status_words(motion)), tuple(failed_groups(motion)))
    return Sheet(title, (*heads, "status", "group"), (*values, *status))
