"""Projection of position and velocity: after each step the state goes to the nearest one on the constraints.

Near is meant in the metric of the masses (Bayo & Ledesma 1996; Blajer 2002): the change of velocity that M weighs
least is the one that ideal joints would make by an impulse, and it takes from the kinetic energy only what violates
them. Both levels are solved with the matrix of the equations of motion,

    [ M      Phi_q^T ] [ dq ]   [  0   ]        [ M      Phi_q^T ] [ dv ]   [       0        ]
    [ Phi_q  0       ] [ mu ] = [ -Phi ]        [ Phi_q  0       ] [ mu ] = [ nu - Phi_q q'  ]

Where the rank drops, at a change point, an acceleration lacks the part that the lost constraints would force: that part
is M-orthogonal to the motion, so that the projection of the velocity takes it out again behind the point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.multipliers.stabilisation import Feedback, Unchanged

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.equations import Multipliers, Pose

Floats = NDArray[np.float64]

#: Residuals (relative to the rows' units) below this are rounding; corrections of one state, with the same factors.
CLOSED, CORRECTIONS = 1e-14, 6


@dataclass(frozen=True)
class Projection(Unchanged):
    """The accelerations of direct integration, and a projection after each step."""

    def accelerations(self, equations: Multipliers, pose: Pose, force: Floats) -> tuple[Floats, Floats]:
        """Return q'' (n,) and the multipliers (m,)."""
        return Feedback().accelerations(equations, pose, force)

    def settle(self, equations: Multipliers, t: float, y: Floats) -> Floats:
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
        # Rounding is reached when the gap shrinks no more.
        if gap < CLOSED or not gap < 0.5 * last:
            break
        y[:n] += pose.factors.solve(nothing, -phi)[0]
        last = gap
    nu = c.nu(z, dz)[:, 0]
    for _ in range(2):
        entries = c.jacobian(y[:n, None], z)[:, 0]
        y[n:] += pose.factors.solve(nothing, nu - equations.times_jacobian(entries, y[n:]))[0]
    return y
