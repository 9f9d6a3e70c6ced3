"""Where an input turns back between two stations, as that of a slider at its dead point.

At both stations it is where it was, and what lies between would not be seen: a group that is followed from lane to lane
gets another lane at each such place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.numerical_tolerances import FLAT_WITHIN, NUDGE, SMOOTH_SERIES
from structkin.types import Floats, Indices

#: In an interval values are a polynomial through this many places.
PLACES = 14
#: Where they are none the interval is divided into so many parts, so often: the last ones are too short to matter.
PARTS, ROUNDS = 16, 9
#: At the ends of a path, beyond which nothing is known, curvatures count so many times.
MARGIN = 2.0

NODES = np.cos(np.pi * (np.arange(PLACES) + 0.5) / PLACES)
_TO_SERIES = np.linalg.inv(np.polynomial.chebyshev.chebvander(NODES, PLACES - 1))


def may_turn(values: Floats, length: Floats) -> Indices:
    """Return the intervals, in order, between places with values (w, n) in which these may turn back.

    The path between the places has a `length` (n - 1,). The values move one way before the interval and back after it:
    so they do beside one in which they turn back near an end.

    >>> x = np.arange(6.0)
    >>> may_turn((x[None] - 2.5) ** 2, np.diff(x)).tolist(), may_turn((x[None] - 0.3) ** 2, np.diff(x)).tolist()
    ([2], [0])
    """
    step = np.diff(values)
    if step.shape[1] < 2:
        return np.arange(step.shape[1])
    with np.errstate(all="ignore"):
        first, last = (
            step[:, here] / length[here]
            - MARGIN * length[here] / (length[here] + length[next_])
            * (step[:, next_] / length[next_] - step[:, here] / length[here])
            for here, next_ in ((0, 1), (-1, -2))
        )  # fmt: skip
        before = np.concatenate(((first * length[0])[:, None], step[:, :-1]), axis=1)
        after = np.concatenate((step[:, 1:], (last * length[-1])[:, None]), axis=1)
        moved = FLAT_WITHIN**2 * np.nanmax(np.abs(values), initial=0.0) ** 2
        far = np.minimum(np.sum(before * before, axis=0), np.sum(after * after, axis=0)) > moved
        return np.flatnonzero(far & (np.sum(before * after, axis=0) < 0.0))


def turning_place(at_nodes: Floats, values: Callable[[Floats], Floats]) -> float | None:
    """Return the place between -1 and 1 at which values turn back, None where they do not.

    They are `at_nodes` (w, PLACES) known, and elsewhere (w, n) returned by a function.

    >>> round(turning_place((NODES[None] - 0.25) ** 2, lambda x: (x[None] - 0.25) ** 2), 9)
    0.25
    """
    if not np.isfinite(at_nodes).all():
        # An earlier group has a gap.
        return None
    terms = _TO_SERIES @ at_nodes.T
    if np.max(np.abs(terms[-2:])) < SMOOTH_SERIES * np.max(np.abs(terms)):
        slopes = np.polynomial.chebyshev.chebder(terms)
        begin, end = np.polynomial.chebyshev.chebval(np.array([-1.0, 1.0]), slopes).T
        if begin @ end >= 0.0:
            return None
        along = begin - end
        roots = np.polynomial.chebyshev.chebroots(slopes @ along)
        places = roots.real[(np.abs(roots.imag) < NUDGE) & (np.abs(roots.real) < 1.0 - NUDGE)]
        far = along @ np.polynomial.chebyshev.chebval(places, terms)
    else:
        off = at_nodes - 0.5 * (at_nodes[:, :1] + at_nodes[:, -1:])
        along = off[:, np.argmax(np.sum(off * off, axis=0))]
        low, high = -1.0, 1.0
        for _ in range(ROUNDS):
            places = np.linspace(low, high, PARTS + 1)
            far = np.nan_to_num(along @ values(places), nan=-np.inf)
            k = int(np.argmax(far))
            low, high = places[max(k - 1, 0)], places[min(k + 1, PARTS)]
        inside = np.abs(places) < 1.0 - NUDGE
        places, far = places[inside], far[inside]
    return float(places[np.argmax(far)]) if len(places) else None
