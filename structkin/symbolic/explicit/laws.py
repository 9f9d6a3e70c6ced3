"""Laws of time as SymPy expressions of t."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import sympy as sp

from structkin.errors import InputError, Problem
from structkin.model.expression import parse
from structkin.model.laws import ConstantSpeed, ExpressionLaw, ScaledLaw, TableLaw
from structkin.model.parts import Law
from structkin.model.tape import CONSTANTS
from structkin.symbolic.explicit.parameters import exact

t = sp.Symbol("t", real=True)

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": sp.Abs, "min": sp.Min, "max": sp.Max}


def expression_of(law: Law, where: str) -> sp.Expr:
    """Return a law as an expression of t; `where` names it in the `InputError` for a law of an unknown kind.

    A table becomes the cubics of its spline, without a value outside its times.

    >>> from structkin.model.laws import ConstantSpeed
    >>> expression_of(ConstantSpeed(1.0, 0.5), "forces.push")
    t/2 + 1
    """
    match law:
        case ConstantSpeed(start=start, speed=speed):
            return exact(start) + exact(speed) * t
        case ScaledLaw(law=inner, factor=factor):
            return exact(factor) * expression_of(inner, where)
        case ExpressionLaw(expression=formula, scale=scale):
            return exact(scale) * _walk(parse(formula.text), where)
        case TableLaw():
            return _cubics(law)
        case _:
            hint = "use a number, a formula or a table"
            raise InputError([Problem(where, f"a law of the kind {type(law).__name__} has no formula", hint)])


def _walk(node: ast.expr, where: str) -> sp.Expr:
    match node:
        case ast.Constant(value=int() | float() as value):
            return sp.Integer(value) if isinstance(value, int) else exact(value)
        case ast.Name(id="t"):
            return t
        case ast.Name(id="pi"):
            return sp.pi
        case ast.Name(id=name):
            return sp.Float(CONSTANTS[name])
        case ast.UnaryOp(op=op, operand=operand):
            return -_walk(operand, where) if isinstance(op, ast.USub) else _walk(operand, where)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_walk(left, where), _walk(right, where))
        case ast.Call(func=ast.Name(id=name), args=args):
            function = FUNCTIONS.get(name) or getattr(sp, name, None)
            if function is not None:
                return function(*(_walk(a, where) for a in args))
    raise InputError([Problem(where, f"'{ast.unparse(node)}' has no SymPy form")])


def _cubics(law: TableLaw) -> sp.Expr:
    pieces: list[Any] = [(sp.nan, sp.Or(t < law.times[0], t > law.times[-1]))]
    for start, end, powers in zip(law.times, law.times[1:], law.pieces.c.T, strict=False):
        cubic = sum(sp.Float(float(c)) * (t - exact(start)) ** (3 - n) for n, c in enumerate(powers))
        pieces.append((cubic, t <= exact(end)))
    return sp.Piecewise(*pieces[:-1], (pieces[-1][0], True))
