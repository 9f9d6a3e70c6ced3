"""Resuming a motion after a limit position, or after a gap in the inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status
from structkin.solve.tracking.fill import fill
from structkin.solve.tracking.poses import Poses, reach, step
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import step_back
from structkin.track.returns import returns
from structkin.track.tolerances import ACROSS, COME_BACK


def resume(state: TrackerState, k: int, why: Status, *, across: bool = False) -> tuple[int, Poses | None]:
    """Resume the motion after a gap, where the drivers return to a solved neighbourhood.

    That is the pose that reversing the drivers would reach; from there the lanes in the gap are reached backwards. The
    first lane after lane k could not be reached, and stays a gap: otherwise two branches would be adjacent where the
    inputs return. A gap in the inputs is crossed (`across`) straight from the nearest solved place, if that is not far.
    """
    lanes = state.path.lanes
    state.status[lanes[k + 1 :]] = why
    first = k + 1 if lanes[k + 1] != lanes[k] + 1 else k + 2
    if first >= len(lanes):
        return len(lanes), None
    lane, found = _come_back(state, first)
    if across and lane != first:
        straight = _straight(state, first)
        if straight is not None:
            lane, found = first, straight
    if found is None:
        return lane, None
    state.restart(lane, found)
    step_back(state, lane, first, found)
    fill(state)
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


def _come_back(state: TrackerState, k: int) -> tuple[int, Poses | None]:
    """Return the first lane from k on that is a step away from a solved one with nearly the same drivers, and its pose.

    All drivers of the mechanism count, as in the global methods, which do not know groups.
    """
    path = state.path
    solved = np.flatnonzero(state.status[path.lanes[:k]] == Status.OK)

    def places(lanes: NDArray[np.intp]) -> NDArray[np.float64]:
        # A further turn counts as more than a step.
        return np.hstack((path.drivers(lanes), COME_BACK / np.pi * path.turns(lanes)))

    for later, nearest in returns(places, solved, np.arange(k, len(path.lanes))):
        good, poses = step(state.solver, state.poses(nearest), path.at(later))
        if good.any():
            first = int(np.argmax(good))
            return int(later[first]), poses.take(np.array([first]))
    return len(path.lanes), None
