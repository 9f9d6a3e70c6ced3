"""The derivative of an expression of symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from structkin.kernels.symbols import Graph, Symbol, Term

_RULES: Mapping[str, Callable[..., Term]] = {
    "add": lambda a, b, da, db: da + db,
    "sub": lambda a, b, da, db: da - db,
    "mul": lambda a, b, da, db: da * b + a * db,
    "div": lambda a, b, da, db: (da - a / b * db) / b,
}


def derivative(graph: Graph, term: Term, rates: Mapping[str, Term]) -> Term:
    """Return the rate of an expression of values with these rates; those of others are zero.

    >>> import numpy as np
    >>> graph = Graph()
    >>> x = graph.load("x")
    >>> rate = derivative(graph, np.sqrt(x * x * x), {"x": graph.load("dx")})
    >>> values = {"x": 4.0, "dx": 2.0, "sqrt": np.sqrt}
    >>> exec("; ".join(graph.lines([rate])), values)
    >>> float(values[graph.name(rate)])
    6.0
    """
    found: dict[int, Term] = {}

    def of(one: Term) -> Term:
        return found[one.index] if isinstance(one, Symbol) else 0.0

    for symbol in graph.below([term]):
        args = symbol.args
        if symbol.op == "load":
            found[symbol.index] = rates.get(str(args[0]), 0.0)
        elif symbol.op in _RULES:
            da, db = of(args[0]), of(args[1])
            still = not isinstance(da, Symbol) and not isinstance(db, Symbol) and da == db == 0
            found[symbol.index] = 0.0 if still else _RULES[symbol.op](*args, da, db)
        else:
            found[symbol.index] = _slope(symbol, args[0]) * of(args[0]) if isinstance(of(args[0]), Symbol) else 0.0
    return of(term)


def _slope(symbol: Symbol, u: Term) -> Term:
    """Return the derivative of a function of one argument."""
    match symbol.op:
        case "neg":
            return -1.0
        case "sqrt":
            return 0.5 / symbol
        case "exp":
            return symbol
        case "sin":
            return u.cos()
        case "cos":
            return -u.sin()
    raise TypeError(f"no derivative of {symbol.op}")
