"""Symbols that group functions compute with instead of numbers, to record their operations, and derivatives of these.

A group function is branch-free: sums, products, quotients and roots. Called with symbols it returns its expression.
Equal expressions are one node, so common parts of formulas are computed once. Operations keep their order, so that
compiled results agree with NumPy's to the last digit.

>>> graph = Graph()
>>> x = graph.load("x")
>>> y = np.sqrt(2 * x * x + 0.0)
>>> graph.lines([y])
['t1 = 2.0 * x', 't2 = t1 * x', 't3 = sqrt(t2)']
>>> graph.name(y), graph.loads([y])
('t3', ['x'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

#: An operand: a symbol, or a known number.
Term = Any

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def vector_of(x: Term, y: Term) -> NDArray[Any]:
    """Return a vector (2,) of terms, as group functions take it."""
    found: NDArray[Any] = np.empty(2, object)
    found[:] = x, y
    return found


class Graph:
    """The expressions of one trace, each recorded once, after its operands."""

    def __init__(self) -> None:
        """Start without expressions."""
        self._symbols: list[Symbol] = []
        self._known: dict[tuple[str, ...], Symbol] = {}

    def load(self, name: str, *, never_zero: bool = False) -> Symbol:
        """Return the symbol of a value that the loop reads under this name.

        With `never_zero` a function may compare it with zero, and gets the formula for the nonzero case.
        """
        return self._record(("load", name), "load", (name,), NeverZero if never_zero else Symbol)

    def node(self, op: str, *args: Term) -> Symbol:
        """Return the one symbol of this operation on these operands."""
        names = [self.name(arg) for arg in args]
        # Addition and multiplication are commutative to the last digit.
        return self._record((op, *(sorted(names) if op in ("add", "mul") else names)), op, args, Symbol)

    def _record(self, key: tuple[str, ...], op: str, args: tuple[Term, ...], kind: type[Symbol]) -> Symbol:
        if key not in self._known:
            self._known[key] = kind(self, len(self._symbols), op, args)
            self._symbols.append(self._known[key])
        return self._known[key]

    def name(self, term: Term) -> str:
        """Return the name of an expression in the lines, or the number."""
        if not isinstance(term, Symbol):
            return repr(float(term))
        return str(term.args[0]) if term.op == "load" else f"t{term.index}"

    def lines(self, wanted: Iterable[Term]) -> list[str]:
        """Return the assignments, in order, that define every wanted expression."""
        return self.lines_of(s for s in self.below(wanted) if s.op != "load")

    def lines_of_arrays(self, wanted: Sequence[Term]) -> list[str]:
        """Return the same assignments, and after the last use of an expression a line that gives up its array.

        The next array then takes the same memory, which is still in the cache.

        >>> graph = Graph()
        >>> x = graph.load("x")
        >>> graph.lines_of_arrays([np.sqrt(2 * x * x)])
        ['t1 = 2.0 * x', 't2 = t1 * x', 'del t1', 't3 = sqrt(t2)', 'del t2']
        """
        symbols = [s for s in self.below(wanted) if s.op != "load"]
        # A later use takes the place of an earlier one.
        last = {a.index: s.index for s in symbols for a in s.args if isinstance(a, Symbol) and a.op != "load"}
        done: dict[int, list[str]] = {}
        for k in last.keys() - {term.index for term in wanted if isinstance(term, Symbol)}:
            done.setdefault(last[k], []).append(f"t{k}")
        lines: list[str] = []
        for symbol in symbols:
            lines += self.lines_of([symbol])
            if symbol.index in done:
                lines.append(f"del {', '.join(sorted(done[symbol.index]))}")
        return lines

    def lines_of(self, symbols: Iterable[Symbol]) -> list[str]:
        """Return the assignments of these symbols alone."""
        return [f"{self.name(s)} = {self._formula(s)}" for s in symbols]

    def lines_around(self, wanted: Iterable[Term], varying: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the assignments that do not depend on the values of these names, and the others.

        >>> graph = Graph()
        >>> x, v = graph.load("x"), graph.load("v")
        >>> graph.lines_around([x * x * v], ["v"])
        (['t2 = x * x'], ['t3 = t2 * v'])
        """
        names, moving, parts = set(varying), set[int](), (list[Symbol](), list[Symbol]())
        for symbol in self.below(wanted):
            if symbol.op == "load":
                moves = symbol.args[0] in names
            else:
                moves = any(isinstance(a, Symbol) and a.index in moving for a in symbol.args)
                parts[moves].append(symbol)
            if moves:
                moving.add(symbol.index)
        return self.lines_of(parts[0]), self.lines_of(parts[1])

    def loads(self, wanted: Iterable[Term]) -> list[str]:
        """Return the names of all values that these expressions read."""
        return [self.name(symbol) for symbol in self.below(wanted) if symbol.op == "load"]

    def _formula(self, symbol: Symbol) -> str:
        args = [self.name(a) for a in symbol.args]
        if symbol.op in _INFIX:
            return f"{args[0]} {_INFIX[symbol.op]} {args[1]}"
        return f"-{args[0]}" if symbol.op == "neg" else f"{symbol.op}({', '.join(args)})"

    def below(self, wanted: Iterable[Term], given: Iterable[Term] = ()) -> list[Symbol]:
        """Return all symbols that the wanted ones need, in order, but those that are given or that only these need."""
        needed, known = set[int](), {term.index for term in given if isinstance(term, Symbol)}
        waiting = [term for term in wanted if isinstance(term, Symbol)]
        while waiting:
            symbol = waiting.pop()
            if symbol.index not in needed and symbol.index not in known:
                needed.add(symbol.index)
                waiting += [a for a in symbol.args if isinstance(a, Symbol)]
        return [self._symbols[k] for k in sorted(needed)]


