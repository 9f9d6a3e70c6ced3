"""Solving the lanes between points: from curves through these, by Newton's method over all lanes together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status
from structkin.solve.tracking.direct import apart
from structkin.solve.tracking.input_path import InputPath
from structkin.solve.tracking.intervals import Intervals
from structkin.solve.tracking.poses import Poses, reach, step
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import come_back, step_to
from structkin.track.tolerances import DEPARTURE, TURN

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Lanes that give the inputs' derivatives at a point, and the part of the path by which they are apart.
LEAVING, APART = 3, 20
#: A curve whose second derivative exceeds this multiple of the first passes a kink of the inputs.
CURVED = 4.0


def fill(state: TrackerState) -> None:
    """Solve the lanes between the points of the chain together; those that fail are reached one by one."""
    points, determinants = np.array(state.chain, np.intp), np.array(state.determinants)
    state.chain, state.determinants = state.chain[-1:], state.determinants[-1:]
    if len(points) < 2:
        return
    ends = np.searchsorted(points, np.append(np.arange(points[0], points[-1], state.solver.block), points[-1]))
    for low, high in pairwise(ends.tolist()):
        if high > low:
            _fill_between(state, points[low:high], points[low + 1 : high + 1], determinants[low:high])


def _fill_between(state: TrackerState, first: Indices, last: Indices, determinant: Floats) -> None:
    """Solve the lanes between pairs of points; where some fail, again from a point in the middle.

    The common point of consecutive pairs is closed again, so that the lanes are contiguous.
    """
    path, solver, count = state.path, state.solver, last - first
    if count.max() == 1:
        return
    start, end = state.found(first), state.found(last)
    length = path.length[last] - path.length[first]
    inverse = 1 / np.where(length > 0, length, 1.0)
    curves = _curves(state, first, last, start, end, inverse)
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
    intervals = Intervals(count, path.length[first], inverse, curves)
    closed = solver.between(h, along, intervals, out)
    near = apart(solver.form, start, end, origins=False) < TURN + DEPARTURE
    # Usually all determinants clearly have one sign.
    clear = (
        state.doubtful_determinant < closed.least if determinant[0] > 0 else closed.most < -state.doubtful_determinant
    )
    if clear and closed.good and near.all() and (determinant * determinant[0] > 0).all():
        state.status[lanes if isinstance(k, slice) else path.lanes[k]] = Status.OK
        if not isinstance(k, slice):
            state.out[:, path.lanes[k]] = out
        return
    if not closed.lanes.size:
        closed = solver.between(h, along, intervals, out, each=True)
    determinants = closed.lanes[1]
    good = closed.closed & (determinants * np.repeat(determinant * near, count) > 0)
    interval = np.repeat(np.arange(len(count)), count)
    # A point that its curve does not reproduce keeps its pose.
    inside = np.ones(len(good), bool)
    inside[np.cumsum(count) - count] = False
    kept = np.flatnonzero(good & inside)
    k = np.arange(k.start, k.stop) if isinstance(k, slice) else k
    state.out[:, path.lanes[first]] = start
    state.keep(k[kept], Poses(np.array(h).reshape(len(h), len(determinants)), out, determinants).take(kept))
    bad = np.unique(interval[inside & ~good])
    if len(bad):
        _halve(state, first[bad], last[bad], determinant[bad])


def _halve(state: TrackerState, first: Indices, last: Indices, determinant: Floats) -> None:
    """Solve the lanes between some pairs of points via those in their middle."""
    path, solver = state.path, state.solver
    start = Poses(path.at(first), state.found(first), determinant)
    middle = (first + last) // 2
    good, found = step(solver, start, path.at(middle))
    state.keep(middle[good], found.take(np.flatnonzero(good)))
    determinants = found.determinant.copy()
    for j in np.flatnonzero(~good):
        tracked = reach(solver, start.take([j]), path.at(middle[j]))
        if isinstance(tracked, Poses):
            state.keep(middle[j], tracked)
            good[j], determinants[j] = True, tracked.determinant[0]
            continue
        state.status[path.lanes[middle[j]]] = tracked
        _fill_around(state, int(first[j]), int(middle[j]), int(last[j]))
    first, middle, last = first[good], middle[good], last[good]
    if len(first):
        # Lanes stay in order: first and second halves alternate.
        pairs = (first, middle), (middle, last), (determinant[good], determinants[good])
        starts, ends, determinants = (np.stack(pair, axis=1).ravel() for pair in pairs)
        wide = ends - starts > 1
        if wide.any():
            _fill_between(state, starts[wide], ends[wide], determinants[wide])


def _fill_around(state: TrackerState, first: int, middle: int, last: int) -> None:
    """Solve the lanes between two solved ones from either end, because a straight path to the middle fails.

    What is left is a gap, because the drivers turn around beyond a limit position; they may come back within it. The
    lanes next to its ends could not be reached, and stay a gap.
    """
    low = _walk(state, first, middle)
    if low == middle:
        low = _walk(state, middle, last)
    high = last if low == last else _walk(state, last, max(low, middle))
    if high == middle > low:
        high = _walk(state, middle, low)
    while high - low > 3:
        solved = first + np.flatnonzero(state.status[state.path.lanes[first : last + 1]] == Status.OK)
        lane, pose = come_back(state, solved, np.arange(low + 2, high - 1))
        if pose is None:
            return
        state.keep(lane, pose)
        _walk(state, lane, low + 1)
        low = _walk(state, lane, high - 1)


def _walk(state: TrackerState, k: int, end: int) -> int:
    """Step from a solved lane towards another and solve the lanes in between; return the last lane that is reached."""
    pose, is_solved = state.poses(np.array([k])), state.status[state.path.lanes[end]] == Status.OK
    points, determinants, _, why = step_to(state, k, end, pose)
    points, determinants = [k, *points], [float(pose.determinant[0]), *determinants]
    ahead = 1 if end > k else -1
    state.status[state.path.lanes[np.arange(points[-1] + ahead, end + (0 if is_solved else ahead), ahead)]] = why
    if end < k:
        points, determinants = points[::-1], determinants[::-1]
    found = np.array(points)
    wide = np.diff(found) > 1
    if wide.any():
        _fill_between(state, found[:-1][wide], found[1:][wide], np.array(determinants)[:-1][wide])
    return points[0] if end < k else points[-1]


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
