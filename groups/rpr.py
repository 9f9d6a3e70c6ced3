"""Dyad RPR: two links that slide along each other, each on a known pin.

      A =====[==]==== B        D x (B - A) = e,  D.D = 1

D is the common direction of the guide, e the constant distance of B to its left. The travel is D.(B - A); w is a
constant length of similar size, used only to make the discriminant dimensionless.
Source: the slotted lever of the Whitworth and shaper quick-return mechanisms; travel = +-sqrt(|B-A|^2 - e^2).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from .kind import Array, Values, cross, dot, solve2


class RPR:
    """The direction D of the guide from the two pins and the offset.

    The mode is +1 if B is ahead of A along D. Singular where the travel is zero: discriminant is (travel / w)^2.

    >>> A, B = np.array([[0.0], [0.0]]), np.array([[5.0], [0.0]])
    >>> h = (A, B, 3.0, 5.0)
    >>> [round(float(x), 12) for x in RPR().position(h, np.sqrt(RPR().discriminant(h)))[0][:, 0]]
    [0.8, -0.6]
    """

    name = "RPR"
    aliases: tuple[str, ...] = ()
    closed_form: ClassVar[Literal[True]] = True
    modes = 2
    divisors: ClassVar[tuple[int, ...]] = ()
    inputs: tuple[str, ...] = ("A", "B", "e", "w")
    outputs: tuple[str, ...] = ("D",)

    def discriminant(self, h: Values) -> Array | None:
        """Return (|B-A|^2 - e^2) / w^2."""
        A, B, e, w = h
        W = B - A
        size = np.sqrt(dot(W, W))
        return np.asarray((size - e) * (size + e) / (w * w))

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return travel / w."""
        (A, B, _, w), (D,) = h, phi
        return np.asarray(dot(D, B - A) / w)

    def clearance(self, h: Values, dh: Values) -> Array:
        """Return how much the distance A-B may change before the travel is zero, less its change by dh [m]."""
        (A, B, e, _), (dA, dB, de, _) = h, dh
        W, dW = B - A, dB - dA
        return np.asarray(np.sqrt(dot(W, W)) - np.abs(e) - np.sqrt(dot(dW, dW)) - np.abs(de))

    def position(self, h: Values, root: Any) -> Values:
        """Return D = (B-A) / (travel + i e), as complex numbers."""
        A, B, e, w = h
        W = B - A
        d = dot(W, W)
        along, across = root * w / d, e / d
        return (np.stack((along * W[0] + across * W[1], along * W[1] - across * W[0])),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve dD x (B-A) = de - D x (dB-dA) + g1 and D.dD = g2."""
        (A, B, _, _), (D,), (dA, dB, de, _) = h, phi, dh
        W = B - A
        return (solve2(np.stack((W[1], -W[0])), D, de - cross(D, dB - dA) + g[0], g[1]),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the Coriolis term of the slide and the centripetal term of the unit vector."""
        (vD,), (wD,) = vphi, wphi
        return (-cross(vD, wh[1] - wh[0]) - cross(wD, vh[1] - vh[0]), -dot(vD, wD))

    def residual(self, h: Values, phi: Values) -> Values:
        """Return D x (B-A) - e and (D.D - 1) / 2."""
        (A, B, e, _), (D,) = h, phi
        return (cross(D, B - A) - e, 0.5 * (dot(D, D) - 1))
