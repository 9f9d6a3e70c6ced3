"""The stroke of what has ends: a cylinder, a slide, a pin in its slot."""

from __future__ import annotations

from typing import Any

from structkin.model.fields import pair
from structkin.model.flaw import Flaw
from structkin.model.units import Units

#: By this part of a stroke a coordinate may be beyond its end: rounding is no mistake, and no end.
SLACK = 1e-9


def read_stroke(units: Units, value: Any, kind: str) -> tuple[float, float]:
    """Return [least, largest] in SI, of the kind "length" or "angle"; raise `Flaw`.

    >>> read_stroke(Units(), [-0.1, "30 mm"], "length")
    (-0.1, 0.03)
    """
    least, largest = (units.quantity(item, kind) for item in pair(value, "[least, largest]"))
    return least, largest


def check_stroke(
    units: Units, stroke: tuple[float, float], kind: str, drawn: float, hint: str = "draw it between its ends"
) -> tuple[float, float]:
    """Return a stroke in which the coordinate of the sketch, `drawn`, lies; raise `Flaw` where there is no such."""
    low, high = stroke
    if not low < high:
        message = f"goes from {shown(units, low, kind)} to {shown(units, high, kind)}"
        raise Flaw(message, "give [least, largest], the lesser one first")
    slack = SLACK * (high - low)
    if not low - slack <= drawn <= high + slack:
        end = f"above {shown(units, high, kind)}" if drawn > high else f"below {shown(units, low, kind)}"
        raise Flaw(f"the sketch is beyond this stroke: it is drawn at {shown(units, drawn, kind)}, {end}", hint)
    return stroke


def shown(units: Units, value: float, kind: str) -> str:
    """Write a coordinate in the file's unit.

    >>> shown(Units(length="mm"), 0.12, "length")
    '120 mm'
    """
    unit = units.angle if kind == "angle" else units.length
    return f"{value / units.scale(kind):.6g} {unit}"
