"""Formulas of t with exact rates, parsed safely.

The text goes through Python's parser, never through `eval`: a short list of nodes is let through, and the tree is
walked over truncated Taylor series (jets) of order three, so that rates are exact and not differenced.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.model.flaw import Flaw, short
from structkin.model.topology import suggest

MAX_CHARACTERS = 1000
MAX_DEPTH = 60
MAX_POWER = 64

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e}


@dataclass(frozen=True, slots=True)
class Jet:
    """A function of time at some instants: value, rate, second and third rate, arrays (n,)."""

    v: Any
    d: Any
    dd: Any
    ddd: Any

    def chain(self, f: Any, f1: Any, f2: Any, f3: Any) -> Jet:
        """Return f(self), given f and its three derivatives there, by the formula of Faa di Bruno."""
        return Jet(
            f,
            f1 * self.d,
            f2 * self.d**2 + f1 * self.dd,
            f3 * self.d**3 + 3 * f2 * self.d * self.dd + f1 * self.ddd,
        )

    def __add__(self, other: Jet) -> Jet:
        """Return u + w."""
        return Jet(self.v + other.v, self.d + other.d, self.dd + other.dd, self.ddd + other.ddd)

    def __neg__(self) -> Jet:
        """Return -u."""
        return Jet(-self.v, -self.d, -self.dd, -self.ddd)

    def __mul__(self, other: Jet) -> Jet:
        """Return u w, by Leibniz' rule."""
        return Jet(
            self.v * other.v,
            self.d * other.v + self.v * other.d,
            self.dd * other.v + 2 * self.d * other.d + self.v * other.dd,
            self.ddd * other.v + 3 * (self.dd * other.d + self.d * other.dd) + self.v * other.ddd,
        )

    def power(self, c: float) -> Jet:
        """Return self**c; a vanishing coefficient is left out, for 0 times 1/0 is not a number."""
        u = self.v
        zero = np.zeros_like(u)
        f1 = c * u ** (c - 1) if c != 0 else zero
        f2 = c * (c - 1) * u ** (c - 2) if c not in (0, 1) else zero
        f3 = c * (c - 1) * (c - 2) * u ** (c - 3) if c not in (0, 1, 2) else zero
        return self.chain(u**c, f1, f2, f3)


Derivatives = tuple[Any, Any, Any, Any]


def _tan(u: Any) -> Derivatives:
    f = np.tan(u)
    return f, 1 + f**2, 2 * f * (1 + f**2), 2 * (1 + f**2) * (1 + 3 * f**2)


def _tanh(u: Any) -> Derivatives:
    f = np.tanh(u)
    return f, 1 - f**2, -2 * f * (1 - f**2), -2 * (1 - f**2) * (1 - 3 * f**2)


def _sqrt(u: Any) -> Derivatives:
    f = np.sqrt(u)
    return f, 0.5 / f, -0.25 / f**3, 0.375 / f**5


def _asin(u: Any) -> Derivatives:
    w = 1 - u**2
    return np.arcsin(u), w**-0.5, u * w**-1.5, (1 + 2 * u**2) * w**-2.5


def _acos(u: Any) -> Derivatives:
    _, f1, f2, f3 = _asin(u)
    return np.arccos(u), -f1, -f2, -f3


def _atan(u: Any) -> Derivatives:
    w = 1 + u**2
    return np.arctan(u), 1 / w, -2 * u / w**2, (6 * u**2 - 2) / w**3


def _constant(f: Any) -> Derivatives:
    zero = np.zeros_like(f)
    return f, zero, zero, zero


