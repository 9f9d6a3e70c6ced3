"""Velocity coefficients K, their derivatives L, and jerk, of points, links' angles and travels.

Jerk is the third time derivative, by the same method as the acceleration. It is solved for on first use. The drivers'
third rates come from their laws, or from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.parts import DriverCoordinate
from structkin.model.topology import suggest
from structkin.plan.plan import Plan
from structkin.rows.affine import Affine
from structkin.solve.change_points.contours import with_rates
from structkin.solve.coefficients import Coefficients
from structkin.solve.derivatives import Derivatives, Field, third
from structkin.solve.engine import Lanes
from structkin.solve.motion.moving_frames import MovingFrames, cross
from structkin.types import Floats

# --- jerk ----------------------------------------------------------------------------------------------------------


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


# --- K and L -------------------------------------------------------------------------------------------------------

#: A link whose angle is meant, None for a point, and the vector that gives it: see `MovingFrames.point_or_link`.
Part = tuple[str | None, Affine]


@dataclass(frozen=True)
class VelocityCoefficients:
    """K and L of points and links, from those of the `slots`; see `Motion.K` for shapes and units."""

    frames: MovingFrames
    slots: Coefficients

    def movers(self, part: Part) -> tuple[str, ...]:
        """Return the drivers that move a point or link, in the order of the file."""
        movers = self.slots.movers(part[1])
        return tuple(id for id in self.frames.mechanism.drivers if id in movers)

    def K(self, part: Part, drivers: Sequence[str] | None) -> Floats:
        """Return K of a point (n, 2, f) or of a link's angle (n, f)."""
        turning, place = part
        columns = self._columns(drivers)
        rates = np.empty((self._samples, 2, len(columns)))
        for i, driver in enumerate(columns):
            rates[..., i] = self.slots.along(place, driver).T
        return rates if turning is None else cross(self.frames.direction(turning)[..., None], rates)

    def L(self, part: Part, drivers: Sequence[str] | None) -> Floats:
        """Return L of a point (n, 2, f, f) or of a link's angle (n, f, f)."""
        turning, place = part
        columns = self._columns(drivers)
        both = np.empty((self._samples, 2, len(columns), len(columns)))
        for i, first in enumerate(columns):
            for j, second in enumerate(columns[: i + 1]):
                both[..., i, j] = both[..., j, i] = self.slots.along(place, first, second).T
        return both if turning is None else cross(self.frames.direction(turning)[..., None, None], both)

    def convective(self, part: Part) -> Floats:
        """Return z'^T L z' of a point (n, 2) or of a link's angle (n,)."""
        turning, place = part
        second = self.slots.convective(place).T
        return second if turning is None else cross(self.frames.direction(turning), second)

    def travel(self, joint: str) -> Floats:
        """Return K (n, f) of the travel along a prismatic joint or slot; see `Motion.travel_coefficient`."""
        along, vector = self.frames.direction_and_vector(self.frames.guide(joint))
        D, W = self.frames.value(along), self.frames.value(vector)
        by = self.slots.along
        drives = self.frames.mechanism.drivers
        columns = [np.sum(by(along, driver).T * W + D * by(vector, driver).T, axis=1) for driver in drives]
        return np.stack(columns, axis=-1)

    @property
    def _samples(self) -> int:
        return int(self.slots.lanes.x.shape[-1])

    def _columns(self, drivers: Sequence[str] | None) -> tuple[str, ...]:
        """Return the requested drivers: all in the order of the file, or these."""
        mechanism = self.frames.mechanism
        if drivers is None:
            return tuple(mechanism.drivers)
        wrong = [id for id in drivers if id not in mechanism.drivers]
        if wrong:
            problems = [Problem(id, "is not a driver", suggest(id, mechanism.drivers)) for id in wrong]
            raise InputError(problems, mechanism.title)
        return tuple(drivers)
