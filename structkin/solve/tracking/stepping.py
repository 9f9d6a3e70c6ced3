"""Stepping from point to point: by the solver where that succeeds, else by smaller steps along the drivers' path."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import numpy as np

from structkin.budget import charge
from structkin.numerical_tolerances import CLOSED, COME_BACK, DEPARTURE, FINEST, REGULAR, RETURN, TURN
from structkin.plan.status import Status
from structkin.solve.tracking.direct import apart
from structkin.solve.tracking.input_path import Straight
from structkin.solve.tracking.solved_lanes import Poses, beside, go_straight, reach, step, vanishing
from structkin.solve.tracking.state import TrackerState
from structkin.types import Flags, Floats, Indices

#: Previous lanes among which a regular one is searched; of those further back, each so many times as far, up to these.
BACK = 60
FURTHER, FAR_BACK = 1.1, 20_000
#: Over a step that passes a gap, determinants fall to less than this part of themselves, on both sides together.
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
    if not len(determinant):
        return k, pose
    lanes = np.concatenate((state.chain[-2:], points[: len(determinant)])).astype(np.intp)
    values = np.concatenate((state.determinants[-2:], determinant))
    reached = _before_a_corner(state.path.length[lanes], values, len(determinant))
    s, end = np.concatenate((pose.s, s), axis=1), len(lanes) - len(determinant) + reached
    reached = before_a_gap(state, lanes[:end], values[:end], h, s[:, : reached + 1])
    if not reached:
        return k, pose
    points, taken = points[:reached], slice(1, reached + 1)
    found = Poses(h[:, taken], s[:, taken], determinant[:reached])
    state.keep(points, found)
    state.link(points.tolist(), found.determinant.tolist(), tracked=True)
    return int(points[-1]), found.take(slice(reached - 1, reached))


def _before_a_corner(along: Floats, values: Floats, count: int) -> int:
    """Return how many steps to points come before the first over which the determinant may have a corner at zero.

    `values` are the determinants at places `along` the path: of `count` points, and of up to two before them. Where
    branches cross at a flat pose, a step may lead to the wrong one: its determinant has the same sign, but points on
    either side show that it falls to zero in between, and rises again.
    """
    v, places = values.tolist(), along.tolist()
    # A sample may occur twice: there is no slope between.
    step = [q - p or math.nan for p, q in pairwise(places)]
    slope = [(b - a) / far for (a, b), far in zip(pairwise(v), step, strict=True)]
    first = len(step) - count
    for j in range(first, len(step)):
        # From two points before the step, and from two behind it.
        ahead = j > 0 and (v[j] + slope[j - 1] * step[j]) * v[j] <= 0
        if ahead or (j + 1 < len(step) and (v[j + 1] - slope[j + 1] * step[j]) * v[j + 1] <= 0):
            return j - first
    return count


def before_a_gap(state: TrackerState, lanes: Indices, determinants: Floats, h: Floats, s: Floats) -> int:
    """Return how many steps, from a lane to points, come before the first that passes over a gap.

    `s` are the poses of the lane and the points, `h` begins with their inputs. `lanes`, with their `determinants`, may
    begin with a point before the lane.
    """
    ahead = len(lanes) - int(s.shape[1])
    found = _may_pass_over(state.path.length[lanes], np.abs(determinants))
    steps = np.array([j for j in found if j >= ahead], np.intp)
    if not len(steps):
        return len(lanes) - ahead - 1
    start, end = (Poses(h[:, at - ahead], s[:, at - ahead], determinants[at]) for at in (steps, steps + 1))
    over = _passes_over(state, lanes[steps], lanes[steps + 1], start, end)
    return (int(steps[np.argmax(over)]) if over.any() else len(lanes) - 1) - ahead


def _may_pass_over(along: Floats, size: Floats) -> list[int]:
    """Return which steps between places `along` the path may pass over a gap, as the determinants' `size` there tells.

    Determinants fall towards a limit position, so from both sides towards a gap: by how much over a step as long, the
    step before tells on one side and the step behind on the other. Where there is neither, nothing is known.
    """
    if len(size) < 3:
        return list(range(len(size) - 1))
    found, sizes, places, last = [], size.tolist(), along.tolist(), len(size) - 2

    def fall(j: int, one: int, other: int) -> float:
        """Return the part that is left of the determinant over step j, from places before or behind it."""
        far = abs(places[one] - places[other])
        # A sample may occur twice.
        return (sizes[one] / sizes[other]) ** max(abs(places[j + 1] - places[j]) / far, 1.0) if far else 0.0

    for j in range(last + 1):
        if (j > 0 and not sizes[j] < sizes[j - 1]) or (j < last and not sizes[j + 2] > sizes[j + 1]):
            continue
        part = (fall(j, j, j - 1) if j > 0 else 1.0) * (fall(j, j + 1, j + 2) if j < last else 1.0)
        if part < DIP:
            found.append(j)
    return found


def _passes_over(state: TrackerState, first: Indices, last: Indices, start: Poses, end: Poses) -> Flags:
    """Return which ways of the inputs between lanes pass over a gap or a flat pose, as the tangents at both ends tell.

    The determinants fall along them, and the smallest singular values along both. A root's tangent reaches zero as far
    again behind its limit: from the nearer one of two limits on the way that is before its end, and from the other one
    within twice the way.
    """
    both, there = start.beside(end), np.concatenate((end.h, start.h), axis=1)
    rate = _rate(state, np.concatenate((first, last)), np.concatenate((last, first)), both.h)
    part, near = beside(state.solver, both, there, lambda part: both.h + part * rate)
    fall = np.reshape((near.determinant / both.determinant - 1.0) / part, (2, -1))
    over = np.asarray(fall.sum(axis=0) < math.log(DIP))
    if over.any():
        zero = np.reshape(vanishing(state.solver, both, part, near), (2, -1))
        over &= (zero.max(axis=0) <= 2.0) & (zero.min(axis=0) <= 1.0)
    return over


def _rate(state: TrackerState, k: Indices, target: Indices, h: Floats) -> Floats:
    """Return the rates (inputs, n) of the inputs h at lanes on the way to others, whose length is 1."""
    path = state.path
    # The tangent of the way is that of the parabola through three lanes.
    low, high = np.transpose(
        [_beside_lane(path.length, one, (path.beginning_of_run(one), path.end_of_run(one))) for one in k.tolist()]
    )
    lengths = (path.length[x].tolist() for x in (low, k, high, target))
    parts = [_parabola(one - at, other - at, end - at) for one, at, other, end in zip(*lengths, strict=True)]
    before, behind = np.transpose(parts)
    return np.asarray(before * (path.at(low) - h) + behind * (path.at(high) - h))


def _beside_lane(length: Floats, k: int, run: tuple[int, int]) -> tuple[int, int]:
    """Return the lanes before and behind lane k of a run, from its first to its last one, at other places on the path.

    At an end of the run two lanes on one side, if there are; else lane k itself.

    >>> length = np.array([0.0, 0.0, 1.0, 3.0, 3.0, 4.0])
    >>> [_beside_lane(length, k, (0, 5)) for k in range(6)]
    [(3, 2), (3, 2), (1, 3), (2, 5), (2, 5), (4, 2)]
    >>> _beside_lane(length, 0, (0, 2)), _beside_lane(length, 0, (0, 1))
    ((0, 2), (0, 0))
    """

    def next_to(lane: int, side: Literal["left", "right"]) -> int:
        found = int(np.searchsorted(length, length[lane], side)) - (side == "left")
        return found if run[0] <= found <= run[1] else -1

    low, high = next_to(k, "left"), next_to(k, "right")
    if low < 0 <= high:
        low = next_to(high, "right")
    elif high < 0 <= low:
        high = next_to(low, "left")
    return (k if low < 0 else low), (k if high < 0 else high)


def _parabola(before: float, after: float, far: float) -> tuple[float, float]:
    """Return by which factors values `before` and `after` 0, less that at 0, give `far` times the slope there."""
    if before == 0.0 or after == 0.0:
        return (far / before if before else 0.0), (far / after if after else 0.0)
    return far * after / before / (after - before), -far * before / after / (after - before)


def step_to(
    state: TrackerState, k: int, end: int, pose: Poses, *, tried: bool = False
) -> tuple[list[int], list[float], Poses, Status]:
    """Step from a solved lane to another, by fewer lanes at a time where a step fails, as one has if it was `tried`.

    Return the reached points with their determinants, the last pose, and why it is not that of the end.
    """
    reached: list[int] = []
    determinants: list[float] = []
    before = state.neighbour(k)
    count = abs(end - k) - tried * (abs(end - k) // 2)
    while k != end:
        count = 1 if state.is_flat(pose) else min(count, abs(end - k))
        target = k + (count if end > k else -count)
        found = to_next(state, pose, k, target) if count == 1 else _over_lanes(state, pose, k, target, before)
        if isinstance(found, Poses):
            state.keep(target, found)
            reached.append(target)
            determinants.append(float(found.determinant[0]))
            before = [k], [float(pose.determinant[0])]
            k, pose = target, found
        elif count == 1:
            return reached, determinants, pose, found
        else:
            count -= count // 2
    return reached, determinants, pose, Status.OK


def _over_lanes(
    state: TrackerState, pose: Poses, k: int, target: int, before: tuple[list[int], list[float]]
) -> Poses | Status:
    """Take one step over the lanes up to another one, if it passes over no gap; `before` is the point before lane k."""
    charge(state.solver.form.rows.links / 4)
    good, found = step(state.solver, pose, state.path.at(target))
    if good[0]:
        sizes, both = np.array([*before[1], pose.determinant[0], found.determinant[0]]), pose.beside(found)
        good[0] = before_a_gap(state, np.array([*before[0], k, target]), sizes, both.h, both.s) == 1
    return found if good[0] else Status.NOT_CONVERGED


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
            starts, longest = state.poses(solved[nearest[near]]), RETURN / np.maximum(distance[near], RETURN)
            found = go_straight(state.solver, starts, path.at(some[near]), longest)
            if found is not None:
                return int(some[near[found[0]]]), found[1]
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


def to_next(state: TrackerState, pose: Poses, k: int, target: int) -> Poses | Status:
    """Continue to the next lane along the drivers' path; where its neighbour is flat, from a regular pose before it."""
    flat = pose if state.is_flat(pose) else None
    if flat is not None:
        before = _regular(state, k, target)
        k, pose = (int(before[0]), state.poses(before[:1])) if len(before) else (k, pose)
    goal, route = state.path.at(target), state.path.route(k, target)
    found = reach(state.solver, pose, goal, FINEST, route)
    if flat is not None and isinstance(found, Poses) and _leaves_out(state, pose, flat, found):
        # What is flat there is a limit position.
        return Status.OUT_OF_REACH
    if isinstance(found, Poses) or not isinstance(route, Straight):
        return found
    # A straight way may leave the group's reach where that of the drivers does not.
    pieces = state.path.pieces(k, target)
    for piece in pieces:
        found = reach(state.solver, pose, goal if piece is pieces[-1] else piece.at(1.0), FINEST, piece)
        if not isinstance(found, Poses):
            break
        pose = found
    return found


