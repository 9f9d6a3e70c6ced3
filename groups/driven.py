"""Driven links: one link moved by a driver relative to a known link ("1R" at a revolute joint, driven P on a slide).

The driver's angle z enters as the unit vector E = (cos z, sin z), its travel as the scalar s. Source: Saura et al.,
sec. 4 (1R group).
"""

from __future__ import annotations

from typing import Any

from .kind import Explicit, Values, times


class DrivenR(Explicit):
    """The direction of a link rotated by a driver: U = F E, as complex numbers.

    F is the direction of the known link, times a constant. The two links need not share a joint.
    """

    name = "driven R"
    aliases: tuple[str, ...] = ("1R", "RR")
    inputs: tuple[str, ...] = ("F", "E")
    outputs: tuple[str, ...] = ("U",)

    def position(self, h: Values, root: Any) -> Values:
        """Return U = F E."""
        return (times(h[0], h[1]),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return dU = dF E + F dE + g."""
        return (times(dh[0], h[1]) + times(h[0], dh[1]) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products of the two directions."""
        return (times(vh[0], wh[1]) + times(wh[0], vh[1]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return U - F E."""
        return (phi[0] - times(h[0], h[1]),)


class DrivenP(Explicit):
    """A point of a link moved along a guide by a driver: C = G + s D."""

    name = "driven P"
    aliases: tuple[str, ...] = ("1P",)
    inputs: tuple[str, ...] = ("G", "D", "s")
    outputs: tuple[str, ...] = ("C",)

    def position(self, h: Values, root: Any) -> Values:
        """Return C = G + s D."""
        G, D, s = h
        return (G + s * D,)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return dC = dG + ds D + s dD + g."""
        (_, D, s), (dG, dD, ds) = h, dh
        return (dG + ds * D + s * dD + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the Coriolis term."""
        return (vh[2] * wh[1] + wh[2] * vh[1],)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return C - G - s D."""
        G, D, s = h
        return (phi[0] - G - s * D,)
