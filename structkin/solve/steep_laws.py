"""The steps of a law that is steep in a part of an interval only, and where a law jumps.

The rates at the ends of an interval bound how far a law moves in it only where it is smooth: in 20 tanh(1e6 (t - 1)) a
station at t = 1 has a rate of 2e7, and the law moves by 40. Such intervals are divided until the pieces are short by
the rates at their own ends.
"""

from __future__ import annotations

import numpy as np

from structkin.model.parts import Law
from structkin.types import Floats, Indices

#: An interval is steep if its rates give this many steps, and this many times those that its values give.
STEEP, TIMES = 64, 4
#: Pieces into which a steep piece is divided; in so many rounds a jump is located to the last digit.
PIECES, ROUNDS = 4, 26
#: More pieces than this are those of a law that oscillates throughout: its rates count.
MOST = 200_000


def steep_pieces(law: Law, t: Floats, first: Indices, step: float) -> Floats | None:
    """Return the stations that divide the intervals from the stations `first` into steps of a law; None if too many.

    The stations are at times t (n,) [s]: 1.5 is halfway from the second to the third. Where the law jumps, two
    neighbours stay further apart than a step.

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> law, t = ExpressionLaw(Expression("tanh(1e6*(t - 1))")), np.array([0.0, 0.4, 1.0, 2.0])
    >>> pieces = steep_pieces(law, t, np.array([1, 2]), 0.1)
    >>> z = law(np.interp(pieces, np.arange(4), t))[0]
    >>> len(pieces) < 200, bool(np.abs(np.diff(z)).max() < 0.1)
    (True, True)
    """
    low, high, found = first.astype(np.float64), first + 1.0, [first.astype(np.float64)]
    parts = np.arange(PIECES + 1) / PIECES
    for _ in range(ROUNDS):
        at = low[:, None] + (high - low)[:, None] * parts
        k = np.minimum(low.astype(np.intp), len(t) - 2)
        times = t[k][:, None] + (at - k[:, None]) * (t[k + 1] - t[k])[:, None]
        with np.errstate(all="ignore"):
            z, rate, _ = law(times.ravel())
            z, rate = np.reshape(z, at.shape), np.abs(np.reshape(rate, at.shape))
            by_rate = np.fmax(rate[:, 1:], rate[:, :-1]) * np.abs(np.diff(times))
            steep = np.fmax(np.abs(np.diff(z)), by_rate) > step
        steep &= np.diff(at) > 4 * np.finfo(float).eps * len(t)
        found.append(at[:, 1:-1].ravel())
        low, high = at[:, :-1][steep], at[:, 1:][steep]
        if not len(low):
            break
        if sum(map(len, found)) + PIECES * len(low) > MOST:
            return None
    return np.unique(np.concatenate(found))
