"""Undercutting: whether a follower, in all its positions, stays clear of the profile that it generates.

The curvature of a profile shows where neighbouring positions of the follower undercut it. Distant positions can do so
too, for instance if the lift carries a roller past the cam's shaft: the profile then crosses itself, or lies within
the roller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.numerical_tolerances import ROUNDED_DATA
from structkin.types import Complexes, Floats


class Cut(NamedTuple):
    """The deepest cut: into the profile touched at one cam angle, by the follower at another."""

    touched: int
    cutting: int
    depth: float


def roller_cut(profile: Complexes, pitch: Complexes, radius: float) -> Cut | None:
    """Return the deepest cut of a roller (radius 0: an edge) with the centres `pitch` (n,) into its profile (n,).

    A point c of the profile is cut by r - min |c - p|. Where the profile crosses itself, a small roller may cut between
    the points examined: there the depth is reported as 0.

    >>> around = np.exp(1j * np.linspace(0, 2 * np.pi, 361))
    >>> roller_cut(1.0 * around, 1.2 * around, 0.2) is None, round(roller_cut(-0.2 * around, around, 1.2).depth, 6)
    (True, 0.4)
    """
    away = np.abs(profile[:, None] - pitch[None, :])
    nearest = away.argmin(axis=1)
    depth = radius - away[np.arange(len(profile)), nearest]
    worst = int(depth.argmax())
    if depth[worst] > ROUNDED_DATA * np.abs(pitch).max():
        return Cut(worst, int(nearest[worst]), float(depth[worst]))
    crossing = _crossing(profile)
    return None if crossing is None else Cut(*crossing, 0.0)


def face_cut(profile: Complexes, normals: Complexes, support: Floats) -> Cut | None:
    """Return the deepest cut of a flat face into its profile (n,) relative to the shaft: max (c . n - H).

    `normals` (n,) point away from the cam; `support` (n,) is the distance H of the face from the shaft along them.
    """
    depth = np.nan_to_num((profile[:, None] * normals.conj()[None, :]).real - support, nan=-np.inf)
    touched, cutting = np.unravel_index(int(depth.argmax()), depth.shape)
    if depth[touched, cutting] > ROUNDED_DATA * np.abs(support).max():
        return Cut(int(touched), int(cutting), float(depth[touched, cutting]))
    return None


def _crossing(curve: Complexes) -> tuple[int, int] | None:
    """Return two sides where a closed polygon (n,), its first point repeated at the end, crosses itself."""
    start, side = curve[:-1], np.diff(curve)
    # On which side of each line the points lie; two sides cross if each separates the ends of the other.
    left = (side.conj()[:, None] * (curve[None, :] - start[:, None])).imag > 0
    parted = left[:, :-1] != left[:, 1:]
    crossed = np.triu(parted & parted.T, 2)
    crossed[0, -1] = False  # neighbours, like those next to the diagonal
    if not crossed.any():
        return None
    first, second = np.unravel_index(int(crossed.argmax()), crossed.shape)
    return int(second), int(first)
