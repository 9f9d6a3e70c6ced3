"""What a step of an integrator makes of y' = s y: the roots of its characteristic polynomial.

A step of length h multiplies a solution by a root z of a polynomial whose coefficients depend on x = h s alone; the
solution stays bounded where all |z| <= 1 (Flores & Lankarani, eqs. 205-212, for Euler's method).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from structkin.errors import InputError, Problem
from structkin.model.topology import suggest
from structkin.types import Complexes


def _euler(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x)]


def _rk2(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x + x**2 / 2)]


def _rk4(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x + x**2 / 2 + x**3 / 6 + x**4 / 24)]


def _abm4(x: Complexes) -> list[Complexes]:
    """Predict by Adams and Bashforth, correct once by Adams and Moulton."""
    w = x / 24
    return [
        np.ones_like(x),
        -(1 + 28 * w + 9 * 55 * w * w),
        5 * w + 9 * 59 * w * w,
        -(w + 9 * 37 * w * w),
        81 * w * w,
    ]


def _gear4(x: Complexes) -> list[Complexes]:
    return [1 - 12 / 25 * x, *(np.full_like(x, c / 25) for c in (-48, 36, -16, 3))]


#: Coefficients, highest power first, of the step of an integrator at x = h s (...,).
STEP_POLYNOMIALS: Mapping[str, Callable[[Complexes], list[Complexes]]] = {
    "euler": _euler,
    "rk2": _rk2,
    "rk4": _rk4,
    "abm4": _abm4,
    "gear4": _gear4,
}


def step_roots(integrator: str, x: ArrayLike) -> Complexes:
    """Return the roots z (..., k) by which a step of an integrator multiplies a solution of y' = s y, x = h s.

    Raises `InputError` for an unknown integrator.

    >>> step_roots("euler", -0.5).tolist()
    [(0.5+0j)]
    """
    if integrator not in STEP_POLYNOMIALS:
        hint = suggest(integrator, STEP_POLYNOMIALS)
        raise InputError([Problem("integrator", f"'{integrator}' is unknown", hint)], "stability")
    coefficients = np.stack(STEP_POLYNOMIALS[integrator](np.asarray(x, dtype=np.complex128)), axis=-1)
    first, rest = coefficients[..., :1], coefficients[..., 1:]
    k = rest.shape[-1]
    companion = np.zeros((*rest.shape[:-1], k, k), dtype=np.complex128)
    companion[..., range(1, k), range(k - 1)] = 1
    companion[..., 0, :] = -rest / first
    return np.asarray(np.linalg.eigvals(companion))
