"""Stepping from point to point: by the solver where that succeeds, else by smaller steps along the drivers' path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status
from structkin.solve.tracking.poses import Poses, in_steps, reach
from structkin.solve.tracking.state import TrackerState
from structkin.track.returns import returns
from structkin.track.tolerances import CLOSED, COME_BACK, FINEST, REGULAR, SHORT_STEPS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Halvings of the step to a point while there are lanes in between.
FEW = 2
#: Previous lanes among which a regular one is searched.
BACK = 60


def step_over(state: TrackerState, k: int, pose: Poses, count: int) -> tuple[int, Poses]:
    """Step over as many of the next points, up to `count`, as single steps reach."""
    path = state.path
    if not abs(pose.determinant[0]) > state.doubtful_determinant:
        return k, pose
    points = path.points(k, count)
    h = np.concatenate((pose.h, path.at(points)), axis=1)
    s, determinant = state.solver.steps(
        h, pose.s[:, 0], float(np.sign(pose.determinant[0])), state.doubtful_determinant
    )
    reached = _before_a_corner(state, points[: len(determinant)], determinant)
    if not reached:
        return k, pose
    points, found = points[:reached], Poses(h[:, 1 : reached + 1], s[:, :reached], determinant[:reached])
    state.keep(points, found)
    state.link(points.tolist(), found.determinant.tolist(), tracked=True)
    return int(points[-1]), found.take(slice(reached - 1, reached))


def _before_a_corner(state: TrackerState, points: Indices, determinants: Floats) -> int:
    """Return how many of some points come before the first step over which the determinant may have a corner at zero.

    Where branches cross at a flat pose, a step may lead to the wrong one: its determinant has the same sign, but points
    on either side show that it falls to zero in between, and rises again.
    """
    along = state.path.length[np.concatenate((state.chain[-2:], points)).astype(np.intp)]
    values = np.concatenate((state.determinants[-2:], determinants))
    with np.errstate(all="ignore"):
        slope = np.diff(values) / np.diff(along)
        # From two points before a step, and from two behind it.
        ahead = values[1:-1] + slope[:-1] * np.diff(along)[1:]
        back = values[1:-1] - slope[1:] * np.diff(along)[:-1]
    corner = np.zeros(len(values) - 1, bool)
    corner[1:] |= ahead * values[1:-1] <= 0
    corner[:-1] |= back * values[1:-1] <= 0
    first = np.flatnonzero(corner[len(values) - 1 - len(points) :])
    return int(first[0]) if len(first) else len(points)


def step_to(state: TrackerState, k: int, end: int, pose: Poses) -> tuple[list[int], list[float], Poses, Status]:
    """Step from a solved lane to another, by fewer lanes at a time where a step fails.

    Return the reached points with their determinants, the last pose, and why it is not that of the end.
    """
    reached: list[int] = []
    determinants: list[float] = []
    count = abs(end - k)
    while k != end:
        count = 1 if state.is_flat(pose) else min(count, abs(end - k))
        target = k + (count if end > k else -count)
        found = to_next(state, pose, k, target) if count == 1 else _reach(state, pose, target, FEW)
        if isinstance(found, Poses):
            state.keep(target, found)
            reached.append(target)
            determinants.append(float(found.determinant[0]))
            k, pose = target, found
        elif count == 1:
            return reached, determinants, pose, found
        else:
            count //= 2
    return reached, determinants, pose, Status.OK


def step_back(state: TrackerState, k: int, first: int, pose: Poses) -> None:
    """Step from a solved lane, the first of the chain, to those before it as far as possible."""
    path = state.path
    first, why = max(first, path.beginning_of_run(k)), Status.OK
    while k > first and why == Status.OK:
        points, determinants, pose, why = step_to(state, k, path.point(k, first), pose)
        state.chain, state.determinants = points[::-1] + state.chain, determinants[::-1] + state.determinants
        state.tracked += points
        k = points[-1] if points else k
    if why != Status.OK:
        state.status[path.lanes[first:k]] = why


def come_back(state: TrackerState, solved: Indices, later: Indices) -> tuple[int, Poses | None]:
    """Return the first later lane that a straight path reaches from a solved one with similar drivers, and its pose.

    The lane after the last, and None, where there is none. All drivers of the mechanism count, as in the global
    methods, which do not know groups.
    """
    path = state.path

    def places(lanes: Indices) -> Floats:
        # A further turn counts as more than a step.
        return np.hstack((path.drivers(lanes), COME_BACK / np.pi * path.turns(lanes)))

    for near, nearest in returns(places, solved, later):
        start, h, first, found = state.poses(nearest), path.at(near), len(near), None
        for count in (1, SHORT_STEPS):
            # Smaller steps may lead to an earlier lane.
            good, poses = in_steps(state.solver, start.take(slice(first)), h[:, :first], count)
            if good.any():
                first = int(np.argmax(good))
                found = int(near[first]), poses.take(slice(1))
            if first == 0:
                break
        if found is not None:
            return found
    return len(path.lanes), None


def _reach(state: TrackerState, pose: Poses, target: int, halvings: int) -> Poses | Status:
    return reach(state.solver, pose, state.path.at(target), halvings)


def to_next(state: TrackerState, pose: Poses, k: int, target: int) -> Poses | Status:
    """Continue to the next lane along the drivers' path; where its neighbour is flat, from a regular pose before it."""
    if state.is_flat(pose):
        before = _regular(state, k, target)
        k, pose = (int(before[0]), state.poses(before[:1])) if len(before) else (k, pose)
    return reach(state.solver, pose, state.path.at(target), FINEST, state.path.route(k, target))


def _regular(state: TrackerState, k: int, target: int) -> Indices:
    """Return regular lanes up to lane k, on the far side of it from the target, nearest first."""
    path = state.path
    if target > k:
        before = np.arange(k, max(k - BACK, path.beginning_of_run(k)) - 1, -1)
    else:
        before = np.arange(k, min(k + BACK, path.end_of_run(k)) + 1)
    before = before[state.status[path.lanes[before]] == Status.OK]
    h, s = path.at(before), state.found(before)
    # Lanes beside may be the points of a curve that has not been closed yet.
    closed = state.solver.newton(h, s, 1)[1] < CLOSED
    return np.asarray(before[closed & (state.sigma(h, s) > REGULAR)])
