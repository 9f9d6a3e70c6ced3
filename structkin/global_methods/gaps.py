"""Obstacles of a walk: singular samples are stepped over, gaps are reported."""

from __future__ import annotations

from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome, newton_raphson
from structkin.global_methods.walk import Failure, Walk
from structkin.plan.status import Status
from structkin.track.tolerances import NEAR_LIMIT, SINGULAR

#: With more unknowns the failure of Newton's method is not examined: full matrices of that size take minutes.
LARGE = 600
#: A walk that ends at a smaller singular value has reached a singular pose; if Newton's method finds nothing beyond it,
#: a limit position.
LIMIT = 1e-4
#: Most samples skipped around a singular one.
SKIP = 3


def pass_singular(walk: Walk, k: int, end: int, pose: Pose, before: Curve | None) -> tuple[int, Pose | None]:
    """Step over a singular sample to a later one, up to the place `end`, that lies on the same smooth curve."""
    for target in range(k + 2, min(k + SKIP, end) + 1):
        found = walk.step(pose, walk.at(target), before)
        if found is not None:
            return target, found
    return k + 1, None


def classify_failure(walk: Walk, k: int, pose: Pose) -> Status:
    """Find out why the sample cannot be reached from the pose; a singular one keeps its position."""
    lane, z = walk.lanes[k], walk.at(k)
    last = walk.reached or pose
    if len(pose.q) > LARGE:
        walk.failures.append(Failure(int(lane), Outcome.NOT_EXAMINED, (), last.weakest_links))
        return Status.NOT_CONVERGED
    run = newton_raphson(pose.scaled.coordinates, pose.q[:, 0], z[:, 0], limit=60)
    sigma = float(last.scaled.smallest_singular_value(last.q, last.z)[0])
    at_limit = sigma < LIMIT and run.outcome in (Outcome.CYCLED, Outcome.THROWN_OFF)
    outcome = Outcome.NO_SOLUTION if at_limit else run.outcome
    walk.failures.append(Failure(int(lane), outcome, run.rows, last.weakest_links))
    if outcome is Outcome.NO_SOLUTION:
        return Status.OUT_OF_REACH
    if run.outcome is Outcome.SINGULAR_POSE and run.smallest_singular_value < SINGULAR:
        walk.q[:, lane] = run.q
        walk.solved[lane] = walk.suspect[lane] = True
        walk.note(int(lane), pose.scaled)
    return Status.OUT_OF_REACH if sigma < NEAR_LIMIT else Status.NOT_CONVERGED
