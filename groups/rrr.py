"""Dyad RRR ("3R"): two links joined by a pin, each on a known pin.

        C
       / \\
      /   \\          |C - A|^2 = 2 lambda_1
     A     B         |C - B|^2 = 2 lambda_2

The half squares lambda = l^2 / 2 of the lengths are inputs: they vary if a cylinder replaces a link.
Source: Saura et al., sec. 2.1 and Fig. 2c (the 3R group); two circles intersect in two points.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from .kind import Array, Values, cross, dot, solve2


class RRR:
    """Two circles: C from A, B and the half squares of the two lengths.

    The mode is +1 if C is to the left of the line from A to B. Singular where the links are aligned: discriminant
    is the squared sine of the angle at C (the transmission angle).

    >>> A, B = np.array([[0.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> (C,) = RRR().position((A, B, 4.5, 12.5), np.sqrt(RRR().discriminant((A, B, 4.5, 12.5))))
    >>> C[:, 0].tolist()
    [0.0, 3.0]
    """

    name = "RRR"
    aliases: tuple[str, ...] = ("3R",)
    closed_form: ClassVar[Literal[True]] = True
    modes = 2
    divisors: ClassVar[tuple[int, ...]] = (2, 3)
    inputs: tuple[str, ...] = ("A", "B", "l1", "l2")
    outputs: tuple[str, ...] = ("C",)

    def discriminant(self, h: Values) -> Array | None:
        """Return the squared sine of the angle at C, negative where the circles do not meet."""
        A, B, l1, l2 = h
        W = B - A
        d = dot(W, W)
        product = 2 * np.sqrt(l1 * l2)
        # Heron's formula in factors: accurate near the limit, unlike a difference of squares. The square of the sum of
        # the lengths also gives that of their difference with all its digits, which count where A and B nearly meet.
        far, apart = 2 * (l1 + l2) + 2 * product, 2 * (l1 - l2)
        return np.asarray((far - d) * (d - apart * apart / far) * (0.25 / (product * product)))

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return the sine of the angle at C, positive where C lies left of A-B."""
        (A, B, _, _), (C,) = h, phi
        P, Q = C - A, C - B
        sine: Array = cross(P, Q) / np.sqrt(dot(P, P) * dot(Q, Q))
        return sine

    def clearance(self, h: Values, dh: Values) -> Array:
        """Return how much the distance A-B may change before the links are aligned, less its change by dh [m]."""
        (A, B, l1, l2), (dA, dB, dl1, dl2) = h, dh
        W, dW, p, q = B - A, dB - dA, np.sqrt(2 * l1), np.sqrt(2 * l2)
        d = np.sqrt(dot(W, W))
        change = np.sqrt(dot(dW, dW)) + 2 * np.abs(dl1) / p + 2 * np.abs(dl2) / q
        clear: Array = np.minimum(p + q - d, d - np.abs(p - q)) - change
        return clear

    def position(self, h: Values, root: Any) -> Values:
        """Return C: along A-B by the cosine rule, across it by the root."""
        A, B, l1, l2 = h
        W = B - A
        d = dot(W, W)
        per = 1.0 / d
        along = 0.5 + (l1 - l2) * per
        across = 2 * np.sqrt(l1 * l2) * per * root
        return (np.stack((A[0] + along * W[0] - across * W[1], A[1] + along * W[1] + across * W[0])),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve (C-A).dC = (C-A).dA + dl1 + g1 and the same from B."""
        (A, B, _, _), (C,), (dA, dB, dl1, dl2) = h, phi, dh
        P, Q = C - A, C - B
        return (solve2(P, Q, dot(P, dA) + dl1 + g[0], dot(Q, dB) + dl2 + g[1]),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return minus the products of the relative velocities."""
        return (
            -dot(vphi[0] - vh[0], wphi[0] - wh[0]),
            -dot(vphi[0] - vh[1], wphi[0] - wh[1]),
        )

    def residual(self, h: Values, phi: Values) -> Values:
        """Return |C-A|^2 / 2 - lambda_1 and the same from B."""
        (A, B, l1, l2), (C,) = h, phi
        P, Q = C - A, C - B
        return (0.5 * dot(P, P) - l1, 0.5 * dot(Q, Q) - l2)
