"""What keeps the constraints closed while the equations with multipliers are integrated.

With Phi_q q'' = gamma alone (direct integration) the joints drift apart: rounding and integration errors in Phi'' are
integrated twice. Each method here changes the accelerations at a state or the state after a step; the text of the
equations (`compiled.equations_at`) says how.
"""

from __future__ import annotations

from dataclasses import dataclass

from structkin.dynamics.multipliers.gains import violation_growth


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
