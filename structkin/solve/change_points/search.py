"""Change points: where a dyad closes flat and opens again, and the smooth motion continues in the other assembly mode.

At a limit position the discriminant of a dyad (its squared sine) crosses zero; at a change point, such as the flat pose
of a parallelogram, it touches zero and returns. The signed root passes through zero there: a motion that keeps its
tangent changes its mode, and one that kept its mode would have a corner. So the mode is a quantity of each sample.

Every interval between two stations is decided, so that nothing depends on where the samples lie. Most are clear because
the dyad's inputs move less than its clearance. In the others the zeros are counted on a circle of complex poses around
the interval (see `contours`), on smaller circles around its halves where that one proves nothing, and so on. What is
left when an interval is as short as rounding is in doubt, and the samples behind it say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from structkin.budget import charge
from structkin.numerical_tolerances import (
    FLAT_WITHIN,
    LIMIT,
    NEAREST,
    NEVER_FLAT,
    ROUNDING_OF_FEW,
    ROUNDING_OF_ONE,
    SAME_POSE,
    SAME_SOLVED,
    SHORTEST_STEP,
)
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.change_points.between import BENT, PLACES, Paths, near_stations
from structkin.solve.change_points.contours import RADII, Contours, Zeros
from structkin.solve.change_points.kept import Kept
from structkin.solve.change_points.mode_changes import ChangePoint, ModeChanges, contours_at, straight_run
from structkin.solve.engine import Lanes, discriminant, positions, step_inputs
from structkin.solve.schedule import JUMP, Schedule
from structkin.types import Flags, Floats, Indices

#: The inputs of a dyad move at most this many times as far between two stations as these are apart.
DETOUR = 2.0
#: Stations further apart than the steps of continuation, which laws run through unevenly, belong to one path only where
#: a discriminant is below this.
SUSPECT = 0.1
#: Two steps of the drivers whose directions have at least this cosine are on one way, there or back.
STRAIGHT = 0.9
#: Second derivatives of inputs along the drivers' path are at most this many sizes of the mechanism.
CURVED = 10.0
#: Near a double zero the discriminant grows at least fourfold from one of even steps to the next: below this ratio
#: there is none.
STEEP = 2.25
#: Where a group is singular at two stations, it is so in between, unless they are closer than this [rad or parts of the
#: size].
NEXT = 1e-5
#: Before circles are drawn, an interval is divided into this many parts, of which most are clear.
PARTS = 6
#: Intervals that follow each other are examined as one up to this length [rad or parts of the size].
TOGETHER_UP_TO = 0.3
#: Radii of the circles around an interval, in halves of its length.
AROUND = (2.4, 1.2)
#: Two zeros this near to an interval, in halves of its length, and to being one, by clearance, are examined on smaller
#: circles, so often.
NEAR, ROUNDS = 1e-4, 8
#: Intervals that are examined at a time, and the work of each, in steps of the budget.
BLOCK, LOOK = 256, 0.05
#: The values of the inputs of a step.
Inputs = tuple[Any, ...]
#: A discriminant beyond this is far from zero, though an earlier group be flat and its pose imprecise.
FAR = 0.01
#: Part of an interval over which the drivers' path is taken to be straight around a change point.
BESIDE = 0.01
#: A corner of the drivers' path at a change point is cut off at this distance of the drivers from it.
CORNER = 0.01


def unclear(plan: Plan, schedule: Schedule, lanes: Lanes) -> set[int]:
    """Return the steps whose clearance leaves open whether their modes meet between stations."""
    if len(schedule) < 2:
        return set()
    rises = lanes.steepest if schedule.is_even else None
    if rises is not None and all(rises[k] < STEEP and not plan.steps[k].divisors for k in plan.with_root):
        return set()
    x = lanes.x[0] if len(schedule.turns) == len(schedule) else lanes.x[0][:, schedule.turns]
    paces, margins = _beside(schedule, schedule.turns)
    # Before the first interval there is none: the second one speaks for it.
    paces[0, 0], margins[0, 0] = paces[1, 0], margins[1, 0]
    clearances = ((roots, roots.clearance(plan, x, DETOUR, paces[0], margins[0])) for roots in plan.roots)
    flat = FLAT_WITHIN * plan.size
    return {int(step) for roots, clearance in clearances for step in roots.steps[~(clearance > flat)]}


def may_change(plan: Plan, schedule: Schedule, index: int, lanes: Lanes) -> bool:
    """Return whether clearance leaves open whether the modes of one step meet between stations."""
    return bool(_may_meet_between_turns(plan, schedule, index, lanes).any())


def _may_meet_between_turns(plan: Plan, schedule: Schedule, index: int, lanes: Lanes) -> Flags:
    """Return in which intervals between some stations (`Schedule.turns`) the modes of a step may meet."""
    first = np.arange(len(schedule.turns) - 1)
    x = lanes.x[0][:, schedule.turns]
    return may_meet(plan, index, x, first, first + 1, _beside(schedule, schedule.turns))


def explore(between: Kept, index: int, lanes: Lanes) -> bool:
    """Find the stations at which the discriminant of a step touches zero; return whether the motion passes any."""
    plan = between.plan
    # No driver moves it, or it is rigid with what they move.
    if not plan.part(index) or stays_apart(plan, index, lanes):
        return False
    search, found = _Search(between, index), False
    low, high = _intervals(plan, search.schedule, between.changes, index, lanes)
    if not len(low):
        return False
    stations = [search.settled(place) for place in search.places(low, high)]
    for station in stations:
        if not search.is_known(station) and search.is_passed(station) and search.is_paired(station, stations):
            between.changes.add(search.change_point(station))
            found = True
    return found


def _intervals(plan: Plan, schedule: Schedule, changes: ModeChanges, index: int, lanes: Lanes) -> tuple[Floats, Floats]:
    """Return the intervals (low, high) of stations that the clearance of a step does not decide."""
    values = discriminant(plan, index, lanes)
    vague = is_vague(plan, index, lanes)
    open_ = closes(plan, index, lanes, values) | vague
    open_ = open_[1:] & open_[:-1]
    for point in changes.points:
        if index in point.steps:
            # Found with an earlier step, and the only one there.
            open_[int(np.ceil(point.low)) : int(point.high)] = False
    k = np.flatnonzero(open_)
    length = sum(np.abs(z[0, k + 1] - z[0, k]) / schedule.unit(id) for id, z in schedule.drivers.items())
    k = k[((schedule.parts[k] <= JUMP) | (np.fmin(values[k], values[k + 1]) < SUSPECT))
          & (~(vague[k] & vague[k + 1]) | (length < NEXT))]  # fmt: skip
    if len(schedule.turns) < len(schedule):
        # Most stations lie in longer intervals that clearance decides as a whole.
        apart = _may_meet_between_turns(plan, schedule, index, lanes)
        k = k[vague[k] | vague[k + 1] | apart[np.searchsorted(schedule.turns, k, side="right") - 1]]
    if len(k):
        stations = np.arange(max(int(k[0]) - 1, 0), min(int(k[-1]) + 3, len(schedule)))
        paces, margins = (each[:, k - stations[0]] for each in _beside(schedule, stations))
        k = k[vague[k] | vague[k + 1] | may_meet(plan, index, lanes.x[0], k, k + 1, (paces, margins))]
    return k.astype(np.float64), k + 1.0


def stays_apart(plan: Plan, index: int, lanes: Lanes) -> bool:
    """Return whether the modes of a step never meet, as it is rigid with a link, and not flat."""
    return index in plan.rigid and not (discriminant(plan, index, lanes) <= FAR).any()


def closes(plan: Plan, index: int, lanes: Lanes, values: Floats) -> Flags:
    """Return in which lanes a step with discriminants `values` (n,) closes, or nearly does."""
    closes = values >= -LIMIT
    rest = np.flatnonzero(values < -LIMIT)
    if len(rest):
        h = step_inputs(plan, lanes.take(rest), plan.steps[index], 0)
        closes[rest] = plan.from_flat(plan.steps[index], h) > -NEVER_FLAT
    return closes


def is_vague(plan: Plan, index: int, lanes: Lanes) -> Flags:
    """Return in which lanes an earlier group than a step's is singular: directions may be undetermined there."""
    return np.asarray((lanes.status == Status.SINGULAR) & (lanes.group < plan.steps[index].group))


