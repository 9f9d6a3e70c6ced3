"""Jerk: the third derivative by time of points and links, by the same road as the acceleration.

It is solved for when it is first asked for. The drivers' third rates come from their laws, or from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.derivatives import Derivatives, Field, third
from structkin.kinematics.engine import Lanes
from structkin.kinematics.plan import Plan

Floats = NDArray[np.float64]


def third_rates(plan: Plan, lanes: Lanes, drivers: Mapping[str, Floats]) -> Field:
    """Return the third rates of all slots at the poses of a run; `drivers[id]` (n,) are those of the drivers."""
    derivatives = Derivatives(plan, lanes)
    first, second = derivatives.rates(1), derivatives.rates(2)
    seed: Field = {}
    for item in plan.drivers:
        jerk = item.sign * drivers[item.driver]
        if not item.angular:
            seed[item.slot] = jerk
            continue
        E = lanes.x[0, plan.rows(item.slot)]
        across = np.stack((-E[1], E[0]))
        rate, bend = (np.sum(across * x[item.slot], axis=0) for x in (first, second))
        # E''' = (z''' - z'^3) turned(E) - 3 z' z'' E.
        seed[item.slot] = (jerk - rate**3) * across - 3 * rate * bend * E
    return derivatives.solve(seed, third(first, second))
