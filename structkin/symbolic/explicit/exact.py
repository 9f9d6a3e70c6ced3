"""Numbers as SymPy writes them: 1/2 and sqrt(2)/2 where a float is one of these, a float otherwise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

NEAR = 4e-16
LARGEST_DENOMINATOR = 50


def exact(value: float) -> sp.Expr:
    """Return a number as a simple fraction or its square root if it is one to rounding, else as a float.

    >>> exact(0.5), exact(-(2**0.5) / 2), exact(9.81)
    (1/2, -sqrt(2)/2, 9.81)
    """
    value = float(value)
    fraction = _simple(value)
    if fraction is not None:
        return fraction
    square = _simple(value * value)
    return sp.Float(value) if square is None else sp.sqrt(square) * (1 if value > 0 else -1)


def exact_vector(values: Any) -> sp.Matrix:
    """Return a vector (3,) as a column of such numbers; parts far below the largest are rounding and count as 0."""
    size = max(abs(float(v)) for v in values)
    return sp.Matrix([exact(v) if abs(v) > 1e-13 * size else 0 for v in map(float, values)])


def _simple(value: float) -> sp.Expr | None:
    fraction = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(fraction) - value) <= NEAR * abs(value):
        return sp.Rational(fraction.numerator, fraction.denominator)
    return None
