"""Turning points of the drivers' laws between samples: where a law reverses.

Reversed at a flat pose, a motion retraces its path; run through, it goes on in the other assembly mode. So a law must
not reverse unseen between two stations.
"""

from __future__ import annotations

import numpy as np

from structkin.model.laws import ConstantSpeed
from structkin.model.parts import Law
from structkin.numerical_tolerances import WHOLE
from structkin.types import Floats

#: In how many parts all intervals together are searched, if there are not more of them.
PARTS = 3000
#: Steps of Newton's method in a bracket, or halvings, to the last digit: a law may turn with a corner.
HALVINGS = 60


def turning_points(law: Law, t: Floats, rates: Floats) -> Floats:
    """Return the stations at which a law reverses between stations: 1.5 is halfway from the second to the third.

    The stations are at times t (n,) [s], where the law has these rates (n,).

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> law, t = ExpressionLaw(Expression("sin(t)")), np.array([0.0, 1.0, 2.0, 4.0])
    >>> turning_points(law, t, law(t)[1]).round(4).tolist()
    [1.5708]
    """
    if isinstance(law, ConstantSpeed) or len(t) < 2:
        return np.zeros(0)
    parts = max(1, PARTS // len(t))
    stations = np.arange((len(t) - 1) * parts + 1) / parts

    def signed(at: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the sign of the rate, and the rate and its derivative by the station."""
        first = np.minimum(at.astype(np.intp), len(t) - 2)
        step = t[first + 1] - t[first]
        with np.errstate(all="ignore"):
            _, rate, second = law(t[first] + (at - first) * step)
        return np.nan_to_num(np.sign(rate)), rate, second * step

    found = signed(stations)[0] if parts > 1 else np.nan_to_num(np.sign(rates))
    moving = np.flatnonzero(found)
    turn = np.flatnonzero(found[moving[:-1]] * found[moving[1:]] < 0)
    if not len(turn):
        return np.zeros(0)
    low, high, sign = stations[moving[turn]], stations[moving[turn + 1]], found[moving[turn]]
    place = 0.5 * (low + high)
    for _ in range(HALVINGS):
        now, rate, slope = signed(place)
        before = now * sign > 0
        low, high = np.where(before, place, low), np.where(before, high, place)
        with np.errstate(all="ignore"):
            ahead = place - rate / slope
        # A turning point at an end of its bracket is met from either side.
        inside = np.abs(ahead - 0.5 * (low + high)) <= 0.6 * (high - low)
        done = (inside & (np.abs(ahead - place) < WHOLE)) | (high - low <= 4 * np.finfo(float).eps * len(t))
        place = np.where(inside, ahead, 0.5 * (low + high))
        if done.all():
            break
    return np.unique(place[np.abs(place - np.round(place)) > WHOLE])
