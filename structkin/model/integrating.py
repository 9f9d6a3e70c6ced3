"""What integrators in the plane and in space share: where laws make them start anew, and a step of SciPy's.

The steps of an integrator grow while nothing happens: it would pass over a law that changes suddenly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from structkin.model.laws import ScaledLaw, TableLaw
from structkin.model.parts import Law
from structkin.types import Floats, Indices

#: Halvings of the time: what is shorter than its 32,768th part may be missed, except in a table.
LEVELS = 15
#: Largest difference of a law from a straight line within an interval, of its largest value.
BENT = 0.1
#: A law is straight in an interval where it differs by less than this part of that.
STRAIGHT = 0.02
#: Jumps are larger than this part of the largest value or rate; they are located to the last digit in so many halvings.
JUMP, HALVINGS = 1e-5, 60
#: How much longer than an interval a step must be to need a break before it.
LONGER = 8.0


class Jump(NamedTuple):
    """A jump of a law: the last time [s] before it, the first one after it, and how far it is."""

    before: float
    after: float
    by: float


def bounded_step(solver: Any) -> Any:
    """Take a step of one of SciPy's integrators; return its message if it failed.

    Without this bound, the step of its differences grows at each Jacobian by ten where a coordinate changes nothing.
    """
    if getattr(solver, "jac_factor", None) is not None:
        solver.jac_factor = np.minimum(solver.jac_factor, 1.0)
    return solver.step()


def law_breaks(laws: Iterable[Law], begin: float, end: float) -> list[tuple[float, float]]:
    """Return the times [s] at which an integrator has to start anew, each with the length [s] of its first step.

    They are the ends of tables, and the beginnings of jumps and pulses, in a table also of the shortest ones: where a
    law changes after a stretch in which it was straight, and an error never stops a step from growing. Where it is not,
    a step is taken to grow as fast as the time since the last start, or the last short interval in which the law has
    changed.

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> blow = ExpressionLaw(Expression("sign(t - 1.2) - sign(t - 1.202)"))
    >>> [round(t, 4) for t, _ in law_breaks([blow], 0, 5)]
    [0.9375, 1.1719, 1.1963, 1.2, 1.2018]
    """
    found: dict[float, float] = {}
    times = np.linspace(begin, end, 2**LEVELS + 1)
    for law in laws:
        for time in law.span or ():
            found[time] = min(found.get(time, np.inf), end - begin)
        if law.speed is not None:
            continue
        for time, width in _short_rows(law, times[1] - times[0]):
            found[time] = min(found.get(time, np.inf), width)
        values = np.nan_to_num(np.asarray(law(times)[0]))
        allowed = BENT * float(np.max(np.abs(values)))
        edges = _edges(values, allowed)
        changes = np.maximum.reduceat(values, edges[:-1]) - np.minimum.reduceat(values, edges[:-1])
        off = np.abs(values - np.interp(times, times[edges], values[edges]))
        bent = np.maximum.reduceat(off, edges[:-1]) > STRAIGHT * allowed
        # A jump lies between two samples, of which any line leads through both.
        bent |= (np.diff(edges) == 1) & (changes > allowed / 2)
        begins = bent & ~np.append(True, bent[:-1])
        # Some methods begin with far shorter steps: none leads beyond the interval in which a pulse begins.
        begins |= np.append(False, begins[:-1])
        grown = np.inf
        for low, width, change, pulse in zip(
            times[edges], np.diff(times[edges]).tolist(), changes.tolist(), begins.tolist(), strict=False
        ):
            if pulse or width * LONGER < grown:
                found[float(low)] = min(found.get(float(low), np.inf), width)
                grown = width
            # The error of a step follows a load that changes, not one that is about to.
            grown = (min(grown, width) if change > allowed / 2 else grown) + width
    return sorted((time, width) for time, width in found.items() if begin < time < end)


def row_breaks(laws: Iterable[Law], begin: float, end: float, rtol: float, order: int = 0) -> list[tuple[float, float]]:
    """Return the rows of tables [s] that no step may pass over, each with the time [s] to the next row.

    The cubics that meet at a row differ in their higher derivatives. The error estimate of a step supposes one smooth
    function and fails there. A row counts if the next cubic differs from the last one, continued, by more than `rtol`
    of the largest value, times the whole time over that to the next row: in a dense smooth table the cubics hardly
    differ. The equations of motion hold the derivative of this `order`: 0 of a load, 2 of a driver.

    >>> from structkin.model.laws import TableLaw
    >>> row_breaks([TableLaw((0.0, 1.0, 2.0, 3.0, 4.0), (0.0, 0.0, 1.0, 0.0, 0.0))], 0, 4, 1e-9)
    [(2.0, 1.0)]
    """
    found: dict[float, float] = {}
    for law in laws:
        table = _table_of(law)
        if table is None:
            continue
        pieces = table.pieces.derivative(order)
        before, after = pieces.c[:, :-1], pieces.c[:, 1:]
        last, widths = np.diff(table.times)[:-1], np.diff(table.times)[1:]
        apart = np.zeros(len(widths))
        for x in (widths / 2, widths):
            apart = np.maximum(apart, np.abs(np.polyval(after, x) - np.polyval(before, last + x)))
        allowed = rtol * np.max(np.abs(pieces(table.times)))
        for k in np.flatnonzero(apart * widths > allowed * (end - begin)).tolist():
            time, width = table.times[k + 1], float(widths[k])
            found[time] = min(found.get(time, np.inf), width)
    return sorted((time, width) for time, width in found.items() if begin < time < end)


def jumps(law: Law, begin: float, end: float) -> tuple[list[Jump], list[Jump]]:
    """Return where the value of a law jumps, and where its rate does.

    Jumps of less than `JUMP` of the largest value or rate are not looked for.

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> values, rates = jumps(ExpressionLaw(Expression("min(2*t, 1)")), 0, 3)
    >>> values, [(round(jump.before, 12), round(jump.by, 12)) for jump in rates]
    ([], [(0.5, -2.0)])
    """
    if law.speed is not None:
        return [], []
    times = np.linspace(begin, end, 2**LEVELS + 1)
    with np.errstate(all="ignore"):
        found = np.stack(law(times)[:3])
        return _located(law, times, found, 0), _located(law, times, found, 1)


def _located(law: Law, times: Floats, found: Floats, order: int) -> list[Jump]:
    """Return the jumps of an order, of a law with these values and rates (3, n) at times (n,) [s]."""

    def apart(low: Floats, high: Floats, first: Floats, last: Floats) -> Floats:
        """Return how much of a change is not explained by the rates at both ends."""
        change = last[order] - first[order]
        return np.asarray(np.abs(change - 0.5 * (high - low) * (first[order + 1] + last[order + 1])))

    least = JUMP * float(np.nanmax(np.abs(found[order]), initial=0.0))
    some = np.flatnonzero(apart(times[:-1], times[1:], found[:, :-1], found[:, 1:]) > least)
    if not len(some):
        return []
    low, high, first, last = times[some], times[some + 1], found[:, some], found[:, some + 1]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not ((low < middle) & (middle < high)).any():
            break
        between = np.stack(law(middle)[:3])
        before = apart(low, middle, first, between) >= apart(middle, high, between, last)
        low, high = np.where(before, low, middle), np.where(before, middle, high)
        first, last = np.where(before, first, between), np.where(before, between, last)
    # At a corner a law may have a value or rate of its own: those on both sides count, and it is found only once.
    low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    by = law(high)[order] - law(low)[order]
    real = (np.abs(by) > least) & (low > np.append(-np.inf, high[:-1])) & (low < times[-1])
    return [Jump(*one) for one in zip(low[real].tolist(), high[real].tolist(), by[real].tolist(), strict=True)]


def _table_of(law: Law) -> TableLaw | None:
    while isinstance(law, ScaledLaw):
        law = law.law
    return law if isinstance(law, TableLaw) else None


def _short_rows(law: Law, shorter: float) -> list[tuple[float, float]]:
    """Return where rows of a table begin to change within shorter times [s] than these, and the time between them."""
    table = _table_of(law)
    if table is None:
        return []
    widths, values = np.diff(table.times), np.array(table.values)
    short = (widths < shorter) & (np.abs(np.diff(values)) > BENT * np.max(np.abs(values)))
    first = np.flatnonzero(short & ~np.append(False, short[:-1]))
    return [(table.times[k], float(widths[k])) for k in first.tolist()]


def _edges(values: Floats, allowed: float) -> Indices:
    """Return the ends of the intervals of samples, found by halving, in which values are nearly on a straight line."""
    keep, starts = np.zeros(len(values), np.bool_), np.zeros(1, np.intp)
    keep[[0, -1]] = True
    for level in range(LEVELS, 0, -1):
        size = 2**level
        part = values[starts[:, None] + np.arange(size + 1)]
        line = part[:, :1] + (part[:, -1:] - part[:, :1]) * np.linspace(0, 1, size + 1)
        starts = starts[np.max(np.abs(part - line), axis=1) > allowed]
        keep[starts + size // 2] = True
        starts = np.sort(np.concatenate((starts, starts + size // 2)))
    return np.flatnonzero(keep)
