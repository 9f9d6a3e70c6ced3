"""Quantities of a motion in the units of a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.model.mechanism import Mechanism
from structkin.model.units import Units
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.solve import Motion
from structkin.types import Floats

#: The base unit of each quantity of a motion, and how often it is divided by time.
_QUANTITIES = {
    "length": ("length", 0),
    "speed": ("length", 1),
    "acceleration": ("length", 2),
    "angle": ("angle", 0),
    "omega": ("angle", 1),
    "alpha": ("angle", 2),
}

#: Position, velocity and acceleration of a point and of a link.
OF_POINT = ("length", "speed", "acceleration")
OF_LINK = ("angle", "omega", "alpha")


_RATE = ("", "/s", "/s^2")


@dataclass(frozen=True)
class Measures:
    """Sizes in SI and names of the units in which a motion is shown.

    >>> mm = Measures(Units(length="mm", angle="deg"))
    >>> mm.size("speed"), mm.unit("acceleration"), mm.pretty("alpha")
    (0.001, 'mm/s^2', 'deg/s²')
    """

    units: Units
    #: The quantities that are in metres whatever the unit of lengths.
    in_metres: frozenset[str] = frozenset()

    def size(self, quantity: str) -> float:
        """Return the size in SI of a quantity's unit."""
        return 1.0 if quantity in self.in_metres else self.units.scale(_QUANTITIES[quantity][0])

    def unit(self, quantity: str) -> str:
        """Return the name of a quantity's unit, as a file has it."""
        base, power = _QUANTITIES[quantity]
        return ("m" if quantity in self.in_metres else str(getattr(self.units, base))) + _RATE[power]

    def pretty(self, quantity: str) -> str:
        """Return the name of a quantity's unit for a picture."""
        return pretty(self.unit(quantity))


def pretty(unit: str) -> str:
    """Return the name of a unit in a file as pictures and pages have it.

    >>> pretty("um/s^2")
    'µm/s²'
    """
    return unit.replace("^2", "²").replace("um", "µm")


def measures_of(mechanism: Mechanism, units: Units | None = None) -> Measures:
    """Return the measures of these units, or of the mechanism's file."""
    return Measures(units or mechanism.units)


def usual(motion: Motion, quantity: str) -> float:
    """Return a typical magnitude [SI] of a quantity in a motion; values far below it are rounding errors.

    It is the mechanism's size or 1 rad, times the largest speed of a driver, relative to those, for each derivative.
    """
    base, power = _QUANTITIES[quantity]
    units = {"angle": 1.0, "length": motion.size}
    rates = [np.abs(z[1]) / units[motion.mechanism.drivers[id].quantity] for id, z in motion.drivers.items()]
    pace = max(map(largest, rates), default=0.0)
    return float(units[base] * pace**power)


def largest(values: Floats) -> float:
    """Return the largest magnitude among values of any shape, 0 if none is known.

    >>> largest(np.array([1.0, -3.0, np.nan]))
    3.0
    """
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def first_peak(values: Floats) -> int | None:
    """Return the sample of the largest magnitude of values (n,), the first of those that agree but for rounding errors.

    None if no value is known.

    >>> first_peak(np.array([np.nan, 3.0, -3.000000000001, 1.0]))
    1
    """
    sizes = np.abs(values)
    if not np.isfinite(sizes).any():
        return None
    return int(np.argmax(sizes >= (1 - NEGLIGIBLE) * np.nanmax(sizes)))


def per(top: str, *bottoms: str) -> str:
    """Return the name of a unit divided by others.

    >>> per("mm", "rad"), per("mm", "mm"), per("rad", "rad", "rad"), per("mm", "rad", "rad")
    ('mm/rad', '1', '1/rad', 'mm/rad²')
    """
    left = list(bottoms)
    if top in left:
        left.remove(top)
        top = "1"
    below = f"{left[0]}²" if len(left) == 2 and left[0] == left[1] else " ".join(left)
    if not below:
        return top
    return f"{top}/({below})" if " " in below else f"{top}/{below}"
