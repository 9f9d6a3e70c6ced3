"""The path of a triad in the loop over linkages, by the rule of `solve.tracking`. The text is compiled with the loop's.

The path is all places at which the ends of the bars have places: the stations, and where a gap of an earlier dyad
begins or ends places towards it, since a limit position of the triad's own counts there. From the sketch the triad is
followed to a limit position, or to the end of the inputs. The motion is resumed at the first place whose inputs have
come back near those of places with poses, if the straight way from there leads to it, and from there in both
directions. Whether that is so for `solve` too has to be certain (`triad_at` proves each way): a place to which the way
is steep may count or not, but then it must have the pose that the resumed motion comes to. Nothing else is decided.
Places that `solve` does not have only help to prove ways: the motion is not resumed there, nor from there.
"""

from __future__ import annotations

from math import floor, isnan, sqrt
from typing import Any

import numpy as np

from structkin.numerical_tolerances import ACROSS, COME_BACK, SAME_POSE
from structkin.solve.batch.clear_at import zero
from structkin.solve.batch.order import TRIAD
from structkin.solve.batch.pose_at import PARTS, Given, Room, Stations, keep, mark_needed, put_fixed, reach
from structkin.solve.batch.triad_at import (
    ARRIVED,
    LIMITED,
    NEAR,
    UNKNOWN,
    advance,
    astray,
    rates,
    set_constants,
    settle,
)

#: The end of the inputs is located in so many rounds.
ROUNDS = 10
#: Places towards each end of the inputs, each at half the way that is left.
TOWARDS = 32
#: They begin so many stations before, if there are so many.
BEFORE = 2
#: Where inputs may be this part of the size off their quintics, a way between stations is divided, and a part again, so
#: often.
COARSE, QUICK = 0.5**22, 4
#: Inputs have certainly come back, or not, if they are nearer or farther by this part of the size: between places the
#: path is straight.
MARGIN = 0.001
#: A straight way is certain for `solve` if it takes no shorter steps than this part of it.
EASY = 0.5**10
#: With shorter steps it passes near a limit position, and one from elsewhere may end there.
LONG = 0.5**6


def towards_gaps(
    k: Any, s: Any, ends: Any, given: Given, stations: Stations, b: Any, room: Room, wide: Room, more: Any
) -> int:
    """Write places towards the gaps in which the ends of a triad's bars have none; return how many, -1 if not known.

    `more` (places, 21) are their inputs, as by `put_inputs`, their angles, where they are between the stations: 1.5 is
    halfway from the second to the third; and 1 if the gap is one of a triad's, else 0. They begin up to two stations
    before, as inputs bend there already. `room` and `wide` are scratch.
    """
    (x, angles, speed), size, count, near = stations, PARTS + 1, 0, room.near
    some, own = room.angles, zero(k)
    at_ends, part = np.empty((3, 1, x.shape[2], 2, 2)), np.empty((1, 2))
    for i in range(angles.size - 1):
        has, has_next = has_inputs(x, b, ends, i), has_inputs(x, b, ends, i + 1)
        if has == has_next:
            continue
        if count == 0:
            need_ends(k, s, ends, given, room)
        on_triad = stands_on_a_gap(k, s, given, room, stations, b, i)
        if count + TOWARDS > len(more):
            return -1
        station = i if has else i + 1
        low, high = angles[station], angles[i + 1 if has else i]
        at, place, interval = stations, b, i
        for _ in range(ROUNDS):
            for j in range(size):
                some[j] = low + j * ((high - low) / PARTS)
            if not reach(k, s - 1, room, wide, given, at, place, interval):
                return -1
            first = 1
            while first < PARTS and has_inputs(near, own, ends, first):
                first += 1
            low, high = some[first - 1], some[first]
            keep(room, first - 1, part, at_ends, own)
            at, place, interval = Stations(at_ends, part[own], 1.0), own, own
        first, side = station, -1 if has else 1
        while (
            abs(first - station) < BEFORE and 0 <= first + side < angles.size and has_inputs(x, b, ends, first + side)
        ):
            first += side
        way, base, last = 1.0, angles[first], count + TOWARDS
        at, place, interval = stations, b, i
        while count < last:
            for j in range(size):
                way *= 0.5
                some[j] = low + way * (base - low)
            if not reach(k, s - 1, room, wide, given, at, place, interval):
                return -1
            keep(room, PARTS - 1, part, at_ends, own)
            at, place, interval = Stations(at_ends, part[own], 1.0), own, own
            for j in range(size):
                while first != station and (some[j] - angles[first - side]) * (base - low) < 0.0:
                    first -= side
                next_ = first - side
                if not has_inputs(near, own, ends, j) or some[j] == low or some[j] == angles[first]:
                    return -1
                put_inputs(near, own, ends, j, speed, more[count])
                more[count, 18] = some[j]
                more[count, 19] = first - side * (some[j] - angles[first]) / (angles[next_] - angles[first])
                more[count, 20] = on_triad
                count += 1
    return count


