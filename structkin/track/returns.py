"""Where a motion may be resumed: the drivers return to a neighbourhood already solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from structkin.track.tolerances import COME_BACK

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Lanes processed together.
BLOCK = 1024


def returns(
    places: Callable[[Indices], Floats], solved: Indices, later: Indices, within: float = COME_BACK
) -> Iterator[tuple[Indices, Indices]]:
    """Yield which of the later lanes lie near a solved one, some at a time, and the nearest solved ones.

    `places` are points of one space (lanes, ...), in which lanes nearer than `within` are near; none is near where a
    place is unknown, because a driver has no value.

    >>> angle = np.array([0.0, 0.5, 1.0, 0.95, 0.45, 0.2])
    >>> [(a.tolist(), b.tolist()) for a, b in returns(lambda k: angle[k, None], np.arange(2), np.arange(2, 6))]
    [([4], [1])]
    """
    from scipy.spatial import cKDTree

    solved, known = _located(places, solved)
    if not known.size:  # no lane is solved, or there are no drivers that could return
        return
    tree = cKDTree(known)
    for start in range(0, len(later), BLOCK):
        some, there = _located(places, later[start : start + BLOCK])
        distance, nearest = (np.asarray(x) for x in tree.query(there, distance_upper_bound=within))
        near = distance < within
        if near.any():
            yield some[near], solved[nearest[near]]


def _located(places: Callable[[Indices], Floats], lanes: Indices) -> tuple[Indices, Floats]:
    """Return the lanes with a known place, and their places."""
    found = places(lanes)
    known = np.isfinite(found).all(axis=1)
    return lanes[known], found[known]
