"""Triads in the loop over linkages: three joints of a link, each on a bar. The text is compiled with that of the loop.

A triad is followed from place to place, from the sketch, on the equations by which `Mechanism.solve` follows such
groups (`triad_path_at`). A step is proven. Around the cubic between its two poses, the slopes of the rows differ so
little from those in its middle that Newton's method with these contracts, and the rows are so nearly met that it stays
near: there is one pose at each place of the way, and these lead from the one to the other. Between two stations the
ends of the bars move along quintics with the places and rates there; how far they may be off counts too. Where a step
is not proven, it is halved, or a limit position is: a step by a coordinate of the pose leads through it, to a pose on
the other side, and there too Newton's method contracts, with the part of the way in that one's place among the
unknowns.

A pose is an array y (3, 10): the ends of the three bars, then the place O of the first joint and the direction U from
there to the second, each with its first and second rate by the part of the way between two places.
"""

from __future__ import annotations

from math import atan2, cos, floor, sin, sqrt
from typing import Any

from structkin.numerical_tolerances import CLOSED, ITERATIONS

#: A step is not shortened below this part of the way between two places.
SHORTEST = 0.5**40
#: A way takes so many steps at most, those that are tried among them.
STEPS = 1000
#: With a smaller determinant, in parts of the size, a pose is too near to a limit position.
NEAR = 1e-5
#: The largest residual in the middle of a step, as a step of Newton's method in parts of the size or radians; the
#: largest difference of slopes on the way from those in the middle, in parts of these; and both together.
OFF, BENT, TOGETHER = 0.03, 0.5, 0.8
#: Where a way leads: to its end, to a limit position before it, or it is not known.
ARRIVED, LIMITED, UNKNOWN = 1, 0, -1


def newton(y: Any, c: Any) -> tuple[float, float]:
    """Improve a pose by a step of Newton's method; return its square, and the determinant before it."""
    raise NotImplementedError


def rates(y: Any, c: Any) -> None:
    """Write the first and second rates of a pose."""
    raise NotImplementedError


def slopes(y: Any, c: Any, J: Any) -> None:
    """Write the Jacobian (3, 3) of the rows by the place and the angle of a pose."""
    raise NotImplementedError


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


