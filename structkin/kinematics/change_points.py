"""Change points: where a dyad closes flat and opens again, and the smooth motion goes on in the other assembly mode.

At a limit position the margin of a dyad (its squared sine) crosses zero; at a change point, such as the flat pose of a
parallelogram, it touches zero and returns. The signed root passes through zero there: a motion that keeps its
tangent changes its mode, and one that kept its mode would turn back at a corner. So the mode is a quantity of each
sample. It flips where the margin of a step, between neighbouring samples, has a minimum of zero.

A minimum is closed in on by evaluating the plan between the samples. It counts as zero below `TOUCH`: dimensions that
miss the special proportions by more than that have no change point, but a narrow escape or a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.engine import LIMIT, Lanes, Progress, margin, positions, sweep
from structkin.kinematics.plan import Plan
from structkin.kinematics.schedule import Schedule
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]

#: A margin above this at every sample has no zero between them.
SUSPECT = 0.1
#: Evaluations in an interval at a time, and how often it is narrowed to the neighbours of its least one.
POINTS, ROUNDS = 33, 2
#: Part of an interval to either side of a touch from which it is placed.
SIDE = 0.1
#: How much the slope of a root may change across a touch, from one sample to the next; fewer samples say nothing.
BENT, FEW = 0.4, 4
#: A touch nearer than this part of an interval to a sample is at it.
AT = 1e-6
#: A least margin below this is a touch; touches nearer than this part of an interval are one.
TOUCH, APART = 1e-10, 1e-4


@dataclass
class Flips:
    """Where along the stations the mode of each step flips."""

    plan: Plan
    at: dict[int, Floats] = field(default_factory=dict)

    def modes(self, stations: Floats) -> Any:
        """Return the function that gives a step's mode at each of these stations (n,), or one number for all."""

        def mode(step: int) -> Any:
            start = self.plan.steps[step].mode
            if step not in self.at:
                return start
            passed = np.searchsorted(self.at[step], stations)
            return start * np.where(passed % 2, -1, 1)

        return mode


def run(plan: Plan, schedule: Schedule, progress: Progress | None = None) -> Lanes:
    """Run a plan over the stations of a schedule, with the modes that keep the motion smooth."""
    flips, stations = Flips(plan), np.arange(len(schedule), dtype=np.float64)
    lanes = _sweep(plan, schedule, flips, stations, progress)
    for index, step in enumerate(plan.steps):
        # Steps are gone through in order: a flip moves what is solved after it.
        if isinstance(step.kind, General) or step.kind.modes == 1 or not lanes.least[index] < SUSPECT:
            continue
        found = _touches(plan, schedule, flips, index, lanes)
        if len(found):
            flips.at[index] = found
            lanes = _sweep(plan, schedule, flips, stations, progress)
    if flips.at:
        _bridge(plan, schedule, flips, lanes)
    return lanes


#: A centred interpolation of six points, half an interval to either side at most.
BRIDGE = {place * 0.1: weight / 256 for place, weight in ((-5, 3), (-3, -25), (-1, 150), (1, 150), (3, -25), (5, 3))}


def _bridge(plan: Plan, schedule: Schedule, flips: Flips, lanes: Lanes) -> None:
    """Set the positions of samples at a change point to those of the smooth motion around it.

    Where pivots coincide the closed form does not know the direction at the pose itself.
    """
    touches = np.unique(np.concatenate(list(flips.at.values())))
    at = np.unique(np.round(touches[np.abs(touches - np.round(touches)) < 1e-4]).astype(np.intp))
    at = at[(at > 0) & (at < len(schedule) - 1)]
    at = at[lanes.status[at] == Status.SINGULAR]
    at = at[~_bends(schedule)[at]]
    if not len(at):
        return
    stations = (at[:, None] + np.array(list(BRIDGE))).ravel()
    around = _positions(plan, schedule, flips, len(plan.steps), lanes.x[0], stations).x[0]
    smooth = around.reshape(len(around), len(at), len(BRIDGE)) @ np.array(list(BRIDGE.values()))
    first = plan.offsets[plan.steps[min(flips.at)].outputs[0]]
    lanes.x[0][first:, at] = smooth[first:]


