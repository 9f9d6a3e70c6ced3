"""Tracing a relation: its formulas for position, rates, K and L as expressions of rows and constants.

A trace belongs to a kind of step, not to a step: the rows and constants that differ between steps of a kind (including
constants inside the relation, such as the factors of a sum) are names in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from structkin.kernels.symbols import Graph, Symbol, Term, vector_of
from structkin.plan.plan import Plan, Register, Step

#: The kinds of operands: a vector or a scalar over lanes, or a constant complex number or float.
VECTOR, SCALAR, COMPLEX, FLOAT = "V", "S", "C", "F"


@dataclass(frozen=True)
class Signature:
    """What steps with the same formulas have in common.

    `shape` is the relation without its numbers, `operands` one letter per operand, `widths` the rows of each output.
    """

    relation: type
    shape: Any
    operands: str
    widths: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """The formulas of a kind of step.

    Values are named `h{order}_{operand}_{component}` for the inputs, `v..`, `w..` for two directions, `f..` for the
    outputs, `c{k}` for the constants, `root`. Rows are flat: a vector's x and y follow each other. `first` is K
    along v, `second` L along v and w, whose K is read, and `square` L along v twice, with K as it is found.
    """

    graph: Graph
    constants: int
    one_mode: bool
    discriminant: Term | None
    orders: tuple[tuple[Term, ...], ...]
    first: tuple[Term, ...]
    second: tuple[Term, ...]
    square: tuple[Term, ...]


def signature(plan: Plan, step: Step) -> tuple[Signature, tuple[float, ...]] | None:
    """Return the signature of a step and its constants; None if its relation contains anything but numbers."""
    try:
        shape, constants = _shape_of(step.kind)
    except TypeError:
        return None
    letters = ""
    for operand in step.inputs:
        if isinstance(operand, Register):
            letters += VECTOR if plan.widths[operand.index] == 2 else SCALAR
        elif isinstance(operand, float):
            letters += FLOAT
            constants.append(operand)
        else:
            letters += COMPLEX
            constants += [operand.real, operand.imag]
    widths = tuple(plan.widths[slot] for slot in step.outputs)
    return Signature(type(step.kind), shape, letters, widths), tuple(constants)


def trace(step: Step, of: Signature) -> Trace | None:
    """Trace the formulas of a step; None if its functions cannot be traced."""
    try:
        return _Tracer(of).trace(step.kind)
    except (TypeError, ValueError, AttributeError, IndexError, NotImplementedError):
        return None


def _shape_of(relation: Any) -> tuple[Any, list[float]]:
    """Return a relation without its numbers, and the numbers; `TypeError` if it contains anything else."""
    if not is_dataclass(relation):
        if getattr(relation, "__dict__", None):
            raise TypeError("a relation with hidden state")
        return None, []
    constants: list[float] = []
    return tuple(_part(getattr(relation, item.name), constants) for item in fields(relation)), constants


def _part(value: Any, constants: list[float]) -> Any:
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        constants.append(value)
        return FLOAT
    if isinstance(value, complex):
        constants += [value.real, value.imag]
        return COMPLEX
    if isinstance(value, tuple):
        return tuple(_part(item, constants) for item in value)
    raise TypeError("not a number")


@dataclass(frozen=True)
class _Complex:
    """A complex constant with symbols for its parts."""

    real: Term
    imag: Term


class _Tracer:
    def __init__(self, of: Signature) -> None:
        self.of, self.graph, self.used = of, Graph(), 0

    def trace(self, relation: Any) -> Trace:
        relation = self._with_names(relation)
        constants = [self._constants(letter) for letter in self.of.operands]
        zeros = (0.0,) * 4
        h, dh, ddh, v, w = (self._inputs(letter, constants) for letter in ("h0", "h1", "h2", "v", "w"))
        discriminant = relation.discriminant(h)
        discriminant = None if discriminant is None else _scalar(discriminant)
        phi = relation.position(h, None if discriminant is None else self.graph.load("root"))
        rates = relation.linear(h, phi, dh, zeros)
        second = relation.linear(h, phi, ddh, relation.convective(h, phi, dh, rates, dh, rates))
        f, fv, fw = (self._outputs(letter) for letter in ("f", "fv", "fw"))
        K = relation.linear(h, f, v, zeros)
        L = relation.linear(h, f, ddh, relation.convective(h, f, v, fv, w, fw))
        L_twice = relation.linear(h, f, ddh, relation.convective(h, f, v, K, v, K))
        return Trace(
            self.graph,
            self.used,
            relation.modes == 1,
            discriminant,
            tuple(map(self._rows, (phi, rates, second))),
            self._rows(K),
            self._rows(L),
            self._rows(L_twice),
        )

    def _constant(self, *, never_zero: bool = False) -> Symbol:
        self.used += 1
        return self.graph.load(f"c{self.used - 1}", never_zero=never_zero)

    def _with_names(self, relation: Any) -> Any:
        """Return the relation with names in place of its numbers."""
        numbers = fields(relation) if is_dataclass(relation) else ()
        named = {item.name: self._named(getattr(relation, item.name)) for item in numbers}
        return replace(relation, **named) if named else relation

    def _named(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._named, value))
        if isinstance(value, float):
            return self._constant()
        if isinstance(value, complex):
            # A relation may skip the imaginary part of a real factor; here one formula serves all.
            return _Complex(self._constant(), self._constant(never_zero=True))
        return value

    def _constants(self, letter: str) -> Any:
        if letter == FLOAT:
            return self._constant()
        return vector_of(self._constant(), self._constant()) if letter == COMPLEX else None

    def _inputs(self, letter: str, constants: Sequence[Any]) -> tuple[Any, ...]:
        """Return the inputs of one order; beyond the positions (h0) constants are zero."""
        values: list[Any] = []
        for j, (kind, constant) in enumerate(zip(self.of.operands, constants, strict=True)):
            if kind == VECTOR:
                values.append(vector_of(*(self.graph.load(f"{letter}_{j}_{c}") for c in range(2))))
            elif kind == SCALAR:
                values.append(self.graph.load(f"{letter}_{j}_0"))
            elif letter == "h0":
                values.append(constant)
            else:
                values.append(0.0 if kind == FLOAT else vector_of(0.0, 0.0))
        return tuple(values)

    def _outputs(self, letter: str) -> tuple[Any, ...]:
        rows = [[self.graph.load(f"{letter}_{j}_{c}") for c in range(width)] for j, width in enumerate(self.of.widths)]
        return tuple(vector_of(*row) if len(row) == 2 else row[0] for row in rows)

    def _rows(self, values: Sequence[Any]) -> tuple[Term, ...]:
        rows: list[Term] = []
        for value, width in zip(values, self.of.widths, strict=True):
            if width == 1:
                rows.append(_scalar(value))
            else:
                x, y = value
                rows += [_scalar(x), _scalar(y)]
        return tuple(rows)


def _scalar(value: Any) -> Term:
    """Return a symbol or number, taken out of an array if necessary."""
    value = value.item() if isinstance(value, np.ndarray) else value
    if not isinstance(value, Symbol | int | float | np.number):
        raise TypeError("not a number")
    return value
