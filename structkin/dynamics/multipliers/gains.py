"""Baumgarte's gains and the integrator: which gains keep a violation bounded for a step size, and a choice of gains.

A violation satisfies e'' + 2 alpha e' + beta^2 e = 0, with the roots s = -alpha +- sqrt(alpha^2 - beta^2) (Flores &
Lankarani, eq. 210). Integrated at a step h, it grows by a factor |r(s h)| per step, where r is the largest root of the
integrator's characteristic equation: r = 1 + s h of Euler's method gives eq. 212, and the region |r| < 1 is Fig. 60,
there in alpha h and beta h (the scale beta h^2 that the paper prints is a misprint).
"""

from __future__ import annotations

import cmath

import numpy as np

from structkin.dynamics.integrators.step_roots import step_roots

#: "step": the Taylor series of the violation vanishes after one step (eqs. 203-204); "stability": a double root in the
#: middle of the integrator's real stability interval.
GAINS = ("step", "stability")

#: The integrators' real intervals of stability, from -LENGTH to 0. That of gear4 is the whole axis: a violation is then
#: damped as fast as by rk4.
LENGTH = {"euler": 2.0, "rk2": 2.0, "rk4": 2.785293563405282, "abm4": 1.284816263107071, "gear4": 2.785293563405282}


def growth(integrator: str, s: complex) -> float:
    """Return the factor by which an integrator at a fixed step multiplies y' = lambda y each step, for s = lambda h.

    >>> round(growth("euler", -0.5), 3), round(growth("rk4", -3.0), 3)
    (0.5, 1.375)
    """
    return float(np.max(np.abs(step_roots(integrator, s))))


def violation_growth(integrator: str, step: float, alpha: float, beta: float) -> float:
    """Return the factor by which a violation grows per step under gains [1/s] (Tab. 1, recomputed in the tests).

    >>> round(violation_growth("euler", 1e-3, 5, 5), 3), round(violation_growth("euler", 1e-3, 0.8, 2100), 3)
    (0.995, 2.326)
    """
    root = cmath.sqrt(alpha**2 - beta**2)
    return max(growth(integrator, step * (-alpha + sign * root)) for sign in (-1, 1))


def chosen_gains(how: str, integrator: str, step: float) -> tuple[float, float]:
    """Return alpha and beta [1/s] for an integrator at a fixed step [s].

    >>> chosen_gains("step", "rk4", 0.5), chosen_gains("stability", "euler", 0.5)
    ((2.0, 2.8284271247461903), (2.0, 2.0))
    """
    if how == "step":
        return 1.0 / step, 2.0**0.5 / step
    gain = 0.5 * LENGTH[integrator] / step
    return gain, gain