def _bends(schedule: Schedule) -> NDArray[np.bool_]:
    """Return at which stations drivers that were given by values bend or reverse (n,); laws are smooth."""
    bent = np.zeros(len(schedule), bool)
    for id in schedule.by_values:
        step = np.diff(schedule.drivers[id][0])
        bent[1:-1] |= np.abs(np.diff(step)) > 1e-6 * (np.abs(step[1:]) + np.abs(step[:-1]))
    return bent


def _sweep(plan: Plan, schedule: Schedule, flips: Flips, stations: Floats, progress: Progress | None) -> Lanes:
    lanes = Lanes.empty(plan, len(schedule))
    sweep(plan, lanes, schedule.drivers, flips.modes(stations), progress)
    return lanes


def _touches(plan: Plan, schedule: Schedule, flips: Flips, index: int, lanes: Lanes) -> Floats:
    """Return the stations at which the margin of a step touches zero, in order."""
    near = lanes.x[0]

    def margin_at(stations: Floats, intervals: NDArray[np.intp] | None = None) -> Floats:
        if not stations.size:
            return stations
        if intervals is not None:
            intervals = np.broadcast_to(intervals, stations.shape).ravel()
        solved = _positions(plan, schedule, flips, index, near, stations.ravel(), intervals)
        return margin(plan, index, solved).reshape(stations.shape)

    earlier = (lanes.status == Status.SINGULAR) & (lanes.group < plan.steps[index].group)
    bent = _bends(schedule)
    low, high = _suspects(margin(plan, index, lanes), np.flatnonzero(~earlier), bent)
    # Around a bend the drivers may come and go: there may be a touch on either side of it.
    middle = low + 1
    split = (high - low == 2) & bent[middle.astype(np.intp)]
    bounds = np.stack(
        (np.concatenate((low, low[split], middle[split])), np.concatenate((high, middle[split], high[split])))
    )
    # No evaluation should hit a sample itself, where pivots may coincide exactly.
    whole = np.arange(bounds.shape[1]) < len(low)
    low, high = bounds[0] + np.where(whole, 0.0171, 1e-5), bounds[1] - np.where(whole, 0.0093, 1e-5)
    place = np.array([])
    for _ in range(ROUNDS):
        stations = low + np.linspace(0.0, 1.0, POINTS)[:, None] * (high - low)
        values = margin_at(stations)
        values[np.isnan(values)] = np.inf
        # Beyond a limit position the margin is negative: the interval has an end, not a touch.
        column = np.flatnonzero(values.min(axis=0, initial=np.inf) > -TOUCH)
        best, bounds = np.argmin(values, axis=0)[column], bounds[:, column]
        low, high = stations[np.maximum(best - 1, 0), column], stations[np.minimum(best + 1, POINTS - 1), column]
        place = stations[best, column]
    kept, place, rest = _vertex(margin_at, place)
    inside = (place > bounds[0, kept]) & (place < bounds[1, kept])
    found = np.sort(place[inside & (np.abs(rest) < TOUCH) & ~_turns_back(schedule, place)])
    # Overlapping intervals (two samples at one height on either side) find the same touch.
    return found[np.diff(found, prepend=-np.inf) > APART]


def _turns_back(schedule: Schedule, place: Floats) -> NDArray[np.bool_]:
    """Return which places are samples where the drivers reverse: driven back from a flat pose, a motion retraces."""
    k = np.clip(np.round(place).astype(np.intp), 1, max(len(schedule) - 2, 1))
    if len(schedule) < k.max(initial=1) + 2:
        return np.zeros(len(place), bool)
    product = np.zeros(len(place))
    for z in schedule.drivers.values():
        product += (z[0, k] - z[0, k - 1]) * (z[0, k + 1] - z[0, k])
    return np.asarray((np.abs(place - k) < AT) & (product < 0))


