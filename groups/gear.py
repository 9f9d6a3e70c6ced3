"""Rotations as scalars: a link rotated by gears (R-G), and the rotation of a vector that other groups have moved.

Gears couple rotations by real ratios. A unit vector does not count full turns, but a full turn of a wheel may turn a
pinion by a fraction of a turn. So rotations are scalars here, counted from the sketch (Willis, Principles of
Mechanism, 1841). Both relations contain sines and cosines, so they have third derivatives: `cubic` is
-(d3 Phi)(v, v, v).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .kind import Array, Explicit, Values, cross, dot, times, turned


def unit(s: Any) -> Any:
    """Return E(s) = (cos s, sin s)."""
    return np.stack((np.cos(s), np.sin(s)))


class RG(Explicit):
    """The direction of a link rotated by gears by s: U = F E(s), as complex numbers.

    F is its direction in the sketch, s the weighted sum of the rotations of the other wheel and of the carrier.

    >>> F, s = np.array([[1.0], [0.0]]), np.array([np.pi / 2])
    >>> RG().position((F, s), None)[0][:, 0].round(12).tolist()
    [0.0, 1.0]
    """

    name = "R-G"
    aliases: tuple[str, ...] = ("geared",)
    inputs: tuple[str, ...] = ("F", "s")
    outputs: tuple[str, ...] = ("U",)

    def position(self, h: Values, root: Any) -> Values:
        """Return U = F E(s)."""
        return (times(h[0], unit(h[1])),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return dU = dF E + F E' ds + g."""
        E = unit(h[1])
        return (times(dh[0], E) + times(h[0], turned(E)) * dh[1] + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products, and the term with F E''."""
        E = unit(h[1])
        mixed = times(vh[0] * wh[1] + wh[0] * vh[1], turned(E))
        return (mixed - times(h[0], E) * (vh[1] * wh[1]),)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return the third derivative of F E(s) along one direction."""
        E = unit(h[1])
        return (-3 * times(vh[0], E) * vh[1] ** 2 - times(h[0], turned(E)) * vh[1] ** 3,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return U - F E(s)."""
        return (phi[0] - times(h[0], unit(h[1])),)


@dataclass(frozen=True)
class Turn(Explicit):
    """The rotation s of a vector U from its direction in the sketch, `reference`: U x Y = 0 with Y = reference E(s).

    A vector alone does not determine full turns: `position` takes as root an angle near the right one, and `follow`
    finds it along closely spaced lanes.
    """

    reference: complex

    def _along(self, s: Any) -> Any:
        return times(np.array([[self.reference.real], [self.reference.imag]]) / abs(self.reference), unit(s))

    def position(self, h: Values, root: Any) -> Values:
        """Return the rotation nearest to `root`.

        >>> Turn(1 + 0j).position((np.array([[0.0], [2.0]]),), 6.0)[0].round(6).tolist()
        [7.853982]
        """
        Y = self._along(root)
        x, y = dot(Y, h[0]), cross(Y, h[0])
        # the half-angle tangent accepts complex steps, unlike arctan2
        return (root + 2 * np.arctan(y / (np.sqrt(x * x + y * y) + x)),)

    def follow(self, U: Array) -> tuple[Array, Array]:
        """Return the rotations (n,) along lanes that start near the sketch, and where a step was ambiguously large.

        Across NaN lanes the shorter rotation is taken.
        """
        (principal,) = self.position((U,), np.zeros(U.shape[-1]))
        good = np.flatnonzero(np.isfinite(principal))
        result, unclear = np.array(principal), np.zeros(len(principal), bool)
        step = np.diff(principal[good])
        step -= 2 * np.pi * np.round(step / (2 * np.pi))
        result[good[1:]] = principal[good[:1]] + np.cumsum(step)
        unclear[good[1:]] = np.cumsum((np.abs(step) > 0.75 * np.pi) & (np.diff(good) == 1)) > 0
        return result, unclear

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve (U.Y) ds = Y x dU + g."""
        Y = self._along(phi[0])
        return ((cross(Y, dh[0]) + g[0]) / dot(h[0], Y),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products."""
        Y = self._along(phi[0])
        return (cross(h[0], Y) * vphi[0] * wphi[0] - dot(vh[0], Y) * wphi[0] - dot(wh[0], Y) * vphi[0],)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return the third derivative of -U x Y along one direction."""
        Y = self._along(phi[0])
        return (3 * cross(vh[0], Y) * vphi[0] ** 2 + dot(h[0], Y) * vphi[0] ** 3,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return U x Y."""
        return (cross(h[0], self._along(phi[0])),)
