"""What keeps the constraints closed while the equations with multipliers are integrated.

With Phi_q q'' = gamma alone (direct integration) the joints drift apart: rounding and integration errors in Phi'' are
integrated twice. Each method here changes the accelerations at a state or the state after a step; the text of the
equations (`compiled.equations_at`) says how.

With Baumgarte's gains a violation satisfies e'' + 2 alpha e' + beta^2 e = 0, with the roots s = -alpha +- sqrt(alpha^2
- beta^2) (Flores & Lankarani, eq. 210). Integrated at a step h, it grows by a factor |r(s h)| per step, where r is the
largest root of the integrator's characteristic equation: r = 1 + s h of Euler's method gives eq. 212, and the region
|r| < 1 is Fig. 60, there in alpha h and beta h (the scale beta h^2 that the paper prints is a misprint).
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Stabilisation:
    """One method."""

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if the gains make a method unstable at this step, else an empty string."""
        return ""


@dataclass(frozen=True)
class Feedback(Stabilisation):
    """Baumgarte's method: Phi'' + 2 alpha Phi' + beta^2 Phi = 0, with gains [1/s] (Flores & Lankarani, eqs. 172-173).

    Both gains zero are direct integration.
    """

    alpha: float = 0.0
    beta: float = 0.0

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if a violation grows at each step, else an empty string."""
        factor = violation_growth(method, h, self.alpha, self.beta) if self.alpha or self.beta else 1.0
        if factor <= 1:
            return ""
        return f"; with these gains {method} multiplies constraint violations by {factor:.4g} in each step of {h:g} s"


@dataclass(frozen=True)
class Augmented(Stabilisation):
    """The augmented Lagrangian method (Bayo, Garcia de Jalon & Serna 1988), with the feedback of Baumgarte's form.

    (M + p Phi_q^T Phi_q) q''_i+1 = M q''_i + p Phi_q^T (gamma - 2 alpha Phi' - beta^2 Phi), from M q''_0 = Q, where
    lambda_i+1 = lambda_i + p (Phi_q q''_i+1 - gamma + ...). It is solved in the form of `Kkt.penalise`, in which the
    matrix keeps its pattern and its condition; redundant rows and rank-deficient poses need no special treatment.
    """

    feedback: Feedback
    penalty: float
    corrections: int

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if a violation grows at each step, else an empty string."""
        return self.feedback.gain_warning(method, h)
