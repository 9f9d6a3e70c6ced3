"""Roots and statuses of lanes at or beyond a limit, for NumPy kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.numerical_tolerances import LIMIT
from structkin.plan.status import Status, mark
from structkin.types import Flags, Floats


def ill_conditioned(
    discriminant: Floats, root: Floats, status: NDArray[np.int8], group: NDArray[np.int32], at: int
) -> float:
    """Compute the roots of discriminants, mark lanes where they are not positive, and return the least discriminant."""
    singular = (discriminant <= LIMIT) & (discriminant >= -LIMIT)
    np.sqrt(np.where(singular, np.maximum(discriminant, 0.0), discriminant), out=root)
    mark(status, group, singular, Status.SINGULAR, at)
    mark(status, group, discriminant < -LIMIT, Status.OUT_OF_REACH, at)
    return float(np.fmin.reduce(discriminant, initial=np.inf))


def blank(where: Flags, arrays: Sequence[Floats]) -> None:
    """Set some lanes of arrays (n,) or (2, n) to NaN."""
    for array in arrays:
        array[..., where] = np.nan
