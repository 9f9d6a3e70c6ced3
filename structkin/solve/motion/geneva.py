"""A Geneva wheel along a motion: when it is engaged, and how many steps it has completed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.joints.geneva import Geneva
from structkin.plan.higher_pairs import crank_driver
from structkin.solve.motion import Motion
from structkin.types import Flags, Floats


@dataclass(frozen=True, eq=False)
class GenevaMotion:
    """A Geneva wheel at the n samples of a motion; see `Motion.geneva`."""

    geneva: Geneva
    motion: Motion

    def __repr__(self) -> str:
        """Return joint and samples."""
        return f"<GenevaMotion of {self.geneva.id!r}: {len(self.motion)} samples>"

    @property
    def angle(self) -> Floats:
        """The crank's angle (n,) [rad] from the line of centres, by its driver: it counts the turns."""
        id, sense, phase = crank_driver(self.motion.mechanism, self.geneva)
        return np.asarray(sense * self.motion.drivers[id][0] + phase)

    @property
    def engaged(self) -> Flags:
        """Where the pin is in a slot (n,); elsewhere the wheel is locked and dwells."""
        return np.asarray(self.geneva.law.engaged(self.angle))

    @property
    def steps(self) -> Floats:
        """The number (n,) of the step: it grows by one for each turn of the crank, at the middle of a dwell.

        NaN where the crank's driver has no value.
        """
        return np.asarray(np.floor(self.angle / (2 * np.pi) + 0.5))

    @property
    def gap(self) -> Floats:
        """How far the pin is from the middle line of its slot (n,) [m] while engaged, by the frames; 0 while locked."""
        return self.geneva.gap(self.motion.poses)
