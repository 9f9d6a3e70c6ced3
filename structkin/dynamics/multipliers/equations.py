"""The equations of motion of all links at once, with a Lagrange multiplier for each constraint.

In the coordinates q of a family, with the prescribed drivers among the constraints Phi(q, t) = 0,

    [ M      Phi_q^T ] [ q''    ]   [ Q     ]
    [ Phi_q  0       ] [ lambda ] = [ gamma ]

(Flores & Lankarani, eq. 141; Roupa, Goncalves & Tavares da Silva, eq. 8). So -Phi_q^T lambda is the force of the joints
and drivers on the coordinates: lambda is positive where it opposes a growing Phi. The state is y = (q, q').
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.contacts import note, touches_of
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.efforts import given_efforts
from structkin.dynamics.multipliers.kkt import Kkt, Solution
from structkin.dynamics.multipliers.masses import CoordinateMasses, FrameLoads, FrameMasses
from structkin.dynamics.multipliers.projection import limit
from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.dynamics.multipliers.sweeps import CoordinateDrivers
from structkin.dynamics.multipliers.turns import LinkTurns
from structkin.dynamics.reduced.pose import BlownUpError
from structkin.dynamics.user_loads import UserLoad
from structkin.global_methods.families import constraints
from structkin.global_methods.frame_plan import frame_plan
from structkin.model.forces import Contact
from structkin.model.mechanism import Mechanism
from structkin.rows.matrix import Matrix
from structkin.solve.special_geometry import structure_of
from structkin.types import Floats

#: A joint has come apart when the residual of a row exceeds this part of its unit.
APART = 0.5


@dataclass(frozen=True)
class Pose:
    """The data of a pose and its velocities: Phi (m,), its rate, gamma, the frames, the entries of M and Phi_q.

    `turns` (links,) [rad] are those of the links since the sketch.
    """

    kkt: Kkt
    phi: Floats
    rate: Floats
    gamma: Floats
    X: Floats
    X_rate: Floats
    turns: Floats
    frame_map: Floats
    mass: Floats
    jacobian: Floats
    z_q: Floats | None

    @cached_property
    def factors(self) -> Solution:
        """The factors of the system of the multipliers."""
        return self.kkt.factor(self.mass, self.jacobian, self.z_q)


@dataclass(frozen=True)
class GlobalInstant:
    """Everything at one time: coordinates q (n,) and rates, multipliers (m,), frames X (4 links,) and rates.

    Turns of the links (links,) [rad], drivers z (f, 3), the effort each needs (f,), the kinetic energy [J] and its rate
    `power` [W].
    """

    q: Floats
    v: Floats
    a: Floats
    multipliers: Floats
    X: tuple[Floats, Floats, Floats]
    turns: Floats
    z: Floats
    effort: Floats
    kinetic: float
    power: float


class Multipliers:
    """The equations of a mechanism in one family of coordinates, evaluated at one instant at a time."""

    def __init__(
        self,
        mechanism: Mechanism,
        family: str,
        stabilisation: Stabilisation,
        users: Sequence[UserLoad] = (),
        *,
        formulation: str = "multipliers",
    ) -> None:
        """Write the rows and the masses."""
        self.formulation = formulation
        self.mechanism, self.stabilisation, self.users = mechanism, stabilisation, tuple(users)
        structure = structure_of(mechanism)
        self.plan = frame_plan(mechanism, structure)
        self.order = tuple(mechanism.drivers)
        laws = [drive.law for drive in mechanism.drivers.values()]
        self.free = np.array([k for k, law in enumerate(laws) if law is None], np.intp)
        self.prescribed = [(k, law) for k, law in enumerate(laws) if law is not None]
        driven = [self.order[k] for k, _ in self.prescribed]
        self.coordinates = constraints(mechanism, family, drivers=driven, structure=structure)
        c = self.coordinates
        self.frame_masses = FrameMasses(mechanism, c.links, mass_table(mechanism))
        self.masses = CoordinateMasses(c, self.frame_masses)
        self.drivers = DriverCoordinates.of_frames(mechanism, c.links, mechanism.drivers.values())
        self.loads = FrameLoads(mechanism, self.plan, c.links, users)
        self.impacts, self.turns = self.loads.impacts, LinkTurns(mechanism, c)
        self.contacts = [id for id, load in mechanism.forces.loads.items() if isinstance(load, Contact)]
        redundant = c.m - (c.n - len(self.free))
        self._coordinate_drivers: CoordinateDrivers | None = None
        if formulation == "multipliers-sweeps":
            self._coordinate_drivers = CoordinateDrivers(mechanism, c, [self.order[k] for k in self.free])
        z_pattern = None if self._coordinate_drivers is None else self._coordinate_drivers.pattern
        self.kkt = Kkt(c, self.masses.pattern, redundant, formulation != "multipliers", z_pattern)
        X_rows, X_columns, frame_map = c.frame_map(c.start())
        self._frame_map = frame_map[:, 0] if self.masses.constant else None
        self._X_rows, self._to_q = X_rows, Matrix.summing(X_columns, c.n)
        self._to_rows, self._by_mass = Matrix.summing(c.pattern[0], c.m), Matrix.summing(self.masses.pattern[0], c.n)
        self.evaluations = 0
        self._last: tuple[float, Floats, Pose, Floats, Floats, Floats] | None = None

    def begin(self, t: float, y: Floats, turns: Mapping[str, float]) -> None:
        """Begin at a state with these turns of the links since the sketch."""
        self.turns.begin(t, y[: self.coordinates.n], *self._frames(y), turns)
        self.loads.begun = dict(turns)

    def _frames(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the frames (4 links,) and their rates at a state."""
        c = self.coordinates
        q, v = y[: c.n, None], y[c.n :, None]
        return c.frames(q)[:, 0], c.frame_rates(q, v)[:, 0]

    # --- the equations ------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state."""
        _, closed, a, _ = self.accelerations(t, y)
        return np.concatenate((closed[self.coordinates.n :], a))

    def laws(self, t: float) -> Floats:
        """Return the prescribed coordinates and their two rates (3, p, 1)."""
        values = [[float(part[0]) for part in law(np.array([t]))] for _, law in self.prescribed]
        return np.array(values).reshape(-1, 3).T[:, :, None]

    def pose(self, t: float, y: Floats) -> Pose:
        """Return the data of a pose and its velocities."""
        c = self.coordinates
        q, v = y[: c.n, None], y[c.n :, None]
        z, dz, ddz = self.laws(t)
        phi, jacobian = c.evaluate(q, z)
        rate = self._to_rows @ (jacobian * v[c.pattern[1]]) - c.nu(z, dz)
        frame_map = c.frame_map(q)[2][:, 0] if self._frame_map is None else self._frame_map
        mass = self.masses.entries(frame_map)
        gamma = c.gamma(q, v, z, dz, ddz)
        X, dX = self._frames(y)
        turns = self.turns.at(t, y[: c.n], X, dX)
        z_q = None if self._coordinate_drivers is None else self._coordinate_drivers.entries(X, frame_map)
        return Pose(
            self.kkt, phi[:, 0], rate[:, 0], gamma[:, 0], X, dX, turns, frame_map, mass, jacobian[:, 0], z_q
        )  # fmt: skip

    def accelerations(self, t: float, y: Floats) -> tuple[Pose, Floats, Floats, Floats]:
        """Return the pose, the state there, q'' and the multipliers."""
        if self._last is not None and self._last[0] == t and np.array_equal(self._last[1], y):
            return self._last[2:]
        self.evaluations += 1
        if not np.isfinite(y).all():
            raise BlownUpError(t)
        closed = self.stabilisation.close(self, t, y)
        pose = self.pose(t, closed)
        force = self.forces(t, closed, pose)
        a, multipliers = self.stabilisation.accelerations(self, pose, force)
        if not pose.factors.regular:
            a, multipliers = limit(self, t, closed, a, multipliers)
        if not np.isfinite(a).all():
            raise BlownUpError(t)
        self._last = t, np.array(y), pose, closed, a, multipliers
        return self._last[2:]

    def forces(self, t: float, y: Floats, pose: Pose) -> Floats:
        """Return Q (n,): loads, weight, efforts of free coordinates, and velocity terms."""
        c = self.coordinates
        on_frames = self._on_frames(t, pose)
        if not self.masses.constant:
            q, v = y[: c.n, None], y[c.n :, None]
            on_frames = on_frames - self.frame_masses.matrix @ c.frame_seconds(q, v, np.zeros_like(v))[:, 0]
        return np.asarray(self._to_q @ (pose.frame_map * on_frames[self._X_rows]))

    def _on_frames(self, t: float, pose: Pose) -> Floats:
        """Return weight, loads and the efforts of free coordinates on the frames (4 links,)."""
        on_frames = self.frame_masses.weight + self.loads(t, pose.X, pose.X_rate, pose.turns)
        efforts = given_efforts(self.mechanism, self.order, t)
        if efforts.any():
            on_frames += efforts @ self.drivers.gradient(pose.X)
        return on_frames

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates (n,): 1 for angles and directions, the mechanism's size for lengths."""
        return self.coordinates.column_units

    # --- between the steps --------------------------------------------------------------------------------

    def energies(self, t: float, y: Floats) -> None:
        """None: here the drift of the joints shows a step that was too large."""
        return None

    @property
    def needs_restart(self) -> bool:
        """Whether the last `accept` changed what is integrated, so that multistep methods have to restart."""
        return self.stabilisation.needs_restart

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if the gains make a method unstable at this step, else an empty string."""
        return self.stabilisation.gain_warning(method, h)

    def project(self, t: float, y: Floats) -> Floats:
        """Return the corrected state at the end of a step."""
        return self.stabilisation.project(self, t, y)

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the end of a step: count turns, note impacts, and choose independent coordinates."""
        self.stabilisation.accept(self, t, y)
        self.turns.accept(t, y[: self.coordinates.n], *self._frames(y))
        self.remember(t, y)

    def change(self, t: float, y: Floats, *, stuck: bool = False) -> Floats | None:
        """Return None: these coordinates describe every pose and are never exchanged."""
        return None

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        if self.contacts:
            note(self.touches(t, y), self.impacts)
            self.forget()  # the forces have changed

    def forget(self) -> None:
        """Forget the last evaluation."""
        self._last = None

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        X, dX = self._frames(y)
        return touches_of(self.loads.motion(t, X, dX, self.turns.at(t, y[: self.coordinates.n], X, dX)))

    def constraint_violation(self, t: float, y: Floats) -> str:
        """Return which joint has come apart, in words; empty where none has."""
        c = self.coordinates
        gaps = np.abs(c.phi(y[: c.n, None], self.laws(t)[0])[:, 0] / c.row_units)
        worst = int(np.argmax(gaps)) if len(gaps) else 0
        if not len(gaps) or gaps[worst] < APART:
            return ""
        return f"{c.rows[worst]} has come apart: the motion has diverged; try a smaller step or another stabilisation"

    # --- what is recorded----------------------------------------------------------------------------------

    def at(self, t: float, y: Floats) -> GlobalInstant:
        """Return everything at a time and state."""
        c = self.coordinates
        pose, y, a, multipliers = self.accelerations(t, y)
        q, v = y[: c.n], y[c.n :]
        ddX = c.frame_seconds(q[:, None], v[:, None], a[:, None])[:, 0]
        return self.instant(t, (q, v, a), multipliers, (pose.X, pose.X_rate, ddX), pose.turns)

    def instant(
        self,
        t: float,
        q: tuple[Floats, Floats, Floats],
        multipliers: Floats,
        X: tuple[Floats, Floats, Floats],
        turns: Floats,
    ) -> GlobalInstant:
        """Return everything at a time for coordinates and frames with two rates."""
        c = self.coordinates
        z = np.empty((len(self.order), 3))
        z[:, 0] = self.drivers.values(X[0], dict(zip(c.links, turns.tolist(), strict=True)))
        z[:, 1], z[:, 2] = self.drivers.both_rates(*X)
        momentum = self.frame_masses.matrix @ X[1]
        effort = given_efforts(self.mechanism, self.order, t)
        laws = self.laws(t)
        for place, (k, _) in enumerate(self.prescribed):
            z[k] = laws[:, place, 0]
            unit = np.zeros_like(laws[1])
            unit[place] = 1.0
            # Phi_q q' = nu: a virtual turn of the driver moves its rows by nu, against lambda.
            effort[k] = -float(multipliers @ c.nu(laws[0], unit)[:, 0])
        return GlobalInstant(
            *q, multipliers, X, turns, z, effort, 0.5 * float(momentum @ X[1]), float(momentum @ X[2]),
        )  # fmt: skip

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within."""
        solvers, last = (self.kkt, self.stabilisation), self._last
        kept = [vars(solver).copy() for solver in solvers]
        try:
            yield
        finally:
            self._last = last
            for solver, attributes in zip(solvers, kept, strict=True):
                vars(solver).clear()
                vars(solver).update(attributes)

    def recorded(self, t: float, y: Floats) -> GlobalInstant:
        """Return everything at a time and state that is recorded."""
        return self.at(t, self.project(t, y))

    def times_jacobian(self, entries: Floats, v: Floats) -> Floats:
        """Return Phi_q v (m,) for the entries of Phi_q."""
        return np.asarray(self._to_rows @ (entries * v[self.coordinates.pattern[1]]))

    def times_mass(self, pose: Pose, v: Floats) -> Floats:
        """Return M v (n,)."""
        return np.asarray(self._by_mass @ (pose.mass * v[self.masses.pattern[1]]))
