"""How well a motion closes: the gaps of all joints, from the links' frames and not from the equations solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.solve.motion.motion import Motion

Floats = NDArray[np.float64]


def residual(motion: Motion) -> Floats:
    """Return the largest gap of any joint (n,), relative to the mechanism's size.

    It is measured from the links' frames, not from the equations that were solved, as each joint says in its `gaps`:
    coordinates of every pin from each of its links, each prismatic joint's distance and orientation, place and turn of
    links that are fastened, how well the teeth of gears meet.
    """
    poses = motion.poses
    gaps = [np.zeros(len(motion))]
    for joint in motion.mechanism.joints.values():
        gaps += joint.gaps(poses)
    gaps += [np.abs(np.abs(poses.along(link)) - 1) for link in motion.mechanism.links]
    return np.asarray(np.max(gaps, axis=0))
