"""How well a motion closes: the closure errors of all joints, from the links' frames, not from the solved equations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.solve.motion.motion import Motion

Floats = NDArray[np.float64]


def residual(motion: Motion) -> Floats:
    """Return the largest joint closure error (n,), relative to the mechanism's size.

    It is measured from the links' frames, not from the solved equations, as defined in each joint's `gaps`: coordinates
    of every pin from each of its links, each prismatic joint's distance and orientation, place and angle of fastened
    links, the mesh of gear teeth.
    """
    poses = motion.poses
    gaps = [np.zeros(len(motion))]
    for joint in motion.mechanism.joints.values():
        gaps += joint.gaps(poses)
    gaps += [np.abs(np.abs(poses.along(link)) - 1) for link in motion.mechanism.links]
    return np.asarray(np.max(gaps, axis=0))
