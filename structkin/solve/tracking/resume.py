"""Resuming a motion behind a gap, where the group's inputs come back to those that it has had."""

from __future__ import annotations

import numpy as np

from structkin.numerical_tolerances import ACROSS, COME_BACK
from structkin.plan.status import Status
from structkin.solve.tracking.fill import fill
from structkin.solve.tracking.poses import Poses
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import come_back, step_back


def resume(state: TrackerState, k: int, why: Status) -> tuple[int, Poses | None]:
    """Resume the motion after lane k, where the inputs come back to those of solved lanes.

    That is the pose that reversing the inputs would reach; from there the lanes in the gap are reached backwards. If
    they include the first one, which lane k does not lead to, the gap is between these two, and that lane says so.
    Lanes between the points up to lane k are solved first; if a step has passed over a gap, the motion ends there, and
    if it has led to another branch, the motion is continued from where that was left.
    """
    lanes, passed = state.path.lanes, fill(state)
    if passed is not None and passed in state.corrected:
        pose = state.poses(np.array([passed]))
        state.restart(passed, pose)
        return passed, pose
    if passed is not None:
        k, why = passed, Status.OUT_OF_REACH
    if k + 1 >= len(lanes):
        return k, None
    state.status[lanes[k + 1 :]] = why
    follows = lanes[k + 1] == lanes[k] + 1
    solved = np.flatnonzero(state.status[lanes[: k + 1]] == Status.OK)
    # Where inputs are missing, the group itself has met no limit.
    within = COME_BACK if follows else ACROSS
    lane, found = come_back(state, solved, np.arange(k + 1 + follows, len(lanes)), within)
    if found is None:
        return lane, None
    state.restart(lane, found)
    step_back(state, lane, k + 1, found)
    fill(state, backwards=True)
    if follows and state.status[lanes[k + 1]] == Status.OK:
        state.parted.add(k + 1)
    return lane, found
