"""Beside gaps: between the last station and a gap of an earlier group a later one may have a change point, or a gap.

There a step has inputs at one end of the interval only, and nothing is searched. It need not be: mostly clearance tells
that the modes cannot meet, at the stations or at places between them. Other intervals have to be divided by stations.
Gaps of two groups between the same stations are one where they overlap, and two where there is a pose between them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.budget import charge
from structkin.numerical_tolerances import LIMIT
from structkin.plan.status import Status
from structkin.solve.change_points.between import Between
from structkin.solve.change_points.search import LOOK, closes, inputs_at, is_vague, may_meet, stays_apart
from structkin.solve.engine import Lanes, discriminant
from structkin.types import Flags, Floats, Indices

#: From the last station to the end of a gap inputs move at most this many times as far as from the station before: like
#: a root of the way, which is at most as long, 1 / (sqrt(2) - 1) times. If that is r times as long as the way on to the
#: next station, 1 / (sqrt(1 + r) - 1) times.
TO_A_GAP = 2.5
#: Where stations are even r is at least this; else the ratio of discriminants tells nothing.
EVEN = 0.9
#: Beside a change point between the last station and the end of a gap the discriminant at least doubles from the last
#: station to the one before, if these are near the gap: below this ratio there is none.
RISE = 1.4
#: An interval is divided into so many parts, and those that are open again, so often, if at most so many are open.
PARTS, ROUNDS, MOST = 16, 4, 16
#: The beginning of a gap is located in so many rounds, each of so many divisions: between two gaps a pose may be short.
LOCATED, DIVISIONS = 5, 128


def beside_gaps(between: Between, lanes: Lanes, *, near: bool = False) -> tuple[Flags, Floats]:
    """Return between which neighbours (n - 1,) stations have to be added, and places (m,) of poses between two gaps.

    Between these neighbours an earlier group's gap begins or ends, and a step's modes may meet. On one side of the end
    of a gap the step has no inputs; towards it these move like a root. `near` the gaps, where intervals have been
    divided, the ratio of discriminants counts too: clearance says nothing of pins on one link.
    """
    plan, found, poses = between.plan, np.zeros(max(len(lanes.status) - 1, 0), bool), set[float]()
    places = np.arange(float(len(lanes.status)))
    lost = lanes.status == Status.OUT_OF_REACH
    for index in plan.with_root if lost.any() else ():
        if stays_apart(plan, index, lanes):
            continue
        values = discriminant(plan, index, lanes)
        gone = np.isnan(values) & lost
        ends = np.flatnonzero(gone[1:] != gone[:-1])
        ahead = gone[ends]
        here, beyond = ends + ahead, np.where(ahead, ends + 2, ends - 1)
        meet = _meet(between, index, lanes.x[0], values, places, here, beyond, near=near)
        open_, begun = _not_apart(between, index, ends[meet], ends[ahead])
        found[open_] = True
        # A gap between two lanes that have poses has two ends.
        inside = np.array([k for k in sorted(_gaps_before(between, index)) if not np.isnan(values[k + 1])], np.intp)
        for here, beyond in ((inside, inside - 1), (inside + 1, inside + 2)):
            found[inside[_meet(between, index, lanes.x[0], values, places, here, beyond, near=near)]] = True
        # Between two lanes in gaps of two groups there may be a pose.
        begun += (1.0 + np.flatnonzero((values[1:] < -LIMIT) & ~(values[:-1] < -LIMIT) & lost[:-1])).tolist()
        poses |= {pose for place in begun if (pose := pose_before(between, index, place)) is not None}
    return found, np.array(sorted(poses))


def pose_before(between: Between, index: int, place: float) -> float | None:
    """Return the place of the pose behind which the gap of a step at a place begins, if the station before has none.

    If there is no pose, it is one with the gap in which that station lies. A gap that begins within one of another step
    is one with it: the pose before that counts. General groups are closed from the station behind it.
    """
    plan, station, passed = between.plan, float(np.ceil(place)) - 1.0, set[int]()
    if plan.tracked:
        near = between.near.copy()
        near[:, int(station)] = near[:, int(station) + 1]
        between = replace(between, near=near)
    while True:
        charge(LOOK * LOCATED)
        low, high = station, place
        for _ in range(LOCATED):
            places = np.linspace(low, high, DIVISIONS + 1)
            outside = np.flatnonzero(~(discriminant(plan, index, between.lanes(places[:-1], index)) < -LIMIT))
            if not len(outside):
                # The station before lies in the same gap.
                return None
            low, high = float(places[outside[-1]]), float(places[outside[-1] + 1])
        lanes = between.lanes(np.array([low]), len(plan.steps))
        if np.isfinite(lanes.x[0]).all():
            return low
        # Where a general group ends, a place alone may be closed and another time not: no step counts twice.
        passed.add(index)
        lacking = (step for step in plan.with_root if discriminant(plan, step, lanes)[0] < -LIMIT)
        step = next((step for step in lacking if step not in passed), None)
        if step is None or low == station:
            return None
        index, place = step, low


def _gaps_before(between: Between, index: int) -> set[int]:
    """Return the stations after which, before the next one, there is a gap of what a step depends on."""
    on = between.plan.behind[index]
    return {int(np.ceil(place)) - 1 for step, place in between.changes.gaps if on >> step & 1 and place > 0}


def _meet(
    between: Between,
    index: int,
    x: Floats,
    values: Floats,
    places: Floats,
    here: Indices,
    beyond: Indices,
    *,
    near: bool,
) -> Flags:
    """Return between which lanes `here` (n,) and the end of a gap beside them the modes of a step may meet.

    `values` are the discriminants in lanes of x (rows, lanes) at `places` (lanes,), and `beyond` (n,) are the lanes on
    the other side. At either end of the lanes, and at a single pose between two gaps, nothing is known of the way.
    """
    plan, found = between.plan, values[here] >= -LIMIT
    known = (beyond >= 0) & (beyond < len(values))
    before = np.full(len(here), np.inf)
    before[known] = _way_before(between, places[here[known]], places[beyond[known]])
    if near:
        even = known & (before > EVEN)
        found[even] &= ~(values[beyond[even]] < RISE * values[here[even]])
    some = np.flatnonzero(found & known)
    if len(some):
        first, second = inputs_at(plan, index, x, here[some], beyond[some])
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.maximum(TO_A_GAP, 1.0 / (np.sqrt(1.0 + before[some]) - 1.0))
            dh = tuple(far * (b - a) for a, b in zip(first, second, strict=True))
        found[some] = ~(plan.steps[index].clearance(first, dh) > 0)
    return found


def _way_before(between: Between, here: Floats, beyond: Floats) -> Floats:
    """Return how many times as far (n,) drivers move to places `here` (n,) from those beyond as on to the next ones."""
    z, before = between.schedule.at(np.stack((beyond, here, 2.0 * here - beyond))), np.full(len(here), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for one in z.values():
            # One that rests on both sides tells nothing.
            before = np.fmin(before, np.abs(one[1] - one[0]) / np.abs(one[2] - one[1]))
    return before


def _not_apart(between: Between, index: int, k: Indices, lost: Indices) -> tuple[Indices, list[float]]:
    """Return the stations, of some (n,), behind which parts of the interval leave open whether modes meet before a gap.

    And the places of the step's own gaps behind stations that are `lost` (m,). Only closed forms have their poses at
    any place between stations.
    """
    plan = between.plan
    on = (step for at, step in enumerate(plan.steps) if plan.behind[index] >> at & 1)
    if not len(k) or any(step.goes_from_lane_to_lane for step in on):
        return k, []
    # General groups, on which the step does not depend, are not solved.
    closed = replace(between, near=np.full_like(between.near, np.nan))
    low = k.astype(np.float64)
    high, gaps = low + 1.0, list[float]()
    for _ in range(ROUNDS):
        if not 0 < len(low) <= MOST * len(k):
            break
        low, high, inside = _open_parts(closed, index, low, high)
        gaps += inside[np.isin(inside.astype(np.intp), lost)].tolist()
    last = {int(place): place for place in sorted(gaps)}
    return np.unique(low.astype(np.intp)), [*last.values()]


def _open_parts(between: Between, index: int, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the parts of intervals (low, high) in which the modes of a step may meet: between their ends, or a gap.

    And the places at which the step has a gap of its own.
    """
    charge(LOOK * len(low))
    plan, last, n = between.plan, len(between.schedule) - 1, len(low)
    places = low + (high - low) * np.arange(-1, PARTS + 2)[:, None] / PARTS
    lanes = between.lanes(np.clip(places, 0, last).ravel(), index)
    values, vague = discriminant(plan, index, lanes), is_vague(plan, index, lanes)
    first = np.arange(n, n * (PARTS + 1))
    second, is_open = first + n, closes(plan, index, lanes, values)
    # At either end of an interval there is no part before or after.
    margins = np.zeros((2, PARTS, n))
    margins[0, 0], margins[1, -1] = np.inf, np.inf
    beside = np.ones((2, len(first))), margins.reshape(2, -1)
    meet = is_open[first] & is_open[second] & may_meet(plan, index, lanes.x[0], first, second, beside, n)
    meet |= vague[first] | vague[second]
    ends = np.flatnonzero(np.isnan(values[first]) != np.isnan(values[second]))
    ahead = np.isnan(values[first[ends]])
    here, beyond = np.where(ahead, second[ends], first[ends]), np.where(ahead, second[ends] + n, first[ends] - n)
    beyond[((places < 0) | (places > last)).ravel()[beyond]] = -1
    meet[ends] |= _meet(between, index, lanes.x[0], values, places.ravel(), here, beyond, near=True)
    inside = places.ravel()[first[values[first] < -LIMIT]]
    return places.ravel()[first[meet]], places.ravel()[second[meet]], inside[inside > 0]
