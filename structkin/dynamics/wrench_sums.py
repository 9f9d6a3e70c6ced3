"""Forces and moments on the links along a motion, summed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from structkin.solve import Motion
from structkin.solve.motion.moving_frames import cross
from structkin.types import Floats


@dataclass
class Wrenches:
    """The sum of the loads on each link: force (n, 2) [N], and moment (n,) [N m] about the origin of its frame."""

    motion: Motion
    force: dict[str, Floats] = field(default_factory=dict)
    moment: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin without loads."""
        n = len(self.motion)
        for link in self.motion.mechanism.links:
            self.force[link], self.moment[link] = np.zeros((n, 2)), np.zeros(n)

    def push(self, link: str, place: complex, force: Floats) -> None:
        """Add a force (n, 2) at a place in the link's frame."""
        arm = self.motion.position(place, link) - self.motion.position(0j, link)
        self.force[link] += force
        self.moment[link] += cross(arm, force)

    def turn(self, link: str, moment: Floats) -> None:
        """Add a moment (n,)."""
        self.moment[link] += moment

    def power(self) -> Floats:
        """Return the power (n,) [W] of all loads."""
        power = np.zeros(len(self.motion))
        for link, force in self.force.items():
            power += np.sum(force * self.motion.velocity(0j, link), axis=1)
            power += self.moment[link] * self.motion.omega(link)
        return power
