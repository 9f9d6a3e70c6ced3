"""The loop over a table of linkages. The text is compiled, with the formulas of cranks and dyads that `loop` writes.

The loop also certifies that no dyad passes a change point or a gap between two stations, by the rules of
`solve.change_points`: where a discriminant is not even, clearance decides (`clear_at`), over the interval or over parts
of it. Triads prove their steps themselves (`triad_at`, `triad_path_at`). Linkages for which this proves nothing are
doubtful, and solved one by one.
"""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np

from structkin.numerical_tolerances import LIMIT, WHOLE
from structkin.plan.status import Status
from structkin.solve.batch.clear_at import (
    BEYOND_BARS,
    Gaps,
    decide,
    flag,
    flag_ends,
    inherit,
    is_near,
    is_rigid,
    mark_abrupt,
    note_ends,
    suspect,
    zero,
)
from structkin.solve.batch.order import GUIDE, TRIAD, Way
from structkin.solve.batch.pose_at import (
    LANES,
    PARTS,
    TRIADS,
    Given,
    Room,
    Stations,
    add_up,
    crank,
    dyad,
    keep,
    mark_needed,
    pose,
    put_fixed,
    reach,
)
from structkin.solve.change_points.beside_gaps import DIVISIONS, LOCATED

LOST = int(Status.OUT_OF_REACH)
#: A station that is lost, though a pose lies between it and the station before, which is lost too.
BEHIND_A_POSE = -LOST
#: Stations of a piece: where the ends of a dyad have no places in a whole piece it is not solved.
PIECE = 2 * LANES
#: Parts of an interval that clearance does not decide are divided so often; and how many of them are divided at most.
#: That takes milliseconds, and `solve` half a second.
DEPTH, DIVIDED = 6, 1000
#: Divided so often, an interval around the limit position of a triad is too narrow to tell where that is.
NARROW = 2
#: Just behind a station is so small a part of an interval away.
BEHIND = 1e-3
#: Parts that may wait meanwhile.
WAITING = 256
#: How linkages with triads are solved.
WITH_TRIADS = int(Way.TRIADS)
#: Places at most, towards gaps, at which the inputs of a triad are found.
PLACES = 1024


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
    """Find a triad at all stations; from `triad_path_at`, as the next one."""
    raise NotImplementedError


def towards_gaps(
    k: Any, s: Any, ends: Any, given: Given, stations: Stations, b: Any, room: Room, wide: Room, more: Any
) -> int:
    """Write places towards the gaps in which the ends of a triad's bars have none; from `triad_path_at`."""
    raise NotImplementedError


def between_stations(
    k: Any, s: Any, ends: Any, given: Given, stations: Stations, b: Any, room: Room, wide: Room, more: Any, count: Any
) -> Any:
    """Write more places, between stations where inputs move quickly; from `triad_path_at`."""
    raise NotImplementedError


def begins_behind_a_pose(
    k: Any,
    s: Any,
    lost: Any,
    start: Any,
    place: Any,
    room: Room,
    work: Any,
    given: Given,
    stations: Stations,
    own: Any,
    station: Any,
    has_triad: Any,
) -> int:
    """Return whether a dyad's gap at a place begins behind a pose, where `lost` is the first dyad lost at the start.

    It is 0 for no, 1 for yes, and 2 if that is not sure. The rule is that of `change_points.beside_gaps`, where
    stations are added between two gaps: two may overlap, and the other one's dyad stop before this one. Triads are
    closed from the station behind. Their `own` place and their `station` see `pose`. `room` and `work` are scratch.
    """
    room.needed[:] = True
    if TRIADS and has_triad and lacks_a_triad(k, given, room.needed, stations.x, own, station + 1, station + 1):
        return 0
    put_fixed(k, zero(k), given.points, given.fixed, room.near)
    # Of a pose these two dyads are solved first: mostly one or the other has no place.
    found = pose_before(k, s, lost, start, place, room, work, given, stations, own, station, has_triad, False)
    if found != 1:
        return found
    return pose_before(k, s, lost, start, place, room, work, given, stations, own, station, has_triad, True)


