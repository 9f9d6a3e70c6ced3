"""Running a table of linkages in the compiled loop, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.compiled import has_numba
from structkin.kernels.text import Text
from structkin.numerical_tolerances import GUARD
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.loop import LOOP, LOOP_BEYOND_BARS, LOOP_WITH_TRIADS
from structkin.solve.batch.mechanisms import Mechanisms
from structkin.solve.batch.motor import Motor
from structkin.solve.batch.order import Way
from structkin.solve.batch.table import Table
from structkin.solve.change_points.search import STEEP
from structkin.types import Floats, Indices

#: Seconds that it takes to compile the loop, and that a linkage takes at least without it. Where the loop was never
#: compiled on this machine, linkages are solved one by one until that is sure to take longer: digits are the same.
COMPILING, LEAST = 20.0, 0.005
#: The loop takes more linkages with triads than these: one by one they take 20 s. To compile it takes 80 s or more, but
#: only once on a machine.
FEW_TRIADS = 100
#: Those that are left are tried again with so many stations in the place of one.
FINER = 5
#: The first linkages, which tell of all whether the loop takes triads; and the joints of linkages whose structure is
#: found at a time.
FIRST, PART = 1024, 1 << 14
#: Bytes of a buffer of motions: it stays in the caches, and what a block costs besides is little.
BYTES = 1 << 22
#: Seconds after which the time that linkages have taken tells that of the others.
SURE = 2.0
NONE = np.empty(0, np.intp)


def takes_triads(motor: Motor, linkages: Linkages | Mechanisms, *, must: bool = False) -> bool:
    """Return whether the loop takes linkages with triads: if there are more than a few, as the first ones tell.

    Whether it is compiled already must not matter: digits are those of `Mechanism.solve` to rounding only. It `must`
    take any where nothing is solved one by one.
    """
    if not (isinstance(linkages, Linkages) and has_numba() and motor.turns_from_sketch):
        return False
    ways = linkages.take(slice(FIRST)).ordered()[2]
    share = float(np.count_nonzero(ways == Way.TRIADS)) / max(1, len(ways))
    return share * len(linkages) > (0 if must else FEW_TRIADS)


@dataclass
class Runner:
    """Runs blocks of at most so many linkages, with scratch that all blocks use again.

    `wide` (3, w, joints, 2, stations) are the motions of some at a time at all stations, where these are not the
    samples: however few samples there are, it takes no more memory than `BYTES` or one linkage. Until the loop
    is `compiled`, `solved` of `count` linkages were solved without it, all but the first in so many `seconds`.
    """

    motor: Motor
    loop: Text
    count: int
    compiled: bool
    solved: int
    seconds: float
    status: NDArray[np.int8]
    doubtful: NDArray[np.bool_]
    wide: Floats | None
    scratch: tuple[NDArray[np.generic], ...]
    turning: tuple[Any, ...]
    #: The table that is run, and what the loop takes of it.
    table: Table | None = None
    given: tuple[Any, ...] = ()
    #: What takes those with triads that are left, one at a time, at more stations.
    finer: Runner | None = None

    @classmethod
    def of(
        cls, motor: Motor, joints: int, size: int, count: int, *,
        beyond_bars: bool, triads: bool = False, must: bool = False,
    ) -> Runner:  # fmt: skip
        """Return the runner of blocks of `size` among `count` linkages of so many joints.

        They are of bars alone or go beyond, and their `triads` are solved in the loop or one by one. The loop `must` be
        compiled where nothing is solved one by one.
        """
        n = len(motor.angles)
        loop = LOOP_WITH_TRIADS if triads else LOOP_BEYOND_BARS if beyond_bars else LOOP
        some = min(size, max(1, BYTES // (48 * joints * n)))
        wide = np.empty((3, some, joints, 2, n)) if has_numba() and motor.has_more else None
        discriminant, flagged = np.empty(n), np.empty((joints * n, 3), np.int64)
        status, doubtful = np.zeros((some, n), np.int8), np.zeros(size, np.bool_)
        scratch, turning = (discriminant, flagged), (motor.angles, motor.speed, motor.circle)
        made = cls(motor, loop, count, False, 0, 0.0, status, doubtful, wide, scratch, turning)
        if triads and motor.parts == 1:
            made.finer = cls.of(motor.divided(FINER), joints, 1, 1, beyond_bars=beyond_bars, triads=True)
        made.compiled = must or triads or (has_numba() and (loop.is_stored("solve") or made.pays()))
        return made

    def pays(self) -> bool:
        """Return whether the loop, compiled now, is sooner done with the others than they are one by one."""
        each = self.seconds / (self.solved - 1) if self.seconds > SURE else 0.0
        return max(LEAST, each) * (self.count - self.solved) > COMPILING

    def alone(self, seconds: float) -> bool:
        """Note how long one linkage took without the loop; return whether the loop takes the others from now on."""
        if self.compiled or not has_numba():
            return False
        if self.solved:  # the first one loads what all need
            self.seconds += seconds
        self.solved += 1
        self.compiled = self.pays()
        return self.compiled

    def run(self, table: Table, first: int, low: int, high: int, out: Floats, status: NDArray[np.int8]) -> Indices:
        """Solve linkages from `low` to `high` into `out` (3, b, joints, 2, n) and `status` (b, n), from `first` on.

        Return the places in the block of those that are left.
        """
        if not self.compiled:
            return np.arange(low - first, high - first)
        if not self._loop(table, first, low, high, out, status):
            return NONE
        left = low - first + np.flatnonzero(self.doubtful[low - first : high - first])
        return left if self.finer is None else self._left_by(self.finer, table, first, left, out, status)

    def _left_by(
        self, finer: Runner, table: Table, first: int, left: Indices, out: Floats, status: NDArray[np.int8]
    ) -> Indices:
        """Solve what is left of a block at more stations, where there are triads; return what is left then."""
        is_left = np.ones(len(left), bool)
        for at, place in enumerate(left.tolist()):
            k = first + place
            if table.ways[k] == Way.TRIADS:
                one = slice(place, place + 1)
                is_left[at] = finer._loop(table, k, k, k + 1, out[:, one], status[one]) > 0
        return left[is_left]

    def _loop(self, table: Table, first: int, low: int, high: int, out: Floats, status: NDArray[np.int8]) -> int:
        """Run the compiled loop; return how many linkages are left."""
        if self.table is not table:
            self.loop.announce("solve")
            linkages, motor = table.linkages, self.motor
            self.table, self.given = table, (
                *(table.dyads, table.counts, table.constants, table.terms),
                *(table.flat, table.apart, table.modes, table.ways),
                *(linkages.points, linkages.fixed, linkages.motor, *self.scratch),
                *(STEEP if motor.is_even else 0.0, motor.edges, motor.unseen, motor.is_finer, GUARD**2, motor.parts),
            )  # fmt: skip
        solve, left = self.loop.compiled["solve"], 0
        if self.wide is None:
            return int(solve(out, status, self.doubtful, *self.turning, first, low, high, *self.given))
        some = self.wide.shape[1]
        for start in range(low, high, some):
            end, at = min(start + some, high), start - first
            into = self.wide, self.status, self.doubtful[at:]
            left += solve(*into, *self.turning, start, start, end, *self.given)
            for k in range(end - start):
                out[:, at + k] = self.wide[:, k][..., self.motor.places]
                status[at + k] = self.motor.at_samples(self.status[k], self.wide[0, k])
        return left
