"""What keeps the constraints closed while the equations with multipliers are integrated.

With Phi_q q'' = gamma alone (direct integration) the joints drift apart: rounding and integration errors in Phi'' are
integrated twice. Each method here changes the accelerations at a state or the state after a step; the text of the
equations (`compiled.equations_at`) says how.

With Baumgarte's gains a violation satisfies e'' + 2 alpha e' + beta^2 e = 0, with the roots s = -alpha +- sqrt(alpha^2
- beta^2) (Flores & Lankarani, eq. 210). Integrated at a step h, it grows by a factor |r(s h)| per step, where r is the
largest root of the integrator's characteristic equation: r = 1 + s h of Euler's method gives eq. 212, and the region
|r| < 1 is Fig. 60, there in alpha h and beta h (the scale beta h^2 that the paper prints is a misprint).

By coordinate partitioning (Wehage & Haug 1982) only independent coordinates are integrated. The state is split by a
choice of as many coordinates as there are degrees of freedom. At every evaluation the dependent ones are found from
them, position by Newton's method and velocity by a linear system,

    [ Phi_q ] [ dq ]   [ -Phi ]          [ Phi_q ]        [ nu ]
    [ E_u   ]        = [  0   ],         [ E_u   ] q'  =  [ u' ]

so that errors of the integrator in dependent coordinates do not count. The coordinates with the largest components of
the free motions are chosen; they are chosen again where one of them has become small.

By projection of position and velocity the state moves, after each step, to the nearest one on the constraints.
Distances are measured in the mass metric (Bayo & Ledesma 1996; Blajer 2002): the smallest change of velocity is the one
that an impulse of ideal joints would cause, and it removes only the kinetic energy of the violation. Both levels are
solved with the matrix of the equations of motion,

    [ M      Phi_q^T ] [ dq ]   [  0   ]        [ M      Phi_q^T ] [ dv ]   [       0        ]
    [ Phi_q  0       ] [ mu ] = [ -Phi ]        [ Phi_q  0       ] [ mu ] = [ nu - Phi_q q'  ]

Where the rank drops, at a change point, an acceleration lacks the part that the lost constraints would enforce: this
part is M-orthogonal to the motion, so the projection of the velocity corrects it after the point.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass

import numpy as np

from structkin.dynamics.integrators.methods import ADAPTIVE, FIXED, FORGIVING, step_roots
from structkin.errors import Problem
from structkin.global_methods.families import FAMILIES
from structkin.model.arguments import is_number
from structkin.model.topology import check_names, suggest
from structkin.types import Floats

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


# --- coordinate partitioning ---------------------------------------------------------------------------------------

#: Most corrections by Newton's method.
ITERATIONS = 30
#: Chosen coordinates that move the others by more than this are replaced.
RATE_LIMIT = 4.0


@dataclass(frozen=True)
class Partitioning(Stabilisation):
    """Independent coordinates, chosen and kept along the motion."""


# --- projection ----------------------------------------------------------------------------------------------------

#: Corrections of one state, with the same factors.
CORRECTIONS = 6

#: A centred interpolation of six points at odd multiples of a distance [rad].
PLACES, WEIGHTS = np.array([-5.0, -3.0, -1.0, 1.0, 3.0, 5.0]), np.array([3.0, -25.0, 150.0, 150.0, -25.0, 3.0]) / 256
DISTANCE = 5e-3


@dataclass(frozen=True)
class Projection(Stabilisation):
    """The accelerations of direct integration, and a projection after each step."""


def shifts(rates: Floats, size: float) -> Floats:
    """Return the times (6,) from a change point to the poses by which its accelerations are interpolated.

    Where Phi_q loses its rank, as in a flat parallelogram, Phi_q q'' = gamma no longer determines q'', and close to it
    rounding and step errors dominate. But the motion passes straight through, and along it the accelerations are
    smooth. So they are taken at poses before and after, on the branch along the velocity, and interpolated; so are the
    multipliers, which grow without bound towards the point and change sign there. There are no such poses, (0,), where
    nothing moves: `rates` (4 links,) are those of the frames, in a mechanism of this size [m].
    """
    # The distance is the turn of links, however small they are in the mechanism; where none turns, it is their travel.
    rates = rates.reshape(-1, 4)
    turning = float(np.max(np.hypot(rates[:, 2], rates[:, 3]), initial=0.0))
    speed = turning or float(np.max(np.abs(rates), initial=0.0)) / size
    return PLACES * DISTANCE / speed if 0 < speed < np.inf else PLACES[:0]


# --- the choice ------------------------------------------------------------------------------------------------------

#: Methods that keep the constraints closed.
STABILISATIONS = ("none", "baumgarte", "augmented", "partitioning", "projection")
#: Penalty (in masses of the mechanism) and corrections of the augmented Lagrangian method.
PENALTY, PENALTY_CORRECTIONS = 1e7, 10


def check_stabilisation(
    formulation: str,
    integrator: str,
    step: float | None,
    problems: list[Problem],
    *,
    coordinates: str | None,
    stabilisation: str | None,
    alpha: float | None,
    beta: float | None,
    gains: str | None,
    penalty: float | None,
) -> Stabilisation | None:
    """Return the method of a formulation with multipliers, None for the reduced one; errors are added to `problems`."""
    given = {
        "coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
        "penalty": penalty,
    }  # fmt: skip
    if coordinates is not None and coordinates not in FAMILIES:
        problems.append(Problem("coordinates", f"'{coordinates}' is unknown", suggest(str(coordinates), FAMILIES)))
        given["coordinates"] = None
    if not str(formulation).startswith("multipliers"):
        if formulation != "reduced":
            return None
        hint = "it applies to the formulations with multipliers"
        no = dict.fromkeys(given, "constraints to stabilise") | {"coordinates": "coordinates but those of drivers"}
        problems += [
            Problem(key, f"the reduced formulation has no {no[key]}", hint)
            for key, value in given.items()
            if value is not None
        ]
        return None
    name = stabilisation or ("partitioning" if integrator in ADAPTIVE and integrator not in FORGIVING else "projection")
    before = len(problems)
    problems += check_names("stabilisation", [name], STABILISATIONS)
    for key, value in (("alpha", alpha), ("beta", beta)):
        if value is not None and not (is_number(value) and value >= 0):
            problems.append(Problem(key, f"{value!r} is not a gain of zero or more [1/s]"))
    problems += check_names("gains", [] if gains is None else [gains], GAINS)
    if penalty is not None and not (is_number(penalty) and penalty > 0):
        problems.append(Problem("penalty", f"{penalty!r} is not a positive number"))
    if len(problems) > before:
        return None
    feedback = _feedback(name, alpha, beta, gains, integrator, step, problems)
    if name == "projection" and integrator in ADAPTIVE and integrator not in FORGIVING:
        problems.append(
            Problem("stabilisation", f"projection changes the state after a step, but {integrator} relies on "
                    "earlier states", 'use "partitioning", or an integrator among ' + ", ".join(FORGIVING))
        )  # fmt: skip
    if name != "augmented":
        if penalty is not None:
            problems.append(Problem("penalty", f"'{name}' has no penalty", 'stabilisation = "augmented" has one'))
        return Partitioning() if name == "partitioning" else Projection() if name == "projection" else feedback
    return Augmented(feedback, penalty or PENALTY, PENALTY_CORRECTIONS)


def _feedback(
    name: str,
    alpha: float | None,
    beta: float | None,
    gains: str | None,
    integrator: str,
    step: float | None,
    problems: list[Problem],
) -> Feedback:
    given = {"alpha": alpha, "beta": beta}
    if name not in ("baumgarte", "augmented"):
        problems += [
            Problem(key, f"'{name}' has no gains", 'stabilisation = "baumgarte" has them')
            for key, value in (*given.items(), ("gains", gains))
            if value is not None
        ]
        return Feedback()
    if gains is not None:
        problems += [
            Problem(key, "cannot be combined with gains", "leave out one of the two")
            for key, value in given.items()
            if value is not None
        ]
        if integrator not in FIXED:
            hint = "give alpha and beta, or use an integrator with a fixed step"
            problems.append(Problem("gains", f"require a fixed step, but {integrator} chooses its own", hint))
        elif is_number(step) and float(step or 0.0) > 0:
            return Feedback(*chosen_gains(gains, integrator, float(step or 0.0)))
        return Feedback()
    problems += [
        Problem(key, f"{name} needs this gain", f'such as {key} = 5.0, or gains = "stability"')
        for key, value in given.items()
        if value is None
    ]
    return Feedback(alpha or 0.0, beta or 0.0)
