"""Contour integrals: an analytic function inside a circle from its values on it (Cauchy).

Where f has no singularity inside |s| = r, it is there f(s) = sum a_n s^n, and a_n r^n is the mean of f(r u) u^-n over
the unit circle. At N places the mean is the trapezoidal rule, which converges geometrically, and all of them are one
Fourier transform (Trefethen and Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56, 2014).

A change point is a removable singularity: there a group is singular, but the motion is smooth, and on a circle around
it every group is regular. A limit position, a gap or a narrow escape is a branch point: it leaves negative powers,
which certify the result by their absence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

#: Places on a circle, and the powers kept: the last quarter holds the negative ones.
NODES = 32
POWERS = 3 * NODES // 4
#: Largest negative power that is rounding, relative to the size of the values on the circle.
CERTAIN = 1e-11
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


def is_analytic(powers: Complexes, size: Any = 1.0) -> NDArray[np.bool_]:
    """Return which functions of this size have no singularity inside (...,), from their powers (..., NODES).

    >>> is_analytic(powers(np.stack((UNIT**2, np.sqrt(UNIT**2 - 0.01))))).tolist()
    [True, False]
    """
    return np.asarray(np.max(np.abs(powers[..., POWERS:]), axis=-1) <= CERTAIN * size)
