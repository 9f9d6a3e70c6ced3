"""Directions across poses where groups are flat: along these a pose has a power series, along flat poses not."""

from __future__ import annotations

import numpy as np

from structkin.types import Floats

#: A root below this may be zero in the neighbourhood of a pose.
NEAR = 0.3


def base(roots: Floats, slopes: Floats, lengths: Floats) -> tuple[Floats | None, float]:
    """Return a direction (f,) across all nearby flat poses of groups, and how far others may deviate from it.

    `roots` (k,) are those of the groups, `slopes` (f, k) theirs by the coordinates, whose scales are `lengths` (f,).
    Without flat poses nearby there is no direction, and others are free.

    >>> base(np.array([0.1, 0.9]), np.array([[0.5, 1.0], [0.0, 2.0]]), np.ones(2))
    (array([1., 0.]), 0.5)
    >>> base(np.array([0.8]), np.array([[0.5], [0.0]]), np.ones(2))
    (None, 1.0)
    """
    normals = (slopes[:, np.abs(roots) < NEAR] * lengths[:, None]).T
    normals = normals[np.linalg.norm(normals, axis=1) > 0]
    if not len(normals):
        return None, 1.0
    direction, lean = across(normals)
    return direction * lengths, lean


def across(normals: Floats) -> tuple[Floats, float]:
    """Return a unit direction (f,) across all surfaces with normals (k, f), and how far others may deviate from it.

    Flat poses of two groups may be oblique: the sum or the difference of their normals crosses both.

    >>> direction, lean = across(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.abs(direction).round(3).tolist(), round(lean, 3)
    ([0.707, 0.707], 0.354)
    """
    units = normals / np.linalg.norm(normals, axis=1)[:, None]
    trials = [a + sign * b for a in units for b in units for sign in (1, -1)]
    trials = [direction / np.linalg.norm(direction) for direction in trials if np.linalg.norm(direction) > 0.1]
    least = [float(np.min(np.abs(units @ direction))) for direction in trials]
    best = int(np.argmax(least))
    return trials[best], 0.5 * least[best]
