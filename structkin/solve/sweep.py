"""The sweep of a plan over a schedule: every solve by groups ends here.

A sweep runs the steps of the plan over all stations (`engine`), finds the change points of steps
(`change_points.search`), and repeats until every change of mode is known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.plan.plan import Plan
from structkin.plan.status import Status, mark
from structkin.solve.change_points.beside_gaps import pose_before
from structkin.solve.change_points.between import Between
from structkin.solve.change_points.kept import Kept
from structkin.solve.change_points.mode_changes import ModeChanges
from structkin.solve.change_points.search import explore, may_change, unclear
from structkin.solve.change_points.smoothing import smooth
from structkin.solve.engine import Lanes, Progress, drive_all, follow_step, sweep
from structkin.solve.schedule import Schedule
from structkin.types import Floats


def sweep_between(
    plan: Plan, schedule: Schedule, progress: Progress | None = None, *, flip: bool = True
) -> tuple[Lanes, Between]:
    """Run a plan over the stations of a schedule, with the modes that keep the motion smooth.

    Without `flip` each dyad keeps its mode, and the motion changes to the other branch at a change point. Returns the
    stations, and the motion between them.
    """
    changes = ModeChanges(plan)
    lanes = _smooth_lanes(plan, schedule, changes, progress, flip=flip)
    return lanes, Between(plan, schedule, changes, lanes.x[0])


def _smooth_lanes(
    plan: Plan, schedule: Schedule, changes: ModeChanges, progress: Progress | None, *, flip: bool
) -> Lanes:
    if not schedule.drivers:
        # Nothing moves: no mode can change, and there is no direction in which to pass a change point.
        return _sweep_with_changes(plan, schedule, changes, progress, flip=False)
    first = min(plan.followed, default=len(plan.steps))
    head = plan.steps[:first]
    if flip and first < len(plan.steps) and any(step.has_root for step in head):
        # Following a group along a branch that the motion does not take would fail and waste time.
        _sweep_with_changes(replace(plan, steps=head), schedule, changes)
    lanes = smooth(plan, schedule, changes, _sweep_with_changes(plan, schedule, changes, progress, flip=flip))
    for index in plan.followed:
        unknown = np.isin(lanes.status, (Status.UNCERTIFIED, Status.NOT_CONVERGED))
        lost = np.flatnonzero(unknown & (lanes.group == plan.steps[index].group))
        for later in plan.with_root if len(lost) else ():
            if plan.behind[later] >> index & 1:
                # A flat pose may lie where the group that moves it was not followed.
                changes.doubt(later, float(lost[0]))
    stations = np.arange(len(schedule))
    for index, place in changes.doubts.items():
        behind = (stations > place) & (lanes.status == Status.OK)
        mark(lanes.status, lanes.group, behind, Status.UNCERTIFIED, plan.steps[index].group)
    between = Between(plan, schedule, changes, lanes.x[0])
    for index, place in sorted(changes.gaps):
        k = int(np.ceil(place))
        # The step has its mode behind the gap, but the motion has ended before, unless the station before lies in it.
        if (
            k
            and lanes.status[k] == Status.OK
            and (np.isfinite(lanes.x[0][:, k - 1]).all() or pose_before(between, index, place) is not None)
        ):
            lanes.status[k], lanes.group[k] = Status.OUT_OF_REACH, plan.steps[index].group
    return lanes


def _sweep_with_changes(
    plan: Plan, schedule: Schedule, changes: ModeChanges, progress: Progress | None = None, *, flip: bool = True
) -> Lanes:
    """Sweep a plan until all change points are known."""
    stations = np.arange(len(schedule), dtype=np.float64)
    lanes = _sweep(plan, schedule, changes, stations, progress)
    doubtful = unclear(plan, schedule, lanes) if flip else set()
    between = Kept(plan, schedule, changes, lanes.x[0])
    for index in sorted(doubtful):
        if explore(between, index, lanes):
            _search_behind(index, plan, schedule, changes, lanes.x[0])
            return _sweep(plan, schedule, changes, stations, progress)
    return lanes


def _search_behind(flipped: int, plan: Plan, schedule: Schedule, changes: ModeChanges, x: Floats) -> None:
    """Find the change points of the steps after one that changes its mode, which changes what comes after it.

    Steps are taken in order, each until its modes are known: one sweep, however many change them. `x` (rows, n) are
    positions from which Newton's method may begin.
    """
    lanes = Lanes.empty(plan, len(schedule), orders=3 if plan.tracked else 1)
    lanes.x[0] = x
    drive_all(plan, lanes, {id: z[: len(lanes.x)] for id, z in schedule.drivers.items()})
    between = Kept(plan, schedule, changes, lanes.x[0])
    modes = changes.modes(np.arange(len(schedule), dtype=np.float64))
    for index in range(plan.with_root[-1] + 1):
        status, group = lanes.status.copy(), lanes.group.copy()
        follow_step(plan, index, lanes, modes, None, between)
        searched = index > flipped and plan.steps[index].has_root and may_change(plan, schedule, index, lanes)
        if searched and explore(between, index, lanes):
            lanes.status[:], lanes.group[:] = status, group
            follow_step(plan, index, lanes, modes, None, between)


def _sweep(plan: Plan, schedule: Schedule, changes: ModeChanges, stations: Floats, progress: Progress | None) -> Lanes:
    lanes = Lanes.empty(plan, len(schedule))
    between = Between(plan, schedule, changes, lanes.x[0])
    sweep(plan, lanes, schedule.drivers, changes.modes(stations), progress, between)
    return lanes