def _operation(op: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the methods of an operation, for symbols on its left and on its right."""
    return lambda self, other: self._with(op, self, other), lambda self, other: self._with(op, other, self)


def _function(op: str) -> Callable[[Any], Any]:
    return lambda self: self.graph.node(op, self)


class Symbol:
    """An expression without truth value, order or number: a function that branches on data cannot be traced."""

    __slots__ = ("args", "graph", "index", "op")
    __hash__ = None  # type: ignore[assignment]  # equality is undefined

    def __init__(self, graph: Graph, index: int, op: str, args: tuple[Term, ...]) -> None:
        """Record an operation and its operands."""
        self.graph, self.index, self.op, self.args = graph, index, op, args

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("a function that branches on data cannot be traced")

    __bool__ = __float__ = __int__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse

    __add__, __radd__ = _operation("add")
    __sub__, __rsub__ = _operation("sub")
    __mul__, __rmul__ = _operation("mul")
    __truediv__, __rtruediv__ = _operation("div")
    # NumPy functions call the method of their name.
    sqrt, cos, sin, exp = map(_function, ("sqrt", "cos", "sin", "exp"))

    def arctan2(self, other: Any) -> Any:
        """Return the angle of a vector from its y, this one, and its x."""
        return self.graph.node("atan2", self, other)

    def __pow__(self, exponent: Any) -> Any:
        """Return the first power or the square, the only ones that NumPy computes as products."""
        return self if exponent == 1 else self * self if exponent == 2 else NotImplemented

    def __neg__(self) -> Any:
        """Return the negative."""
        return self.args[0] if self.op == "neg" else self.graph.node("neg", self)

    def _with(self, op: str, a: Any, b: Any) -> Any:
        for other in (a, b):
            if isinstance(other, np.ndarray) or not isinstance(other, Symbol | int | float | np.number):
                return NotImplemented
        simple = _simplified(op, a, b)
        return self._without_signs(op, a, b) if simple is None else simple

    def _without_signs(self, op: str, a: Any, b: Any) -> Any:
        """Return the operation, with signs moved out of products and into sums, which changes no digit."""
        node = self.graph.node
        if op in ("mul", "div"):
            turned = _is_opposite(a) != _is_opposite(b)
            plain = node(op, *(x.args[0] if _is_opposite(x) else x for x in (a, b)))
            return -plain if turned else plain
        if _is_opposite(b):
            return node("add" if op == "sub" else "sub", a, b.args[0])
        if _is_opposite(a):
            return node("sub", b, a.args[0]) if op == "add" else -node("add", a.args[0], b)
        return node(op, a, b)


def _is_opposite(term: Term) -> bool:
    return isinstance(term, Symbol) and term.op == "neg"


class NeverZero(Symbol):
    """The symbol of a number that is treated as nonzero."""

    __slots__ = ()
    __hash__ = None

    def __eq__(self, other: object) -> bool:  # type: ignore[override]  # narrower on purpose
        """Return that it is not zero; any other comparison is refused."""
        return False if isinstance(other, int | float) and other == 0 else self._refuse()


def _simplified(op: str, a: Term, b: Term) -> Term | None:
    """Return a sum, difference, product or quotient with zero or one; None if it has to be computed.

    Zeros occur only as derivatives of constants, so finite results do not change.
    """
    if not isinstance(a, Symbol):
        if a == 0:
            return b if op == "add" else -b if op == "sub" else 0.0
        return b if op == "mul" and a == 1 else None
    if not isinstance(b, Symbol):
        if b == 0 and op != "div":
            return 0.0 if op == "mul" else a
        return a if b == 1 and op in ("mul", "div") else None
    return None


# --- derivatives ------------------------------------------------------------------------------------------------------


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
        case "atan2":
            by = by / (a * a + b * b)
            return by * b, -(by * a)
        case "sin":
            return (by * a.cos(),)
        case "cos":
            return (-(by * a.sin()),)
    raise TypeError(f"no derivative of {symbol.op}")
