"""Poses from joint coordinates, as displacements from the drawn pose: products of exponentials.

A displacement D (4, 4) takes a place drawn at x to D x. All joints are given in ground axes in the drawn pose, so the
displacement of a body is the product of those of the joints on its path from the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from structkin.multibody.joint import Motion, SpatialJoint
from structkin.multibody.tree import Path
from structkin.types import Floats


def cross_matrix(a: Floats) -> Floats:
    """Return the matrix (3, 3) of the cross product a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def displacement(motion: Motion, at: Floats, q: float) -> Floats:
    """Return the displacement (4, 4) of one motion by q [rad or m], about the place `at` (Rodrigues' formula).

    >>> z = np.array([0.0, 0, 1])
    >>> float(displacement(Motion(z, 0 * z), np.array([1.0, 0, 0]), np.pi)[0, 3])
    2.0
    """
    d = np.eye(4)
    if motion.rotation.any():
        w = cross_matrix(motion.rotation)
        d[:3, :3] += np.sin(q) * w + 2 * np.sin(q / 2) ** 2 * (w @ w)
    d[:3, 3] = at - d[:3, :3] @ at + q * motion.translation
    return d


def joint_displacement(joint: SpatialJoint, q: Sequence[float]) -> Floats:
    """Return the displacement (4, 4) of the second body relative to the first."""
    d = np.eye(4)
    for motion, value in zip(joint.motions, q, strict=True):
        d = d @ displacement(motion, joint.at, value)
    return d


def inverse(d: Floats) -> Floats:
    """Return the inverse (4, 4) of a displacement."""
    back = np.eye(4)
    back[:3, :3] = d[:3, :3].T
    back[:3, 3] = -d[:3, :3].T @ d[:3, 3]
    return back


def body_poses(found: Mapping[str, Path], q: Mapping[str, Sequence[float]]) -> dict[str, Floats]:
    """Return the displacement (4, 4) of every body at the joint coordinates q."""
    poses: dict[str, Floats] = {}
    for body, path in found.items():  # a parent stands before its children
        if not path:
            poses[body] = np.eye(4)
            continue
        joint, sense = path[-1]
        parent = joint.bodies[0 if sense > 0 else 1]
        step = joint_displacement(joint, q[joint.name])
        poses[body] = poses[parent] @ (step if sense > 0 else inverse(step))
    return poses
