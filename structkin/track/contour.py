"""Contour integrals: an analytic function inside a circle from its values on it (Cauchy).

Where f has no singularity inside |s| = r, it is there f(s) = sum a_n s^n, and a_n r^n is the mean of f(r u) u^-n over
the unit circle. At N places the mean is the trapezoidal rule, which converges geometrically, and all of them are one
Fourier transform (Trefethen and Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56, 2014).

A change point is a removable singularity: there a group is singular, but the motion is smooth, and on a circle around
it every group is regular. A limit position, a gap or a narrow escape is a branch point: it leaves negative powers,
which certify the result by their absence.

Where lengths miss a change point by e, in parts of the size, two branches x pass each other as x^2 = s^2 + e, and the
power -1 of x on a circle of radius r is e / (2 r). So the largest negative power, times r, is about e (`missed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.numerical_tolerances import FLAT_WITHIN, NEVER_FLAT, SMOOTH_SERIES
from structkin.types import Complexes, Flags

#: Places on a circle, and the powers kept: the last quarter holds the negative ones.
NODES = 32
POWERS = 3 * NODES // 4
#: Largest negative power, in parts of the power 1, of a smooth function or nearly so. Around limits both are alike.
SMOOTH = 1e-2
#: Circles around the same place find the same if one misses a change point by no more than this many times another.
ALIKE = 8.0
#: Steps of Newton's method on a circle, from poses that may be as far away as its radius.
ITERATIONS = 25

#: The places on a circle of radius one.
UNIT = np.exp(2j * np.pi * (np.arange(NODES) + 0.5) / NODES)

_NUMBERS = np.where(np.arange(NODES) < POWERS, np.arange(NODES), np.arange(NODES) - NODES)


def powers(values: Any) -> Complexes:
    """Return a_n r^n (..., NODES) from values (..., NODES) on a circle: n = 0, 1, ..., POWERS - 1, then -8, ..., -1.

    >>> powers(1 / (1 - 0.01 * UNIT))[:3].real.round(12).tolist()
    [1.0, 0.01, 0.0001]
    """
    return np.asarray(np.fft.fft(values, axis=-1) / NODES * UNIT[0] ** -_NUMBERS)


def is_analytic(powers: Complexes, size: Any = 1.0) -> Flags:
    """Return which functions of this size have no singularity inside (...,), from their powers (..., NODES).

    >>> is_analytic(powers(np.stack((UNIT**2, np.sqrt(UNIT**2 - 0.01))))).tolist()
    [True, False]
    """
    return np.asarray(np.max(np.abs(powers[..., POWERS:]), axis=-1) <= SMOOTH_SERIES * size)


def missed(powers: Complexes, radius: float) -> float:
    """Return by how much lengths miss a change point inside a circle, in parts of the size; infinite around limits.

    `powers` (rows, NODES) are those of the pose in sizes and radians, `radius` that in radians or sizes of the drivers.

    >>> s = 0.1 * UNIT
    >>> passing = powers(s * np.sqrt(1 + 1e-9 / s**2))
    >>> f"{missed(passing[None], 0.1):.1e}"
    '5.0e-10'
    """
    negative, rise = float(np.max(np.abs(powers[:, POWERS:]))), float(np.max(np.abs(powers[:, 1])))
    return negative * radius if negative <= SMOOTH * rise else np.inf


def is_undecided(missed: Sequence[float]) -> bool:
    """Return whether circles around the same place, of one radius after another, may or may not hold a change point.

    What another singular pose nearby adds to the negative powers vanishes on smaller circles; what lengths miss stays.

    >>> is_undecided([1e-3, 2e-10, 1.5e-10]), is_undecided([1e-3, 1e-9, 1e-15]), is_undecided([3e-7, 2e-7])
    (True, False, False)
    """
    return any(FLAT_WITHIN < a < NEVER_FLAT and a < ALIKE * b and b < ALIKE * a for a, b in pairwise(missed))
