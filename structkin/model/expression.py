"""Formulas of t with exact rates, parsed safely.

The syntax tree is evaluated with truncated Taylor series (jets) of order three, so that rates are exact, not finite
differences.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.model.flaw import Flaw, decimal_comma, short
from structkin.model.jets import CHOICES, FUNCTIONS, Jet, steady
from structkin.model.topology import suggest
from structkin.model.units import unit

MAX_POWER = 64


class Expression:
    """A formula of t: numbers, t, pi, e, + - * / **, and functions such as sin, exp, sqrt, min.

    Trigonometric arguments are in radians. Raises `Flaw` (a `ValueError`) for anything else.

    >>> import numpy as np
    >>> value, rate, second = Expression("0.5*sin(2*t) + t**3")(np.array([0.0, 1.0]))
    >>> rate.round(6).tolist()
    [1.0, 2.583853]
    >>> Expression("2*pi*(t - 1)").slope == 2 * np.pi
    True
    """

    def __init__(self, text: str) -> None:
        """Parse and check the text."""
        self.text = text
        self._tree = parse(text)
        check(self._tree)
        # t = 0.5 is an ordinary instant: an evaluation that fails here fails because of its constants
        with np.errstate(all="ignore"):
            _walk(self._tree, _time(np.array([0.5])))

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """Return value, first and second derivative (n,) at the times t (n,); NaN or infinite outside its domain."""
        jet = self._jet(t)
        return jet.v, jet.d, jet.dd

    def third(self, t: Any) -> Any:
        """Return the third time derivative (n,) at the times t (n,).

        >>> import numpy as np
        >>> Expression("t**4").third(np.array([2.0])).tolist()
        [48.0]
        """
        return self._jet(t).ddd

    def _jet(self, t: Any) -> Jet:
        t = np.asarray(t)
        t = t if np.iscomplexobj(t) else t.astype(float)
        with np.errstate(all="ignore"):
            return _jet(_walk(self._tree, _time(t)), t)

    @property
    def slope(self) -> float | None:
        """The constant rate if the formula is written as a linear function of t, else None."""
        with np.errstate(all="ignore"):
            line = _line(self._tree)
        return float(line[1]) if line is not None and np.isfinite(line[1]) else None

    @property
    def degrees(self) -> list[str]:
        """The calls of sin, cos and tan whose arguments look like degrees, though they are radians.

        Such an argument is c + s t without pi, where s, from 30 on, is a multiple of 15, or c one of 45.

        >>> Expression("30*sin(360*t) + cos(pi*t/180*90) + sin(t - 90) + sin(2*t)").degrees
        ['sin(360 * t)', 'sin(t - 90)']
        """
        calls = [node for node in ast.walk(self._tree) if isinstance(node, ast.Call) and _like_degrees(node)]
        return [unparsed(call) for call in sorted(calls, key=lambda call: call.col_offset)]

    def __repr__(self) -> str:
        """Show the text."""
        return f"Expression({self.text!r})"


def _like_degrees(call: ast.Call) -> bool:
    names = [part.id for part in ast.walk(call) if isinstance(part, ast.Name)]
    if names[0] not in ("sin", "cos", "tan") or "pi" in names or "tau" in names:
        return False
    with np.errstate(all="ignore"):
        start, slope = _line(call.args[0]) or (0.0, 0.0)
    return (abs(slope) >= 30 and slope % 15 == 0) or (start != 0 and start % 45 == 0)


def _walk(node: ast.expr, t: Jet) -> Jet | Any:
    """Evaluate; constants remain NumPy numbers, so that sqrt(0) has no infinite rate."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return np.float64(value)
        case ast.Name(id=name):
            return t if name == "t" else np.float64(CONSTANTS[name])
        case ast.UnaryOp(op=op, operand=operand):
            inner = _walk(operand, t)
            return -inner if isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=op, right=right):
            result = _operate(op, _walk(left, t), _walk(right, t), t)
        case ast.Call(func=ast.Name(id=name), args=args):
            result = _call(name, [_walk(argument, t) for argument in args], t)
        case _:  # pragma: no cover - `check` refuses everything else
            raise Flaw(f"'{unparsed(node)}' is not allowed in a formula")
    if not isinstance(result, Jet) and not np.isfinite(result):
        raise Flaw(f"'{unparsed(node)}' is not a finite number", "check its arguments")
    return result