def need_ends(k: Any, s: Any, ends: Any, given: Given, room: Room) -> None:
    """Note that the ends of the bars of a triad are needed, and write the fixed joints."""
    room.needed[:] = False
    for j in range(3):
        room.needed[ends[j]] = True
    mark_needed(k, s - 1, room.needed, given.dyads, given.terms)
    put_fixed(k, zero(k), given.points, given.fixed, room.near)


def stands_on_a_gap(k: Any, s: Any, given: Given, room: Room, stations: Stations, b: Any, i: Any) -> bool:
    """Return whether one of the earlier triads that are needed has no pose at a station or the next one."""
    for at in range(s):
        q = given.dyads[k, at, 0]
        is_needed = given.dyads[k, at, 1] == TRIAD and room.needed[q]
        if is_needed and (isnan(stations.x[0, b, q, 0, i]) or isnan(stations.x[0, b, q, 0, i + 1])):
            return True
    return False


def between_stations(
    k: Any, s: Any, ends: Any, given: Given, stations: Stations, b: Any, room: Room, wide: Room, more: Any, count: Any
) -> Any:
    """Write more places than `count`, as `towards_gaps`, between stations where inputs are far off their quintics.

    They are no places of `solve`, and end with -1. Return how many there are then, -1 if it is not known what is there.
    """
    (x, angles, speed), size, near = stations, PARTS + 1, room.near
    some, waiting = room.angles, np.empty((PARTS * QUICK, 3))
    own, at_ends = zero(k), np.empty((3, PARTS * QUICK, x.shape[2], 2, 2))
    start, end, y, z = np.empty(20), np.empty(20), np.empty((3, 10)), np.empty((3, 10))
    need_ends(k, s, ends, given, room)
    for i in range(angles.size - 1):
        if not (has_inputs(x, b, ends, i) and has_inputs(x, b, ends, i + 1)):
            continue
        put_inputs(x, b, ends, i, 1.0, start)
        put_inputs(x, b, ends, i + 1, 1.0, end)
        step = angles[i + 1] - angles[i]
        take_inputs(start, step / speed, y)
        take_inputs(end, step / speed, z)
        left = 1 if astray(y, z) > COARSE * given.constants[k, s, 2] else 0
        waiting[0, 0], waiting[0, 1], waiting[0, 2] = angles[i], angles[i + 1], 0.0
        while left:
            left -= 1
            low, way, depth = waiting[left, 0], (waiting[left, 1] - waiting[left, 0]) / PARTS, waiting[left, 2]
            for j in range(size):
                some[j] = low + j * way
            at, place, interval = stations, b, i
            if depth > 0.0:
                at, place, interval = Stations(at_ends, waiting[left], 1.0), left, own
            is_known = reach(k, s - 1, room, wide, given, at, place, interval)
            if not is_known or count + size > len(more):
                return -1
            for j in range(size):
                if not has_inputs(near, zero(b), ends, j):
                    return -1
                put_inputs(near, zero(b), ends, j, speed, more[count])
                more[count, 18], more[count, 19], more[count, 20] = some[j], i + (some[j] - angles[i]) / step, -1.0
                take_inputs(more[count], way / speed, z)
                if j > 0 and depth < QUICK and astray(y, z) > COARSE * given.constants[k, s, 2]:
                    keep(room, j - 1, waiting, at_ends, left)
                    waiting[left, 2] = depth + 1.0
                    left += 1
                y[:] = z
                # The ends of a part are there already.
                count += 0 < j < PARTS
    return count


