"""Accelerations and multipliers at a change point, as the limit from poses around it.

Where Phi_q loses its rank, as in a flat parallelogram, Phi_q q'' = gamma does not determine q'' any more, and close to
it rounding and the errors of a step decide. But the motion goes straight through, and along it the accelerations are
smooth. So they are taken at poses before and behind, on the branch that the velocity points along, and interpolated:
the multipliers, which grow without bound towards the point and change their sign there, alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.multipliers.projection import CLOSED, project

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.equations import Multipliers

Floats = NDArray[np.float64]

#: A centred interpolation of six points at odd multiples of a distance [rad].
PLACES, WEIGHTS = np.array([-5.0, -3.0, -1.0, 1.0, 3.0, 5.0]), np.array([3.0, -25.0, 150.0, 150.0, -25.0, 3.0]) / 256
DISTANCE = 5e-3


def limit(equations: Multipliers, t: float, y: Floats, a: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
    """Return q'' (n,) and the multipliers (m,); those given where there is no smooth motion through the pose."""
    n, q, v = equations.coordinates.n, y[: equations.coordinates.n], y[equations.coordinates.n :]
    # Links turn by the distance, however large the mechanism is beside them; where none turns, they move by it.
    rates = equations.coordinates.frame_rates(q[:, None], v[:, None]).reshape(-1, 4)
    turning = float(np.max(np.hypot(rates[:, 2], rates[:, 3]), initial=0.0))
    size = float(np.max(equations.coordinates.column_units, initial=0.0)) or 1.0
    speed = turning or float(np.max(np.abs(rates), initial=0.0)) / size
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
