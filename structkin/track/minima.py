"""Least values of functions that have one minimum each in an interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.types import Floats


def narrowed(
    function: Callable[[Floats], Floats], low: Floats, high: Floats, *, points: int, rounds: int
) -> tuple[Floats, Floats, Floats]:
    """Return where n functions are nearest to zero between `low` and `high` (n,), how near, and their least values.

    `function` gives the values (points, n) at as many places, NaN where there is none. After each round an interval is
    narrowed to the neighbours of its best place.

    >>> place, size, least = narrowed(lambda x: (x - 0.3) ** 2, np.zeros(1), np.ones(1), points=11, rounds=3)
    >>> place.round(9).tolist(), size.round(9).tolist()
    ([0.3], [0.0])
    """
    place, size, least = 0.5 * (low + high), np.full(len(low), np.inf), np.full(len(low), np.inf)
    for _ in range(rounds):
        places = low + np.linspace(0.0, 1.0, points)[:, None] * (high - low)
        values = function(places)
        least = np.fmin(least, np.fmin.reduce(values, axis=0))
        sizes = np.where(np.isnan(values), np.inf, np.abs(values))
        best, column = np.argmin(sizes, axis=0), np.arange(len(low))
        place, size = places[best, column], sizes[best, column]
        low, high = places[np.maximum(best - 1, 0), column], places[np.minimum(best + 1, points - 1), column]
    return place, size, least
