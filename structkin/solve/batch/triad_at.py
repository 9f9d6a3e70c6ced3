"""Triads in the loop over linkages: three joints of a link, each on a bar. The text is compiled with that of the loop.

A triad is followed from station to station, from the sketch, on the equations by which `Mechanism.solve` follows such
groups. A step is proven. Around the cubic between its two poses, the slopes of the rows differ so little from those in
its middle that Newton's method with these contracts, and the rows are so nearly met that it stays near: there is one
pose at each place of the way, and these lead from the one to the other. Between two stations the ends of the bars move
along quintics with the places and rates there; how far they may be off counts too. Where a step is not proven, it is
halved, and where that leads to no end, before a limit position, the triad is left to `Mechanism.solve`.

A pose is an array y (3, 10): the ends of the three bars, then the place O of the first joint and the direction U from
there to the second, each with its first and second rate by the part of the way between two stations.
"""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import numpy as np

from structkin.numerical_tolerances import CLOSED, ITERATIONS
from structkin.solve.batch.loop_at import zero

#: A step is not shortened below this part of the way between two stations.
SHORTEST = 1.0 / 256.0
#: With a smaller determinant, in parts of the size, a pose is too near to a limit position.
NEAR = 1e-3
#: The largest residual in the middle of a step, as a step of Newton's method in parts of the size or radians; the
#: largest difference of slopes on the way from those in the middle, in parts of these; and both together.
OFF, BENT, TOGETHER = 0.03, 0.5, 0.8


def newton(y: Any, c: Any) -> tuple[float, float]:
    """Improve a pose by a step of Newton's method; return its square, and the determinant before it."""
    raise NotImplementedError


def rates(y: Any, c: Any) -> None:
    """Write the first and second rates of a pose."""
    raise NotImplementedError


def slopes(y: Any, c: Any, J: Any) -> None:
    """Write the Jacobian (3, 3) of the rows by the place and the angle of a pose."""
    raise NotImplementedError


def scratch() -> Any:
    """Return five poses."""
    some = np.empty((5, 3, 10))
    return some[0], some[1], some[2], some[3], some[4]


def settle(y: Any, c: Any) -> Any:
    """Close a pose and find its rates; return its determinant, 0 where it does not close."""
    for _ in range(ITERATIONS):
        change, determinant = newton(y, c)
        if change < CLOSED * CLOSED:
            rates(y, c)
            return determinant
        if not change < 1.0:
            break
    return 0.0


def enter_station(x: Any, b: Any, ends: Any, i: Any, time: Any, y: Any) -> bool:
    """Write the inputs at a station, with rates by parts of a way of so much `time`; return whether there are some."""
    by = 1.0
    for order in range(3):
        for j in range(3):
            y[order, 2 * j] = x[order, b, ends[j], 0, i] * by
            y[order, 2 * j + 1] = x[order, b, ends[j], 1, i] * by
        by *= time
    return not (isnan(y[0, 0]) or isnan(y[0, 2]) or isnan(y[0, 4]))


def enter(start: Any, end: Any, at: Any, y: Any) -> None:
    """Write the inputs at a part of the way between two stations."""
    for j in range(6):
        if at == 1.0:
            y[0, j], y[1, j], y[2, j] = end[0, j], end[1, j], end[2, j]
            continue
        p, v, w = start[0, j], start[1, j], 0.5 * start[2, j]
        rise, turn, bend = end[0, j] - p - v - w, end[1, j] - v - 2.0 * w, 0.5 * end[2, j] - w
        a, b, c = 10.0 * rise - 4.0 * turn + bend, 7.0 * turn - 15.0 * rise - 2.0 * bend, 6.0 * rise - 3.0 * turn + bend
        y[0, j] = p + at * (v + at * (w + at * (a + at * (b + at * c))))
        y[1, j] = v + at * (2.0 * w + at * (3.0 * a + at * (4.0 * b + at * 5.0 * c)))
        y[2, j] = 2.0 * w + at * (6.0 * a + at * (12.0 * b + at * 20.0 * c))


def astray(start: Any, end: Any) -> Any:
    """Return how far the inputs may be off their quintics between two stations [m].

    What a cubic is off there tells, by its second derivatives at both ends: a quintic is less, by a power of the step
    in parts of the length over which inputs bend; and how long that is.
    """
    most = 0.0
    for j in range(6):
        rise, v, u, w = end[0, j] - start[0, j], start[1, j], end[1, j], start[2, j]
        off = max(abs(6.0 * rise - 4.0 * v - 2.0 * u - w), abs(4.0 * u + 2.0 * v - 6.0 * rise - end[2, j]))
        if off > 0.0:
            most = max(most, off * min(1.0, sqrt(12.0 * off / (abs(rise) + abs(v) + abs(u)))) / 256.0)
    return most


def unify(y: Any) -> Any:
    """Make the direction of a pose a unit vector; return its length before."""
    length = sqrt(y[0, 8] * y[0, 8] + y[0, 9] * y[0, 9])
    y[0, 8] /= length
    y[0, 9] /= length
    return length