def _vertex(margin_at: Callable[..., Floats], place: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return which places stay, where the signed root crosses zero near them, and what the margin has left there.

    Both are interpolated from a short way off: at the pose itself pivots may coincide, and close to it a chain of such
    dyads loses its digits. Drivers go straight on there, for they may bend at a sample. Places where an earlier group
    has no pose are left out.
    """
    interval = place.astype(np.intp)
    nodes = SIDE * np.array([-2.0, -1.0, 1.0, 2.0])
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sign(nodes)[:, None] * np.sqrt(np.maximum(margin_at(place + nodes[:, None], interval), 0.0))
        # Lagrange's formula for the place as a function of the root, at zero.
        shift = sum(
            node * np.prod((others := np.delete(root, k, axis=0)) / (others - root[k]), axis=0)
            for k, node in enumerate(nodes)
        )
        kept = np.flatnonzero(np.abs(shift) < SIDE)
        place, interval = (place + shift)[kept], interval[kept]
    even = np.array([[1.0], [2.0], [3.0]]) * SIDE
    sums = margin_at(np.concatenate((place + even, place - even)), interval).reshape(2, 3, -1).mean(axis=0)
    return kept, place, (15 * sums[0] - 6 * sums[1] + sums[2]) / 10


def _suspects(values: Floats, at: NDArray[np.intp], bent: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return intervals (low, high) of stations around each least margin that may touch zero.

    Only the samples `at` are looked at: where an earlier group is singular, it may have lost its direction.
    """
    good = (values[at] >= -LIMIT) & ~np.isnan(values[at])
    padded = np.concatenate(([np.inf], np.where(good, values[at], np.inf), [np.inf]))
    before, here, after = padded[:-2], padded[1:-1], padded[2:]
    k = np.flatnonzero((here <= before) & (here <= after) & (here < SUSPECT))
    k = k[_may_touch(at, np.where(good, values[at], np.nan), k) | bent[at[k]]]
    low = at[np.where(np.isfinite(before[k]), k - 1, k)].astype(np.float64)
    high = at[np.where(np.isfinite(after[k]), np.minimum(k + 1, len(at) - 1), k)].astype(np.float64)
    intervals = np.unique(np.stack((low, high))[:, high > low], axis=1)
    return intervals[0], intervals[1]


def _may_touch(at: NDArray[np.intp], values: Floats, k: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of the least margins k could belong to a root that goes straight through zero.

    With its sign turned on one side, the root at three neighbouring samples is then nearly on a line. This spares the
    search at the many shallow minima that every mechanism has.
    """
    if len(at) < FEW:
        return np.ones(len(k), bool)
    root = np.sqrt(np.maximum(values, 0.0))
    straight = np.zeros(len(k), bool)
    # The zero lies before or behind the least sample; or, at an end or a gap, between it and its only neighbour.
    for first, signs in ((-1, (1, -1, -1)), (-1, (1, 1, -1)), (0, (-1, 1, 1)), (-2, (1, 1, -1))):
        three = k + first + np.arange(3)[:, None]
        inside = (three[0] >= 0) & (three[2] < len(at))
        three = np.clip(three, 0, len(at) - 1)
        y, x = np.array(signs)[:, None] * root[three], at[three]
        with np.errstate(invalid="ignore", divide="ignore"):
            one, two = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
            straight |= inside & (np.abs(two - one) < BENT * (np.abs(one) + np.abs(two)))
    return straight


def _positions(
    plan: Plan,
    schedule: Schedule,
    flips: Flips,
    steps: int,
    near: Floats,
    stations: Floats,
    intervals: NDArray[np.intp] | None = None,
) -> Lanes:
    """Return the positions of the first steps at stations (n,)."""
    lanes = Lanes.empty(plan, len(stations), orders=1)
    first = np.clip(stations.astype(np.intp), 0, max(near.shape[-1] - 2, 0))
    second = np.minimum(first + 1, near.shape[-1] - 1)
    between = near[:, first] + (stations - first) * (near[:, second] - near[:, first])
    positions(plan, steps, lanes, schedule.at(stations, intervals), flips.modes(stations), between)
    return lanes
