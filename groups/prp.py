"""Dyads PRP and RPP: two links on known guides, joined by a pin C, and a variant that reduces to the same problem.

        C            D1 x (C - G1) = e1
       /|            D2 x (C - G2) = e2
      / |
    D1  D2

Source: two lines intersect in one point (the Rapson slide).

RPP is a link on a known pin with a slide to the second link, which runs on a known guide. Both prismatic joints keep
orientations, so the first link's direction, and with its pin its position, follow directly from the known guide; the
second link is at the intersection of its two guides (scotch yoke, Oldham coupling).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from .kind import Array, Values, cross, solve2, turned


class PRP:
    """Two lines: C from the two guides, each a point G, a unit direction D and a distance e to its left.

    Singular where the guides are parallel, and C is at infinity: discriminant is the sine of the angle between them.
    There is one mode, and the motion cannot pass through infinity: the sine keeps its sign.

    >>> O, X, Y = (np.array([[x], [y]]) for x, y in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    >>> PRP().position((O, X, 2.0, O, Y, -3.0), None)[0][:, 0].tolist()
    [3.0, 2.0]
    """

    name = "PRP"
    aliases: tuple[str, ...] = ()
    closed_form: ClassVar[Literal[True]] = True
    modes = 1
    inputs: tuple[str, ...] = ("G1", "D1", "e1", "G2", "D2", "e2")
    outputs: tuple[str, ...] = ("C",)

    def discriminant(self, h: Values) -> Array | None:
        """Return the sine of the angle between the guides."""
        return np.asarray(cross(h[1], h[4]))

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return the sine of the angle between the guides; there is one mode."""
        return np.asarray(cross(h[1], h[4]))

    def position(self, h: Values, root: Any) -> Values:
        """Return the intersection, computed relative to G1 to keep accuracy far from the origin."""
        G1, D1, e1, G2, D2, e2 = h
        return (G1 + solve2(turned(D1), turned(D2), e1, cross(D2, G2 - G1) + e2),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve D x dC = D x dG - dD x (C-G) + de + g for both guides."""
        (G1, D1, _, G2, D2, _), (C,), (dG1, dD1, de1, dG2, dD2, de2) = h, phi, dh
        first = cross(D1, dG1) - cross(dD1, C - G1) + de1 + g[0]
        second = cross(D2, dG2) - cross(dD2, C - G2) + de2 + g[1]
        return (solve2(turned(D1), turned(D2), first, second),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the Coriolis terms of the two guides."""
        (vG1, vD1, _, vG2, vD2, _), (wG1, wD1, _, wG2, wD2, _) = vh, wh
        (vC,), (wC,) = vphi, wphi
        return (
            -cross(vD1, wC - wG1) - cross(wD1, vC - vG1),
            -cross(vD2, wC - wG2) - cross(wD2, vC - vG2),
        )

    def residual(self, h: Values, phi: Values) -> Values:
        """Return D x (C-G) - e for both guides."""
        (G1, D1, e1, G2, D2, e2), (C,) = h, phi
        return (cross(D1, C - G1) - e1, cross(D2, C - G2) - e2)


class RPP(PRP):
    """Two lines: a point C of the second link from the known guide and the first link's guide.

    >>> RPP().name, RPP().modes
    ('RPP', 1)
    """

    name = "RPP"
    aliases: tuple[str, ...] = ("PPR",)
