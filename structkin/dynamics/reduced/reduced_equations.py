"""The reduced equations of motion: as many as there are free coordinates, by the coefficients K and L of the groups.

With the drivers' coordinates z = (free z_f, prescribed z_p), the velocity of a body's centre of mass and its angular
velocity are K z', their rates K z'' + z'^T L z'. Virtual work along the free coordinates leaves

    sum K_f^T M K_f z_f'' = sum K_f^T (F - M (K_p z_p'' + z'^T L z')) + efforts of z_f

summed over the bodies at their centres of mass (Saura et al., eqs. 8 and 9, in d'Alembert's principle). No joint force
occurs, and the pose closes exactly at every instant. The contraction z'^T L z' costs one sweep; L is never formed.

The equations are one text (`structkin.dynamics.compiled`), run as plain Python or compiled. Both give the same numbers
to the last bit: a run begins in plain Python, which needs no preparation, and goes on compiled where its work turns out
to be worth it. Next to flat poses, and where a path may lead past one, `Poses` finds the pose and its rates; from there
the text continues with the power series that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from structkin.compiled import has_numba
from structkin.dynamics.bodies import Body, moving_masses
from structkin.dynamics.compiled.memory import WHOLE, Lists, Memory
from structkin.dynamics.compiled.packing import Packed, packed
from structkin.dynamics.compiled.reduced_at import AHEAD, FAR, HEAD, MANY
from structkin.dynamics.compiled.source import EQUATIONS, compiled_equations, plain_equations
from structkin.dynamics.driver_coordinates import DriverCoordinates, given_efforts
from structkin.dynamics.dwells import Dwells
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.integrators.methods import METHODS
from structkin.dynamics.loads import check_directions, wrenches
from structkin.dynamics.reduced.partition import LIMIT
from structkin.dynamics.reduced.pose import RATE_LIMIT, BlownUpError, NoPoseError, Pose, roots_at, slopes_at
from structkin.dynamics.reduced.smooth_poses import VALID, Poses, Series
from structkin.dynamics.slot_map import Counted, SlotMap
from structkin.dynamics.user_loads import State, UserLoad, add_user_load
from structkin.dynamics.wrench_sums import Wrenches
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.engine import ContourPoses, Lanes
from structkin.solve.motion.turning import turnings
from structkin.track.contour import POWERS, UNIT, powers
from structkin.types import Complexes, Floats

#: Seconds that plain Python takes, roughly, for an evaluation and for each step of the plan in it.
EVALUATION, A_STEP = 3e-5, 3e-5
#: Seconds of plain Python after which a run goes on compiled: where the code has been loaded, where it was compiled
#: before on this machine, and where it was not. So no run takes much more than twice the time of the better road.
LOADED, STORED, NEW = 0.02, 0.5, 20.0


class Machine:
    """Plain Python and compiled code give the same numbers to the last bit.

    So a run begins in plain Python, which needs no preparation, and goes on compiled where its work turns out to be
    worth it.
    """

    #: The arrays: `Lists`, or `Memory`.
    mem: Any

    def __init__(self, packed: Packed, engine: str, apply: Callable[[Lists, float, Any], None] | None) -> None:
        """Begin in plain Python, or compiled if told so; `apply` adds the loads of functions, in plain Python only."""
        self._kinds, self.compiled, self._patience = [kind for kind in packed.kinds if kind], False, math.inf
        compiles = not apply and len(self._kinds) == len(packed.kinds)
        if engine == "compiled" and compiles:
            self._compile(packed.mem)
            return
        self.mem = Lists(packed.mem, WHOLE, functions=packed.functions, apply=apply)
        self._functions: Mapping[str, Any] = plain_equations()
        if engine == "auto" and compiles and has_numba():
            stored = EQUATIONS.is_stored("evaluate") and all(kind.is_stored("step") for kind in self._kinds)
            worth = LOADED if stored and EQUATIONS.is_loaded else STORED if stored else NEW
            self._patience = worth / (EVALUATION + A_STEP * len(self._kinds))

    def __call__(self, function: str, *args: Any) -> Any:
        """Call a function of the text."""
        if not self.compiled and self.mem.count > self._patience:
            self._compile(Memory(vars(self.mem)))
        return self._functions[function](*self.mem.passed, *args)

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards with the arrays of before."""
        kept = self.mem, self.compiled, self._functions
        self.mem = self.mem.copy()
        try:
            yield
        finally:
            self.mem, self.compiled, self._functions = kept

    def _compile(self, mem: Memory) -> None:
        """Go on with compiled code, in these arrays."""
        mem.put(step=[kind.loaded("step").address for kind in self._kinds])
        EQUATIONS.announce("evaluate")
        self.mem, self.compiled, self._functions = mem, True, compiled_equations()


