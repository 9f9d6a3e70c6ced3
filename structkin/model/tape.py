"""A formula of t as a tape of operations, which one reader runs at a time, at many times, and in compiled code.

What does not depend on t is computed once, when the tape is made: a constant has no rate that could be infinite.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from structkin.model import formula_at as reader
from structkin.model.flaw import Flaw, short

#: An operation: its code and a number, which is read where the code is `NUMBER` or `POWER`.
Row = tuple[int, float]

FUNCTIONS: Mapping[str, int] = {
    name: getattr(reader, name.upper())
    for name in (
        *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
        *("exp", "log", "sqrt", "abs", "sign"),
    )
}
#: Functions of two or more arguments.
CHOICES: Mapping[str, int] = {"min": reader.LEAST, "max": reader.LARGEST}
CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e}
_OPERATIONS: Mapping[type[ast.operator], int] = {
    ast.Add: reader.SUM, ast.Sub: reader.DIFFERENCE, ast.Mult: reader.PRODUCT, ast.Div: reader.QUOTIENT,
}  # fmt: skip

MAX_POWER = 64

#: The reader over arrays.
_LANES: dict[str, Any] = {
    **{name: one for name, one in vars(reader).items() if name.isupper()},
    "chosen": np.where, "quotient": np.true_divide, "power": np.power, "root": np.sqrt, "sine": np.sin,
    "cosine": np.cos, "tangent": np.tan, "arcsine": np.arcsin, "arccosine": np.arccos, "atan": np.arctan,
    "hyperbolic_sine": np.sinh, "hyperbolic_cosine": np.cosh, "tanh": np.tanh, "exponential": np.exp,
    "logarithm": np.log, "sign": np.sign,
}  # fmt: skip
for _name in ("formula_at", "combined", "is_less", "chained", "power_of", "function_of"):
    _LANES[_name] = FunctionType(getattr(reader, _name).__code__, _LANES, _name)


def tape_of(node: ast.expr) -> list[Row]:
    """Return a checked formula as a tape; raise `Flaw` for a constant part that has no finite value."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return [(reader.NUMBER, float(value))]
        case ast.Name(id=name):
            return [(reader.TIME, 0.0) if name == "t" else (reader.NUMBER, CONSTANTS[name])]
        case ast.UnaryOp(op=op, operand=operand):
            rows = tape_of(operand)
            rows += [(reader.OPPOSITE, 0.0)] if isinstance(op, ast.USub) else []
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            rows = _power(tape_of(left), tape_of(right))
        case ast.BinOp(left=left, op=op, right=right):
            over = tape_of(right)
            if isinstance(op, ast.Div) and over == [(reader.NUMBER, 0.0)]:
                raise Flaw("the formula divides by zero", "it has no value at any time")
            rows = [*tape_of(left), *over, (_OPERATIONS[type(op)], 0.0)]
        case ast.Call(func=ast.Name(id=name), args=args):
            rows = tape_of(args[0])
            for argument in args[1:]:
                rows += [*tape_of(argument), (CHOICES[name], 0.0)]
            rows += [(FUNCTIONS[name], 0.0)] if name in FUNCTIONS else []
        case _:  # pragma: no cover - `check` refuses everything else
            raise Flaw(f"'{short(ast.unparse(node))}' is not allowed in a formula")
    if any(code == reader.TIME for code, _ in rows):
        return rows
    value = reader.formula_at(rows, 0, len(rows), 0.0, _stack(rows))[0]
    if not math.isfinite(value):
        raise Flaw(f"'{short(ast.unparse(node))}' is not a finite number", "check its arguments")
    return [(reader.NUMBER, value)]


def _power(base: list[Row], exponent: list[Row]) -> list[Row]:
    if exponent[-1][0] == reader.NUMBER:
        ((_, number),) = exponent
        if abs(number) > MAX_POWER:
            raise Flaw(f"the exponent {number:g} is too large", f"at most {MAX_POWER}")
        return [*base, (reader.POWER, number)]
    # u^w = exp(w log u)
    return [*base, (reader.LOG, 0.0), *exponent, (reader.PRODUCT, 0.0), (reader.EXP, 0.0)]


def _stack(tape: Sequence[Row]) -> list[list[Any]]:
    return [[0.0] * 4 for _ in tape]


def at(tape: Sequence[Row], t: Any) -> tuple[Any, Any, Any, Any]:
    """Return value and first three derivatives (n,) at the times t (n,), real or complex."""
    with np.errstate(all="ignore"):
        found = _LANES["formula_at"](tape, 0, len(tape), t, _stack(tape))
    v, d, dd, ddd = (np.broadcast_to(part, t.shape) for part in found)
    return v, d, dd, ddd


def line_of(tape: Sequence[Row]) -> tuple[float, float] | None:
    """Return (c, s) if a formula is c + s t by its form, else None."""
    stack: list[tuple[float, float]] = []
    for code, number in tape:
        if code <= reader.TIME:
            stack.append((number, float(code == reader.TIME)))
            continue
        b, slope = stack.pop()
        if code == reader.OPPOSITE:
            stack.append((-b, -slope))
            continue
        if code > reader.QUOTIENT:
            return None
        a, other = stack.pop()
        if code == reader.SUM:
            stack.append((a + b, other + slope))
        elif code == reader.DIFFERENCE:
            stack.append((a - b, other - slope))
        elif code == reader.PRODUCT and (other == 0 or slope == 0):
            stack.append((a * b, other * b + a * slope))
        elif code == reader.QUOTIENT and slope == 0 and b != 0:
            stack.append((a / b, other / b))
        else:
            return None
    return stack[0]
