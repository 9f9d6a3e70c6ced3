"""Turning points of the drivers' laws between samples: where a law reverses.

Reversed at a flat pose, a motion retraces its path; run through, it goes on in the other assembly mode. So a law must
not reverse unseen between two stations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.model.laws import ConstantSpeed
from structkin.model.parts import Law

Floats = NDArray[np.float64]

#: In how many parts an interval between two stations is searched, and the largest number of all parts together.
PARTS, MOST = 16, 200_000
#: Halvings of a part, to the last digit; this near to a station, a law reverses at it.
HALVINGS, AT = 53, 1e-9


def turning_points(law: Law, t: Floats) -> Floats:
    """Return the stations at which a law reverses between stations at times t (n,) [s]: 1.5 is halfway to the third.

    >>> from structkin.model.laws import ExpressionLaw
    >>> turning_points(ExpressionLaw("sin(t)"), np.array([0.0, 1.0, 2.0, 4.0])).round(4).tolist()
    [1.5708]
    """
    if isinstance(law, ConstantSpeed) or len(t) < 2:
        return np.zeros(0)
    parts = max(1, min(PARTS, MOST // len(t)))
    stations = np.arange((len(t) - 1) * parts + 1) / parts

    def rates(at: Floats) -> Floats:
        first = np.minimum(at.astype(np.intp), len(t) - 2)
        with np.errstate(all="ignore"):
            return np.nan_to_num(np.sign(law(t[first] + (at - first) * (t[first + 1] - t[first]))[1]))

    found = rates(stations)
    moving = np.flatnonzero(found)
    turn = np.flatnonzero(found[moving[:-1]] * found[moving[1:]] < 0)
    low, high, sign = stations[moving[turn]], stations[moving[turn + 1]], found[moving[turn]]
    for _ in range(HALVINGS if len(turn) else 0):
        middle = 0.5 * (low + high)
        before = rates(middle) * sign > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.unique(high[np.abs(high - np.round(high)) > AT])
