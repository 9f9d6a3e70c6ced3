"""Driving a mechanism by its points: the pointer is projected onto the motion, and the branch is kept.

The unknowns are the drivers' values z; K = dP/dz of the dragged point leads to the pointer by damped least squares, so
that with several drivers the change is the smallest one; to a pointer out of reach by its second derivatives as well,
as K tells them from step to step (symmetric rank-one updates). Each step is short and continued from the last pose by
the continuation of simulations, which passes change points smoothly and never takes another branch. Where drivers are
missing, free coordinates take their places.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.branches.four_bar import impossible_loops
from structkin.branches.limits.words import why
from structkin.dynamics.reduced.pose import NoPoseError, Pose
from structkin.dynamics.reduced.smooth_poses import Poses
from structkin.dynamics.slot_map import Counted, SlotMap
from structkin.dynamics.start import with_coordinates
from structkin.errors import InputError, Problem, StructkinError
from structkin.model import Mechanism
from structkin.model.laws import at_time
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.status import Status
from structkin.rows.affine import Affine
from structkin.solve import Motion
from structkin.solve.call import common_period, default_range
from structkin.solve.engine import Lanes
from structkin.solve.motion.turning import turnings
from structkin.solve.special_geometry import compile_plan
from structkin.solve.strokes import Stroke, strokes_of
from structkin.types import Floats

#: Longest step of a coordinate [rad or parts of the size], the least part of one that is tried before a limit is
#: taken to be reached, and the damping of least squares in parts of the largest singular value.
STEP, FINEST, DAMPING = 0.12, 2.0**-10, 1e-3
#: The root of a dyad, the sine between its links, below which motions do not end: it would be singular for others.
SINGULAR = 1e-3
#: A step that comes nearer by less than this fraction of what its slope predicts is too long.
FAIR = 0.3
#: A pointer is reached within this part of the size, and nothing nearer is where the way and K enclose this cosine.
REACHED, SQUARE = 1e-4, 2e-3
#: The path to a time is looked at in so many places; and laws without an end are shown for so long [s].
LOOKS, SHOWN = 65, 10.0
#: How far a free motion is shown [rad or parts of the size], and in how many poses.
WIGGLE, FRAMES = 0.25, 33


@dataclass(frozen=True)
class Progress:
    """How far a drag got: whether it is as near as possible, how many poses it took, and what stopped it."""

    done: bool
    poses: int
    stopped: str = ""


class Driving:
    """A mechanism in one pose that moves as its points are dragged.

    Raises `InputError` if it cannot be driven: too many drivers, a part that is attached to nothing, a singular sketch.

    >>> m = Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]},
    ...               drivers={"motor": {"joint": "A"}})
    >>> arm = Driving(m)
    >>> arm.drag("arm", 1 + 0j, 2j), round(arm.values["motor"], 2)
    (Progress(done=True, poses=..., stopped=''), 1.57)
    """

    def __init__(self, mechanism: Mechanism, own: tuple[str, ...] | None = None) -> None:
        """Begin in the sketch; only the drivers `own` belong to the file, if they are given."""
        self.own = tuple(mechanism.drivers) if own is None else own
        self.mechanism = m = with_coordinates(mechanism)
        self.plan = plan = compile_plan(m)
        self.order = tuple(m.drivers)
        self.size = m.size
        self._units = np.array([drive.unit(self.size) for drive in m.drivers.values()])
        moving = [link for link in m.links if link != m.topology.ground]
        self.links = tuple(moving)
        self._origins = SlotMap(plan.offsets, [plan.frames[link].origin for link in moving])
        self._directions = SlotMap(plan.offsets, [plan.frames[link].direction for link in moving])
        self._strokes = strokes_of(m.joints, m.drivers, plan, m.units)
        turning = turnings(m, plan.turns)
        counted = [link for link in moving if turning[link].counted == link]
        sketch = np.array([np.angle(m.links[link].direction) for link in counted])
        turns = Counted(plan, [plan.frames[link].direction for link in counted], sketch)
        self._poses = Poses(plan, self.order, self._units, turns)
        self._blocked: _Blocked | None = None
        #: The frames of the poses on the way to this one, since somebody has emptied the list.
        self.way: list[dict[str, tuple[float, float, float]]] = []
        self._laws = [(k, law) for k, id in enumerate(self.order) if (law := m.drivers[id].law) is not None]
        #: The time [s] at which the laws of the drivers gave the last pose that was theirs.
        self._time = self.clock[0] if self.clock is not None else 0.0
        self._begin(np.zeros(len(counted)))

    def _begin(self, turns: Floats) -> None:
        z = np.array([drive.start for drive in self.mechanism.drivers.values()])
        motion = self.mechanism.solve(drivers={id: [value] for id, value in zip(self.order, z.tolist(), strict=True)})
        if not motion.regular[0]:
            raise self._unsolved(Status(int(motion.status[0])), int(motion.failed_group[0]))
        self._poses.start(motion.lanes.x[0, :, 0], z, turns)
        try:
            self._poses.reach(0.0, z)
        except NoPoseError as error:
            raise self._unsolved(error.status, error.group) from None

    def _unsolved(self, status: Status, group: int) -> InputError:
        groups = self.plan.structure.groups
        where = f" at {groups[group].label}" if 0 <= group < len(groups) else ""
        what = {Status.SINGULAR: "is singular", Status.OUT_OF_REACH: "does not close"}.get(status, "is not found")
        problem = Problem("points", f"the pose of the sketch {what}{where}", "move its points, or mend the lengths")
        impossible = [Problem("", loop) for loop in impossible_loops(self.mechanism)]
        return InputError([problem, *impossible], self.mechanism.title or "mechanism")

    # --- the pose -------------------------------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        """The pose: drivers' values, slots and K."""
        assert self._poses.last is not None
        return self._poses.last

    @property
    def values(self) -> dict[str, float]:
        """The values of all drivers and free coordinates [rad or m]."""
        return dict(zip(self.order, self.pose.q.tolist(), strict=True))

    @property
    def motion(self) -> Motion:
        """The pose at rest, as a motion of one sample."""
        still = np.zeros(len(self.order))
        return self._sample(np.zeros(len(self.pose.x)), np.zeros(len(self.pose.x)), still, still)

    @property
    def moving(self) -> Motion | None:
        """The pose with the rates of the drivers' laws, as a motion of one sample; None where these are not known."""
        rates = self._rates
        if rates is None:
            return None
        try:
            pose, convective = self._poses.aside().at(0.0, self.pose.q, rates[0])
        except NoPoseError:
            return None
        return self._sample(rates[0] @ pose.K, rates[1] @ pose.K + convective, *rates)

    @property
    def _rates(self) -> tuple[Floats, Floats] | None:
        """The first and second rates (f,) of all drivers: of their laws at the time of this pose, or if constant."""
        if not self._laws or len(self._laws) < len(self.order):
            return None
        t, speeds = self.time, [law.speed for _, law in self._laws]
        if t is not None:
            found = np.array([law(np.array([t])) for _, law in self._laws])[:, :, 0]
            return (found[:, 1], found[:, 2]) if np.isfinite(found).all() else None
        return None if None in speeds else (np.array(speeds, dtype=float), np.zeros(len(speeds)))

    def _sample(self, v: Floats, a: Floats, dq: Floats, ddq: Floats) -> Motion:
        """Return the pose with these rates of its slots (rows,) and drivers (f,) as a motion of one sample."""
        x = np.stack((self.pose.x, v, a))[:, :, None]
        lanes = Lanes.solved(x)
        q = np.stack((self.pose.q, dq, ddq))
        drivers = {id: q[:, k : k + 1] for k, id in enumerate(self.order)}
        t = self.time
        if t is not None and self.clock is not None and self.clock[2]:
            # as the page shows it: loads may end with a turn
            t = self.clock[0] + (t - self.clock[0]) % (self.clock[1] - self.clock[0])
        return Motion(self.mechanism, self.plan, np.array([np.nan if t is None else t]), drivers, lanes)

    @cached_property
    def clock(self) -> tuple[float, float, bool] | None:
        """From when to when [s] the drivers' laws run, and whether they go on without an end; None without laws.

        Laws that tell no end are shown for `SHOWN`.
        """
        if not self._laws:
            return None
        m = self.mechanism
        endless = common_period(m) is not None
        if m.duration is not None:
            return 0.0, m.duration, endless
        try:
            return *default_range(m), endless
        except InputError:
            return 0.0, SHOWN, endless

    @property
    def time(self) -> float | None:
        """The time [s] at which the laws of the drivers give this pose, None if none is known.

        Of a pose that was dragged it is known if only one driver has a law, and its speed is constant.
        """
        if not self._laws:
            return None
        if not self._is_at(self._by_laws(self._time)):
            (k, law), *others = self._laws
            if others or not law.speed:
                return None
            self._time = float(self.pose.q[k] - law(np.zeros(1))[0][0]) / law.speed
        return self._time

    def paths(self) -> Motion | None:
        """Return the motion by the drivers' laws; None where drivers are missing, or none says how long."""
        if self.free:
            return None
        try:
            return self.mechanism.solve()
        except StructkinError:
            return None

    @property
    def free(self) -> tuple[str, ...]:
        """The free coordinates that take the places of missing drivers."""
        return tuple(id for id in self.order if id not in self.own)

    @property
    def frames(self) -> dict[str, tuple[float, float, float]]:
        """Origin [m] and angle [rad] of each moving link's frame."""
        return self._frames(self.pose.x)

    def _frames(self, x: Floats) -> dict[str, tuple[float, float, float]]:
        origins, directions = self._origins.value(x), self._directions.value(x)
        angles = np.arctan2(directions[:, 1], directions[:, 0])
        rows = np.column_stack((origins, angles)).tolist()
        return {link: (row[0], row[1], row[2]) for link, row in zip(self.links, rows, strict=True)}

    # --- moving it ------------------------------------------------------------------------------------------

    def drag(self, link: str, local: complex, target: complex, seconds: float = 1.0) -> Progress:
        """Bring a place [m] in a link's frame as near to a target [m] as its motion allows, within a time limit [s].

        Raises `InputError` if there is no such moving link.
        """
        if link not in self.links:
            raise InputError([Problem(link, "is not a moving link")], self.mechanism.title or "mechanism")
        place = SlotMap(self.plan.offsets, [self.plan.frames[link].point(local)])
        goal, until = np.array((target.real, target.imag)), time.perf_counter() + seconds
        held, limits, poses, stopped = np.zeros(len(self.order), bool), set[int](), 0, ""

        def here() -> tuple[Floats, Floats]:
            return goal - place.value(self.pose.x)[0], place.rate(self.pose.K.T)[0] * self._units

        (gap, K), bend = here(), np.zeros((len(self.order),) * 2)
        while time.perf_counter() < until:
            q, before, K_before, free = self.pose.q, gap, K, np.where(held, 0.0, 1.0)
            way, ends = self._way(K * free, gap, bend * np.outer(free, free), limits)
            if ends is not None or not held.any():
                stopped = "" if ends is None else self._end(ends).words
            if way is None or min(np.hypot(*gap) / REACHED, np.hypot(*(K @ way)) / SAME_SOLVED) <= self.size:
                return Progress(True, poses, stopped)
            aim = _Aim(lambda x: goal - place.value(x)[0], float(gap @ gap), 2.0 * float(gap @ K @ way))
            moved, stop = self._step(way * self._units, aim)
            poses += moved
            gap, K = here()
            nearer = bend * np.hypot(*gap) / np.hypot(*before)
            bend = _bend(nearer, (self.pose.q - q) / self._units, -gap @ (K - K_before))
            stopped = stop.words if stop is not None else stopped
            if stop is not None and stop.driver is not None:
                # one cylinder at its end does not stop the others
                held[stop.driver] = True
            elif stop is not None and stop.root is not None and stop.root not in limits:
                limits.add(stop.root)
            elif stop is not None or not moved:
                return Progress(True, poses, stopped)
        return Progress(False, poses, stopped)

    def _way(self, K: Floats, gap: Floats, bend: Floats, limits: set[int]) -> tuple[Floats | None, int | None]:
        """Return the scaled change (f,) towards a gap (2,), and the group along whose limit it leads, not beyond it.

        Limits are those of roots that have stopped the motion, or are nearly zero.
        """
        pose, way, group = self.pose, _least_change(K, gap, bend), None
        near = set(np.flatnonzero(np.abs(pose.roots) < 2 * SINGULAR).tolist()) if not pose.smooth else set()
        for k in sorted(limits | near):
            normal = self._poses.slopes[:, k] * self._units * np.sign(pose.roots[k])
            if way is not None and normal @ way < 0:
                along = np.eye(len(normal)) - np.outer(normal, normal) / (normal @ normal)
                K, bend = K @ along, along @ bend @ along
                way, group = _least_change(K, gap, bend), self.plan.steps[self._poses.steps[k]].group
        return way, group

    def turn(self, driver: str, value: float, seconds: float = 1.0) -> Progress:
        """Bring a driver to a value [rad or m], the others held."""
        if driver not in self.order:
            raise InputError([Problem(driver, "is not a driver")], self.mechanism.title or "mechanism")
        k, poses, until = self.order.index(driver), 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            rest = value - float(self.pose.q[k])
            if abs(rest) <= SAME_SOLVED * self._units[k]:
                return Progress(True, poses)
            way = np.zeros(len(self.order))
            way[k] = np.clip(rest, -STEP * self._units[k], STEP * self._units[k])
            moved, stop = self._step(way)
            poses += moved
            if stop is not None:
                return Progress(True, poses, stop.words)
        return Progress(False, poses)

    def seek(self, t: float, seconds: float = 1.0) -> Progress:
        """Move all drivers along their laws to a time [s]; from elsewhere they first go straight to where these are.

        Raises `InputError` where no driver has a law, or a law has no value at that time.
        """
        if not self._laws or not np.isfinite(self._by_laws(t)).all():
            raise InputError(
                [Problem("drivers", "no driver has a law that gives it a value then", "choose another time")], "studio"
            )
        poses, until = 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            now = self.time
            if now == t:
                return Progress(True, poses)
            next_time = self._time if now is None else self._next(t)
            way = self._by_laws(next_time) - self.pose.q
            longest = float(np.max(np.abs(way) / self._units))
            moved, stop = self._step(way * min(1.0, STEP / longest) if longest > STEP else way)
            poses += moved
            if stop is not None or not moved:
                return Progress(True, poses, "" if stop is None else stop.words)
            self._time = next_time
        return Progress(False, poses)

    def _next(self, t: float) -> float:
        """Return the time to which one step leads on the way to a time."""
        times = np.linspace(self._time, t, LOOKS)
        found = np.array([law(times)[0] / self._units[k] for k, law in self._laws])
        parts = np.ceil(np.max(np.sum(np.abs(np.diff(found)), axis=1)) / STEP)
        return self._time + (t - self._time) / parts if parts > 1 else t

    def _by_laws(self, t: float) -> Floats:
        """Return the values (f,) of the drivers at a time by their laws, of the others in this pose."""
        q = self.pose.q.copy()
        for k, law in self._laws:
            q[k] = at_time(law, t)[0]
        return q

    def _is_at(self, q: Floats) -> bool:
        return bool(np.max(np.abs(q - self.pose.q) / self._units) <= SAME_SOLVED)

    def wiggle(self, coordinate: str) -> Iterator[dict[str, tuple[float, float, float]]]:
        """Yield the frames of a small motion to either side along one coordinate; the pose is restored afterwards."""
        here, k = self._poses, self.order.index(coordinate)
        start = float(here.last.q[k]) if here.last is not None else 0.0
        try:
            for phase in np.linspace(0, 2 * np.pi, FRAMES):
                self._poses = self._poses.aside()
                self.turn(coordinate, start + WIGGLE * float(self._units[k] * np.sin(phase)))
                yield self.frames
        finally:
            self._poses = here

    def _step(self, way: Floats, aim: _Aim | None = None) -> tuple[int, _Stop | None]:
        """Take a step (f,), or a part of it; return the number of poses reached (0 or 1), and what stops the motion.

        With an `aim`, the step comes nearer to it by a fair part of what K predicts.
        """
        q, part, first = self.pose.q, 1.0, self._first(way)
        if self._blocked is not None and self._blocked.holds(q, way / self._units):
            return 0, self._blocked.stop
        self._blocked, ended = None, None
        while part >= FINEST * first:
            trial, stop = self._poses.aside(), None
            try:
                pose = trial.reach(0.0, q + part * way)
            except NoPoseError as error:
                # the continuation has halved its step up to where the motion ends
                stop, pose = self._end(error.group), trial.last or self.pose
            if stop is not None and np.array_equal(pose.q, q):
                if part > first:
                    part = first
                    continue
                ended = stop
                break
            if aim is not None and not pose.smooth and (near := self._singular(pose)) is not None:
                # There no other driver could move either.
                ended, part = stop or self._end(near), 0.5 * part
                continue
            beyond = self._beyond(pose, way)
            if beyond is None and (aim is None or aim.is_nearer(pose.x, part if stop is None else 0.0)):
                self._poses, stop = trial, stop or (ended if part < 2 * FINEST * first else None)
                if stop is not None:
                    self._blocked = _Blocked(pose.q, way / self._units, stop)
                self.way.append(self.frames)
                return 1, stop
            ended, part = beyond, 0.5 * part
        if ended is not None:
            self._blocked = _Blocked(q, way / self._units, ended)
        return 0, ended

    def _first(self, way: Floats) -> float:
        """Return the part of a step, at most 1, after which no root is more than twice as large, by their slopes.

        Away from a limit links move like a square root: a step that is as long as others leads nowhere from there.
        """
        roots = self.pose.roots
        changes = (self._poses.expected(way) - roots) * np.sign(roots)
        grows = changes > np.abs(roots)
        return float(np.min(np.abs(roots[grows]) / changes[grows], initial=1.0))

    def _beyond(self, pose: Pose, way: Floats) -> _Stop | None:
        """Return the stroke that a pose has exceeded and that the step would exceed further, if there is one."""
        for stroke in self._strokes:
            side, travel = self._side(stroke, pose)
            if side:
                before = self._side(stroke, self.pose)[1]
                if side * (travel - before) > 0:
                    alone = (k for k, one in enumerate(self.mechanism.drivers.values())
                             if stroke.id == (one.joint if one.kind == "slide" else one.id))  # fmt: skip
                    return _Stop(f"{stroke.id} at {stroke.words(side)}", next(alone, None))
        return None

    def _side(self, stroke: Stroke, pose: Pose) -> tuple[int, float]:
        x = pose.x[:, None]

        def value(expression: Affine) -> Any:
            return expression.components(lambda slot: x[self.plan.rows(slot)])

        drivers: Mapping[str, Any] = {id: pose.q[k : k + 1] for k, id in enumerate(self.order)}
        return int(stroke.side(value, drivers)[0]), float(np.ravel(stroke.travel(value, drivers))[0])

    def _singular(self, pose: Pose) -> int | None:
        """Return the group of a dyad that is nearly singular in a pose, and less so in this one."""
        near = np.abs(pose.roots) < np.minimum(SINGULAR, 0.99 * np.abs(self.pose.roots))
        return self.plan.steps[self._poses.steps[int(np.argmax(near))]].group if near.any() else None

    def _end(self, group: int) -> _Stop:
        """Return why the motion ends here: the group, and its position."""
        groups = self.plan.structure.groups
        if not 0 <= group < len(groups):
            return _Stop("the motion is singular here")
        label = groups[group].label
        for root, index in enumerate(self._poses.steps):
            step = self.plan.steps[index]
            if step.group == group:
                words = why(self.plan, index, self.plan.inputs(step, self.pose.x[:, None]))[1]
                return _Stop(f"{label}: {words}", root=root)
        return _Stop(f"{label} reaches no farther")


