"""Random linkages, built group by group: dyads, and sliders and triads if they are asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRP, RRR
from structkin.plan.closing import half_square
from structkin.types import Complexes, Flags, Floats, Indices

#: Angles of the crank at which the ends of a dyad are known while it is chosen.
ANGLES = 90
#: Part of the joints after the third that are fixed.
FIXED = 0.2
#: Linkages that are drawn at a time, which bounds the memory.
PART = 4096
#: How often other ends are drawn for a dyad whose ends nearly meet, and other places for a triad that does not turn.
TRIES = 8
#: So many of these triads are followed together.
TOGETHER = 4
#: Steps of Newton's method from one angle to the next, and how small the last one is, in parts of the size or radians.
STEPS, CLOSE = 4, 1e-4
#: The least determinant of a triad whose bars have the length 1, and its size too.
LEAST = 0.05

#: How often as many linkages are drawn as shall be made, until enough of them are far apart.
ROUNDS = 10

Arrays = tuple[NDArray[np.bool_], Floats, NDArray[np.bool_], Floats]


def random_arrays(count: int, joints: int, seed: int, *, turning: bool, triads: float, sliders: float, apart: float,
                  ) -> Arrays:  # fmt: skip
    """Return adjacency, points, fixed and slides of linkages; fewer than `count` where not so many are `apart`.

    See `structkin.Linkages.random`.
    """
    rng = np.random.default_rng(seed)
    bars, fixed = np.empty((count, joints, joints), bool), np.empty((count, joints), bool)
    points = np.empty((count, joints, 2))
    slides = np.empty((count, joints, 2)) if sliders else np.broadcast_to(np.nan, points.shape)
    wanted = np.arange(count)
    for _ in range(ROUNDS):
        for first in range(0, len(wanted), PART):
            some = wanted[first : first + PART]
            drawn = _part(rng, len(some), joints, triads, sliders, turning=turning)
            bars[some], points[some], fixed[some] = drawn[:3]
            if sliders:
                slides[some] = drawn[3]
        wanted = _too_near(bars, points, fixed, slides, apart) if apart else wanted[:0]
        if not len(wanted):
            return bars, points, fixed, slides
    left = np.delete(np.arange(count), wanted)
    return bars[left], points[left], fixed[left], slides[left]


def _too_near(
    bars: NDArray[np.bool_], points: Floats, fixed: NDArray[np.bool_], slides: Floats, apart: float
) -> Indices:
    """Return the linkages that are near-duplicates of one before them; see `normalised` for the distance."""
    from scipy.spatial import cKDTree  # it takes long to load

    m = len(bars)
    topology = np.hstack([np.packbits(one.reshape(m, -1), axis=1) for one in (bars, fixed, ~np.isnan(slides))])
    _, kinds = np.unique(topology, axis=0, return_inverse=True)
    order, left = np.argsort(kinds.ravel(), kind="stable"), np.ones(m, bool)
    places = normalised(points, slides)
    for some in np.split(order, np.flatnonzero(np.diff(kinds.ravel()[order])) + 1):
        for one, other in sorted(cKDTree(places[some]).query_pairs(apart)) if len(some) > 1 else ():
            if left[some[one]]:
                left[some[other]] = False
    return np.flatnonzero(~left)


def normalised(points: Floats, slides: Floats) -> Floats:
    """Return linkages as places in one space (m, 4 joints), whose distance says how near two of one topology are.

    It is the root mean square of the distances of their joints in the sketch, in parts of their size, when both are
    moved to their centroid, turned until joint 2 lies along x from joint 0, and scaled to a root mean square of 1; and
    of the directions of their guides, each half the difference of two unit vectors at twice its angle.

    >>> square = np.array([[(0.0, 0), (1, 0), (1, 1), (0, 1)]])
    >>> turned = 3 * square @ [[0.6, 0.8], [-0.8, 0.6]] + 5
    >>> none = np.full((1, 4, 2), np.nan)
    >>> bool(np.allclose(normalised(square, none), normalised(turned, none)))
    True
    """
    z = points[..., 0] + 1j * points[..., 1]
    ground = z[:, 2] - z[:, 0]
    ground = ground / np.abs(ground)
    z = (z - z.mean(axis=1, keepdims=True)) / ground[:, None]
    z = z / np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True))
    # A guide is a line: half a turn leaves it as it is.
    guides = np.nan_to_num(np.exp(2j * slides[..., 0]) / ground[:, None] ** 2) / (2 * np.sqrt(z.shape[1]))
    return np.hstack((z.real, z.imag, guides.real, guides.imag))


def _part(rng: np.random.Generator, count: int, joints: int, triads: float, sliders: float, *, turning: bool) -> Arrays:
    every, cosine, sine = np.arange(count), *(f(np.linspace(0, 2 * np.pi, ANGLES)) for f in (np.cos, np.sin))
    adjacency, fixed = np.zeros((count, joints, joints), bool), np.zeros((count, joints), bool)
    paths = np.empty((count, joints, 2, ANGLES if turning else 1))
    slides = np.full((count, joints, 2), (np.nan, -1.0))
    fixed[:, [0, 2]] = True
    _join(adjacency, every, 0, 1)
    paths[:, [0, 2]] = rng.random((count, 2, 2, 1))
    reach, turn = 0.05 + 0.1 * rng.random((count, 1)), 2 * np.pi * rng.random((count, 1))
    arm = (reach * np.exp(1j * turn) * (cosine + 1j * sine))[:, : paths.shape[3]]
    paths[:, 1] = paths[:, 0] + np.stack((arm.real, arm.imag), axis=1)
    left, legs = np.zeros(count, int), np.zeros((count, 3), int)
    for new in range(3, joints):
        if triads and joints - new >= 3:
            begins, ends = (left == 0) & (rng.random(count) < triads), _ends(rng, fixed[:, :new])
            if turning:
                drawn = np.flatnonzero(begins)
                paths[drawn, new : new + 3], begins[drawn] = _triad(rng, paths[drawn[:, None], ends[drawn]])
            left[begins], legs[begins] = 3, ends[begins]
        in_triad = left > 0
        fixed[:, new] = (rng.random(count) < FIXED) & (new < joints - 1) & ~in_triad
        one, two = _pair(rng, fixed[:, :new])
        if turning:
            _keep_apart(rng, paths, fixed[:, :new], one, two)
        is_dyad = ~fixed[:, new] & ~in_triad
        slid = is_dyad & (rng.random(count) < sliders) if sliders else np.zeros(count, bool)
        _join(adjacency, every[is_dyad], new, one[is_dyad])
        _join(adjacency, every[is_dyad & ~slid], new, two[is_dyad & ~slid])
        slides[slid, new, 0] = np.pi * rng.random(int(slid.sum()))
        # The three joints of a triad are those of a link, each on a bar of its own.
        _join(adjacency, every[in_triad], new, legs[in_triad, 3 - left[in_triad]])
        for before in (1, 2):
            some = in_triad & (left <= 3 - before)
            _join(adjacency, every[some], new, new - before)
        left[in_triad] -= 1
        place, is_known = rng.random((count, 2, 1)), in_triad & turning
        paths[~is_known, new] = place[~is_known]
        if turning:
            closing = _dyad(rng, paths[every, one], paths[every, two], place)
            paths[is_dyad, new] = closing[is_dyad]
            paths[slid, new] = _slider(rng, paths[every, one][slid], place[slid], slides[slid, new, 0])
    return adjacency, paths[..., 0], fixed, slides


def _pair(rng: np.random.Generator, fixed: Flags) -> tuple[Indices, Indices]:
    """Return the ends (m,) of new dyads among the joints so far, the first of which moves."""
    count, new = fixed.shape
    one = np.argmax(rng.random((count, new)) * ~fixed, axis=1)
    return one, np.argmax(rng.random((count, new)) * (np.arange(new) != one[:, None]), axis=1)


def _keep_apart(rng: np.random.Generator, paths: Floats, fixed: Flags, one: Indices, two: Indices) -> None:
    """Draw other ends (m,) for new dyads whose ends nearly meet, at last the crank's, which keep their distance."""
    near = np.arange(len(one))
    for _ in range(TRIES):
        near = near[_nearly_meet(paths[near, one[near]], paths[near, two[near]])]
        if not len(near):
            return
        one[near], two[near] = _pair(rng, fixed[near])
    one[near], two[near] = 1, 0


