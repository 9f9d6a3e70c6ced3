"""Projection of position and velocity: after each step the state moves to the nearest one on the constraints.

Distances are measured in the mass metric (Bayo & Ledesma 1996; Blajer 2002): the smallest change of velocity is the one
that an impulse of ideal joints would cause, and it removes only the kinetic energy of the violation. Both levels are
solved with the matrix of the equations of motion,

    [ M      Phi_q^T ] [ dq ]   [  0   ]        [ M      Phi_q^T ] [ dv ]   [       0        ]
    [ Phi_q  0       ] [ mu ] = [ -Phi ]        [ Phi_q  0       ] [ mu ] = [ nu - Phi_q q'  ]

Where the rank drops, at a change point, an acceleration lacks the part that the lost constraints would enforce: this
part is M-orthogonal to the motion, so the projection of the velocity corrects it after the point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.equations import Multipliers


#: Residuals (relative to the rows' units) below this are rounding; corrections of one state, with the same factors.
CLOSED, CORRECTIONS = 1e-14, 6

#: A centred interpolation of six points at odd multiples of a distance [rad].
PLACES, WEIGHTS = np.array([-5.0, -3.0, -1.0, 1.0, 3.0, 5.0]), np.array([3.0, -25.0, 150.0, 150.0, -25.0, 3.0]) / 256
DISTANCE = 5e-3


@dataclass(frozen=True)
class Projection(Stabilisation):
    """The accelerations of direct integration, and a projection after each step."""

    def project(self, equations: Multipliers, t: float, y: Floats) -> Floats:
        """Return the projected state."""
        return project(equations, t, y)


def project(equations: Multipliers, t: float, y: Floats) -> Floats:
    """Return the state (2 n,) whose positions and velocities meet the constraints."""
    c = equations.coordinates
    n, y = c.n, np.array(y)
    if not np.isfinite(y).all():
        return y
    z, dz, _ = equations.laws(t)
    pose = equations.pose(t, y)
    nothing, units = np.zeros(n), c.row_units
    last = np.inf
    for _ in range(CORRECTIONS):
        phi = c.phi(y[:n, None], z)[:, 0]
        gap = float(np.max(np.abs(phi / units), initial=0.0))
        # Rounding is reached when the gap no longer shrinks.
        if gap < CLOSED or not gap < 0.5 * last:
            break
        y[:n] += pose.factors.solve(nothing, -phi)[0]
        last = gap
    nu = c.nu(z, dz)[:, 0]
    for _ in range(2):
        entries = c.jacobian(y[:n, None], z)[:, 0]
        y[n:] += pose.factors.solve(nothing, nu - equations.times_jacobian(entries, y[n:]))[0]
    return y


def limit(equations: Multipliers, t: float, y: Floats, a: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
    """Return q'' (n,) and the multipliers (m,) at a change point, as the limit from poses around it.

    Where Phi_q loses its rank, as in a flat parallelogram, Phi_q q'' = gamma no longer determines q'', and close to it
    rounding and step errors dominate. But the motion passes straight through, and along it the accelerations are
    smooth. So they are taken at poses before and after, on the branch along the velocity, and interpolated; so are the
    multipliers, which grow without bound towards the point and change sign there. The given values are returned where
    there is no smooth motion through the pose.
    """
    n, q, v = equations.coordinates.n, y[: equations.coordinates.n], y[equations.coordinates.n :]
    # The distance is the turn of links, however small they are in the mechanism; where none turns, it is their travel.
    rates = equations.coordinates.frame_rates(q[:, None], v[:, None]).reshape(-1, 4)
    turning = float(np.max(np.hypot(rates[:, 2], rates[:, 3]), initial=0.0))
    speed = turning or float(np.max(np.abs(rates), initial=0.0)) / equations.coordinates.size
    if not 0 < speed < np.inf:
        return a, multipliers
    found = []
    for place in PLACES:
        s = place * DISTANCE / speed
        near = project(equations, t, np.concatenate((q + s * v + 0.5 * s * s * a, v + s * a)))
        pose = equations.pose(t, near)
        gap = np.max(np.abs(pose.phi / equations.coordinates.row_units), initial=0.0)
        if not gap < 1e3 * CLOSED or not pose.factors.regular:
            return a, multipliers
        found.append(np.concatenate(pose.factors.solve(equations.forces(t, near, pose), pose.gamma)))
    result = WEIGHTS @ np.array(found)
    return result[:n], result[n:]