def may_meet(
    plan: Plan,
    index: int,
    x: Floats,
    low: Indices,
    high: Indices,
    beside: tuple[Floats, Floats] | None = None,
    stride: int = 1,
) -> Flags:
    """Return between which pairs of lanes (n,) of x (rows, lanes) the modes of a step may meet, by its clearance.

    Inputs that turn back in between may be where they were. So they move as far, too, as in the interval before and in
    that after, to the lanes `stride` further on, times paces, and a margin further: `beside` has both (2, n).
    """
    found, flat = np.ones(len(low), bool), FLAT_WITHIN * plan.sizes[plan.steps[index].group]
    # One end that is far enough from meeting proves the whole interval; from a flat one, rounding decides how far.
    for side, here in enumerate((low, high)):
        open_ = np.flatnonzero(found)
        if not len(open_):
            break
        h, begin, end = inputs_at(plan, index, x, here[open_], low[open_], high[open_])
        clear = plan.steps[index].clearance(h, _moved(begin, end, DETOUR))
        if beside is not None:
            pace, margin = (each[side, open_] for each in beside)
            next_ = np.clip(here[open_] + (stride if side else -stride), 0, x.shape[1] - 1)
            (there,) = inputs_at(plan, index, x, next_)
            clear = np.minimum(clear, plan.steps[index].clearance(h, _moved(h, there, DETOUR * pace))) - margin
        found[open_] = ~(clear > flat)
    return found