def _ends(rng: np.random.Generator, fixed: Flags) -> Indices:
    """Return three different ends (m, 3) of the bars of new triads, the first of which moves."""
    count, new = fixed.shape
    one = np.argmax(rng.random((count, new)) * ~fixed, axis=1)
    rest = np.argsort(rng.random((count, new)) + 2 * (np.arange(new) == one[:, None]), axis=1)
    return np.column_stack((one, rest[:, :2]))


def _join(adjacency: NDArray[np.bool_], linkages: Indices, new: int, end: Indices | int) -> None:
    adjacency[linkages, new, end] = adjacency[linkages, end, new] = True


def _nearly_meet(A: Floats, B: Floats) -> Flags:
    """Return whether two joints (m, 2, n) come nearer than twice their way from one angle to the next (m,)."""
    apart, way = _norm(B - A), _norm(np.diff(B - A, axis=2))
    return np.asarray(apart.min(axis=1) < 2 * way.max(axis=1))


def _norm(vectors: Floats) -> Floats:
    return np.hypot(vectors[:, 0], vectors[:, 1])


def _dyad(rng: np.random.Generator, A: Floats, B: Floats, place: Floats) -> Floats:
    """Return the path (m, 2, n) of a joint on bars from A and B, so long that it closes at all angles.

    A dyad closes where its bars are together longer than the distance of the ends, and their difference is shorter.
    Between two angles this changes by at most half the way of the ends, a quarter of the least distance.
    """
    P, Q = place - A[..., :1], place - B[..., :1]
    side = np.where(P[:, 0] * Q[:, 1] > P[:, 1] * Q[:, 0], 1.0, -1.0)
    apart = _norm(B - A)
    least = apart.min(axis=1, keepdims=True)
    both = (apart.max(axis=1, keepdims=True) + 0.25 * least) * (1.1 + 0.5 * rng.random(side.shape))
    more = 0.75 * least * (1.8 * rng.random(side.shape) - 0.9)
    first, second = 0.5 * (both + more), 0.5 * (both - more)
    h = (A.swapaxes(0, 1), B.swapaxes(0, 1), half_square(first), half_square(second))
    with np.errstate(invalid="ignore"):
        (C,) = RRR().position(h, side * np.sqrt(np.asarray(RRR().discriminant(h))))
    return np.asarray(C.swapaxes(0, 1))


