"""Obstacles of a tracker: singular samples are stepped over, gaps are reported."""

from __future__ import annotations

from structkin.global_methods.branch_tracker import BranchTracker, Failure
from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome, newton_raphson
from structkin.numerical_tolerances import NEAR_LIMIT, SINGULAR
from structkin.plan.status import Status

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
