"""Ways across poses where groups are flat: along them, and not along the flat poses, a pose has a power series."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def across(normals: Floats) -> tuple[Floats, float]:
    """Return a unit way (f,) that crosses all surfaces with these normals (k, f), and how far another may lean from it.

    Flat poses of two groups may lie askew: what crosses both is the sum or the difference of their normals.

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
