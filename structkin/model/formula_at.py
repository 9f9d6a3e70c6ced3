"""A formula of t at one time: value and first three rates. One text for numbers, compiled code and whole arrays.

A formula is a tape (`structkin.model.tape`): one operation a row, (code, number), on a stack of truncated Taylor
series of order three. Compiled code runs this text as it stands; for arrays of times, real or complex, the functions of
the second half are NumPy's. What is outside a function's domain is infinite or not a number on each road, never an
exception. At a corner, as of abs(t) or min(t, 1), rates are those behind it.
"""

from __future__ import annotations

from math import acos, asin, atan, cos, cosh, exp, floor, inf, log, nan, sin, sinh, sqrt, tan, tanh
from typing import Any

from structkin.numerical_tolerances import POWER_LOGARITHM

Series = tuple[Any, Any, Any, Any]

NUMBER, TIME, SUM, DIFFERENCE, PRODUCT, QUOTIENT, LEAST, LARGEST, OPPOSITE, POWER = range(10)
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS, SIGN = range(10, 24)

#: Beyond these the exponential, and the hyperbolic sine, are infinite.
LARGE, LARGE_HYPERBOLIC = 709.782712893384, 710.4758600739439


def formula_at(tape: Any, first: int, last: int, t: Any, stack: Any) -> Series:
    """Run the rows of a tape from the first to before the last; `stack` (depth, 4) is overwritten."""
    top = -1
    for k in range(first, last):
        code, number = tape[k][0], tape[k][1]
        if code <= TIME:
            top += 1
            stack[top][0], stack[top][1], stack[top][2], stack[top][3] = number, 0.0, 0.0, 0.0
            if code == TIME:
                stack[top][0], stack[top][1] = t, 1.0
            continue
        u = (stack[top][0], stack[top][1], stack[top][2], stack[top][3])
        if code < OPPOSITE:
            top -= 1
            u = combined(code, (stack[top][0], stack[top][1], stack[top][2], stack[top][3]), u)
        elif code == OPPOSITE:
            u = (-u[0], -u[1], -u[2], -u[3])
        elif code == ABS:
            u = combined(LARGEST, u, (-u[0], -u[1], -u[2], -u[3]))
            u = (u[0] + 0.0, u[1], u[2], u[3])  # not -0
        else:
            u = chained(power_of(u[0], number) if code == POWER else function_of(code, u[0]), u)
        stack[top][0], stack[top][1], stack[top][2], stack[top][3] = u
    return stack[0][0], stack[0][1], stack[0][2], stack[0][3]


def combined(code: float, u: Series, w: Series) -> Series:
    """Return the sum, difference, product, quotient, least or largest of two series."""
    if code == SUM:
        return u[0] + w[0], u[1] + w[1], u[2] + w[2], u[3] + w[3]
    if code == DIFFERENCE:
        return u[0] - w[0], u[1] - w[1], u[2] - w[2], u[3] - w[3]
    if code >= LEAST:
        first = is_less(u, w) if code == LEAST else is_less(w, u)
        return (
            chosen(first, u[0], w[0]), chosen(first, u[1], w[1]),
            chosen(first, u[2], w[2]), chosen(first, u[3], w[3]),
        )  # fmt: skip
    if code == QUOTIENT:
        q = quotient(u[0], w[0])
        q1 = quotient(u[1] - q * w[1], w[0])
        q2 = quotient(u[2] - 2 * q1 * w[1] - q * w[2], w[0])
        return q, q1, q2, quotient(u[3] - 3 * (q2 * w[1] + q1 * w[2]) - q * w[3], w[0])
    return (
        u[0] * w[0],
        u[1] * w[0] + u[0] * w[1],
        u[2] * w[0] + 2 * u[1] * w[1] + u[0] * w[2],
        u[3] * w[0] + 3 * (u[2] * w[1] + u[1] * w[2]) + u[0] * w[3],
    )  # by Leibniz's rule


def is_less(u: Series, w: Series) -> Any:
    """Return whether a series is less than another, or the same; of equal values, whether it is so behind."""
    return (u[0] < w[0]) | ((u[0] == w[0]) & ((u[1] < w[1]) | ((u[1] == w[1]) & (u[2] <= w[2]))))


def chained(f: Series, u: Series) -> Series:
    """Return f(u), given f and its three derivatives there, by Faa di Bruno's formula."""
    return (
        f[0],
        f[1] * u[1],
        f[2] * u[1] * u[1] + f[1] * u[2],
        f[3] * u[1] * u[1] * u[1] + 3 * f[2] * u[1] * u[2] + f[1] * u[3],
    )


