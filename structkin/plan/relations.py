"""Steps of a plan that are not structural groups: sums, half squares, quotients.

They implement the interface of a relation (`structkin.groups.kind`), so the engine differentiates them like groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.groups.kind import Array, Explicit, Values, dot, over, times


@dataclass(frozen=True)
class Combine(Explicit):
    """A vector const + sum of factor * slot: an `Affine` expression that is an input of a group."""

    const: complex
    factors: tuple[complex, ...]

    def _sum(self, h: Values, start: complex) -> Array:
        # In the order of `Affine.components`: a point has one value, whether it is read or is an input.
        x: Any = 0.0
        y: Any = 0.0
        for factor, v in zip(self.factors, h, strict=True):
            # Most factors are real: they scale a vector without rotating it.
            if factor.imag == 0:
                x, y = x + factor.real * v[0], y + factor.real * v[1]
            else:
                x = x + (factor.real * v[0] - factor.imag * v[1])
                y = y + (factor.imag * v[0] + factor.real * v[1])
        x, y = x + start.real, y + start.imag
        return np.stack((x, y))

    def position(self, h: Values, root: Any) -> Values:
        """Return the sum."""
        return (self._sum(h, self.const),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return the sum of the derivatives."""
        return (self._sum(dh, 0j) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return zero: the relation is linear."""
        return (0.0,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the sum."""
        return (phi[0] - self._sum(h, self.const),)


class HalfSquare(Explicit):
    """lambda = V.V / 2 of a vector: a length in the form that dyads use."""

    def position(self, h: Values, root: Any) -> Values:
        """Return half the square."""
        return (0.5 * dot(h[0], h[0]),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return V.dV + g."""
        return (dot(h[0], dh[0]) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return v.w."""
        return (dot(vh[0], wh[0]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus half the square."""
        return (phi[0] - 0.5 * dot(h[0], h[0]),)


class HalfSquareOfLength(Explicit):
    """lambda = s^2 / 2 of a driven distance s, which has to be positive."""

    def discriminant(self, h: Values) -> Array | None:
        """Return the distance itself: if it is negative, there is no pose."""
        return np.asarray(h[0])

    def position(self, h: Values, root: Any) -> Values:
        """Return half the square."""
        return (0.5 * h[0] * h[0],)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return s ds + g."""
        return (h[0] * dh[0] + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return v w."""
        return (vh[0] * wh[0],)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus half the square."""
        return (phi[0] - 0.5 * h[0] * h[0],)


class Quotient(Explicit):
    """U = W / R, as complex numbers: the direction that rotates R, given in a link's frame, into W."""

    def position(self, h: Values, root: Any) -> Values:
        """Return the quotient."""
        return (over(h[0], h[1]),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve R dU = dW - U dR + g."""
        return (over(dh[0] - times(phi[0], dh[1]) + g[0], h[1]),)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return minus the mixed products."""
        return (-times(vphi[0], wh[1]) - times(wphi[0], vh[1]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return U R - W."""
        return (times(phi[0], h[1]) - h[0],)


@dataclass(frozen=True)
class Sum(Explicit):
    """A scalar const + sum of factor * slot."""

    const: float
    factors: tuple[float, ...]

    def _sum(self, h: Values, start: float) -> Any:
        return sum((factor * x for factor, x in zip(self.factors, h, strict=True)), start=np.asarray(start))

    def position(self, h: Values, root: Any) -> Values:
        """Return the sum."""
        return (self._sum(h, self.const),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return the sum of the derivatives."""
        return (self._sum(dh, 0.0) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return zero: the relation is linear."""
        return (0.0,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the sum."""
        return (phi[0] - self._sum(h, self.const),)


class Travel(Explicit):
    """s = D . (P - G): the coordinate of a point along a line through G with the unit direction D."""

    def position(self, h: Values, root: Any) -> Values:
        """Return the travel."""
        G, D, P = h
        return (dot(D, P - G),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return dD.(P - G) + D.(dP - dG) + g."""
        (G, D, P), (dG, dD, dP) = h, dh
        return (dot(dD, P - G) + dot(D, dP - dG) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products."""
        return (dot(vh[1], wh[2] - wh[0]) + dot(wh[1], vh[2] - vh[0]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the travel."""
        return (phi[0] - dot(h[1], h[2] - h[0]),)
