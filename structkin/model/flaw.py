"""One error in a value, before it is known which key the value belongs to."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem

#: A larger number is an error: its powers would overflow.
LARGEST = 1e100

#: Errors of one text that are listed: the first ones show what is to be learned.
MOST = 10

_COMMA = re.compile(r"\s*([+-]?\d+),(\d+)((?:\.\d+)?(?:[eE][+-]?\d+)?)")


class Flaw(ValueError):  # noqa: N818 - never seen by a user: it becomes a Problem
    """What is wrong with a value and what to try; a caller that knows the key turns it into a `Problem`."""

    def __init__(self, message: str, hint: str = "", others: Sequence[Flaw] = ()) -> None:
        """Say what was found, and what to try; `others` were found in the same text."""
        self.message = message
        self.hint = hint
        self.others = tuple(others)
        super().__init__(f"{message}; {hint}" if hint else message)

    def problems(self, key: str) -> list[Problem]:
        """Return this and the others as problems of a key."""
        return [Problem(key, flaw.message, flaw.hint) for flaw in (self, *self.others)]

    def error(self, source: str) -> InputError:
        """Return this and the others as the error of a whole file."""
        problems = self.problems("")
        return InputError(problems, source, more=len(problems) >= MOST)


def indefinite(noun: str) -> str:
    """Return a noun with its indefinite article.

    >>> indefinite("angle"), indefinite("length")
    ('an angle', 'a length')
    """
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def short(text: str) -> str:
    """Return at most 60 characters of a text quoted in a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def describe(value: Any) -> str:
    """Describe a value in the terms of a TOML or JSON file.

    >>> describe("ten"), describe([1]), describe({}), describe(True)
    ("the text 'ten'", 'a list', 'a table', 'true')
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if value is None:
        return "nothing"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{short(value)}'"
    if isinstance(value, int | float | np.integer | np.floating):
        return f"the number {value}" if len(str(value)) <= 25 else "a long number"
    if isinstance(value, list | tuple | np.ndarray):
        return "a list"
    if isinstance(value, Mapping):
        return "a table"
    return f"a {type(value).__name__}"


def decimal_comma(text: str) -> str:
    """Return a hint if a text begins with a number with a comma; else an empty string.

    >>> decimal_comma("-0,5 mm"), decimal_comma("0.5 mm")
    ('write a decimal point: -0.5', '')
    >>> decimal_comma("1,015"), decimal_comma("1,015.2")
    ('write a decimal point: 1.015; if the comma separates thousands, write 1015', 'write 1015.2')
    """
    match = _COMMA.match(text)
    if match is None:
        return ""
    thousands = re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", f"{match[1]},{match[2]}")
    plain = f"write {match[1]}{match[2]}{match[3]}"
    if "." in match[3]:
        return plain if thousands else ""
    hint = f"write a decimal point: {match[1]}.{match[2]}{match[3]}"
    return f"{hint}; if the comma separates thousands, {plain}" if thousands else hint


def number(value: Any) -> float:
    """Return a finite float; raise `Flaw` for text, booleans, NaN, infinity and absurdly large numbers.

    >>> number(3)
    3.0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        hint = "write it without quotes" if isinstance(value, str) else "write a number, such as 0.5"
        raise Flaw(f"expected a number, found {describe(value)}", hint)
    try:
        result = float(value)
    except OverflowError:  # an integer of hundreds of digits
        result = math.inf
    if not abs(result) <= LARGEST:
        shown = "a huge number" if isinstance(value, int) or math.isfinite(result) else value
        raise Flaw(f"expected a finite number, found {shown}", f"write one of at most {LARGEST:g}")
    return result
