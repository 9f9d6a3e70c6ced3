"""The motions of variants, however they were found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.kinematics.affine import Affine, Frame
from structkin.kinematics.engine import Lanes
from structkin.kinematics.many.record import ManyPlan
from structkin.kinematics.many.variants import Variants, plain
from structkin.kinematics.motion import Motion
from structkin.kinematics.motion.angles import wound
from structkin.kinematics.motion.turning import turnings
from structkin.kinematics.status import Status
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest

Floats = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Motions(ABC):
    """The motions of v variants over n samples, in SI and radians; numbers are NaN as in a `Motion`.

    `t` (n,) holds the times [s], NaN where the drivers were given as values.
    """

    mechanism: Mechanism
    t: Floats
    count: int

    def __len__(self) -> int:
        """Return the number of variants."""
        return self.count

    def __repr__(self) -> str:
        """Return title, variants and samples."""
        name = repr(self.mechanism.title or "a mechanism")
        return f"<Motions of {name}: {self.count} variants, {len(self.t)} samples, {self.ok.sum()} ok>"

    @property
    @abstractmethod
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each variant and sample (v, n), as its integer."""

    @property
    @abstractmethod
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (v, n), -1 where it is ok."""

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which samples are ok (v, n)."""
        return np.asarray(self.status == Status.OK)

    @abstractmethod
    def position(self, point: str) -> Floats:
        """Return the paths (v, n, 2) [m] of a named point; `InputError` where there is none."""

    @abstractmethod
    def velocity(self, point: str) -> Floats:
        """Return the velocities (v, n, 2) [m/s] of a point."""

    @abstractmethod
    def acceleration(self, point: str) -> Floats:
        """Return the accelerations (v, n, 2) [m/s^2] of a point."""

    @abstractmethod
    def angle(self, link: str) -> Floats:
        """Return the angles (v, n) [rad] of a link, without jumps of a turn along the samples of a variant."""

    @abstractmethod
    def omega(self, link: str) -> Floats:
        """Return the angular velocities (v, n) [rad/s] of a link."""

    @abstractmethod
    def alpha(self, link: str) -> Floats:
        """Return the angular accelerations (v, n) [rad/s^2] of a link."""


@dataclass(frozen=True, repr=False)
class Apart(Motions):
    """Motions that were found one by one: `motions` (v,)."""

    motions: tuple[Motion, ...]

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each variant and sample (v, n), as its integer."""
        return np.stack([motion.status for motion in self.motions])

    @property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (v, n), -1 where it is ok."""
        return np.stack([motion.failed_group for motion in self.motions])

    def position(self, point: str) -> Floats:
        """Return the paths (v, n, 2) [m] of a named point; `InputError` where there is none."""
        return np.stack([motion.position(point) for motion in self.motions])

    def velocity(self, point: str) -> Floats:
        """Return the velocities (v, n, 2) [m/s] of a point."""
        return np.stack([motion.velocity(point) for motion in self.motions])

    def acceleration(self, point: str) -> Floats:
        """Return the accelerations (v, n, 2) [m/s^2] of a point."""
        return np.stack([motion.acceleration(point) for motion in self.motions])

    def angle(self, link: str) -> Floats:
        """Return the angles (v, n) [rad] of a link, without jumps of a turn along the samples of a variant."""
        return np.stack([motion.angle(link) for motion in self.motions])

    def omega(self, link: str) -> Floats:
        """Return the angular velocities (v, n) [rad/s] of a link."""
        return np.stack([motion.omega(link) for motion in self.motions])

    def alpha(self, link: str) -> Floats:
        """Return the angular accelerations (v, n) [rad/s^2] of a link."""
        return np.stack([motion.alpha(link) for motion in self.motions])