def _slider(rng: np.random.Generator, A: Floats, place: Floats, turn: Floats) -> Floats:
    """Return the path (m, 2, n) of a joint on a guide through a place, and on a bar from A that reaches it always."""
    D = np.stack((np.cos(turn), np.sin(turn)))[..., None]
    G, ends = place.swapaxes(0, 1), A.swapaxes(0, 1)
    across = np.abs(D[0] * (ends - G)[1] - D[1] * (ends - G)[0])
    way = _norm(np.diff(A, axis=2)).max(axis=1)
    length = (across.max(axis=1) + way)[:, None] * (1.1 + 0.5 * rng.random((len(turn), 1)))
    h = (ends, half_square(length), G, D, 0.0)
    side = np.where(rng.random((len(turn), 1)) < 0.5, 1.0, -1.0)
    (C,) = RRP().position(h, side * np.sqrt(np.asarray(RRP().discriminant(h))))
    return np.asarray(C.swapaxes(0, 1))


def _triad(rng: np.random.Generator, ends: Floats) -> tuple[Floats, Flags]:
    """Return paths (m, 3, 2, n) of the joints of a link on bars from three ends, and which of them turn fully."""
    A, turns = ends[:, :, 0] + 1j * ends[:, :, 1], np.zeros(len(ends), bool)
    z, reach = np.empty_like(A), 0.2 + np.ptp(ends, axis=(1, 3)).max(axis=1)
    for _ in range(TRIES // TOGETHER):
        some = np.repeat(np.flatnonzero(~turns), TOGETHER)
        lengths = reach[some, None] * (0.5 + 1.5 * rng.random((len(some), 3)))
        arms = lengths * np.exp(2j * np.pi * rng.random((len(some), 3)))
        paths, good = _turned(A[some], A[some, :, 0] + arms)
        z[some[good]], turns[some[good]] = paths[good], True
    return np.stack((z.real, z.imag), axis=2), turns


def _turned(A: Complexes, start: Complexes) -> tuple[Complexes, Flags]:
    """Return the paths (m, 3, n) of the joints of a link on bars from A (m, 3, n), and where it turns fully.

    It does where no determinant is small, and none changes by more than half of the least from one angle to the next.
    """
    P, arms = start - A[..., 0], start - start.mean(axis=1, keepdims=True)
    lengths, size = np.abs(P), np.abs(arms).max(axis=1, keepdims=True)
    O, U, path, dets = start - arms, np.ones((len(A), 1), complex), np.empty_like(A), np.empty((len(A), A.shape[2]))
    closed = np.ones(len(A), bool)
    with np.errstate(all="ignore"):
        for i in range(A.shape[2]):
            for _ in range(STEPS):
                P = O + arms * U - A[..., i]
                along = (P.conj() * 1j * arms * U).real / size
                J = np.stack((P.real, P.imag, along), axis=2) / lengths[..., None]
                rest = 0.5 * (np.abs(P) ** 2 / lengths - lengths)
                across = np.cross(np.roll(J, -1, axis=1), np.roll(J, -2, axis=1))
                dets[:, i] = np.sum(J[:, 0] * across[:, 0], axis=1)
                step = -np.sum(rest[..., None] * across, axis=1) / dets[:, i, None]
                O, U = O + step[:, :1] + 1j * step[:, 1:2], U * np.exp(1j * step[:, 2:] / size)
            closed &= (np.abs(step) < CLOSE * size).all(axis=1)
            path[..., i] = O + arms * U
        least, change = np.abs(dets).min(axis=1), np.abs(np.diff(dets, axis=1)).max(axis=1)
    return path, closed & (least > np.maximum(LEAST, 2 * change))
