"""Field types of the entries of a mechanism file, each with its check; numbers are converted to SI.

Each also has the JSON schema of what may be written, from which that of the mechanism file is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator, ValidationInfo

from structkin.model.flaw import Flaw, describe, number
from structkin.model.topology import suggest
from structkin.model.units import Units


@dataclass(frozen=True)
class Checked(PlainValidator):
    """The check of a field, and the JSON schema of what may be `written` there."""

    written: Mapping[str, Any] = field(default_factory=dict, hash=False, kw_only=True)


def checked(check: Callable[..., Any], written: Mapping[str, Any]) -> Checked:
    """Return a check, which raises `Flaw`, with the schema of what may be written."""
    return Checked(check, written=written)


#: The schemas of what several fields hold. A quantity is a number in the file's unit, or text with its unit.
TEXT = {"type": "string"}
NUMBER = {"type": "number"}
_WITH_UNIT = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*[^\s0-9.,+-]"
QUANTITY: Mapping[str, Any] = {"anyOf": [NUMBER, {"type": "string", "pattern": _WITH_UNIT}]}


#: A quantity that is greater than zero, if it is a number.
POSITIVE: Mapping[str, Any] = {"anyOf": [{**NUMBER, "exclusiveMinimum": 0}, QUANTITY["anyOf"][1]]}


def listed(item: Mapping[str, Any], least: int = 0, most: int | None = None) -> dict[str, Any]:
    """Return the schema of a list of such items."""
    return {"type": "array", "items": item, "minItems": least} | ({} if most is None else {"maxItems": most})


#: Two quantities, such as [x, y].
VECTOR = listed(QUANTITY, 2, 2)
#: Rows of a table.
ROWS = listed(listed(NUMBER, 2, 2), 2)
#: A number, a formula of t, or a quantity.
LAW = {"type": ["number", "string"]}


def pair(value: Any, what: str, hint: str = "") -> list[Any]:
    """Return the two items of a list, tuple or array; raise `Flaw`, with the hint, otherwise.

    >>> pair((1, 2), "[x, y]")
    [1, 2]
    """
    if not isinstance(value, list | tuple | np.ndarray) or getattr(value, "ndim", 1) == 0:
        raise Flaw(f"expected {what}, found {describe(value)}", hint)
    items = list(value)
    if len(items) != 2:
        raise Flaw(f"expected {what}, found a list of {len(items)}", hint)
    return items


def _units(info: ValidationInfo) -> Units:
    assert isinstance(info.context, Units)
    return info.context


def scalar(kind: str, *, sign: str = "") -> Checked:
    """Return the validator of a quantity, converted to SI; `sign`: "positive" or "not negative"."""

    def check(value: Any, info: ValidationInfo) -> float:
        return _units(info).quantity(value, kind, sign)

    least = {"positive": {"exclusiveMinimum": 0}, "not negative": {"minimum": 0}}.get(sign, {})
    return checked(check, {"anyOf": [NUMBER | least, QUANTITY["anyOf"][1]]})


def place(kind: str) -> Checked:
    """Return the validator of a vector, converted to x + iy in SI."""

    def check(value: Any, info: ValidationInfo) -> complex:
        return vector(value, kind, _units(info))

    return checked(check, VECTOR)


def vector(value: Any, kind: str, units: Units) -> complex:
    """Return [x, y] as x + iy in SI, a place from the origin of the units; raise `Flaw`."""
    x, y = numbers(value, "two numbers [x, y]", "[0, -9.81]" if kind == "acceleration" else "[20, 35.4]")
    found = complex(units.quantity(x, kind), units.quantity(y, kind))
    return found - units.origin if kind == "length" else found


def numbers(value: Any, what: str, sample: str) -> list[Any]:
    """Return the two items of a vector, as `pair`; the hint of the `Flaw` is what was probably meant.

    >>> numbers([15, 2, 0, 5], "two numbers [x, y]", "[1, 2]")
    Traceback (most recent call last):
    structkin.model.flaw.Flaw: expected two numbers [x, y], found a list of 4; if these are decimal commas: [15.2, 0.5]
    """
    try:
        return pair(value, what)
    except Flaw as flaw:
        raise Flaw(flaw.message, _meant(value) or f"such as {sample}") from None


def _meant(value: Any) -> str:
    """Return the vector that was probably meant, as a hint; empty if there is no guess."""
    if isinstance(value, str):
        items = [item.strip() for item in value.strip("[]() ").split("," if "," in value else ";")]
        return f"write it without quotes: [{', '.join(items)}]" if len(items) == 2 and "" not in items else ""
    if isinstance(value, list | tuple) and len(value) in (3, 4):
        if all(isinstance(item, int) and not isinstance(item, bool) for item in value):
            x, y = (value[:2], value[2:]) if value[1] >= 0 else (value[:1], value[1:])
            if all(item >= 0 for item in (*x[1:], *y[1:])) and max(len(x), len(y)) == 2:
                hint = f"if these are decimal commas: [{'.'.join(map(str, x))}, {'.'.join(map(str, y))}]"
                if all(len(part) == 1 or (1 <= part[0] < 1000 and 100 <= part[1] < 1000) for part in (x, y)):
                    hint += f"; if they separate thousands: [{', '.join(''.join(map(str, part)) for part in (x, y))}]"
                return hint
        return "a mechanism is planar: x and y only" if len(value) == 3 else ""
    return ""


def _axis(value: Any) -> complex:
    x, y = pair(value, "a direction [x, y]", "such as [1, 0] along x, [0, 1] along y")
    axis = complex(number(x), number(y))
    if axis == 0:
        raise Flaw("the direction [0, 0] is not a direction", "such as [1, 0]")
    return axis / abs(axis)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        name = value[0] if isinstance(value, list | tuple) and len(value) == 1 else "A"
        raise Flaw(f"expected a name in quotes, found {describe(value)}", f'such as "{name}"')
    return value


def _names(what: str, sample: str) -> Checked:
    def check(value: Any) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            raise Flaw(f"expected a list of {what} names, found {describe(value)}", f"such as {sample}")
        return _all_text(value, what, sample)

    return checked(check, listed(TEXT))


def _all_text(value: Iterable[Any], what: str, sample: str) -> tuple[str, ...]:
    for item in value:
        if not isinstance(item, str):
            raise Flaw(f"expected {what} names in quotes, found {describe(item)} in the list", f"such as {sample}")
    return tuple(value)


def _two(what: str, sample: str) -> Checked:
    def check(value: Any) -> tuple[str, str]:
        first, second = _all_text(pair(value, f"two {what} names", f"such as {sample}"), what, sample)
        return first, second

    return checked(check, listed(TEXT, 2, 2))


def _columns(value: Any) -> tuple[str | int, str | int]:
    columns = pair(value, "two columns", 'such as ["t", "x"] or [1, 3]')
    for column in columns:
        if isinstance(column, bool) or not isinstance(column, str | int) or (isinstance(column, int) and column < 1):
            raise Flaw(f"expected titles or numbers from 1, found {describe(column)}", 'such as ["t", "x"] or [1, 3]')
    if columns[0] == columns[1]:
        raise Flaw(f"names the column {columns[0]!r} twice", "the first is the time, or the angle of a cam")
    return columns[0], columns[1]


def _location(value: Any, info: ValidationInfo) -> str | complex:
    return value if isinstance(value, str) else vector(value, "length", _units(info))


def one_of(*words: str) -> Callable[[Any], str]:
    """Return a check that a word is one of these."""

    def check(value: Any) -> str:
        if value not in words:
            close = suggest(value, words) if isinstance(value, str) else ""
            expected = f"expected {' or '.join(repr(word) for word in words)}, found {describe(value)}"
            raise Flaw(expected, close if close.startswith("did") else "")
        return str(value)

    return check


def word(*words: str) -> Checked:
    """Return the check of a field that is one of these words."""
    return checked(one_of(*words), {"enum": list(words)})


def given(*written: Mapping[str, Any]) -> Checked:
    """Return the check of a field that is taken as it is, and checked where it is used: one of these schemas."""
    return checked(lambda value: value, {"anyOf": list(written)} if len(written) > 1 else (written or ({},))[0])


def _real(value: Any) -> float:
    result = number(value)
    if result == 0:
        raise Flaw("expected a ratio other than zero, found 0", "it is omega_1 / omega_2 relative to the carrier")
    return result


def _teeth(value: Any) -> tuple[int, int]:
    counts = pair(value, "two numbers of teeth", "such as [20, 40]")
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise Flaw(f"expected two whole numbers of teeth, found {describe(count)}", "such as [20, 40]")
    return counts[0], counts[1]


def _radii(value: Any, info: ValidationInfo) -> tuple[float, float]:
    first, second = (_units(info).quantity(item, "length") for item in pair(value, "two radii", "such as [20, 40]"))
    if first <= 0 or second <= 0:
        raise Flaw("expected two positive radii", "for an internal gear write internal = true, not a negative radius")
    return first, second


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Flaw(f"expected true or false, found {describe(value)}")
    return value


def _whole(value: Any) -> int:
    found = number(value)
    if found != int(found):
        raise Flaw(f"expected a whole number, found {value}")
    return int(found)


_COUNT = {"type": "integer", "minimum": 1}

Name = Annotated[str, checked(_text, TEXT)]
Names = Annotated[tuple[str, ...], _names("point", '["A", "B"]')]
LinkNames = Annotated[tuple[str, ...], _names("link", '["crank", "gear"]')]
TwoLinks = Annotated[tuple[str, str], _two("link", '["ground", "crank"]')]
TwoPoints = Annotated[tuple[str, str], _two("point", '["E", "F"]')]
#: Of joints that take a direction instead, too.
Line = Annotated[tuple[str, str], _two("point", '["E", "F"]; a direction is written as an axis')]
Columns = Annotated[tuple[str | int, str | int], checked(_columns, listed({"anyOf": [TEXT, _COUNT]}, 2, 2))]
Axis = Annotated[complex, checked(_axis, {**listed(NUMBER, 2, 2), "not": {"const": [0, 0]}})]
Location = Annotated[str | complex, checked(_location, {"anyOf": [TEXT, VECTOR]})]
Anything = Annotated[Any, given()]
Given = Annotated[Any, given(QUANTITY)]
Stroke = Annotated[Any, given(VECTOR)]
LawValue = Annotated[Any, given(LAW)]
Table = Annotated[Any, given(ROWS)]
Effort = Annotated[Any, given(LAW, ROWS)]
Ratio = Annotated[float, checked(_real, NUMBER)]
Teeth = Annotated[tuple[int, int], checked(_teeth, listed(_COUNT, 2, 2))]
Radii = Annotated[tuple[float, float], checked(_radii, VECTOR)]
Whole = Annotated[int, checked(_whole, {"type": "integer"})]
Flag = Annotated[bool, checked(_flag, {"type": "boolean"})]
Radius = Annotated[float, scalar("length", sign="positive")]
