"""The derivatives of expressions of symbols, by one sweep through their operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from structkin.kernels.symbols import Graph, Symbol, Term


def gradient(graph: Graph, term: Term, values: Sequence[Symbol]) -> list[Term]:
    """Return the derivatives of an expression by each of some values, as expressions of the same graph.

    Where one expression has many derivatives, this records far fewer operations than a rate along each of the values
    does (reverse mode; Griewank & Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapter 3).

    >>> import numpy as np
    >>> graph = Graph()
    >>> x, y = graph.load("x"), graph.load("y")
    >>> graph.lines(gradient(graph, np.sqrt(x * y), [x, y]))
    ['t2 = x * y', 't3 = sqrt(t2)', 't4 = 0.5 / t3', 't5 = t4 * y', 't6 = t4 * x']
    """
    found: dict[int, Term] = {term.index: 1.0} if isinstance(term, Symbol) else {}
    for symbol in reversed(graph.below([term])):
        by = found.get(symbol.index, 0.0)
        if symbol.op == "load" or not (isinstance(by, Symbol) or by):
            continue
        for operand, part in zip(symbol.args, _parts(symbol, by), strict=True):
            if isinstance(operand, Symbol):
                found[operand.index] = found[operand.index] + part if operand.index in found else part
    return [found.get(value.index, 0.0) for value in values]


def rate(graph: Graph, term: Term, rates: Mapping[str, Term]) -> Term:
    """Return the rate of an expression of values with these rates; those of others are zero.

    >>> import numpy as np
    >>> graph = Graph()
    >>> x = graph.load("x")
    >>> graph.lines([rate(graph, np.sqrt(x * x), {"x": graph.load("dx")})])
    ['t1 = x * x', 't2 = sqrt(t1)', 't4 = dx * x', 't5 = t4 + t4', 't6 = 0.5 / t2', 't7 = t5 * t6']
    """
    found: dict[int, Term] = {}
    for symbol in graph.below([term]):
        if symbol.op == "load":
            found[symbol.index] = rates.get(str(symbol.args[0]), 0.0)
            continue
        total: Term = 0.0
        for k, operand in enumerate(symbol.args):
            by = found[operand.index] if isinstance(operand, Symbol) else 0.0
            total = total + _parts(symbol, by)[k] if isinstance(by, Symbol) or by else total
        found[symbol.index] = total
    return found[term.index] if isinstance(term, Symbol) else 0.0


def _parts(symbol: Symbol, by: Term) -> tuple[Term, ...]:
    """Return what a change of each operand does, through one operation, to that of which `by` is the derivative."""
    a, b = symbol.args[0], symbol.args[-1]
    match symbol.op:
        case "add":
            return by, by
        case "sub":
            return by, -by
        case "mul":
            return by * b, by * a
        case "div":
            return by / b, -(by / b * symbol)
        case "neg":
            return (-by,)
        case "sqrt":
            return (by * (0.5 / symbol),)
        case "exp":
            return (by * symbol,)
        case "sin":
            return (by * a.cos(),)
        case "cos":
            return (-(by * a.sin()),)
    raise TypeError(f"no derivative of {symbol.op}")
