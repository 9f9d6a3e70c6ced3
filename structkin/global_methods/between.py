"""Samples between stations that did not close from their prediction, or that may be singular.

Singular samples are stepped over, gaps are reported.
"""

from __future__ import annotations

import numpy as np

from structkin.global_methods.branch_tracker import BranchTracker, Failure
from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome, newton_raphson
from structkin.global_methods.smooth import smooth_pose
from structkin.numerical_tolerances import NEAR_LIMIT, SINGULAR
from structkin.plan.status import Status
from structkin.types import Floats

#: With more unknowns the failure of Newton's method is not examined: full matrices of that size take minutes.
LARGE = 600
#: A tracker that ends at a smaller singular value has reached a singular pose; if Newton's method finds nothing beyond
#: it, a limit position.
LIMIT = 1e-4
#: Most samples skipped around a singular one.
SKIP = 3


def pass_singular(
    tracker: BranchTracker, k: int, end: int, pose: Pose, before: Curve | None
) -> tuple[int, Pose | None]:
    """Step over a singular sample to a later one, up to the place `end`, that lies on the same smooth curve."""
    for target in range(k + 2, min(k + SKIP, end) + 1):
        found = tracker.step(pose, tracker.at(target), before)
        if found is not None:
            return target, found
    return k + 1, None


def classify_failure(tracker: BranchTracker, k: int, pose: Pose) -> Status:
    """Find out why the sample cannot be reached from the pose; a singular one keeps its position."""
    lane, z = tracker.lanes[k], tracker.at(k)
    last = tracker.reached or pose
    if len(pose.q) > LARGE:
        tracker.failures.append(Failure(int(lane), Outcome.NOT_EXAMINED, (), last.weakest_links))
        return Status.NOT_CONVERGED
    run = newton_raphson(pose.scaled.coordinates, pose.q[:, 0], z[:, 0], limit=60)
    sigma = float(last.scaled.smallest_singular_value(last.q, last.z)[0])
    at_limit = sigma < LIMIT and run.outcome in (Outcome.CYCLED, Outcome.THROWN_OFF)
    outcome = Outcome.NO_SOLUTION if at_limit else run.outcome
    tracker.failures.append(Failure(int(lane), outcome, run.rows, last.weakest_links))
    if outcome is Outcome.NO_SOLUTION:
        return Status.OUT_OF_REACH
    if run.outcome is Outcome.SINGULAR_POSE and run.smallest_singular_value < SINGULAR:
        tracker.q[:, lane] = run.q
        tracker.solved[lane] = tracker.suspect[lane] = True
        tracker.note(int(lane), pose.scaled)
    return Status.OUT_OF_REACH if sigma < NEAR_LIMIT else Status.NOT_CONVERGED


#: A tracker that ends this close to a sample, relative to the drivers' units, may have met a change point there.
THERE = 1e-4


def again(tracker: BranchTracker, lane: int) -> None:
    """Track to a sample between stations that did not close from its prediction."""
    place, pose = int(np.searchsorted(tracker.lanes, lane)), _beside(tracker, lane)
    assert pose is not None
    way = tracker.go(pose, tracker.z[:, [lane]])
    if way:
        tracker.keep(place, way[-1].b)
    else:
        why = miss(tracker, place, pose)
        tracker.status[lane] = Status.SINGULAR if tracker.solved[lane] else why


def miss(tracker: BranchTracker, k: int, pose: Pose) -> Status:
    """Find out why the sample at a place was not reached from a pose; a singular one keeps its position."""
    lane, last = int(tracker.lanes[k]), tracker.reached or pose
    if np.max(np.abs(last.z - tracker.at(k)) / tracker.units, initial=0.0) < THERE:
        mend(tracker, lane, last.q)
    if not tracker.solved[lane]:
        return classify_failure(tracker, k, pose)
    tracker.note(lane, pose.scaled)
    return Status.OUT_OF_REACH


def mend(tracker: BranchTracker, lane: int, near: Floats | None = None) -> None:
    """Check a sample that may be singular: if so, its position is that of the smooth motion around it.

    That is searched `near` coordinates (n, 1), by default those of the sample.
    """
    pose = _beside(tracker, lane)
    if pose is None:
        return
    z, q = tracker.z[:, [lane]], tracker.q[:, [lane]]
    smooth = smooth_pose(pose, q if near is None else near, z, _direction(tracker, lane))
    # Close to a singular pose Newton's method leaves an error, which makes the singular value too large.
    place = q if smooth is None else smooth
    if (smooth is not None or tracker.solved[lane]) and pose.scaled.smallest_singular_value(place, z)[0] < SINGULAR:
        tracker.q[:, lane], tracker.solved[lane], tracker.status[lane] = place[:, 0], True, Status.SINGULAR
        if not any(known.sample == lane and known.outcome is Outcome.SINGULAR_POSE for known in tracker.failures):
            links = Pose(pose.scaled, z, place).weakest_links
            tracker.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), links))


def _beside(tracker: BranchTracker, lane: int) -> Pose | None:
    """Return the pose of the nearest other lane that has one."""
    known = tracker.known
    known = known[known != lane]
    return tracker.pose(int(known[np.argmin(np.abs(known - lane))]), tracker.z[:, [lane]]) if len(known) else None


def _direction(tracker: BranchTracker, lane: int) -> Floats:
    """Return the direction of the drivers (f, 1) at a sample, of unit length."""
    first, last = max(lane - 1, 0), min(lane + 1, tracker.z.shape[1] - 1)
    step = (tracker.z[:, [last]] - tracker.z[:, [first]]) / tracker.units
    length = float(np.sqrt(np.sum(step**2)))
    return step * tracker.units / length if length else 0.0 * step