def has_inputs(x: Any, b: Any, ends: Any, i: Any) -> bool:
    """Return whether the ends of a triad's bars have places at a station."""
    return not (isnan(x[0, b, ends[0], 0, i]) or isnan(x[0, b, ends[1], 0, i]) or isnan(x[0, b, ends[2], 0, i]))


def put_inputs(x: Any, b: Any, ends: Any, i: Any, speed: Any, inputs: Any) -> None:
    """Write the places of the ends of a triad's bars at a station, and their rates times powers of a speed."""
    by = 1.0
    for order in range(3):
        for j in range(3):
            inputs[6 * order + 2 * j] = x[order, b, ends[j], 0, i] * by
            inputs[6 * order + 2 * j + 1] = x[order, b, ends[j], 1, i] * by
        by *= speed


def take_inputs(inputs: Any, time: Any, y: Any) -> None:
    """Write inputs with rates by parts of a way of so much `time`."""
    by = 1.0
    for order in range(3):
        for j in range(6):
            y[order, j] = inputs[6 * order + j] * by
        by *= time


def laid(x: Any, b: Any, ends: Any, angles: Any, more: Any, count: Any, parts: Any) -> Any:
    """Return the path of a triad: its places in order, as in `more`; one station in `parts` is of `solve`."""
    n, size = angles.size, zero(count)
    path = np.empty((n + count, 21))
    for i in range(n):
        if has_inputs(x, b, ends, i):
            put_inputs(x, b, ends, i, 1.0, path[size])
            path[size, 18], path[size, 19], path[size, 20] = angles[i], i, 0.0 if i % parts == 0 else -1.0
            size += 1
    if count:
        path[size : size + count] = more[:count]
        return path[np.argsort(path[: size + count, 19])]
    return path[:size]


def give_joints(y: Any, x: Any, b: Any, joints: Any, i: Any, time: Any, c: Any) -> None:
    """Write the motions of the joints (3,) of a triad at a station."""
    by = 1.0
    for order in range(3):
        X, Y, U, V = y[order, 6] * by, y[order, 7] * by, y[order, 8] * by, y[order, 9] * by
        by /= time
        x[order, b, joints[0], 0, i], x[order, b, joints[0], 1, i] = X, Y
        x[order, b, joints[1], 0, i], x[order, b, joints[1], 1, i] = X + c[6] * U, Y + c[6] * V
        x[order, b, joints[2], 0, i] = X + c[8] * U - c[9] * V
        x[order, b, joints[2], 1, i] = Y + c[9] * U + c[8] * V


def follow(
    first: Any,
    last: Any,
    path: Any,
    found: Any,
    x: Any,
    b: Any,
    joints: Any,
    speed: Any,
    c: Any,
    some: Any,
    J: Any,
    B: Any,
    R: Any,
) -> tuple[int, bool]:
    """Follow a triad from a place to another, or to a limit position; return the last place, and whether it is known.

    `found` (places, 5) are the poses and determinants, of which one is 0 where there is no pose.
    """
    k, ahead, before, third = first, 1 if last > first else -1, 1.0, np.zeros(10)
    y, z, start, end = some[0], some[1], some[2], some[3]
    take_inputs(path[k], 1.0, y)
    y[0, 6:] = found[k, :4]
    rates(y, c)
    i = station_of(path, k)
    if i >= 0:
        give_joints(y, x, b, joints, i, 1.0, c)
    while k != last:
        time = (path[k + ahead, 18] - path[k, 18]) / speed
        if not abs(found[k, 4]) > NEAR:
            return k, False
        determinant = found[k, 4]
        # The same angle may be given twice.
        if time != 0.0:
            ratio, before = time / before, time
            for j in range(10):
                y[1, j] *= ratio
                y[2, j] *= ratio * ratio
                third[j] *= ratio * ratio * ratio
                start[0, j], start[1, j], start[2, j] = y[0, j], y[1, j], y[2, j]
            take_inputs(path[k + ahead], time, end)
            where, determinant, _ = advance(y, z, start, end, c, determinant, third, some[4], J, B, R)
            if where != ARRIVED:
                return k, where == LIMITED
        k += ahead
        for j in range(4):
            found[k, j] = y[0, 6 + j]
        found[k, 4] = determinant
        i = station_of(path, k)
        if i >= 0:
            give_joints(y, x, b, joints, i, before, c)
    return k, abs(found[k, 4]) > NEAR