def pose_before(
    k: Any,
    s: Any,
    lost: Any,
    low: Any,
    high: Any,
    room: Room,
    work: Any,
    given: Given,
    stations: Stations,
    own: Any,
    station: Any,
    has_triad: Any,
    whole: Any,
) -> int:
    """Return whether there is a pose before the gap of a dyad, as `begins_behind_a_pose`: of the `whole` linkage.

    Else one of this dyad and of the one that is lost.
    """
    b, near, needed, dyads = zero(k), room.near, room.needed, given.dyads
    angles, (waiting, _, _, at_ends) = room.angles, work
    q, one, two, other = dyads[k, s, 0], dyads[k, s, 1], dyads[k, s, 2], dyads[k, lost, 0]
    up_to = given.counts[k] - 1 if whole else max(s, lost)
    needed[:] = whole
    if not whole:
        needed[q], needed[other] = True, True
        mark_needed(k, up_to, needed, dyads, given.terms)
    for narrowed in range(LOCATED):
        step, last = (high - low) / DIVISIONS, -1
        for i in range(DIVISIONS):
            angles[i] = low + i * step
        if not pose(k, up_to, room, given, stations, own, station):
            return 2 if narrowed < NARROW else 0
        for i in range(DIVISIONS):
            is_posed = not (isnan(near[0, b, q, 0, i]) or isnan(near[0, b, other, 0, i]))
            if is_posed and whole:
                is_posed = first_lost(near, b, i, k, dyads, given.counts) < 0
            if is_posed:
                return 1
            has_ends = not isnan(near[0, b, one, 0, i]) and (two < 0 or not isnan(near[0, b, two, 0, i]))
            if not (has_ends and isnan(near[0, b, q, 0, i])):
                last = i
        if last < 0:
            return 0
        low, high = angles[last], angles[last] + step
        if TRIADS and has_triad:
            keep(room, min(last, DIVISIONS - 2), waiting, at_ends, b)
            stations, own, station = Stations(at_ends, waiting[b], 1.0), b, b
            if lacks_a_triad(k, given, needed, at_ends, b, b, b + 1):
                return 0
    return 0


def lacks_a_triad(k: Any, given: Given, needed: Any, x: Any, b: Any, i: Any, j: Any) -> bool:
    """Return whether one of the triads that are needed of a linkage has no pose at either of two stations."""
    for s in range(given.counts[k]):
        q = given.dyads[k, s, 0]
        if given.dyads[k, s, 1] == TRIAD and needed[q] and isnan(x[0, b, q, 0, i]) and isnan(x[0, b, q, 0, j]):
            return True
    return False


def first_lost(x: Any, b: Any, i: Any, k: Any, dyads: Any, counts: Any) -> int:
    """Return the first dyad of a linkage whose joint has no place at a station, -1 if all have."""
    for s in range(counts[k]):
        if isnan(x[0, b, dyads[k, s, 0], 0, i]):
            return s
    return -1


def is_lost_behind(k: Any, i: Any, room: Room, given: Given, stations: Stations, b: Any) -> bool:
    """Return whether it is certain that a linkage has no pose just behind a station, whatever is at the station."""
    angles, near = stations.angles, room.near
    if i + 1 == angles.size:
        return False
    room.needed[:] = True
    put_fixed(k, zero(k), given.points, given.fixed, near)
    for j in range(room.angles.size):
        room.angles[j] = angles[i] + BEHIND * (j + 1) * (angles[i + 1] - angles[i])
    is_known = pose(k, given.counts[k] - 1, room, given, stations, b, i)
    return is_known and first_lost(near, zero(k), zero(k), k, given.dyads, given.counts) >= 0


