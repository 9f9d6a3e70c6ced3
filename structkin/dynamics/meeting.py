"""When bodies meet within a step of an integrator: the first zero of their depths, from a polynomial of the step.

A body may pass another one between two looks at them. So a look also takes the rate of each depth, and an interval is
passed only where the cubic through the depths and rates at its ends says that nothing meets, and a look inside confirms
the cubic; otherwise it is split there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from structkin.numerical_tolerances import NEGLIGIBLE, ROOT
from structkin.types import Flags, Floats

#: A time, and the depths and rates (2, c) of all contacts that have not begun.
Look = tuple[float, Floats]

#: Looks at a step, and at a whole run; the place of the look inside an interval, unlike any part of a period.
LOOKS, IN_ALL, INSIDE = 2, 360, 0.4615
#: How often an interval is split, and how many times the cubic's error at the look inside may lie elsewhere.
LEVELS, MARGIN = 12, 4.0


def meeting(touches: Callable[[float], Floats], begin: float, end: float, part: float, size: float) -> float | None:
    """Return the time in a step from `begin` to `end` just after bodies have met; None where none do.

    `touches(t)` gives the depths (2, c) [m] of the contacts and their rates [m/s]; the depth of a contact that has
    begun is -inf. The step is a `part` of the run. A depth less than 1e-9 of the `size` [m] may be missed.
    """
    times = np.linspace(begin, end, 1 + max(LOOKS, math.ceil(IN_ALL * part))).tolist()
    low = begin, touches(begin)
    for time in times[1:]:
        high = time, touches(time)
        if (found := _first(touches, low, high, NEGLIGIBLE * size, LEVELS)) is not None:
            return found
        low = high
    return None


def _first(touches: Callable[[float], Floats], low: Look, high: Look, tiny: float, levels: int) -> float | None:
    """Return when bodies first meet in an interval, splitting it where that is not clear."""
    (a, before), (b, after) = low, high
    if not np.isfinite(before[0]).any():
        return None
    inside = a + INSIDE * (b - a), touches(a + INSIDE * (b - a))
    if levels and not _is_decided(low, inside, high, tiny).all():
        first = _first(touches, low, inside, tiny, levels - 1)
        return first if first is not None else _first(touches, inside, high, tiny, levels - 1)
    meet = np.flatnonzero((before[0] <= 0) & (after[0] > 0))
    return min((_zero(touches, int(k), a, b) for k in meet), default=None)


def _is_decided(low: Look, inside: Look, high: Look, tiny: float) -> Flags:
    """Return for which contacts (c,) it is clear that they do not begin in an interval, or that they begin once.

    A cubic does not exceed its Bezier points, which are its values at the ends and two more.
    """
    (_, before), (_, after), (h, s) = low, high, (high[0] - low[0], INSIDE)
    with np.errstate(invalid="ignore"):
        points = before[0], before[0] + before[1] * h / 3, after[0] - after[1] * h / 3, after[0]
        weights = (1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s**3
        error = np.abs(sum(weight * point for weight, point in zip(weights, points, strict=True)) - inside[1][0])
        highest = np.max([*points[1:3], inside[1][0]], axis=0) + MARGIN * error
        clear = (highest <= tiny) & (after[0] <= 0)
        meets = (before[0] <= 0) & (after[0] > 0) & (MARGIN * error <= after[0] - before[0])
        return np.asarray(clear | meets | ~(np.isfinite(before[0]) & (before[0] <= 0)))


def _zero(touches: Callable[[float], Floats], k: int, a: float, b: float) -> float:
    """Return the time just after the zero of a depth."""
    from scipy.optimize import brentq

    at = float(brentq(lambda t: float(touches(t)[0, k]), a, b, xtol=ROOT, rtol=ROOT))
    return min(at + ROOT * max(1.0, abs(at)), b)