def enter(start: Any, end: Any, at: Any, y: Any) -> None:
    """Write the inputs at a part of the way between two places."""
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
    """Return how far the inputs may be off their quintics between two places [m].

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
        if not contracts(J, B, size, changed):
            return False
    return True


def contracts(J: Any, B: Any, size: Any, changed: Any) -> bool:
    """Return whether slopes (3, 3), which may be `changed` by a part, differ little from those of an inverse.

    The last ones are by the angle, not times the `size`.
    """
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


def advance(
    y: Any, z: Any, start: Any, end: Any, c: Any, determinant: Any, third: Any, some: Any, J: Any, B: Any, R: Any
) -> tuple[int, float, float]:
    """Take a pose with its rates by the way from `start` along a way to `end`, the inputs there with rates (3, 10).

    Return where it leads, the determinant then, and the shortest step. `third` (10,) are the third rates.
    """
    off, at, step, shortest = astray(start, end), 0.0, 1.0, 1.0
    for _ in range(STEPS):
        enter(start, end, at + step, z)
        for j in range(6, 10):
            z[0, j] = y[0, j] + step * (y[1, j] + step * (0.5 * y[2, j] + step * third[j] / 6.0))
        unify(z)
        found = settle(z, c)
        if found * determinant > 0.0 and is_proven(y, z, step, c, off, some, J, B):
            for j in range(6, 10):
                third[j] = (z[2, j] - y[2, j]) / step
            for order in range(3):
                for j in range(10):
                    y[order, j] = z[order, j]
            at, determinant, shortest = at + step, found, min(shortest, step)
            if at == 1.0:
                return ARRIVED, determinant, shortest
            if at / (2.0 * step) == floor(at / (2.0 * step)):
                step *= 2.0
        elif is_limited(y, z, at, start, end, c, determinant, off, some, J, B, R):
            return LIMITED, determinant, step
        else:
            step *= 0.5
            if step < SHORTEST:
                break
    return UNKNOWN, determinant, step


def is_limited(
    y: Any, z: Any, at: Any, start: Any, end: Any, c: Any, determinant: Any, off: Any, some: Any, J: Any, B: Any, R: Any
) -> bool:
    """Return whether the branch of a pose, at a part of the way, is proven to end at a limit position before its end.

    The inputs may be `off` their course [m]. The curve leads on through the limit position, where the way turns back,
    to a pose whose determinant has the other sign: a cubic by the coordinate that moves most.
    """
    size, i = c[0], 0
    for j in range(1, 3):
        if abs(movement(y, 1, j, size)) > abs(movement(y, 1, i, size)):
            i = j
    rate, bend = movement(y, 1, i, size), movement(y, 2, i, size)
    if not (rate * bend > 0.0 and at + 0.5 * rate / bend < 1.0):
        return False
    span, part = 2.0 * rate * rate / bend, at
    for j in range(3):
        one, two = movement(y, 1, j, size), movement(y, 2, j, size)
        R[j] = span * (one / rate + 0.5 * span * (two - one * bend / rate) / (rate * rate))
    turn(y, z, R[0] * size, R[1] * size, R[2])
    change = 1.0
    for _ in range(ITERATIONS):
        enter(start, end, part, z)
        unit = across(z, c, i, 0.0, J, R)
        invert(J, B)
        change = correction(B, R) / size
        if not change < 1.0:
            return False
        turn(z, z, 0.0 if i == 0 else R[6], 0.0 if i == 1 else R[7], 0.0 if i == 2 else R[8] / size)
        part += R[6 + i] / unit
        if change < CLOSED:
            break
    if not (change < CLOSED and abs(part) < 1.0):
        return False
    enter(start, end, part, z)
    found, back = settle(z, c), movement(z, 1, i, size)
    if not (found * determinant < 0.0 and back * rate < 0.0):
        return False
    u, v, p, q = y[0, 8], y[0, 9], z[0, 8], z[0, 9]
    span = (z[0, 6 + i] - y[0, 6 + i]) / size if i < 2 else atan2(u * q - v * p, u * p + v * q)
    for j in range(6, 10):
        some[0, j] = 0.5 * (y[0, j] + z[0, j]) + 0.125 * span * (y[1, j] / rate - z[1, j] / back)
    if not 0.8 < unify(some) < 1.2:
        return False
    enter(start, end, 0.5 * (at + part) + 0.125 * span * (1.0 / rate - 1.0 / back), some)
    unit = across(some, c, i, 0.0, J, R)
    most, fast, bent = invert(J, B), 0.0, 0.0
    for j in range(3):
        fast = max(fast, abs(some[1, 2 * j]) + abs(some[1, 2 * j + 1]))
        bent = max(bent, abs(some[2, 2 * j]) + abs(some[2, 2 * j + 1]))
    far, short = correction(B, R) / size + most * off / size, max(c[2], c[3], c[4])
    # As in `is_proven`; the slopes by the way change with the rates of the inputs too.
    bent = (bent + fast * fast * short) / unit * far * size + 16.0 * off
    changed = most * (6.0 * far * size * short * max(1.0, fast / unit) + bent / unit)
    last = max(at + span / (3.0 * rate), part - span / (3.0 * back)) + far * size / unit
    if not (far < OFF and changed < TOGETHER and last < 1.0):
        return False
    for place in range(4):
        u = 0.25 * place if place < 2 else 0.25 * (place + 1)
        v = 1.0 - u
        p, q = v * v * (v + 3.0 * u), u * u * (u + 3.0 * v)
        one, two = span * v * v * u / rate, -span * u * u * v / back
        enter(start, end, p * at + q * part + one + two, some)
        for j in range(6, 10):
            some[0, j] = p * y[0, j] + q * z[0, j] + one * y[1, j] + two * z[1, j]
        across(some, c, i, unit, J, R)
        if not contracts(J, B, 1.0, changed):
            return False
    return True


def movement(y: Any, order: Any, i: Any, size: Any) -> Any:
    """Return a rate of a coordinate of a pose: of the place [parts of the size] or, the last one, of the angle."""
    return y[order, 6 + i] / size if i < 2 else y[0, 8] * y[order, 9] - y[0, 9] * y[order, 8]


def turn(y: Any, z: Any, X: Any, Y: Any, angle: Any) -> None:
    """Write a pose that is moved from another and turned by an angle."""
    c, s, u, v = cos(angle), sin(angle), y[0, 8], y[0, 9]
    z[0, 6], z[0, 7], z[0, 8], z[0, 9] = y[0, 6] + X, y[0, 7] + Y, c * u - s * v, s * u + c * v


def across(y: Any, c: Any, i: Any, unit: Any, J: Any, R: Any) -> Any:
    """Write the slopes (3, 3) of the rows, those by the way in the place of those by a coordinate; and the rows (3,).

    Return the unit of the way: with it the largest slope by it is 1, unless it is given.
    """
    slopes(y, c, J)
    most = 0.0
    for j in range(3):
        R[j] = 0.5 * (J[j, 0] * J[j, 0] + J[j, 1] * J[j, 1] - 1.0) / c[2 + j]
        R[3 + j] = -(J[j, 0] * y[1, 2 * j] + J[j, 1] * y[1, 2 * j + 1])
        most = max(most, abs(R[3 + j]))
        J[j, 2] /= c[0]
    if unit == 0.0:
        unit = most
    for j in range(3):
        J[j, i] = R[3 + j] / unit
    return unit


def correction(B: Any, R: Any) -> Any:
    """Write a step of Newton's method, after rows (3,) and what `across` leaves; return its largest part."""
    most = 0.0
    for i in range(3):
        R[6 + i] = -(B[i, 0] * R[0] + B[i, 1] * R[1] + B[i, 2] * R[2])
        most = max(most, abs(R[6 + i]))
    return most


def set_constants(c: Any, constants: Any) -> None:
    """Write the constants of the formulas from those of a triad's three joints (3, 6); see `Table`."""
    c[0], c[1] = constants[0, 2], 1.0 / constants[0, 2]
    for j in range(3):
        c[2 + j] = 1.0 / sqrt(2.0 * constants[j, 0])
    c[5], c[6], c[7] = -constants[0, 0], constants[0, 3], -constants[1, 0]
    c[8], c[9], c[10] = constants[0, 4], constants[0, 5], -constants[2, 0]
