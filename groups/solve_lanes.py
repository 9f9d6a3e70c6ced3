"""Batches of small linear systems, one per lane, by LAPACK."""

from __future__ import annotations

import numpy as np

from .kind import Array


def solve_lanes(matrices: Array, right: Array) -> Array:
    """Solve one system per lane, (n, r, k) and (n, r); NaN in lanes whose matrix is exactly singular or not finite.

    There may be several right-hand sides, (n, r, q).
    Systems with more rows than unknowns are solved by least squares: either redundant joints are consistent, or there
    is no solution.
    """
    if right.ndim == 2:
        return np.asarray(solve_lanes(matrices, right[..., None])[..., 0])
    rows, unknowns = matrices.shape[1:]
    if rows > unknowns:
        transposed = np.swapaxes(np.linalg.qr(matrices, mode="complete")[0], 1, 2)
        right = (transposed @ right)[:, :unknowns]
        matrices = (transposed @ matrices)[:, :unknowns]
    try:
        return np.asarray(np.linalg.solve(matrices, right))
    except np.linalg.LinAlgError:
        # NumPy fails for all lanes if one is singular.
        with np.errstate(all="ignore"):
            singular = np.linalg.slogdet(matrices)[0] == 0
        result = np.linalg.solve(np.where(singular[:, None, None], np.eye(unknowns), matrices), right)
        result[singular] = np.nan
        return np.asarray(result)