def is_proven(y: Any, z: Any, part: Any, c: Any, astray: Any, some: Any, J: Any, B: Any) -> bool:
    """Return whether one branch leads from a pose to another, a part of the way further on.

    The inputs may be so far `astray` of the course [m].
    """
    size = c[0]
    for j in range(10):
        some[0, j] = 0.5 * (y[0, j] + z[0, j]) + 0.125 * part * (y[1, j] - z[1, j])
    if not 0.8 < unify(some) < 1.2:
        return False
    slopes(some, c, J)
    for j in range(3):
        J[j, 2] /= size
    most = invert(J, B)
    change, _ = newton(some, c)
    off = sqrt(change) + most * astray / size
    # The slopes by places change with the pose by its movement in lengths of a bar.
    changed = 6.0 * most * off * size * max(c[2], c[3], c[4])
    if not (off < OFF and changed < TOGETHER):
        return False
    for place in range(4):
        u = 0.25 * place if place < 2 else 0.25 * (place + 1)
        v = 1.0 - u
        p, q = v * v * (v + 3.0 * u), u * u * (u + 3.0 * v)
        one, two = part * v * v * u, -part * u * u * v
        for j in range(10):
            some[0, j] = p * y[0, j] + q * z[0, j] + one * y[1, j] + two * z[1, j]
        slopes(some, c, J)
        for i in range(3):
            first = abs(B[i, 0] * J[0, 0] + B[i, 1] * J[1, 0] + B[i, 2] * J[2, 0] - (i == 0))
            second = abs(B[i, 0] * J[0, 1] + B[i, 1] * J[1, 1] + B[i, 2] * J[2, 1] - (i == 1))
            third = abs((B[i, 0] * J[0, 2] + B[i, 1] * J[1, 2] + B[i, 2] * J[2, 2]) / size - (i == 2))
            row = first + second + third
            if not (row < BENT and row + changed < TOGETHER):
                return False
    return True


def invert(J: Any, B: Any) -> Any:
    """Write the inverse of a matrix (3, 3); return its largest sum of a row."""
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            p, q = (j + 1) % 3, (j + 2) % 3
            B[j, i] = J[k, p] * J[m, q] - J[k, q] * J[m, p]
    determinant, most = J[0, 0] * B[0, 0] + J[0, 1] * B[1, 0] + J[0, 2] * B[2, 0], 0.0
    for i in range(3):
        for j in range(3):
            B[i, j] /= determinant
        most = max(most, abs(B[i, 0]) + abs(B[i, 1]) + abs(B[i, 2]))
    return most


def set_constants(c: Any, constants: Any) -> None:
    """Write the constants of the formulas from those of a triad's three joints (3, 6); see `Table`."""
    c[0], c[1] = constants[0, 2], 1.0 / constants[0, 2]
    for j in range(3):
        c[2 + j] = 1.0 / sqrt(2.0 * constants[j, 0])
    c[5], c[6], c[7] = -constants[0, 0], constants[0, 3], -constants[1, 0]
    c[8], c[9], c[10] = constants[0, 4], constants[0, 5], -constants[2, 0]


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


def triad(
    x: Any, b: Any, joints: Any, ends: Any, constants: Any, sketch: Any, angles: Any, speed: Any, determinants: Any
) -> Any:
    """Follow a triad over all stations; return whether it is proven to go on from the sketch to the last one.

    `joints` (3,) are its own, `ends` (3,) the other ends of their bars, `sketch` (joints, 2) is where it starts, and
    `determinants` (n,) are those of its poses.
    """
    n, first = angles.size, zero(angles.size)
    c, J, B, third = np.empty(11), np.empty((3, 3)), np.empty((3, 3)), np.zeros(10)
    y, z, some, start, end = scratch()
    set_constants(c, constants)
    if not enter_station(x, b, ends, first, 1.0, y):
        return False
    y[0, 6], y[0, 7] = sketch[joints[0], 0], sketch[joints[0], 1]
    y[0, 8], y[0, 9] = (sketch[joints[1], 0] - y[0, 6]) / c[6], (sketch[joints[1], 1] - y[0, 7]) / c[6]
    determinant, before = settle(y, c), 1.0
    determinants[0] = determinant
    give_joints(y, x, b, joints, first, 1.0, c)
    for i in range(n - 1):
        time = (angles[i + 1] - angles[i]) / speed
        if not (abs(determinant) > NEAR and enter_station(x, b, ends, i + 1, time, end)):
            return False
        ratio, before = time / before, time
        for j in range(10):
            y[1, j] *= ratio
            y[2, j] *= ratio * ratio
            third[j] *= ratio * ratio * ratio
            start[0, j], start[1, j], start[2, j] = y[0, j], y[1, j], y[2, j]
        off, at, step = astray(y, end), 0.0, 1.0
        while at < 1.0:
            enter(start, end, at + step, z)
            for j in range(6, 10):
                z[0, j] = y[0, j] + step * (y[1, j] + step * (0.5 * y[2, j] + step * third[j] / 6.0))
            unify(z)
            found = settle(z, c)
            if found * determinant > 0.0 and is_proven(y, z, step, c, off, some, J, B):
                for j in range(6, 10):
                    third[j] = (z[2, j] - y[2, j]) / step
                y, z = z, y
                at, determinant = at + step, found
            else:
                step *= 0.5
                if step < SHORTEST:
                    return False
        determinants[i + 1] = determinant
        give_joints(y, x, b, joints, i + 1, time, c)
    return abs(determinant) > NEAR
