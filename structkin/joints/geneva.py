"""Geneva wheels: a crank whose pin turns a slotted wheel by steps."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from structkin.joints.pair import Pair
from structkin.rows.periodic import GenevaLaw


@dataclass(frozen=True, eq=False, kw_only=True)
class Geneva(Pair):
    """An external Geneva wheel of n slots and its crank, both on pins of one carrier; lengths in m, angles in rad.

    The pin enters and leaves the slots along their middle line, so that its radius is `distance` sin(pi / n).
    The crank's angle x from the line of centres is its angle against the carrier plus `phase`; the wheel's angle
    against the carrier is `start` - law(x). `slot` is the direction of a slot in the wheel's frame.
    """

    kind: ClassVar[str] = "C"

    links: tuple[str, str]
    carrier: str
    pin: str
    pivot: str
    slots: int
    distance: float
    phase: float
    start: float
    slot: float

    @property
    def crank(self) -> str:
        """The link whose pin turns the wheel."""
        return self.links[0]

    @property
    def wheel(self) -> str:
        """The link with the slots."""
        return self.links[1]

    @property
    def law(self) -> GenevaLaw:
        """The turn of the wheel by the crank's angle from the line of centres."""
        return GenevaLaw(self.slots)

    @property
    def radius(self) -> float:
        """The radius of the crank's pin."""
        return self.distance * math.sin(math.pi / self.slots)

    def outline(self) -> NDArray[np.complex128]:
        """Return the closed outline (k,) of a wheel of usual proportions, about its pivot in its own axes."""
        n, d, a = self.slots, self.distance, self.radius
        w, tip = 0.1 * a, d * math.cos(math.pi / n)
        bottom, lock = d - a, a - 2.4 * w
        half = np.linspace(math.pi / 2, -math.pi / 2, 13)
        floor = bottom - w * np.exp(1j * half)
        across = math.acos((d * d + tip * tip - lock * lock) / (2 * d * tip))
        centre = d * cmath.exp(1j * math.pi / n)
        ends = [tip * cmath.exp(1j * (math.pi / n + side * across)) - centre for side in (-1, 1)]
        turn = cmath.phase(ends[1] / ends[0])
        arc = centre + ends[0] * np.exp(1j * np.linspace(0.0, turn, 25))
        rim = tip * np.exp(1j * np.array([math.asin(w / tip), math.pi / n - across]))
        far = tip * np.exp(1j * np.array([math.pi / n + across, 2 * math.pi / n - math.asin(w / tip)]))
        sector = np.concatenate((floor, rim, arc, far))
        return np.concatenate([sector * cmath.exp(2j * math.pi * (k / n)) for k in range(n)]) * cmath.exp(
            1j * self.slot
        )
