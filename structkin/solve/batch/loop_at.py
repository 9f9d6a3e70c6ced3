"""The loop over a table of linkages. The text is compiled, with the formulas of cranks and dyads that `loop` writes.

The loop also certifies that no dyad passes a change point or a gap between two stations, by the rules of
`solve.change_points`: where a discriminant is not even, clearance decides, over the interval or over parts of it.
Triads prove their steps themselves (`triad_at`). Linkages for which this proves nothing are doubtful, and solved one by
one.
"""

from __future__ import annotations

from math import cos, isnan, sin, sqrt
from typing import Any

import numpy as np

from structkin.numerical_tolerances import LIMIT
from structkin.plan.status import Status
from structkin.solve.batch.order import GUIDE, TRIAD, Way
from structkin.solve.change_points.beside_gaps import LOCATED, RISE, TO_A_GAP
from structkin.solve.change_points.search import STEEP

LOST = int(Status.OUT_OF_REACH)
#: An interval that clearance does not decide is divided into so many parts, and each part again, so often; and how many
#: of them are divided at most. That takes milliseconds, and `solve` half a second.
PARTS, DEPTH, DIVIDED = 8, 6, 1000
#: Towards a gap the ends of a dyad move little beside its lengths where they move less than the root of this part.
LITTLE = 0.25
#: Whether there are guides and rigid links: dyads of a bar and a guide on the ground, which have `GUIDE` for the end of
#: a second bar, and joints that are sums. Compiled code for them has True. Code that is not reached is not compiled.
BEYOND_BARS = False
#: Whether there are triads, of three entries with `TRIAD` or `OF_TRIAD` for the end of a first bar.
TRIADS, WITH_TRIADS = False, int(Way.TRIADS)


def crank(circle: Any, x: Any, b: int, pivot: int, pin: int, points: Any) -> None:
    """Write the pin of a crank that turns with the circle (3, 2, n); only compiled, from the formulas of the group."""
    raise NotImplementedError


def dyad(x: Any, b: int, one: int, two: int, q: int, discriminant: Any, mode: int, constants: Any) -> None:
    """Write the pin of a dyad and its discriminant (n,); only compiled, from the formulas of the group."""
    raise NotImplementedError


def triad(
    x: Any, b: int, joints: Any, ends: Any, constants: Any, sketch: Any, angles: Any, speed: Any, determinants: Any
) -> bool:
    """Follow a triad over all stations; from `triad_at`."""
    raise NotImplementedError


def add_up(x: Any, b: Any, circle: Any, q: Any, first: Any, count: Any, terms: Any, constants: Any) -> None:
    """Write a joint that is a sum of complex factors times vectors and a constant, in the order of `Combine`.

    A vector is a joint, or the circle if its number is negative.
    """
    for order in range(3):
        X, Y = x[order, b, q, 0], x[order, b, q, 1]
        X[:], Y[:] = 0.0, 0.0
        for t in range(first, first + count):
            joint, real, imag = int(terms[t, 0]), terms[t, 1], terms[t, 2]
            u = circle[order, 0] if joint < 0 else x[order, b, joint, 0]
            v = circle[order, 1] if joint < 0 else x[order, b, joint, 1]
            for i in range(X.size):
                X[i] += real * u[i] - imag * v[i]
                Y[i] += imag * u[i] + real * v[i]
        if order == 0:
            for i in range(X.size):
                X[i] += constants[0]
                Y[i] += constants[1]


def clearance(_: None, h: Any, dh: Any) -> Any:
    """Return that of `RRR`; only compiled, from its text."""
    raise NotImplementedError


def clearance_of_guide(_: None, h: Any, dh: Any) -> Any:
    """Return that of `RRP`; only compiled, from its text."""
    raise NotImplementedError


def suspect(discriminant: Any, steep: float) -> tuple[int, int]:
    """Return in how many lanes the dyad does not close or is singular, and in how many intervals a zero may hide."""
    bad, open_, n = 0, 0, discriminant.size
    for i in range(n):
        bad += discriminant[i] <= LIMIT  # of a lane that is lost already it is not a number
    for i in range(n - 1):
        a, b = discriminant[i], discriminant[i + 1]
        open_ += (a >= 0.0) & (b >= 0.0) & ((a >= steep * b) | (b >= steep * a))
    return bad, open_


