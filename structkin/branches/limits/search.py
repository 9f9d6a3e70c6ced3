"""How far a driver moves: from the sketch to the first limit on either side, and all its intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from structkin.branches.limits.counting import count_turns, turns_of, turns_of_ratios
from structkin.branches.limits.follow import Fold, change_at, follow
from structkin.branches.limits.next_stop import modes_of, next_stop
from structkin.branches.limits.plan_equations import System
from structkin.branches.limits.poses import Modes, Poses
from structkin.branches.limits.reach import End
from structkin.branches.limits.result import Interval, Limit, Limits, driver_words
from structkin.branches.limits.words import NO_LENGTH, why
from structkin.budget import HINT, metered, new_meter
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.model.arguments import is_number
from structkin.model.mechanism import Mechanism
from structkin.model.near import near
from structkin.model.topology import suggest
from structkin.numerical_tolerances import NEVER_FLAT, WHOLE
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.rows.periodic import TURN
from structkin.solve.motion import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.solve.strokes import Stroke, ends_passed
from structkin.track.arclength import Point, crossing_between
from structkin.types import Floats

#: How far [rad] a driver of wheels is followed in each direction where poses do not repeat and no range is given.
GEARED = 8 * math.pi
#: Most turns for which poses with a general group are followed where the ratios of wheels let them repeat.
MOST = 60
#: The reasons given where a range ends a motion, and where this does.
END_OF_RANGE = "the end of the range"
SOUGHT = "no limit, the search ended far beyond the mechanism's size: give a range to search further"
FOLLOWED = "the search ended after {} turns, as wheels may not be back by then: give a range to search further"


def limits(
    mechanism: Mechanism,
    driver: str | None,
    *,
    drivers: Mapping[str, float] | None,
    range: tuple[float, float] | None,
    budget: float | None,
    progress: Callable[[float], None] | None,
) -> Limits:
    """Find how far a driver moves from the sketch and what ends its motion; see `Mechanism.limits`."""
    moved = near(mechanism)
    swept = Swept(moved, driver, drivers, range, problems_of(new_meter, budget))
    with metered(budget, swept.unfinished, mechanism.title, progress):
        return replace(_find(moved, swept), mechanism=mechanism)


def _find(mechanism: Mechanism, swept: Swept) -> Limits:
    motion = solve_groups(mechanism, drivers={id: np.array([value]) for id, value in swept.held.items()})
    if not motion.ok[0] and motion.status[0] != Status.SINGULAR:
        group = motion.group_name(int(motion.failed_group[0]))
        beyond = ends_passed(motion.strokes, motion.beyond, slice(0, 1))
        failure = beyond or f"out of reach at {group}"
        return Limits(mechanism, swept.driver, swept.start, None, None, (), (), swept.no_start(failure), swept.given)
    found = _followed(motion, swept) if motion.plan.followed else _from_closed_forms(motion, swept)
    return Limits(mechanism, swept.driver, swept.start, *found, swept.given)


_Found = tuple[Limit | None, Limit | None, tuple[Limit, ...], tuple[Interval, ...], str]


def _from_closed_forms(motion: Motion, swept: Swept) -> _Found:
    """Return ends, change points and intervals of a mechanism of closed forms."""
    plan, rows = motion.plan, motion.lanes.x[0, :, 0]
    modes = modes_of(plan, rows)
    whole = None if swept.goes_round else swept.whole
    wheels = GEARED if swept.has_wheels else None
    counted = count_turns(plan, swept.path, (rows, modes), swept.start, whole, wheels, _strokes(motion, swept))
    if counted is None:
        return None, None, (), (), swept.no_start("it lies at a limit")
    reach, scale = counted.reach, counted.scale

    def described(end: End | None, poses: Poses = reach.poses, modes: Modes = modes) -> Limit | None:
        return None if end is None else swept.limit(end_words(poses, end, modes), scale)

    down, up = (next_stop(reach, modes, swept.start / scale, direction) for direction in (-1, 1))
    feasible = () if plan.counts else reach.feasible(modes)
    intervals = tuple(Interval(described(item.low), described(item.high), scale) for item in feasible)
    if whole is None:
        intervals = tuple(item.nearest(swept.start) for item in intervals)
    if down is None or up is None:
        return None, None, (), intervals, swept.no_start("it lies at a limit")
    lower, upper = described(down.end, modes=down.modes), described(up.end, modes=up.modes)
    # A full turn passes everything going up.
    passed = (*up.passed, *(down.passed if down.end is not None else ()))
    points = [described(end) for end in passed]
    low, high = swept.start, swept.start + up.period * scale
    if lower is not None and upper is not None:
        low, high = lower.value, upper.value
    for item in counted.passed:
        point = described(item.end, item.poses, item.modes)
        assert point is not None
        points += [replace(point, value=z) for z in _again(item.end.p * item.poses.known.scale, item.period, low, high)]
    intervals = intervals or (Interval(lower, upper, scale),)
    return lower, upper, tuple(sorted((x for x in points if x), key=lambda point: point.value)), intervals, ""


def _strokes(motion: Motion, swept: Swept) -> tuple[Stroke, ...]:
    """Return the strokes that can end the motion: a driver that is held does not leave its own, even at its end."""
    return tuple(one for one in motion.strokes if one.joint is not None or one.id == swept.driver)


def _again(z: float, period: float | None, low: float, high: float) -> list[float]:
    """Return all repetitions of a place z between two others."""
    if period is None:
        return [z] if low < z < high else []
    first, last = math.ceil((low - z) / period - WHOLE), math.ceil((high - z) / period - WHOLE)
    return [z + period * k for k in range(first, last)]


def _followed(motion: Motion, swept: Swept) -> _Found:
    """Return ends and interval of a mechanism with a general group, followed from the pose of the sketch."""
    rows = motion.lanes.x[0, :, 0]
    system = System(motion.plan, swept.path, motion.size, rows, swept.is_angle, _strokes(motion, swept))
    swept.in_sizes(motion.size)
    y = system.pack(rows, swept.start / swept.unit)
    whole, wheels = swept.whole, swept.has_wheels and swept.goes_round
    if wheels:
        turns = min(turns_of_ratios(swept.mechanism), MOST) or round(GEARED / TURN)
        whole = swept.start - TURN * turns, swept.start + TURN * turns
    upward: list[tuple[Point, Point]] = []
    downward: list[tuple[Point, Point]] = []
    back = follow(system, y, 1, whole, wheels=wheels, crossed=upward)
    if back is not None and back.turns:
        return None, None, _crossed(system, upward), (Interval(None, None, back.turns),), ""
    lower = follow_to(system, y, -1, whole, downward)
    lower = lower and swept.limit(lower, swept.unit)
    upper = None if back is None else swept.limit(fold_words(system, back), swept.unit)
    # A full turn passes everything going up.
    points = _crossed(system, [*upward, *(downward if lower else ())])
    points = tuple(swept.limit(point, swept.unit) for point in points)
    return lower, upper, points, (Interval(lower, upper),), ""


def _crossed(system: System, steps: list[tuple[Point, Point]]) -> tuple[Limit, ...]:
    """Return the change points in some steps."""
    folds = [change_at(system, crossing_between(system, here, there)) for here, there in steps]
    points = (replace(fold_words(system, fold), change_point=True) for fold in folds)
    return tuple(sorted(points, key=lambda point: point.value))


def follow_to(
    system: System,
    y: Floats,
    direction: int,
    whole: tuple[float, float] | None,
    crossed: list[tuple[Point, Point]] | None = None,
) -> Limit | None:
    """Return where the curve of a pose ends, in words; add the steps in which another curve crosses."""
    fold = follow(system, y, direction, whole, crossed=crossed)
    return None if fold is None else fold_words(system, fold)


def fold_words(system: System, fold: Fold) -> Limit:
    """Return the end of a curve with its group, in words."""
    if fold.lost:
        words = "the motion cannot be followed further: several groups are singular at once"
        return Limit(fold.p, "lost", None, words)
    slots = system.rows(fold.y[:, None])
    if fold.stroke is not None:
        words = system.stroke_words(fold.stroke, fold.y)
        return Limit(fold.p, "stroke", fold.stroke.group, words, joint=fold.stroke.id, pose=slots[:, 0])
    if fold.step is None:
        return Limit(fold.p, "range", None, END_OF_RANGE)
    step = system.plan.steps[fold.step]
    kind, words = why(system.plan, fold.step, system.plan.inputs(step, slots))
    if fold.far:
        return Limit(fold.p, kind, step.group, f"{words}, at infinity")
    return Limit(fold.p, kind, step.group, words, pose=slots[:, 0])


class Swept:
    """One driver that moves while the others are held; `InputError` lists every problem."""

    def __init__(
        self,
        mechanism: Mechanism,
        driver: str | None,
        drivers: Mapping[str, float] | None,
        range: tuple[float, float] | None,
        others: Sequence[Problem] = (),
    ) -> None:
        """Check the call, which may have `others`."""
        self.mechanism, problems = mechanism, list[Problem]()
        drives = mechanism.drivers
        if driver is None and len(drives) == 1:
            driver = next(iter(drives))
        elif driver is None:
            problems.append(
                Problem("driver", f"the mechanism has {len(drives)} drivers", f"one of {', '.join(drives)}")
                if drives
                else Problem("driver", "the mechanism has no driver, so there is nothing to follow", "add one")
            )
        elif driver not in drives:
            problems.append(Problem("driver", f"'{driver}' is not a driver of this mechanism", suggest(driver, drives)))
        held = {id: drive.start for id, drive in drives.items()}
        for id, value in (drivers or {}).items():
            if id not in drives:
                problems.append(Problem(f"drivers.{id}", "is not a driver of this mechanism", suggest(id, drives)))
            elif not is_number(value):
                problems.append(Problem(f"drivers.{id}", f"{value!r} is not a finite number", "one value [rad or m]"))
            else:
                held[id] = float(value)
        if range is not None and not _is_range(range):
            problems.append(Problem("range", f"{range!r} is not a range", "two numbers, the lower one first"))
        raise_problems([*problems, *others], mechanism.title)
        assert driver is not None
        self.driver, self.held, self.start = driver, held, held[driver]
        self.given = {id: held[id] for id in drivers or {}}
        #: The parameter of the path is the driver's coordinate divided by this.
        self.turns = 1
        #: And by this: a size [m], where the steps of a curve compare a length with poses of size one.
        self.unit = 1.0
        self.whole, self._is_given = self._whole(range), range is not None
        if self.whole is not None and not self.whole[0] <= self.start <= self.whole[1]:
            raise InputError(
                [
                    Problem(
                        "range", f"the motion starts outside it, at {self.start:g}", "set the start by drivers={...}"
                    )
                ],
                mechanism.title,
            )

    def _whole(self, range: tuple[float, float] | None) -> tuple[float, float] | None:
        drive = self.mechanism.drivers[self.driver]
        if range is not None:
            return float(range[0]), float(range[1])
        if drive.kind == "angle":
            # Poses need not repeat after a turn of the driver where wheels turn at other speeds.
            return (self.start - GEARED, self.start + GEARED) if self.has_wheels else None
        # Longer than all bars together: no loop of bars can close.
        spans = [
            abs(a - b)
            for link in self.mechanism.links.values()
            for a in link.local.values()
            for b in link.local.values()
        ]
        far = 2 * (sum(spans) + max(map(abs, self.mechanism.places.values()), default=1.0)) or 1.0
        return (0.0 if drive.kind == "distance" else self.start - far), self.start + far

    @property
    def has_wheels(self) -> bool:
        """Whether whole turns of a driver matter."""
        return any(joint.counts_turns for joint in self.mechanism.joints.values())

    @property
    def goes_round(self) -> bool:
        """Whether this is an angle without a given range, which turns until all poses repeat."""
        return self.is_angle and not self._is_given

    @property
    def is_angle(self) -> bool:
        """Whether the driver's coordinate is an angle."""
        return self.mechanism.drivers[self.driver].kind == "angle"

    def unfinished(self) -> Problem:
        """Return the problem to report where the search exceeds its budget."""
        hint = f"give a {'shorter ' * self._is_given}range"
        return Problem(f"drivers.{self.driver}", "following it to its limits takes more steps than the budget allows",
                       f"{hint}; {HINT}")  # fmt: skip

    def no_start(self, reason: str) -> str:
        """Return that there is no motion, naming the given values at which it would start."""
        given = [
            f"{id} = {driver_words(self.mechanism, id, value)}"
            for id, value in self.held.items()
            if value != self.mechanism.drivers[id].start
        ]
        start = f"cannot start at {', '.join(given)}" if given else "the sketch pose cannot be reached"
        return f"{start}: {reason}"

    def fit(self, plan: Plan) -> None:
        """Find after how many turns of the driver wheels repeat, and follow these instead of a range."""
        if self.has_wheels and self.goes_round:
            turns = turns_of(Poses(plan, self.path), self.start)
            if turns is not None:
                self.turns, self.whole = turns, None

    def in_sizes(self, size: float) -> None:
        """Measure the path of a length in sizes [m] of the mechanism, as the poses of its curve are."""
        if self.whole is not None and not self.is_angle:
            self.unit = size
            self.whole = self.whole[0] / size, self.whole[1] / size

    def limit(self, limit: Limit, turns: float) -> Limit:
        """Return a limit at a value of the driver, from one at a path parameter that is `turns` times smaller."""
        value = limit.value * turns
        if limit.kind != "range" or self._is_given:
            return replace(limit, value=value)
        if self.is_angle:
            return replace(limit, value=value, why=FOLLOWED.format(round(abs(value - self.start) / TURN)))
        if self.mechanism.drivers[self.driver].kind == "distance" and value <= 0:
            return replace(limit, value=value, kind="no length", why=NO_LENGTH.format(self.driver))
        return replace(limit, value=value, why=SOUGHT)

    def path(self, p: Any) -> dict[str, Any]:
        """Return the drivers' values (n,) where the parameter is p (n,)."""
        still = 0 * np.asarray(p)
        own = p * (self.turns * self.unit)
        return {id: own if id == self.driver else value + still for id, value in self.held.items()}


