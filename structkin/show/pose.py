"""The poses of a sketch, and the paths of points along a motion.

Plane vectors are complex numbers x + iy, as in the model.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.solve import Motion
from structkin.types import Complexes


def sketch_poses(mechanism: Mechanism) -> Poses:
    """Return the single pose of the sketch, with points exactly as sketched: the given lengths are not applied."""
    links = {
        name: replace(
            link, local={point: (mechanism.places[point] - link.origin) / link.direction for point in link.local}
        )
        for name, link in mechanism.links.items()
    }
    frames = {name: (np.array([link.origin]), np.array([link.direction])) for name, link in mechanism.links.items()}
    return Poses(links, mechanism.joints, frames, mechanism.size)


def path_of(motion: Motion, point: str) -> Complexes:
    """Return the path (n,) [m] of a point, NaN where a sample has no pose."""
    return np.asarray(motion.position(point) @ np.array([1, 1j]))
