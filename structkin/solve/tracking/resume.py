"""Resuming a motion after a limit position, or after a gap in the inputs."""

from __future__ import annotations

import numpy as np

from structkin.plan.status import Status
from structkin.solve.tracking.fill import fill
from structkin.solve.tracking.poses import Poses, reach
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import come_back, step_back
from structkin.track.tolerances import ACROSS


def resume(state: TrackerState, k: int, why: Status, *, across: bool = False) -> tuple[int, Poses | None]:
    """Resume the motion after a gap, where the drivers return to a solved neighbourhood.

    That is the pose that reversing the drivers would reach; from there the lanes in the gap are reached backwards. The
    first lane after lane k could not be reached, and stays a gap: otherwise two branches would be adjacent where the
    inputs return. A gap in the inputs is crossed (`across`) straight from the nearest solved place, if that is not far.
    Lanes between the points up to lane k are solved first; if a step has passed over a gap, the motion ends there, and
    if it has led to another branch, the motion is continued from where that was left.
    """
    lanes, passed = state.path.lanes, fill(state)
    if passed is not None and passed in state.corrected:
        pose = state.poses(np.array([passed]))
        state.restart(passed, pose)
        return passed, pose
    if passed is not None:
        k, why, across = passed, Status.OUT_OF_REACH, False
    if k + 1 >= len(lanes):
        return k, None
    state.status[lanes[k + 1 :]] = why
    first = k + 1 if lanes[k + 1] != lanes[k] + 1 else k + 2
    if first >= len(lanes):
        return len(lanes), None
    solved = np.flatnonzero(state.status[lanes[:first]] == Status.OK)
    lane, found = come_back(state, solved, np.arange(first, len(lanes)))
    if across and lane != first:
        straight = _straight(state, first)
        if straight is not None:
            lane, found = first, straight
    if found is None:
        return lane, None
    state.restart(lane, found)
    step_back(state, lane, first, found)
    fill(state, backwards=True)
    return lane, found


def _straight(state: TrackerState, k: int) -> Poses | None:
    """Return the pose of a lane that a straight path of the inputs from the nearest tracked point reaches."""
    path = state.path
    points, h = np.array(state.tracked), path.at(k)
    away = np.sqrt(np.sum((path.places(path.at(points)) - path.places(h)) ** 2, axis=1))
    away[np.any(np.abs(path.turns(points) - path.turns(k)) > np.pi, axis=1)] = np.inf
    nearest = int(np.argmin(away))
    if away[nearest] > ACROSS:
        return None
    found = reach(state.solver, state.poses(points[[nearest]]), h)
    return found if isinstance(found, Poses) else None