#: Functions of one argument: value and three derivatives.
FUNCTIONS: Mapping[str, Callable[[Any], Derivatives]] = {
    "sin": lambda u: (np.sin(u), np.cos(u), -np.sin(u), -np.cos(u)),
    "cos": lambda u: (np.cos(u), -np.sin(u), -np.cos(u), np.sin(u)),
    "tan": _tan,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "sinh": lambda u: (np.sinh(u), np.cosh(u), np.sinh(u), np.cosh(u)),
    "cosh": lambda u: (np.cosh(u), np.sinh(u), np.cosh(u), np.sinh(u)),
    "tanh": _tanh,
    "exp": lambda u: (np.exp(u),) * 4,
    "log": lambda u: (np.log(u), 1 / u, -1 / u**2, 2 / u**3),
    "sqrt": _sqrt,
    "abs": lambda u: (np.abs(u), *_constant(np.sign(u))[:3]),
    "sign": lambda u: _constant(np.sign(u)),
}

#: Functions of two or more arguments: which of two values is taken.
CHOICES: Mapping[str, Callable[[Any, Any], Any]] = {"min": np.less_equal, "max": np.greater_equal}

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


class Expression:
    """A formula of t: numbers, t, pi, e, + - * / **, and functions such as sin, exp, sqrt, min.

    Trigonometric arguments are radians. Raises `Flaw` (a `ValueError`) for anything else.

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
        self._tree = _parse(text)
        _check(self._tree, 0)
        # t = 0.5 is an ordinary instant: what fails here, fails for its constants
        with np.errstate(all="ignore"):
            _walk(self._tree, _time(np.array([0.5])))

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """Return value, rate and second rate at the times t (n,), each (n,); NaN or infinite outside its domain."""
        jet = self._jet(t)
        return jet.v, jet.d, jet.dd

    def third(self, t: Any) -> Any:
        """Return the third rate (n,) at the times t (n,).

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
        return None if line is None else float(line[1])

    def __repr__(self) -> str:
        """Show the text."""
        return f"Expression({self.text!r})"


def _parse(text: str) -> ast.expr:
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


def _check(node: ast.AST, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Flaw(f"the formula is nested more than {MAX_DEPTH} deep", "write it with fewer parentheses or terms")
    match node:
        case ast.Constant(value=bool()) | ast.Constant(value=str() | bytes() | complex() | None):
            raise Flaw(f"{_short(node)} is not a number")
        case ast.Constant(value=int() | float() as value):
            if not abs(value) <= 1e100:
                raise Flaw("a number in the formula is too large")
        case ast.Name(id=name):
            _check_name(name)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            _check(left, depth + 1)
            _check(right, depth + 1)
        case ast.BinOp(op=ast.BitXor()):
            raise Flaw("'^' is not a power here", "write ** for a power")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            _check_call(name, args)
            for argument in args:
                _check(argument, depth + 1)
        case ast.Call():
            raise Flaw(
                f"'{_short(node)}' is not allowed in a formula", f"functions: {', '.join([*FUNCTIONS, *CHOICES])}"
            )
        case _:
            raise Flaw(f"'{_short(node)}' is not allowed in a formula", "only numbers, t, + - * / ** and functions")


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


def _short(node: ast.AST) -> str:
    return short(ast.unparse(node))


def _walk(node: ast.expr, t: Jet) -> Jet | Any:
    """Evaluate; what does not depend on t stays a NumPy number, so that sqrt(0) has no infinite rate."""
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
        case _:  # pragma: no cover - _check lets nothing else through
            raise Flaw(f"'{_short(node)}' is not allowed in a formula")
    if not isinstance(result, Jet) and not np.isfinite(result):
        raise Flaw(f"'{_short(node)}' is not a finite number")
    return result


def _time(t: Any) -> Jet:
    """Return time itself."""
    zero = np.zeros_like(t)
    return Jet(t, np.ones_like(t), zero, zero)


def _jet(value: Jet | Any, t: Any) -> Jet:
    """Return a value as a jet at the times t (n,)."""
    return value if isinstance(value, Jet) else Jet(*_constant(np.full_like(t, value)))


def _operate(op: ast.operator, left: Jet | Any, right: Jet | Any, t: Jet) -> Jet | Any:
    if isinstance(op, ast.Pow):
        if not isinstance(right, Jet):
            if abs(right) > MAX_POWER:
                raise Flaw(f"the power {right:g} is too large", f"at most {MAX_POWER}")
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
