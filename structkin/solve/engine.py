"""Running a plan over lanes: position, velocity and acceleration of every slot, and one status per lane.

Arrays are lanes-last, `x[order, row, lane]`; closed forms run over blocks of lanes that stay in cache. A group
solved by continuation sees all lanes in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from structkin.budget import grant
from structkin.groups import General, Turn
from structkin.kernels.choice import choose, compiles_group
from structkin.kernels.group import group_kernel
from structkin.numerical_tolerances import CLOSED, LIMIT
from structkin.plan.plan import DriverRegister, Plan, Register, Step
from structkin.plan.status import Status, behind_gaps, mark
from structkin.solve.tracking import track, unpacked
from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.group_solvers import GroupSolver, group_solver_of, weights_of
from structkin.types import Complexes, Flags, Floats, Indices, Ints

Progress = Callable[[float], None]

#: Lanes in a block: a dyad's inputs and results of all orders then fit the second-level cache.
BLOCK = 2048
#: A direction that is further than this from that of the lane before is rounding, in a lane that is singular [rad].
ROUNDED_TURN = 1.0


@dataclass(frozen=True)
class ContourPoses:
    """Complex poses `x` (rows, n * nodes) on circles around n lanes `at`, in order.

    A function that is smooth there has, at the lane, the mean of its values on the circle.
    """

    at: Indices
    x: Complexes

    def lanes(self) -> Lanes:
        """Return the poses as lanes."""
        return Lanes.solved(self.x[None])

    def mean(self, values: NDArray[Any]) -> Floats:
        """Return the values (..., n) at the lanes of functions (..., n * nodes) on the circles."""
        return np.asarray(values.reshape(*values.shape[:-1], len(self.at), -1).mean(axis=-1).real)

    def take(self, lanes: Indices) -> ContourPoses:
        """Return the circles around some lanes, which are then numbered by their place in `lanes`."""
        circle = np.minimum(np.searchsorted(self.at, lanes), len(self.at) - 1)
        place = np.flatnonzero(self.at[circle] == lanes)
        x = self.x.reshape(len(self.x), len(self.at), -1)[:, circle[place]]
        return ContourPoses(place, x.reshape(len(x), -1))


@dataclass(frozen=True)
class Lanes:
    """The result of a run: `x` (orders, rows, n), `status` (n,) and the group it stopped at (n,), -1 where it did not.

    `least[k]` is the smallest discriminant that step k has met (of a general group, its smallest singular value
    squared), infinite for steps that have none; `steepest[k]` is the largest ratio of its discriminants in neighbouring
    lanes, infinite where it is not known. `around` holds complex poses around lanes near a change point, where
    the real ones lose precision.
    """

    x: NDArray[Any]
    status: NDArray[np.int8]
    group: NDArray[np.int32]
    least: Floats
    around: ContourPoses | None = None
    steepest: Floats | None = None

    @classmethod
    def empty(cls, plan: Plan, n: int, orders: int = 3) -> Lanes:
        """Return n lanes in which nothing is known yet.

        A sweep of a whole plan of closed forms writes every number, so these are not set to NaN first.
        """
        x = np.empty((orders, plan.offsets[-1], n))
        if plan.tracked or plan.leaves_rows or orders != 3:
            x.fill(np.nan)
        least, steepest = np.full((2, len(plan.steps)), np.inf)
        return cls(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, None, steepest)

    @classmethod
    def solved(cls, x: NDArray[Any]) -> Lanes:
        """Return lanes with these slots (orders, rows, n), in which no step failed."""
        n = x.shape[2]
        return cls(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), np.zeros(0))

    def take(self, index: Any) -> Lanes:
        """Return some of the lanes: a copy, or a view for a slice."""
        around = self.around and self.around.take(np.arange(len(self.status))[index])
        around = around if around and len(around.at) else None
        return Lanes(self.x[:, :, index], self.status[index], self.group[index], self.least, around)


#: The mode of each step: a number, or one per lane (n,).
Modes = Callable[[int], Any]


class Course(Protocol):
    """The motion between lanes: 1.5 is halfway from the second to the third."""

    def lanes(self, stations: Floats, steps: int) -> Lanes:
        """Return the positions of the first steps at places (n,)."""

    def inputs(self, index: int, rows: Ints, units: Floats, low: float, high: float) -> tuple[Floats, float] | None:
        """Return the inputs of a step between two places as powers, and half the length of the drivers' path."""

    def turnings(self, index: int) -> Floats:
        """Return the places between lanes at which inputs of a step turn back."""

    def towards_gaps(self, index: int) -> Floats:
        """Return places between lanes up to those where inputs of a step begin or end."""


