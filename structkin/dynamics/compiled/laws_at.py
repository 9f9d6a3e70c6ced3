"""The value of a law at one time. The text of this module becomes part of the compiled one.

A formula is a tape of operations on a stack of truncated Taylor series (value, rate, second rate), the same that
`structkin.model.expression` walks over arrays.
"""

from __future__ import annotations

from math import acos, asin, atan, cos, cosh, exp, inf, log, nan, sin, sinh, sqrt, tan, tanh
from typing import Any

from structkin.dynamics.compiled.memory import LoadMemory


def law_at(mem: LoadMemory, law: int, t: float) -> tuple[float, float, float]:
    """Return value, rate and second rate of a law at a time; NaN outside its table."""
    form, scale = mem.law_form[law], mem.law_scale[law]
    first, last = mem.law_ptr[law], mem.law_ptr[law + 1]
    data = mem.law_data
    if form == 0:
        start, speed = data[first][0], data[first][1]
        return scale * (start + speed * t), scale * speed, 0.0
    if form == 1:
        v, d, dd = formula_at(data, first, last, t, mem.stack)
        return scale * v, scale * d, scale * dd
    begin, end = data[first][0], data[last - 1][0]
    inside = min(max(t, begin), end)
    # As in `structkin.model.laws`: a time beyond an end by rounding only counts as the end.
    if not abs(t - inside) <= 1e-12 * max(abs(begin), abs(end)):
        return nan, nan, nan
    # The last piece of the table that begins at or before t: the times are in order.
    low, high = first, last - 1
    while high - low > 1:
        middle = (low + high) // 2
        if data[middle][0] <= inside:
            low = middle
        else:
            high = middle
    s = inside - data[low][0]
    a, b, c, d = data[low][1], data[low][2], data[low][3], data[low][4]
    return scale * (((a * s + b) * s + c) * s + d), scale * ((3 * a * s + 2 * b) * s + c), scale * (6 * a * s + 2 * b)


def formula_at(data: Any, first: int, last: int, t: float, stack: Any) -> tuple[float, float, float]:
    """Run a tape: one operation per row (code, number). Codes are those of `structkin.dynamics.compiled.formulas`."""
    top = -1
    for k in range(first, last):
        code, number = data[k][0], data[k][1]
        if code < 2:
            top += 1
            stack[top][0], stack[top][1], stack[top][2] = (t, 1.0, 0.0) if code == 1 else (number, 0.0, 0.0)
            continue
        v, d, dd = stack[top][0], stack[top][1], stack[top][2]
        if code < 10:
            top -= 1
            result = combined(code, stack[top][0], stack[top][1], stack[top][2], v, d, dd)
        elif code == 10:
            result = (-v, -d, -dd)
        else:
            f, f1, f2 = power_of(v, number) if code == 11 else function_of(code, v)
            result = (f, f1 * d, f2 * d * d + f1 * dd)
        stack[top][0], stack[top][1], stack[top][2] = result
    return stack[0][0], stack[0][1], stack[0][2]


def combined(
    code: float, av: float, ad: float, add: float, bv: float, bd: float, bdd: float
) -> tuple[float, float, float]:
    """Return the sum, difference, product, quotient, smaller or larger of two series."""
    if code == 2:
        return av + bv, ad + bd, add + bdd
    if code == 3:
        return av - bv, ad - bd, add - bdd
    if code == 5:
        # A quotient is the product with the power -1.
        r = 1 / bv
        bv, bd, bdd = r, -r * r * bd, 2 * r * r * r * bd * bd - r * r * bdd
    elif code == 6:
        return (av, ad, add) if av <= bv else (bv, bd, bdd)
    elif code == 7:
        return (av, ad, add) if av >= bv else (bv, bd, bdd)
    return av * bv, ad * bv + av * bd, add * bv + 2 * ad * bd + av * bdd


def power_of(u: float, c: float) -> tuple[float, float, float]:
    """Return u^c and its two derivatives; a vanishing coefficient is left out, because 0 times 1/0 is not a number."""
    f1 = c * u ** (c - 1) if c != 0 else 0.0
    f2 = c * (c - 1) * u ** (c - 2) if c not in (0.0, 1.0) else 0.0
    return u**c, f1, f2


def function_of(code: float, u: float) -> tuple[float, float, float]:
    """Return a function of one argument and its two derivatives."""
    if code == 12:
        return sin(u), cos(u), -sin(u)
    if code == 13:
        return cos(u), -sin(u), -cos(u)
    if code == 14:
        f = tan(u)
        return f, 1 + f * f, 2 * f * (1 + f * f)
    if code in (15, 16):
        w = 1 - u * u
        sign = 1.0 if code == 15 else -1.0
        if w < 0:
            return nan, nan, nan
        return (asin(u) if code == 15 else acos(u)), sign / sqrt(w), sign * u / (w * sqrt(w))
    if code == 17:
        w = 1 + u * u
        return atan(u), 1 / w, -2 * u / (w * w)
    if code == 18:
        return sinh(u), cosh(u), sinh(u)
    if code == 19:
        return cosh(u), sinh(u), cosh(u)
    if code == 20:
        f = tanh(u)
        return f, 1 - f * f, -2 * f * (1 - f * f)
    if code == 21:
        return exp(u), exp(u), exp(u)
    if code == 22:
        return (log(u), 1 / u, -1 / (u * u)) if u > 0 else (-inf if u == 0 else nan, 1 / u, -1 / (u * u))
    if code == 23:
        f = sqrt(u) if u >= 0 else nan
        return f, 0.5 / f, -0.25 / (f * f * f)
    sign = 1.0 if u > 0 else -1.0 if u < 0 else u
    return (abs(u), sign, 0.0) if code == 24 else (sign, 0.0, 0.0)
