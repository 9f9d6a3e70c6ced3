"""Turns of links that no driver tells. The text of this module becomes part of the compiled one.

They are counted from pose to pose, as in `structkin.dynamics.reduced.counted`.
"""

from __future__ import annotations

from math import atan2, pi
from typing import Any

from structkin.dynamics.compiled.layout import (
    COUNTED_CONST,
    COUNTED_FACTOR,
    COUNTED_PTR,
    COUNTED_ROW,
    DRAWN,
    NEW_TURNED,
    TURN_FACTOR,
    TURN_PTR,
    TURN_TERM,
    TURNED,
    X,
    Z,
    ints,
    numbers,
)
from structkin.dynamics.reduced.counted import LONGEST


def count_turns(I: Any, D: Any, x: Any) -> bool:
    """Write the turns next to the last ones at places of the slots (n,); False where one is too far from them."""
    ptr, row = ints(I, COUNTED_PTR), ints(I, COUNTED_ROW)
    const, factor = numbers(I, D, COUNTED_CONST).reshape(-1, 2), numbers(I, D, COUNTED_FACTOR).reshape(-1, 2)
    drawn, turned, new = numbers(I, D, DRAWN), numbers(I, D, TURNED), numbers(I, D, NEW_TURNED)
    for k in range(drawn.shape[0]):
        c, s = const[k, 0], const[k, 1]
        for j in range(ptr[k], ptr[k + 1]):
            r, re, im = row[j], factor[j, 0], factor[j, 1]
            c += re * x[r] - im * x[r + 1]
            s += im * x[r] + re * x[r + 1]
        turn = atan2(s, c) - drawn[k]
        new[k] = turn + 2 * pi * round((turned[k] - turn) / (2 * pi))
        if not abs(new[k] - turned[k]) < LONGEST:
            return False
    return True


def turn_between(I: Any, D: Any, k: int) -> float:
    """Return how far the links of torsion spring k have turned against each other since the sketch."""
    ptr, terms, factor = ints(I, TURN_PTR), ints(I, TURN_TERM).reshape(-1, 2), numbers(I, D, TURN_FACTOR)
    total = 0.0
    for j in range(ptr[k], ptr[k + 1]):
        of, index = terms[j, 0], terms[j, 1]
        if of == 0:
            total += factor[j] * numbers(I, D, Z)[index]
        elif of == 1:
            total += factor[j] * numbers(I, D, X)[index]
        else:
            total += factor[j] * numbers(I, D, NEW_TURNED)[index]
    return total