def sweep(
    plan: Plan,
    lanes: Lanes,
    drivers: Mapping[str, Floats],
    modes: Modes,
    progress: Progress | None = None,
    course: Course | None = None,
) -> None:
    """Run all steps over lanes that are still empty; `drivers[id]` (orders, n) holds value and rates of each driver.

    Without `drivers` the slots of drivers are filled already. Without a `course` the inputs of a step are taken to move
    in a straight line between two lanes.
    """
    _run(plan, lanes, drivers, modes, progress, course)
    singular = np.flatnonzero(lanes.status == Status.SINGULAR)
    if len(singular):
        # Parallel guides meet at infinity, which is no place.
        x = lanes.x[0][:, singular]
        lanes.x[0][:, singular] = np.where(np.isinf(x), np.nan, x)


def _run(
    plan: Plan,
    lanes: Lanes,
    drivers: Mapping[str, Floats],
    modes: Modes,
    progress: Progress | None,
    course: Course | None,
) -> None:
    n = lanes.x.shape[-1]
    if len(lanes.x) == 3 and (job := choose(plan, n, plan.sweep_kernel)) is not None:
        from structkin.solve import compiled_run

        return compiled_run.sweep(job, lanes, drivers, modes, progress, course)
    block = max(n, 1) if plan.tracked else BLOCK
    if n <= block:
        with np.errstate(all="ignore"):
            _Block(plan, lanes, slice(0, n), modes, progress, course=course).run(drivers)
        if progress is not None:
            progress(1.0)
        return
    steepest = np.full((-(-n // block), len(plan.steps)), np.inf)
    with np.errstate(all="ignore"):
        for start in range(0, n, block):
            part = slice(start, start + block)
            local = {id: z[:, part] for id, z in drivers.items()}
            own = lanes.take(part)
            if lanes.steepest is not None:
                own = replace(own, steepest=steepest[start // block])
            _Block(plan, own, part, modes, progress, course=course).run(local)
            if progress is not None:
                progress(min(1.0, (start + block) / n))
    if lanes.steepest is not None:
        first = np.arange(block, n, block)
        ends = lanes.take(np.stack((first - 1, first)).ravel())
        for index in plan.with_root:
            between = _steepness(*discriminant(plan, index, ends).reshape(2, -1))
            lanes.steepest[index] = max(between, steepest[:, index].max())


def _steepness(before: Floats, after: Floats) -> float:
    """Return the largest ratio of discriminants (n,) and those after them, infinite where one may have been zero.

    It is zero where there are none: the last block may have a single lane.
    """
    with np.errstate(all="ignore"):
        ratio = after / before
        least = ratio.min(initial=np.inf)
        return float(max(ratio.max(initial=0.0), 1 / least)) if least > 0 else np.inf


def positions(
    plan: Plan,
    steps: int,
    lanes: Lanes,
    drivers: Mapping[str, Floats],
    modes: Modes,
    near: Floats,
    first: int = 0,
) -> None:
    """Solve the positions of the first steps over lanes of one order, empty or solved for as many as `first`.

    `drivers[id]` (n,) holds values, `near` (rows, n) slots near the solution, from which Newton's method closes general
    groups.
    """
    with np.errstate(all="ignore"):
        block = _Block(plan, lanes, slice(None), modes, None, near)
        block.run({id: z[None] for id, z in drivers.items()}, steps, first)


def discriminant(plan: Plan, index: int, lanes: Lanes) -> Floats:
    """Return the discriminant of a step (n,) in lanes where the steps before it are solved, NaN where one failed."""
    step = plan.steps[index]
    assert step.kind.closed_form
    with np.errstate(all="ignore"):
        found = step.kind.discriminant(_Block(plan, lanes, slice(None), lambda _: 1, None).inputs(step, 0))
    return np.array(np.broadcast_to(np.nan if found is None else found, lanes.status.shape))


def drive_all(plan: Plan, lanes: Lanes, drivers: Mapping[str, Floats]) -> None:
    """Fill the slots of all drivers in a block of lanes."""
    _Block(plan, lanes, slice(None), lambda _: 1, None)._drive_all(drivers)


def drive(plan: Plan, lanes: Lanes, item: DriverRegister, z: Floats) -> None:
    """Fill the slot of one driver, with values and rates z (orders, n), in a block of lanes."""
    _Block(plan, lanes, slice(None), lambda _: 1, None)._drive(item, z)


def close_step(plan: Plan, index: int, lanes: Lanes, part: slice, modes: Modes) -> None:
    """Run one closed form over a block of lanes, which are the `part` of the whole."""
    _Block(plan, lanes, part, modes, None)._close(index, plan.steps[index])


def step_inputs(plan: Plan, lanes: Lanes, step: Step, order: int) -> tuple[Any, ...]:
    """Return the inputs of a step, or their derivative of this order, in a block of lanes."""
    return _Block(plan, lanes, slice(None), lambda _: 1, None).inputs(step, order)


def follow_step(
    plan: Plan, index: int, lanes: Lanes, modes: Modes, progress: Progress | None, course: Course | None
) -> None:
    """Run a step that proceeds from lane to lane over all lanes."""
    with np.errstate(all="ignore"):
        _Block(plan, lanes, slice(None), modes, progress, course=course)._run_step(index, plan.steps[index])


@dataclass(frozen=True)
class _Block:
    """A block of lanes, as views into all lanes; `part` is their place in them."""

    plan: Plan
    lanes: Lanes
    part: slice
    modes: Modes
    progress: Progress | None
    near: Floats | None = None
    course: Course | None = None

    def run(self, drivers: Mapping[str, Floats], steps: int | None = None, first: int = 0) -> None:
        if drivers and not first:
            self._drive_all(drivers)
        for index, step in enumerate(self.plan.steps[first:steps], first):
            self._run_step(index, step)

    def _run_step(self, index: int, step: Step) -> None:
        if not step.kind.closed_form:
            self._continue(index, step, step.kind)
        elif isinstance(step.kind, Turn):
            turns = self._near_turn(step, step.kind)
            self._close(index, step, root=turns)
            if self.near is None:
                # Rounding may be the opposite direction: circles around the lane begin at the turn of the lane before.
                found = self.lanes.x[0, self.plan.rows(step.outputs[0]).start]
                np.copyto(found, turns, where=np.abs(found - turns) > ROUNDED_TURN)
        else:
            self._close(index, step)

    def _drive_all(self, drivers: Mapping[str, Floats]) -> None:
        for item in self.plan.drivers:
            self._drive(item, drivers[item.driver])

    def _drive(self, item: DriverRegister, z: Floats) -> None:
        x, rows = self.lanes.x, self.plan.rows(item.register)
        finite = np.isfinite(z[0])
        if not finite.all():
            self._mark(~finite, Status.NO_INPUT, item.group)
        if not item.angular:
            x[:, rows] = z[:, None]
            return
        # Written in place: ten compiled dyads cost no more than this.
        c, s = x[0, rows]
        angle = z[0] if item.sign == 1 else item.sign * z[0]
        np.cos(angle, out=c)
        np.sin(angle, out=s)
        if len(z) > 1:
            rate, second = (z[1], z[2]) if item.sign == 1 else (item.sign * z[1], item.sign * z[2])
            (dc, ds), (ddc, dds) = x[1, rows], x[2, rows]
            np.negative(np.multiply(s, rate, out=dc), out=dc)
            np.multiply(c, rate, out=ds)
            np.multiply(s, second, out=ddc)
            np.negative(np.add(ddc, ds * rate, out=ddc), out=ddc)
            np.multiply(c, second, out=dds)
            np.add(dds, dc * rate, out=dds)

    def _near_turn(self, step: Step, form: Turn) -> Floats:
        """Return approximate turns: counted along the lanes, or near given ones."""
        if self.near is not None:
            return np.asarray(self.near[self.plan.rows(step.outputs[0]).start])
        (U,) = self.inputs(step, 0)
        vague = self.lanes.status == Status.SINGULAR
        if vague.any():
            # A direction may be rounding there: turns are counted from the lane before to the one behind.
            before = U[:, np.maximum.accumulate(np.where(vague, 0, np.arange(len(vague))))]
            U = np.where(vague & np.isfinite(before), before, U)
        turns, unclear = form.follow(U)
        turns, behind = over_gaps(turns, paths_of(self.plan, step, self.lanes.x[0]))
        self._mark(unclear, Status.NOT_CONVERGED, step.group)
        self._mark(behind, Status.OUT_OF_REACH, step.group)
        return np.where(unclear | behind, np.nan, turns)

    def _close(self, index: int, step: Step, root: Any = None) -> None:
        form = step.kind
        assert form.closed_form
        h = self.inputs(step, 0)
        discriminant = form.discriminant(h)
        lost = no_rates = None
        if discriminant is not None:
            discriminant = np.broadcast_to(discriminant, self.lanes.status.shape)
            if form.modes == 1:
                discriminant = discriminant * step.mode
            self.lanes.least[index] = np.fmin.reduce(discriminant, initial=self.lanes.least[index])
            if self.lanes.steepest is not None:
                self.lanes.steepest[index] = _steepness(discriminant[:-1], discriminant[1:])
            mode = self.modes(index)
            mode = mode[self.part] if np.ndim(mode) else mode
            if (discriminant > LIMIT).all():
                root = mode * np.sqrt(discriminant)
            else:
                singular = (discriminant <= LIMIT) & (discriminant >= -LIMIT)
                root = mode * np.sqrt(np.where(singular, np.maximum(discriminant, 0.0), discriminant))
                lost = discriminant < -LIMIT
                no_rates = singular | lost
                self._mark(singular, Status.SINGULAR, step.group)
                self._mark(lost, Status.OUT_OF_REACH, step.group)
        phi = form.position(h, root)
        self._store(step, 0, phi, lost)
        if len(self.lanes.x) == 1:
            return
        dh = self.inputs(step, 1)
        dphi = form.linear(h, phi, dh, (0.0,) * 4)
        ddphi = form.linear(h, phi, self.inputs(step, 2), form.convective(h, phi, dh, dphi, dh, dphi))
        self._store(step, 1, dphi, no_rates)
        self._store(step, 2, ddphi, no_rates)

    def _continue(self, index: int, step: Step, form: General) -> None:
        n = len(self.lanes.status)
        grant(n)
        if self.near is not None:
            self._store(step, 0, self._close_near(step, form, self.inputs(step, 0), self.near))
            return
        places = step.start[: 2 * form.rows.links]
        origins = np.array(places[0::2])
        start = np.stack((origins.real, origins.imag), axis=1)[:, :, None]
        solver = group_solver_of(form, step.known, compiled=self._compiles(step, form, n))
        x = self.lanes.x
        turned = paths_of(self.plan, step, x[0], angles=True) if self.plan.counts else []
        moving = [self.plan.rows(item.index) for item in step.inputs if isinstance(item, Register)]
        # The slots of a step follow each other.
        rows = slice(self.plan.rows(step.outputs[0]).start, self.plan.rows(step.outputs[-1]).stop)
        inputs = [row for part in moving for row in x[0, part]]
        begin = start, np.angle(np.array(places[1::2]))[:, None]
        solver = solver if _divides(solver, inputs, *begin) else Direct(form, step.known)
        numbers = np.array([row for part in moving for row in range(part.start, part.stop)], np.int64)
        turnings = np.zeros(0)
        if self.course:
            turnings = np.union1d(self.course.turnings(index), self.course.towards_gaps(index))
        stations, out = np.arange(float(n)), x[0, rows]
        if self.course and len(turnings):
            # What lies between two lanes, where the inputs turn back, begin or end, is followed as well.
            at = np.ceil(turnings).astype(np.intp)
            between = self.course.lanes(turnings, index).x[0][numbers]
            inputs = [np.insert(row, at, more) for row, more in zip(inputs, between, strict=True)]
            turned = [np.insert(row, at, np.interp(turnings, stations, row)) for row in turned]
            stations, out = np.insert(stations, at, turnings), np.empty((len(out), n + len(at)))
        way = partial(self._way, index, numbers, 1 / weights_of(solver), stations) if self.course else None
        status, least = track(solver, inputs, *begin, out, self.progress, turned, way)
        self.lanes.least[index] = min(self.lanes.least[index], least**2)
        if len(turnings):
            status = self._own(stations, status, out, x[0, rows])
        if status.any():
            for outcome in (Status.SINGULAR, Status.OUT_OF_REACH, Status.NOT_CONVERGED, Status.UNCERTIFIED):
                self._mark(status == outcome, outcome, step.group)
        for low in range(0, n, solver.block):
            solver.write_rates(x, numbers, rows.start, low, min(low + solver.block, n))
        if status.any():
            x[1:, rows, status != Status.OK] = np.nan

    def _way(self, index: int, rows: Ints, units: Floats, stations: Floats, low: float, high: float) -> Any:
        """Return the inputs of a step between two places among some stations, whose numbers need not be whole."""
        assert self.course
        ends = np.interp([low, high], np.arange(len(stations)), stations)
        return self.course.inputs(index, rows, units, *ends.tolist())

    def _own(self, stations: Floats, status: NDArray[np.int8], found: Floats, out: Floats) -> NDArray[np.int8]:
        """Store the poses found at stations that are lanes in `out` (rows, n), and return their statuses (n,)."""
        own = np.flatnonzero(stations == np.floor(stations))
        out[:] = found[:, own]
        kept = status[own]
        for outcome, at, _ in behind_gaps(status, own):
            kept[at], out[:, at] = outcome, np.nan
        return kept

    def _compiles(self, step: Step, form: General, n: int) -> bool:
        kernel = group_kernel(form.rows, step.known)
        return kernel is not None and compiles_group(self.plan, kernel, n)

    def _close_near(self, step: Step, form: General, h: tuple[Any, ...], near: Floats) -> tuple[Floats, ...]:
        """Close a general group by Newton's method from slots near its solution."""
        O, theta = unpacked(form, [near[self.plan.rows(slot)] for slot in step.outputs])
        O, theta, change = form.newton(h, O, theta)
        return form.unknowns(O, np.where(change < CLOSED, theta, np.nan))

    def inputs(self, step: Step, order: int) -> tuple[Any, ...]:
        """Return the inputs of a step, or their derivative of this order."""
        return self.plan.inputs(step, self.lanes.x[order], constant=order == 0)

    def _store(self, step: Step, order: int, values: tuple[Any, ...], blank: Flags | None = None) -> None:
        for slot, value in zip(step.outputs, values, strict=True):
            rows = self.plan.rows(slot)
            self.lanes.x[order, rows] = value
            if blank is not None:
                self.lanes.x[order, rows, blank] = np.nan

    def _mark(self, where: Flags, status: Status, group: int) -> None:
        mark(self.lanes.status, self.lanes.group, where, status, group)


def _divides(solver: GroupSolver, inputs: Sequence[Floats], O: Floats, theta: Floats) -> bool:
    """Return whether a solver can eliminate in the pose of the sketch.

    Kernels eliminate in one order for all poses; with guides drawn in line they divide by zero.
    """
    h = np.empty((0, 1))
    if inputs:
        known = np.flatnonzero(np.logical_and.reduce([np.isfinite(row) for row in inputs]))[:1]
        h = np.array([row[known] for row in inputs])
    s = Direct(solver.form, solver.known).join(O, theta)
    return not h.shape[1] or bool(np.isfinite(solver.newton(h, s[:, : h.shape[1]], 1)[2]).all())


# --- turns of links after a gap in a motion -----------------------------------------------------------------

# Where a dyad cannot close, the motion has ended. After such a gap a closed form knows its pose again, but not the
# whole turns of its links, because no motion leads there; a wheel that it drives could stand at any tooth. If the
# drivers return to a place before the gap, the turns there are known.


#: Drivers have returned to a place if they are within this many of their largest steps of it.
STEPS = 2


def over_gaps(turns: Floats, values: Sequence[Floats]) -> tuple[Floats, Flags]:
    """Return turns (n,) along lanes, and which of them are unknown because they lie after a gap.

    `values` are the drivers' values (n,) along the lanes. Across a gap in these, the turns are taken the shorter way if
    each driver has moved by less than half a turn.

    >>> z = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1])
    >>> turns, behind = over_gaps(np.array([0.0, 1.0, np.nan, np.nan, 2.0, 2.5, 2.0, np.nan, np.nan, 7.28]), [z])
    >>> np.flatnonzero(behind).tolist(), round(float(turns[-1]), 2)
    ([4, 5, 6], 1.0)
    """
    found, behind = np.array(turns), np.zeros(len(turns), bool)
    good = np.flatnonzero(np.isfinite(turns))
    cuts = np.flatnonzero(np.diff(good) > 1) + 1
    if not len(cuts):
        return found, behind
    z = np.stack(values, axis=1) if values else np.zeros((len(turns), 1))
    step = STEPS * np.nanmax(np.abs(np.diff(z, axis=0)), axis=0, initial=0.0)
    places = z / np.where(step > 0, step, 1.0)
    for run in np.split(good, cuts)[1:]:
        known = good[(good < run[0]) & ~behind[good]]
        if np.isnan(z[known[-1] : run[0]]).any() and np.all(np.abs(z[run[0]] - z[known[-1]]) < np.pi):
            continue
        back = _nearest(places[known], places[run])
        if back is None:
            behind[run] = True
        else:
            old, new = known[back[0]], run[back[1]]
            found[run] += 2 * np.pi * np.round((found[old] - found[new]) / (2 * np.pi))
    return found, behind


def paths_of(plan: Plan, step: Step, x: Floats, *, angles: bool = False) -> list[Floats]:
    """Return the values (n,) of the drivers that move a step, or only those of angles, from solved slots x (r, n).

    Angles are counted along the lanes, which lie close together.
    """
    movers = frozenset[str]().union(*(plan.movers[item.index] for item in step.inputs if isinstance(item, Register)))
    found: dict[str, Floats] = {}
    for item in plan.drivers:
        rows = x[plan.rows(item.register)]
        if item.driver in movers and item.angular:
            angle, good = np.arctan2(rows[1], rows[0]), np.isfinite(rows[0])
            angle[good] = np.unwrap(angle[good])
            found[item.driver] = angle
        elif item.driver in movers and not angles:
            found.setdefault(item.driver, rows[0])
    return list(found.values())


def _nearest(old: Floats, new: Floats) -> tuple[int, int] | None:
    """Return the places (n, k) of two sets that are nearest to each other; None if they are further apart than one."""
    from scipy.spatial import cKDTree

    distance, index = (np.asarray(x) for x in cKDTree(old).query(new, distance_upper_bound=1.0))
    k = int(np.argmin(distance))
    return (int(index[k]), k) if np.isfinite(distance[k]) else None
