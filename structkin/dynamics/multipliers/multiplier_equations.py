"""The equations of motion of all links at once, with a Lagrange multiplier for each constraint.

In the coordinates q of a family, with the prescribed drivers among the constraints Phi(q, t) = 0,

    [ M      Phi_q^T ] [ q''    ]   [ Q     ]
    [ Phi_q  0       ] [ lambda ] = [ gamma ]

(Flores & Lankarani, eq. 141; Roupa, Goncalves & Tavares da Silva, eq. 8). So -Phi_q^T lambda is the force of the joints
and drivers on the coordinates: lambda is positive where it opposes a growing Phi. The state is y = (q, q').

The equations are one text (`compiled`), run as plain Python or compiled. Which of the two follows from the call alone:
they agree to rounding, not to the last bit, because plain Python factorises by LAPACK. What is not solved in compiled
code, such as a pose that is not regular, is evaluated in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.dynamics.acting import law_values
from structkin.dynamics.bodies import mass_table
from structkin.dynamics.compiled.memory import Lists
from structkin.dynamics.driver_coordinates import DriverCoordinates, given_efforts
from structkin.dynamics.dwells import Dwells
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.load_table import load_table
from structkin.dynamics.loads import check_directions
from structkin.dynamics.multipliers import whole
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.compiled.source import CONSTRAINED, compiled_functions, packed, plain_functions
from structkin.dynamics.multipliers.kkt import CoordinateDrivers, Kkt, Solution
from structkin.dynamics.multipliers.masses import CoordinateMasses, FrameMasses
from structkin.dynamics.multipliers.partitioning import Parts, largest
from structkin.dynamics.multipliers.stabilisation import (
    RATE_LIMIT,
    WEIGHTS,
    Augmented,
    Partitioning,
    Stabilisation,
    shifts,
)
from structkin.dynamics.multipliers.watch import Watch
from structkin.dynamics.reduced.pose import BlownUpError, NoPoseError
from structkin.dynamics.user_loads import State, UserLoad, add_user_load
from structkin.dynamics.wrench_sums import Wrenches
from structkin.global_methods.families import constraints
from structkin.global_methods.frame_plan import Solved, fill, frame_plan
from structkin.model.mechanism import Mechanism
from structkin.model.near import put_back
from structkin.numerical_tolerances import ROUNDING_OF_ONE
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.rows.affine import frames_in_slots
from structkin.rows.lane_matrix import Matrix
from structkin.solve.engine import Lanes
from structkin.solve.special_geometry import structure_of
from structkin.types import Floats

#: A joint has come apart when the residual of a row exceeds this part of its unit.
APART = 0.5
#: Most coordinates and rows that plain Python evaluates number by number, without and with angles among the
#: coordinates: above, NumPy's arrays are faster.
NUMBERS = (60, 120)
#: Most coordinates and rows for compiled code: above, LAPACK is as fast.
SMALL = 250


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


class Multipliers(EquationsOfMotion):
    """The equations of a mechanism in one family of coordinates, evaluated at one instant at a time."""

    _watch: Watch

    def __init__(
        self,
        mechanism: Mechanism,
        family: str,
        stabilisation: Stabilisation,
        users: Sequence[UserLoad] = (),
        *,
        formulation: str = "multipliers",
        drawn: Mechanism | None = None,
    ) -> None:
        """Write the rows and the masses; the mechanism may be `drawn` at another place."""
        super().__init__(mechanism, users)
        self.drawn = drawn or mechanism
        self.formulation, self.stabilisation = formulation, stabilisation
        structure = structure_of(mechanism)
        self.plan = frame_plan(self.drawn)
        driven = [self.order[k] for k, _ in self.prescribed]
        self.coordinates = constraints(mechanism, family, drivers=driven, structure=structure)
        c = self.coordinates
        self.frame_masses = FrameMasses(mechanism, c.links, mass_table(mechanism))
        self.masses = CoordinateMasses(c, self.frame_masses)
        self.drivers = DriverCoordinates.of_frames(mechanism, c.links, mechanism.drivers.values())
        self.dwells = Dwells(mechanism, frames_in_slots(c.links), range(0, 4 * len(c.links) + 1, 2))
        redundant = c.m - (c.n - len(self.free))
        self._z_q: CoordinateDrivers | None = None
        if formulation == "multipliers-sweeps":
            self._z_q = CoordinateDrivers(mechanism, c, [self.order[k] for k in self.free])
        z_pattern = None if self._z_q is None else self._z_q.pattern
        self.kkt = Kkt(c, self.masses.pattern, redundant, formulation != "multipliers", z_pattern)
        self._closes, self._parts, self._gap = isinstance(stabilisation, Partitioning), Parts(), 0.0
        self._solution: Solution
        self._multipliers = np.zeros(c.m)
        arrays = packed(self)
        self._has_rows = "entry_row" in c.arrays()
        has_angles = bool(arrays.tree or len(arrays.turned))
        self._by_arrays = not self._has_rows or c.n + c.m > NUMBERS[has_angles]
        self._lists = Lists(arrays, whole.PARTS if self._by_arrays else (), own=self)
        self._plain_functions = plain_functions(by_arrays=self._by_arrays)
        self._functions: Mapping[str, Callable[..., Any]] = self._plain_functions
        #: The arrays: `Lists`, or compiled `ConstrainedMemory`.
        self.mem, self.is_compiled = self._lists, False
        self._frame_rates = Matrix.summing(arrays.map_row, 4 * len(c.links))

    def begin(self, t: float, y: Floats, turns: Mapping[str, float]) -> None:
        """Begin at a state with these turns of the links since the sketch."""
        c, self.begun = self.coordinates, dict(turns)
        since = np.array([turns[link] for link in c.links])
        self.mem.put(turns=since, held=since - c.angles(y[: c.n, None])[:, 0], clock=t)
        self._ask("accept", t, y)
        motions = self._free_motions(t, y)
        if self._closes:
            self.mem.put(chosen=largest(motions))
        laws, groups = [law for _, law in self.prescribed], [group.links for group in self.plan.structure.groups]
        self._watch = Watch(c, laws, groups, y[: c.n], t, motions)

    # --- the text -----------------------------------------------------------------------------------------

    def _ask(self, function: str, t: float, y: Floats, *out: Floats) -> Any:
        """Call a function of the text with a state, and write the arrays that it fills."""
        if self.is_compiled:
            return self._functions[function](*self.mem.passed, t, y, *out)
        if self._by_arrays:
            with np.errstate(all="ignore"):
                return self._call(function, t, y, *out)
        lists = [part.tolist() for part in (y, *out)]
        try:
            return self._call(function, t, *lists)
        finally:
            for part, values in zip((y, *out), lists, strict=True):
                part[:] = values

    def _call(self, function: str, t: float, *states: Any) -> Any:
        """Call a function of the text as plain Python; False where a number is not defined."""
        try:
            return self._functions[function](self.mem, t, *states)
        except (ArithmeticError, ValueError):
            return False  # where compiled code goes on with what is infinite or not a number, and ends likewise

    @property
    def compiles(self) -> bool:
        """Whether there is compiled code for these equations: of large systems LAPACK's is as fast."""
        c = self.coordinates
        small = self.formulation == "multipliers" and c.n + c.m <= SMALL
        return small and self._has_rows and not self.users and not isinstance(self.stabilisation, Augmented)

    def compile(self, t: float, y: Floats) -> None:
        """Go on with compiled code from a state, if it is regular."""
        # The first evaluation chooses the rows to solve and the independent coordinates, and measures the masses.
        try:
            self(t, y)
        except NoPoseError:  # the run says why
            return
        if not self._solution.regular:
            return
        solved, parts = len(self.mem.right), len(self.mem.part_right)
        factors = {"K": solved**2, "pivots": solved, "parted": parts**2, "part_pivots": parts}
        mem = ConstrainedMemory({**vars(self.mem), **self._system(), **factors})
        CONSTRAINED.announce("rate")
        self._functions = compiled_functions()
        self.mem, self.is_compiled = mem, True

    def _system(self) -> dict[str, Any]:
        """Return the rows that are solved, the place of each row among them, and the size of M."""
        rows = np.arange(self.coordinates.m) if self.kkt.rows is None else self.kkt.rows
        place = np.full(self.coordinates.m, -1)
        place[rows] = np.arange(len(rows))
        return {"kept": rows, "kept_place": place, "size": self.kkt.size}

    @contextmanager
    def _plain(self) -> Iterator[None]:
        """Evaluate in plain Python within, and continue from there."""
        if not self.is_compiled:
            yield
            return
        fast, functions = self.mem, self._functions
        names = fast.changing()
        self._lists.put(**{name: getattr(fast, name) for name in names})
        self.mem, self.is_compiled, self._functions = self._lists, False, self._plain_functions
        try:
            yield
        finally:
            self.mem, self.is_compiled, self._functions = fast, True, functions
            fast.put(**{name: getattr(self._lists, name) for name in names} | self._system())

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within."""
        mem, kkt = self.mem, self.kkt
        self.kkt = copy(kkt)
        self.mem = mem.copy()
        try:
            yield
        finally:
            self.kkt = kkt
            self.mem = mem

    # --- the equations ------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        self._evaluations += 1
        out = np.empty(2 * self.coordinates.n)
        if not (self.is_compiled and self._ask("rate", t, y.copy() if self._closes else y, out)):
            with self._plain():
                self._rate(t, np.array(y), out)
        return out

    def _rate(self, t: float, y: Floats, out: Floats) -> Floats:
        """Write the rate of a state, closed in place, in plain Python; return the multipliers (m,)."""
        n = self.coordinates.n
        given = y.copy()
        if not self._ask("rate", t, y, out):
            raise self._why(t, given)
        a, multipliers = out[n:], self._multipliers
        if not self._solution.regular:
            a, multipliers = self._limit(t, y, a, multipliers)
        if not np.isfinite(a).all():
            raise BlownUpError(t)
        out[n:] = a
        return multipliers

    def forces(self, t: float, y: Floats) -> Floats:
        """Return Q (n,) at a state; `InputError` where a load has no value."""
        self._ask("find_pose", t, y.copy())
        self._ask("find_forces", t, y)
        found = np.array(self.mem.force)
        if np.isfinite(y).all() and not np.isfinite(found).all():
            raise self._why(t, y)
        return found

    def _why(self, t: float, y: Floats) -> NoPoseError:
        """Return why there are no rates at a state; raises `InputError` where a load has no value."""
        if not np.isfinite(y).all():
            return BlownUpError(t)
        if self._closes and not self._ask("close", t, y.copy()):
            return NoPoseError(t, Status.NOT_CONVERGED, -1)
        table, state = load_table(self.mechanism), self._state(t)
        for law, id in zip(table.laws, table.owners, strict=True):
            law_values(law, state, id)
        check_directions(state)
        given_efforts(self.mechanism, self.order, t)
        return BlownUpError(t)

    @np.errstate(all="ignore")
    def _limit(self, t: float, y: Floats, a: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
        """Return q'' (n,) and the multipliers (m,) at a change point, from poses around it; see `stabilisation`.

        The given values are returned where there is no smooth motion through the pose.
        """
        n, solution, found = self.coordinates.n, self._solution, list[Floats]()
        q, v = y[:n], y[n:]
        for s in shifts(np.array(self.mem.X[1]), self.coordinates.size):
            near = np.concatenate((q + s * v + 0.5 * s * s * a, v + s * a))
            if not (self._ask("project", t, near) and self._ask("find_pose", t, near)):
                break
            gap = self._functions["largest_gap"](self.mem)
            if not (gap < 1e3 * ROUNDING_OF_ONE and self._functions["decompose"](self.mem) and self._solution.regular):
                break
            self._functions["find_forces"](self.mem, t, near)
            self._functions["find_asked"](self.mem, near)
            found.append(np.concatenate(self._solution.solve(np.array(self.mem.force), np.array(self.mem.gamma))))
        self._ask("find_pose", t, y)
        self._solution = solution
        if len(found) < len(WEIGHTS):
            return a, multipliers
        result = WEIGHTS @ np.array(found)
        return result[:n], result[n:]

    def _free_motions(self, t: float, y: Floats) -> Floats:
        """Return velocities (n, f), scaled, that the constraints leave free: M-projections of random ones."""
        c = self.coordinates
        self._ask("find_pose", t, y)
        self._functions["find_masses"](*self.mem.passed)
        self.factor(self.mem)
        M, (rows, columns) = np.array(self.mem.M), self.masses.pattern
        found, nothing = np.empty((c.n, len(self.free))), np.zeros(c.m)
        random = np.random.default_rng(0).standard_normal(found.shape) * c.column_units[:, None]
        for k, column in enumerate(random.T):
            momentum = np.zeros(c.n)
            np.add.at(momentum, rows, M * column[columns])
            found[:, k] = self._solution.solve(momentum, nothing)[0] / c.column_units
        return found

    # --- what plain Python does in place of the text ------------------------------------------------------

    def factor(self, mem: Any) -> bool:
        """Factorise the system of a pose, regular or not."""
        z_q = None
        if self._z_q is not None:
            z_q = self._z_q.entries(np.array(mem.X[0]), np.array(mem.map[: len(mem.map_row)]))
        self.kkt.strength = mem.strength
        self._solution = self.kkt.factor(np.asarray(mem.M), np.asarray(mem.A), z_q)
        mem.strength = self.kkt.strength
        return True

    def solve(self, mem: Any, force: Sequence[float], asked: Sequence[float]) -> None:
        """Write the solution of the system, and keep the multipliers."""
        x, self._multipliers = self._solution.solve(np.asarray(force), np.asarray(asked))
        self._write(mem.right, x)

    def find_seconds(self, mem: Any) -> None:
        """Write the accelerations; those of the augmented Lagrangian method by a penalty."""
        regular, how = self._solution, self.stabilisation
        if isinstance(how, Augmented):
            self._solution = self.kkt.penalise(np.array(mem.M), np.array(mem.A), how.penalty, how.corrections)
        self.solve(mem, mem.force, mem.asked)
        self._solution = regular

    def part(self, mem: Any) -> bool:
        """Factorise [Phi_q; E_u] of a pose, regular or not."""
        mem.least = self._parts.factor(self.kkt, np.asarray(mem.A), np.array(mem.chosen, np.intp), mem.least)
        return True

    def solve_parts(self, mem: Any, asked: Sequence[float], sign: float, near: Sequence[float]) -> float:
        """Write the solution for all rows, the chosen coordinates given in `part_right`; return its size, scaled."""
        chosen = np.array(mem.part_right[len(near) - len(mem.chosen) :])
        found = self._parts.solve(sign * np.asarray(asked), chosen, np.asarray(near))
        self._write(mem.part_right, found)
        return float(np.max(np.abs(found / self.coordinates.column_units), initial=0.0))

    def _write(self, part: Any, values: Floats) -> None:
        part[: len(values)] = values if self._by_arrays else values.tolist()

    def find_frames(self, mem: Any, y: Floats) -> None:
        """Write the frames and their rates by arrays."""
        c = self.coordinates
        q, v = y.reshape(2, c.n, 1)
        mem.X[:2] = c.frames(q)[:, 0], c.frame_rates(q, v)[:, 0]
        mem.theta[:] = c.angles(q)[:, 0]
        if mem.tree:
            mem.map[: len(mem.map_row)] = c.frame_map(q)[2][:, 0]

    add_frames = find_frames

    def find_rows(self, mem: Any, y: Floats) -> None:
        """Write the rows by arrays, without frames and gamma."""
        c, (z, dz, _) = self.coordinates, np.array(mem.z)[:, :, None]
        phi, A = c.evaluate(y[: c.n, None], z)
        mem.phi[:], mem.A[:] = phi[:, 0], A[:, 0]
        if self.prescribed:
            mem.nu[:] = c.nu(z, dz)[:, 0]

    def find_gamma(self, mem: Any, y: Floats) -> None:
        """Write gamma by arrays."""
        c = self.coordinates
        mem.gamma[:] = c.gamma(*y.reshape(2, c.n, 1), *np.array(mem.z)[:, :, None])[:, 0]

    def find_masses(self, mem: Any) -> None:
        """Write M by arrays, if it changes."""
        if mem.tree:
            mem.M[:] = self.masses.entries(mem.map)

    def weigh_seconds(self, mem: Any, y: Floats, out: Floats) -> None:
        """Write the velocity terms on the frames by arrays."""
        c = self.coordinates
        q, v = y.reshape(2, c.n, 1)
        mem.X[2] = c.frame_seconds(q, v, 0.0 * v)[:, 0]
        out[:] = self.frame_masses.matrix @ mem.X[2]

    def apply_functions(self, mem: Any, t: float, load: list[float]) -> None:
        """Add the loads of users' functions to the forces on the frames."""
        if not self.users:
            return
        self._functions["find_turns"](mem, t)
        total = Wrenches(self._state(t))
        for user in self.users:
            add_user_load(total, user)
        for k, link in enumerate(self.coordinates.links):
            ux, uy = mem.X[0][4 * k + 2 : 4 * k + 4]
            moment = total.moment[link][0] / (ux * ux + uy * uy)
            for part, size in enumerate((*total.force[link][0], -moment * uy, moment * ux)):
                load[4 * k + part] += float(size)

    def _state(self, t: float) -> State:
        """Return the frames of the last evaluation as a motion of one sample."""
        mem, c = self.mem, self.coordinates
        X, turns = np.array(mem.X), np.array(mem.new_turns, np.float64)
        x, z = np.zeros((3, self.plan.offsets[-1], 1)), np.full((3, len(self.order), 1), np.nan)
        if self.users:
            z[0, :, 0] = self.drivers.values(X[0], dict(zip(c.links, turns.tolist(), strict=True)))
            z[1, :, 0] = self.drivers.rates(X[0], X[1])
        put_back(X[0], self.mechanism, self.drawn)
        for k, link in enumerate(c.links):
            for part, expression in enumerate((self.plan.frames[link].origin, self.plan.frames[link].direction)):
                if expression.is_slot:
                    first, row = self.plan.rows(expression.terms[0][0]).start, 4 * k + 2 * part
                    x[:2, first : first + 2, 0] = X[:2, row : row + 2]
        x[2] = np.nan
        lanes = Lanes.solved(x)
        drivers, counted = (
            dict(zip(self.order, z.swapaxes(0, 1), strict=True)),
            dict(zip(c.links, turns[:, None], strict=True)),
        )
        return State(self.drawn, self.plan, np.array([t]), drivers, lanes, counted=counted, begun=self.begun)

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates (n,): 1 for angles and directions, the mechanism's size for lengths."""
        return self.coordinates.column_units

    # --- between the steps --------------------------------------------------------------------------------

    def longest_step(self, t: float, y: Floats) -> float:
        """Return the longest step [s] from a state that passes over no lift of a cam, and no bend of a slot."""
        return self.dwells.longest_step(*self._placed(t, y)) if self.dwells else np.inf

    def passes(self, t: float, y: Floats, step: float) -> bool:
        """Return whether the step [s] to a state has passed over a lift of a cam or a bend of a slot."""
        return bool(self.dwells) and self.dwells.passes(*self._placed(t, y), step)

    def _placed(self, t: float, y: Floats) -> tuple[Floats, Floats]:
        """Return the frames X (4 links,) at a state, and their rates."""
        self._ask("find_pose", t, y.copy())
        return np.array(self.mem.X[0]), np.array(self.mem.X[1])

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if the gains make a method unstable at this step, else an empty string."""
        return self.stabilisation.gain_warning(method, h)

    def project(self, t: float, y: Floats) -> Floats:
        """Return the corrected state at the end of a step."""
        projected = y.copy()
        if not (self.is_compiled and self._ask("end_step", t, projected)):
            with self._plain():
                projected = y.copy()
                if not self._ask("end_step", t, projected) and self._closes:
                    raise NoPoseError(t, Status.NOT_CONVERGED, -1)
        return projected

    def verify(self, t: float, y: Floats) -> None:
        """Raise `NoPoseError` where a step to a state has left its branch, or may have."""
        self._watch.verify(y[: self.coordinates.n], t)

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the end of a step: count turns, note impacts, and choose independent coordinates."""
        if self._closes:
            motions = self._free_motions(t, y)
            with np.errstate(all="ignore"):
                per_chosen = motions @ np.linalg.pinv(motions[self.mem.chosen])
            # Chosen coordinates that describe the motion poorly are replaced.
            self.needs_restart = not np.max(np.abs(per_chosen), initial=0.0) < RATE_LIMIT
            if self.needs_restart:
                chosen = largest(motions)
                self._lists.put(chosen=chosen)
                self.mem.put(chosen=chosen)
        self._gap = self._functions["largest_gap"](*self.mem.passed) if self._ask("accept", t, y) else np.inf
        self._watch.keep(y[: self.coordinates.n], t)
        self.remember(t, y)

    def touch(self, t: float, y: Floats) -> None:
        """Write how bodies touch, and how fast joints with friction move, at a state."""
        self._ask("touch", t, y)

    def constraint_violation(self, t: float, y: Floats) -> str:
        """Return which joint has come apart, in words; empty where none has."""
        if self._gap < APART:
            return ""
        self._ask("find_pose", t, y)
        worst = int(np.argmax(np.abs(self.mem.phi / self.coordinates.row_units)))
        name = self.coordinates.rows[worst]
        return f"{name} has come apart: the motion has diverged; try a smaller step or another stabilisation"

    # --- what is recorded----------------------------------------------------------------------------------

    def recorded(self, t: float, y: Floats) -> GlobalInstant:
        """Return everything at a time and state that is recorded."""
        self._evaluations += 1
        n, units = self.coordinates.n, self.coordinates.row_units
        settled, out = np.array(y), np.empty(len(y))
        # Plain Python distributes the multipliers of redundant rows.
        if self.is_compiled and self.kkt.rows is None and self._ask("instant", t, settled, out):
            return self._instant(t, settled, out[n:], np.array(self.mem.right[n:]) * self.mem.size / units)
        with self._plain():
            settled = self.project(t, y)
            multipliers = self._rate(t, settled, out)
            self._functions["find_turns"](self.mem, t)
            return self._instant(t, settled, out[n:], multipliers)

    def _instant(self, t: float, y: Floats, a: Floats, multipliers: Floats) -> GlobalInstant:
        """Return everything at a time for a state, second rates and multipliers."""
        c, mem, turns = self.coordinates, self.mem, np.array(self.mem.new_turns, np.float64)
        X = np.array(mem.X)
        X[2] += self._frame_rates @ (np.array(mem.map[: len(mem.map_row)]) * a[np.array(mem.map_column, np.intp)])
        z = np.empty((len(self.order), 3))
        z[:, 0] = self.drivers.values(X[0], dict(zip(c.links, turns.tolist(), strict=True)))
        z[:, 1], z[:, 2] = self.drivers.both_rates(*X)
        momentum = self.frame_masses.matrix @ X[1]
        effort = given_efforts(self.mechanism, self.order, t)
        laws = np.array(mem.z)
        for place, (k, _) in enumerate(self.prescribed):
            z[k] = laws[:, place]
            unit = np.zeros((len(self.prescribed), 1))
            unit[place] = 1.0
            # Phi_q q' = nu: a virtual turn of the driver moves its rows by nu, against lambda.
            effort[k] = -float(multipliers @ c.nu(laws[0][:, None], unit)[:, 0])
        return GlobalInstant(
            y[: c.n], y[c.n :], a, multipliers, (X[0], X[1], X[2]), turns, z, effort,
            0.5 * float(momentum @ X[1]), float(momentum @ X[2]),
        )  # fmt: skip

    def motion_of(
        self, kept: Sequence[GlobalInstant], drivers: Mapping[str, Floats]
    ) -> tuple[Sequence[str], Plan, Lanes, dict[str, Any]]:
        """Return the links, whose frames follow from the coordinates, and what only these equations have."""
        c = self.coordinates
        X, dX, ddX = (np.stack([one.X[order] for one in kept], axis=1) for order in range(3))
        q, v, a = (np.stack([getattr(one, name) for one in kept], axis=1) for name in "qva")
        turns = c.turns(q), c.turn_rates(v), c.turn_rates(a)
        put_back(X, self.mechanism, self.drawn)
        lanes = fill(self.plan, self.drawn, Solved(c.links, (X, dX, ddX), c.turned, turns), drivers)
        return (
            c.links,
            self.plan,
            lanes,
            {
                "formulation": self.formulation,
                "coordinates": c,
                "q": q.T,
                "multipliers": np.stack([one.multipliers for one in kept]),
                "redundant": self.kkt.redundant,
            },
        )
