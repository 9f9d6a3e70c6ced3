"""Change points: where a dyad closes flat and opens again, and the smooth motion continues in the other assembly mode.

At a limit position the discriminant of a dyad (its squared sine) crosses zero; at a change point, such as the flat pose
of a parallelogram, it touches zero and returns. The signed root passes through zero there: a motion that keeps its
tangent changes its mode, and one that kept its mode would have a corner. So the mode is a quantity of each sample. It
changes where the discriminant of a step, between neighbouring samples, has a minimum of zero.

A minimum is narrowed down by evaluating the plan between the samples, and then examined on a circle of complex poses
around it (see `contours`), which distinguishes a change point from a near miss and from a gap.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.change_points.contours import Contours
from structkin.solve.change_points.mode_changes import TOGETHER, ChangePoint, Line, ModeChanges, contours_at
from structkin.solve.engine import Lanes, discriminant, positions
from structkin.solve.schedule import Schedule
from structkin.track.minima import narrowed
from structkin.track.tolerances import DOUBLE_ZERO, LIMIT

Floats = NDArray[np.float64]

#: A discriminant above this at every sample has no zero between them.
SUSPECT = 0.1
#: Evaluations in an interval at a time, and how often it is narrowed to the neighbours of the minimum.
POINTS, ROUNDS = 33, 2
#: Largest part of a root at the ends of an interval that is left at the nearest place, if it passes through zero.
LEFT = 0.05
#: Largest change of a root's slope across a change point, from sample to sample; fewest samples for this test.
BENT, FEW = 0.4, 4
#: Intervals that are examined at a time: a scan of a work space reverses at every other sample.
BLOCK = 1000
#: A change point is found when it is closer than this distance of the drivers [rad or parts of the size].
EXACT = 1e-12
#: Part of an interval over which the drivers' path is taken to be straight.
STRAIGHT = 0.01


def _kinks(schedule: Schedule) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return at which stations drivers reverse, or change slope as those do that are given by values; both (n,)."""
    reversals, kinks = np.zeros((2, len(schedule)), bool)
    for id, z in schedule.drivers.items():
        step = np.diff(z[0])
        reversals[1:-1] |= step[1:] * step[:-1] < 0
        if id in schedule.by_values:
            kinks[1:-1] |= np.abs(np.diff(step)) > 1e-6 * (np.abs(step[1:]) + np.abs(step[:-1]))
    return reversals, kinks | reversals


def explore(plan: Plan, schedule: Schedule, changes: ModeChanges, index: int, lanes: Lanes) -> bool:
    """Look for stations at which the discriminant of a step touches zero; return whether there are any."""
    near, found = lanes.x[0], False
    values = discriminant(plan, index, lanes)
    low, high = _intervals(plan, schedule, index, lanes, values)
    new = np.array([not changes.looked_at(index, a, b) for a, b in zip(low, high, strict=True)], bool)
    for place in _narrow(plan, schedule, changes, index, near, values, low[new], high[new]):
        point = _change_point(plan, schedule, changes, index, near, place)
        if point is None or _turns_back(schedule, point.station):
            continue
        # Overlapping intervals (two samples with equal discriminants on either side) find the same one.
        if not changes.looked_at(index, point.station, point.station):
            changes.add(point)
            found = True
    return found


def _intervals(plan: Plan, schedule: Schedule, index: int, lanes: Lanes, values: Floats) -> tuple[Floats, Floats]:
    """Return intervals (low, high) of stations in which the discriminant of a step, `values` (n,), may touch zero."""
    earlier = (lanes.status == Status.SINGULAR) & (lanes.group < plan.steps[index].group)
    reversals, kinks = _kinks(schedule)
    low, high = _suspects(values, np.flatnonzero(~earlier), kinks, _path(schedule))
    # At a kink the drivers may reverse: there may be a change point on either side of it.
    middle = low + 1
    split = (high - low == 2) & kinks[middle.astype(np.intp)]
    # Where they do, the discriminant may touch zero on either side without a minimum at any station.
    turn = np.flatnonzero(reversals & ~earlier & (np.abs(values) < SUSPECT))
    beside = np.concatenate((turn - 1, turn)).astype(np.float64)
    beside = beside[np.isfinite(values[beside.astype(np.intp)] + values[beside.astype(np.intp) + 1])]
    ends = (low, low[split], middle[split], beside), (high, middle[split], high[split], beside + 1)
    intervals = np.unique([np.concatenate(end) for end in ends], axis=1)
    return intervals[0], intervals[1]


