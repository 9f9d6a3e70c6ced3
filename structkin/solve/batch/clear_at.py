"""Whether the modes of dyads may meet, or gaps lie, between two stations of the loop over linkages; compiled with it.

The rules are those of `solve.change_points`: where a discriminant is not even, clearance decides.
"""

from __future__ import annotations

from math import isnan, nan, sqrt
from typing import Any, NamedTuple

from structkin.numerical_tolerances import LIMIT
from structkin.solve.batch.order import GUIDE
from structkin.solve.change_points.beside_gaps import EVEN, RISE

#: Towards a gap the ends of a dyad move little beside its lengths where they move less than the root of this part.
LITTLE = 0.25
#: The part of an interval before a gap is less than so many times that which discriminants tell: these are nearly even.
SURELY = 1.5
#: Whether there are guides and rigid links: dyads of a bar and a guide on the ground, which have `GUIDE` for the end of
#: a second bar, and joints that are sums. Compiled code for them has True. Code that is not reached is not compiled.
BEYOND_BARS = False


def clearance(_: None, h: Any, dh: Any) -> Any:
    """Return that of `RRR`; only compiled, from its text, where vectors are complex numbers."""
    raise NotImplementedError


def clearance_of_guide(_: None, h: Any, dh: Any) -> Any:
    """Return that of `RRP`; only compiled, as the one before."""
    raise NotImplementedError


def dot(a: Any, b: Any) -> Any:
    """Return the scalar product of two vectors, for the clearances."""
    return a.real * b.real + a.imag * b.imag


def cross(a: Any, b: Any) -> Any:
    """Return the z component of the vector product of two vectors, for the clearances."""
    return a.real * b.imag - a.imag * b.real


def suspect(discriminant: Any, steep: float) -> tuple[int, int]:
    """Return in how many lanes the dyad does not close or is singular, and in how many intervals a zero may hide."""
    bad, open_, n = 0, 0, discriminant.size
    for i in range(n):
        bad += discriminant[i] <= LIMIT  # of a lane that is lost already it is not a number
    for i in range(1, n - 2):
        open_ += may_hide(discriminant[i - 1], discriminant[i], discriminant[i + 1], discriminant[i + 2], steep)
    if n > 1:
        open_ += may_hide(nan, discriminant[0], discriminant[1], discriminant[2] if n > 2 else nan, steep)
    if n > 2:
        open_ += may_hide(discriminant[n - 3], discriminant[n - 2], discriminant[n - 1], nan, steep)
    return bad, open_


def may_hide(before: Any, a: Any, b: Any, after: Any, steep: float) -> Any:
    """Return whether a zero may hide between two lanes: from one to the other the discriminant is steep.

    If neither the lane before nor that after has a pose, nothing tells how steep it is.
    """
    is_alone = not ((before >= 0.0) | (after >= 0.0))
    return (a >= 0.0) & (b >= 0.0) & ((a >= steep * b) | (b >= steep * a) | is_alone)


def mark_abrupt(discriminant: Any, steep: float, marks: Any, abrupt: Any, is_abrupt: Any, q: Any) -> None:
    """Note for a pin the intervals (joints, n - 1) beside which its discriminant is steep.

    In these a zero may hide, and the pin move abruptly. `marks` (n + 1,) are scratch for intervals, with one before
    them and one behind that are never marked: several are compared at once, then the few that are marked looked at.
    """
    begin_marks(abrupt, is_abrupt, q)
    n, own = discriminant.size, abrupt[q]
    for i in range(1, n - 2):
        marks[i + 1] = may_hide(discriminant[i - 1], discriminant[i], discriminant[i + 1], discriminant[i + 2], steep)
    if n > 1:
        marks[1] = may_hide(nan, discriminant[0], discriminant[1], discriminant[2] if n > 2 else nan, steep)
    if n > 2:
        marks[n - 1] = may_hide(discriminant[n - 3], discriminant[n - 2], discriminant[n - 1], nan, steep)
    for i in range(n - 1):
        own[i] |= marks[i] | marks[i + 1] | marks[i + 2]


def begin_marks(abrupt: Any, is_abrupt: Any, q: Any) -> None:
    """Begin the intervals of a joint, unless some are noted already."""
    if not is_abrupt[q]:
        abrupt[q], is_abrupt[q] = False, True


def flag(discriminant: Any, abrupt: Any, flagged: Any, flags: int, s: int) -> int:
    """Note the intervals in which a zero may hide: those in which a dyad, or one on which it stands, is `abrupt`.

    Where the ends move abruptly, the discriminant may dip between two stations though it is even there.
    """
    for i in range(discriminant.size - 1):
        if abrupt[i] & (discriminant[i] >= 0.0) & (discriminant[i + 1] >= 0.0):
            flagged[flags, 0], flagged[flags, 1] = s, i
            flags += 1
    return flags


def zero(number: int) -> int:
    """Return 0, not as a literal, for which Numba compiles whatever it is given to once more."""
    return number - number