def _moved(begin: Inputs, end: Inputs, times: Floats | float) -> Inputs:
    with np.errstate(invalid="ignore"):
        return tuple(times * (b - a) for a, b in zip(begin, end, strict=True))


def _beside(schedule: Schedule, stations: Indices) -> tuple[Floats, Floats]:
    """Return what intervals between stations tell of the inputs in those beside them: paces and margins (2, n - 1).

    An interval is `paces` times as long as the one before and the one after it. Where there is none, or the drivers'
    path has a corner in between, the pace is 0 and the margin [m] that of a path as curved as inputs are.
    """
    steps = np.stack([np.diff(z[0, stations]) / schedule.unit(id) for id, z in schedule.drivers.items()])
    length = np.sqrt(np.sum(steps * steps, axis=0))
    paces = np.full((2, len(length)), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        along = np.abs(np.sum(steps[:, 1:] * steps[:, :-1], axis=0))
        straight = along > STRAIGHT * length[1:] * length[:-1]
        paces[0, 1:] = np.where(straight, length[1:] / length[:-1], np.nan)
        paces[1, :-1] = np.where(straight, length[:-1] / length[1:], np.nan)
    alone = np.isnan(paces)
    return np.where(alone, 0.0, paces), np.where(alone, CURVED * schedule.size * length * length, 0.0)


def inputs_at(plan: Plan, index: int, x: Floats, *places: Indices) -> list[Inputs]:
    """Return the inputs of a step in some lanes of x (rows, lanes), for each of several choices of these."""
    h = plan.inputs(plan.steps[index], x)
    return [tuple(v[..., at] if np.shape(v)[-1:] == x.shape[1:] else v for v in h) for at in places]


@dataclass
class _Search:
    """The search for change points of a step between stations, along the path of the drivers of its part.

    What others do meanwhile is no matter: beside a driver that runs on, a path that reverses would never be straight.
    """

    between: Kept
    index: int

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule of the drivers that move the step's part of the mechanism."""
        whole, part = self.between.schedule, self.between.plan.part(self.index)
        if part == whole.drivers.keys():
            return whole
        return replace(whole, drivers={id: z for id, z in whole.drivers.items() if id in part})

    def places(self, low: Floats, high: Floats) -> list[float]:
        """Return the places in some intervals where the discriminant touches zero; doubts are noted in `changes`."""
        places: list[float] = []
        radii: tuple[float, ...] = RADII
        low, high = self._joined(*self._near_zero(*self._divided(low, high, PARTS)))
        while len(low):
            charge(LOOK * len(low))
            parts = [slice(start, start + BLOCK) for start in range(0, len(low), BLOCK)]
            left = np.concatenate([part.start + self._look(low[part], high[part], radii, places) for part in parts])
            low, high = self._divided(*self._lengthy(low[left], high[left]), 2)
            # Around halves of an interval large circles have been tried.
            radii = ()
        return sorted(places)

    def _look(self, low: Floats, high: Floats, radii: tuple[float, ...], places: list[float]) -> Indices:
        """Count the zeros in some intervals, note those that are change points, return the intervals left open.

        `radii` are those of circles that are tried before the ones that just surround the intervals.
        """
        self.between.make_room()
        paths = Paths.through(self.schedule, low, high)
        is_open, tried = paths.half > 0, np.full(len(low), np.inf)
        most = np.where(paths.bent, BENT, np.inf)
        with np.errstate(divide="ignore"):
            ladder = [*(radius / paths.half for radius in radii), *(np.full(len(low), x) for x in AROUND)]
        for wanted in ladder:
            radius = np.clip(wanted, AROUND[-1], most)
            some = np.flatnonzero(is_open & (radius < tried))
            if not len(some):
                continue
            tried[some] = radius[some]
            zeros = self._zeros(paths.take(some), radius[some])
            two = (zeros.count == 2) & np.isfinite(zeros.middle)
            # The root of a length's square that is negative by rounding is no number.
            near = two & (np.abs(zeros.middle) < 1 + NEAR) & ~(zeros.clearance >= NEAR)
            # Elsewhere or farther from being one they are if that is sure.
            two &= near | ~zeros.rough
            for k in np.flatnonzero(near):
                self._note(paths.take(some[[k]]), radius[some[[k]]], zeros.take(int(k)), places)
            # A single zero is a limit position at an end: between the ends the discriminant is positive.
            is_open[some[(zeros.count == 0) | (zeros.count == 1) | two | zeros.touch]] = False
        return np.flatnonzero(is_open)

    def _note(self, path: Paths, radius: Floats, found: Zeros, places: list[float]) -> None:
        """Note a change point, a doubt or a gap on a path, if the two zeros found on a circle are one or its ends."""
        x = float(found.middle[0])
        for _ in range(ROUNDS if abs(found.clearance[0]) < NEAR else 0):
            radius = 0.5 * radius
            zeros = self._zeros(path.centred(x), radius)
            if not np.isfinite(zeros.middle[0]):
                # Another group is singular near this circle.
                continue
            found, ahead = zeros, float(zeros.middle[0])
            x += ahead
            if abs(ahead) * path.half[0] < ROUNDING_OF_ONE:
                break
        if (abs(x) - 1) * path.half[0] > ROUNDING_OF_FEW:
            return
        place = path.station_at(self.schedule, x)
        if found.clearance[0] <= -NEVER_FLAT:
            self.between.changes.gaps.add((self.index, place))
        elif np.isfinite(found.flat[0]):
            places.append(place)
        elif not found.clearance[0] >= NEVER_FLAT:
            self.between.changes.doubt(self.index, place)

    def _zeros(self, paths: Paths, radius: Floats, *, corner: bool = False) -> Zeros:
        """Return the zeros of the discriminant inside circles of radii (c,) in x around the middles of paths."""
        return self.between.zeros(self.index, paths, radius, corner=corner)

    def _joined(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return intervals (low, high) of which those that follow each other on a straight path are one."""
        if len(low) < 2:
            return low, high
        order = np.argsort(low)
        low, high = low[order], high[order]
        stations, schedule = high[:-1].astype(np.intp), self.schedule
        steps = np.stack([np.diff(z[0]) / schedule.unit(id) for id, z in schedule.drivers.items()])
        along = np.append(0.0, np.cumsum(np.nan_to_num(np.sum(np.abs(steps), axis=0))))
        with np.errstate(all="ignore"):
            ahead = steps / np.linalg.norm(steps, axis=0)
        before, after = (np.clip(stations + side, 0, steps.shape[1] - 1) for side in (-1, 0))
        bend = np.linalg.norm(ahead[:, before] - ahead[:, after], axis=0)
        joins = (high[:-1] == low[1:]) & ((stations != high[:-1]) | (bend < ROUNDING_OF_FEW))
        far = np.floor(np.interp(low, np.arange(len(along)), along) / TOGETHER_UP_TO)
        first = np.append(True, ~joins | (np.diff(far) != 0))
        last = np.append(first[1:], True)
        return low[first], high[last]

    def _near_zero(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the parts of intervals (low, high) that clearance does not decide and where the discriminant is small.

        Elsewhere the inputs are only fast: clearance decides shorter parts, where circles would have to be tiny.
        """
        plan, index = self.between.plan, self.index
        while len(low) and not plan.steps[index].divisors:
            ends = self.between.lanes(np.concatenate((low, high)), index)
            # Where an earlier group is singular the inputs are rounding: clearance decides no part, however short.
            values = np.where(is_vague(plan, index, ends), 0.0, discriminant(plan, index, ends)).reshape(2, -1)
            far = (values > FAR).all(axis=0)
            if not far.any():
                break
            charge(LOOK * np.count_nonzero(far))
            parts = self._divided(*self._lengthy(low[far], high[far]), PARTS)
            low, high = (np.concatenate((all[~far], new)) for all, new in zip((low, high), parts, strict=True))
        return low, high

    def _lengthy(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the intervals (low, high) that can be divided; those too short are in doubt."""
        short = Paths.through(self.schedule, low, high).half < SHORTEST_STEP
        for place in low[short].tolist():
            self.between.changes.doubt(self.index, place)
        return low[~short], high[~short]

    def _divided(self, low: Floats, high: Floats, parts: int) -> tuple[Floats, Floats]:
        """Return the parts of intervals (low, high) that clearance does not decide."""
        if not len(low):
            return low, high
        ends = np.linspace(low, high, parts + 1)
        plan, index, lanes = self.between.plan, self.index, self.between.lanes(ends.ravel(), self.index)
        values = discriminant(plan, index, lanes)
        open_ = closes(plan, index, lanes, values) | is_vague(plan, index, lanes)
        self.between.changes.gaps.update((index, place) for place in ends.ravel()[~open_ & (values < -LIMIT)].tolist())
        first = np.arange(parts * len(low))
        second = first + len(low)
        # At either end there is no part before or after.
        margins = np.zeros((2, parts, len(low)))
        margins[0, 0], margins[1, -1] = np.inf, np.inf
        beside = np.ones((2, len(first))), margins.reshape(2, -1)
        meet = may_meet(plan, index, lanes.x[0], first, second, beside, len(low))
        left = open_[first] & open_[second] & meet
        return ends.ravel()[first[left]], ends.ravel()[second[left]]

    def settled(self, place: float) -> float:
        """Return a place, or the last station at which the drivers have these values, if they have them at one."""
        schedule, beside = self.schedule, np.array([int(place), int(np.ceil(place))])
        here = schedule.at(np.array([place]))
        away = np.max(
            [np.abs(z[0, beside] - here[id]) / schedule.unit(id) for id, z in schedule.drivers.items()], axis=0
        )
        # A driver that is slow there may have these values at a station far from the place.
        return float(self._stay(int(beside[np.argmin(away)]))[1]) if away.min() < NEAREST else place

    def is_known(self, station: float) -> bool:
        """Return whether this change point is known: found from the interval before, or with an earlier step."""
        return any(
            self.index in point.steps and self._is_one(*sorted((point.station, station)))
            for point in self.between.changes.points
        )

    def _is_one(self, low: float, high: float) -> bool:
        """Return whether change points at two stations are one: a path that turns in between passes a pose twice."""
        if not self._length(low, high) < SAME_SOLVED:
            return False
        stays = (self._stay(k) for k in range(int(low) + 1, int(np.ceil(high))))
        # Where the drivers rest at either end of the path, it does not turn.
        inside = ((first, last) for first, last in stays if first > 0 and last < len(self.schedule) - 1)
        return all(np.linalg.norm(np.subtract(*self._ways(*stay))) < ROUNDING_OF_FEW for stay in inside)

    def _length(self, low: float, high: float) -> float:
        """Return the length of the drivers' path between two stations [rad or parts of the size]."""
        stations = np.concatenate(([low], np.arange(int(low) + 1, int(np.ceil(high))), [high]))
        at = self.schedule.at(stations)
        return float(sum(np.sum(np.abs(np.diff(z))) / self.schedule.unit(id) for id, z in at.items()))

    def is_passed(self, station: float) -> bool:
        """Return whether the motion passes straight through a change point: reversed there, it retraces its path."""
        if station != int(station):
            return True
        first, last = self._stay(int(station))
        if first == 0 or last == len(self.schedule) - 1:
            return True
        arriving, leaving = self._ways(first, last)
        if min(np.linalg.norm(arriving - leaving), np.linalg.norm(arriving + leaving)) < ROUNDING_OF_FEW:
            return bool(arriving @ leaving > 0)
        # Where the path has a corner, a path that cuts it off shows whether the root changes its sign.
        units = [self.schedule.unit(id) for id in self.schedule.drivers]
        powers = {}
        for k, (id, z) in enumerate(self.schedule.drivers.items()):
            powers[id] = np.zeros((1, PLACES))
            powers[id][0, 0] = z[0, first] + 0.5 * CORNER * units[k] * (leaving[k] - arriving[k])
            powers[id][0, 1] = 0.5 * CORNER * units[k] * (leaving[k] + arriving[k])
        half = 0.5 * CORNER * np.max(np.abs(leaving + arriving), keepdims=True)
        before = np.array([first - 1.0])
        paths = Paths(before, before, half, np.zeros(1, bool), -np.ones(1), powers)
        for radius in RADII:
            zeros = self._zeros(paths, np.maximum(radius / half, AROUND[-1]), corner=True)
            if zeros.clearance[0] > FLAT_WITHIN:
                # Flat at the corner, and nowhere on the path beside it: pins meet, and the group may turn about them.
                break
            if zeros.count[0] == 0 or np.isfinite(zeros.clearance[0]):
                return bool(np.abs(zeros.flat[0]) < 1)
        self.between.changes.doubt(self.index, station)
        return False

    def is_paired(self, station: float, stations: list[float]) -> bool:
        """Return whether a change point close to where the path turns back is passed both before and behind it.

        Whether it lies on this path is known only to the root of rounding, which may differ on the two ways.
        """
        k = round(station)
        first, last = self._stay(k)
        near = [one for one in stations if one != k and self._length(*sorted((one, k))) < SAME_POSE]
        if station not in near or first == 0 or last == len(self.schedule) - 1:
            return True
        turns_back = np.linalg.norm(np.add(*self._ways(first, last))) < ROUNDING_OF_FEW
        return not turns_back or min(near) < k < max(near)

    def _ways(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Return the directions (f,) in which drivers arrive at the first and leave the last station of a stay."""
        schedule, before, behind = self.schedule, [first - 1, last], [first, last + 1]
        steps = [(z[0, behind] - z[0, before]) / schedule.unit(id) for id, z in schedule.drivers.items()]
        arriving, leaving = np.transpose(steps)
        return arriving / np.linalg.norm(arriving), leaving / np.linalg.norm(leaving)

    def _steps(self, k: int) -> Floats:
        """Return how far drivers are at all stations (f, n) from station k [rad or parts of the size]."""
        return np.stack([(z[0] - z[0, k]) / self.schedule.unit(id) for id, z in self.schedule.drivers.items()])

    def _stay(self, k: int) -> tuple[int, int]:
        """Return the first and the last station of those around station k at which no driver has moved."""
        moved = np.flatnonzero(~(np.max(np.abs(self._steps(k)), axis=0) <= NEAREST))
        after = int(np.searchsorted(moved, k))
        first = int(moved[after - 1]) + 1 if after else 0
        return first, int(moved[after]) - 1 if after < len(moved) else len(self.schedule) - 1

    def change_point(self, station: float) -> ChangePoint:
        """Return the change point at a station, with the later steps that have theirs there too."""
        plan, schedule, changes = self.between.plan, self.between.schedule, self.between.changes
        at, first = np.array([station]), np.array([min(int(station), max(len(schedule) - 2, 0))])
        ahead, behind = (schedule.at(at + side * BESIDE, first) for side in (1, -1))
        displacements = {id: (z - behind[id]) / (2 * BESIDE) for id, z in ahead.items()}
        near = near_stations(self.between.near, at)
        there = Lanes.empty(plan, 1, orders=1)
        positions(plan, len(plan.steps), there, schedule.at(at), changes.modes(at), near)
        # A step that is far from flat there has no change point there; what has no pose may have.
        last = max(k for k in plan.with_root if k == self.index or not FAR < there.least[k] < np.inf)
        plan = replace(plan, steps=plan.steps[: max(last, self.index) + 1])
        contours = contours_at(plan, schedule, changes, at, displacements, near)
        if not contours.until[0] > self.index:
            return ChangePoint(station, (self.index,), station, station)
        steps = tuple(dict.fromkeys((self.index, *_together(contours, changes, self.index))))
        return ChangePoint(station, steps, *straight_run(self.schedule, station, 0.5 * float(contours.radius[0])))


def _together(contours: Contours, changes: ModeChanges, index: int) -> Iterator[int]:
    """Yield the steps of a given one's part, from it on, whose discriminants touch zero at the station of a circle."""
    part = changes.plan.part(index)
    for step in range(index, int(contours.until[0])):
        if changes.plan.part(step) != part:
            # Its drivers have a path of their own.
            continue
        s0 = contours.zeros[step].flat[0] if step in contours.zeros else np.nan
        if abs(s0) < NEAREST:
            yield step
        elif s0 < 0 and step not in changes.steps:
            # Its change point has been passed and is not known yet: later steps are on the wrong branch.
            return
