"""The reduced equations of motion: as many as there are free coordinates, by the coefficients K and L of the groups.

With the drivers' coordinates z = (free z_f, prescribed z_p), the velocity of a body's centre of mass and its angular
velocity are K z', their rates K z'' + z'^T L z'. Virtual work along the free coordinates leaves

    sum K_f^T M K_f z_f'' = sum K_f^T (F - M (K_p z_p'' + z'^T L z')) + efforts of z_f

summed over the bodies at their centres of mass (Saura et al., eqs. 8 and 9, in d'Alembert's principle). No joint force
occurs, and the pose closes exactly at every instant. The contraction z'^T L z' costs one sweep; L is never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.bodies import Body
from structkin.dynamics.contacts import depths, note_impacts
from structkin.dynamics.loads import wrenches
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, Problem
from structkin.groups import General
from structkin.kinematics import Motion
from structkin.kinematics.affine import Affine
from structkin.kinematics.coefficients import Coefficients
from structkin.kinematics.engine import Lanes, positions
from structkin.kinematics.plan import Plan
from structkin.kinematics.status import Status
from structkin.model.forces import Contact
from structkin.model.mechanism import Mechanism

Floats = NDArray[np.float64]

#: Between two evaluations no direction turns by more than this [rad], or the way is gone in parts.
TURN = 0.3


#: A coordinate that moves the links faster than this, made dimensionless by the mechanism's size, is at a dead point.
STEEP = 1e4
#: A group with a smaller margin (a squared sine) is flat: its rates are rounding, and its assembly mode may change.
FLAT = 1e-8


class NoPoseError(Exception):
    """The mechanism cannot be where it should be, or its coordinates do not tell its motion there."""

    def __init__(self, t: float, status: Status, group: int) -> None:
        """Keep when, why and where."""
        self.t, self.status, self.group = t, status, group
        super().__init__(t)


@dataclass(frozen=True)
class Instant:
    """Everything at one time: slots x (3, rows, 1), drivers z (f, 3), and the effort each driver needs (f,).

    `kinetic` is the kinetic energy [J], `power` its rate [W].
    """

    x: Floats
    z: Floats
    effort: Floats
    kinetic: float
    power: float


class Reduced:
    """The reduced equations of a mechanism, evaluated at one instant at a time.

    The state is y = (z_f, z_f'). `near` is the last pose, from which general groups are closed by Newton's method.
    """

    def __init__(self, mechanism: Mechanism, plan: Plan, bodies: Sequence[Body], users: Sequence[UserLoad]) -> None:
        """Prepare the maps from slots to bodies."""
        self.mechanism, self.plan, self.users = mechanism, plan, tuple(users)
        self.order = tuple(mechanism.drives)
        laws = [drive.law for drive in mechanism.drives.values()]
        self.free = np.array([k for k, law in enumerate(laws) if law is None], dtype=np.intp)
        self.prescribed = [(k, law) for k, law in enumerate(laws) if law is not None]
        self.bodies = [body for body in bodies if body.mass or body.inertia]
        self.mass = np.array([body.mass for body in self.bodies])
        self.inertia = np.array([body.inertia for body in self.bodies])
        frames = [plan.frames[body.link] for body in self.bodies]
        self._center = _Map(plan, [frame.point(body.center) for frame, body in zip(frames, self.bodies, strict=True)])
        self._direction = _Map(plan, [frame.direction for frame in frames])
        self._links = [name for name in mechanism.links if name != mechanism.topology.ground]
        self._origin = _Map(plan, [plan.frames[link].origin for link in self._links])
        self._turning = _Map(plan, [plan.frames[link].direction for link in self._links])
        self._loaded = bool(mechanism.forces.loads) or bool(users)
        gravity = mechanism.forces.gravity
        self._gravity = np.array((gravity.real, gravity.imag))
        self.near: Floats | None = None
        self._near_z: Floats | None = None
        self.turned: dict[str, float] = {}
        self.contacts = [id for id, load in mechanism.forces.loads.items() if isinstance(load, Contact)]
        self.evaluations = 0
        self._last: tuple[float, Floats, Instant] | None = None
        places = np.array(list(mechanism.points.values()))
        self._size = float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0
        self._lengths = np.array([1.0 if drive.kind == "angle" else self._size for drive in mechanism.drives.values()])
        units = [slot for step in plan.steps if isinstance(step.kind, General) for slot in step.outputs[1::2]]
        self._unit = [row for slot in units for row in (plan.rows(slot).start, plan.rows(slot).start + 1)]

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

    def _solve(self, t: float, y: Floats) -> Instant:
        f = len(self.free)
        z = np.empty((len(self.order), 3))
        z[self.free, 0], z[self.free, 1], z[self.free, 2] = y[:f], y[f:], 0.0
        for k, law in self.prescribed:
            z[k] = [float(part[0]) for part in law(np.array([t]))]
        if not np.isfinite(z).all():
            raise NoPoseError(t, Status.NO_INPUT, -1)
        x = np.zeros((3, self.plan.offsets[-1], 1))
        x[0] = self._pose(t, z[:, 0])
        lanes = Lanes(x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.full(len(self.plan.steps), np.inf))
        coefficients = Coefficients(self.plan, lanes)
        K = coefficients.slots(self.order)[:, :, 0]
        x[1, :, 0] = z[:, 1] @ K
        convective = coefficients.convective_slots()[:, 0]
        # Near a dead point a coordinate stands almost still while the links move on: it tells their motion no more.
        steep = max(
            np.max(np.abs(self._turning.rate(K.T) * self._lengths), initial=0.0),
            np.max(np.abs(self._origin.rate(K.T) * self._lengths), initial=0.0) / self._size,
        )
        if not steep < STEEP or not np.isfinite(convective).all():
            raise NoPoseError(t, Status.SINGULAR, -1)
        matrix, force = self._balance(t, z, x, K, convective)
        # What the free coordinates' second rates leave over is what the prescribed drivers have to give.
        rest = force - matrix @ z[:, 2]
        free, given = self.free, self._efforts(t)
        try:
            second = np.linalg.solve(matrix[np.ix_(free, free)], rest[free] + given[free])
        except np.linalg.LinAlgError:
            raise NoPoseError(t, Status.SINGULAR, -1) from None
        z[free, 2] = second
        x[2, :, 0] = z[:, 2] @ K + convective
        effort = matrix @ z[:, 2] - force
        effort[free] = given[free]
        return Instant(x, z, effort, *self._energy(x))

    def _energy(self, x: Floats) -> tuple[float, float]:
        """Return the kinetic energy and its rate."""
        v, a = (self._center.rate(x[order])[:, :, 0] for order in (1, 2))
        U, dU, ddU = self._direction.value(x[0, :, 0]), *(self._direction.rate(x[k])[:, :, 0] for k in (1, 2))
        omega, alpha = (U[:, 0] * d[:, 1] - U[:, 1] * d[:, 0] for d in (dU, ddU))
        kinetic = 0.5 * (self.mass @ np.sum(v * v, axis=1) + self.inertia @ (omega * omega))
        return float(kinetic), float(self.mass @ np.sum(v * a, axis=1) + self.inertia @ (omega * alpha))

    def mass_matrix(self, t: float, y: Floats) -> Floats:
        """Return sum K^T M K of the free coordinates (f, f) at a state."""
        instant = self.at(t, y)
        lanes = Lanes(instant.x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        K = Coefficients(self.plan, lanes).slots(self.order)[:, :, 0]
        return self._inertia(*self._rates(instant.x, K))[np.ix_(self.free, self.free)]

    def _rates(self, x: Floats, K: Floats) -> tuple[Floats, Floats]:
        """Return K of the centres of mass (b, 2, f) and of the angles (b, f)."""
        U, dU = self._direction.value(x[0, :, 0]), self._direction.rate(K.T)
        return self._center.rate(K.T), U[:, 0, None] * dU[:, 1] - U[:, 1, None] * dU[:, 0]

    def _inertia(self, center: Floats, angle: Floats) -> Floats:
        linear = np.einsum("b,bif,big->fg", self.mass, center, center)
        return np.asarray(linear + np.einsum("b,bf,bg->fg", self.inertia, angle, angle))

    def _balance(self, t: float, z: Floats, x: Floats, K: Floats, convective: Floats) -> tuple[Floats, Floats]:
        """Return the mass matrix (f, f) of all coordinates and the force (f,) that acts along them at z'' = 0."""
        center, angle = self._rates(x, K)
        U, dU = self._direction.value(x[0, :, 0]), self._direction.rate(convective[:, None])[:, :, 0]
        a, alpha = self._center.rate(convective[:, None])[:, :, 0], U[:, 0] * dU[:, 1] - U[:, 1] * dU[:, 0]
        force = np.einsum("b,bif,bi->f", self.mass, center, self._gravity - a)
        force = force - np.einsum("b,bf,b->f", self.inertia, angle, alpha)
        if self._loaded:
            force = force + self._applied(t, z, x, K)
        return self._inertia(center, angle), force

    def _applied(self, t: float, z: Floats, x: Floats, K: Floats) -> Floats:
        """Return what all loads but gravity do along the coordinates (f,)."""
        drivers = {id: z[k][:, None] for k, id in enumerate(self.order)}
        lanes = Lanes(x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        total = wrenches(
            Motion(self.mechanism, self.plan, np.array([t]), drivers, lanes), (), self.users, near=self.turned
        )
        force = np.stack([total.force[link][0] for link in self._links])
        moment = np.array([total.moment[link][0] for link in self._links])
        U, dU = self._turning.value(x[0, :, 0]), self._turning.rate(K.T)
        angle = U[:, 0, None] * dU[:, 1] - U[:, 1, None] * dU[:, 0]
        return np.asarray(np.einsum("bif,bi->f", self._origin.rate(K.T), force) + moment @ angle)

    def remember(self, t: float, y: Floats) -> None:
        """Note the speeds at which bodies met that touch at the end of a step."""
        if self.contacts:
            note_impacts(self._motion(t, y), self.turned)
            self._last = None  # the forces are others now

    def depths(self, t: float, y: Floats) -> Floats:
        """Return how deep the bodies of each contact overlap (c,) [m] that have not met yet; -inf of others."""
        return depths(self._motion(t, y), self.turned)

    def _motion(self, t: float, y: Floats) -> Motion:
        """Return the motion of one sample at a time and state."""
        instant = self.at(t, y)
        drivers = {id: instant.z[k][:, None] for k, id in enumerate(self.order)}
        lanes = Lanes(instant.x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        return Motion(self.mechanism, self.plan, np.array([t]), drivers, lanes)

    def _efforts(self, t: float) -> Floats:
        efforts = np.zeros(len(self.order))
        for k, id in enumerate(self.order):
            if id in self.mechanism.forces.efforts:
                law = self.mechanism.forces.efforts[id]
                efforts[k] = float(law(np.array([t]))[0][0])
                if not np.isfinite(efforts[k]):
                    span = "" if law.span is None else f"its table goes from {law.span[0]:g} s to {law.span[1]:g} s"
                    problem = Problem(f"drivers.{id}", f"its effort has no value at t = {t:.6g} s", span)
                    raise InputError([problem], self.mechanism.title or "simulate")
        return efforts

    # --- the pose -----------------------------------------------------------------------------------------

    def start(self, x: Floats, z: Floats) -> None:
        """Begin at a known pose: slots (rows, 1), drivers' values (f,)."""
        self.near, self._near_z = x, z

    def _pose(self, t: float, z: Floats) -> Floats:
        """Return the slots (rows, 1), on the assembly mode of the last pose."""
        assert self.near is not None and self._near_z is not None
        if not self.plan.tracked:
            return self._close(t, z, self.near)
        x, begin = self.near, self._near_z
        parts = 1
        while True:
            try:
                way = self._walk(t, begin, z, parts)
            except NoPoseError:
                way = []
            steps = np.diff(np.stack([x, *way])[:, self._unit], axis=0)
            if way and np.max(np.abs(steps), initial=0.0) < TURN:
                break
            parts *= 2
            if parts > 64:
                raise NoPoseError(t, Status.NOT_CONVERGED, -1)
        self.near, self._near_z = way[-1], z
        return way[-1]

    def _walk(self, t: float, begin: Floats, z: Floats, parts: int) -> list[Floats]:
        assert self.near is not None
        way = [self.near]
        for k in range(1, parts + 1):
            way.append(self._close(t, begin + (z - begin) * (k / parts), way[-1]))
        return way[1:]

    def _close(self, t: float, z: Floats, near: Floats) -> Floats:
        lanes = Lanes.empty(self.plan, 1, orders=1)
        values = {id: z[k : k + 1] for k, id in enumerate(self.order)}
        positions(self.plan, len(self.plan.steps), lanes, values, self._mode, near)
        if lanes.status[0] != Status.OK:
            raise NoPoseError(t, Status(int(lanes.status[0])), int(lanes.group[0]))
        if not np.isfinite(lanes.x[0]).all():
            raise NoPoseError(t, Status.NOT_CONVERGED, -1)
        flat = np.flatnonzero(lanes.least < FLAT)
        if len(flat):
            raise NoPoseError(t, Status.SINGULAR, self.plan.steps[flat[0]].group)
        return np.asarray(lanes.x[0])

    def _mode(self, step: int) -> int:
        return self.plan.steps[step].mode


class _Map:
    """Affine expressions of slots as one matrix: values (b, 2) and rates (b, 2, k)."""

    def __init__(self, plan: Plan, expressions: Sequence[Affine]) -> None:
        self._matrix = np.zeros((len(expressions), 2, plan.offsets[-1]))
        self._const = np.array([(one.const.real, one.const.imag) for one in expressions]).reshape(-1, 2)
        for row, expression in enumerate(expressions):
            for slot, factor in expression.terms:
                k = plan.rows(slot).start
                self._matrix[row, :, k] += factor.real, factor.imag
                self._matrix[row, :, k + 1] += -factor.imag, factor.real

    def value(self, slots: Floats) -> Floats:
        return np.asarray(self._matrix @ slots + self._const)

    def rate(self, slots: Floats) -> Floats:
        return np.asarray(self._matrix @ slots)
