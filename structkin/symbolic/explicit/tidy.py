"""Expressions as a reader would write them, by a few cheap rules: `sympy.simplify` takes minutes and varies."""

from __future__ import annotations

import sympy as sp

#: operations above which an expression is not collected, and below which factors are factored
LONG, SHORT = 400, 30


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
    candidates = [expression, sp.factor_terms(expression)]
    if _size(expression) <= LONG:
        candidates += [_by_function(expression), sp.factor_terms(_by_function(expression))]
        if rates and expression.is_polynomial(*rates):
            terms = sp.Poly(expression, *rates).terms()
            products = (sp.Mul(*(r**n for r, n in zip(rates, powers, strict=True))) for powers, _ in terms)
            candidates.append(sp.Add(*(p * _by_function(tidy(c)) for p, (_, c) in zip(products, terms, strict=True))))
    return min(candidates, key=lambda e: (_size(e), sp.default_sort_key(e)))


def _by_function(expression: sp.Expr) -> sp.Expr:
    """Return the terms of each sine and cosine together, their factors factored."""
    functions = sorted(expression.atoms(sp.sin, sp.cos), key=sp.default_sort_key)
    if not functions or not expression.is_Add:
        return sp.factor_terms(expression)
    parts = sp.collect(expression, functions, evaluate=False)
    return sp.Add(*(key * (sp.factor(c) if _size(c) < SHORT else sp.factor_terms(c)) for key, c in parts.items()))


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
