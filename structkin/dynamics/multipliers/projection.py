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

import numpy as np

from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.types import Floats

#: Corrections of one state, with the same factors.
CORRECTIONS = 6

#: A centred interpolation of six points at odd multiples of a distance [rad].
PLACES, WEIGHTS = np.array([-5.0, -3.0, -1.0, 1.0, 3.0, 5.0]), np.array([3.0, -25.0, 150.0, 150.0, -25.0, 3.0]) / 256
DISTANCE = 5e-3


@dataclass(frozen=True)
class Projection(Stabilisation):
    """The accelerations of direct integration, and a projection after each step."""


def shifts(rates: Floats, size: float) -> Floats:
    """Return the times (6,) from a change point to the poses by which its accelerations are interpolated.

    Where Phi_q loses its rank, as in a flat parallelogram, Phi_q q'' = gamma no longer determines q'', and close to it
    rounding and step errors dominate. But the motion passes straight through, and along it the accelerations are
    smooth. So they are taken at poses before and after, on the branch along the velocity, and interpolated; so are the
    multipliers, which grow without bound towards the point and change sign there. There are no such poses, (0,), where
    nothing moves: `rates` (4 links,) are those of the frames, in a mechanism of this size [m].
    """
    # The distance is the turn of links, however small they are in the mechanism; where none turns, it is their travel.
    rates = rates.reshape(-1, 4)
    turning = float(np.max(np.hypot(rates[:, 2], rates[:, 3]), initial=0.0))
    speed = turning or float(np.max(np.abs(rates), initial=0.0)) / size
    return PLACES * DISTANCE / speed if 0 < speed < np.inf else PLACES[:0]
