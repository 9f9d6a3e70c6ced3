"""The reduced equations of motion: as many as there are free coordinates, by the coefficients K and L of the groups.

With the drivers' coordinates z = (free z_f, prescribed z_p), the velocity of a body's centre of mass and its angular
velocity are K z', their rates K z'' + z'^T L z'. Virtual work along the free coordinates leaves

    sum K_f^T M K_f z_f'' = sum K_f^T (F - M (K_p z_p'' + z'^T L z')) + efforts of z_f

summed over the bodies at their centres of mass (Saura et al., eqs. 8 and 9, in d'Alembert's principle). No joint force
occurs, and the pose closes exactly at every instant. The contraction z'^T L z' costs one sweep; L is never formed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.bodies import Body, moving_masses
from structkin.dynamics.contacts import note, touches_of
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.efforts import given_efforts
from structkin.dynamics.loads import wrenches
from structkin.dynamics.reduced.counted import Counted
from structkin.dynamics.reduced.pose import BlownUpError, NoPoseError
from structkin.dynamics.reduced.poses import Poses
from structkin.dynamics.slot_map import SlotMap
from structkin.dynamics.state import State
from structkin.dynamics.user_loads import UserLoad
from structkin.model.forces import Contact
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.engine import Lanes
from structkin.solve.motion.turning import turnings

Floats = NDArray[np.float64]

#: A coordinate that moves the links faster than this, made dimensionless by the mechanism's size, is at a dead point.
RATE_LIMIT = 1e4


@dataclass(frozen=True)
class Instant:
    """Everything at one time: slots x (3, rows, 1), drivers z (f, 3), and the effort each driver needs (f,).

    `turns` (k,) [rad] are those of the counted links. `kinetic` is the kinetic energy [J], `power` its rate [W].
    `around` (rows, nodes) holds complex slots around a pose near a change point, for later use.
    """

    x: Floats
    z: Floats
    effort: Floats
    turns: Floats
    kinetic: float
    power: float
    around: NDArray[np.complex128] | None = None


class Reduced:
    """The reduced equations of a mechanism, evaluated at one instant at a time.

    The state is y = (z_f, z_f'): the free coordinates and their rates.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        plan: Plan,
        bodies: Sequence[Body],
        users: Sequence[UserLoad],
        own: Mechanism | None = None,
    ) -> None:
        """Prepare the maps from slots to bodies.

        `own` is the mechanism in its own coordinates, if these differ: efforts act along its drivers.
        """
        self.mechanism, self.plan, self.users = mechanism, plan, tuple(users)
        self.own = own or mechanism
        self.order = tuple(mechanism.drivers)
        laws = [drive.law for drive in mechanism.drivers.values()]
        self.free = np.array([k for k, law in enumerate(laws) if law is None], dtype=np.intp)
        self.prescribed = [(k, law) for k, law in enumerate(laws) if law is not None]
        self.bodies = [body for body in bodies if body.mass or body.inertia]
        self.masses = moving_masses(self.bodies, plan.frames)
        self._sizes = np.array([size for size, _ in self.masses])
        self._moving = SlotMap(plan.offsets, [expression for _, expression in self.masses])
        #: The weight along the slots (rows,).
        self.weight = np.zeros(plan.offsets[-1])
        for body in self.bodies:
            for slot, factor in plan.frames[body.link].point(body.center).terms:
                pull = body.mass * mechanism.forces.gravity * factor.conjugate()
                self.weight[plan.rows(slot)] += pull.real, pull.imag
        self.links = [name for name in mechanism.links if name != mechanism.topology.ground]
        self._origin = SlotMap(plan.offsets, [plan.frames[link].origin for link in self.links])
        self._turning = SlotMap(plan.offsets, [plan.frames[link].direction for link in self.links])
        self._loaded = bool(mechanism.forces.loads) or bool(users)
        self.impacts: dict[str, float] = {}
        self.contacts = [id for id, load in mechanism.forces.loads.items() if isinstance(load, Contact)]
        self.evaluations = 0
        self._last: tuple[float, Floats, Instant] | None = None
        self.size = mechanism.size
        self.lengths = np.array([1.0 if drive.kind == "angle" else self.size for drive in mechanism.drivers.values()])
        #: How each link turns since the sketch in which these coordinates begin, and the links that no driver
        #: determines.
        self.turning = turnings(mechanism, plan.turns)
        self.counted = tuple(link for link in self.links if self.turning[link].counted == link)
        #: Turns of all links [rad] from the mechanism's own sketch to the one of these coordinates, and at the start.
        self.before = dict.fromkeys(mechanism.links, 0.0)
        self.begun: dict[str, float] = {}
        sketch = np.array([np.angle(mechanism.links[link].direction) for link in self.counted])
        counted = Counted(plan, [plan.frames[link].direction for link in self.counted], sketch)
        self.poses = Poses(plan, self.order, self.lengths, counted)
        # Efforts act along the mechanism's own drivers, which need not be the coordinates.
        self._given = list(self.own.forces.efforts)
        self._given_coordinates = DriverCoordinates.of_plan(
            self.own, [self.own.drivers[id] for id in self._given], plan
        )

    # --- the equations ------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        return np.concatenate((y[len(self.free) :], self.at(t, y).z[self.free, 2]))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        if self._last is not None and self._last[0] == t and np.array_equal(self._last[1], y):
            return self._last[2]
        self.evaluations += 1
        instant = self._solve(t, y)
        self._last = t, np.array(y), instant
        return instant

    def resume(self, q: Floats, x: Floats, roots: Floats, turns: Floats) -> None:
        """Continue from coordinates (f,) reached elsewhere, with slots (rows,) and roots (k,) of the groups.

        `turns` are those of the counted links there.
        """
        self.poses.resume(q, x, roots, turns)
        self._last = None

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the last pose before, whatever is evaluated within."""
        kept = self.poses, self._last
        self.poses = self.poses.aside()
        try:
            yield
        finally:
            self.poses, self._last = kept

    def slots(self, t: float, y: Floats) -> tuple[Floats, Floats] | None:
        """Return slots (rows,) at a state, and K (free, rows) of the free coordinates; None at a flat pose.

        There the pose comes from a series, in the coordinates with which it was reached.
        """
        q = self._coordinates(t, y)
        pose, _ = self.poses.at(t, q[:, 0], q[:, 1])
        return None if pose.smooth else (pose.x, pose.K[self.free])

    def frames(self, x: Floats) -> Floats:
        """Return X, X', X'' (3, 4 links) of `links`: origin and direction of each, at slots (3, rows)."""
        parts = [np.stack((self._origin.value(x[0]), self._turning.value(x[0])), axis=1)]
        parts += [np.stack((self._origin.rate(x[k]), self._turning.rate(x[k])), axis=1) for k in (1, 2)]
        return np.stack([part.reshape(-1) for part in parts])

    def recorded(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state that is recorded."""
        instant = self.at(t, y)
        z = self._coordinates(t, y)
        self.poses.at(t, z[:, 0], z[:, 1])
        around = self.poses.circle()
        return instant if around is None else replace(instant, around=around)

    def energies(self, t: float, y: Floats) -> tuple[float, float]:
        """Return the kinetic energy [J] and its rate [W]."""
        instant = self.at(t, y)
        return instant.kinetic, instant.power

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates of the state (f,): a radian, or the mechanism's size."""
        return self.lengths[self.free]

    def _solve(self, t: float, y: Floats) -> Instant:
        z, free = self._coordinates(t, y), self.free
        pose, convective = self.poses.at(t, z[:, 0], z[:, 1])
        K, lengths = pose.K, self.lengths
        # Near a dead point a coordinate is almost at rest while the links move: it no longer determines their motion.
        rate_ratio = max(
            np.max(np.abs(self._turning.rate(K.T) * lengths), initial=0.0),
            np.max(np.abs(self._origin.rate(K.T) * lengths), initial=0.0) / self.size,
        )
        if not rate_ratio < RATE_LIMIT or not np.isfinite(convective).all():
            raise NoPoseError(t, Status.SINGULAR, -1)
        x = np.zeros((3, len(pose.x), 1))
        x[0, :, 0], x[1, :, 0] = pose.x, z[:, 1] @ K
        matrix, force = self._balance(t, z, x, K, convective)
        # The remainder after the free coordinates' second rates is the effort of the prescribed drivers.
        given = given_efforts(self.own, self._given, t) @ self._given_coordinates.rates(pose.x, K.T)
        rest = force + given - matrix @ z[:, 2]
        try:
            z[free, 2] = np.linalg.solve(matrix[np.ix_(free, free)], rest[free])
        except np.linalg.LinAlgError:
            raise NoPoseError(t, Status.SINGULAR, -1) from None
        if not np.isfinite(z[:, 2]).all():
            raise BlownUpError(t)
        x[2, :, 0] = z[:, 2] @ K + convective
        effort = matrix @ z[:, 2] - force - given
        effort[free] = given_efforts(self.mechanism, [self.order[k] for k in free], t)
        return Instant(x, z, effort, self.poses.turns, *self._energy(x))

    def _coordinates(self, t: float, y: Floats) -> Floats:
        """Return the coordinates (f, 3) at a state, the second rates of the free ones zero."""
        f, z = len(self.free), np.zeros((len(self.order), 3))
        if not np.isfinite(y).all():
            raise BlownUpError(t)
        z[self.free, 0], z[self.free, 1] = y[:f], y[f:]
        for k, law in self.prescribed:
            z[k] = [float(part[0]) for part in law(np.array([t]))]
        if not np.isfinite(z).all():
            raise NoPoseError(t, Status.NO_INPUT, -1)
        return z

    def _energy(self, x: Floats) -> tuple[float, float]:
        """Return the kinetic energy and its rate."""
        v, a = (self._moving.rate(x[order])[:, :, 0] for order in (1, 2))
        return float(0.5 * self._sizes @ np.sum(v * v, axis=1)), float(self._sizes @ np.sum(v * a, axis=1))

    def mass_matrix(self, t: float, y: Floats) -> Floats:
        """Return sum K^T M K of the free coordinates (f, f) at a state, also where it is singular."""
        pose = self.poses.reach(t, self._coordinates(t, y)[:, 0])
        return self._inertia(self._moving.rate(pose.K.T))[np.ix_(self.free, self.free)]

    def _inertia(self, rates: Floats) -> Floats:
        return np.asarray(np.einsum("b,bif,big->fg", self._sizes, rates, rates))

    def _balance(self, t: float, z: Floats, x: Floats, K: Floats, convective: Floats) -> tuple[Floats, Floats]:
        """Return the mass matrix (f, f) of all coordinates and the force (f,) that acts along them at z'' = 0."""
        rates, a = self._moving.rate(K.T), self._moving.rate(convective[:, None])[:, :, 0]
        force = K @ self.weight - np.einsum("b,bif,bi->f", self._sizes, rates, a)
        if self._loaded:
            force = force + self._applied(t, z, x, K)
        return self._inertia(rates), force

    def _applied(self, t: float, z: Floats, x: Floats, K: Floats) -> Floats:
        """Return the generalised forces of all loads except gravity (f,)."""
        total = wrenches(self._state(t, z, x, self.poses.turns), (), self.users, impacts=self.impacts)
        force = np.stack([total.force[link][0] for link in self.links])
        moment = np.array([total.moment[link][0] for link in self.links])
        U, dU = self._turning.value(x[0, :, 0]), self._turning.rate(K.T)
        angle = U[:, 0, None] * dU[:, 1] - U[:, 1, None] * dU[:, 0]
        return np.asarray(np.einsum("bif,bi->f", self._origin.rate(K.T), force) + moment @ angle)

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the end of a step."""
        self.remember(t, y)

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        if self.contacts:
            note(self.touches(t, y), self.impacts)
            self._last = None  # the forces have changed

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        instant = self.at(t, y)
        return touches_of(self._state(t, instant.z, instant.x, instant.turns))

    def _state(self, t: float, z: Floats, x: Floats, turns: Floats) -> State:
        """Return drivers (f, 3), slots (3, rows, 1) and turns of the counted links as a motion of one sample.

        It is that of the mechanism with its own drivers.
        """
        known = np.concatenate((x[:2], np.full_like(x[:1], np.nan)))
        lanes = Lanes(known, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        turned = self.turns(z, x[0, :, 0], turns)
        # Only user functions read the drivers' values.
        values = z if self.own is self.mechanism or not self.users else self.own_drivers(z, x[:, :, 0], turned)
        drivers = dict(zip(self.own.drivers, values[:, :, None], strict=True))
        counted = {link: np.array([turn]) for link, turn in turned.items()}
        return State(self.own, self.plan, np.array([t]), drivers, lanes, counted=counted, begun=self.begun)

    def turns(self, z: Floats, x: Floats, counted: Floats) -> dict[str, float]:
        """Return how far each link has turned since the mechanism's own sketch [rad], whole turns counted.

        At drivers z (f, 3), slots x (rows,) and the turns of the counted links (k,).
        """
        values, near = dict(zip(self.order, z[:, 0], strict=True)), dict(zip(self.counted, counted, strict=True))
        found = {}
        for link, how in self.turning.items():
            turn = self.before[link] + how.constant + how.slots.const.real
            turn += sum(factor.real * x[self.plan.offsets[slot]] for slot, factor in how.slots.terms)
            turn += sum(factor * values[driver] for driver, factor in how.drivers)
            found[link] = float(turn if how.counted is None else turn + near[how.counted])
        return found

    @cached_property
    def _own_coordinates(self) -> DriverCoordinates:
        return DriverCoordinates.of_plan(self.own, self.own.drivers.values(), self.plan)

    def own_drivers(self, z: Floats, x: Floats, turned: Mapping[str, float]) -> Floats:
        """Return values and two rates (f, 3) of the mechanism's own drivers.

        At coordinates z (f, 3) and slots x (3, rows); `turned` are the turns of all links since its own sketch.
        """
        read = self._own_coordinates
        found = np.stack((read.values(x[0], turned), *read.both_rates(*x)), axis=1)
        for k, id in enumerate(self.own.drivers):
            if id in self.order:
                found[k] = z[self.order.index(id)]
        return found

    # --- the pose -----------------------------------------------------------------------------------------

    def start(self, x: Floats, z: Floats, turns: Mapping[str, float]) -> None:
        """Begin near a known regular pose: slots (rows, 1), drivers' values (f,), turns of all links."""
        self.begun = dict(turns)
        self.poses.start(x[:, 0], z, np.array([turns[link] for link in self.counted]))
        self._last = None
