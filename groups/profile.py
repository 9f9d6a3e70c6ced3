"""Cam profiles as functions of an angle: the distance of a roller's centre or a flat face in contact.

A profile is given in polar form, radius R(u) from the cam's centre. With w = sqrt(R^2 + R'^2) its outward normal is
(R - i R') / w in axes that rotate with u, so that

    a roller of radius q has its centre at R + q (R - i R') / w        its distance as a function of its polar angle
    a tangent is at the distance R^2 / w, its normal at u - atan(R'/R)     this is the support function

Both are curves with parameter u. As functions of their angle they are computed by Newton's method, their derivatives
by the chain rule; everything accepts complex steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.rows.jet import Jet, angle, length
from structkin.rows.periodic import TURN, Function, derivatives

from .kind import Array

#: Number of points in the table of the inverse of the angle.
TABLE = 1440


@dataclass(frozen=True, eq=False)
class ContactDistance:
    """The distance of a roller of this radius (0: an edge), or of a flat face, on a profile R(u), by its angle.

    >>> circle = ContactDistance(lambda u, order=0: 2.0 + 0 * u if order == 0 else 0 * u, 0.5)
    >>> circle(np.array([1.0])).tolist(), circle(np.array([1.0]), 2).tolist()
    ([2.5], [0.0])
    """

    profile: Function
    radius: float = 0.0
    flat: bool = False

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the distance (n,), or its derivative of this order (up to 3), at angles (n,)."""
        return self.together(angle, order + 1)[order]

    def together(self, angle: Any, count: int) -> list[Any]:
        """Return the first `count` derivatives at once, up to four: the contact is computed only once."""
        if self._is_edge:
            return [self.profile(angle, order) for order in range(count)]
        value, at = self._curve(self.parameter(angle), count - 1)
        # Derivatives of the value and of the angle with respect to u.
        v, a = ([jet.parts[2**k - 1] for k in range(count)] for jet in (value, at))
        found = [v[0]]
        if count > 1:
            found.append(v[1] / a[1])
        if count > 2:
            found.append((v[2] - found[1] * a[2]) / a[1] ** 2)
        if count > 3:
            found.append((v[3] - 3 * found[2] * a[1] * a[2] - found[1] * a[3]) / a[1] ** 3)
        return found

    @property
    def _is_edge(self) -> bool:
        return not self.flat and self.radius == 0

    @cached_property
    def is_single_valued(self) -> bool:
        """Whether each angle has one distance: not if the profile is concave under a face, or too much for a roller."""
        return bool(np.all(np.diff(self._table[1]) > 0))

    def parameter(self, angle: Any) -> Any:
        """Return the polar angle u (n,) on the profile of the contact at an angle."""
        if self._is_edge:
            return angle
        x = np.asarray(angle)
        turns = TURN * np.floor(x.real / TURN)
        places, angles = self._table
        u = np.interp((x - turns).real, angles, places) + 0.0 * x
        for _ in range(3):
            at = self._curve(u, 1)[1]
            u = u - (at.parts[0] - (x - turns)) / at.parts[1]
        return u + turns

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        u = np.linspace(-0.25, 1.25, 3 * TABLE // 2 + 1) * TURN
        return u, self._curve(u, 0)[1].parts[0]

    def _curve(self, u: Any, order: int) -> tuple[Jet, Jet]:
        """Return the distance and its angle with derivatives in u up to an order, as jets along as many directions."""
        bits = [mask.bit_count() for mask in range(2**order)]
        known = derivatives(self.profile, u, order + 2)
        R, dR = (Jet([known[count + k] for count in bits]) for k in (0, 1))
        w = length((R, dR))
        signs = (1.0, -1.0, 2.0, -6.0)
        inverse = w.of([signs[k] / w.parts[0] ** (k + 1) for k in range(order + 1)])
        zero = Jet([0.0 * u] * len(bits))
        if self.flat:
            distance, place = R * R * inverse, (R, zero - dR)
        else:
            q = Jet([self.radius + 0.0 * u] + [0.0 * u] * (len(bits) - 1))
            place = (R + q * R * inverse, zero - q * dR * inverse)
            distance = length(place)
        own = Jet([u, *(1.0 + 0.0 * u if count == 1 else 0.0 * u for count in bits[1:])])
        return distance, angle(place) + own