def run_of(has: Any, one: Any, two: Any, first: Any) -> tuple[Any, Any]:
    """Return the next pieces, from the first to before the last one, in which the ends of a dyad have places."""
    count = has.shape[1]
    while first < count and not (has[one, first] and (two < 0 or has[two, first])):
        first += 1
    last = first
    while last < count and has[one, last] and (two < 0 or has[two, last]):
        last += 1
    return first, last


def lose(discriminant: Any, status: Any, flat: Any) -> int:
    """Set the status of stations at which a dyad does not close; return at how many a length may be lacking."""
    near = 0
    for i in range(discriminant.size):
        is_lost = discriminant[i] <= LIMIT
        near += is_lost & (discriminant[i] > -flat)
        status[i] = LOST if is_lost else status[i]
    return near


def has_some(discriminant: Any) -> bool:
    """Return whether a dyad closes at one of some stations."""
    found = 0
    for i in range(discriminant.size):
        found += discriminant[i] >= 0.0
    return found > 0


def judge(k: Any, first: Any, last: Any, given: Given, stays: Any, rigid: Any) -> None:
    """Note which dyads, from the first to the last one, have ends that keep their distance.

    `stays` (joints, joints) says of which joints up to there that is known; nothing before the first dyad is judged.
    """
    fixed, motor, dyads = given.fixed, given.motor, given.dyads
    if first == 0:
        for q in range(len(stays)):
            for j in range(len(stays)):
                stays[q, j] = fixed[k, q] and fixed[k, j]
        pivot, pin = motor[k, 0], motor[k, 1]
        stays[pivot, pin], stays[pin, pivot] = True, True
    for s in range(first, last + 1):
        q, one, two = dyads[k, s, 0], dyads[k, s, 1], dyads[k, s, 2]
        if not ((TRIADS and one < 0) or (BEYOND_BARS and two < GUIDE)):
            rigid[s] = is_rigid(stays, q, one, two)


def search(
    k: Any,
    s: Any,
    start: Any,
    end: Any,
    given: Given,
    stations: Stations,
    own: Any,
    station: Any,
    room: Room,
    wide: Room,
    work: Any,
) -> tuple[int, float]:
    """Return what is between two angles, and the last angle that is known to lie in a gap.

    It is 0 for no zero of a dyad's discriminant, 1 for a gap, and 2 for what is not decided. Clearance decides in all
    parts: what moves the dyad may itself be near a gap, and move abruptly. For triads, their `own` place and their
    `station` see `pose`; within parts they are followed from the ends of these. `room`, `wide` and `work` are scratch.
    """
    size, angles, (waiting, flagged, parts, at_ends) = PARTS + 1, room.angles, work
    near, discriminant, needed = room.near, room.discriminant, room.needed
    apart, flat = given.apart[k], given.flat[k, s]
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = start, end, 0.0
    count, tried, found, b, begin, last = 1, 0, 0, zero(s), start, start
    # Only what the dyad depends on is solved.
    needed[:] = False
    needed[given.dyads[k, s, 0]] = True
    mark_needed(k, s, needed, given.dyads, given.terms)
    one, two, constants = given.dyads[k, s, 1], given.dyads[k, s, 2], given.constants[k, s]
    if TRIADS and one < 0:
        return 2, last
    while count:
        count -= 1
        tried += 1
        start, step, level = waiting[count, 0], (waiting[count, 1] - waiting[count, 0]) / PARTS, waiting[count, 2]
        if level > DEPTH or tried > DIVIDED or count > WAITING - PARTS:
            return 2, last
        for i in range(size):
            angles[i] = start + i * step
        parts.steps[:] = step
        if TRIADS and tried > 1:
            stations, own, station = Stations(at_ends, waiting[count], 1.0), count, b
        if not reach(k, s, room, wide, given, stations, own, station):
            return 2, last
        for i in range(size):
            if discriminant[i] <= LIMIT:
                if discriminant[i] >= -LIMIT or is_near(near, b, one, two, i, constants, apart, discriminant, flat):
                    return 2, last
                found = 1
                if abs(angles[i] - begin) > abs(last - begin):
                    last = angles[i]
        flags = flag(discriminant, parts.is_end, flagged, b, s)
        if flags:
            decide(near, b, k, angles, 1.0, given.dyads, given.constants, apart, flagged, flags)
        for at in range(flags):
            if not flagged[at, 2]:
                keep(room, flagged[at, 1], waiting, at_ends, count)
                waiting[count, 2] = level + 1.0
                count += 1
        ends = flag_ends(near, b, one, two, constants, discriminant, flagged, b, s, parts, PARTS)
        for at in range(ends):
            # Towards a gap parts are divided until little of the way is left, not of the angle.
            keep(room, flagged[at, 1], waiting, at_ends, count)
            waiting[count, 2] = level
            count += 1
    return found, last


