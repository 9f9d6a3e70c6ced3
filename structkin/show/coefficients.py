"""Velocity coefficients K and their derivatives L of points and links, with their units.

Lengths are in the file's unit and angles in radians, so that K of a point by an angle is a lever arm, and K of a link
by an angle is a ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from structkin.model.units import Units
from structkin.show.quantities import driver_quantity, measures_of, per
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import PartKind
from structkin.types import Floats


@dataclass(frozen=True)
class Coefficient:
    """K by one driver or L by two `drivers`: values (k, n), k = 2 for x and y of a point, k = 1 for an angle.

    `usual` is a typical magnitude: values far below it are rounding errors.
    """

    letter: str
    drivers: tuple[str, ...]
    unit: str
    values: Floats
    usual: float

    @property
    def by(self) -> str:
        """The drivers as a suffix of a column's name, such as ".motor"."""
        return "".join(f".{driver}" for driver in self.drivers)


def coefficients_of(motion: Motion, name: str, kind: PartKind, units: Units | None = None) -> Iterator[Coefficient]:
    """Yield K of a point or link by each driver, then L by each pair of drivers."""
    m, measures = motion.mechanism, measures_of(motion.mechanism, units)
    length, unit = measures.size("length"), measures.unit("length")
    drivers = list(m.drivers)
    angular = [driver_quantity(m, id) == "angle" for id in drivers]
    sizes = [1.0 if one else length for one in angular]
    words = ["rad" if one else unit for one in angular]
    own, top, count, travel = (1.0, "rad", 1, 1.0) if kind == "link" else (length, unit, 2, motion.size / length)
    travels = [1.0 if one else motion.size / length for one in angular]
    K = motion.K(name, kind=kind).reshape(len(motion), count, len(drivers))
    L = motion.L(name, kind=kind).reshape(len(motion), count, len(drivers), len(drivers))
    for i, id in enumerate(drivers):
        yield Coefficient("K", (id,), per(top, words[i]), K[:, :, i].T * (sizes[i] / own), travel / travels[i])
    for i, id in enumerate(drivers):
        for j in range(i, len(drivers)):
            values = L[:, :, i, j].T * (sizes[i] * sizes[j] / own)
            usual = travel / (travels[i] * travels[j])
            yield Coefficient("L", (id, drivers[j]), per(top, words[i], words[j]), values, usual)