def _time(t: Any) -> Jet:
    """Return time itself."""
    zero = np.zeros_like(t)
    return Jet(t, np.ones_like(t), zero, zero)


def _jet(value: Jet | Any, t: Any) -> Jet:
    """Return a value as a jet at the times t (n,)."""
    return value if isinstance(value, Jet) else Jet(*steady(np.full_like(t, value)))


def _operate(op: ast.operator, left: Jet | Any, right: Jet | Any, t: Jet) -> Jet | Any:
    if isinstance(op, ast.Div) and not isinstance(right, Jet) and right == 0:
        raise Flaw("the formula divides by zero", "it has no value at any time")
    if isinstance(op, ast.Pow):
        if not isinstance(right, Jet):
            if abs(right) > MAX_POWER:
                raise Flaw(f"the exponent {right:g} is too large", f"at most {MAX_POWER}")
            return left.power(float(right)) if isinstance(left, Jet) else left**right
        log = FUNCTIONS["log"]
        base = left.chain(*log(left.v)) if isinstance(left, Jet) else _jet(np.log(left), t.v)
        exponent = base * right
        return exponent.chain(*FUNCTIONS["exp"](exponent.v))
    if not isinstance(left, Jet) and not isinstance(right, Jet):
        if isinstance(op, ast.Add):
            return left + right
        if isinstance(op, ast.Sub):
            return left - right
        return left * right if isinstance(op, ast.Mult) else left / right
    u, w = _jet(left, t.v), _jet(right, t.v)
    if isinstance(op, ast.Add):
        return u + w
    if isinstance(op, ast.Sub):
        return u + -w
    return u * (w if isinstance(op, ast.Mult) else w.power(-1.0))


def _call(name: str, args: list[Jet | Any], t: Jet) -> Jet | Any:
    if name in FUNCTIONS:
        u = args[0]
        return u.chain(*FUNCTIONS[name](u.v)) if isinstance(u, Jet) else FUNCTIONS[name](u)[0]
    numbers = [argument for argument in args if not isinstance(argument, Jet)]
    if len(numbers) == len(args):
        return min(numbers) if name == "min" else max(numbers)
    result = _jet(args[0], t.v)
    for argument in args[1:]:
        other = _jet(argument, t.v)
        first = CHOICES[name](result.v, other.v)
        pairs = ((result.v, other.v), (result.d, other.d), (result.dd, other.dd), (result.ddd, other.ddd))
        result = Jet(*(np.where(first, a, b) for a, b in pairs))
    return result


def _line(node: ast.expr) -> tuple[Any, Any] | None:
    """Return (c, s) if the formula is c + s t by its form, else None."""
    match node:
        case ast.Name(id="t"):
            return np.float64(0), np.float64(1)
        case ast.UnaryOp(op=op, operand=operand):
            inner = _line(operand)
            sign = -1.0 if isinstance(op, ast.USub) else 1.0
            return None if inner is None else (sign * inner[0], sign * inner[1])
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _line(left), _line(right)
            if a is None or b is None:
                return None
            return _combine(op, a, b)
    if any(isinstance(part, ast.Name) and part.id == "t" for part in ast.walk(node)):
        return None
    return _walk(node, _time(np.zeros(1))), np.float64(0)


def _combine(op: ast.operator, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any] | None:
    if isinstance(op, ast.Add):
        return a[0] + b[0], a[1] + b[1]
    if isinstance(op, ast.Sub):
        return a[0] - b[0], a[1] - b[1]
    if isinstance(op, ast.Mult) and (a[1] == 0 or b[1] == 0):
        return a[0] * b[0], a[1] * b[0] + a[0] * b[1]
    if isinstance(op, ast.Div) and b[1] == 0:
        return a[0] / b[0], a[1] / b[0]
    if isinstance(op, ast.Pow) and a[1] == 0 and b[1] == 0:
        return a[0] ** b[0], np.float64(0)
    return None


# --- reading formulas safely: Python's parser, never `eval`, and a short list of allowed nodes ----


