"""Numbers for a page: in a unit, to six significant digits or a few more, None where they are not known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.numerical_tolerances import ROUNDING, VISIBLE
from structkin.show.quantities import first_peak

#: Significant digits of the curves on a page, and of the tables made from them.
DIGITS = 6
#: Significant digits of what is read on a page: its sentences, and, in web/src/words.ts, its tables and readouts.
SHORT = 4


def plain(values: ArrayLike, unit: float = 1.0, usual: float = 0.0) -> list[float | None]:
    """Return values (n,) in a unit of this size in SI.

    Numbers below 1e-12 of the largest, or of the `usual` magnitude in SI, are rounding errors and become zero. Where
    the range is a small part of the values, down to 1e-6, they have up to three digits more: a curve has no steps.

    >>> plain([0.0012345678, np.nan, 1e-19], unit=1e-3)
    [1.23457, None, 0.0]
    >>> plain([12.345678912, 12.345698765])
    [12.3456789, 12.3456988]
    """
    found = np.asarray(values, dtype=float) / unit
    known = found[np.isfinite(found)]
    least = ROUNDING * max(float(np.max(np.abs(known), initial=0.0)), usual / unit)
    digits = DIGITS + finer(known)
    return [_rounded(value, least, digits) for value in found.tolist()]


def finer(values: ArrayLike) -> int:
    """Return how many digits more, up to three, values need whose range is a small part of them, down to 1e-6.

    >>> finer([1.0, 2.0]), finer([1799.99, 1800.01]), finer([5.0, 5.0])
    (0, 3, 0)
    """
    known = np.asarray(values, dtype=float)
    largest = float(np.max(np.abs(known), initial=0.0))
    span = float(np.ptp(known)) if len(known) else 0.0
    return max(0, min(3, math.floor(math.log10(largest / span)))) if span > VISIBLE * largest else 0


def _rounded(value: float, least: float, digits: int) -> float | None:
    if not math.isfinite(value):
        return None
    return 0.0 if abs(value) <= least else float(f"{value:.{digits}g}")


def short(values: ArrayLike, unit: float = 1.0) -> float | list[float | None] | None:
    """Return values as `plain` does, but a single number if all are the same.

    >>> short([2.0, 2.0]), short([1.0, 2.0])
    (2.0, [1.0, 2.0])
    """
    found = plain(np.atleast_1d(np.asarray(values, dtype=float)), unit)
    return found[0] if len(set(found)) == 1 else found


def places(values: ArrayLike, unit: float, size: float) -> float | list[float | None] | None:
    """Return coordinates (n,) in a unit, a single number if all are the same.

    They have six digits of their range, or of a thousandth of the mechanism's `size` where they move less: what the
    solver leaves of a coordinate that stands still is not shown as motion.

    >>> places([2e-17, -1e-16], 1.0, 0.5), places([10000.1234567, 10003.7654321], 1.0, 5.0)
    (0.0, [10000.12346, 10003.76543])
    """
    found = np.asarray(values, dtype=float) / unit
    known = found[np.isfinite(found)]
    span = max(float(np.ptp(known)) if len(known) else 0.0, 1e-3 * size / unit)
    rounded = np.round(found, DIGITS - 1 - math.floor(math.log10(span))) + 0.0
    plainly = [value if math.isfinite(value) else None for value in rounded.tolist()]
    return plainly[0] if len(set(plainly)) == 1 else plainly


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
