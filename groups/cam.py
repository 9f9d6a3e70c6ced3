"""Explicit relations of cams: functions of the angle of a known cam.

    Lift       s = f(angle from C to U)    the cam's direction U, the carrier's direction C; f is periodic
    OfAngle    s = f(theta)                theta counts full turns
    Turn       E = (cos s, sin s)          an angle as input of the driven link R

With them a follower on a known cam is a driven link whose travel or angle is given by a function instead of a driver.
The functions are not quadratic, so `convective` contains their second and `cubic` their third derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.rows.jet import angle, seen_from, vector
from structkin.rows.periodic import Function, angle_of

from .kind import Explicit, Values, turned


@dataclass(frozen=True, eq=False)
class Lift(Explicit):
    """s = f(a), a the angle from the direction C of the carrier to the direction U of the cam.

    >>> U, C = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    >>> Lift(lambda a, order=0: (np.sin, np.cos)[order](a)).position((U, C), None)[0].tolist()
    [1.0]
    """

    function: Function

    def _part(self, U: tuple[Any, ...], C: tuple[Any, ...]) -> Any:
        """Return the derivative of f along all directions of the jets."""
        U, C = (np.broadcast_arrays(*(part + 0.0 * parts[0] for part in parts)) for parts in (U, C))
        return angle(seen_from(vector(U), vector(C))).follow(self.function).parts[-1]

    def position(self, h: Values, root: Any) -> Values:
        """Return f."""
        U, C = h
        return (self.function(angle_of(np.stack(seen(U, C)))),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return f' da + g."""
        (U, C), (dU, dC) = h, dh
        return (self._part((U, dU), (C, dC)) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the second derivative of f along v and w."""
        (U, C), (vU, vC), (wU, wC) = h, vh, wh
        return (self._part((U, vU, wU, 0.0), (C, vC, wC, 0.0)),)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return the third derivative of f along v."""
        (U, C), (vU, vC) = h, vh
        return (self._part(*((X, dX, dX, 0.0, dX, 0.0, 0.0, 0.0) for X, dX in ((U, vU), (C, vC)))),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return s - f."""
        return (phi[0] - self.position(h, None)[0],)


def seen(U: Any, C: Any) -> tuple[Any, Any]:
    """Return the components of U relative to C, not divided by |C|^2."""
    return U[0] * C[0] + U[1] * C[1], U[1] * C[0] - U[0] * C[1]


@dataclass(frozen=True, eq=False)
class OfAngle(Explicit):
    """s = f(theta) of an angle that counts full turns."""

    function: Function

    def position(self, h: Values, root: Any) -> Values:
        """Return f."""
        return (self.function(h[0]),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return f' dtheta + g."""
        return (self.function(h[0], 1) * dh[0] + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return f'' v w."""
        return (self.function(h[0], 2) * vh[0] * wh[0],)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return f''' v^3."""
        return (self.function(h[0], 3) * vh[0] ** 3,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return s - f."""
        return (phi[0] - self.function(h[0]),)


class Turn(Explicit):
    """E = (cos s, sin s): the unit vector of an angle.

    >>> Turn().position((np.array([0.0]),), None)[0][:, 0].tolist()
    [1.0, 0.0]
    """

    def position(self, h: Values, root: Any) -> Values:
        """Return the unit vector."""
        return (np.stack((np.cos(h[0]), np.sin(h[0]))),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return ds turned(E) + g."""
        return (dh[0] * turned(phi[0]) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return -v w E."""
        return (-vh[0] * wh[0] * phi[0],)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return -v^3 turned(E)."""
        return (-(vh[0] ** 3) * turned(phi[0]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return E minus the unit vector."""
        return (phi[0] - self.position(h, None)[0],)
