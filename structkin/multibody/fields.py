"""Field types of the entries of a file of bodies in space, each with its check; numbers are converted to SI."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator, ValidationInfo

from structkin.model.fields import pair
from structkin.model.flaw import Flaw, describe, number
from structkin.model.units import Units
from structkin.numerical_tolerances import ROUNDED_DATA
from structkin.types import Floats


def items_of(value: Any, counts: tuple[int, ...], what: str, hint: str = "") -> list[Any]:
    """Return the items of a list, tuple or array with one of these lengths; raise `Flaw` otherwise.

    >>> items_of((1, 2, 3), (3,), "[x, y, z]")
    [1, 2, 3]
    """
    if isinstance(value, str) or not isinstance(value, list | tuple | np.ndarray):
        raise Flaw(f"expected {what}, found {describe(value)}", hint)
    items = list(value)
    if len(items) not in counts:
        raise Flaw(f"expected {what}, found a list of {len(items)}", hint)
    return items


def vector3(value: Any, kind: str, units: Units) -> Floats:
    """Return [x, y, z] as an array (3,) in SI; raise `Flaw`."""
    hint = f"such as {'[0, 0, -9.81]' if kind == 'acceleration' else '[0, 0, 0.1]'}"
    return np.array([units.quantity(item, kind) for item in items_of(value, (3,), "three numbers [x, y, z]", hint)])


def direction3(value: Any) -> Floats:
    """Return [x, y, z] as a unit vector (3,); raise `Flaw`.

    >>> direction3([0, 0, 2]).tolist()
    [0.0, 0.0, 1.0]
    """
    axis = np.array([number(item) for item in items_of(value, (3,), "a direction [x, y, z]")])
    axis /= np.abs(axis).max() or 1.0  # numbers of any size have a length
    length = float(np.linalg.norm(axis))
    if length == 0:
        raise Flaw("the direction [0, 0, 0] is not a direction", "such as [0, 0, 1]")
    return np.asarray(axis / length)


def square_to(axis: Floats, second: Floats) -> Floats:
    """Return the second direction, made exactly square to the axis; raise `Flaw` unless it is so already.

    >>> square_to(np.array([0.0, 0, 1]), np.array([1.0, 0, 0])).tolist()
    [1.0, 0.0, 0.0]
    """
    cosine = float(axis @ second)
    if abs(cosine) > ROUNDED_DATA:
        angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
        raise Flaw(f"is not perpendicular to the axis: the angle is {angle:.4g} deg", "give a direction at 90 deg")
    square = second - cosine * axis
    return np.asarray(square / np.linalg.norm(square))


def any_square_to(axis: Floats) -> Floats:
    """Return a direction square to the axis: the ground axis furthest from it, made square."""
    unit = np.eye(3)[int(np.argmin(np.abs(axis)))]
    square = unit - (axis @ unit) * axis
    return np.asarray(square / np.linalg.norm(square))


def _axes(value: Any) -> Floats:
    """Return the rotation (3, 3) whose columns are the axes; the third completes a right-handed triad."""
    first, second = (direction3(item) for item in items_of(value, (2,), "two directions [[x, y, z], [x, y, z]]"))
    second = square_to(first, second)
    return np.column_stack([first, second, np.cross(first, second)])


def _units(info: ValidationInfo) -> Units:
    assert isinstance(info.context, Units)
    return info.context


def _spot(value: Any, info: ValidationInfo) -> str | Floats:
    return value if isinstance(value, str) else vector3(value, "length", _units(info))


def _spots(value: Any, info: ValidationInfo) -> tuple[str | Floats, str | Floats]:
    first, second = pair(value, "two points")
    return _spot(first, info), _spot(second, info)


def _sizes(value: Any, info: ValidationInfo) -> tuple[float, float, float]:
    items = items_of(value, (3,), "three lengths [a, b, c]")
    a, b, c = (_units(info).quantity(item, "length", "positive") for item in items)
    return a, b, c


def _two_bodies(value: Any) -> tuple[str, str]:
    first, second = pair(value, "the names of two bodies")
    for name in (first, second):
        if not isinstance(name, str):
            raise Flaw(f"expected a name in quotes, found {describe(name)}")
    return first, second


def _refs(value: Any) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else items_of(value, (1, 2), "a name, or a list of two")
    for item in items:
        if not isinstance(item, str):
            raise Flaw(f"expected names in quotes, found {describe(item)}", 'such as "rod.B"')
    return tuple(items)


Spot = Annotated[str | Floats, PlainValidator(_spot)]
TwoSpots = Annotated[tuple[str | Floats, str | Floats], PlainValidator(_spots)]
TwoBodies = Annotated[tuple[str, str], PlainValidator(_two_bodies)]
Direction = Annotated[Floats, PlainValidator(direction3)]
Axes = Annotated[Floats, PlainValidator(_axes)]
BoxSize = Annotated[tuple[float, float, float], PlainValidator(_sizes)]
Refs = Annotated[tuple[str, ...], PlainValidator(_refs)]
