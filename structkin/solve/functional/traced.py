"""A number of a mechanism as a formula of its parameters, so that the passes that make a plan write it down.

It is a `Variants` of three: the mechanism itself, and two with parameters next to its own, on either side. So code that
is written for numbers takes it, and what that code does with it is recorded in a `Graph`. A comparison is decided by
the mechanism's own number and kept as a condition: where other parameters would decide it differently, the plan would
be another one, and the formulas do not hold. Only where the mechanism is a special case, such as a guide through a pin,
and both its neighbours are not, their formulas are taken: they hold for it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.kernels.symbols import Graph, Symbol, Term
from structkin.numerical_tolerances import NUDGE
from structkin.solve.many.variants import Variants, plain

GOLDEN = 0.5 * (1.0 + 5.0**0.5)
#: A comparison that holds: "<" or "<=", and its two terms.
Condition = tuple[str, Term, Term]

_PLAIN: Mapping[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: lambda a, b: a + b,
    np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b,
    np.divide: lambda a, b: a / b,
}
#: Comparisons, and whether their two numbers change places to make one of < and <=.
_COMPARISONS: Mapping[np.ufunc, tuple[str, bool]] = {
    np.less: ("<", False),
    np.less_equal: ("<=", False),
    np.greater: ("<", True),
    np.greater_equal: ("<=", True),
}


class UndecidedError(Exception):
    """A comparison is decided differently on the two sides of the mechanism's own numbers."""


@dataclass
class Record:
    """What is done with the parameters p0, p1, ...: the formulas, and the conditions under which they hold.

    Comparisons are conditions while the record is `open`; after that they only decide how a formula is written.
    """

    graph: Graph = field(default_factory=Graph)
    conditions: list[Condition] = field(default_factory=list)
    open: bool = True

    def parameter(self, index: int, own: float, reach: float) -> Traced:
        """Return a parameter with its own value, and the distance within which it may be changed smoothly."""
        # The steps of parameters have no common measure, so that changes do not cancel.
        step = NUDGE * reach / (1.0 + (index + 1) * GOLDEN % 1.0)
        return Traced(self, own + step * np.array([0.0, 1.0, -1.0]), self.graph.load(f"p{index}"))


class Traced(Variants):
    """A real or complex number with its values (3,), and the terms of its components.

    >>> record = Record()
    >>> x = record.parameter(0, 3.0, 3.0)
    >>> y = abs(x * x + 16.0 * 1j)
    >>> y.own, record.graph.lines([y.x])
    (18.35755975068582, ['t1 = p0 * p0', 't2 = t1 * t1', 't3 = t2 + 256.0', 't4 = sqrt(t3)'])
    >>> y > 1.0, record.conditions[0][0]
    (True, '<')
    """

    __slots__ = ("record", "x", "y")

    def __init__(self, record: Record, values: NDArray[Any], x: Term, y: Term = 0.0) -> None:
        """Hold the values and the terms; y is that of the imaginary part."""
        super().__init__(values)
        self.record, self.x, self.y = record, x, y

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Record an operator; decide a comparison by the own numbers."""
        terms = [_parts(value) for value in inputs]
        if ufunc is np.equal:
            # Equal are formulas, not numbers that happen to be equal.
            return all(_same(a, b) for a, b in zip(*terms, strict=True))
        if ufunc in _COMPARISONS:
            sign, swapped = _COMPARISONS[ufunc]
            holds, *beside = ufunc(*np.broadcast_arrays(*map(plain, inputs))).tolist()
            if not self.record.open:
                return holds
            if beside[0] != beside[1]:
                raise UndecidedError
            if holds == beside[0]:
                self._condition(sign, swapped, holds, *(x for x, _ in terms))
            return beside[0]
        found = _applied(ufunc, terms)
        if found is NotImplemented:
            raise TypeError(f"{ufunc.__name__} of a number that varies is not recorded")
        return _number(self.record, super().__array_ufunc__(ufunc, method, *inputs, **options).values, *found)

    def __hash__(self) -> int:
        """Return the hash of the object: equal numbers may be kept twice."""
        return id(self)

    @property
    def real(self) -> Any:
        """The real part."""
        return _number(self.record, self.values.real, self.x, 0.0)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return _number(self.record, self.values.imag, self.y, 0.0)

    def conjugate(self) -> Any:
        """Return the conjugate number."""
        return _number(self.record, self.values.conjugate(), self.x, -self.y)

    def turned(self) -> Any:
        """Return exp(i x) of an angle x."""
        return _number(self.record, np.exp(1j * self.values), np.cos(self.x), np.sin(self.x))

    def _condition(self, sign: str, swapped: bool, holds: bool, a: Term, b: Term) -> None:
        a, b = (b, a) if swapped else (a, b)
        if not holds:
            # not a < b is b <= a
            sign, a, b = "<=" if sign == "<" else "<", b, a
        self.record.conditions.append((sign, a, b))


def parts(value: Any) -> tuple[Term, Term]:
    """Return the terms of both components of a number, a plain one too."""
    return _parts(value)


def _parts(value: Any) -> tuple[Term, Term]:
    if isinstance(value, Traced):
        return value.x, value.y
    if not isinstance(value, int | float | complex | np.number):
        raise TypeError(f"{value!r} is not a number")
    number = complex(value)
    return number.real, number.imag


def _number(record: Record, values: NDArray[Any], x: Term, y: Term) -> Any:
    """Return a number that varies, or a plain one if it does not."""
    varies = isinstance(x, Symbol) or isinstance(y, Symbol)
    return Traced(record, values, x, y) if varies else values[0].item()


def _same(a: Term, b: Term) -> bool:
    return a is b if isinstance(a, Symbol) or isinstance(b, Symbol) else bool(a == b)


def _applied(ufunc: np.ufunc, terms: list[tuple[Term, Term]]) -> Any:
    """Return the terms of an operation, as `Variants` does it; NotImplemented for others."""
    (a, b), (c, d) = terms[0], terms[-1]
    if ufunc in (np.add, np.subtract):
        return _PLAIN[ufunc](a, c), _PLAIN[ufunc](b, d)
    if ufunc is np.negative:
        return -a, -b
    if ufunc is np.multiply:
        return a * c - b * d, a * d + b * c
    if ufunc is np.divide:
        if not isinstance(d, Symbol) and d == 0:
            return a / c, b / c
        size = c * c + d * d
        return (a * c + b * d) / size, (b * c - a * d) / size
    if ufunc is np.absolute:
        return np.sqrt(a * a + b * b), 0.0
    if ufunc is np.power and c in (2, 0.5) and _same(b, 0.0):
        return (a * a if c == 2 else np.sqrt(a)), 0.0
    return NotImplemented