def flag(discriminant: Any, steep: float, abrupt: Any, flagged: Any, flags: int, s: int) -> int:
    """Note the intervals in which a zero may hide: next to it, the discriminant is steep on one side at least.

    Where that of a dyad on which this one stands is, the ends may move abruptly, and its own may dip between two
    stations though it is even there: `abrupt` (n - 1,) are these intervals, and then those in which its pin may.
    """
    for i in range(discriminant.size - 1):
        a, b = discriminant[i], discriminant[i + 1]
        if a >= 0.0 and b >= 0.0 and (a >= steep * b or b >= steep * a):
            abrupt[max(i - 1, 0) : i + 2] = True
    for i in range(discriminant.size - 1):
        if abrupt[i] and discriminant[i] >= 0.0 and discriminant[i + 1] >= 0.0:
            flagged[flags, 0], flagged[flags, 1] = s, i
            flags += 1
    return flags


def zero(number: int) -> int:
    """Return 0, not as a literal, for which Numba compiles whatever it is given to once more."""
    return number - number


def inherit(abrupt: Any, is_abrupt: Any, q: Any, joint: Any) -> None:
    """Note for a joint the intervals (joints, n - 1) in which another one, on which it stands, may move abruptly."""
    if joint >= 0 and is_abrupt[joint]:
        for i in range(abrupt.shape[1]):
            abrupt[q, i] = abrupt[joint, i] or (is_abrupt[q] and abrupt[q, i])
        is_abrupt[q] = True


def flag_ends(
    x: Any, b: int, one: int, two: int, constants: Any, discriminant: Any, flagged: Any, flags: int, s: int
) -> int:
    """Note the intervals in which an earlier dyad's gap begins or ends, and the modes of a dyad may meet beside it."""
    for i in range(discriminant.size - 1):
        is_end = isnan(discriminant[i]) != isnan(discriminant[i + 1])
        if is_end and may_meet_beside(x, b, one, two, i, constants, discriminant):
            flagged[flags, 0], flagged[flags, 1] = s, i
            flags += 1
    return flags


def may_meet_beside(x: Any, b: Any, one: Any, two: Any, i: Any, constants: Any, discriminant: Any) -> bool:
    """Return whether the modes of a dyad may meet between a station and an earlier dyad's gap in an interval.

    The rules are those of `change_points.beside_gaps`; the ratio of discriminants counts where the ends move
    little beside the lengths of the dyad.
    """
    here, beyond = (i + 1, i + 2) if isnan(discriminant[i]) else (i, i - 1)
    if discriminant[here] < -LIMIT:
        return False
    if beyond < 0 or beyond == discriminant.size or isnan(discriminant[beyond]):
        return True
    way, apart = column(), 0.0
    for axis in range(2):
        W = ahead(x, b, one, two, axis, here, constants)
        way[axis, 0] = TO_A_GAP * (ahead(x, b, one, two, axis, beyond, constants) - W)
        apart += W * W
    moved = way[0, 0] * way[0, 0] + way[1, 0] * way[1, 0]
    is_guided = BEYOND_BARS and two == GUIDE
    least = 2.0 * constants[0] if is_guided else min(apart, 2.0 * constants[0], 2.0 * constants[1])
    if moved < LITTLE * least and discriminant[beyond] < RISE * discriminant[here]:
        return False
    A = x[0, b, one, :, here : here + 1]
    if is_guided:
        return not clear_of_guide(A, guide(constants), way, constants)[0] > 0.0
    B = x[0, b, two, :, here : here + 1]
    return not clearance(None, (A, B, constants[0], constants[1]), (column(), way, 0.0, 0.0))[0] > 0.0


