"""Laws as numbers: lines of a table, which `law_at` reads in the compiled module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.model.expression import Expression
from structkin.model.jets import CHOICES, FUNCTIONS
from structkin.model.laws import ConstantSpeed, ExpressionLaw, ScaledLaw, TableLaw
from structkin.types import Floats, Ints

Line = tuple[float, float]

_OPERATIONS: dict[type[ast.operator], int] = {ast.Add: 2, ast.Sub: 3, ast.Mult: 4, ast.Div: 5}
_CHOICES = {"min": 6, "max": 7}
_NUMBER, _TIME, _PRODUCT, _OPPOSITE, _POWER = 0, 1, 4, 10, 11
_FIRST = 12  # the code of the first function of one argument; the others follow in order
_FUNCTIONS = {name: _FIRST + k for k, name in enumerate(FUNCTIONS)}


@dataclass
class Laws:
    """Laws one below the other: `form` 0 is linear, 1 a formula, 2 a table; `data` holds five numbers per line.

    >>> laws = Laws()
    >>> laws.add(ExpressionLaw(Expression("3 + 2*t*t")))
    0
    >>> [line[:2] for line in laws.data]
    [[0, 3.0], [0, 2.0], [1, 0.0], [4, 0.0], [1, 0.0], [4, 0.0], [2, 0.0]]
    """

    form: list[int] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    ptr: list[int] = field(default_factory=lambda: [0])
    data: list[list[float]] = field(default_factory=list)

    def add(self, law: Any) -> int:
        """Return the number of a law."""
        scale = 1.0
        while isinstance(law, ScaledLaw):
            law, scale = law.law, scale * law.factor
        if isinstance(law, ConstantSpeed):
            form, lines = 0, [[law.start, law.speed]]
        elif isinstance(law, ExpressionLaw):
            scale *= law.scale
            form, lines = 1, [list(line) for line in tape(law.expression.text)]
        else:
            assert isinstance(law, TableLaw)
            # Piece by piece; the last line is the end.
            columns = np.vstack((law.pieces.x[:-1], law.pieces.c)).T
            form, lines = 2, [*columns.tolist(), [law.pieces.x[-1]]]
        self.form.append(form)
        self.scale.append(scale)
        self.data += [line + [0.0] * (5 - len(line)) for line in lines]
        self.ptr.append(len(self.data))
        return len(self.form) - 1

    def arrays(self) -> tuple[Ints, Floats, Ints, Floats]:
        """Return form, scale, the first line of each law, and the lines (n, 5)."""
        return (
            np.array(self.form, np.int64),
            np.array(self.scale, np.float64),
            np.array(self.ptr, np.int64),
            np.array(self.data, np.float64).reshape(-1, 5),
        )


def tape(text: str) -> list[Line]:
    """Return a formula as operations on a stack, (code, number) each."""
    return list(_walk(ast.parse(text.strip(), mode="eval").body))


def _walk(node: ast.expr) -> Iterator[Line]:
    if not any(isinstance(part, ast.Name) and part.id == "t" for part in ast.walk(node)):
        # A constant subexpression is evaluated as a whole: its functions have no rates that could be infinite.
        yield _NUMBER, float(Expression(ast.unparse(node))(np.zeros(1))[0][0])
        return
    match node:
        case ast.Name():
            yield _TIME, 0.0
        case ast.UnaryOp(op=op, operand=operand):
            yield from _walk(operand)
            if isinstance(op, ast.USub):
                yield _OPPOSITE, 0.0
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            yield from _power(left, right)
        case ast.BinOp(left=left, op=op, right=right):
            yield from _walk(left)
            yield from _walk(right)
            yield _OPERATIONS[type(op)], 0.0
        case ast.Call(func=ast.Name(id=name), args=args):
            yield from _walk(args[0])
            for argument in args[1:]:
                yield from _walk(argument)
                yield _CHOICES[name], 0.0
            if name not in CHOICES:
                yield _FUNCTIONS[name], 0.0


def _power(base: ast.expr, exponent: ast.expr) -> Iterator[Line]:
    *rest, (code, number) = _walk(exponent)
    yield from _walk(base)
    if code == _NUMBER and not rest:
        yield _POWER, number
        return
    # u^w = exp(w log u)
    yield _FUNCTIONS["log"], 0.0
    yield from (*rest, (code, number))
    yield _PRODUCT, 0.0
    yield _FUNCTIONS["exp"], 0.0
