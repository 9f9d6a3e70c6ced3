"""The cognates of a four-bar: two others that draw the same curve.

With complex numbers and the coupler's w = (C - B) / |C - B|, let P - B = z (C - B). The third pivot is
G = A + z (D - A). One cognate has the pivots A and G: its pins are A + (P - B) and, on the link to G,
A + (P - B) + z (B - A). The other has D and G, and is found in the same way from the other end of the coupler. So the
links of a cognate turn by the angles of the coupler, the crank and the rocker. Source: Roberts (1875); Cayley's
diagram in any textbook, such as Hartenberg & Denavit, Kinematic Synthesis of Linkages (1964), ch. 6.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structkin.design.loops import FourBars
from structkin.design.paths import Wish, sound
from structkin.design.refine import Lanes
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDING
from structkin.types import Complexes, Indices


def cognates(one: Lanes, wish: Wish) -> Iterator[Lanes]:
    """Yield the cognates of one four-bar, each with every ground link that can drive it past the points in order."""
    theta = np.concatenate((one.theta, wish.motion(one.theta)))
    order = np.argsort(theta[:, 0] * np.sign(one.theta[-1, 0] - one.theta[0, 0]), kind="stable")
    at = np.argsort(order)[: len(one.theta)]  # where the points are among the samples
    theta = theta[order]
    (B, C), (P, _) = FourBars.pins(*one[:2], theta), FourBars.traced(*one[:2], theta)
    b, c, p = (pin[0, :, 0] + 1j * pin[1, :, 0] for pin in (B, C, P))
    A, D = (complex(*one.x[rows, 0]) for rows in FourBars.pivots)
    for first, pin, second, other in ((A, b, D, c), (D, c, A, b)):
        z = (p - pin) / (other - pin)
        left, right = first + p - pin, first + p - pin + z * (pin - first)
        third = complex((first + z * (second - first))[0])
        for pivot, crank, end, rocker in ((first, left, third, right), (third, right, first, left)):
            found = _driven(pivot, crank, end, rocker, p, at, wish)
            if found is not None and sound(FourBars, wish, found)[0]:
                yield found


def _driven(
    A: complex, B: Complexes, D: complex, C: Complexes, P: Complexes, at: Indices, wish: Wish
) -> Lanes | None:  # fmt: skip
    """Return the four-bar with these pivots and pins along the motion if its crank AB passes the points in order."""
    lengths = np.array([abs(B[0] - A), abs(C[0] - B[0]), abs(C[0] - D)])
    if lengths.min() < EQUAL_DATA * wish.size:
        return None  # the tracer is a pin: the cognate is the four-bar itself, or none
    turned = np.unwrap(np.angle(B - A))
    step = np.diff(turned) * np.sign(turned[-1] - turned[0])
    side = np.sign(((D - B).conj() * (C - B)).imag)
    theta = turned[at][:, None]
    if (step < -ROUNDING).any() or not wish.in_order(theta)[0] or (side != side[0]).any():
        return None
    if wish.timing is not None:
        crank, wished = np.abs(theta[:, 0] - theta[0, 0]), wish.timing - wish.timing[0]
        if np.abs(crank - wished).max() > EQUAL_DATA:
            return None
    tracer = (P[0] - B[0]) / (C[0] - B[0]) * lengths[1]
    x = np.array([A.real, A.imag, D.real, D.imag, *np.log(lengths), tracer.real, tracer.imag])
    return Lanes(x[:, None], side[:1], theta)