def decide(
    x: Any,
    b: Any,
    k: Any,
    angles: Any,
    speed: Any,
    dyads: Any,
    constants: Any,
    apart: Any,
    flagged: Any,
    flags: Any,
    hull: Any,
) -> None:
    """Decide in which flagged intervals (dyad, interval, 1 if clear) the modes of a dyad cannot meet, by clearance.

    The vector between the ends, or from the end of a bar to a point of a guide, is taken as the cubic with its values
    and rates at both stations. It lies within the four corners of its Bezier polygon, and these are off a line by no
    more than its extent squared by its distance; distances from a guide are largest at a corner. A clearance less than
    `apart` [m] may be rounding, unless it falls evenly: then it ends beside a limit position.
    `hull` (10, 4 flags) is scratch: the ends, the half squares, and how far the ends are off, at each corner.
    """
    for at in range(flags):
        s, i = flagged[at, 0], flagged[at, 1]
        one, two = dyads[k, s, 1], dyads[k, s, 2]
        third = (angles[i + 1] - angles[i]) / (3.0 * speed)
        c = 4 * at
        longest, shortest = 0.0, 0.0
        for axis in range(2):
            start = ahead(x, b, one, two, axis, i, constants[k, s])
            end = ahead(x, b, one, two, axis, i + 1, constants[k, s])
            hull[axis, c : c + 4] = 0.0
            hull[2 + axis, c], hull[2 + axis, c + 3] = start, end
            hull[2 + axis, c + 1] = start + third * rate(x, b, one, two, axis, i)
            hull[2 + axis, c + 2] = end - third * rate(x, b, one, two, axis, i + 1)
            widest = max(start, end, hull[2 + axis, c + 1], hull[2 + axis, c + 2])
            least = min(start, end, hull[2 + axis, c + 1], hull[2 + axis, c + 2])
            longest += (widest - least) * (widest - least)
            shortest += start * start
        hull[4, c : c + 4], hull[5, c : c + 4] = constants[k, s, 0], constants[k, s, 1]
        hull[6:10, c : c + 4] = 0.0
        hull[8, c : c + 4] = 0.5 * longest / sqrt(shortest)
    used = hull[:, : 4 * flags]
    short = clearance(None, (used[0:2], used[2:4], used[4], used[5]), (used[6:8], used[8:10], 0.0, 0.0))
    for at in range(flags):
        c = 4 * at
        if BEYOND_BARS:
            s = flagged[at, 0]
            if dyads[k, s, 2] == GUIDE:
                A, G, still = used[0:2, c : c + 4], used[2:4, c : c + 4], used[6:8, c : c + 4]
                found = clear_of_guide(A, G, still, constants[k, s])
                for i in range(4):
                    short[c + i] = found[i]
        flagged[at, 2] = is_clear(short[c], short[c + 1], short[c + 2], short[c + 3], apart)


def is_clear(a: Any, b: Any, c: Any, d: Any, apart: Any) -> Any:
    """Return whether clearances at four corners exclude a change point: none is small, or they fall or rise evenly."""
    if a > apart and b > apart and c > apart and d > apart:
        return True
    first, second, third = b - a, c - b, d - c
    falls = first < 0.0 and second < 0.0 and third < 0.0
    rises = first > 0.0 and second > 0.0 and third > 0.0
    sizes = abs(first), abs(second), abs(third)
    return a > 0.0 and b > 0.0 and c > 0.0 and d > 0.0 and (falls or rises) and min(sizes) > 0.5 * max(sizes)


def ahead(x: Any, b: Any, one: Any, two: Any, axis: Any, i: Any, constants: Any) -> Any:
    """Return a component of the vector between the ends of a dyad, or to the point of its guide, at a station."""
    if BEYOND_BARS and two == GUIDE:
        return constants[1 + axis] - x[0, b, one, axis, i]
    return x[0, b, two, axis, i] - x[0, b, one, axis, i]


def rate(x: Any, b: Any, one: Any, two: Any, axis: Any, i: Any) -> Any:
    """Return the rate of the same component."""
    if BEYOND_BARS and two == GUIDE:
        return -x[1, b, one, axis, i]
    return x[1, b, two, axis, i] - x[1, b, one, axis, i]


def column() -> Any:
    """Return zeros (2, 1) in the layout of a part of an array, so that there is one function for both."""
    return np.zeros((2, 2))[:, :1]


def guide(constants: Any) -> Any:
    """Return the point (2, 1) of a guide."""
    G = column()
    G[0, 0], G[1, 0] = constants[1], constants[2]
    return G


def clear_of_guide(A: Any, G: Any, dA: Any, constants: Any) -> Any:
    """Return the clearance (n,) of a bar on pins A (2, n), which may move by dA, from the guide through G (2, n)."""
    return clearance_of_guide(
        None, (A, constants[0], G, constants[3:5], constants[5]), (dA, 0.0, 0.0 * G, 0.0 * constants[3:5], 0.0)
    )


