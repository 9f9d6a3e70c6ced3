"""Solving the lanes between points: from curves through these, by Newton's method over all lanes together."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from structkin.numerical_tolerances import BETWEEN, CLOSED, DEPARTURE, ITERATIONS, SAME_POSE, TURN
from structkin.plan.status import Status
from structkin.solve.tracking.direct import apart
from structkin.solve.tracking.input_path import InputPath
from structkin.solve.tracking.intervals import Intervals
from structkin.solve.tracking.solved_lanes import Poses, reach, step
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import DIP, before_a_gap, come_back, step_to, to_next
from structkin.types import Flags, Floats, Indices

#: Lanes that give the inputs' derivatives at a point, and the part of the path by which they are apart.
LEAVING, APART = 3, 20
#: A curve whose second derivative exceeds this multiple of the first passes a kink of the inputs.
CURVED = 4.0
#: With more lanes between two points, the one in the middle is tried first.
MANY = 256


def fill(state: TrackerState, *, backwards: bool = False) -> int | None:
    """Solve the lanes between the points of the chain together; those that fail are reached one by one.

    A step between points may have passed over a gap. Return the lane at which such a gap begins, seen from the
    beginning of the chain, or from its end for a chain that was stepped `backwards`; None where there is no gap.
    """
    points, determinants = np.array(state.chain, np.intp), np.array(state.determinants)
    state.chain, state.determinants = state.chain[-1:], state.determinants[-1:]
    if len(points) < 2:
        return None
    ends = np.searchsorted(points, np.append(np.arange(points[0], points[-1], state.solver.block), points[-1]))
    blocks = [slice(low, high) for low, high in pairwise(ends.tolist()) if high > low]
    first, last = points[:-1], points[1:]
    for block in blocks[::-1] if backwards else blocks:
        gap = _fill_between(state, first[block], last[block], determinants[block], -1 if backwards else 1)
        if gap is not None:
            beyond = slice(points[0], gap) if backwards else slice(gap + 1, points[-1] + 1)
            state.status[state.path.lanes[beyond]] = Status.OUT_OF_REACH
            state.tracked = [k for k in state.tracked if state.status[state.path.lanes[k]] == Status.OK]
            return gap
    return None


def _fill_between(state: TrackerState, first: Indices, last: Indices, determinant: Floats, ahead: int) -> int | None:
    """Solve the lanes between pairs of points; where some fail, again from a point in the middle.

    The common point of consecutive pairs is closed again, so that the lanes are contiguous. Return the lane at which a
    gap begins, seen in the direction `ahead` (1 or -1), or None.
    """
    path, solver, count = state.path, state.solver, last - first
    if count.max() == 1:
        return None
    start, end = state.found(first), state.found(last)
    length = path.length[last] - path.length[first]
    inverse = 1 / np.where(length > 0, length, 1.0)
    curves = _curves(state, first, last, start, end, inverse)
    intervals = Intervals(count, path.length[first], inverse, curves)
    if count.max() > MANY and (bad := _leaves(state, first, last, intervals)).any():
        gaps = [_halve(state, first[bad], last[bad], determinant[bad], ahead)]
        if not bad.all():
            gaps.append(_fill_between(state, first[~bad], last[~bad], determinant[~bad], ahead))
        return _nearest(gaps, ahead)
    h: Sequence[Floats]
    if (last[:-1] == first[1:]).all():
        low, high = int(first[0]), int(last[-1])
        lanes = slice(path.lanes[low], path.lanes[low] + high - low)
        h = path.part(low, high)
        along, out = path.length[low:high], state.out[:, lanes]
        k: slice | Indices = slice(low, high)
    else:
        listed = np.arange(np.sum(count)) + np.repeat(first - (np.cumsum(count) - count), count)
        h = tuple(path.at(listed))
        along, out, k = path.length[listed], np.empty((len(start), len(listed))), listed
    closed = solver.between(h, along, intervals, out, each=True)
    over = _passing_over(state, first, last, end, closed.lanes[1], out)
    near = apart(solver.form, start, end, origins=False) < TURN + DEPARTURE
    # Usually all determinants clearly have one sign.
    clear = (
        state.doubtful_determinant < closed.least if determinant[0] > 0 else closed.most < -state.doubtful_determinant
    )
    if clear and closed.good and near.all() and (determinant * determinant[0] > 0).all() and not over.any():
        state.status[lanes if isinstance(k, slice) else path.lanes[k]] = Status.OK
        if not isinstance(k, slice):
            state.out[:, path.lanes[k]] = out
        return None
    determinants = closed.lanes[1]
    good = closed.closed & (determinants * np.repeat(determinant * near, count) > 0) & ~np.repeat(over, count)
    interval = np.repeat(np.arange(len(count)), count)
    # A point that its curve does not reproduce keeps its pose.
    inside = np.ones(len(good), bool)
    inside[np.cumsum(count) - count] = False
    kept = np.flatnonzero(good & inside)
    k = np.arange(k.start, k.stop) if isinstance(k, slice) else k
    state.out[:, path.lanes[first]] = start
    state.keep(k[kept], Poses(np.array(h).reshape(len(h), len(determinants)), out, determinants).take(kept))
    gaps = [_walk_between(state, *ends, ahead) for ends in zip(first[over].tolist(), last[over].tolist(), strict=True)]
    bad = np.setdiff1d(interval[inside & ~good], np.flatnonzero(over))
    if len(bad):
        gaps.append(_halve(state, first[bad], last[bad], determinant[bad], ahead))
    return _nearest(gaps, ahead)


def _passing_over(
    state: TrackerState, first: Indices, last: Indices, end: Floats, closed: Floats, out: Floats
) -> Flags:
    """Return between which pairs of points the determinants of the lanes in between tell of a gap.

    A step may pass over a gap that is narrower: beside that determinants are less than at both points. `closed` (n,)
    are those of the lanes, whose poses are in `out` (rows, n), and `end` (rows, pairs) the poses of the last points.
    """
    count, sizes = last - first, np.abs(closed)
    starts, behind = np.cumsum(count) - count, state.solver.newton(state.path.at(last), end, 1)[2]
    least, over = np.minimum.reduceat(sizes, starts), np.zeros(len(first), bool)
    for j in np.flatnonzero(least < DIP * np.minimum(sizes[starts], np.abs(behind))).tolist():
        lanes, own = np.arange(first[j], last[j] + 1), slice(starts[j], starts[j] + count[j])
        determinants, s = np.append(closed[own], behind[j]), np.column_stack((out[:, own], end[:, j]))
        over[j] = before_a_gap(state, lanes, determinants, state.path.at(lanes), s) < count[j]
    return over


def _leaves(state: TrackerState, first: Indices, last: Indices, intervals: Intervals) -> Flags:
    """Return in which intervals of many lanes the pose in the middle is far from the curve: all lanes would be lost."""
    wide = np.flatnonzero(intervals.count > MANY)
    middle, solver = (first[wide] + last[wide]) // 2, state.solver
    ones = np.ones(len(wide), np.intp)
    some = Intervals(ones, intervals.begin[wide], intervals.inverse[wide], intervals.curves[:, :, wide])
    guess = some.guess(state.path.length[middle], solver.form.rows.links)
    s, change, _ = solver.newton(state.path.at(middle), guess, ITERATIONS)
    bad = np.zeros(len(first), bool)
    bad[wide] = ~((change < CLOSED) & (apart(solver.form, s, guess) < BETWEEN))
    return bad


def _halve(state: TrackerState, first: Indices, last: Indices, determinant: Floats, ahead: int) -> int | None:
    """Solve the lanes between some pairs of points via those in their middle."""
    path, solver, gaps = state.path, state.solver, []
    start = Poses(path.at(first), state.found(first), determinant)
    middle = (first + last) // 2
    good, found = step(solver, start, path.at(middle))
    state.keep(middle[good], found.take(np.flatnonzero(good)))
    determinants = found.determinant.copy()
    for j in np.flatnonzero(~good):
        tracked = reach(solver, start.take([j]), path.at(middle[j]), first=0.5)
        if isinstance(tracked, Poses):
            state.keep(middle[j], tracked)
            good[j], determinants[j] = True, tracked.determinant[0]
        else:
            gaps.append(_walk_between(state, int(first[j]), int(last[j]), ahead))
    first, middle, last = first[good], middle[good], last[good]
    if len(first):
        # Lanes stay in order: first and second halves alternate.
        pairs = (first, middle), (middle, last), (determinant[good], determinants[good])
        starts, ends, determinants = (np.stack(pair, axis=1).ravel() for pair in pairs)
        gaps += [_joint(state, k, ahead) for k in last[last - middle == 1].tolist()]
        wide = ends - starts > 1
        if wide.any():
            gaps.append(_fill_between(state, starts[wide], ends[wide], determinants[wide], ahead))
    return _nearest(gaps, ahead)


def _joint(state: TrackerState, k: int, ahead: int) -> int | None:
    """Return None if the pose of lane k, a point, follows from that of the lane before; else where the branch is left.

    A long step may have led to another branch whose determinant has the same sign. Then the lanes before k, closed one
    from the other, tell: forwards, lane k gets the pose that follows from them, and the motion is continued from there.
    """
    pose, kept = state.poses(np.array([k - 1])), state.poses(np.array([k]))
    good, found = step(state.solver, pose, kept.h)
    if good[0] and apart(state.solver.form, found.s, kept.s) < SAME_POSE:
        return None
    follows = to_next(state, pose, k - 1, k)
    if isinstance(follows, Poses):
        if apart(state.solver.form, follows.s, kept.s) < SAME_POSE:
            return None
        if ahead > 0:
            state.keep(k, follows)
            state.corrected.add(k)
    elif state.is_flat(kept):
        return None
    return k if isinstance(follows, Poses) or ahead < 0 else k - 1


def _nearest(gaps: Sequence[int | None], ahead: int) -> int | None:
    return min((gap for gap in gaps if gap is not None), key=lambda gap: ahead * gap, default=None)


def _walk_between(state: TrackerState, first: int, last: int, ahead: int) -> int | None:
    """Solve the lanes between two points by small steps, because a straight path to their middle fails.

    The drivers may turn around beyond a limit position and come back: then the motion is resumed as behind any other
    gap, and is joined to the point that the long step has reached. Otherwise it ends at the lane that is returned, as
    it does on the way back from where it was resumed.
    """
    here, there = (first, last) if ahead > 0 else (last, first)
    stepped = state.poses(np.array([there]))
    middle = (first + last) // 2
    reached = _walk(state, here, middle)
    if reached == middle:
        reached = _walk(state, middle, there)
    while ahead > 0 and there - reached > 1:
        known = np.arange(here, reached + 1)
        known = known[state.status[state.path.lanes[known]] == Status.OK]
        lane, found = come_back(state, known, np.arange(reached + 2, there + 1))
        if found is None:
            return reached
        state.keep(lane, found)
        insort(state.gaps, reached + 1)
        if _walk(state, lane, reached + 1) == reached + 1:
            state.parted.add(reached + 1)
        reached = _walk(state, lane, there)
    if reached != there:
        return reached
    walked = state.poses(np.array([there]))
    if apart(state.solver.form, walked.s, stepped.s) < DEPARTURE and walked.determinant * stepped.determinant > 0:
        return None
    state.corrected.add(reached)
    return reached


def _walk(state: TrackerState, k: int, end: int) -> int:
    """Step from a solved lane towards another and solve the lanes in between; return the last lane that is reached."""
    if k == end:
        return k
    pose, ahead = state.poses(np.array([k])), 1 if end > k else -1
    points, determinants, _, why = step_to(state, k, end, pose)
    points, determinants = [k, *points], [float(pose.determinant[0]), *determinants]
    reached = points[-1]
    if end < k:
        points, determinants = points[::-1], determinants[::-1]
    found = np.array(points)
    wide = np.diff(found) > 1
    gap = None
    if wide.any():
        gap = _fill_between(state, found[:-1][wide], found[1:][wide], np.array(determinants)[:-1][wide], ahead)
    reached, why = (reached, why) if gap is None else (gap, Status.OUT_OF_REACH)
    state.status[state.path.lanes[np.arange(reached + ahead, end + ahead, ahead)]] = why
    return reached


def _curves(state: TrackerState, first: Indices, last: Indices, start: Floats, end: Floats, inverse: Floats) -> Floats:
    """Return the coefficients (6, rows, intervals) of curves through poses, tangents and curvatures of points.

    They are Hermite polynomials of degree five in the fraction of the path, from 0 to 1; of degree three where inputs
    have a kink.
    """
    rise = end - start
    wide = np.flatnonzero(last - first > LEAVING)
    # Few lanes are near a straight line.
    v0, v1, w0, w1 = rise.copy(), rise.copy(), np.zeros(rise.shape), np.zeros(rise.shape)
    if len(wide):
        part: slice | Indices = slice(None) if len(wide) == len(first) else wide
        s = np.concatenate((start[:, part], end[:, part]), axis=1)
        h, d, e = _leaving(state.path, first[part], last[part], inverse[part])
        v, w = state.solver.rates(h, s, d, e)
        n = len(wide)
        if not np.isfinite(w).all():
            lost = ~np.isfinite(w).all(axis=0)
            v[:, lost], w[:, lost], e[:, lost] = np.tile(rise[:, part], 2)[:, lost], 0.0, np.inf
        v0[:, part], v1[:, part] = v[:, :n], v[:, n:]
        w0[:, part], w1[:, part] = w[:, :n], w[:, n:]
        bent = ~(np.abs(e).max(axis=0, initial=0.0) < CURVED * np.abs(d).max(axis=0, initial=0.0))
        if bent.any():
            at = wide[bent[:n] | bent[n:]]
            r, a, b = rise[:, at], v0[:, at], v1[:, at]
            w0[:, at], w1[:, at] = 6 * r - 4 * a - 2 * b, 2 * a + 4 * b - 6 * r
    half, a, b, c = 0.5 * w0, rise - v0, v1 - v0 - w0, 0.5 * (w1 - w0)
    a -= half
    return np.array((start, v0, half, 10 * a - 4 * b + c, 7 * b - 15 * a - 2 * c, 6 * a - 3 * b + c))


def _leaving(path: InputPath, first: Indices, last: Indices, inverse: Floats) -> tuple[Floats, Floats, Floats]:
    """Return inputs at the beginnings and ends of paths, and their first and second derivatives from inside.

    Each is (inputs, 2 n); the path between the points has length 1. Newton's divided differences.
    """
    # Not the next lanes where there are many: a sample may occur twice, and rounding grows as they get closer.
    away = np.arange(LEAVING + 1)[:, None] * np.maximum(1, (last - first) // APART)
    k = np.concatenate((first + away, last - away), axis=1)
    u, h = path.length[k], path.at(k.ravel()).reshape(-1, LEAVING + 1, 2 * len(first))
    u1, u2, u3 = (u[1:] - u[0]) * np.concatenate((inverse, inverse))
    with np.errstate(all="ignore"):
        p1, p2, p3 = ((h[:, j] - h[:, 0]) / far for j, far in ((1, u1), (2, u2), (3, u3)))
        one, two = (p2 - p1) / (u2 - u1), (p3 - p2) / (u3 - u2)
        three = (two - one) / (u3 - u1)
        return h[:, 0], p1 - u1 * one + u1 * u2 * three, 2 * (one - (u1 + u2) * three)
