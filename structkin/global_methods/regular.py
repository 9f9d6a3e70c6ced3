"""How far the poses of a motion are from singular ones, relative to the dimensions of the mechanism's parts.

The units of `Coordinates` are the mechanism's size and an angle of 1: relative to them a short ram on a long arm has
small rows, and a small singular value at every pose. Here each row and each column of the scaled Jacobian is measured
by its largest norm over the motion. This scale is the same for all samples, so a row that vanishes at one of them
shows.
"""

from __future__ import annotations

import numpy as np

from structkin.global_methods.scaled import Scaled
from structkin.rows.lane_matrix import summing
from structkin.types import Floats

#: Rounds of measuring rows and columns in turn (Ruiz, "A scaling algorithm to equilibrate both rows and columns norms
#: in matrices", RAL-TR-2001-034): enough for parts that are a thousand times smaller than the mechanism.
ROUNDS = 100
#: Least scale of rows and columns, relative to the mechanism's own units.
LEAST = 1e-6


def regularity(scaled: Scaled, q: Floats, z: Floats) -> Floats:
    """Return the smallest singular value (lanes,) of the Jacobian whose rows and columns measure 1 at most.

    Poses q (n, lanes) at the drivers' values z (f, lanes); NaN where there is no pose.
    """
    coordinates, entries = scaled.coordinates, scaled.all_rows(q, z)[1]
    rows, columns = coordinates.pattern
    squares = np.max(entries**2, axis=1, initial=0.0, where=np.isfinite(entries))
    of_row, of_column = np.ones(coordinates.m), np.ones(coordinates.n)
    sums = (of_row, summing(rows, coordinates.m)), (of_column, summing(columns, coordinates.n))
    for _ in range(ROUNDS):
        for of, summed in sums:
            norm = np.sqrt(summed @ (squares / (of_row[rows] * of_column[columns]) ** 2))
            np.maximum(of * np.sqrt(norm), LEAST, out=of)
    return scaled.least(entries / (of_row[rows] * of_column[columns])[:, None])