def power_of(u: Any, c: float) -> Series:
    """Return u^c and its three derivatives; a vanishing coefficient is left out: 0 times 1/0 is not a number."""
    f1 = c * power(u, c - 1) if c != 0 else 0.0
    f2 = c * (c - 1) * power(u, c - 2) if c not in (0.0, 1.0) else 0.0
    f3 = c * (c - 1) * (c - 2) * power(u, c - 3) if c not in (0.0, 1.0, 2.0) else 0.0
    return power(u, c), f1, f2, f3


def function_of(code: float, u: Any) -> Series:
    """Return a function of one argument and its three derivatives."""
    if code == SIN:
        return sine(u), cosine(u), -sine(u), -cosine(u)
    if code == COS:
        return cosine(u), -sine(u), -cosine(u), sine(u)
    if code == TAN:
        f = tangent(u)
        return f, 1 + f * f, 2 * f * (1 + f * f), 2 * (1 + f * f) * (1 + 3 * f * f)
    if code in (ASIN, ACOS):
        r = quotient(1.0, root(1 - u * u))
        f1, f2, f3 = r, u * r * r * r, (1 + 2 * u * u) * r * r * r * r * r
        return (arcsine(u), f1, f2, f3) if code == ASIN else (arccosine(u), -f1, -f2, -f3)
    if code == ATAN:
        w = 1 + u * u
        return atan(u), 1 / w, -2 * u / (w * w), (6 * u * u - 2) / (w * w * w)
    if code == SINH:
        return hyperbolic_sine(u), hyperbolic_cosine(u), hyperbolic_sine(u), hyperbolic_cosine(u)
    if code == COSH:
        return hyperbolic_cosine(u), hyperbolic_sine(u), hyperbolic_cosine(u), hyperbolic_sine(u)
    if code == TANH:
        f = tanh(u)
        return f, 1 - f * f, -2 * f * (1 - f * f), -2 * (1 - f * f) * (1 - 3 * f * f)
    if code == EXP:
        f = exponential(u)
        return f, f, f, f
    if code == LOG:
        r = quotient(1.0, u)
        return logarithm(u), r, -r * r, 2 * r * r * r
    if code == SQRT:
        f = root(u)
        r = quotient(1.0, f)
        return f, 0.5 * r, -0.25 * r * r * r, 0.375 * r * r * r * r * r
    return sign(u), 0.0, 0.0, 0.0


# --- what numbers need: no exception, and no complex result; for arrays these are NumPy's, by the same names ----------


def chosen(first: Any, a: Any, b: Any) -> Any:
    """Return one of two values."""
    return a if first else b


def quotient(a: float, b: float) -> float:
    """Return a / b."""
    return a / b if b != 0.0 else a * inf


def power(u: float, c: float) -> float:
    """Return u^c."""
    if u == 0.0:
        return 0.0 if c > 0.0 else inf if c < 0.0 else 1.0
    if u < 0.0 and c != floor(c):
        return nan
    if c * log(abs(u)) > LARGE - POWER_LOGARITHM:
        return inf if u > 0.0 or c % 2.0 == 0.0 else -inf
    return float(u**c)


def root(u: float) -> float:
    """Return the square root."""
    return sqrt(u) if u >= 0.0 else nan


def sine(u: float) -> float:
    """Return the sine."""
    return sin(u) if abs(u) < inf else nan


def cosine(u: float) -> float:
    """Return the cosine."""
    return cos(u) if abs(u) < inf else nan


def tangent(u: float) -> float:
    """Return the tangent."""
    return tan(u) if abs(u) < inf else nan


def arcsine(u: float) -> float:
    """Return the inverse sine."""
    return asin(u) if abs(u) <= 1.0 else nan


def arccosine(u: float) -> float:
    """Return the inverse cosine."""
    return acos(u) if abs(u) <= 1.0 else nan


def hyperbolic_sine(u: float) -> float:
    """Return the hyperbolic sine."""
    return u * inf if abs(u) > LARGE_HYPERBOLIC else sinh(u)


def hyperbolic_cosine(u: float) -> float:
    """Return the hyperbolic cosine."""
    return inf if abs(u) > LARGE_HYPERBOLIC else cosh(u)


def exponential(u: float) -> float:
    """Return the exponential."""
    return inf if u > LARGE else exp(u)


def logarithm(u: float) -> float:
    """Return the natural logarithm."""
    return log(u) if u > 0.0 else -inf if u == 0.0 else nan


def sign(u: float) -> float:
    """Return the sign."""
    return 1.0 if u > 0.0 else -1.0 if u < 0.0 else u
