"""The stroke of a cylinder, a slide, or a pin in a slot."""

from __future__ import annotations

from typing import Any

from structkin.model.fields import pair
from structkin.model.flaw import Flaw
from structkin.model.units import Units, decimal
from structkin.numerical_tolerances import EQUAL_DATA


def read_stroke(units: Units, value: Any, kind: str) -> tuple[float, float]:
    """Return (smallest, largest) in SI, of the kind "length" or "angle"; raise `Flaw`.

    >>> read_stroke(Units(), [-0.1, "30 mm"], "length")
    (-0.1, 0.03)
    """
    least, largest = (units.quantity(item, kind) for item in pair(value, "[smallest, largest]", "such as [20, 60]"))
    return least, largest


def check_stroke(
    units: Units,
    stroke: tuple[float, float],
    kind: str,
    drawn: float,
    hint: str = "draw it within its stroke, or correct the stroke",
) -> tuple[float, float]:
    """Return the stroke; raise `Flaw` unless it contains the coordinate in the sketch, `drawn`."""
    low, high = stroke
    if not low < high:
        message = f"the stroke from {shown(units, low, kind)} to {shown(units, high, kind)} does not increase"
        raise Flaw(message, "give [smallest, largest]")
    slack = EQUAL_DATA * (high - low)
    if not low - slack <= drawn <= high + slack:
        end = f"above {shown(units, high, kind)}" if drawn > high else f"below {shown(units, low, kind)}"
        raise Flaw(f"the sketch is outside this stroke: it is at {shown(units, drawn, kind)}, {end}", hint)
    return stroke


def shown(units: Units, value: float, kind: str) -> str:
    """Write a coordinate in the file's unit.

    >>> shown(Units(length="mm"), 0.12, "length")
    '120 mm'
    """
    unit = units.angle if kind == "angle" else units.length
    return f"{decimal(value / units.scale(kind), 6)} {unit}"