def solve(
    x: Any,
    status: Any,
    doubtful: Any,
    angles: Any,
    speed: Any,
    circle: Any,
    first: Any,
    low: Any,
    high: Any,
    dyads: Any,
    counts: Any,
    constants: Any,
    terms: Any,
    flat: Any,
    apart: Any,
    modes: Any,
    ways: Any,
    points: Any,
    fixed: Any,
    motor: Any,
    discriminant: Any,
    flagged: Any,
    steep: Any,
    edges: Any,
    unseen: Any,
    is_finer: Any,
    guard: Any,
    parts: Any,
) -> int:
    """Solve linkages from `low` to `high` into places from `first` on; return how many are `doubtful`, and left.

    Where stations are finer than the samples, some are `BEHIND_A_POSE`. One station in so many `parts` is of
    `Mechanism.solve`.
    """
    n, joints, left = circle.shape[2], points.shape[1], 0
    abrupt, is_abrupt = np.zeros((joints, n - 1), np.bool_), np.zeros(joints, np.bool_)
    marks, parted = np.zeros(n + 1, np.bool_), np.zeros(n if TRIADS else 0, np.bool_)
    turns = abs(angles[-1] - angles[0]) / (2.0 * np.pi)
    around = n - 1 if turns > 0.5 and abs(turns - round(turns)) < WHOLE else 0
    is_end, ends = np.zeros(n - 1, np.bool_), np.empty(n - 1, np.int64)
    gaps = Gaps(np.diff(angles) / speed, around, np.empty(n - 1), is_end, ends)
    more = np.empty((PLACES if TRIADS else 0, 21))
    stays, (rigid, is_flat) = np.zeros((joints, joints), np.bool_), np.zeros((2, joints), np.bool_)
    given = Given(dyads, counts, constants, terms, flat, apart, modes, points, fixed, motor)
    stations, size, needed = Stations(x, angles.copy(), speed), PARTS + 1, np.zeros(joints, np.bool_)
    room = Room(np.empty((3, 1, joints, 2, size)), np.zeros((3, 2, size)), np.empty(size), needed, np.empty(size))
    wide = Room(
        *(np.empty((3, 1, joints, 2, DIVISIONS)), np.zeros((3, 2, DIVISIONS)), np.empty(DIVISIONS), needed),
        np.empty(DIVISIONS),
    )
    pieces = Gaps(np.empty(PARTS), zero(n), np.ones(PARTS), np.ones(PARTS, np.bool_), np.arange(PARTS))
    at_ends = np.empty((3, WAITING if TRIADS else 0, joints, 2, 2))
    work = np.empty((WAITING, 3)), np.empty((PARTS, 3), np.int64), pieces, at_ends
    begun = np.empty((joints * n if is_finer else 0, 2), np.int64)
    # The pieces of stations at which a joint may have places.
    has = np.empty((joints, (n + PIECE - 1) // PIECE), np.bool_)
    for k in range(low, high):
        b, flags, flats, gap, ends_of_gaps = k - first, zero(k), zero(k), zero(k), zero(k)
        has_triad = TRIADS and ways[k] == WITH_TRIADS
        is_abrupt[:], gaps.is_end[:], rigid[:], is_flat[:] = False, False, False, False
        has[:], parted[:] = True, False
        status[b] = 0
        doubtful[b] = ways[k] != 0 and not has_triad
        if doubtful[b]:
            left += 1
            continue
        put_fixed(k, b, points, fixed, x)
        judged = zero(k)
        crank(circle, x, b, k, motor, points)
        for s in range(counts[k]):
            q, one, two = dyads[k, s, 0], dyads[k, s, 1], dyads[k, s, 2]
            if TRIADS and one == TRIAD:
                some, ends = dyads[k, s : s + 3, 0], dyads[k, s : s + 3, 2]
                own, sketch = constants[k, s : s + 3], points[k]
                is_last = not np.any(dyads[k, s + 3 : counts[k], 1] == TRIAD)
                count = towards_gaps(k, s, ends, given, stations, b, room, wide, more)
                is_known = (
                    not doubtful[b]
                    and count >= 0
                    and triad(stations, b, some, ends, own, sketch, discriminant, more, count, parts, is_last, parted)
                )
                if not is_known and not doubtful[b] and count >= 0:
                    before = count
                    count = between_stations(k, s, ends, given, stations, b, room, wide, more, count)
                    is_known = count > before and triad(
                        stations, b, some, ends, own, sketch, discriminant, more, count, parts, is_last, parted
                    )
                if not is_known:
                    doubtful[b] = True
                    break
                for i in range(n):
                    if isnan(discriminant[i]) and status[b, i] == 0 and not parted[i]:
                        status[b, i] = LOST
                    discriminant[i] *= discriminant[i]
                ends_of_gaps = note_ends(discriminant, marks, gaps, ends_of_gaps)
                for at in range(ends_of_gaps):
                    # A triad's gap may begin anywhere in an interval.
                    gaps.parts[gaps.ends[at]] = 1.0
                for j in range(3):
                    inherit(abrupt, is_abrupt, q, ends[j])
                if suspect(discriminant, steep)[1]:
                    mark_abrupt(discriminant, steep, marks, abrupt, is_abrupt, q)
                inherit(abrupt, is_abrupt, some[1], q)
                inherit(abrupt, is_abrupt, some[2], q)
            if TRIADS and one < 0:
                continue
            if BEYOND_BARS and two < GUIDE:
                add_up(x, b, circle, q, one, GUIDE - two, terms[k], constants[k, s])
                for t in range(one, one + GUIDE - two):
                    inherit(abrupt, is_abrupt, q, int(terms[k, t, 0]))
                continue
            # Where its ends have no places it has none.
            bad, open_, first_piece, done = 0, 0, 0, 0
            while done < n:
                first_piece, last_piece = run_of(has, one, two, first_piece)
                begin, end = min(n, first_piece * PIECE), min(n, last_piece * PIECE)
                if begin > done:
                    discriminant[done:begin], x[:, b, q, :, done:begin] = nan, nan
                    has[q, done // PIECE : first_piece] = False
                if end > begin:
                    dyad(x, b, one, two, q, discriminant, modes[k, s], constants, fixed, k, s, begin, end)
                    if end < n:
                        discriminant[end] = nan
                    some = discriminant[begin:end]
                    more_bad, more_open = suspect(some, steep)
                    if more_bad:
                        if lose(some, status[b, begin:end], flat[k, s]):
                            for i in range(begin, end):
                                if -flat[k, s] < discriminant[i] <= LIMIT:
                                    doubtful[b] |= is_near(
                                        x, b, one, two, i, constants[k, s], apart[k], discriminant, flat[k, s]
                                    )
                        for piece in range(first_piece, last_piece):
                            has[q, piece] = has_some(discriminant[piece * PIECE : min(n, (piece + 1) * PIECE)])
                    bad, open_ = bad + more_bad, open_ + more_open
                first_piece, done = last_piece, end
            for at in range(edges.size):
                is_flat[s] |= -LIMIT < discriminant[edges[at]] < guard
            inherit(abrupt, is_abrupt, q, one)
            inherit(abrupt, is_abrupt, q, two)
            if open_:
                mark_abrupt(discriminant, steep, marks, abrupt, is_abrupt, q)
            if is_flat[s] or is_abrupt[q] or ends_of_gaps:
                judge(k, judged, s, given, stays, rigid)
                judged = s + 1
                flats += is_flat[s] and not rigid[s]
            if is_abrupt[q] and not rigid[s]:
                flags = flag(discriminant, abrupt[q], flagged, flags, s)
            if ends_of_gaps and not rigid[s]:
                flags = flag_ends(x, b, one, two, constants[k, s], discriminant, flagged, flags, s, gaps, ends_of_gaps)
            if bad:
                ends_of_gaps = note_ends(discriminant, marks, gaps, ends_of_gaps)
                for i in range(n - 1 if is_finer else 0):
                    if discriminant[i + 1] < -LIMIT and not discriminant[i] < -LIMIT:
                        begun[gap, 0], begun[gap, 1] = s, i
                        gap += 1
        if flags and not doubtful[b]:
            judge(k, judged, counts[k] - 1, given, stays, rigid)
            decide(x, b, k, angles, speed, dyads, constants, apart[k], flagged, flags)
            put_fixed(k, zero(k), points, fixed, room.near)
            for at in range(flags):
                if flagged[at, 2]:
                    continue
                s, i = flagged[at, 0], flagged[at, 1]
                # Beside a gap between two stations later dyads may have their change points.
                step, last = s, s
                while step <= last and not doubtful[b]:
                    if rigid[step] or (BEYOND_BARS and dyads[k, step, 2] < GUIDE):
                        step += 1
                        continue
                    found, place = search(k, step, angles[i], angles[i + 1], given, stations, b, i, room, wide, work)
                    doubtful[b] = found == 2
                    # The gap in which the station before lies, and this one may be one gap.
                    if found == 1 and step == s and (is_finer or status[b, i + 1] == 0):
                        lost = first_lost(x, b, i, k, dyads, counts)
                        is_another = lost < 0
                        if lost >= 0:
                            is_behind = begins_behind_a_pose(
                                k, s, lost, angles[i], place, wide, work, given, stations, b, i, has_triad
                            )
                            is_another, doubtful[b] = is_behind == 1, is_behind == 2
                        if is_another and status[b, i + 1] == 0:
                            status[b, i + 1], last = LOST, counts[k] - 1
                        elif is_another and lost >= 0:
                            status[b, i + 1] = BEHIND_A_POSE
                    step += 1
                if doubtful[b]:
                    break
        if flats and not doubtful[b]:
            put_fixed(k, zero(k), points, fixed, room.near)
            for s in range(counts[k]):
                for i in range(len(unseen) if is_flat[s] and not rigid[s] else 0):
                    found, _ = search(k, s, unseen[i, 0], unseen[i, 1], given, stations, b, zero(k), room, wide, work)
                    doubtful[b] |= found == 2
        for at in range(zero(k) if doubtful[b] else gap):
            s, i = begun[at, 0], begun[at, 1]
            lost = first_lost(x, b, i, k, dyads, counts) if status[b, i] else -1
            if lost < 0:
                continue
            is_behind = begins_behind_a_pose(
                k, s, lost, angles[i], angles[i + 1], wide, work, given, stations, b, i, has_triad
            )
            doubtful[b] |= is_behind == 2
            if is_behind == 1:
                status[b, i + 1] = BEHIND_A_POSE
        for i in range(1, len(parted)):
            # Of a sample behind a gap in which the one before lies, `solve` may have a pose, by stations that it adds.
            if parted[i] and status[b, i] == 0:
                status[b, i] = LOST
                doubtful[b] |= status[b, i - 1] != 0 and not is_lost_behind(k, i, room, given, stations, b)
        left += doubtful[b]
    return left