@dataclass(frozen=True, repr=False)
class Together(Motions):
    """Motions whose variants are lanes of one plan `many`, but for a few that were solved `alone`, by their number.

    `drivers[id]` (v, n) are the drivers' values.
    """

    many: ManyPlan
    drivers: Mapping[str, Floats]
    lanes: Lanes
    alone: Mapping[int, Motion]

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each variant and sample (v, n), as its integer."""
        return self._with_alone(self.lanes.status.reshape(self.count, -1), lambda motion: motion.status)

    @property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (v, n), -1 where it is ok."""
        return self._with_alone(self.lanes.group.reshape(self.count, -1), lambda motion: motion.failed_group)

    def position(self, point: str) -> Floats:
        """Return the paths (v, n, 2) [m] of a named point; `InputError` where there is none."""
        return self._with_alone(self._evaluate(self._place(point), 0), lambda motion: motion.position(point))

    def velocity(self, point: str) -> Floats:
        """Return the velocities (v, n, 2) [m/s] of a point."""
        return self._with_alone(self._evaluate(self._place(point), 1), lambda motion: motion.velocity(point))

    def acceleration(self, point: str) -> Floats:
        """Return the accelerations (v, n, 2) [m/s^2] of a point."""
        return self._with_alone(self._evaluate(self._place(point), 2), lambda motion: motion.acceleration(point))

    def angle(self, link: str) -> Floats:
        """Return the angles (v, n) [rad] of a link, without jumps of a turn along the samples of a variant."""
        angles = self._direction_angle(link)
        how = turnings(self.mechanism, self.many.plan.turns)[link]
        turn = np.zeros(angles.shape) if how.counted is None else np.unwrap(self._direction_angle(how.counted), axis=1)
        for driver, factor in how.drivers:
            turn = turn + factor * self.drivers[driver]
        return self._with_alone(wound(angles, turn), lambda motion: motion.angle(link))

    def omega(self, link: str) -> Floats:
        """Return the angular velocities (v, n) [rad/s] of a link."""
        rates = _cross(self._direction(link, 0), self._direction(link, 1))
        return self._with_alone(rates, lambda motion: motion.omega(link))

    def alpha(self, link: str) -> Floats:
        """Return the angular accelerations (v, n) [rad/s^2] of a link."""
        rates = _cross(self._direction(link, 0), self._direction(link, 2))
        return self._with_alone(rates, lambda motion: motion.alpha(link))

    def _with_alone(self, values: NDArray[T], of: Callable[[Motion], NDArray[T]]) -> NDArray[T]:
        """Return values (v, n, ...) with those of the variants that were solved alone put in."""
        if self.alone:
            values = values.copy()
        for k, motion in self.alone.items():
            values[k] = of(motion)
        return values

    def _frame(self, link: str) -> Frame:
        frames = self.many.plan.frames
        if link not in frames:
            raise InputError([Problem(str(link), "is not a link", suggest(str(link), frames))], self.mechanism.title)
        return frames[link]

    def _direction_angle(self, link: str) -> Floats:
        u = self._direction(link, 0)
        return np.asarray(np.arctan2(u[..., 1], u[..., 0]))

    def _direction(self, link: str, order: int) -> Floats:
        return self._evaluate(self._frame(link).direction, order)

    def _place(self, point: str) -> Affine:
        if point in self.many.plan.pins:
            return self.many.plan.pins[point]
        link = self.mechanism.link_of(point)
        return self._frame(link).point(self.many.links[link].local[point])

    def _evaluate(self, expression: Affine, order: int) -> Floats:
        slots, plan = self.lanes.x[order], self.many.plan
        total = np.zeros((self.count, len(self.t)), np.complex128)
        if order == 0:
            total += self._column(expression.const)
        for slot, factor in expression.terms:
            a, b = slots[plan.rows(slot)].reshape(2, self.count, -1)
            total += self._column(factor) * (a + 1j * b)
        return np.stack((total.real, total.imag), axis=-1)

    @staticmethod
    def _column(number: Any) -> Any:
        """Return a number as a column, a line a variant; one that does not differ as it is."""
        return plain(number)[1:, None] if isinstance(number, Variants) else number


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
