"""A global method prepared for a mechanism: stations first, then all samples in blocks, positions before rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.global_methods.between import again, mend
from structkin.global_methods.branch_tracker import BranchTracker, ByGroups, span
from structkin.global_methods.families.system import Coordinates
from structkin.global_methods.follow import follow
from structkin.global_methods.linear import SOLVERS, Dense, LinearSolver, Sparse, Triangular
from structkin.global_methods.newton import close, rates
from structkin.global_methods.scaled import Scaled
from structkin.global_methods.sweeps import is_worth_it
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import BETWEEN, RESIDUAL
from structkin.plan.status import Status
from structkin.solve.fast_wheels import shorter_steps
from structkin.types import Flags, Floats, Indices

#: Takes sample numbers, coordinates, their rates and their second rates (n, lanes), one block at a time.
Keep = Callable[[Indices, Floats, Floats, Floats], None]
#: Numbers in a block of lanes: entries of the Jacobian, or of full matrices.
BLOCK = 300_000
#: Most lanes of a block.
MOST = 8192
#: Fewest lanes of a block, where Python loops over diagonal blocks.
LEAST = 512
#: Most unknowns for which full matrices are the fastest for single poses.
FULL = 72
#: Rates above this [radians, or parts of the mechanism's size, per unit of a driver] make the pose suspect.
FAST = 1e4
#: Poses with a smaller singular value than this may be singular, and found with an error.
CLOSE = 1e-5
#: The share of the tracker in the progress.
TRACKING = 0.3


class GlobalSolver:
    """Solves Phi(q, z) = 0 and its rates over samples, in given coordinates by one of the methods of `SOLVERS`.

    The pattern, its order and the blocks do not depend on the samples and are prepared once.
    """

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates, method: str, engine: str = "auto") -> None:
        """Take the coordinates of a mechanism."""
        self.coordinates, self.method, self._engine = coordinates, method, engine
        kinds = [mechanism.drivers[id].kind for id in coordinates.drivers]
        self._angular = np.array([[kind == "angle"] for kind in kinds], bool).reshape(-1, 1)
        self._distances = [row for row, kind in enumerate(kinds) if kind == "distance"]
        # A driver that turns wheels many times as far is followed in smaller steps.
        shorter = [shorter_steps(mechanism).get(id, 1.0) for id in coordinates.drivers]
        self._units = np.where(self._angular, 1.0 / np.reshape(shorter, (-1, 1)), coordinates.size)
        self._turning = kinds == ["angle"]
        if coordinates.turned:
            # After whole turns of a driver its gears have turned on: that is another pose.
            self._angular[:] = False
        # Small full matrices are the fastest for single poses; NumPy's sweeps are meant for many lanes.
        maker = Sparse if SOLVERS[method] is Triangular else SOLVERS[method]
        self._single = Scaled(coordinates, Dense if coordinates.n <= FULL else maker)
        self._many = [Scaled(coordinates, SOLVERS[method])]
        self._compiled = engine == "compiled"

    @property
    def scaled(self) -> Scaled:
        """The system of all rows, with the method's own linear solver."""
        return self._many[0]

    @property
    def linear_solvers(self) -> tuple[LinearSolver, LinearSolver]:
        """The solver of single stations, and that of many samples."""
        return self._stations.solver, self._many[0].solver

    @property
    def _stations(self) -> Scaled:
        """The system whose solver is the fastest for single poses."""
        if not self._compiled or self.coordinates.n <= FULL or self.scaled.redundant:
            return self._single
        if isinstance(self.scaled.solver, Triangular):
            self.scaled.solver.compiled = True
        return self.scaled

    @property
    def width(self) -> int:
        """The lanes of a block."""
        entries = self.coordinates.n**2 if self.method == "global" else len(self.coordinates.pattern[0])
        by_numpy = self.method == "global-triangular" and not self._compiled
        return max(LEAST if by_numpy else 1, min(MOST, BLOCK // max(entries, 1)))

    def run(
        self,
        drivers: Floats,
        keep: Keep,
        kept: Indices | None = None,
        progress: Callable[[float], None] | None = None,
        groups: ByGroups | None = None,
        near: Indices | None = None,
    ) -> BranchTracker:
        """Solve for drivers' values, rates and second rates (3, f, n), or for those of them that are `kept`.

        `keep` is called with each solved block; without `groups` the motion ends at a gap. Values that are `near` each
        other are not passed over. The tracker that is returned says which samples have no numbers.
        """
        z = drivers[0].copy()
        for row in self._distances:
            # A distance must not be negative; its square would not show it.
            z[row, z[row] < 0] = np.nan
        kept = np.arange(z.shape[1]) if kept is None else kept
        self._compiled = is_worth_it(self._engine, len(self.coordinates.pattern[0]), len(kept))
        tracker = BranchTracker(self._stations, z, self._units, self._angular, self._turning, groups, near)
        follow(tracker, None if progress is None else lambda part: progress(TRACKING * part))
        self._solve(tracker, drivers, kept, keep, progress)
        return tracker

    def _solve(
        self,
        tracker: BranchTracker,
        drivers: Floats,
        kept: Indices,
        keep: Keep,
        progress: Callable[[float], None] | None,
    ) -> None:
        """Close all samples and solve their rates."""
        width = self.width
        place = np.full(tracker.z.shape[1], -1, np.intp)
        place[kept] = np.arange(len(kept))
        for number, system in enumerate(tracker.systems):
            scaled = self._system(system)
            if isinstance(scaled.solver, Triangular):
                scaled.solver.compiled = self._compiled
            lanes = kept[tracker.system_of[kept] == number]
            for start in range(0, len(lanes), width):
                part = lanes[start : start + width]
                self._close(tracker, scaled, part[~tracker.solved[part]])
                part = part[tracker.solved[part]]
                if len(part):
                    v, a = self._rates(tracker, scaled, part, drivers)
                    keep(place[part], tracker.q[:, span(part)], v, a)
                if progress is not None:
                    progress(TRACKING + (1 - TRACKING) * (start + len(part)) / len(kept))

    def _system(self, scaled: Scaled) -> Scaled:
        """Return the system with the method's own solver, for many lanes."""
        for known in self._many:
            if known.chosen is scaled.chosen or (
                known.chosen is not None and scaled.chosen is not None and np.array_equal(known.chosen, scaled.chosen)
            ):
                return known
        self._many.append(Scaled(scaled.coordinates, SOLVERS[self.method], scaled.chosen))
        return self._many[-1]

    def _close(self, tracker: BranchTracker, scaled: Scaled, lanes: Indices) -> None:
        """Run Newton's method over predicted samples; those that do not close are tracked to."""
        if not len(lanes):
            return
        at = span(lanes)
        guess, z = tracker.q[:, at], tracker.z[:, at]
        found = close(scaled, guess, z)
        good = found.converged & (found.moved < BETWEEN)
        if scaled.redundant:
            good &= scaled.gap(found.q, z) < RESIDUAL
        if good.all():
            tracker.q[:, at] = found.q
        else:
            tracker.q[:, lanes[good]] = found.q[:, good]
        tracker.iterations[lanes] = found.iterations
        tracker.solved[lanes[good]] = True
        for lane in lanes[~good]:
            again(tracker, int(lane))

    def _rates(self, tracker: BranchTracker, scaled: Scaled, lanes: Indices, drivers: Floats) -> tuple[Floats, Floats]:
        """Solve the rates of closed samples; NaN where the pose is singular."""
        at = span(lanes)
        q, z = tracker.q[:, at], tracker.z[:, at]
        dz, ddz = drivers[1:, :, at]
        found = rates(scaled, q, z, dz, ddz)
        v, a = found.v, found.a
        look = tracker.suspect[at] | _fast(v / scaled.column_units, dz / tracker.units)
        if look.any():
            for lane in lanes[look][scaled.smallest_singular_value(q[:, look], z[:, look]) < CLOSE]:
                mend(tracker, int(lane))
        lost = tracker.status[at] == Status.SINGULAR
        if lost.any():
            v[:, lost] = a[:, lost] = np.nan
        return v, a


def _fast(v: Floats, dz: Floats) -> Flags:
    """Return which lanes have rates far beyond those of the drivers, or no finite ones where the drivers have."""
    if v.size and dz.size:
        # Usually the fastest lane is not too fast for the slowest driver.
        largest, slowest = max(v.max(), -v.min()), np.abs(dz).max(axis=0).min()
        if largest <= FAST * slowest:
            return np.zeros(v.shape[1], bool)
    size, drive = (np.max(np.abs(rate), axis=0, initial=0.0) for rate in (v, dz))
    return np.asarray((size > FAST * drive) | (~np.isfinite(size) & np.isfinite(drive)))
