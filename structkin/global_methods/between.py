"""Samples between stations that did not close from their prediction, or that may be singular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.curve import Pose
from structkin.global_methods.diagnosis import Outcome
from structkin.global_methods.gaps import classify_failure
from structkin.global_methods.smooth import smooth_pose
from structkin.global_methods.walk import Failure, Walk
from structkin.plan.status import Status
from structkin.track.tolerances import SINGULAR

Floats = NDArray[np.float64]

#: A walk that ends this close to a sample, relative to the drivers' units, may have met a change point there.
THERE = 1e-4


def again(walk: Walk, lane: int) -> None:
    """Walk to a sample between stations that did not close from its prediction."""
    place, pose = int(np.searchsorted(walk.lanes, lane)), _beside(walk, lane)
    assert pose is not None
    found = walk.go(pose, walk.z[:, [lane]])
    if found is not None:
        walk.keep(place, found)
    else:
        why = miss(walk, place, pose)
        walk.status[lane] = Status.SINGULAR if walk.solved[lane] else why


def miss(walk: Walk, k: int, pose: Pose) -> Status:
    """Find out why the sample at a place was not reached from a pose; a singular one keeps its position."""
    lane, last = int(walk.lanes[k]), walk.reached or pose
    if np.max(np.abs(last.z - walk.at(k)) / walk.units, initial=0.0) < THERE:
        mend(walk, lane, last.q)
    if not walk.solved[lane]:
        return classify_failure(walk, k, pose)
    walk.note(lane, pose.scaled)
    return Status.OUT_OF_REACH


def mend(walk: Walk, lane: int, near: Floats | None = None) -> None:
    """Check a sample that may be singular: if so, its position is that of the smooth motion around it.

    That is searched `near` coordinates (n, 1), by default those of the sample.
    """
    pose = _beside(walk, lane)
    if pose is None:
        return
    z, q = walk.z[:, [lane]], walk.q[:, [lane]]
    smooth = smooth_pose(pose, q if near is None else near, z, _direction(walk, lane))
    # Close to a singular pose Newton's method leaves an error, which makes the singular value too large.
    place = q if smooth is None else smooth
    if (smooth is not None or walk.solved[lane]) and pose.scaled.smallest_singular_value(place, z)[0] < SINGULAR:
        walk.q[:, lane], walk.solved[lane], walk.status[lane] = place[:, 0], True, Status.SINGULAR
        if not any(known.sample == lane and known.outcome is Outcome.SINGULAR_POSE for known in walk.failures):
            links = Pose(pose.scaled, z, place).weakest_links
            walk.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), links))


def _beside(walk: Walk, lane: int) -> Pose | None:
    """Return the pose of the nearest other lane that has one."""
    known = walk.known
    known = known[known != lane]
    return walk.pose(int(known[np.argmin(np.abs(known - lane))]), walk.z[:, [lane]]) if len(known) else None


def _direction(walk: Walk, lane: int) -> Floats:
    """Return the direction of the drivers (f, 1) at a sample, of unit length."""
    first, last = max(lane - 1, 0), min(lane + 1, walk.z.shape[1] - 1)
    step = (walk.z[:, [last]] - walk.z[:, [first]]) / walk.units
    length = float(np.sqrt(np.sum(step**2)))
    return step * walk.units / length if length else 0.0 * step
