"""How far a motion may go beyond the extremes that its samples have."""

from __future__ import annotations

import numpy as np

from structkin.numerical_tolerances import VISIBLE
from structkin.types import Floats


def beyond_samples(values: Floats) -> tuple[float, float]:
    """Return by about how much values (n,) go below the least and above the largest of them between the samples.

    It is the vertex (c - a)^2 / (8 |a - 2 b + c|) of the parabola through an extreme b and its neighbours a and c. An
    end of a course is its end, unless the course is closed: its last value is its first. Zero where a value is unknown,
    or where it is small beside the range.

    >>> t = np.linspace(0, 2 * np.pi, 37) + 0.05
    >>> low, high = beyond_samples(np.sin(t))
    >>> round(high, 4), round(1 - float(np.sin(t).max()), 4), beyond_samples(t)
    (0.0012, 0.0012, (0.0, 0.0))
    """
    closed = len(values) > 1 and abs(values[-1] - values[0]) <= VISIBLE * np.ptp(values)
    course = values[:-1] if closed else values
    found = []
    for k in (int(np.argmin(course)), int(np.argmax(course))):
        if not closed and not 0 < k < len(course) - 1:
            found.append(0.0)
            continue
        a, b, c = (course[at % len(course)] for at in (k - 1, k, k + 1))
        bend = abs(a - 2 * b + c)
        past = float((c - a) ** 2 / (8 * bend)) if bend > 0 else 0.0
        found.append(past if past > VISIBLE * np.ptp(values) else 0.0)
    return found[0], found[1]
