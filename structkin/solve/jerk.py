"""Jerk: the third time derivative of points and links, by the same method as the acceleration.

It is solved for on first use. The drivers' third rates come from their laws, or from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.model.parts import DriverCoordinate
from structkin.plan.plan import Plan
from structkin.rows.affine import Affine
from structkin.solve.change_points.contours import with_rates
from structkin.solve.derivatives import Derivatives, Field, third
from structkin.solve.engine import Lanes
from structkin.types import Floats


@dataclass(frozen=True)
class Jerk:
    """The third rates of all slots at the poses of a run; `drivers[id]` (n,) are those of the drivers."""

    plan: Plan
    lanes: Lanes
    drivers: Mapping[str, Floats]

    def of(self, expression: Affine) -> Floats:
        """Return the third rate (2, n) of an expression; NaN where its pose is not regular or a driver's is unknown."""
        found = Derivatives(self.plan, self.lanes).of(expression, self._thirds)
        if self._around is not None and self.lanes.around is not None:
            found[:, self.lanes.around.at] = self.lanes.around.mean(self._around.of(expression))
        return found

    @cached_property
    def _around(self) -> Jerk | None:
        """The same on circles around the lanes near a change point."""
        if self.lanes.around is None:
            return None
        lanes, at = with_rates(self.plan, self.lanes), self.lanes.around.at
        nodes = lanes.x.shape[-1] // max(len(at), 1)
        return Jerk(self.plan, lanes, {id: np.repeat(z[at], nodes) for id, z in self.drivers.items()})

    @cached_property
    def _thirds(self) -> Field:
        derivatives = Derivatives(self.plan, self.lanes)
        first, second = derivatives.rates(1), derivatives.rates(2)
        seed: dict[int, Any] = {}
        for item in self.plan.drivers:
            jerk = item.sign * self.drivers[item.driver]
            if not item.angular:
                seed[item.register] = jerk
                continue
            E = self.lanes.x[0, self.plan.rows(item.register)]
            across = np.stack((-E[1], E[0]))
            rate, change = (np.sum(across * x[item.register], axis=0) for x in (first, second))
            # E''' = (z''' - z'^3) turned(E) - 3 z' z'' E.
            seed[item.register] = (jerk - rate**3) * across - 3 * rate * change * E
        return derivatives.solve(seed, third(first, second))


def third_rates(drives: Mapping[str, DriverCoordinate], given: Mapping[str, Floats], t: Floats) -> dict[str, Floats]:
    """Return the third rates (n,) of drivers at times t (n,): those `given`, else by their laws, else NaN."""
    found = {}
    for id, drive in drives.items():
        if id in given or drive.law is None:
            found[id] = given.get(id, np.full(len(t), np.nan))
        else:
            with np.errstate(all="ignore"):
                found[id] = drive.law.third(t)
    return found
