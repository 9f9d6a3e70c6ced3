"""Whether the equations with multipliers are worth compiling: an estimate of the work, before the start.

Plain Python and compiled code give the same numbers to rounding, not to the last digit. For the same call always to
give the same result, the choice depends neither on a clock nor on what happens to be compiled already.
"""

from __future__ import annotations

import numpy as np

from structkin.dynamics.integrators.methods import ADAPTIVE, METHODS
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.numerical_tolerances import LAST_DIGIT
from structkin.types import Floats

#: Seconds that plain Python takes, roughly, for an evaluation and for each link in it.
EVALUATION, A_LINK = 5e-5, 1.5e-5
#: Time in plain Python [s] from which the equations are compiled. Importing Numba and loading compiled code takes one
#: or two seconds; compiling, once on a machine, ten times as much.
WORTH = 2.0
#: Evaluations that an impact takes, roughly: it is approached by small steps, and bodies part before the next.
IMPACT = 1000


def is_worth(
    equations: Reduced, y: Floats, times: Floats, integrator: str, step: float | None, rtol: float, max_steps: int
) -> bool:
    """Return whether equations are worth compiling, see `expected_evaluations`."""
    count = expected_evaluations(equations, y, times, integrator, step, rtol, max_steps)
    return count * (EVALUATION + A_LINK * len(equations.links)) >= WORTH


def expected_evaluations(
    equations: Reduced, y: Floats, times: Floats, integrator: str, step: float | None, rtol: float, max_steps: int
) -> float:
    """Return roughly how often equations will be evaluated over output times (n,), from their state at the first.

    A method of order p takes about rtol^(-1/p) steps in the time in which speeds and accelerations of the start, or
    gravity, would move a coordinate by a radian, or by the mechanism's size. Bodies are taken to meet once in that
    time.
    """
    duration = float(times[-1] - times[0])
    if integrator in METHODS:
        return len(times) + METHODS[integrator].evaluations * min(duration / float(step or duration), max_steps)
    order, stages = ADAPTIVE[integrator]
    try:
        rate = equations(float(times[0]), y)
    except NoPoseError:  # the run says why; with multipliers it may begin all the same
        rate = np.zeros(len(y))
    lengths = equations.lengths[equations.free]
    speed, second = (np.max(np.abs(part) / lengths, initial=0.0) for part in np.split(rate, 2))
    frequency = max(speed, np.sqrt(max(second, abs(equations.mechanism.forces.gravity) / equations.size)))
    impacts = IMPACT * len(equations.contacts)
    work = duration * frequency * (stages * max(rtol, LAST_DIGIT) ** (-1 / order) + impacts)
    return float(len(times) + min(work, stages * max_steps))
