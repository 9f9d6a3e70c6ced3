"""Expressions as a reader would write them, by a few cheap rules: `sympy.simplify` takes minutes and varies."""

from __future__ import annotations

import sympy as sp

LONG = 400


def tidy(expression: sp.Expr) -> sp.Expr:
    """Return the expression with products multiplied out, cos^2 + sin^2 gathered, and like terms collected.

    >>> x, y, m = sp.symbols("x y m")
    >>> tidy(m * sp.cos(x) ** 2 + m * sp.sin(x) ** 2 + y * sp.cos(x) ** 2)
    m + y*cos(x)**2
    """
    expression = sp.expand(expression)
    for angle in sorted({a.args[0] for a in expression.atoms(sp.sin, sp.cos)}, key=sp.default_sort_key):
        sine, cosine = sp.sin(angle), sp.cos(angle)
        choices = [expression]
        for kept, gone in ((sine, cosine), (cosine, sine)):
            if expression.has(gone):
                choices.append(_replaced(expression, gone, 1 - kept**2))
        expression = min(choices, key=_size)
    return expression


def collected(expression: sp.Expr, rates: list[sp.Symbol]) -> sp.Expr:
    """Return a tidy expression with a common factor in front, or the terms of each product of rates together."""
    expression = tidy(expression)
    if not expression.is_Add:
        return expression
    factored = sp.factor_terms(expression)
    if _size(expression) <= LONG:
        by_function = sp.collect(expression, sorted(expression.atoms(sp.sin, sp.cos), key=sp.default_sort_key))
        by_rates = sp.collect(expression, rates) if rates else expression
        candidates = [expression, factored, *(sp.factor_terms(c) for c in (by_function, by_rates))]
        return min(candidates, key=lambda e: (_size(e), sp.default_sort_key(e)))
    return factored


def _replaced(expression: sp.Expr, gone: sp.Expr, square: sp.Expr) -> sp.Expr:
    """Return the expression with even powers of a function replaced by those of the other one."""
    terms = []
    for term in sp.Add.make_args(expression):
        power = sp.degree(term, gone) if term.has(gone) and term.is_polynomial(gone) else 0
        if power >= 2:
            terms.append(term / gone ** (power - power % 2) * square ** (power // 2))
        else:
            terms.append(term)
    return sp.expand(sp.Add(*terms))


def _size(expression: sp.Expr) -> int:
    return int(expression.count_ops())
