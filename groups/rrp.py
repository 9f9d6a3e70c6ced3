"""Dyad RRP: a rod from a known pin A to a pin C that slides along a known guide.

     A
      \\  l            |C - A|^2 = 2 lambda
       \\              D x (C - G) = e
    ----C--------> D

G is a point of the guide, D its unit direction, e the constant distance of C to its left.
Source: intersection of a circle and a line; the slider-crank of Flores & Lankarani and of any textbook.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from .kind import Array, Values, cross, dot, solve2, turned


class RRP:
    """Circle and line: C from A, the half square of the rod's length, and the guide.

    The mode is +1 if C is ahead, along D, of the foot of the perpendicular from A. Singular where the rod is
    perpendicular to the guide: discriminant is the squared cosine of the angle between them.

    >>> A, G, D = (np.array([[x], [y]]) for x, y in ((0.0, 3.0), (0.0, 0.0), (1.0, 0.0)))
    >>> h = (A, 12.5, G, D, 0.0)
    >>> RRP().position(h, np.sqrt(RRP().discriminant(h)))[0][:, 0].tolist()
    [4.0, 0.0]
    """

    name = "RRP"
    aliases: tuple[str, ...] = ("PRR",)
    closed_form: ClassVar[Literal[True]] = True
    modes = 2
    divisors: ClassVar[tuple[int, ...]] = (1,)
    inputs: tuple[str, ...] = ("A", "l", "G", "D", "e")
    outputs: tuple[str, ...] = ("C",)

    def discriminant(self, h: Values) -> Array | None:
        """Return 1 - (distance of A from the line of C)^2 / l^2."""
        A, lam, G, D, e = h
        across = cross(D, A - G) - e
        length = np.sqrt(2 * lam)
        return np.asarray((length - across) * (length + across) / (2 * lam))

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return the cosine of the angle from the guide to the rod."""
        (A, _, _, D, _), (C,) = h, phi
        P = C - A
        return np.asarray(dot(D, P) / np.sqrt(dot(P, P)))

    def clearance(self, h: Values, dh: Values) -> Array:
        """Return how far A may move before the rod is perpendicular to the guide, less what dh may move it [m]."""
        (A, lam, G, D, e), (dA, dlam, dG, dD, de) = h, dh
        P, dP, length = A - G, dA - dG, np.sqrt(2 * lam)
        moved, turn = np.sqrt(dot(dP, dP)), np.sqrt(dot(dD, dD))
        change = moved + turn * (np.sqrt(dot(P, P)) + moved) + np.abs(de) + 2 * np.abs(dlam) / length
        clear: Array = length - np.abs(cross(D, P) - e) - change
        return clear

    def position(self, h: Values, root: Any) -> Values:
        """Return C on the guide, ahead of the foot of the perpendicular from A by l times the root."""
        A, lam, G, D, e = h
        travel = dot(D, A - G) + np.sqrt(2 * lam) * root
        return (np.stack((G[0] + travel * D[0] - e * D[1], G[1] + travel * D[1] + e * D[0])),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve (C-A).dC = (C-A).dA + dlambda + g1 and D x dC = D x dG - dD x (C-G) + de + g2."""
        (A, _, G, D, _), (C,), (dA, dlam, dG, dD, de) = h, phi, dh
        P = C - A
        return (solve2(P, turned(D), dot(P, dA) + dlam + g[0], cross(D, dG) - cross(dD, C - G) + de + g[1]),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the centripetal term of the rod and the Coriolis term of the guide."""
        (vA, _, vG, vD, _), (wA, _, wG, wD, _) = vh, wh
        (vC,), (wC,) = vphi, wphi
        return (-dot(vC - vA, wC - wA), -cross(vD, wC - wG) - cross(wD, vC - vG))

    def residual(self, h: Values, phi: Values) -> Values:
        """Return |C-A|^2 / 2 - lambda and D x (C-G) - e."""
        (A, lam, G, D, e), (C,) = h, phi
        P = C - A
        return (0.5 * dot(P, P) - lam, cross(D, C - G) - e)
