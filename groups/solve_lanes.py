"""Small linear systems side by side, one a lane, by LAPACK."""

from __future__ import annotations

import numpy as np

from .kind import Array


def solve_lanes(matrices: Array, right: Array) -> Array:
    """Solve a system a lane, (n, r, k) and (n, r); NaN in lanes whose matrix is exactly singular or not finite.

    More rows than unknowns are met by least squares: redundant joints agree with each other, or there is no solution.
    """
    rows, unknowns = matrices.shape[1:]
    if rows > unknowns:
        transposed = np.swapaxes(np.linalg.qr(matrices, mode="complete")[0], 1, 2)
        right = (transposed @ right[..., None])[:, :unknowns, 0]
        matrices = (transposed @ matrices)[:, :unknowns]
    try:
        return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        # NumPy gives up on all lanes when one is singular: find out which.
        result = np.full(right.shape, np.nan, np.result_type(matrices, right))
        for lane in range(len(right)):
            try:
                result[lane] = np.linalg.solve(matrices[lane], right[lane])
            except np.linalg.LinAlgError:
                continue
        return result
