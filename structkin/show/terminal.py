"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.model.units import Units
from structkin.numerical_tolerances import NEGLIGIBLE, VISIBLE
from structkin.show.interest import moving_points
from structkin.show.quantities import OF_LINK, OF_POINT, Measures, largest, measures_of, usual
from structkin.solve import Motion
from structkin.structure import KinematicStructure
from structkin.types import Floats

if TYPE_CHECKING:
    from rich.table import Table


#: Lines of the report below a table.
MOST_LINES = 7


def text_table(
    title: str, caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], figures: Collection[str] = ()
) -> Table:
    """Return a table for the terminal; the columns `figures` among the `heads` are right-aligned.

    Names are text, not markup: a link may be called "[red]".
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), caption=Text(caption), title_justify="left", caption_justify="left")
    for head in heads:
        table.add_column(Text(head), overflow="fold", justify="right" if head in figures else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


#: What is said of a structural group.
GROUP_HEADS = ("kind", "links", "joints", "drivers", "class", "order", "level", "depends on")


def group_rows(structure: KinematicStructure) -> list[tuple[Any, ...]]:
    """Return the number of each structural group, in solve order, and what `GROUP_HEADS` says; None is unknown."""
    return [
        (
            group.index + 1, group.kind, ", ".join(group.links) or "(a pin)", ", ".join(group.joints),
            ", ".join(group.drivers), group.class_, group.order, group.level,
            ", ".join(str(index + 1) for index in group.depends_on),
        )
        for group in structure.groups
    ]  # fmt: skip


def groups_table(structure: KinematicStructure) -> Table:
    """Return a table of the structural groups in solve order."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in group_rows(structure)]
    verdict = "\n".join([structure.mobility_in_words, *map(str, structure.diagnostics)])
    heads = ("#", *GROUP_HEADS)
    return text_table("Structural groups in solve order", verdict, heads, rows, figures=("#", "order", "level"))


def summary_table(motion: Motion, units: Units | None = None) -> Table:
    """Return a table of the range of every moving point and link, with the status of the samples below it."""
    m, measures = motion.mechanism, measures_of(motion.mechanism, units)
    rows = []
    for point in moving_points(m):
        path = motion.position(point) / measures.size("length")
        x, y = (_range(values, motion.size / measures.size("length")) for values in path.T)
        where = f"x {x}, y {y} {measures.pretty('length')}"
        rates = [np.hypot(*values.T) for values in (motion.velocity(point), motion.acceleration(point))]
        rows.append((f"point {point}", where, *_peaks(motion, rates, OF_POINT[1:], measures)))
    for link in m.topology.moving_links:
        size = measures.size("angle")
        where = f"{_range(motion.angle(link) / size, 1.0 / size)} {measures.pretty('angle')}"
        rates = [motion.omega(link), motion.alpha(link)]
        rows.append((f"link {link}", where, *_peaks(motion, rates, OF_LINK[1:], measures)))
    figures = ("position", "largest velocity", "largest acceleration")
    return text_table(m.title or "Motion", _course(motion, measures), ("", *figures), rows, figures)


def _peaks(motion: Motion, rates: list[Floats], quantities: tuple[str, ...], measures: Measures) -> list[str]:
    peaks = []
    for values, quantity in zip(rates, quantities, strict=True):
        good = values[np.isfinite(values)]
        peak = good[np.argmax(np.abs(good))] if len(good) else np.nan
        peak = 0.0 if abs(peak) <= NEGLIGIBLE * usual(motion, quantity) else peak
        peaks.append(f"{short(peak / measures.size(quantity), 0.0)} {measures.pretty(quantity)}" if len(good) else "-")
    return peaks


def _range(values: Floats, magnitude: float) -> str:
    good = values[np.isfinite(values)]
    if not len(good):
        return "-"
    # of a range that is a small part of its values, as far from the origin, three digits at least are seen
    span = np.ptp(good)
    more = int(np.log10(largest(good) / span)) - 2 if span > VISIBLE * magnitude else 0
    low, high = (short(end, magnitude, 5 + max(more, 0)) for end in (good.min(), good.max()))
    return low if low == high else f"{low} to {high}"


def short(value: float, magnitude: float, digits: int = 5) -> str:
    """Return a number with so many digits; below a billionth of the usual magnitude it is taken for a rounding error.

    >>> short(1.23456789e-12, 1e-11), short(1.23456789e-12, 1.0)
    ('1.2346e-12', '0')
    """
    return f"{value if abs(value) > NEGLIGIBLE * magnitude else 0.0:.{digits}g}"


def outcome_lines(motion: Motion) -> list[str]:
    """Return the lines of a motion's report for below a table; of a long one the first, and where the rest is said."""
    lines = motion.report.splitlines()
    if len(lines) > MOST_LINES + 1:  # one more is shown in place of the words about it
        rest = f"... and {len(lines) - MOST_LINES} more lines about samples that are not ok"
        lines = [*lines[:MOST_LINES], f"{rest}; CSV and JSON have the status of each sample"]
    return lines


def _course(motion: Motion, measures: Measures) -> str:
    lines = outcome_lines(motion)
    if np.isfinite(motion.t).any():
        lines.append(f"t {_range(motion.t, largest(motion.t))} s")
    for id, values in motion.drivers.items():
        drive = motion.mechanism.drivers[id]
        size = measures.size(drive.quantity)
        lines.append(f"driver {id} {_range(values[0] / size, drive.unit(motion.size) / size)} "
                     f"{measures.pretty(drive.quantity)}")  # fmt: skip
    gaps = motion.residual()
    if np.isfinite(gaps).any():
        lines.append(f"largest joint closure error: {np.nanmax(gaps):.1e} of the mechanism's size")
    return "\n".join(lines)
