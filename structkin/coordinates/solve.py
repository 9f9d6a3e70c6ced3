"""The global methods: all equations at once, in any family of coordinates, with a motion as their result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.follow import Failure, Follower
from structkin.coordinates.frame_plan import Solved, fill, frame_plan
from structkin.coordinates.linear import SOLVERS, Sparse, Triangular
from structkin.coordinates.make import constraints
from structkin.coordinates.newton import CONSISTENT, Scaled, close, rates
from structkin.coordinates.system import Coordinates
from structkin.kinematics.engine import Lanes
from structkin.kinematics.motion import Motion
from structkin.kinematics.plan import Plan
from structkin.kinematics.schedule import Schedule
from structkin.kinematics.special_geometry import compile_plan, structure_of
from structkin.kinematics.status import Status
from structkin.model.mechanism import Mechanism
from structkin.structure import KinematicStructure

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Numbers in a block of lanes: entries of the Jacobian, or of full matrices.
BLOCK = 400_000
#: Samples between stations depart less than this from the curve they start on, or they are walked to.
DEPARTURE = 0.01
#: Rates of this size [radians, or parts of the mechanism's size, to a unit of a driver] have the pose looked at.
FAST = 1e4
#: Poses with a smaller singular value than this may be singular ones, found with an error.
CLOSE = 1e-5


@dataclass(frozen=True)
class Statistics:
    """How a global method went: coordinates q (n, samples) and Newton's iterations of each sample (samples,).

    `stations` counts the poses that were walked to, other samples' among them; `failures` say why samples have no
    regular pose, and which rows do not close.
    """

    method: str
    coordinates: Coordinates
    q: Floats
    z: Floats
    iterations: NDArray[np.int32]
    stations: int
    failures: tuple[Failure, ...]

    @cached_property
    def smallest_singular_value(self) -> Floats:
        """Smallest singular value (samples,) of the scaled Jacobian: how near each pose is to a singular one."""
        return Scaled(self.coordinates, SOLVERS[self.method]).smallest_singular_value(self.q, self.z)

    @cached_property
    def condition(self) -> Floats:
        """Condition number (samples,) of the scaled Jacobian, in the 2-norm."""
        scaled = Scaled(self.coordinates, SOLVERS[self.method])
        entries = scaled.all_rows(self.q, self.z)[1]
        return np.array(
            [np.linalg.cond(scaled.full(lane)) if np.isfinite(lane).all() else np.nan for lane in entries.T]
        )


def solve_globally(
    mechanism: Mechanism,
    schedule: Schedule,
    method: str,
    family: str,
    progress: Callable[[float], None] | None = None,
) -> Motion:
    """Solve a mechanism over a schedule by one of the methods of `SOLVERS`; see `structkin.kinematics.solve`."""
    structure = structure_of(mechanism)
    coordinates = constraints(mechanism, family, structure=structure)
    if structure.over:
        compile_plan(mechanism, structure)  # raises where redundant joints contradict each other
    plan = frame_plan(mechanism, structure)
    fine, kept = schedule.fine()
    run = _Run(mechanism, structure, coordinates, method, fine, kept, progress)
    run.follow()
    lanes = fill(plan, mechanism, run.solve(), schedule.drivers)
    run.mark(lanes, plan)
    return Motion(mechanism, plan, schedule.t, schedule.drivers, lanes, statistics=run.statistics())


class _Run:
    """One run: the stations first, then all samples in blocks."""

    def __init__(
        self,
        mechanism: Mechanism,
        structure: KinematicStructure,
        coordinates: Coordinates,
        method: str,
        fine: Schedule,
        kept: Ints,
        progress: Callable[[float], None] | None,
    ) -> None:
        self.structure, self.coordinates, self.method, self.kept = structure, coordinates, method, kept
        self.progress = progress
        drives = mechanism.drives
        self.drivers = np.stack([fine.drivers[id] for id in coordinates.drivers], axis=1) if drives else None
        n = len(fine)
        z = np.zeros((0, n)) if self.drivers is None else self.drivers[0].copy()
        size = float(np.max(coordinates.column_units, initial=0.0)) or 1.0
        angular = np.array([[drives[id].kind == "angle"] for id in coordinates.drivers], bool).reshape(-1, 1)
        units = np.where(angular, 1.0, size)
        if coordinates.turned:
            # A driver that is whole turns on has turned its gears on: that is another pose.
            angular[:] = False
        self.missing = np.asarray(~np.isfinite(z).all(axis=0), bool)
        for row, id in enumerate(coordinates.drivers):
            if drives[id].kind == "distance":
                # A distance is not negative, though its square is.
                z[row, z[row] < 0] = np.nan
        wanted = np.zeros(n, bool)
        wanted[kept] = True
        # SuperLU serves single poses of the triangular method as well: its sweeps are made for many lanes.
        maker = Sparse if SOLVERS[method] is Triangular else SOLVERS[method]
        self.follower = Follower(Scaled(coordinates, maker), z, units, angular, wanted, progress)
        self._fast = [Scaled(coordinates, SOLVERS[method])]

    def follow(self) -> None:
        """Walk the stations."""
        self.follower.run()

    def _system(self, scaled: Scaled) -> Scaled:
        """Return the system with the method's own solver, for many lanes."""
        for known in self._fast:
            if known.chosen is scaled.chosen or (
                known.chosen is not None and scaled.chosen is not None and np.array_equal(known.chosen, scaled.chosen)
            ):
                return known
        self._fast.append(Scaled(scaled.coordinates, SOLVERS[self.method], scaled.chosen))
        return self._fast[-1]

    def solve(self) -> Solved:
        """Close all samples and solve their rates; return the frames and turns with theirs."""
        f, c, count = self.follower, self.coordinates, len(self.kept)
        frames, turns = (
            tuple(np.full((rows, count), np.nan) for _ in range(3)) for rows in (4 * len(c.links), len(c.turned))
        )
        solved = Solved(c.links, frames, c.turned, turns)
        entries = max(len(self.coordinates.pattern[0]), self.coordinates.n**2 if self.method == "global" else 1, 1)
        width = max(1, min(2048, BLOCK // entries))
        place = np.full(f.z.shape[1], -1, np.intp)
        place[self.kept] = np.arange(count)
        for number, walked in enumerate(f.systems):
            scaled = self._system(walked)
            lanes = self.kept[f.system_of[self.kept] == number]
            for start in range(0, len(lanes), width):
                part = lanes[start : start + width]
                self._close(scaled, part[~f.solved[part]])
                self._rates(scaled, part[f.solved[part]], place, solved)
                if self.progress is not None:
                    self.progress(0.5 + 0.5 * (start + len(part)) / max(count, 1))
        return solved

    def _close(self, scaled: Scaled, lanes: Ints) -> None:
        """Run Newton's method over samples that were predicted; those it does not close are walked to."""
        f = self.follower
        if not len(lanes):
            return
        guess, z = f.q[:, lanes], f.z[:, lanes]
        found = close(scaled, guess, z)
        unit = self.coordinates.column_units[:, None]
        good = found.converged & (np.max(np.abs(found.q - guess) / unit, axis=0, initial=0.0) < DEPARTURE)
        if scaled.redundant:
            good &= scaled.gap(found.q, z) < CONSISTENT
        f.q[:, lanes[good]] = found.q[:, good]
        f.iterations[lanes] = found.iterations
        f.solved[lanes[good]] = True
        for lane in lanes[~good]:
            f.again(int(lane))

    def _rates(self, scaled: Scaled, lanes: Ints, place: Ints, solved: Solved) -> None:
        """Solve the rates of closed samples; positions alone are kept where the pose is singular."""
        f, c = self.follower, self.coordinates
        if not len(lanes):
            return
        q, z, at = f.q[:, lanes], f.z[:, lanes], place[lanes]
        dz, ddz = (np.zeros_like(z), np.zeros_like(z)) if self.drivers is None else self.drivers[1:, :, lanes]
        found = rates(scaled, q, z, dz, ddz)
        v, a = found.v, found.a
        size = np.max(np.abs(v) / c.column_units[:, None], axis=0, initial=0.0)
        drive = np.max(np.abs(dz) / f.units, axis=0, initial=0.0)
        fast = (size > FAST * drive) | (~np.isfinite(size) & np.isfinite(drive))
        for k in np.flatnonzero(fast | f.suspect[lanes]):
            if scaled.smallest_singular_value(q[:, [k]], z[:, [k]])[0] < CLOSE:
                f.mend(int(lanes[k]))
        lost = f.status[lanes] == Status.SINGULAR
        v[:, lost] = a[:, lost] = np.nan
        q = f.q[:, lanes]
        solved.frames[0][:, at] = c.frames(q)
        solved.frames[1][:, at] = c.frame_rates(q, v)
        solved.frames[2][:, at] = c.frame_seconds(q, v, a)
        for turns, values in zip(solved.turns, (c.turns(q), c.turn_rates(v), c.turn_rates(a)), strict=True):
            turns[:, at] = values

    # --- how it went --------------------------------------------------------------------------------------

    def mark(self, lanes: Lanes, plan: Plan) -> None:
        """Give the samples their status, and the group where each stopped."""
        status = self.follower.status[self.kept]
        regular = np.asarray(status == Status.OK)
        bad = ~(regular | self.missing[self.kept])
        lanes.status[bad] = status[bad]
        owner = {link: group.index for group in self.structure.groups for link in group.links}
        failures = sorted(self.follower.failures, key=lambda failure: failure.sample)
        groups = np.array([0, *(max((owner.get(x, 0) for x in f.links), default=0) for f in failures)])
        # The samples behind the one where the walk stopped share its group.
        lanes.group[bad] = groups[np.searchsorted([f.sample for f in failures], self.kept[bad], side="right")]
        lost = bad & (status != Status.SINGULAR)
        for step in plan.steps:
            for slot in step.outputs:
                lanes.x[:, plan.rows(slot), lost] = np.nan

    def statistics(self) -> Statistics:
        """Return how the run went."""
        f = self.follower
        failures = tuple(replace(x, sample=int(np.searchsorted(self.kept, x.sample))) for x in f.failures)
        return Statistics(
            self.method, self.coordinates, f.q[:, self.kept], f.z[:, self.kept], f.iterations[self.kept], f.stations,
            failures,
        )  # fmt: skip