#: Part of the path to a flat pose at which a series begins: it must cover the last pose and the poses beyond.
NEARLY = 0.92
#: Steps times numbers of the pose that are taken before the run is asked again: compiled, and in plain Python.
TURN, SHORT_TURN = 200_000, 2_000


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
    around: Complexes | None = None


class Reduced(EquationsOfMotion):
    """The reduced equations of a mechanism, evaluated at one instant at a time, each time from the last pose.

    The state is y = (z_f, z_f'): the free coordinates and their rates.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        plan: Plan,
        bodies: Sequence[Body],
        users: Sequence[UserLoad],
        own: Mechanism | None = None,
        *,
        engine: str = "auto",
    ) -> None:
        """Prepare the maps from slots to bodies.

        `own` is the mechanism in its own coordinates, if these differ: efforts act along its drivers. The `engine` is
        "python" for plain Python, "compiled" for compiled code, "auto" for one after the other.
        """
        super().__init__(mechanism, users)
        self.plan, self.own, self.engine = plan, own or mechanism, engine
        self.bodies = [body for body in bodies if body.mass or body.inertia]
        self.masses = moving_masses(self.bodies, plan.frames)
        self.dwells = Dwells(mechanism, plan.frames, plan.offsets)
        #: The weight along the slots (rows,).
        self.weight = np.zeros(plan.offsets[-1])
        for body in self.bodies:
            for slot, factor in plan.frames[body.link].point(body.center).terms:
                pull = body.mass * mechanism.forces.gravity * factor.conjugate()
                self.weight[plan.rows(slot)] += pull.real, pull.imag
        self.links = [name for name in mechanism.links if name != mechanism.topology.ground]
        self._origin = SlotMap(plan.offsets, [plan.frames[link].origin for link in self.links])
        self._turning = SlotMap(plan.offsets, [plan.frames[link].direction for link in self.links])
        self.size = mechanism.size
        self.lengths = np.array([drive.unit(self.size) for drive in mechanism.drivers.values()])
        #: How each link turns since the sketch in which these coordinates begin, and the links that no driver
        #: determines.
        self.turning = turnings(mechanism, plan.turns)
        self.counted = tuple(link for link in self.links if self.turning[link].counted == link)
        #: Turns of all links [rad] from the mechanism's own sketch to the one of these coordinates.
        self.before = dict.fromkeys(mechanism.links, 0.0)
        sketch = np.array([np.angle(mechanism.links[link].direction) for link in self.counted])
        counted = Counted(plan, [plan.frames[link].direction for link in self.counted], sketch)
        self.poses = Poses(plan, self.order, self.lengths, counted)
        #: How often the text could not decide.
        self.handed_over = 0
        #: The coordinates in the order of the arrays: the free ones, then the others.
        self._places = np.array([*self.free, *(k for k, _ in self.prescribed)], np.intp)
        self._lengths_of_rates = self.lengths[self._places].tolist()
        self._known: Sequence[Series] = ()
        self._adopted: Floats | None = None

    # --- the equations ------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        self._evaluations += 1
        out = np.empty(len(y))
        if self._machine("rate", float(t), y, out):
            return out
        self._take_care(float(t), y)
        return np.concatenate((y[len(self.free) :], self.mem.second))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        self._evaluations += 1
        self._evaluate(float(t), y, len(self.order))
        self._machine("finish")
        self._machine("find_efforts", float(t))
        z, efforts, mem = np.empty((len(self.order), 3)), np.empty(len(self.order)), self.mem
        z[self._places], efforts[self._places] = np.transpose(mem.z), mem.efforts
        x, turns = np.array(mem.x)[:, :, None], np.array(mem.new_turned, dtype=np.float64)
        return Instant(x, z, efforts, turns, float(mem.kinetic), float(mem.power))

    def terms(self, t: float, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return M (f, f), h (f,) and Q (f,) of the free coordinates, M z_f'' = Q - h; `NoPoseError` as in `at`."""
        self._evaluations += 1
        bias = np.empty(len(self.free))
        if not self._machine("form", float(t), y, bias):
            z = self._come_with_care(float(t), y)
            if not self._machine("sum_up", float(t), bias):
                raise self._no_rates(float(t), z)
        mem = self.mem
        matrix = np.array(mem.matrix)
        for k in range(1, len(matrix)):  # only its lower half is formed
            matrix[:k, k] = matrix[k, :k]
        return matrix, bias, np.array(mem.right) + bias

    @property
    def pose(self) -> tuple[Floats, Floats, State]:
        """The slots and two rates (3, rows) of the last evaluation, second rates at z_f'' = 0; K (f, rows); a state."""
        mem, z = self.mem, np.empty((len(self.order), 3))
        z[self._places] = np.transpose(mem.z)
        x, turned = np.array(mem.x), np.array(mem.new_turned, dtype=np.float64)
        return x, np.array(mem.K)[: len(self.free)], self._state(mem.clock, z, x[:, :, None], turned)

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the last pose before, whatever is evaluated within."""
        kept = self.poses, self._known, self._adopted
        self.poses = self.poses.aside()
        with self._machine.preserved():
            try:
                yield
            finally:
                self.poses, self._known, self._adopted = kept

    def recorded(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state that is recorded."""
        instant = self.at(t, y)
        if self.mem.aside:
            around = self.poses.circle()
            return instant if around is None else replace(instant, around=around)
        if not self.mem.smooth:
            return instant
        # A smaller circle within that of the series.
        series = next(one for one in self._known if one.holds(y[:1]))
        places = series.place_of(y[:1]) / series.radius + VALID * UNIT
        return replace(instant, around=series.powers[0] @ places ** np.arange(POWERS)[:, None])

    def motion_of(
        self, kept: Sequence[Instant], drivers: Mapping[str, Floats]
    ) -> tuple[Sequence[str], Plan, Lanes, dict[str, Any]]:
        """Return the links, the plan and the slots that were recorded."""
        n = len(kept)
        flat = [k for k, instant in enumerate(kept) if instant.around is not None]
        around = None
        if flat:
            around = ContourPoses(np.array(flat), np.concatenate([kept[k].around for k in flat], axis=1))
        x, least = np.concatenate([one.x for one in kept], axis=2), np.full(len(self.plan.steps), np.inf)
        lanes = Lanes(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, around)
        return self.links, self.plan, lanes, {}

    def slots(self, t: float, y: Floats) -> tuple[Floats, Floats] | None:
        """Return slots (rows,) at a state, and K (free, rows) of the free coordinates; None at a flat pose.

        There the pose comes from a series, in the coordinates with which it was reached.
        """
        if not self._machine("evaluate", float(t), y, len(self.free)):
            _, pose, _ = self._careful_pose(t, y)
            return None if pose.smooth else (pose.x, pose.K[self.free])
        if self.mem.smooth:
            return None
        self.look_ahead(t, y)
        # If no other coordinates are found now, they are searched again when these have become much worse.
        self.mem.put(uneven=max(LIMIT, 1.5 * self._machine("fastest_joint")))
        return np.array(self.mem.x[0]), np.array(self.mem.K)[: len(self.free)]

    def frames(self, x: Floats) -> Floats:
        """Return X, X', X'' (3, 4 links) of `links`: origin and direction of each, at slots (3, rows)."""
        parts = [np.stack((self._origin.value(x[0]), self._turning.value(x[0])), axis=1)]
        parts += [np.stack((self._origin.rate(x[k]), self._turning.rate(x[k])), axis=1) for k in (1, 2)]
        return np.stack([part.reshape(-1) for part in parts])

    def energies(self, t: float, y: Floats) -> tuple[float, float]:
        """Return the kinetic energy [J] and its rate [W]."""
        instant = self.at(t, y)
        return instant.kinetic, instant.power

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates of the state (f,): a radian, or the mechanism's size."""
        return self.lengths[self.free]

    def mass_matrix(self, t: float, y: Floats) -> Floats:
        """Return sum K^T M K of the free coordinates (f, f) at a state, also where it is singular."""
        z = self._coordinates(t, y)
        pose = self.poses.reach(t, z[:, 0])
        self._adopt(t, z, pose, np.zeros(len(pose.x)))
        self._machine("find_inertia")
        half = np.tril(self.mem.matrix)
        return np.asarray(half + half.T - np.diag(np.diag(half)))

    def advance(
        self, method: str, start: float, end: float, begin: int, count: int, last: int, y: Floats, *limits: float
    ) -> tuple[int, Floats]:
        """Take as many of the steps `begin` to `last` as possible without a check of the pose.

        They are among `count` equal ones from `start` to `end`. Return how many are done, and the state after them.
        """
        y, h = y.copy(), (end - start) / count
        before, done, looked = int(self.mem.count), begin, -1
        while done < last:
            # Compiled code cannot be interrupted: it returns after the steps of a fraction of a second.
            turn = 1 + (TURN if self._machine.compiled else SHORT_TURN) // self.plan.offsets[-1]
            until = min(last, done + turn)
            done = self._machine("advance", METHODS[method].number, start, end, done, until, count, y, *limits)
            if done == until:
                continue
            if done == looked or not self.look_ahead(start + done * h, y):
                break
            looked = done
        self._evaluations += int(self.mem.count) - before
        return done, y

    def longest_step(self, t: float, y: Floats) -> float:
        """Return the longest step [s] from a state within which the text finds all poses from each other.

        Without it, where the rates do not change, as those of a flywheel, steps would grow until no pose is found. Nor
        does it pass over a lift of a cam or a bend of a slot.
        """
        longest = self.dwells.longest_step(*self._placed(t, y)) if self.dwells else math.inf
        if not self.poses.follows:
            return longest
        rates = (*y[len(self.free) :].tolist(), *(float(at_time(law, t)[1]) for _, law in self.prescribed))
        pace = max(abs(rate) / length for rate, length in zip(rates, self._lengths_of_rates, strict=True))
        return min(longest, 0.8 * FAR / pace) if pace > 0 else longest

    def passes(self, t: float, y: Floats, step: float) -> bool:
        """Return whether the step [s] to a state has passed over a lift of a cam or a bend of a slot."""
        return bool(self.dwells) and self.dwells.passes(*self._placed(t, y), step)

    def _placed(self, t: float, y: Floats) -> tuple[Floats, Floats]:
        """Return the slots (rows,) at a state, and their rates."""
        self._evaluate(float(t), y, len(self.free))
        return np.array(self.mem.x[0]), np.array(self.mem.x[1])

    def touch(self, t: float, y: Floats) -> None:
        """Write how bodies touch, and how fast joints with friction move, at a state."""
        self._evaluate(float(t), y, len(self.free))
        self._machine("find_touches")

    def look_ahead(self, t: float, y: Floats) -> bool:
        """Expand a series around a flat pose that lies ahead of a state; return whether one may lie there."""
        if not (self._machine("evaluate", float(t), y, len(y) // 2) and self._machine("goes_flat")):
            return False
        self._lend()
        steps, look = self.poses.steps, np.array(self.mem.look)
        sizes = np.abs(np.array(self.mem.roots[0])[steps])
        look[steps] = np.where(sizes < AHEAD, 0.0 if self._smooth_ahead() else 0.5 * sizes, np.inf)
        self.mem.put(look=look)
        return True

    def _smooth_ahead(self) -> bool:
        """Return whether roots that approach zero vanish at a flat pose; then a series is expanded around it."""
        poses = self.poses
        if poses.last is None or poses.last.smooth:
            return False
        slopes, sizes = poses.slopes[0], np.abs(poses.last.roots)
        rates = np.array(self.mem.roots[1])[poses.steps]
        going = np.flatnonzero((sizes < AHEAD) & (poses.last.roots * rates <= 0) & (slopes != 0))
        if not len(going):
            return False
        first = going[np.argmin(sizes[going] / np.abs(slopes[going]))]
        if not poses.foresee(poses.last.q - NEARLY * poses.last.roots[first] / slopes[first], int(first)):
            return False
        self._take_series(poses.series[-1].place)
        return True

    # --- where the text cannot decide ---------------------------------------------------------------------

    @property
    def mem(self) -> Any:
        """The arrays of the text, which change where compiled code takes over."""
        return self._machine.mem

    @cached_property
    def _machine(self) -> Machine:
        found = packed(self)
        self._aside = found.aside
        return Machine(found, self.engine, self._apply if self.users or found.aside else None)

    def _evaluate(self, t: float, y: Floats, count: int) -> None:
        """Evaluate at a time and state, with K of the first `count` coordinates; `NoPoseError` where there is none."""
        if not self._machine("evaluate", t, y, count):
            self._take_care(t, y)

    def _take_care(self, t: float, y: Floats) -> None:
        """Evaluate at a pose that is found with care, and continue from it."""
        z = self._come_with_care(t, y)
        if not self._machine("act", t):
            raise self._no_rates(t, z)

    def _come_with_care(self, t: float, y: Floats) -> Floats:
        """Find the pose with care, and continue from it; return the coordinates (f, 3) there."""
        self.handed_over += 1
        z, pose, convective = self._careful_pose(t, y)
        # Near a dead point a coordinate is almost at rest while the links move: it no longer determines their motion.
        rates = pose.K.T * self.lengths
        rate_ratio = max(
            np.max(np.abs(self._turning.rate(rates)), initial=0.0),
            np.max(np.abs(self._origin.rate(rates)), initial=0.0) / self.size,
        )
        if not rate_ratio < RATE_LIMIT or not np.isfinite(convective).all():
            raise NoPoseError(t, Status.SINGULAR, -1)
        self._adopt(t, z, pose, z[:, 2] @ pose.K + convective)
        return z

    def _careful_pose(self, t: float, y: Floats) -> tuple[Floats, Pose, Floats]:
        """Return coordinates (f, 3), the pose there by `poses`, and z'^T L z' of its slots (rows,)."""
        self._lend()
        z = self._coordinates(t, y)
        return z, *self.poses.at(t, z[:, 0], z[:, 1])

    def _no_rates(self, t: float, z: Floats) -> NoPoseError:
        """Return why there are no second rates; raises `InputError` where a load has no value."""
        mem = self.mem
        given_efforts(self.own, list(self.own.forces.efforts), t)
        state = self._state(t, z, np.array(mem.x)[:, :, None], self.poses.turns)
        check_directions(state)
        loads = wrenches(state, (), self.users, impacts=self.impacts)
        sizes = [mem.right, *loads.force.values(), *loads.moment.values()]
        known = all(np.isfinite(size).all() for size in sizes)
        return NoPoseError(t, Status.SINGULAR, -1) if known else BlownUpError(t)

    def _coordinates(self, t: float, y: Floats) -> Floats:
        """Return the coordinates (f, 3) at a state, the second rates of the free ones zero."""
        f, z = len(self.free), np.zeros((len(self.order), 3))
        if not np.isfinite(y).all():
            raise BlownUpError(t)
        z[self.free, 0], z[self.free, 1] = y[:f], y[f:]
        for place, (k, law) in enumerate(self.prescribed, f):
            z[k] = at_time(law, t)
            z[k, 2] += self.mem.jolt[place]
        if not np.isfinite(z).all():
            raise NoPoseError(t, Status.NO_INPUT, -1)
        return z

    def _lend(self) -> None:
        """Let `poses` continue from the text's last pose, if it was not theirs."""
        mem = self.mem
        if self._adopted is None or np.array_equal(mem.last, self._adopted):
            return
        last = np.empty(len(self.order))
        last[self._places] = mem.last
        roots, kept, turned = (np.array(part) for part in (mem.roots[0], mem.kept, mem.turned))
        self.poses.resume(last, kept, roots[self.poses.steps], turned)

    def _adopt(self, t: float, z: Floats, pose: Pose, second: Floats) -> None:
        """Let the text continue from a pose of `poses`, at coordinates z (f, 3); `second` (rows,) are second rates."""
        mem, steps, single = self.mem, self.poses.steps, len(self.order) == 1
        rates = z[:, 1] @ pose.K
        roots = np.zeros(np.shape(mem.roots))
        roots[0, steps] = pose.roots
        roots[1, steps] = slopes_at(self.plan, steps, pose.x, rates[None])[0]
        self._adopted = pose.q[self._places]
        mem.put(
            x=np.stack((pose.x, rates, second)), K=pose.K[self._places], z=z[self._places].T, roots=roots,
            kept=pose.x, turned=self.poses.turns, new_turned=self.poses.turns, last=self._adopted, clock=t,
            feet=np.full(len(mem.feet), np.nan),
            # With several coordinates poses are found with care all around a flat one.
            aside=not single and pose.smooth, smooth=single and pose.smooth,
        )  # fmt: skip
        if single:
            self._take_series(self._adopted)

    def _take_series(self, q: Floats) -> None:
        """Copy the equations' series nearest to coordinates (1,), with series of the roots."""
        poses, known = self.poses, list(self.poses.series)
        if len(known) > MANY:
            far = [abs(one.place_of(q)) / one.radius for one in known]
            known = [known[k] for k in sorted(np.argsort(far, kind="stable")[:MANY])]
        if len(known) == len(self._known) and all(a is b for a, b in zip(known, self._known, strict=True)):
            return
        self._known = known
        arrays = np.zeros_like(self.mem.series)
        for line, series in zip(arrays, known, strict=False):
            slots = series.powers[0]
            # Roots are functions of the places: their coefficients come from their values on the circle, by a Fourier
            # transform.
            nodes = slots @ UNIT ** np.arange(POWERS)[:, None]
            roots = powers(roots_at(self.plan, poses.steps, nodes))[:, :POWERS]
            line[:HEAD] = series.place[0], series.directions[0, 0], series.radius
            line[HEAD:] = np.concatenate((slots, roots.real)).ravel()
        self.mem.put(series=arrays)

    # --- loads of functions -------------------------------------------------------------------------------

    def _apply(self, mem: Any, t: float, load: list[float]) -> None:
        """Add the loads of users' functions to the forces on the rows, and efforts along drivers that have no load."""
        x, z = np.array(mem.x), np.empty((len(self.order), 3))
        z[self._places] = np.transpose(mem.z)
        total = Wrenches(self._state(t, z, x[:, :, None], np.array(mem.new_turned, dtype=np.float64)))
        for user in self.users:
            add_user_load(total, user)
        force = np.stack([total.force[link][0] for link in self.links])
        moment = np.array([total.moment[link][0] for link in self.links])
        U = self._turning.value(x[0])
        on = np.einsum("bi,bir->r", force, self._origin.matrix)
        on += np.einsum("bi,bir->r", moment[:, None] * np.stack((-U[:, 1], U[:, 0]), axis=1), self._turning.matrix)
        if self._aside:
            read = DriverCoordinates.of_plan(self.own, [self.own.drivers[id] for id in self._aside], self.plan)
            on += given_efforts(self.own, self._aside, t) @ read.rates(x[0], np.eye(len(on)))
        load[:] = (np.array(load) + on).tolist()

    def _state(self, t: float, z: Floats, x: Floats, turns: Floats) -> State:
        """Return drivers (f, 3), slots (3, rows, 1) and turns of the counted links as a motion of one sample.

        It is that of the mechanism with its own drivers.
        """
        known = np.concatenate((x[:2], np.full_like(x[:1], np.nan)))
        lanes = Lanes.solved(known)
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
