"""Formulas of t with exact rates, parsed safely.

A formula is evaluated with truncated Taylor series of order three (`structkin.model.formula_at`), so that rates are
exact, not finite differences.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.model.flaw import Flaw, decimal_comma, short
from structkin.model.tape import CHOICES, CONSTANTS, FUNCTIONS, at, line_of, tape_of
from structkin.model.topology import suggest
from structkin.model.units import unit


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
        #: The formula as the operations that `structkin.model.formula_at` reads.
        self.tape = tape_of(self._tree)

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """Return value, first and second derivative (n,) at the times t (n,); NaN or infinite outside its domain."""
        return self._series(t)[:3]

    def third(self, t: Any) -> Any:
        """Return the third time derivative (n,) at the times t (n,).

        >>> import numpy as np
        >>> Expression("t**4").third(np.array([2.0])).tolist()
        [48.0]
        """
        return self._series(t)[3]

    def _series(self, t: Any) -> tuple[Any, Any, Any, Any]:
        t = np.asarray(t)
        return at(self.tape, t if np.iscomplexobj(t) else t.astype(float))

    @property
    def slope(self) -> float | None:
        """The constant rate if the formula is written as a linear function of t, else None."""
        line = line_of(self.tape)
        return line[1] if line is not None and math.isfinite(line[1]) else None

    @property
    def degrees(self) -> list[str]:
        """The calls of sin, cos and tan whose arguments look like degrees, though they are radians.

        Such an argument is c + s t without pi, where s, from 30 on, is a multiple of 15, or c one of 45.

        >>> Expression("30*sin(360*t) + cos(pi*t/180*90) + sin(t - 90) + sin(2*t)").degrees
        ['sin(360 * t)', 'sin(t - 90)']
        """
        calls = [node for node in ast.walk(self._tree) if isinstance(node, ast.Call) and _like_degrees(node)]
        return [unparsed(call) for call in sorted(calls, key=lambda call: call.col_offset)]

    @property
    def numbers(self) -> list[float]:
        """The numbers as they are written, in the order of the text, without signs.

        >>> Expression("30 - 5e-1*sin(0x2*t)").numbers
        [30.0, 0.5, 2.0]
        """
        return [value for _, _, value in self._places()]

    def with_number(self, index: int, value: float) -> str:
        """Return the text with another value of a number.

        >>> Expression("30 - 5e-1*sin(2*t)").with_number(1, -0.4)
        '30 - (-0.4)*sin(2*t)'
        """
        text, (start, end, _) = self.text.strip(), self._places()[index]
        return f"{text[:start]}{value!r}{text[end:]}" if value >= 0 else f"{text[:start]}({value!r}){text[end:]}"

    def _places(self) -> list[tuple[int, int, float]]:
        """Return where each number begins and ends in the text without spaces around it, and its value."""
        text = self.text.strip()
        lines = np.cumsum([0, *(len(line) for line in text.splitlines(keepends=True))]).tolist()
        found = [node for node in ast.walk(self._tree) if isinstance(node, ast.Constant)]
        return sorted(
            (begin + node.col_offset, begin + int(node.end_col_offset or 0), float(ast.literal_eval(node)))
            for node in found
            for begin in lines[node.lineno - 1 : node.lineno]
        )

    def __repr__(self) -> str:
        """Show the text."""
        return f"Expression({self.text!r})"


def _like_degrees(call: ast.Call) -> bool:
    names = [part.id for part in ast.walk(call) if isinstance(part, ast.Name)]
    if names[0] not in ("sin", "cos", "tan") or "pi" in names or "tau" in names:
        return False
    start, slope = line_of(tape_of(call.args[0])) or (0.0, 0.0)
    return (abs(slope) >= 30 and slope % 15 == 0) or (start != 0 and start % 45 == 0)


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
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        missing = text.count("(") - text.count(")")
        if missing > 0:
            place = f": {missing} closing bracket{'' if missing == 1 else 's'} missing"
        raise _misread(text) or Flaw(f"'{short(text)}' is not a formula{place}", 'such as "0.5*sin(2*pi*t)"') from None
    except (ValueError, RecursionError, MemoryError):
        raise Flaw("the formula cannot be read", "make it shorter, with less nesting") from None
    if any(isinstance(node, ast.Tuple) for node in ast.walk(tree)):
        raise Flaw(f"'{short(text)}' contains a comma", _without_commas(text.strip()))
    return tree


def _without_commas(text: str) -> str:
    """Return a hint what to write for a formula whose numbers have commas.

    >>> _without_commas("1,015*t"), _without_commas("1,192.7 + t")
    ('write a decimal point: 1.015*t; if the comma separates thousands, write 1015*t', 'write 1192.7 + t')
    """

    def written(comma: str) -> str:
        """Return the text with something else for each comma that may separate thousands."""

        def number(found: re.Match[str]) -> str:
            if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", found[0]):
                return found[0].replace(",", "" if "." in found[0] or found[0].count(",") > 1 else comma)
            return found[0] if "." in found[0] or found[0].count(",") > 1 else found[0].replace(",", ".")

        return re.sub(r"(?<![\w.])\d+(?:,\d+)+(?:\.\d+)?", number, text)

    point, plain = written("."), written("")
    if point == text:
        return "write one formula; decimals have a point"
    hint = f"write {'a decimal point: ' * (point.count('.') > text.count('.'))}{point}"
    return hint if plain == point else f"{hint}; if the comma separates thousands, write {plain}"


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