@dataclass(frozen=True)
class _Aim:
    """The target of a place: its gap (2,) as a function of slots, the square of the gap now, and its slope."""

    gap: Callable[[Floats], Floats]
    square: float
    slope: float

    def is_nearer(self, x: Floats, part: float) -> bool:
        """Return whether a part of a step has come nearer, by a fair part of what the slope predicts.

        Otherwise the point would overshoot the place of a curve that is nearest to a distant pointer, back and forth.
        """
        return float(np.sum(self.gap(x) ** 2)) < self.square - FAIR * part * self.slope


@dataclass(frozen=True)
class _Blocked:
    """A pose (f,) at which the motion has ended along a scaled step (f,), so that it is not tried again and again."""

    q: Floats
    way: Floats
    stop: _Stop

    def holds(self, q: Floats, way: Floats) -> bool:
        """Return whether another step leads to the same end."""
        alike = float(way @ self.way) > 0.9 * float(np.linalg.norm(way) * np.linalg.norm(self.way))
        return alike and np.array_equal(q, self.q)


@dataclass(frozen=True)
class _Stop:
    """What stops a motion: the index of the driver, if it alone is at the end of its stroke, or of a dyad's root."""

    words: str
    driver: int | None = None
    root: int | None = None


def _least_change(K: Floats, gap: Floats, bend: Floats) -> Floats | None:
    """Return the smallest change (f,) of scaled coordinates that closes a gap (2,); None if nothing leads nearer.

    K (2, f) are the velocity coefficients. Where a change is above `STEP`, it is damped until it is not: cut to that,
    one that hardly leads anywhere would swing back and forth. So would one to a distant place without `bend` (f, f):
    what the place's second derivatives contribute to those of half the gap's square.
    """
    slope = K.T @ gap
    reach = float(np.linalg.norm(K, 2))
    if reach == 0 or float(np.linalg.norm(slope)) <= SQUARE * reach * float(np.hypot(*gap)):
        return None
    curvature, axes = np.linalg.eigh(K.T @ K + bend)
    damping = (DAMPING * reach) ** 2 + max(0.0, -(1.0 + DAMPING) * float(curvature[0]))
    while True:
        way = np.asarray(axes @ (axes.T @ slope / (curvature + damping)))
        if np.max(np.abs(way)) <= STEP:
            return way
        damping *= 4.0


def _bend(bend: Floats, step: Floats, change: Floats) -> Floats:
    """Return a symmetric `bend` (f, f) mended by a matrix of rank 1 so that it turns a step (f,) into this change."""
    off = change - bend @ step
    along = float(off @ step)
    if abs(along) <= DAMPING * float(np.linalg.norm(off) * np.linalg.norm(step)):
        return bend
    return np.asarray(bend + np.outer(off, off) / along)
