"""Poses of linkages at other angles than the stations, in the loop over a table. The text is compiled with the loop's.

Cranks, dyads and joints that are sums have theirs wherever they are asked for. Triads are followed between two
stations, or between the ends of a part of the way, at which their motions are known.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

from structkin.solve.batch.clear_at import BEYOND_BARS, zero
from structkin.solve.batch.order import GUIDE, TRIAD

#: Stations for which the compiler has vectors: a loop takes as long for a few of them as for so many.
LANES = 8
#: An interval between stations is divided into so many parts, and each part again.
PARTS = LANES - 1
#: Whether there are triads, of three entries with `TRIAD` or `OF_TRIAD` for the end of a first bar.
TRIADS = False


class Given(NamedTuple):
    """What is given of linkages: fields of their `Table`, and of `Linkages`."""

    dyads: Any
    counts: Any
    constants: Any
    terms: Any
    flat: Any
    apart: Any
    modes: Any
    points: Any
    fixed: Any
    motor: Any


class Stations(NamedTuple):
    """Motions x (3, b, joints, 2, n) at the stations, whose angles (n,) [rad] are passed at a speed [rad/s]."""

    x: Any
    angles: Any
    speed: Any


class Room(NamedTuple):
    """Scratch for poses at m other angles: motions `near` (3, 1, joints, 2, m), the crank, what is needed of joints."""

    near: Any
    circle: Any
    discriminant: Any
    needed: Any
    angles: Any


def crank(circle: Any, x: Any, b: int, k: int, motor: Any, points: Any) -> None:
    """Write the pin of the crank of linkage k, which turns with the circle (3, 2, n); only compiled, from formulas."""
    raise NotImplementedError


def dyad(
    x: Any,
    b: int,
    one: int,
    two: int,
    q: int,
    discriminant: Any,
    mode: int,
    constants: Any,
    fixed: Any,
    k: int,
    s: int,
    low: int,
    high: int,
) -> None:
    """Write the pin q of dyad s of linkage k and its discriminant (n,) at the stations from `low` to `high`.

    Only compiled, from the formulas of groups.
    """
    raise NotImplementedError


def dyad_between(*of: Any) -> None:
    """Do the same at other angles, without accelerations where there are no triads; only compiled."""
    raise NotImplementedError


def triad_between(
    stations: Stations, b: Any, joints: Any, ends: Any, constants: Any, i: Any, angles: Any, near: Any
) -> bool:
    """Solve a triad between two stations; from `triad_path_at`."""
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


def put_circle(circle: Any, angles: Any) -> None:
    """Write the circle at angles, which are evenly spaced where there are no triads; it has no second rates then."""
    c, s, step = cos(angles[0]), sin(angles[0]), angles[1] - angles[0]
    dc, ds = cos(step), sin(step)
    for j in range(angles.size):
        if TRIADS:
            c, s = cos(angles[j]), sin(angles[j])
            circle[2, 0, j], circle[2, 1, j] = -c, -s
        circle[0, 0, j], circle[0, 1, j], circle[1, 0, j], circle[1, 1, j] = c, s, -s, c
        c, s = c * dc - s * ds, c * ds + s * dc


def pose(k: Any, last: Any, room: Room, given: Given, stations: Stations, b: Any, i: Any) -> bool:
    """Solve what is needed of a linkage, up to a dyad whose discriminant stays, at the angles of a room.

    Triads have their motions at the stations, in place b, and are solved between station i and the next. Return whether
    they are.
    """
    near, circle, discriminant, needed, angles = room
    own, dyads = zero(k), given.dyads
    put_circle(circle, angles)
    crank(circle, near, own, k, given.motor, given.points)
    for at in range(last + 1):
        q, one, two = dyads[k, at, 0], dyads[k, at, 1], dyads[k, at, 2]
        if TRIADS and one == TRIAD and needed[q]:
            some, ends = dyads[k, at : at + 3, 0], dyads[k, at : at + 3, 2]
            if not triad_between(stations, b, some, ends, given.constants[k, at : at + 3], i, angles, near):
                return False
        if not needed[q] or (TRIADS and one < 0):
            continue
        if BEYOND_BARS and two < GUIDE:
            add_up(near, own, circle, q, one, GUIDE - two, given.terms[k], given.constants[k, at])
            continue
        mode, rest = given.modes[k, at], (given.constants, given.fixed, k, at, own, angles.size)
        dyad_between(near, own, one, two, q, discriminant, mode, *rest)
    return True


def reach(k: Any, last: Any, room: Room, wide: Room, given: Given, stations: Stations, b: Any, i: Any) -> bool:
    """Do as `pose`; where a triad is not sure of its way, at more angles on it, in a room that is `wide`."""
    is_known = pose(k, last, room, given, stations, b, i)
    if not TRIADS or is_known:
        return is_known
    angles, more, at = room.angles, wide.angles, stations.angles
    size, is_forward = angles.size, (angles[angles.size - 1] - angles[0]) * (at[i + 1] - at[i]) > 0.0
    parts = (more.size - 1) // (size + 1)
    more[:] = at[i + is_forward]
    for j in range(size + 1):
        low = at[i + 1 - is_forward] if j == 0 else angles[j - 1]
        high = at[i + is_forward] if j == size else angles[j]
        for m in range(parts):
            more[j * parts + m] = low + m * ((high - low) / parts)
    put_fixed(k, zero(k), given.points, given.fixed, wide.near)
    if not pose(k, last, wide, given, stations, b, i):
        return False
    for j in range(size):
        lane = (j + 1) * parts
        room.near[..., j], room.discriminant[j] = wide.near[..., lane], wide.discriminant[lane]
    return True


def keep(room: Room, i: Any, ends: Any, at_ends: Any, b: Any) -> None:
    """Keep an angle of a room and the next one as two stations, in place b; with triads the motions `at_ends` too."""
    ends[b, 0], ends[b, 1] = room.angles[i], room.angles[i + 1]
    if TRIADS:
        for order in range(3):
            for j in range(room.near.shape[2]):
                for c in range(2):
                    at_ends[order, b, j, c, 0] = room.near[order, 0, j, c, i]
                    at_ends[order, b, j, c, 1] = room.near[order, 0, j, c, i + 1]


def put_fixed(k: Any, b: Any, points: Any, fixed: Any, x: Any) -> None:
    """Write the fixed joints of a linkage."""
    for j in range(points.shape[1]):
        if fixed[k, j]:
            for c in range(2):
                # No -0, as in `solve`.
                x[0, b, j, c], x[1, b, j, c], x[2, b, j, c] = points[k, j, c] + 0.0, 0.0, 0.0


def mark_needed(k: Any, s: Any, needed: Any, dyads: Any, terms: Any) -> None:
    """Mark the joints up to a dyad on which those that are `needed` stand; of a triad the first one."""
    for at in range(s, -1, -1):
        q, one, two = dyads[k, at, 0], dyads[k, at, 1], dyads[k, at, 2]
        if TRIADS and one == TRIAD:
            if needed[q] or needed[dyads[k, at + 1, 0]] or needed[dyads[k, at + 2, 0]]:
                needed[q] = True
                for j in range(3):
                    needed[dyads[k, at + j, 2]] = True
            continue
        if not needed[q] or (TRIADS and one < 0):
            continue
        if BEYOND_BARS and two < GUIDE:
            for t in range(one, one + GUIDE - two):
                joint = int(terms[k, t, 0])
                if joint >= 0:
                    needed[joint] = True
            continue
        needed[one] = True
        if two >= 0:
            needed[two] = True
