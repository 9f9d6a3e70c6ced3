"""The constants of dyads of two bars, and the assembly modes of dyads. The text is compiled."""

from __future__ import annotations

from math import sqrt
from typing import Any

from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, NEVER_FLAT, ROUNDING
from structkin.solve.batch import order

DYADS, ALONE, TRIADS, GUIDE = int(order.Way.DYADS), int(order.Way.ALONE), int(order.Way.TRIADS), order.GUIDE
#: A dyad that is drawn flatter than this is left to `Mechanism.solve`, which refuses it, or says that it always is.
DRAWN = 1.01 * max(DETERMINED, DOUBLE_ZERO**0.5)


def half_square(arm: Any) -> Any:
    """Return half the square of the length of an arm, a complex number; from its own text."""
    raise NotImplementedError


def mode_indicator(_: None, h: Any, phi: Any) -> Any:
    """Return that of `RRR`; from its own text, where vectors are complex numbers."""
    raise NotImplementedError


def fill(
    dyads: Any,
    counts: Any,
    points: Any,
    motor: Any,
    arms: Any,
    constants: Any,
    apart: Any,
    flat: Any,
    modes: Any,
    ways: Any,
) -> None:
    """Fill in what a `Table` has of the dyads of two bars, and how far its linkages are `apart`.

    `arms` (m, joints, 2) are the vectors to the joint of each dyad; if there are none, those in the sketch. Linkages
    with a bar or a crank whose ends coincide are left to `Mechanism`, which refuses them.
    """
    for k in range(len(counts)):
        if ways[k] != DYADS and ways[k] != TRIADS:
            continue
        apart[k] = NEVER_FLAT * (extent(points, k, 0) + extent(points, k, 1))
        pivot, pin = place(points, k, motor[k, 0]), place(points, k, motor[k, 1])
        is_left = is_point(pivot, pin, half_square(pin - pivot))
        for s in range(counts[k]):
            if dyads[k, s, 1] >= 0 and dyads[k, s, 2] > GUIDE:
                A, B = place(points, k, dyads[k, s, 1]), place(points, k, dyads[k, s, 2])
                C = place(points, k, dyads[k, s, 0])
                one = half_square(arms[k, s, 0] if len(arms) else C - A)
                two = half_square(arms[k, s, 1] if len(arms) else C - B)
                constants[k, s, 0], constants[k, s, 1] = one, two
                is_left = is_left or is_point(A, C, one) or is_point(B, C, two)
                set_mode(mode_indicator(None, (A, B, one, two), (C,)), min(one, two), k, s, apart, flat, modes, ways)
        if is_left:
            ways[k] = ALONE


def place(points: Any, k: Any, j: Any) -> Any:
    """Return where a joint is in the sketch, x + iy [m]."""
    return complex(points[k, j, 0], points[k, j, 1])


def extent(points: Any, k: Any, c: Any) -> Any:
    """Return how far apart the joints of a linkage are along an axis [m]."""
    least = most = points[k, 0, c]
    for j in range(points.shape[1]):
        least, most = min(least, points[k, j, c]), max(most, points[k, j, c])
    return most - least


def is_point(A: Any, B: Any, half: Any) -> Any:
    """Return whether the ends of a bar coincide, to rounding; half the square of its length is given."""
    size = ROUNDING * (abs(A.real) + abs(A.imag) + abs(B.real) + abs(B.imag))
    return not half > size * size


def set_modes(indicators: Any, shorter: Any, which: Any, apart: Any, flat: Any, modes: Any, ways: Any) -> None:
    """Set the modes of dyads, `which` (2, d), linkage and dyad, they are, by their indicators (d,); as `set_mode`."""
    for at in range(len(indicators)):
        set_mode(indicators[at], shorter[at], which[0, at], which[1, at], apart, flat, modes, ways)


def set_mode(indicator: Any, shorter: Any, k: Any, s: Any, apart: Any, flat: Any, modes: Any, ways: Any) -> None:
    """Set the mode of a dyad by its indicator; half the square of its shorter bar is given."""
    # The slope of the discriminant by the distance of the ends is at most 4 / b, b the shorter bar; by the distance
    # from a guide it is half of that.
    flat[k, s] = 8.0 * apart[k] / sqrt(2.0 * shorter)
    modes[k, s] = 1.0 if indicator > 0.0 else -1.0
    if not abs(indicator) > DRAWN:
        ways[k] = ALONE
