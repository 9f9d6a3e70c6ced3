"""How many linkages of dyads, all of different topologies, are solved a second, with structure and statuses."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from structkin.solve.batch import Linkages, solve_batch

#: Angles of each crank, and rounds of which the fastest counts.
ANGLES, ROUNDS = 200, 3


@dataclass(frozen=True)
class Pace:
    """Linkages of so many joints; `closed` is the part of their samples that close, `seconds` the fastest round.

    `sliders` is the chance of a dyad to have a guide in the place of a bar.
    """

    joints: int
    turning: bool
    sliders: float
    linkages: int
    dyads: int
    closed: float
    seconds: float

    @property
    def a_second(self) -> float:
        """Linkages a second."""
        return self.linkages / self.seconds

    @property
    def nanoseconds(self) -> float:
        """The time for a dyad and an angle [ns]."""
        return 1e9 * self.seconds / (self.dyads * ANGLES)


def measure(joints: int, count: int, *, turning: bool, sliders: float) -> Pace:
    """Return the pace of random linkages in blocks that use one buffer: position, velocity and acceleration."""
    linkages = Linkages.random(count, joints, seed=joints, turning=turning, sliders=sliders)
    batch = solve_batch(linkages, angles=np.linspace(0, 2 * np.pi, ANGLES))
    closed = sum(int(block.ok.sum()) for block in batch) / (count * ANGLES)  # it also compiles the loop
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in batch:
            pass
        times.append(time.perf_counter() - start)
    dyads = int((~linkages.fixed).sum()) - count
    return Pace(joints, turning, sliders, count, dyads, closed, min(times))