def _leaves_out(state: TrackerState, start: Poses, flat: Poses, end: Poses) -> bool:
    """Return whether a step from a regular pose leads to another branch than that of a flat pose before its end."""
    form = state.solver.form
    turned = [float(apart(form, end.s, one.s, origins=False)[0]) for one in (start, flat)]
    return turned[1] > TURN + DEPARTURE and turned[1] > turned[0]


def _regular(state: TrackerState, k: int, target: int) -> Indices:
    """Return regular lanes up to lane k, on the far side of it from the target, nearest first."""
    path = state.path
    first, end = state.stretch(k)
    last = max(first, k - FAR_BACK) if target > k else min(end, k + FAR_BACK)
    known = np.arange(k, last + np.sign(last - k), np.sign(last - k)) if last != k else np.array([k])
    known = known[state.status[path.lanes[known]] == Status.OK]
    # Where lanes lie densely, some of those further away will do.
    further = BACK * FURTHER ** np.arange(math.log(FAR_BACK / BACK, FURTHER))
    further = np.unique(np.searchsorted(np.abs(known - k), further))
    for some in (known[:BACK], known[further[further < len(known)]]):
        if not len(some):
            break
        h, s = path.at(some), state.found(some)
        # Lanes beside may be the points of a curve that has not been closed yet.
        _, change, determinant = state.solver.newton(h, s, 1)
        regular = some[(change < CLOSED) & (state.sigma(Poses(h, s, determinant)) > REGULAR)]
        if len(regular):
            return np.asarray(regular)
    return np.zeros(0, np.intp)