def _is_range(value: Any) -> bool:
    try:
        low, high = value
    except (TypeError, ValueError):
        return False
    return is_number(low) and is_number(high) and low < high


def end_words(poses: Poses, end: End, modes: Modes) -> Limit:
    """Return the end of an interval with its group, in words."""
    if end.kind == "range":
        return Limit(end.p, "range", None, END_OF_RANGE)
    index, pose = min(end.steps), _pose(poses, end, modes)
    if (stroke := poses.stroke(index)) is not None:
        words = poses.stroke_words(stroke, np.array([end.p]), modes, end.steps)
        return Limit(end.p, "stroke", stroke.group, words, joint=stroke.id, pose=pose)
    kind, words = why(poses.plan, index, poses.inputs(index, np.array([end.p]), modes, end.steps))
    closing = (k for k in end.steps if poses.stroke(k) is None)
    others = sorted({poses.plan.steps[k].group for k in closing} - {poses.plan.steps[index].group})
    if others:
        words += f" (and group{'s' if len(others) > 1 else ''} {', '.join(str(k + 1) for k in others)} likewise)"
    if end.kind == "doubt":
        kind, words = "uncertified", f"branch not certified: {words}, within {NEVER_FLAT:g} of the size"
    return Limit(end.p, kind, poses.plan.steps[index].group, words, end.kind == "change", pose=pose)


def _pose(poses: Poses, end: End, modes: Modes) -> Floats:
    """Return the slots (r,) at the end of an interval, NaN where they depend on turns still to be counted."""
    rows = np.full(poses.plan.offsets[-1], np.nan)
    for slot, value in poses.slots(np.array([end.p]), modes, end.steps).items():
        rows[poses.plan.rows(slot)] = np.ravel(value)
    return rows