def lacks(x: Any, b: Any, one: Any, two: Any, i: Any, constants: Any, apart: Any) -> Any:
    """Return whether a dyad lacks more than a length to close at a station."""
    A, still = x[0, b, one, :, i : i + 1], column()
    if BEYOND_BARS and two == GUIDE:
        return clear_of_guide(A, guide(constants), still, constants)[0] < -apart
    B = x[0, b, two, :, i : i + 1]
    return clearance(None, (A, B, constants[0], constants[1]), (still, still, 0.0, 0.0))[0] < -apart


def is_near(
    x: Any, b: Any, one: Any, two: Any, i: Any, constants: Any, apart: Any, discriminant: Any, flat: Any
) -> bool:
    """Return whether a dyad lacks less than a length to close at a station, unless it passes a limit position there.

    It passes one where its discriminant is below -`flat` at one of the stations beside and above `flat` at the other.
    """
    if discriminant[i] < -LIMIT and 0 < i < discriminant.size - 1:
        before, after = discriminant[i - 1], discriminant[i + 1]
        if max(before, after) > flat and min(before, after) < -flat:
            return False
    return not lacks(x, b, one, two, i, constants, apart)


def pose(
    k: Any,
    last: Any,
    needed: Any,
    angles: Any,
    circle: Any,
    near: Any,
    discriminant: Any,
    dyads: Any,
    constants: Any,
    terms: Any,
    modes: Any,
    points: Any,
    motor: Any,
) -> None:
    """Solve what is needed of a linkage, up to a dyad whose discriminant stays, at other angles than the stations."""
    b = zero(k)
    for i in range(angles.size):
        circle[0, 0, i], circle[0, 1, i] = cos(angles[i]), sin(angles[i])
        circle[1, 0, i], circle[1, 1, i] = -circle[0, 1, i], circle[0, 0, i]
    crank(circle, near, b, motor[k, 0], motor[k, 1], points[k])
    for at in range(last + 1):
        q, one, two = dyads[k, at, 0], dyads[k, at, 1], dyads[k, at, 2]
        if not needed[q]:
            continue
        if BEYOND_BARS and two < GUIDE:
            add_up(near, b, circle, q, one, GUIDE - two, terms[k], constants[k, at])
            continue
        dyad(near, b, one, two, q, discriminant, modes[k, at], constants[k, at])


def begins_behind_a_pose(
    k: Any,
    s: Any,
    start: Any,
    place: Any,
    dyads: Any,
    counts: Any,
    constants: Any,
    terms: Any,
    modes: Any,
    points: Any,
    motor: Any,
    near: Any,
) -> bool:
    """Return whether a dyad's gap at a place begins behind a pose, where there is none at the start.

    The rule is that of `change_points.beside_gaps`; `near` is as `search` has left it.
    """
    size, low, high, needed = PARTS + 1, start, place, np.ones(points.shape[1], np.bool_)
    circle, angles, discriminant = np.zeros((3, 2, size)), np.empty(size), np.empty(size)
    for _ in range(LOCATED):
        for i in range(size):
            angles[i] = low + i * ((high - low) / PARTS)
        pose(k, s, needed, angles, circle, near, discriminant, dyads, constants, terms, modes, points, motor)
        last = -1
        for i in range(PARTS):
            if not discriminant[i] < 0.0:
                last = i
        if last < 0:
            return False
        low, high = angles[last], angles[last + 1]
    angles[:] = low
    pose(k, counts[k] - 1, needed, angles, circle, near, discriminant, dyads, constants, terms, modes, points, motor)
    return is_posed(near, zero(k), zero(k), k, dyads, counts)


def is_posed(x: Any, b: Any, i: Any, k: Any, dyads: Any, counts: Any) -> bool:
    """Return whether all joints of a linkage have places at a station."""
    lost = 0
    for s in range(counts[k]):
        lost += isnan(x[0, b, dyads[k, s, 0], 0, i])
    return lost == 0


