"""Resuming a motion behind a gap: the rule is that of the groups, whose poses these equations close again."""

from __future__ import annotations

import numpy as np

from structkin.global_methods.branch_tracker import BranchTracker
from structkin.global_methods.curve import Pose
from structkin.global_methods.newton import close
from structkin.numerical_tolerances import SINGULAR
from structkin.plan.status import Status

#: A pose of the groups closes where it is, in parts of the size or radians.
SAME = 1e-5


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
    if not found.converged[0] or np.max(np.abs(found.q - q) / scaled.column_units, initial=0.0) > SAME:
        return None
    pose = Pose(scaled, z, found.q, int(found.iterations[0]))
    return pose if pose.strength >= SINGULAR and tracker.agrees(pose) else None
