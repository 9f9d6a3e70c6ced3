"""How well a motion closes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.solve.closure import closing_error
from structkin.solve.motion.motion import Motion

Floats = NDArray[np.float64]


def residual(motion: Motion) -> Floats:
    """Return the largest closure error (n,) of a joint or driver: lengths relative to the size, angles in rad.

    It is measured from the links' frames, not from the solved equations, as defined in each joint's `gaps`: coordinates
    of every pin from each of its links, each prismatic joint's distance and orientation, place and angle of fastened
    links, the mesh of gear teeth. A driver's error is how far its coordinate is from its value.
    """
    values = {id: z[0] for id, z in motion.drivers.items()}
    return closing_error(motion.poses, motion.mechanism.drivers, values)