def come_back(
    k: Any,
    count: Any,
    within: Any,
    first: Any,
    path: Any,
    found: Any,
    at_limits: Any,
    unsure: Any,
    is_last: Any,
    c: Any,
    some: Any,
    J: Any,
    B: Any,
    R: Any,
) -> int:
    """Return the first place from `first` on at which a motion that has ended at place k is resumed, and find its pose.

    Return `count`, the number of places, where there is none, and -1 if it is not known. Where a pose is found to which
    `solve` may not come, it is noted in `unsure` (places, 5) as in `found`. `at_limits` (places, 10) are poses on the
    way from places to limit positions, beginning with NaN where there is none. Where `solve` may have stations of which
    nothing is known here, the nearest place of all and the nearest such pose have to lead to the same.
    """
    y = some[0]
    unsure[:, 4] = 0.0
    for j in range(first, count):
        if is_last and path[j, 20] < 0.0:
            continue
        p, least, q, less, at, nearest = -1, 0.0, -1, 0.0, -1, 0.0
        for i in range(k + 1):
            if found[i, 4] != 0.0:
                far = squared(path[i], path[j])
                if (p < 0 or far < least) and path[i, 20] == 0.0:
                    p, least = i, far
                if q < 0 or far < less:
                    q, less = i, far
                if not isnan(at_limits[i, 0]):
                    far = squared(at_limits[i], path[j])
                    if at < 0 or far < nearest:
                        at, nearest = i, far
        far = away(path, found, j, p, k, True) / c[0]
        where, determinant, step = LIMITED, 0.0, 1.0
        if far <= within + MARGIN:
            where, determinant, step = go_back(path[p], found[p, :4], path[j], c, some, J, B, R)
        if where == UNKNOWN:
            return -1
        unsure[j, :4] = y[0, 6:]
        # It adds stations where a triad moves fast that moves another one, and beside gaps.
        is_sure = is_last and far < within - MARGIN and (where == LIMITED or step > LONG)
        may_differ = False
        for other in range(0 if is_sure else 2):
            if other == 0:
                off, here, pose_here = away(path, found, j, q, k, False) if q != p else np.inf, path[q], found[q, :4]
            else:
                is_near = at >= 0 and nearest < least
                off = sqrt(squared_from_way(path[at], at_limits[at], path[j])) if is_near else np.inf
                here, pose_here = at_limits[at], at_limits[at, 6:]
            if not off <= c[0] * (within + MARGIN):
                continue
            leads, its, _ = go_back(here, pose_here, path[j], c, some, J, B, R)
            if leads == UNKNOWN or (leads == where == ARRIVED and is_another(unsure[j], y[0, 6:], c)):
                return -1
            may_differ |= leads != where
            if leads == ARRIVED and where == LIMITED:
                where, determinant = leads, its
                unsure[j, :4] = y[0, 6:]
        if where == LIMITED:
            continue
        if not may_differ and far < within - MARGIN and step > EASY and path[j, 20] == 0.0:
            found[j, :4], found[j, 4] = unsure[j, :4], determinant
            return j
        unsure[j, 4] = determinant
    return -1 if np.any(unsure[:, 4] != 0.0) else count


def go_back(
    here: Any, pose_here: Any, there: Any, c: Any, some: Any, J: Any, B: Any, R: Any
) -> tuple[int, float, float]:
    """Go the straight way from inputs with a pose to others, as `advance`; the pose there is left in `some[0]`."""
    y, z, start, end, third = some[0], some[1], some[2], some[3], np.zeros(10)
    for m in range(6):
        start[0, m], end[0, m] = here[m], there[m]
        y[0, m], y[1, m], y[2, m] = here[m], there[m] - here[m], 0.0
        start[1, m], end[1, m], start[2, m], end[2, m] = y[1, m], y[1, m], 0.0, 0.0
    y[0, 6:] = pose_here
    determinant = settle(y, c)
    return advance(y, z, start, end, c, determinant, third, some[4], J, B, R)


def is_another(one: Any, other: Any, c: Any) -> bool:
    """Return whether a pose (4,) is another one."""
    differ = False
    for m in range(4):
        differ |= not abs(one[m] - other[m]) < SAME_POSE * (c[0] if m < 2 else 1.0)
    return differ


