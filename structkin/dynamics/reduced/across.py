"""Directions across poses where groups are flat: along these a pose has a power series, along flat poses not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def across(normals: Floats) -> tuple[Floats, float]:
    """Return a unit direction (f,) across all surfaces with normals (k, f), and how far others may deviate from it.

    Flat poses of two groups may be oblique: the sum or the difference of their normals crosses both.

    >>> way, lean = across(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.abs(way).round(3).tolist(), round(lean, 3)
    ([0.707, 0.707], 0.354)
    """
    units = normals / np.linalg.norm(normals, axis=1)[:, None]
    trials = [a + sign * b for a in units for b in units for sign in (1, -1)]
    trials = [way / np.linalg.norm(way) for way in trials if np.linalg.norm(way) > 0.1]
    least = [float(np.min(np.abs(units @ way))) for way in trials]
    best = int(np.argmax(least))
    return trials[best], 0.5 * least[best]
