"""Velocity coefficients K and their derivatives L of points, links' angles and travels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.topology import suggest
from structkin.rows.affine import Affine
from structkin.solve.coefficients import Coefficients
from structkin.solve.motion.moving_frames import MovingFrames, cross
from structkin.types import Floats

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
