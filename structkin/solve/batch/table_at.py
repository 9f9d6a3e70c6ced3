"""The constants of dyads of two bars, and the assembly modes of dyads. The text is compiled."""

from __future__ import annotations

from math import sqrt
from typing import Any

from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, ROUNDING
from structkin.solve.batch import order

DYADS, ALONE, TRIADS, GUIDE = int(order.Way.DYADS), int(order.Way.ALONE), int(order.Way.TRIADS), order.GUIDE
#: A dyad that is drawn flatter than this is left to `Mechanism.solve`, which refuses it, or says that it always is.
DRAWN = 1.01 * max(DETERMINED, DOUBLE_ZERO**0.5)


def half_square(arm: Any) -> Any:
    """Return half the square of the length of an arm, a complex number; from its own text."""
    raise NotImplementedError


def set_modes(indicators: Any, shorter: Any, which: Any, apart: Any, flat: Any, modes: Any, ways: Any) -> None:
    """Set the modes of dyads, `which` (2, d), linkage and dyad, they are, by their indicators (d,).

    `shorter` (d,) are half squares of their shorter bars.
    """
    for at in range(len(indicators)):
        k, s = which[0, at], which[1, at]
        # The slope of the discriminant by the distance of the ends is at most 4 / b, b the shorter bar; by the
        # distance from a guide it is half of that.
        flat[k, s] = 8.0 * apart[k] / sqrt(2.0 * shorter[at])
        modes[k, s] = 1.0 if indicators[at] > 0.0 else -1.0
        if not abs(indicators[at]) > DRAWN:
            ways[k] = ALONE


def gather(
    dyads: Any, counts: Any, ways: Any, z: Any, arms: Any, constants: Any, which: Any, places: Any, halves: Any
) -> Any:
    """Find the dyads of two bars of linkages whose joints are at z (m, joints), x + iy [m]; return their number.

    Fill in their `constants`, and for as many as there are, `which` (2, d) they are, linkage and dyad, the places
    (3, 2, d) of their ends and of their joints, and the half squares (2, d) of their bars. `arms` (m, joints, 2) are
    the vectors to the joint of each dyad; if there are none, those in the sketch. Linkages with a bar whose ends
    coincide are left to `Mechanism`, which refuses them.
    """
    at = 0
    for k in range(len(counts)):
        for s in range(counts[k] if ways[k] == DYADS or ways[k] == TRIADS else 0):
            if dyads[k, s, 1] >= 0 and dyads[k, s, 2] > GUIDE:
                C = z[k, dyads[k, s, 0]]
                for end in range(2):
                    E = z[k, dyads[k, s, 1 + end]]
                    places[end, 0, at], places[end, 1, at] = E.real, E.imag
                    halves[end, at] = half_square(arms[k, s, end] if len(arms) else C - E)
                    constants[k, s, end] = halves[end, at]
                    size = ROUNDING * (abs(C.real) + abs(C.imag) + abs(E.real) + abs(E.imag))
                    if not halves[end, at] > size * size:
                        ways[k] = ALONE
                places[2, 0, at], places[2, 1, at] = C.real, C.imag
                which[0, at], which[1, at] = k, s
                at += 1
    return at
