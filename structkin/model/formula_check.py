"""Reading formulas safely: Python's parser, never `eval`, and a short list of nodes that are let through."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from structkin.model.flaw import Flaw, short
from structkin.model.jets import CHOICES, FUNCTIONS
from structkin.model.topology import suggest

MAX_CHARACTERS = 1000
MAX_DEPTH = 60

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e}

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def parse(text: str) -> ast.expr:
    """Return the tree of a formula; raise `Flaw` where the text is none."""
    if not text.strip():
        raise Flaw("the formula is empty", 'such as "0.5*sin(2*pi*t)"')
    if len(text) > MAX_CHARACTERS:
        raise Flaw(f"the formula has {len(text)} characters, at most {MAX_CHARACTERS} are read", "use a table")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        raise Flaw(f"'{short(text)}' is not a formula{place}", 'such as "0.5*sin(2*pi*t)"') from None
    except (ValueError, RecursionError, MemoryError):
        raise Flaw("the formula cannot be read", "write it shorter and less nested") from None


def check(node: ast.AST, depth: int = 0) -> None:
    """Raise `Flaw` for anything but numbers, t, constants, operators and functions that are known."""
    if depth > MAX_DEPTH:
        raise Flaw(f"the formula is nested more than {MAX_DEPTH} deep", "write it with fewer parentheses or terms")
    match node:
        case ast.Constant(value=bool()) | ast.Constant(value=str() | bytes() | complex() | None):
            raise Flaw(f"{unparsed(node)} is not a number")
        case ast.Constant(value=int() | float() as value):
            if not abs(value) <= 1e100:
                raise Flaw("a number in the formula is too large")
        case ast.Name(id=name):
            _check_name(name)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            check(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            check(left, depth + 1)
            check(right, depth + 1)
        case ast.BinOp(op=ast.BitXor()):
            raise Flaw("'^' is not a power here", "write ** for a power")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            _check_call(name, args)
            for argument in args:
                check(argument, depth + 1)
        case ast.Call():
            raise Flaw(
                f"'{unparsed(node)}' is not allowed in a formula", f"functions: {', '.join([*FUNCTIONS, *CHOICES])}"
            )
        case ast.Tuple():
            raise Flaw(f"a comma parts '{unparsed(node)}'", "write a decimal point: 0.5")
        case _:
            raise Flaw(f"'{unparsed(node)}' is not allowed in a formula", "only numbers, t, + - * / ** and functions")


def _check_name(name: str) -> None:
    if name in FUNCTIONS or name in CHOICES:
        raise Flaw(f"'{name}' is a function", f"write {name}(...)")
    if name != "t" and name not in CONSTANTS:
        raise Flaw(
            f"the name '{short(name)}' is unknown in a formula", suggest(name, ["t", *CONSTANTS, *FUNCTIONS, *CHOICES])
        )


def _check_call(name: str, args: list[ast.expr]) -> None:
    if name not in FUNCTIONS and name not in CHOICES:
        raise Flaw(f"the function '{short(name)}' is not allowed in a formula", suggest(name, [*FUNCTIONS, *CHOICES]))
    if name in FUNCTIONS and len(args) != 1:
        raise Flaw(f"{name} takes one argument, found {len(args)}")
    if name in CHOICES and len(args) < 2:
        raise Flaw(f"{name} takes two or more arguments, found {len(args)}")


def unparsed(node: ast.AST) -> str:
    """Return the text of a part of a formula, cut where it is long."""
    return short(ast.unparse(node))
