"""Motions back and forth at a constant speed, as formulas of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

#: A common cycle is run if it is no longer than this many of the longest cycle; a formula folds it exactly.
LONGEST = 400


def zigzag(rate: float, offset: float, duration: float) -> str:
    """Return a formula that goes from 0 to 1 and back at `rate` [1/s], less the `offset` where it starts.

    It holds from 0 to `duration` [s]. Each fold of time halves a zigzag: abs turns it round in the middle.

    >>> zigzag(0.5, 0.0, 4.0)
    '1-abs(1-(0.5*t))'
    >>> zigzag(0.5, 0.25, 7.5)
    '1-abs(1-(2-abs(2-(0.5*t+0.25))))-0.25'
    """
    halves = rate * duration + offset
    folds = max(0, math.ceil(math.log2(max(halves, 2.0)) - 1 - 1e-9))
    start = f"+{offset!r}" if offset else ""
    text = f"{rate!r}*t{start}"
    for k in range(folds, -1, -1):
        text = f"{2**k}-abs({2**k}-({text}))"
    return f"{text}-{offset!r}" if offset else text


def common_period(rates: Sequence[Fraction]) -> tuple[float, bool]:
    """Return the time [s] after which all that goes round at these rates [1/s] is back, and whether it is that.

    If it is too long, it is the time of the slowest alone; 1 s if nothing goes round.

    >>> common_period([Fraction(1, 4), Fraction(3, 20)]), common_period([])
    ((20.0, True), (1.0, True))
    """
    periods = [1 / abs(rate) for rate in rates if rate]
    if not periods:
        return 1.0, True
    common = Fraction(
        math.lcm(*(period.numerator for period in periods)), math.gcd(*(period.denominator for period in periods))
    )
    longest = max(periods)
    return (float(common), True) if common <= LONGEST * longest else (float(longest), False)