def _narrow(
    plan: Plan,
    schedule: Schedule,
    changes: ModeChanges,
    index: int,
    near: Floats,
    values: Floats,
    low: Floats,
    high: Floats,
) -> Floats:
    """Return the stations where the discriminant of a step, `values` (n,), touches zero in the intervals, or may."""

    def discriminant_at(stations: Floats) -> Floats:
        solved = _positions(plan, schedule, changes, index, near, stations.ravel())
        return discriminant(plan, index, solved).reshape(stations.shape)

    # No evaluation should hit a sample itself, where pivots may coincide exactly.
    inner = 0.0171 * (high - low > 1) + 1e-5
    place, least = np.empty_like(low), np.empty_like(low)
    for start in range(0, len(low), BLOCK):
        some = slice(start, start + BLOCK)
        first, last = (low + inner)[some], (high - inner)[some]
        place[some], _, least[some] = narrowed(discriminant_at, first, last, points=POINTS, rounds=ROUNDS)
    # Where it touches zero, nearly all of the root is gone at the nearest place.
    ends = (np.sqrt(np.abs(values[end.astype(np.intp)])) for end in (low, high))
    gone = ~(np.sqrt(np.maximum(least, 0.0)) > LEFT * sum(ends))
    # Beyond a limit position the discriminant is negative: the interval has an end, not a change point.
    return place[(least > -DOUBLE_ZERO) & gone]


def _change_point(
    plan: Plan, schedule: Schedule, changes: ModeChanges, index: int, near: Floats, place: float
) -> ChangePoint | None:
    """Return the change point of a step near a station, and which later steps have theirs there too."""
    for _ in range(6):
        at, interval = np.array([place]), np.array([min(int(place), max(len(schedule) - 2, 0))])
        ahead, behind = (schedule.at(at + side * STRAIGHT, interval) for side in (1, -1))
        displacements = {id: (z - behind[id]) / (2 * STRAIGHT) for id, z in ahead.items()}
        contours, speed = contours_at(plan, schedule, changes, at, displacements, _near(near, at), steps=index + 1)
        if not contours.until[0] > index or not np.isfinite(contours.zeros[index][0]):
            return None
        s0, radius = float(contours.zeros[index][0]), float(contours.radius[0])
        if abs(s0) < EXACT:
            line = Line.of(schedule, place, displacements, float(speed[0]))
            return ChangePoint(place, tuple(_together(contours, changes, index)), *line.run(place, 0.5 * radius))
        place += s0 / speed[0]
        if int(place) != interval[0]:
            # The path may change direction before it arrives there, or be in another of many short intervals.
            crossing = Line.of(schedule, float(at[0]), displacements, float(speed[0])).crossing(float(at[0]), s0)
            if crossing is None:
                return None
            place = crossing
    return None


def _together(contours: Contours, changes: ModeChanges, index: int) -> Iterator[int]:
    """Yield the steps, from a given one on, whose discriminants touch zero at the station of a circle."""
    for step in range(index, int(contours.until[0])):
        s0 = contours.zeros[step][0] if step in contours.zeros else np.nan
        if abs(s0) < TOGETHER:
            yield step
        elif s0 < 0 and step not in changes.steps:
            # Its change point has been passed and is not known yet: later steps are on the wrong branch.
            return