def triad_between(
    stations: Stations, b: Any, joints: Any, ends: Any, constants: Any, i: Any, angles: Any, near: Any
) -> bool:
    """Follow a triad through angles between station i and the next, from its motion there; return whether it is sure.

    `near` holds the ends of its bars at these angles, with rates by the angle, as its joints are written: NaN behind a
    limit position or the end of the inputs. There are none between two stations with poses.
    """
    x, at, speed = stations
    c, J, B, R, some = np.empty(11), np.empty((3, 3)), np.empty((3, 3)), np.empty(9), np.empty((5, 3, 10))
    y, z, start, end, inputs, third = some[0], some[1], some[2], some[3], np.empty(20), np.empty(10)
    set_constants(c, constants)
    has, has_next, count, is_over = True, True, angles.size, False
    for j in range(3):
        has = has and not isnan(x[0, b, joints[j], 0, i])
        has_next = has_next and not isnan(x[0, b, joints[j], 0, i + 1])
    if not (has or has_next):
        return False
    first = i if has else i + 1
    put_inputs(x, b, ends, first, 1.0 / speed, inputs)
    take_inputs(inputs, 1.0, y)
    y[0, 6], y[0, 7] = x[0, b, joints[0], 0, first], x[0, b, joints[0], 1, first]
    y[0, 8] = (x[0, b, joints[1], 0, first] - y[0, 6]) / c[6]
    y[0, 9] = (x[0, b, joints[1], 1, first] - y[0, 7]) / c[6]
    determinant, here = settle(y, c), at[first]
    is_forward = abs(angles[0] - here) <= abs(angles[count - 1] - here)
    for m in range(count):
        j = m if is_forward else count - 1 - m
        is_over = is_over or not has_inputs(near, zero(b), ends, j)
        way = angles[j] - here
        if way != 0.0 and not is_over:
            put_inputs(near, zero(b), ends, j, 1.0, inputs)
            take_inputs(inputs, way, end)
            for one in range(10):
                y[1, one], y[2, one], third[one] = y[1, one] * way, y[2, one] * way * way, 0.0
                start[0, one], start[1, one], start[2, one] = y[0, one], y[1, one], y[2, one]
            where, determinant, _ = advance(y, z, start, end, c, determinant, third, some[4], J, B, R)
            if where == UNKNOWN:
                return False
            is_over, here = where == LIMITED, angles[j]
            for one in range(10):
                y[1, one], y[2, one] = y[1, one] / way, y[2, one] / (way * way)
        if is_over:
            for one in range(3):
                near[:, 0, joints[one], :, j] = np.nan
        else:
            give_joints(y, near, zero(b), joints, j, 1.0, c)
    # What is behind a gap belongs to no station without a pose.
    both = has and has_next
    return not both if is_over else both or here != at[2 * i + 1 - first]


def away(path: Any, found: Any, j: Any, p: Any, k: Any, is_own: Any) -> Any:
    """Return how far the inputs at place j are from those between place p and the places beside it, up to place k [m].

    Those that `solve` has count alone if place p is its own.
    """
    least = squared(path[p], path[j])
    for side in (-1, 1):
        q = p + side
        while is_own and 0 <= q <= k and path[q, 20] != 0.0:
            q += side
        if 0 <= q <= k and found[q, 4] != 0.0:
            least = min(least, squared_from_way(path[p], path[q], path[j]))
    return sqrt(least)


def squared_from_way(here: Any, beyond: Any, there: Any) -> Any:
    """Return the squared distance of inputs from those between two others [m^2]."""
    length, along, far = 0.0, 0.0, 0.0
    for m in range(6):
        step = beyond[m] - here[m]
        length += step * step
        along += (there[m] - here[m]) * step
    part = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
    for m in range(6):
        off = there[m] - here[m] - part * (beyond[m] - here[m])
        far += off * off
    return far


def squared(here: Any, there: Any) -> Any:
    """Return the squared distance of two inputs [m^2]."""
    far = 0.0
    for m in range(6):
        far += (here[m] - there[m]) * (here[m] - there[m])
    return far


def is_joined(path: Any, k: Any) -> Any:
    """Return whether no station without inputs lies between two places that follow each other, the first of them k."""
    return path[k + 1, 19] <= floor(path[k, 19]) + 1.0


