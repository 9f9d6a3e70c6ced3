"""Baumgarte's stabilisation by itself: the error of a constraint, exactly and as an integrator changes it.

The error e of every constraint obeys e'' + 2 alpha e' + beta^2 e = 0 (Flores & Lankarani, eq. 172). Its roots decide
how it decays in exact arithmetic; at a step h an integrator replaces each root s by roots z of its own, and the error
fades only where all |z| < 1 (eqs. 205-212 for Euler's method, here for every integrator of `structkin.simulate`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from structkin.dynamics.integrators.methods import STEP_POLYNOMIALS, step_roots
from structkin.numerical_tolerances import ROUNDING
from structkin.types import Complexes, Floats

#: The gains (alpha, beta) of Flores & Lankarani's Tab. 1 at h = 0.001 s, with |z| and its angle [deg] as printed.
TABLE_1 = (
    (-5.0, -5.0, 1.005, 0.0),
    (5.0, 5.0, 0.995, 0.0),
    (20.0, 20.0, 0.980, 0.0),
    (10.0, 14.0, 0.990, 1.3),
    (1000.0, 1414.0, 0.990, 90.0),
    (0.8, 2100.0, 2.326, 64.6),
)


def roots(alpha: ArrayLike, beta: ArrayLike) -> Complexes:
    """Return the roots s (..., 2) [1/s] of s^2 + 2 alpha s + beta^2 (eq. 175).

    >>> roots(3.0, 5.0).tolist()
    [(-3+4j), (-3-4j)]
    """
    a, b = np.broadcast_arrays(np.asarray(alpha, dtype=np.complex128), np.asarray(beta, dtype=np.complex128))
    spread = np.sqrt(a * a - b * b)
    return np.stack((-a + spread, -a - spread), axis=-1)


def response(alpha: float, beta: float, t: ArrayLike) -> Floats:
    """Return the error e(t) (n,) that begins with e = 0, e' = 1 (eqs. 187, 194 and 200, Figs. 56-58).

    The printed second condition is e'(0) = 0, for which e vanishes; the printed solutions have e'(0) = 1.

    >>> response(2.0, 2.0, [0.5]).round(6).tolist()  # t exp(-alpha t)
    [0.18394]
    """
    first, second = roots(alpha, beta)
    times = np.asarray(t, dtype=np.float64)
    half = 0.5 * (first - second) * times
    # (exp(s1 t) - exp(s2 t)) / (s1 - s2) = t exp(-alpha t) sinh(half) / half, whatever the roots
    with np.errstate(invalid="ignore"):
        slope = np.where(np.abs(half) > 1e-4, np.sinh(half) / np.where(half == 0, 1, half), 1 + half * half / 6)
    return np.asarray((times * np.exp(-alpha * times) * slope).real)


def growth(integrator: str, alpha: ArrayLike, beta: ArrayLike, step: ArrayLike) -> Complexes:
    """Return the root z (...,) of largest magnitude of an integration step; the error decays where |z| < 1.

    For Euler's method these are the roots of eq. 212.

    >>> z = growth("euler", 10, 14, 0.001)
    >>> print(f"{abs(z):.4f}, {abs(np.degrees(np.angle(z))):.2f} degrees")
    0.9900, 0.57 degrees
    """
    x = roots(alpha, beta) * np.asarray(step, dtype=np.float64)[..., None]
    z = step_roots(integrator, x).reshape(*x.shape[:-1], -1)
    return np.asarray(np.take_along_axis(z, np.argmax(np.abs(z), axis=-1)[..., None], axis=-1)[..., 0])


def largest_step(integrator: str, alpha: float, beta: float) -> float:
    """Return the largest step [s] up to which the error of a constraint decays; infinite if every step is stable.

    Zero if none is, as for gains that are not positive.

    >>> round(largest_step("euler", 10.0, 10.0), 9), largest_step("gear4", 10.0, 10.0)
    (0.2, inf)
    """
    s = roots(alpha, beta)
    if not np.max(s.real) < 0:
        return 0.0
    # A step far below and one far above that of the fastest root, and 200 in each decade between them.
    steps = np.geomspace(1e-6, 1e6, 2401) / np.max(np.abs(s))
    stable = np.abs(growth(integrator, alpha, beta, steps)) < 1
    if stable.all():
        return float("inf")
    last = int(np.argmin(stable))
    if last == 0:
        return 0.0
    low, high = float(steps[last - 1]), float(steps[last])
    while high - low > ROUNDING * high:
        middle = 0.5 * (low + high)
        if abs(growth(integrator, alpha, beta, middle)) < 1:
            low = middle
        else:
            high = middle
    return low


def table_1_rows() -> list[tuple[str, ...]]:
    """Return Flores & Lankarani's Tab. 1 next to our roots."""
    rows: list[tuple[str, ...]] = [("alpha", "beta", "|z| printed", "|z|", "angle printed", "angle [deg]")]
    for alpha, beta, size, angle in TABLE_1:
        z = growth("euler", alpha, beta, 1e-3)
        found = abs(z), abs(np.degrees(np.angle(z)))
        rows.append((f"{alpha:g}", f"{beta:g}", f"{size:.3f}", f"{found[0]:.4f}", f"{angle:.1f}", f"{found[1]:.2f}"))
    return rows


def step_rows() -> list[tuple[str, ...]]:
    """Return the largest steps at which the error of a constraint decays."""
    steps = {name: [largest_step(name, gain, gain) for gain in (5, 50)] for name in STEP_POLYNOMIALS}
    rows = [(name, *(f"{step:.4g} s" for step in ends)) for name, ends in steps.items()]
    return [("integrator", "alpha = beta = 5", "alpha = beta = 50"), *rows]
