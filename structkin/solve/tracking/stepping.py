"""Stepping from point to point: by the solver where that succeeds, else by smaller steps along the drivers' path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status
from structkin.solve.tracking.poses import Poses, in_steps, reach, vanishes
from structkin.solve.tracking.state import TrackerState
from structkin.track.tolerances import CLOSED, COME_BACK, FINEST, REGULAR, RETURN

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Halvings of the step to a point while there are lanes in between.
FEW = 2
#: Previous lanes among which a regular one is searched.
BACK = 60
#: The first and the last of some determinants may be a least one if it is below this part of its neighbour.
DIP = 0.8
#: Lanes behind a gap that are examined together: the first ones, and the most.
FIRST, MOST = 16, 1024


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
    found = Poses(h, np.concatenate((pose.s, s), axis=1), np.append(pose.determinant, determinant))
    reached = _before_a_dip(state, np.append(k, points[:reached]), found.take(slice(0, reached + 1)))
    if not reached:
        return k, pose
    points, found = points[:reached], found.take(slice(1, reached + 1))
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


def _before_a_dip(state: TrackerState, points: Indices, poses: Poses) -> int:
    """Return how many steps from point to point come before one beside a least determinant that passes over a gap."""
    size = np.abs(poses.determinant)
    dips = np.append(size[:-1] <= size[1:], size[-1:] < DIP * size[-2:-1]) & np.append(
        size[:1] < DIP * size[1:2], size[1:] < size[:-1]
    )
    steps = np.flatnonzero(dips[1:] | dips[:-1])
    ends = points[steps], points[steps + 1]
    lost = _passes_over(state, *ends, poses.take(steps), poses.take(steps + 1)) if len(steps) else np.zeros(0, bool)
    return int(steps[np.argmax(lost)]) if lost.any() else len(size) - 1


def _passes_over(state: TrackerState, first: Indices, last: Indices, start: Poses, end: Poses) -> NDArray[np.bool_]:
    """Return which ways of the inputs between lanes pass over a pose without rates, as the tangents at one end tell."""

    def vanish(k: Indices, target: Indices, poses: Poses, there: Poses) -> NDArray[np.bool_]:
        # The tangent of the way is that of the parabola through three lanes.
        low = np.maximum(k - 1, [state.path.beginning_of_run(one) for one in k])
        high = np.minimum(k + 1, [state.path.end_of_run(one) for one in k])
        before, after = (state.path.length[x] - state.path.length[k] for x in (low, high))
        with np.errstate(all="ignore"):
            slopes = [(state.path.at(x) - poses.h) / far for x, far in ((low, before), (high, after))]
            rate = np.where(before == 0, slopes[1], np.where(after == 0, slopes[0], 0.0))
            both = (slopes[1] * -before + slopes[0] * after) / (after - before)
        rate = np.where((before < 0) & (after > 0), both, rate) * (state.path.length[target] - state.path.length[k])
        return vanishes(state.solver, poses, there.h, lambda part: poses.h + part * np.nan_to_num(rate))

    return vanish(first, last, start, end) | vanish(last, first, end, start)


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
        if isinstance(found, Poses) and count > 1:
            over = _passes_over(state, np.array([k]), np.array([target]), pose, found)[0]
            found = Status.NOT_CONVERGED if over else found
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


def come_back(
    state: TrackerState, solved: Indices, later: Indices, within: float = COME_BACK
) -> tuple[int, Poses | None]:
    """Return the first later lane at which the inputs are back at those of solved ones, and the pose they lead to.

    They are back `within` that distance, if the straight way passes no limit. The lane after the last, and None, where
    there is none. A turn away, wheels stand elsewhere.
    """
    # SciPy takes longer to load than most motions take to solve.
    from scipy.spatial import cKDTree

    path = state.path

    def places(lanes: Indices) -> Floats:
        return np.hstack((path.places(path.at(lanes)), path.turns(lanes)))

    known = places(solved)
    tree, start, block = cKDTree(known), 0, FIRST
    while start < len(later):
        some = later[start : start + block]
        there = places(some)
        distance, nearest = (np.asarray(x) for x in tree.query(there))
        near = np.flatnonzero(_beside(known, solved, there, nearest) < within)
        if len(near):
            count = int(np.ceil(np.max(distance[near]) / RETURN)) or 1
            good, poses = in_steps(state.solver, state.poses(solved[nearest[near]]), path.at(some[near]), count)
            if good.any():
                return int(some[near[np.argmax(good)]]), poses.take(slice(1))
        start, block = start + block, min(2 * block, MOST)
    return len(path.lanes), None


def _beside(known: Floats, lanes: Indices, there: Floats, nearest: Indices) -> Floats:
    """Return how far places are from the path through the nearest known one and the lanes before and behind it (n,)."""
    here, found = known[nearest], np.linalg.norm(there - known[nearest], axis=1)
    for side in (-1, 1):
        other = np.clip(nearest + side, 0, len(known) - 1)
        step = np.where(np.abs(lanes[other] - lanes[nearest]) == 1, (known[other] - here).T, 0.0).T
        length = np.sum(step**2, axis=1)
        part = np.clip(np.sum((there - here) * step, axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        found = np.minimum(found, np.linalg.norm(there - here - part[:, None] * step, axis=1))
    return np.asarray(found)


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
        # Before the lane at which the motion was resumed there is a gap.
        first = state.resumed if k >= state.resumed else 0
        before = np.arange(k, max(k - BACK, path.beginning_of_run(k), first) - 1, -1)
    else:
        before = np.arange(k, min(k + BACK, path.end_of_run(k)) + 1)
    before = before[state.status[path.lanes[before]] == Status.OK]
    h, s = path.at(before), state.found(before)
    # Lanes beside may be the points of a curve that has not been closed yet.
    closed = state.solver.newton(h, s, 1)[1] < CLOSED
    return np.asarray(before[closed & (state.sigma(h, s) > REGULAR)])
