"""The state of a simulation at one time: a motion of one sample, as loads see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from structkin.solve import Motion
from structkin.solve.motion.angles import wrapped
from structkin.types import Floats


@dataclass(frozen=True, repr=False)
class State(Motion):
    """One sample of a simulation; `begun` are the turns of the links at its start [rad]."""

    begun: Mapping[str, float] = field(default_factory=dict)

    def angle(self, link: str) -> Floats:
        """Return the angle (1,) [rad] of a link, continuous since the start of the simulation.

        There it is in (-pi, pi].
        """
        angle, begun = self._direction_angle(link), self.begun.get(link, 0.0)
        first = wrapped(np.array(np.angle(self.mechanism.links[link].direction) + begun))
        whole = first + self.turn(link) - begun - angle
        return np.asarray(angle + 2 * np.pi * np.round(whole / (2 * np.pi)))
