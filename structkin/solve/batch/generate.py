"""Random linkages of dyads, built group by group."""

from __future__ import annotations

import numpy as np

from structkin.groups import RRR
from structkin.plan.closing import half_square
from structkin.types import Floats, Indices

#: Angles of the crank at which the ends of a dyad are known while it is chosen.
ANGLES = 90
#: Part of the joints after the third that are fixed.
FIXED = 0.2


def random_arrays(count: int, joints: int, seed: int, *, turning: bool) -> tuple[Floats, Floats, Floats, Indices]:
    """Return adjacency, points, fixed and motor; see `structkin.Linkages.random`."""
    rng = np.random.default_rng(seed)
    every, cosine, sine = np.arange(count), *(f(np.linspace(0, 2 * np.pi, ANGLES)) for f in (np.cos, np.sin))
    adjacency, fixed = np.zeros((count, joints, joints)), np.zeros((count, joints))
    paths = np.empty((count, joints, 2, ANGLES))
    fixed[:, [0, 2]] = 1
    _join(adjacency, every, 0, 1)
    paths[:, [0, 2]] = rng.random((count, 2, 2, 1))
    reach, turn = 0.05 + 0.1 * rng.random((count, 1)), 2 * np.pi * rng.random((count, 1))
    arm = reach * np.exp(1j * turn) * (cosine + 1j * sine)
    paths[:, 1] = paths[:, 0] + np.stack((arm.real, arm.imag), axis=1)
    for new in range(3, joints):
        fixed[:, new] = (rng.random(count) < FIXED) & (new < joints - 1)
        moves = fixed[:, :new] == 0
        one = np.argmax(rng.random((count, new)) * moves, axis=1)
        two = np.argmax(rng.random((count, new)) * (np.arange(new) != one[:, None]), axis=1)
        for end in (one, two):
            _join(adjacency, every[fixed[:, new] == 0], new, end[fixed[:, new] == 0])
        place = rng.random((count, 2, 1))
        paths[:, new] = np.where(
            fixed[:, new, None, None] == 1, place, _dyad(rng, paths[every, one], paths[every, two], place, turning)
        )
    return adjacency, paths[..., 0], fixed, np.tile([0, 1], (count, 1))


def _join(adjacency: Floats, linkages: Indices, new: int, end: Indices | int) -> None:
    adjacency[linkages, new, end] = adjacency[linkages, end, new] = 1


def _dyad(rng: np.random.Generator, A: Floats, B: Floats, place: Floats, turning: bool) -> Floats:
    """Return the path (m, 2, n) of a joint on bars from A and B: drawn at a place, or so that it closes at all angles.

    A dyad closes where its bars are together longer than the distance of the ends, and their difference is shorter.
    """
    P, Q = place - A[..., :1], place - B[..., :1]
    first, second = np.hypot(P[:, 0], P[:, 1]), np.hypot(Q[:, 0], Q[:, 1])
    side = np.where(P[:, 0] * Q[:, 1] > P[:, 1] * Q[:, 0], 1.0, -1.0)
    if turning:
        apart = np.hypot(*(B - A).swapaxes(0, 1))
        both = apart.max(axis=1, keepdims=True) * (1.1 + 0.5 * rng.random(side.shape))
        more = apart.min(axis=1, keepdims=True) * (1.8 * rng.random(side.shape) - 0.9)
        first, second = 0.5 * (both + more), 0.5 * (both - more)
    h = (A.swapaxes(0, 1), B.swapaxes(0, 1), half_square(first), half_square(second))
    with np.errstate(invalid="ignore"):
        (C,) = RRR().position(h, side * np.sqrt(np.asarray(RRR().discriminant(h))))
    found = np.asarray(C.swapaxes(0, 1))
    if not turning:
        found[..., :1] = place
    return found
