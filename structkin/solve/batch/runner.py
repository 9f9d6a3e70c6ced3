"""Running a table of linkages in the compiled loop, block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.compiled import has_numba
from structkin.kernels.text import Text
from structkin.numerical_tolerances import GUARD
from structkin.solve.batch.loop import LOOP, LOOP_BEYOND_BARS
from structkin.solve.batch.loop_at import PARTS
from structkin.solve.batch.motor import Motor
from structkin.solve.batch.table import Table
from structkin.solve.change_points.search import STEEP
from structkin.types import Floats, Indices

#: So few linkages are solved one by one where the loop was never compiled on this machine: digits are the same.
FEW = 2000
NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class Runner:
    """Runs blocks of at most so many linkages, with scratch that all blocks use again.

    `wide` (3, b, joints, 2, stations) are the motions at all stations where these are not the samples.
    """

    motor: Motor
    loop: Text
    compiled: bool
    status: NDArray[np.int8]
    doubtful: NDArray[np.bool_]
    wide: Floats | None
    scratch: tuple[NDArray[np.generic], ...]

    @classmethod
    def of(cls, motor: Motor, joints: int, size: int, count: int, *, beyond_bars: bool) -> Runner:
        """Return the runner of blocks of `size` among `count` linkages of so many joints, of bars alone or beyond."""
        n = len(motor.angles)
        loop = LOOP_BEYOND_BARS if beyond_bars else LOOP
        compiled = has_numba() and (count > FEW or loop.is_stored("solve"))
        if compiled:
            loop.announce("solve")
        wide = np.empty((3, size, joints, 2, n)) if compiled and motor.has_more else None
        near, discriminant = np.empty((3, 1, joints, 2, PARTS + 1)), np.empty(n)
        flagged, hulls = (
            np.empty((joints * n, 3), np.int32),
            (np.empty((10, 4 * joints * n)), np.empty((10, 4 * PARTS))),
        )
        status, doubtful = np.zeros((size, n), np.int8), np.zeros(size, np.bool_)
        return cls(motor, loop, compiled, status, doubtful, wide, (near, discriminant, flagged, *hulls))

    def run(self, table: Table, low: int, high: int, out: Floats, status: NDArray[np.int8]) -> Indices:
        """Solve linkages from `low` to `high` into `out` (3, b, joints, 2, n) and `status` (b, n).

        Return the places in the block of those that are left.
        """
        if not self.compiled:
            return np.arange(high - low)
        return np.flatnonzero(self.doubtful[: high - low]) if self._loop(table, low, high, out, status) else NONE

    def _loop(self, table: Table, low: int, high: int, out: Floats, status: NDArray[np.int8]) -> int:
        """Run the compiled loop; return how many linkages are left."""
        motor, linkages = self.motor, table.linkages
        x, statuses = (out, status) if self.wide is None else (self.wide, self.status)
        left: int = self.loop.compiled["solve"](
            *(x, statuses, self.doubtful, motor.angles, motor.speed, motor.circle, low, low, high),
            *(table.dyads, table.counts, table.constants, table.terms),
            *(table.flat, table.apart, table.modes, table.ways),
            *(linkages.points, linkages.fixed, linkages.motor, *self.scratch),
            *(STEEP if motor.is_even else 0.0, motor.edge, GUARD**2),
        )
        if self.wide is not None:
            for k in range(high - low):
                out[:, k] = self.wide[:, k][..., motor.places]
                status[k] = motor.at_samples(self.status[k])
        return left
