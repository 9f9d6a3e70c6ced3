"""Where a step fails, the groups tell more: they may prove the way, and behind a gap theirs is the rule.

These equations close again the poses that the groups have.
"""

from __future__ import annotations

import numpy as np

from structkin.global_methods.branch_tracker import BranchTracker, Failure
from structkin.global_methods.curve import Pose, whole_turns
from structkin.global_methods.diagnosis import Outcome
from structkin.global_methods.newton import close
from structkin.numerical_tolerances import SINGULAR
from structkin.plan.status import Status

#: A pose of the groups closes where it is, in parts of the size or radians.
SAME = 1e-5


def follow_groups(tracker: BranchTracker, k: int) -> tuple[int, Pose | None]:
    """Go on from the place k with the motion of the groups, where it is this motion and they have proved it.

    Pins that pass each other so close that all equations together are singular there leave a dyad its discriminant.
    Returns the first place behind k with a regular pose, and the pose; None where the groups have not proved the way.
    """
    status, q = tracker.by_groups
    proved = np.isin(status[tracker.lanes[k:]], (Status.OK, Status.SINGULAR))
    end = len(tracker.lanes) if proved.all() else k + int(np.argmin(proved))
    here = _closed(tracker, q[:, [tracker.lanes[k]]], tracker.at(k)) if k < end else None
    if here is None or not _is_same(here, tracker.pose(int(tracker.lanes[k]), tracker.at(k))):
        return k, None
    for place in k + 1 + np.flatnonzero(status[tracker.lanes[k + 1 : end]] == Status.OK):
        pose = _closed(tracker, q[:, [tracker.lanes[place]]], tracker.at(int(place)))
        if pose is not None:
            missed = tracker.lanes[k + 1 : place]
            tracker.q[:, missed], tracker.solved[missed], tracker.status[missed] = q[:, missed], True, Status.SINGULAR
            tracker.note(missed, pose.scaled)
            for lane in missed.tolist():
                links = Pose(pose.scaled, tracker.z[:, [lane]], q[:, [lane]]).weakest_links
                tracker.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), links))
            tracker.keep(int(place), pose)
            return int(place), pose
    return k, None


def resume(tracker: BranchTracker, k: int, why: Status, *, across: bool = False) -> tuple[int, Pose | None]:
    """Resume the motion behind the place k; return the place and its pose, the end and None if nowhere.

    The samples in between have the status of the groups; where these have a pose, the status `why`. So has the first
    sample, which is not the next step of this motion whatever its groups say; only behind a gap in the drivers' values
    (`across`) the motion may go on at once.
    """
    missed = tracker.lanes[k + 1 :]
    status, q = tracker.by_groups
    closed = np.isin(status[missed], (Status.OK, Status.SINGULAR))
    tracker.status[missed] = np.where(tracker.solved[missed], Status.SINGULAR, np.where(closed, why, status[missed]))
    for place in (k + 1 if across else k + 2) + np.flatnonzero(status[missed[not across :]] == Status.OK):
        pose = _closed(tracker, q[:, [tracker.lanes[place]]], tracker.at(int(place)))
        if pose is not None:
            tracker.keep(int(place), pose)
            return int(place), pose
    return len(tracker.lanes), None


def _closed(tracker: BranchTracker, q: np.ndarray, z: np.ndarray) -> Pose | None:
    """Return the regular pose at coordinates q (n, 1) and values z (f, 1) of the drivers; None where there is none."""
    scaled = tracker.scaled.choose(q, z) if tracker.scaled.redundant else tracker.scaled
    found = close(scaled, q, z)
    pose = Pose(scaled, z, found.q, int(found.iterations[0]))
    if not found.converged[0] or np.max(np.abs(found.q - q) / scaled.column_units, initial=0.0) > SAME:
        return None
    return pose if pose.strength >= SINGULAR and tracker.agrees(pose) else None


def _is_same(one: Pose, other: Pose) -> bool:
    """Return whether two poses are the same, with the turns that are counted."""
    turns = one.scaled.coordinates.turns(one.q) - one.scaled.coordinates.turns(other.q)
    return whole_turns(one, other, SAME) is not None and bool(np.max(np.abs(turns), initial=0.0) <= SAME)