def is_hidden(path: Any, k: Any, end: Any) -> Any:
    """Return whether `solve` may not see a limit position behind place k: it has no place that is sure up to the end.

    Towards a gap of an earlier triad it has the stations alone, and those that it adds where links turn fast.
    """
    j, step = k, 1 if end > k else -1
    while j != end:
        j += step
        if path[j, 20] == 0.0:
            return False
    return k != end


def station_of(path: Any, k: Any) -> int:
    """Return the station at a place, -1 where there is none."""
    return int(path[k, 19]) if path[k, 19] == floor(path[k, 19]) else -1


def triad(
    stations: Stations,
    b: Any,
    joints: Any,
    ends: Any,
    constants: Any,
    sketch: Any,
    determinants: Any,
    more: Any,
    count: Any,
    parts: Any,
    is_last: Any,
    parted: Any,
) -> bool:
    """Find a triad at all stations; return whether it is certain where `Mechanism.solve` has a pose, and which one.

    `joints` (3,) are its own, `ends` (3,) the other ends of their bars, `sketch` (joints, 2) is where it starts, and
    `determinants` (n,) are those of its poses. `more` are `count` places of `towards_gaps`. Stations behind a gap that
    lies between them and the one before are noted as `parted` (n,): they have no pose, though one is found.
    """
    (x, angles, speed), n = stations, len(determinants)
    path = laid(x, b, ends, angles, more, count, parts)
    size = len(path)
    found, unsure, at_limits = np.zeros((size, 5)), np.zeros((size, 5)), np.full((size, 10), np.nan)
    is_cut = np.zeros(size, np.bool_)
    c, J, B, R, some = np.empty(11), np.empty((3, 3)), np.empty((3, 3)), np.empty(9), np.empty((5, 3, 10))
    set_constants(c, constants)
    if size == 0 or path[0, 19] != 0.0:
        return False
    y = some[0]
    take_inputs(path[0], 1.0, y)
    y[0, 6], y[0, 7] = sketch[joints[0], 0], sketch[joints[0], 1]
    y[0, 8], y[0, 9] = (sketch[joints[1], 0] - y[0, 6]) / c[6], (sketch[joints[1], 1] - y[0, 7]) / c[6]
    found[0, 4] = settle(y, c)
    found[0, :4] = y[0, 6:]
    begin, k, after = zero(n), zero(n), zero(n)
    while True:
        last = begin
        while last + 1 < size and is_joined(path, last):
            last += 1
        k, is_known = follow(begin, last, path, found, x, b, joints, speed, c, some, J, B, R)
        if not is_known:
            return False
        if k + 1 >= size:
            break
        if is_hidden(path, k, last):
            return False
        if k < last:
            at_limits[k] = some[0, 0]
        follows = is_joined(path, k)
        after = k + 1
        within = COME_BACK if follows else ACROSS
        begin = come_back(k, size, within, after + follows, path, found, at_limits, unsure, is_last, c, some, J, B, R)
        if begin < 0:
            return False
        if begin == size:
            break
        first = begin
        while first > after and is_joined(path, first - 1):
            first -= 1
        last, is_known = follow(begin, first, path, found, x, b, joints, speed, c, some, J, B, R)
        if not is_known or is_hidden(path, last, first):
            return False
        if last > first:
            at_limits[last] = some[0, 0]
        for j in range(after, begin):
            if unsure[j, 4] != 0.0 and is_another(unsure[j], found[j], c):
                return False
        is_cut[after] = follows and last == after
    determinants[:] = np.nan
    was_posed, is_lost = False, False
    for k in range(size):
        is_posed, i = found[k, 4] != 0.0, station_of(path, k)
        is_lost |= is_cut[k]
        if is_posed and i >= 0:
            parted[i] |= is_lost
            determinants[i] = np.nan if is_lost else found[k, 4]
        is_lost = i < 0 and (is_lost or (was_posed and not is_posed))
        was_posed = is_posed or (i < 0 and was_posed)
        if k + 1 < size and not is_joined(path, k):
            was_posed, is_lost = False, False
    for i in range(n):
        if isnan(determinants[i]):
            x[:, b, joints[0], :, i], x[:, b, joints[1], :, i], x[:, b, joints[2], :, i] = np.nan, np.nan, np.nan
    return True
