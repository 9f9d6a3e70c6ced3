"""Stepping from point to point: by the solver where that succeeds, else by smaller steps and analytic continuation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status
from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.poses import Poses, in_steps, reach
from structkin.solve.tracking.state import TrackerState
from structkin.track.continuation import continued
from structkin.track.returns import returns
from structkin.track.tolerances import COME_BACK, FINEST, HALVINGS, NO_TANGENT, REGULAR, SHORT_STEPS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Halvings of the step to a point while there are lanes in between.
FEW = 2
#: Previous lanes among which a regular one is searched, and how many of these are tried.
BACK, TRIES = 60, 4


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
    reached = len(determinant)
    if not reached:
        return k, pose
    points, found = points[:reached], Poses(h[:, 1 : reached + 1], s, determinant)
    state.keep(points, found)
    state.link(points.tolist(), determinant.tolist(), tracked=True)
    return int(points[-1]), found.take(slice(reached - 1, reached))


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
    """Continue to the next lane; through a change point where its neighbour's tangent is unreliable."""
    if state.is_flat(pose):
        beyond = _beyond(state, k, target)
        if beyond is not None:
            return beyond
        if state.is_flat(pose, NO_TANGENT):
            # At a limit position a pose has no tangent: start from one before it.
            before, _ = _regular(state, k, target)
            return _reach(state, state.poses(before[:1]), target, FINEST) if len(before) else Status.OUT_OF_REACH
        return _reach(state, pose, target, FINEST)
    found = _reach(state, pose, target, HALVINGS)
    if isinstance(found, Poses):
        return found
    # It may be a change point, to be passed, or a limit position just beyond the lane.
    return _beyond(state, k, target) or _reach(state, pose, target, FINEST)


def _regular(state: TrackerState, k: int, target: int) -> tuple[Indices, Floats]:
    """Return regular lanes up to lane k, on the far side of it from the target, nearest first, and their poses."""
    path = state.path
    if target > k:
        before = np.arange(k, max(k - BACK, path.beginning_of_run(k)) - 1, -1)
    else:
        before = np.arange(k, min(k + BACK, path.end_of_run(k)) + 1)
    before = before[state.status[path.lanes[before]] == Status.OK]
    poses = state.found(before)
    regular = state.sigma(path.at(before), poses) > REGULAR
    return before[regular], poses[:, regular]


def _beyond(state: TrackerState, k: int, target: int) -> Poses | None:
    """Return the pose of a lane next to lane k as the analytic continuation of a regular one on that side."""
    solver, path = state.solver, state.path
    rows = Direct(solver.form, solver.known)
    before, poses = _regular(state, k, target)
    for j, lane in enumerate(before[:TRIES]):
        h0, h1 = (rows.values(path.at(place)) for place in (lane, target))
        found = continued(solver.form, h0, h1, *rows.split(poses[:, [j]]))
        if found is not None:
            h, s = path.at(target), rows.join(*found)
            return Poses(h, s, solver.newton(h, s, 1)[2])
    return None
