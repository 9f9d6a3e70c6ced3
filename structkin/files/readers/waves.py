"""Back-and-forth motion at constant speed, as formulas of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from structkin.numerical_tolerances import WHOLE

#: A common cycle is used if it is at most this many times as long as the longest single cycle.
LONGEST = 400


def zigzag(rate: float, offset: float, duration: float) -> str:
    """Return a formula that goes from 0 to 1 and back at `rate` [1/s], minus its start value `offset`.

    It is valid from 0 to `duration` [s]. Each abs reverses time in the middle, and so makes two cycles of one.

    >>> zigzag(0.5, 0.0, 4.0)
    '1-abs(1-(0.5*t))'
    >>> zigzag(0.5, 0.25, 7.5)
    '1-abs(1-(2-abs(2-(0.5*t+0.25))))-0.25'
    """
    halves = rate * duration + offset
    folds = max(0, math.ceil(math.log2(max(halves, 2.0)) - 1 - WHOLE))
    start = f"+{offset!r}" if offset else ""
    text = f"{rate!r}*t{start}"
    for k in range(folds, -1, -1):
        text = f"{2**k}-abs({2**k}-({text}))"
    return f"{text}-{offset!r}" if offset else text


def common_period(rates: Sequence[Fraction]) -> tuple[float, bool]:
    """Return the common period [s] of cycles at these rates [1/s], and whether it is exact.

    If it is too long, the period of the slowest cycle is returned; 1 s if nothing moves in cycles.

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
