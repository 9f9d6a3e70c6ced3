"""Numbers for a page: in a unit, to six significant digits, None where they are not known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.show.measures import first_peak

#: Significant digits of the curves on a page, and of the tables made from them.
DIGITS = 6


def plain(values: ArrayLike, unit: float = 1.0, usual: float = 0.0) -> list[float | None]:
    """Return values (n,) in a unit of this size in SI.

    Numbers below 1e-12 of the largest, or of the `usual` magnitude in SI, are rounding errors and become zero.

    >>> plain([0.0012345678, np.nan, 1e-19], unit=1e-3)
    [1.23457, None, 0.0]
    """
    found = np.asarray(values, dtype=float) / unit
    least = 1e-12 * float(np.max(np.abs(found[np.isfinite(found)]), initial=usual / unit))
    return [_rounded(value, least) for value in found.tolist()]


def _rounded(value: float, least: float) -> float | None:
    if not math.isfinite(value):
        return None
    return 0.0 if abs(value) <= least else float(f"{value:.{DIGITS}g}")


def short(values: ArrayLike, unit: float = 1.0) -> float | list[float | None] | None:
    """Return values as `plain` does, but a single number if all are the same.

    >>> short([2.0, 2.0]), short([1.0, 2.0])
    (2.0, [1.0, 2.0])
    """
    found = plain(np.atleast_1d(np.asarray(values, dtype=float)), unit)
    return found[0] if len(set(found)) == 1 else found


def extreme(values: ArrayLike, x: Any) -> tuple[float, float] | None:
    """Return the value of the largest magnitude and its x, the first of a constant; None if no value is known.

    >>> extreme([1.0, -3.0, np.nan], [10, 20, 30])
    (-3.0, 20.0)
    """
    found = np.asarray(values, dtype=float)
    k = first_peak(found)
    if k is None:
        return None
    return float(found[k]), float(np.asarray(x, dtype=float)[k])
