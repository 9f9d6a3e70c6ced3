"""One thing wrong with one value, before it is known where the value stands."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

#: A number beyond this is a slip: its powers would leave the range of floats.
LARGEST = 1e100

_DECIMAL_COMMA = re.compile(r"\s*([+-]?\d+),(\d+)")


class Flaw(ValueError):  # noqa: N818 - never seen by a user: it becomes a Problem
    """What is wrong with a value and what to try; whoever knows the key makes a `Problem` of it."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Say what was found, and what to try."""
        self.message = message
        self.hint = hint
        super().__init__(f"{message}; {hint}" if hint else message)


def short(text: str) -> str:
    """Return at most 60 characters of a text that a message quotes."""
    return text if len(text) <= 60 else text[:57] + "..."


def describe(value: Any) -> str:
    """Say what a value is, in the words of someone who writes files.

    >>> describe("ten"), describe([1]), describe({}), describe(True)
    ("the text 'ten'", 'a list', 'a table', 'true')
    """
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
    """Return a hint where a text begins with a number that has a comma in it; else no text.

    >>> decimal_comma("-0,5 mm"), decimal_comma("0.5 mm")
    ('write a decimal point: -0.5', '')
    """
    match = _DECIMAL_COMMA.match(text)
    return f"write a decimal point: {match[1]}.{match[2]}" if match else ""


def number(value: Any) -> float:
    """Return a finite float; raise `Flaw` for text, truth values, NaN, infinity and the absurd.

    >>> number(3)
    3.0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        hint = "write it without quotes" if isinstance(value, str) else ""
        raise Flaw(f"expected a number, found {describe(value)}", hint)
    try:
        result = float(value)
    except OverflowError:  # an integer of hundreds of digits
        result = math.inf
    if not abs(result) <= LARGEST:
        shown = "a huge number" if isinstance(value, int) or math.isfinite(result) else value
        raise Flaw(f"expected a finite number, found {shown}")
    return result
