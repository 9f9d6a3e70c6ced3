"""Roots and statuses of lanes at or beyond a limit, for NumPy kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status, mark
from structkin.track.tolerances import LIMIT

Floats = NDArray[np.float64]


def ill_conditioned(margin: Floats, root: Floats, status: NDArray[np.int8], group: NDArray[np.int32], at: int) -> float:
    """Compute the roots of margins, some of which are not positive, and mark their lanes; return the least margin."""
    singular = (margin <= LIMIT) & (margin >= -LIMIT)
    np.sqrt(np.where(singular, np.maximum(margin, 0.0), margin), out=root)
    mark(status, group, singular, Status.SINGULAR, at)
    mark(status, group, margin < -LIMIT, Status.OUT_OF_REACH, at)
    return float(np.fmin.reduce(margin, initial=np.inf))


def blank(where: NDArray[np.bool_], arrays: Sequence[Floats]) -> None:
    """Set some lanes of arrays (n,) or (2, n) to NaN."""
    for array in arrays:
        array[..., where] = np.nan
