"""What a motion in space shows of the model's points and sensors, whatever computed it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.frozen import Frozen
from structkin.multibody.model import GROUND, Body, JointLoad, SpatialModel, Spring, Stop
from structkin.types import Floats

NO_REACTIONS = "use minimal coordinates: model.simulate(), or structkin spatial without --method small-steps"


class BodyStates(NamedTuple):
    """A body at n times: origin (n, 3) with velocity and acceleration, turn (n, 3, 3), omega and its rate (n, 3).

    `arm` (n, 3) leads from the origin to the body's point in question.
    """

    origin: Floats
    velocity: Floats
    acceleration: Floats
    rotation: Floats
    omega: Floats
    omega_dot: Floats
    arm: Floats


class Readings(Frozen, ABC):
    """The bodies, points and sensors of a model at the times t (n,) [s]; SI, in ground axes."""

    model: SpatialModel
    t: Floats
    status: str
    if TYPE_CHECKING:
        # Fields of one class, computed when they are first read by another.
        @property
        def energy(self) -> Floats:
            """The energy (n,) [J]."""

        @property
        def closure(self) -> Floats:
            """The largest opening of a joint (n,) [m]."""

        @property
        def breaks(self) -> Mapping[str, float]:
            """When springs broke [s]: those that did, by name."""

    def __repr__(self) -> str:
        """Show the model, the number of samples and the last time."""
        count = len(self.t)
        samples = f"{count} sample{'' if count == 1 else 's'}"
        return f"<{type(self).__name__} {self.model.name!r}: {samples}, t to {self.t.max(initial=0.0):g} s>"

    def position(self, of: str) -> Floats:
        """Return the positions (n, 3) [m] of a point "body.point", or of a body's centre of mass (S3, eq. 12)."""
        body = self._states(of)
        return np.asarray(body.origin + body.arm)

    def velocity(self, of: str) -> Floats:
        """Return the velocities (n, 3) [m/s] of a point or a centre of mass: v + omega x r (S3, eq. 14, exact)."""
        body = self._states(of)
        return np.asarray(body.velocity + np.cross(body.omega, body.arm))

    def acceleration(self, of: str) -> Floats:
        """Return the accelerations (n, 3) [m/s^2]: a + alpha x r + omega x (omega x r) (S3, eq. 15, exact)."""
        body = self._states(of)
        turning = np.cross(body.omega_dot, body.arm)
        return np.asarray(body.acceleration + turning + np.cross(body.omega, np.cross(body.omega, body.arm)))

    def rotation(self, body: str) -> Floats:
        """Return the rotations (n, 3, 3) of a body from the drawn pose (S3, eq. 13)."""
        return self._states(body).rotation

    def angular_velocity(self, body: str) -> Floats:
        """Return the angular velocities (n, 3) [rad/s] of a body (S3, eq. 16)."""
        return self._states(body).omega

    def angular_acceleration(self, body: str) -> Floats:
        """Return the angular accelerations (n, 3) [rad/s^2] of a body (S3, eq. 17)."""
        return self._states(body).omega_dot

    def _drawn(self, body: str, at: Floats) -> Floats:
        """Return the places (n, 3) of what was drawn at a place (3,) on a body."""
        if body == GROUND:
            return np.tile(at, (len(self.t), 1))
        return np.asarray(self.position(body) + self.rotation(body) @ (at - self.model.bodies[body].center))

    def reaction(self, joint: str) -> tuple[Floats, Floats]:
        """Return the force (n, 3) [N] and moment (n, 3) [N m] of a joint; only minimal coordinates have them."""
        raise InputError([Problem(joint, "small steps do not record reactions", NO_REACTIONS)], self.model.name)

    def multipliers(self, joint: str) -> Floats:
        """Return the multipliers (n, r) of a joint at which a loop is cut; only minimal coordinates have them."""
        raise InputError([Problem(joint, "small steps have no multipliers", NO_REACTIONS)], self.model.name)

    @abstractmethod
    def _states(self, of: str) -> BodyStates:
        """Return the states of a body, with the arm to its centre of mass or its point."""

    @abstractmethod
    def _coordinates(self, joint: str, rate: bool) -> Floats:
        """Return the coordinates (n, f) of a joint [rad or m], or their rates."""

    def kinetic_energy(self, body: str | None = None) -> Floats:
        """Return the kinetic energy (n,) [J] of a body, or of all."""
        if body is None:
            return np.asarray(sum((self.kinetic_energy(name) for name in self.model.bodies), np.zeros(len(self.t))))
        held, _ = body_and_place(self.model, body)
        spin = np.einsum("nji,nj->ni", self.rotation(body), self.angular_velocity(body))
        moving = held.mass * (self.velocity(body) ** 2).sum(axis=1)
        return np.asarray((moving + np.einsum("ni,ij,nj->n", spin, held.inertia, spin)) / 2)

    def potential_energy(self, of: str | None = None) -> Floats:
        """Return the potential energy (n,) [J] of a body, of a spring, joint load or stop, or of all.

        That of a body is 0 where its centre of mass is level with the origin; a spring that broke has none. Raises
        `InputError` for a load that keeps no energy.
        """
        if of is None:
            return np.asarray(self.energy - self.kinetic_energy())
        of = str(of)
        load = None if of in self.model.bodies else self.model.loads.get(of)
        match load:
            case None:
                held, _ = body_and_place(self.model, of)
                return np.asarray(-held.mass * (self.position(of) @ self.model.gravity))
            case Spring():
                first, second = (self._drawn(body, at) for body, at in zip(load.bodies, load.points, strict=True))
                stretch = np.linalg.norm(second - first, axis=1) - load.length
                return np.asarray(load.stiffness * stretch**2 / 2 * (self.t < self.breaks.get(of, np.inf)))
            case JointLoad():
                stretch = self._coordinates(load.joint, False)[:, load.coordinate] - load.rest
            case Stop():
                q = self._coordinates(load.joint, False)[:, load.coordinate]
                stretch = q - np.clip(q, load.lower, load.upper)
            case _:
                raise InputError([Problem(of, "keeps no energy", "a body or a spring does")], self.model.name)
        return np.asarray(load.stiffness * stretch**2 / 2)

    @cached_property
    def sensors(self) -> dict[str, Floats]:
        """The sensors of the model: (n, 3) of points and reactions, (n,) of distances and energies.

        Of a joint's coordinates (n,) or (n, f), of multipliers (n,) or (n, r).
        """
        return {name: self._sensor(sensor.quantity, sensor.of) for name, sensor in self.model.sensors.items()}

    def _sensor(self, quantity: str, of: tuple[str, ...]) -> Floats:
        if quantity in ("position", "velocity", "acceleration"):
            return self._of_point(quantity, of[0])
        if quantity in ("force", "moment"):
            return self.reaction(of[0])[quantity == "moment"]
        if quantity in ("kinetic_energy", "potential_energy"):
            return np.asarray(getattr(self, quantity)(*of))
        if quantity == "distance":
            first, second = (self._of_point("position", one) for one in of)
            return np.asarray(np.linalg.norm(second - first, axis=1))
        many = quantity == "multipliers"
        found = self.multipliers(of[0]) if many else self._coordinates(of[0], quantity == "rate")
        return found[:, 0] if found.shape[1] == 1 else found

    def _of_point(self, quantity: str, name: str) -> Floats:
        """Return a quantity (n, 3) of a point, which may be fixed to the ground."""
        if name.partition(".")[0] != GROUND:
            return np.asarray(getattr(self, quantity)(name))
        return np.tile(self.model.place(name)[1] * (quantity == "position"), (len(self.t), 1))


def body_and_place(model: SpatialModel, name: str) -> tuple[Body, Floats]:
    """Return a body, and the drawn place (3,) [m] of its centre of mass or its point; `InputError` if there is none."""
    body, dot, point = str(name).partition(".")
    held = model.bodies.get(body)
    if held is None or (dot and point not in held.points):
        known = [*model.bodies, *(f"{b.name}.{p}" for b in model.bodies.values() for p in b.points)]
        hint = f"known: {', '.join(known)}"
        raise InputError([Problem(str(name), "is no body, and no point of one", hint)], model.name or "model")
    return held, held.points[point] if dot else held.center


def not_functions(**given: object) -> list[Problem]:
    """Return a problem for each option that is given and cannot be called."""
    return [
        Problem(name, f"{value!r} is not a function")
        for name, value in given.items()
        if value is not None and not callable(value)
    ]