def search(
    k: Any,
    s: Any,
    start: Any,
    end: Any,
    dyads: Any,
    counts: Any,
    constants: Any,
    terms: Any,
    flat: Any,
    apart: Any,
    modes: Any,
    points: Any,
    fixed: Any,
    motor: Any,
    near: Any,
    hull: Any,
    steep: Any,
) -> tuple[int, float]:
    """Return what is between two angles, and the last angle that is known to lie in a gap.

    It is 0 for no zero of a dyad's discriminant, 1 for a gap, and 2 for what is not decided.
    """
    size, joints = PARTS + 1, points.shape[1]
    waiting, flagged = np.empty((DIVIDED * PARTS, 3)), np.empty((PARTS, 3), np.int64)
    abrupt = np.zeros(PARTS, np.bool_)
    circle, angles, discriminant = np.zeros((3, 2, size)), np.empty(size), np.empty(size)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = start, end, 0.0
    count, tried, found, b, begin, last = 1, 0, 0, zero(s), start, start
    for j in range(joints):
        if fixed[k, j]:
            near[0, 0, j, 0], near[0, 0, j, 1], near[1:, 0, j] = points[k, j, 0], points[k, j, 1], 0.0
    # Only what the dyad depends on is solved.
    needed = np.zeros(joints, np.bool_)
    needed[dyads[k, s, 0]] = True
    for at in range(s, -1, -1):
        one, two = dyads[k, at, 1], dyads[k, at, 2]
        if not needed[dyads[k, at, 0]]:
            continue
        if TRIADS and one < 0:
            return 2, last
        if BEYOND_BARS and two < GUIDE:
            for t in range(one, one + GUIDE - two):
                joint = int(terms[k, t, 0])
                if joint >= 0:
                    needed[joint] = True
            continue
        needed[one] = True
        if two >= 0:
            needed[two] = True
    while count:
        count -= 1
        tried += 1
        start, step, level = waiting[count, 0], (waiting[count, 1] - waiting[count, 0]) / PARTS, waiting[count, 2]
        if level > DEPTH or tried > DIVIDED:
            return 2, last
        for i in range(size):
            angles[i] = start + i * step
        pose(k, s, needed, angles, circle, near, discriminant, dyads, constants, terms, modes, points, motor)
        one, two = dyads[k, s, 1], dyads[k, s, 2]
        for i in range(size):
            if discriminant[i] <= LIMIT:
                if discriminant[i] >= -LIMIT or is_near(
                    near, b, one, two, i, constants[k, s], apart[k], discriminant, flat
                ):
                    return 2, last
                found = 1
                if abs(angles[i] - begin) > abs(last - begin):
                    last = angles[i]
        abrupt[:] = False
        flags = flag(discriminant, steep, abrupt, flagged, b, s)
        if flags:
            decide(near, b, k, angles, 1.0, dyads, constants, apart[k], flagged, flags, hull)
        for at in range(flags):
            if not flagged[at, 2]:
                waiting[count, 0], waiting[count, 1] = angles[flagged[at, 1]], angles[flagged[at, 1] + 1]
                waiting[count, 2] = level + 1.0
                count += 1
        ends = flag_ends(near, b, one, two, constants[k, s], discriminant, flagged, b, s)
        for at in range(ends):
            # Towards a gap parts are divided until little of the way is left, not of the angle.
            waiting[count, 0], waiting[count, 1] = angles[flagged[at, 1]], angles[flagged[at, 1] + 1]
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
    near: Any,
    discriminant: Any,
    flagged: Any,
    hull: Any,
    hull_near: Any,
    steep: Any,
    edge: Any,
    guard: Any,
) -> int:
    """Solve linkages from `low` to `high` into places from `first` on; return how many are `doubtful`, and left."""
    n, joints, left = circle.shape[2], points.shape[1], 0
    abrupt, is_abrupt = np.zeros((joints, n - 1), np.bool_), np.zeros(joints, np.bool_)
    for k in range(low, high):
        b, flags, has_gap, has_triad = k - first, zero(k), False, TRIADS and ways[k] == WITH_TRIADS
        is_abrupt[:] = False
        status[b] = 0
        doubtful[b] = ways[k] != 0 and not has_triad
        if doubtful[b]:
            left += 1
            continue
        for j in range(joints):
            if fixed[k, j]:
                x[0, b, j, 0], x[0, b, j, 1] = points[k, j, 0] + 0.0, points[k, j, 1] + 0.0  # no -0, as in `solve`
                x[1, b, j], x[2, b, j] = 0.0, 0.0
        pivot, pin = motor[k, 0], motor[k, 1]
        crank(circle, x, b, pivot, pin, points[k])
        for order in range(1, 3):  # the pivot's: `solve` adds them, and so has no -0
            for axis in range(2):
                for i in range(n):
                    x[order, b, pin, axis, i] += 0.0
        for s in range(counts[k]):
            q, one, two = dyads[k, s, 0], dyads[k, s, 1], dyads[k, s, 2]
            if TRIADS and one == TRIAD:
                some, ends = dyads[k, s : s + 3, 0], dyads[k, s : s + 3, 2]
                # Where an earlier group has a gap, `solve` decides where a triad is resumed.
                if doubtful[b] or not triad(
                    x, b, some, ends, constants[k, s : s + 3], points[k], angles, speed, discriminant
                ):
                    doubtful[b] = True
                    break
                for i in range(n):
                    discriminant[i] *= discriminant[i]
                for j in range(3):
                    inherit(abrupt, is_abrupt, q, ends[j])
                if suspect(discriminant, steep)[1]:
                    if not is_abrupt[q]:
                        abrupt[q], is_abrupt[q] = False, True
                    flag(discriminant, steep, abrupt[q], flagged, flags, s)
                inherit(abrupt, is_abrupt, some[1], q)
                inherit(abrupt, is_abrupt, some[2], q)
            if TRIADS and one < 0:
                continue
            if BEYOND_BARS and two < GUIDE:
                add_up(x, b, circle, q, one, GUIDE - two, terms[k], constants[k, s])
                for t in range(one, one + GUIDE - two):
                    inherit(abrupt, is_abrupt, q, int(terms[k, t, 0]))
                continue
            dyad(x, b, one, two, q, discriminant, modes[k, s], constants[k, s])
            bad, open_ = suspect(discriminant, steep)
            if bad:
                for i in range(n):
                    if discriminant[i] <= LIMIT:
                        if discriminant[i] > -flat[k, s] and is_near(
                            x, b, one, two, i, constants[k, s], apart[k], discriminant, flat[k, s]
                        ):
                            doubtful[b] = True
                        elif status[b, i] == 0:
                            status[b, i] = LOST
            for i in range(edge):
                if -LIMIT < discriminant[i] < guard or -LIMIT < discriminant[n - 1 - i] < guard:
                    doubtful[b] = True
            inherit(abrupt, is_abrupt, q, one)
            inherit(abrupt, is_abrupt, q, two)
            if open_ or is_abrupt[q]:
                if not is_abrupt[q]:
                    abrupt[q], is_abrupt[q] = False, True
                flags = flag(discriminant, steep, abrupt[q], flagged, flags, s)
            if has_gap:
                flags = flag_ends(x, b, one, two, constants[k, s], discriminant, flagged, flags, s)
            has_gap = has_gap or bad > 0
        if flags and not doubtful[b]:
            decide(x, b, k, angles, speed, dyads, constants, apart[k], flagged, flags, hull)
            for at in range(flags):
                if flagged[at, 2]:
                    continue
                s, i = flagged[at, 0], flagged[at, 1]
                q = dyads[k, s, 0]
                is_behind, is_before = isnan(x[0, b, q, 0, i]), isnan(x[0, b, q, 0, i + 1])
                # Beside a gap between two stations later dyads may have their change points.
                step, last = s, s
                while step <= last and not doubtful[b]:
                    if BEYOND_BARS and dyads[k, step, 2] < GUIDE:
                        step += 1
                        continue
                    found, place = search(
                        k,
                        step,
                        angles[i],
                        angles[i + 1],
                        dyads,
                        counts,
                        constants,
                        terms,
                        flat[k, step],
                        apart,
                        modes,
                        points,
                        fixed,
                        motor,
                        near,
                        hull_near,
                        STEEP if step > s or is_behind or is_before else 0.0,
                    )
                    doubtful[b] = found == 2
                    # The gap in which the station before lies, and this one may be one gap.
                    if found == 1 and step == s and status[b, i + 1] == 0:
                        is_another = is_posed(x, b, i, k, dyads, counts)
                        doubtful[b] = has_triad and not is_another
                        if not (is_another or has_triad):
                            is_another = begins_behind_a_pose(
                                k, s, angles[i], place, dyads, counts, constants, terms, modes, points, motor, near
                            )
                        if is_another:
                            status[b, i + 1], last = LOST, counts[k] - 1
                    step += 1
                if doubtful[b]:
                    break
        left += doubtful[b]
    return left
