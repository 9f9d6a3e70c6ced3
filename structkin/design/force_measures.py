"""Measures of the forces of a motion: what counterweights, springs and dimensions are chosen by.

    effort("motor")              the torque or force that a driver needs, at each sample      n numbers [N m or N]
    effort("motor", static=True) the same at rest: what gravity and springs leave             n numbers
    shaking_force()              the force on the ground, x and y                             2 n numbers [N]
    shaking_moment()             the moment on the ground about the origin                    n numbers [N m]

As objectives their sum of squares is n times the square of the root mean square. `effort("motor").peak()` is the peak
of a torque, `effort("motor").between(-5, 5)` keeps it.

Forces are found by solving a motion's equilibrium, so their derivatives are differences of variants. In masses, centres
of mass and the stiffness and free length of springs the forces are polynomials of degree two at most, for which three
values are exact: f' = (-3 f_0 + 4 f_1 - f_2) / (2 h), with a long step h. They are not in some numbers of loads, such
as the transition of friction, nor in any number where friction has a coefficient: there, differences of order six are
taken to one side, with a short step. In what moves the mechanism, central ones of that order are taken, as those of
`structkin.solve.sensitivity.varied_plan`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from structkin.checked import checked
from structkin.design.measures import Measure
from structkin.dynamics.friction import by_coefficient
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.solve.motion.motion import Motion
from structkin.solve.sensitivity.by_variants import slope_by_variants
from structkin.solve.sensitivity.parameters import Parameter, held_lengths, read_parameters
from structkin.solve.sensitivity.varied_plan import FINE
from structkin.types import Floats

#: Keys of loads in whose numbers the forces are polynomials; in those of links they always are.
POLYNOMIAL = (
    "gravity",
    "stiffness",
    "free_length",
    "free_angle",
    "damping",
    "actuator",
    "value",
    "at",
    "limit",
    "normal",
)
#: For polynomials: the values at which forces are found, in steps of `LONG` of the reach, and their weights.
LONG_OFFSETS, LONG_WEIGHTS, LONG = (0, 1, 2), (-1.5, 2.0, -0.5), 0.25
#: For other functions, in steps of the reach over `FINE`.
SHORT_OFFSETS, SHORT_WEIGHTS = range(7), (-49 / 20, 6.0, -15 / 2, 20 / 3, -15 / 4, 6 / 5, -1 / 6)


@checked
def effort(driver: str, *, static: bool = False) -> Measure:
    """Return the torque (n,) [N m] or force [N] of a driver over the samples; `static` takes each pose at rest.

    Raises `InputError` where there is no such driver, when it is measured, or a sample has no effort.
    """
    return _measured(
        f"the {'static ' * static}effort of {driver}",
        lambda motion: motion.forces(static=static).driver(driver),
        "effort",
        driver,
    )


@checked
def shaking_force() -> Measure:
    """Return the force (2 n,) [N] on the ground, x and y of each sample; see `Kinetostatics.shaking_force`."""
    return _measured("the shaking force", lambda motion: motion.forces().shaking_force.ravel(), "N")


@checked
def shaking_moment() -> Measure:
    """Return the moment (n,) [N m] on the ground about the origin; see `Kinetostatics.shaking_moment`."""
    return _measured("the shaking moment", lambda motion: motion.forces().shaking_moment, "N m")


def _measured(words: str, forces: Callable[[Motion], Floats], kind: str, of: str = "") -> Measure:
    def values(motion: Motion) -> Floats:
        found = np.asarray(forces(motion))
        if not np.isfinite(found[np.repeat(motion.regular, len(found) // len(motion))]).all():
            problem = Problem("objective", f"{words} is not known at every sample", "give the drivers rates")
            raise InputError([problem], motion.mechanism.title)
        return np.nan_to_num(found)

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        own = read_parameters(motion.mechanism, names)
        held = held_lengths(own)
        slopes = [slope_by_variants(motion, held, one, values, *_steps(motion.mechanism, one)) for one in own]
        return np.stack(slopes, axis=1)

    return Measure(words, values, jacobian, kind, of)


def _steps(mechanism: Mechanism, one: Parameter) -> tuple[Sequence[int], Sequence[float], float] | tuple[()]:
    """Return offsets, weights and step for a number that moves nothing; none for others, whose steps are chosen."""
    if not one.is_still:
        return ()
    key = [key for key in one.path if isinstance(key, str)][-1]
    if (one.section == "links" or key in POLYNOMIAL) and not by_coefficient(mechanism):
        return LONG_OFFSETS, LONG_WEIGHTS, LONG * one.reach
    # Towards zero: a radius may not be negative, a restitution not above one.
    return SHORT_OFFSETS, SHORT_WEIGHTS, (-one.reach if one.value > 0 else one.reach) / FINE
