"""The global methods: all equations at once, in any family of coordinates, with a motion as their result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.budget import grant
from structkin.checked import checked
from structkin.global_methods.branch_tracker import STEP, BranchTracker, Failure
from structkin.global_methods.families.make import constraints
from structkin.global_methods.families.system import Coordinates
from structkin.global_methods.follow import LONGEST
from structkin.global_methods.frame_plan import Solved, fill, frame_plan
from structkin.global_methods.linear import SOLVERS
from structkin.global_methods.scaled import Scaled
from structkin.global_methods.solver import GlobalSolver
from structkin.model.mechanism import Mechanism
from structkin.model.near import near, put_back
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.engine import Lanes
from structkin.solve.motion import Motion
from structkin.solve.motion.moving_frames import MovingFrames
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import fine_stations, mark_gaps, run_from_sketch
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.structure import KinematicStructure
from structkin.types import Flags, Floats, Indices


@checked
@dataclass(frozen=True)
class Statistics:
    """Statistics of a global method: coordinates q (n, samples) and Newton's iterations of each sample (samples,).

    `stations` counts the poses reached one by one, including those of samples; `failures` say why samples have no
    regular pose, and which rows do not close. A mechanism far from the origin has its places from its middle there.
    """

    method: str
    coordinates: Coordinates
    q: Floats
    z: Floats
    iterations: NDArray[np.int32]
    stations: int
    failures: tuple[Failure, ...]

    def __repr__(self) -> str:
        """Return method, coordinates and the most iterations of a sample."""
        most = self.iterations.max(initial=0)
        return f"<Statistics of {self.method}, {self.coordinates.family}: at most {most} iterations>"

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
    engine: str = "auto",
) -> Motion:
    """Solve a mechanism over a schedule by one of the methods of `SOLVERS`; see `structkin.solve.solve_groups`."""
    moved = near(mechanism)
    structure = structure_of(moved)
    coordinates = constraints(moved, family, structure=structure)
    # It refuses redundant joints that contradict each other, and sketches in a singular position.
    by_groups = compile_plan(moved).run_by(engine)
    plan = frame_plan(mechanism)
    fine, kept = fine_stations(by_groups, schedule, LONGEST)
    grant(STEP * coordinates.n * len(fine))
    drivers = np.zeros((3, 0, len(fine)))
    if coordinates.drivers:
        drivers = np.stack([fine.drivers[id] for id in coordinates.drivers], axis=1)
    links, turned = coordinates.links, coordinates.turned
    frames, turns = (
        tuple(np.full((rows, len(kept)), np.nan) for _ in range(3)) for rows in (4 * len(links), len(turned))
    )

    def keep(at: Indices, q: Floats, v: Floats, a: Floats) -> None:
        frames[0][:, at] = coordinates.frames(q)
        frames[1][:, at] = coordinates.frame_rates(q, v)
        frames[2][:, at] = coordinates.frame_seconds(q, v, a)
        found = coordinates.turns(q), coordinates.turn_rates(v), coordinates.turn_rates(a)
        for rows, values in zip(turns, found, strict=True):
            rows[:, at] = values

    def groups() -> tuple[NDArray[np.int8], Floats]:
        found = run_from_sketch(by_groups, fine)
        motion = Motion(moved, by_groups, fine.t, fine.drivers, found)
        moving = MovingFrames(moved, by_groups, found)
        frames = [part for link in links for part in (moving.frame(link).origin, moving.frame(link).direction)]
        X = np.concatenate([moving.value(part).T for part in frames])
        return found.status, coordinates.from_frames(X, {link: motion.turn(link) for link in turned})

    tracker = GlobalSolver(moved, coordinates, method, engine).run(drivers, keep, kept, progress, groups, fine.near)
    put_back(frames[0], moved, mechanism)
    lanes = fill(plan, mechanism, Solved(links, frames, turned, turns), schedule.drivers)
    # Samples without driver values are already marked.
    missing = ~np.isfinite(drivers[0][:, kept]).all(axis=0)
    _mark(lanes, plan, structure, tracker, kept, np.asarray(missing, bool))
    failures = tuple(replace(x, sample=int(np.searchsorted(kept, x.sample))) for x in tracker.failures)
    statistics = Statistics(
        method,
        coordinates,
        tracker.q[:, kept],
        tracker.z[:, kept],
        tracker.iterations[kept],
        tracker.stations,
        failures,
    )
    return Motion(mechanism, plan, schedule.t, schedule.drivers, lanes, schedule.thirds, statistics)


def _mark(
    lanes: Lanes,
    plan: Plan,
    structure: KinematicStructure,
    tracker: BranchTracker,
    kept: Indices,
    missing: Flags,
) -> None:
    """Give the samples their status, and the group where each stopped."""
    status = tracker.status[kept]
    bad = ~(np.asarray(status == Status.OK) | missing)
    lanes.status[bad] = status[bad]
    owner = {link: group.index for group in structure.groups for link in group.links}
    failures = sorted(tracker.failures, key=lambda failure: failure.sample)
    groups = np.array([0, *(max((owner.get(x, 0) for x in f.links), default=0) for f in failures)])
    # The samples after the one where the tracker stopped share its group.
    group = groups[np.searchsorted([f.sample for f in failures], np.arange(len(tracker.status)), side="right")]
    lanes.group[bad] = group[kept[bad]]
    gone = np.flatnonzero(tracker.status == Status.OUT_OF_REACH)
    posed = gone[np.isfinite(tracker.by_groups[1][:, gone]).all(axis=0)] if len(gone) else gone
    mark_gaps(tracker.status, group, kept, lanes, posed)
    lost = bad & (status != Status.SINGULAR)
    for step in plan.steps:
        for slot in step.outputs:
            lanes.x[:, plan.rows(slot), lost] = np.nan
