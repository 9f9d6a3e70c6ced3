"""What a walk cannot go through: singular samples are stepped over, gaps are told, and what lies behind taken up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.curve import Curve, Pose
from structkin.coordinates.diagnosis import Outcome, newton_raphson
from structkin.coordinates.scaled import SINGULAR
from structkin.coordinates.walk import NEAR, Failure, Walk
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: How near the drivers of a sample behind a gap have to come to solved ones.
HOP = 0.1
#: How near they have to come for the straight way from there to be tried.
REACH = 2.0
#: Samples behind a gap that are tried at each of these distances.
HOPS = 8
#: With more unknowns why Newton's method fails is not looked into: full matrices of that size take minutes.
LARGE = 600
#: A walk that ends at a smaller one has come to a limit position, and what lies behind it has no solution.
LIMIT = 1e-4
#: Samples skipped at most around a singular one.
SKIP = 3


def pass_singular(walk: Walk, k: int, end: int, pose: Pose, before: Curve | None) -> tuple[int, Pose | None]:
    """Step over a singular sample to one behind it, up to the place `end`, that lies on the same smooth curve."""
    for target in range(k + 2, min(k + SKIP, end) + 1):
        found = walk.step(pose, before, walk.at(target))
        if found is not None:
            return target, found
    return k + 1, None


def tell(walk: Walk, k: int, pose: Pose) -> Status:
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
    return Status.OUT_OF_REACH if sigma < NEAR else Status.NOT_CONVERGED


def resume(walk: Walk, k: int, why: Status) -> tuple[int, Pose | None, Curve | None]:
    """Take the motion up again where the drivers come back near solved samples; creep back into the gap."""
    from scipy.spatial import cKDTree

    later = np.arange(k + 1, len(walk.lanes))
    walk.status[walk.lanes[later]] = why
    singular = walk.solved[walk.lanes[later]]
    walk.status[walk.lanes[later[singular]]] = Status.SINGULAR
    solved = np.flatnonzero(walk.solved[walk.lanes] & (walk.status[walk.lanes] == Status.OK))
    if not len(later) or not len(solved) or not len(walk.z):
        return len(walk.lanes), None, None
    points = _points(walk)
    found_at = cKDTree(points[walk.lanes[solved]]).query(points[walk.lanes[later]])
    distance, nearest = (np.asarray(x) for x in found_at)
    for j in _candidates(distance):
        place, near = int(later[j]), walk.lanes[solved[int(nearest[j])]]
        z, known = walk.at(place), walk.z[:, [near]]
        # A driven angle that is whole turns on is the same pose.
        known = np.where(walk.angular, known + 2 * np.pi * np.round((z - known) / (2 * np.pi)), known)
        pose = Pose(walk.systems[walk.system_of[near]], known, walk.q[:, [near]])
        found = walk.step(pose, None, z) or walk.walk(pose, z)
        if found is None:
            continue
        walk.keep(place, found)
        _creep_back(walk, place, k, found)
        return place, found, None
    return len(walk.lanes), None, None


def _points(walk: Walk) -> Floats:
    """Return the drivers' values as points of one space (lanes, ...): angles as points of a circle."""
    angular = walk.angular[:, 0]
    angles, lengths = walk.z[angular], walk.z[~angular] / walk.units[~angular]
    return np.concatenate((np.cos(angles), np.sin(angles), lengths)).T


def _creep_back(walk: Walk, place: int, stop: int, pose: Pose) -> None:
    """Solve the samples of a gap backwards from its end, as far as they can be walked to."""
    for back in range(place - 1, stop, -1):
        earlier = walk.step(pose, None, walk.at(back)) or walk.walk(pose, walk.at(back))
        if earlier is None:
            return
        walk.keep(back, earlier)
        pose = earlier


def _candidates(distance: Floats) -> Ints:
    """Return samples behind a gap to try: those whose drivers are very near solved ones, then some at a walk's length.

    Distances are those of all samples behind the gap to the nearest solved one.
    """
    found = []
    for reach in (HOP, REACH):
        inside = np.flatnonzero(distance < reach)
        found.append(inside[np.unique(np.linspace(0, len(inside) - 1, min(len(inside), HOPS)).astype(np.intp))])
    return np.concatenate(found)
