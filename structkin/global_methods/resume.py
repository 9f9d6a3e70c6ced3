"""Resuming a motion after a gap, in the same way as tracked groups do (`solve.tracking.resume`).

After a limit position the motion resumes where the drivers return so close to a solved sample that a straight path
leads from there to the new one: that is the pose that reversing the drivers would reach. From there the gap is entered
backwards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.branch_tracker import BranchTracker, is_near
from structkin.global_methods.curve import Pose
from structkin.global_methods.newton import close, rates
from structkin.plan.status import Status
from structkin.track.returns import returns
from structkin.track.tolerances import ACROSS, ITERATIONS, SHORT_STEPS

Ints = NDArray[np.intp]


def resume(tracker: BranchTracker, k: int, why: Status, *, across: bool = False) -> tuple[int, Pose | None]:
    """Resume the motion after the place k; return the place and its pose, the end and None if nowhere.

    The samples in between that cannot be reached backwards keep the status `why`; the first of them, which could not be
    reached, stays a gap. A gap in the drivers' values is crossed (`across`) straight from the nearest solved sample, if
    that is not far.
    """
    missed = tracker.lanes[k + 1 :]
    tracker.status[missed] = np.where(tracker.solved[missed], Status.SINGULAR, why)
    first = k + 1 if across else k + 2
    lane, found = (_across(tracker, tracker.lanes[[first]])) if across else (0, None)
    if found is None:
        lane, found = _come_back(tracker, tracker.lanes[first:])
    if found is None:
        return len(tracker.lanes), None
    place = int(np.searchsorted(tracker.lanes, lane))
    tracker.keep(place, found)
    pose: Pose | None = found
    for back in range(place - 1, first - 1, -1):
        pose = pose and tracker.go(pose, tracker.at(back))
        if pose is not None:
            tracker.keep(back, pose)
    return place, found


def _across(tracker: BranchTracker, lane: Ints) -> tuple[int, Pose | None]:
    """Return a lane, and its pose where the straight path from the nearest solved one leads to it."""
    for _, nearest in returns(tracker.points, tracker.known, lane, ACROSS):
        return int(lane[0]), tracker.go(tracker.pose(int(nearest[0]), tracker.z[:, lane]), tracker.z[:, lane])
    return 0, None


def _come_back(tracker: BranchTracker, later: Ints) -> tuple[int, Pose | None]:
    """Return the first lane that a straight path reaches from a solved one with similar drivers, and its pose."""
    for lanes, nearest in returns(tracker.points, tracker.known, later):
        near = _are_near(tracker, lanes, nearest, 1)
        near[~near] = _are_near(tracker, lanes[~near], nearest[~near], SHORT_STEPS)
        for j in np.flatnonzero(near):
            z = tracker.z[:, lanes[[j]]]
            found = tracker.go(tracker.pose(int(nearest[j]), z), z)
            if found is not None:
                return int(lanes[j]), found
    return 0, None


def _are_near(tracker: BranchTracker, lanes: Ints, nearest: Ints, count: int) -> NDArray[np.bool_]:
    """Return which lanes this many equal steps reach from their nearest solved lanes."""
    good, z = np.ones(len(lanes), bool), tracker.z[:, lanes]
    known, systems = tracker.turned_to(z, nearest), tracker.system_of[nearest]
    for number in np.unique(systems):
        mine, scaled = np.flatnonzero(systems == number), tracker.systems[number]
        dz = (z - known) / count
        q = tracker.q[:, nearest[mine]]
        for k in range(count):
            here = known[:, mine] + k * dz[:, mine]
            found = rates(scaled, q, here, dz[:, mine], np.zeros_like(here))
            guess = q + found.v + 0.5 * found.a
            closed = close(scaled, guess, here + dz[:, mine], ITERATIONS)
            fine = closed.converged & is_near(scaled, closed.q, guess, q)
            good[mine[~fine]] = False
            mine, q = mine[fine], closed.q[:, fine]
    return good