def inherit(abrupt: Any, is_abrupt: Any, q: Any, joint: Any) -> None:
    """Note for a joint the intervals (joints, n - 1) in which another one, on which it stands, may move abruptly."""
    if joint >= 0 and is_abrupt[joint]:
        begin_marks(abrupt, is_abrupt, q)
        for i in range(abrupt.shape[1]):
            abrupt[q, i] |= abrupt[joint, i]


def is_rigid(stays: Any, q: Any, one: Any, two: Any) -> bool:
    """Return whether the ends of a dyad keep their distance, and note which distances of its joint stay.

    `stays` (joints, joints) says which of all do.
    """
    stays[q, one], stays[one, q] = True, True
    if two < 0:
        return False
    stays[q, two], stays[two, q] = True, True
    if not stays[one, two]:
        return False
    for j in range(len(stays)):
        if stays[one, j] and stays[two, j]:
            stays[q, j], stays[j, q] = True, True
    return True


class Gaps(NamedTuple):
    """Where gaps end: in which intervals, and at most in which part of each, counted from the station beside the gap.

    `ends` lists those intervals. `steps` (n - 1,) are the intervals [s]. Before the first of them and behind the last
    are others if these are whole turns: `around` is then their number, and else 0.
    """

    steps: Any
    around: Any
    parts: Any
    is_end: Any
    ends: Any


def note_ends(discriminant: Any, marks: Any, gaps: Gaps, count: Any) -> Any:
    """Note where gaps of a dyad end; return the number of all `ends`, which was `count` before.

    Where those of several dyads end in an interval, the largest part counts. `marks` are scratch, as in
    `mark_abrupt`.
    """
    parts, is_end, ends = gaps.parts, gaps.is_end, gaps.ends
    for i in range(is_end.size):
        marks[i + 1] = (discriminant[i] >= 0.0) != (discriminant[i + 1] >= 0.0)
    for i in range(is_end.size):
        if marks[i + 1]:
            a, b = discriminant[i], discriminant[i + 1]
            if not (isnan(a) or isnan(b)):
                part = part_to_a_gap(discriminant, i, gaps)
                parts[i] = max(part, parts[i]) if is_end[i] else part
            elif not is_end[i]:
                parts[i] = 1.0
            if not is_end[i]:
                at = count
                while at > 0 and ends[at - 1] > i:
                    ends[at] = ends[at - 1]
                    at -= 1
                ends[at] = i
                count += 1
            is_end[i] = True
    return count


def part_to_a_gap(discriminant: Any, i: Any, gaps: Gaps) -> Any:
    """Return at most which part of an interval lies between its station and a dyad's gap.

    The discriminants there, in the gap and at the station before tell.
    """
    is_ahead = discriminant[i] >= 0.0
    here, beyond, j = station_before(i, is_ahead, gaps)
    if j < 0 or not discriminant[beyond] > discriminant[here]:
        return 1.0
    most = discriminant[here]
    inside = most / (most - discriminant[i + 1 if is_ahead else i])
    outside = most / (discriminant[beyond] - most) * abs(gaps.steps[j] / gaps.steps[i])
    return min(1.0, SURELY * max(inside, outside))


def station_before(i: Any, is_ahead: Any, gaps: Gaps) -> tuple[Any, Any, Any]:
    """Return the station beside a gap that begins in interval i, or ends there, the one before, and their interval.

    That is -1 if there is none.
    """
    j = i - 1 if is_ahead else i + 1
    if gaps.around:
        j %= gaps.around
    elif j == gaps.steps.size:
        j = -1
    return (i, j, j) if is_ahead else (i + 1, j + 1, j)


def flag_ends(
    x: Any,
    b: int,
    one: int,
    two: int,
    constants: Any,
    discriminant: Any,
    flagged: Any,
    flags: int,
    s: int,
    gaps: Gaps,
    count: int,
) -> int:
    """Note at which ends of gaps that of an earlier dyad ends and the modes of a dyad may meet beside it."""
    for at in range(count):
        i = gaps.ends[at]
        is_end = isnan(discriminant[i]) != isnan(discriminant[i + 1])
        if is_end and may_meet_beside(x, b, one, two, i, constants, discriminant, gaps):
            flagged[flags, 0], flagged[flags, 1] = s, i
            flags += 1
    return flags


def may_meet_beside(x: Any, b: Any, one: Any, two: Any, i: Any, constants: Any, discriminant: Any, gaps: Gaps) -> bool:
    """Return whether the modes of a dyad may meet between a station and an earlier dyad's gap in an interval.

    The rules are those of `change_points.beside_gaps`. Like a root, what moves the dyad goes on at most twice as far as
    at its rate, or so many times as far as from the station before. The ratio of discriminants counts where that is
    little beside the lengths of the dyad.
    """
    is_ahead = not isnan(discriminant[i])
    here, beyond, j = station_before(i, is_ahead, gaps)
    if discriminant[here] < -LIMIT:
        return False
    if j < 0 or isnan(discriminant[beyond]):
        return True
    part, before = gaps.parts[i], abs(gaps.steps[j] / gaps.steps[i])
    W, root = ahead(x, b, one, two, here, constants), sqrt(part)
    moved, velocity = ahead(x, b, one, two, beyond, constants) - W, rate(x, b, one, two, here)
    by_way = root / (sqrt(part + before) - root) * sqrt(dot(moved, moved))
    way = max(by_way, 2.0 * part * abs(gaps.steps[i]) * sqrt(dot(velocity, velocity)))
    is_guided = BEYOND_BARS and two == GUIDE
    least = 2.0 * constants[0] if is_guided else min(dot(W, W), 2.0 * constants[0], 2.0 * constants[1])
    is_little = way * way < LITTLE * least and before > EVEN
    if is_little and discriminant[beyond] < RISE * discriminant[here]:
        return False
    return not clear(W, complex(way), two, constants) > 0.0