def _turns_back(schedule: Schedule, place: float) -> bool:
    """Return whether the drivers reverse at samples at a place: reversed at a flat pose, a motion retraces its path."""
    here, unit = schedule.at(np.array([place])), {id: schedule.unit(id) for id in schedule.drivers}
    steps = np.stack([(z[0] - here[id]) / unit[id] for id, z in schedule.drivers.items()])
    away = np.flatnonzero(np.max(np.abs(steps), axis=0) > TOGETHER)
    behind = np.searchsorted(away, place)
    if not 0 < behind < len(away) or away[behind] == away[behind - 1] + 1:
        return False
    return bool(steps[:, away[behind - 1]] @ steps[:, away[behind]] > 0)


def _path(schedule: Schedule) -> Floats:
    """Return how far the drivers have moved at each station (n,) [rad or parts of the size]."""
    steps = [np.abs(np.diff(z[0])) / schedule.unit(id) for id, z in schedule.drivers.items()]
    return np.append(0.0, np.cumsum(np.sum(np.nan_to_num(steps), axis=0)))


def _suspects(values: Floats, at: NDArray[np.intp], kinks: NDArray[np.bool_], path: Floats) -> tuple[Floats, Floats]:
    """Return intervals (low, high) of stations around each minimum of the discriminant that may touch zero.

    Only the samples `at` are examined: where an earlier group is singular, directions may be undetermined.
    """
    good = (values[at] >= -LIMIT) & ~np.isnan(values[at])
    padded = np.concatenate(([np.inf], np.where(good, values[at], np.inf), [np.inf]))
    before, here, after = padded[:-2], padded[1:-1], padded[2:]
    k = np.flatnonzero((here <= before) & (here <= after) & (here < SUSPECT))
    found = np.where(good, values[at], np.nan)
    k = k[_may_be_zero(path[at], found, k) | kinks[at[k]]]
    low = at[np.where(np.isfinite(before[k]), k - 1, k)].astype(np.float64)
    high = at[np.where(np.isfinite(after[k]), np.minimum(k + 1, len(at) - 1), k)].astype(np.float64)
    intervals = np.unique(np.stack((low, high))[:, high > low], axis=1)
    return intervals[0], intervals[1]


def _may_be_zero(path: Floats, values: Floats, k: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of the minima k could belong to a root that goes straight through zero along the path.

    With its sign reversed on one side, the root at three neighbouring samples is then nearly linear in the drivers'
    path, also where a law slows down. This avoids the search at the many shallow minima that every mechanism has.
    """
    if len(path) < FEW:
        return np.ones(len(k), bool)
    root = np.sqrt(np.maximum(values, 0.0))
    straight = np.zeros(len(k), bool)
    # The zero lies before or after the least sample or, at an end or a gap, between it and its only neighbour.
    for first, signs in ((-1, (1, -1, -1)), (-1, (1, 1, -1)), (0, (-1, 1, 1)), (-2, (1, 1, -1))):
        three = k + first + np.arange(3)[:, None]
        inside = (three[0] >= 0) & (three[2] < len(path))
        three = np.clip(three, 0, len(path) - 1)
        y, x = np.array(signs)[:, None] * root[three], path[three]
        with np.errstate(invalid="ignore", divide="ignore"):
            one, two = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
            straight |= inside & (np.abs(two - one) < BENT * (np.abs(one) + np.abs(two)))
    return straight


def _positions(
    plan: Plan, schedule: Schedule, changes: ModeChanges, steps: int, near: Floats, stations: Floats
) -> Lanes:
    """Return the positions of the first steps at stations (n,)."""
    lanes = Lanes.empty(plan, len(stations), orders=1)
    positions(plan, steps, lanes, schedule.at(stations), changes.modes(stations), _near(near, stations))
    return lanes


def _near(near: Floats, stations: Floats) -> Floats:
    """Return slots (rows, n) at stations, interpolated between the lanes of `near`."""
    first = np.clip(stations.astype(np.intp), 0, max(near.shape[-1] - 2, 0))
    second = np.minimum(first + 1, near.shape[-1] - 1)
    return np.asarray(near[:, first] + (stations - first) * (near[:, second] - near[:, first]))