MAX_CHARACTERS = 1000
MAX_DEPTH = 60

#: Characters that programs of word processing write, and the signs of formulas.
_PLAIN: Mapping[str, str] = {
    **dict.fromkeys("−–—", "-"), **dict.fromkeys("·×⋅∙", "*"), "÷": "/", "π": "pi", "τ": "tau", "²": "**2", "³": "**3",
    "°": "the number alone, in the file's unit of angle; arguments of sin are in rad",
}  # fmt: skip

#: Functions of other programs, and what to write instead.
_OTHER_NAMES: Mapping[str, str] = {
    **{f"{name}d": f"{name} takes radians: {name}(x*pi/180)" for name in ("sin", "cos", "tan")},
    **dict.fromkeys(("rad", "radians", "deg2rad"), "write x*pi/180"),
    **dict.fromkeys(("deg", "degrees", "rad2deg"), "write x*180/pi"),
    "ln": "write log", "pow": "write **",
}  # fmt: skip

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e}

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def parse(text: str) -> ast.expr:
    """Return the syntax tree of a formula; raise `Flaw` if the text is not a formula."""
    if not text.strip():
        raise Flaw("the formula is empty", 'such as "0.5*sin(2*pi*t)"')
    if len(text) > MAX_CHARACTERS:
        raise Flaw(f"the formula has {len(text)} characters; the limit is {MAX_CHARACTERS}", "use a table")
    if strange := next((char for char in text if char in _PLAIN), ""):
        raise Flaw(f"'{short(text)}' has the character {strange}", f"write {_PLAIN[strange]}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        missing = text.count("(") - text.count(")")
        if missing > 0:
            place = f": {missing} closing bracket{'' if missing == 1 else 's'} missing"
        raise _misread(text) or Flaw(f"'{short(text)}' is not a formula{place}", 'such as "0.5*sin(2*pi*t)"') from None
    except (ValueError, RecursionError, MemoryError):
        raise Flaw("the formula cannot be read", "make it shorter, with less nesting") from None


def _misread(text: str) -> Flaw | None:
    """Return what is wrong with a text that is no formula, if it is one of the usual mistakes."""
    if "=" in text:
        return Flaw(f"'{short(text)}' is an equation", "write only what is right of the =")
    for digits, word in re.findall(r"(\d[\d.]*)\s*([A-Za-zµ°][A-Za-zµ°/]*)", text):
        if word != "t" and _is_unit(word):
            hint = "write numbers only: in the file's unit, t in s, arguments of sin in rad"
            hint += f'; a constant rate is speed = "{text}"' if re.fullmatch(r"[\d.\s]*\w+", text) else ""
            return Flaw(f"'{short(text)}' has the unit {word}; a formula has none", hint)
        if word[0].isalpha():
            return Flaw(f"'{short(text)}' has no sign between {digits} and {word}", f"write {digits}*{word}")
    return None


def _is_unit(word: str) -> bool:
    try:
        return any(unit(word)[1])
    except Flaw:
        return False


def check(node: ast.AST, depth: int = 0) -> None:
    """Raise `Flaw` for anything except numbers, t, and the known constants, operators and functions."""
    if depth > MAX_DEPTH:
        raise Flaw(f"the formula is nested more than {MAX_DEPTH} deep", "use fewer parentheses or terms")
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
            raise Flaw(f"'{unparsed(node)}' contains a comma", "write a decimal point: 0.5")
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
        hint = _OTHER_NAMES.get(name.lower()) or suggest(name, [*FUNCTIONS, *CHOICES])
        raise Flaw(f"the function '{short(name)}' is not allowed in a formula", hint)
    if name in FUNCTIONS and len(args) != 1:
        comma = decimal_comma(", ".join(map(ast.unparse, args)).replace(", ", ",", 1))
        raise Flaw(f"{name} takes one argument, found {len(args)}", comma)
    if name in CHOICES and len(args) < 2:
        raise Flaw(f"{name} takes two or more arguments, found {len(args)}")


def unparsed(node: ast.AST) -> str:
    """Return the text of a part of a formula, shortened if it is long."""
    return short(ast.unparse(node))