def decide(
    x: Any, b: Any, k: Any, angles: Any, speed: Any, dyads: Any, constants: Any, apart: Any, flagged: Any, flags: Any
) -> None:
    """Decide in which flagged intervals (dyad, interval, 1 if clear) the modes of a dyad cannot meet, by clearance.

    The vector between the ends, or from the end of a bar to a point of a guide, is taken as the cubic with its values
    and rates at both stations. It lies within the four corners of its Bezier polygon, and these are off a line by no
    more than its extent squared by its distance; distances from a guide are largest at a corner. A clearance less than
    `apart` [m] may be rounding, unless it falls evenly: then it ends beside a limit position.
    """
    for at in range(flags):
        s, i = flagged[at, 0], flagged[at, 1]
        one, two, own = dyads[k, s, 1], dyads[k, s, 2], constants[k, s]
        third = (angles[i + 1] - angles[i]) / (3.0 * speed)
        start, end = ahead(x, b, one, two, i, own), ahead(x, b, one, two, i + 1, own)
        first, last = start + third * rate(x, b, one, two, i), end - third * rate(x, b, one, two, i + 1)
        flagged[at, 2] = is_clear_in(start, first, last, end, two, own, apart)
        if not flagged[at, 2]:
            # In halves of the cubic corners are nearer to it.
            left, right, top = 0.5 * (start + first), 0.5 * (last + end), 0.5 * (first + last)
            before, after = 0.5 * (left + top), 0.5 * (top + right)
            middle = 0.5 * (before + after)
            flagged[at, 2] = is_clear_in(start, left, before, middle, two, own, apart) and is_clear_in(
                middle, after, right, end, two, own, apart
            )


def is_clear_in(start: Any, first: Any, last: Any, end: Any, two: Any, own: Any, apart: Any) -> Any:
    """Return whether clearance excludes a change point on a cubic with these corners."""
    width = max(start.real, end.real, first.real, last.real) - min(start.real, end.real, first.real, last.real)
    height = max(start.imag, end.imag, first.imag, last.imag) - min(start.imag, end.imag, first.imag, last.imag)
    off = complex(0.0 if two == GUIDE else 0.5 * (width * width + height * height) / sqrt(dot(start, start)))
    return is_clear(
        *(clear(start, off, two, own), clear(first, off, two, own)),
        *(clear(last, off, two, own), clear(end, off, two, own), apart),
    )


def is_clear(a: Any, b: Any, c: Any, d: Any, apart: Any) -> Any:
    """Return whether clearances at four corners exclude a change point: none is small, or they fall or rise evenly."""
    if a > apart and b > apart and c > apart and d > apart:
        return True
    first, second, third = b - a, c - b, d - c
    falls = first < 0.0 and second < 0.0 and third < 0.0
    rises = first > 0.0 and second > 0.0 and third > 0.0
    sizes = abs(first), abs(second), abs(third)
    return a > 0.0 and b > 0.0 and c > 0.0 and d > 0.0 and (falls or rises) and min(sizes) > 0.5 * max(sizes)


def ahead(x: Any, b: Any, one: Any, two: Any, i: Any, constants: Any) -> Any:
    """Return the vector between the ends of a dyad, or to the point of its guide, at a station."""
    X, Y = x[0, b, one, 0, i], x[0, b, one, 1, i]
    if BEYOND_BARS and two == GUIDE:
        return complex(constants[1] - X, constants[2] - Y)
    return complex(x[0, b, two, 0, i] - X, x[0, b, two, 1, i] - Y)


def rate(x: Any, b: Any, one: Any, two: Any, i: Any) -> Any:
    """Return the rate of the same vector."""
    X, Y = x[1, b, one, 0, i], x[1, b, one, 1, i]
    if BEYOND_BARS and two == GUIDE:
        return complex(-X, -Y)
    return complex(x[1, b, two, 0, i] - X, x[1, b, two, 1, i] - Y)


def clear(W: Any, way: Any, two: Any, constants: Any) -> Any:
    """Return the clearance of a dyad between whose ends, or to the point of its guide, is W, which may change."""
    if BEYOND_BARS and two == GUIDE:
        direction = complex(constants[3], constants[4])
        return clearance_of_guide(None, (0j, constants[0], W, direction, constants[5]), (way, 0.0, 0j, 0j, 0.0))
    return clearance(None, (0j, W, constants[0], constants[1]), (0j, way, 0.0, 0.0))


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
    # More than a length is lacking where there is less clearance.
    return not clear(ahead(x, b, one, two, i, constants), 0j, two, constants) < -apart
