"""The state at time 0: bodies placed along their joints, with their velocities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import SpatialModel
from structkin.multibody.tree import paths
from structkin.types import Floats


class Frame(NamedTuple):
    """Where a body is: rotation (3, 3) and shift (3,) from the drawn pose, angular velocity, velocity at the origin.

    What was drawn at x is at rotation x + shift, and moves with velocity + spin x (rotation x + shift).
    """

    rotation: Floats
    shift: Floats
    spin: Floats
    velocity: Floats

    def place(self, x: Floats) -> Floats:
        """Return where the point drawn at x is."""
        return np.asarray(self.rotation @ x + self.shift)

    def speed(self, x: Floats) -> Floats:
        """Return the velocity of the point drawn at x."""
        return np.asarray(self.velocity + np.cross(self.spin, self.place(x)))


STILL = Frame(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def turn(axis: Floats, angle: float) -> Floats:
    """Return the rotation (3, 3) about a unit axis e by an angle (S3, eq. 1: Rodrigues' formula, rebuilt).

    >>> turn(np.array([0.0, 0, 1]), np.pi / 2).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + 2.0 * np.sin(angle / 2.0) ** 2 * (cross @ cross))


def placed(model: SpatialModel) -> dict[str, Frame]:
    """Return where every body is at time 0, from the `start` and `rates` of the joints along the path from the ground.

    Joints that close a loop, and those with `cut=True` where there is another way, are not read.
    """
    frames: dict[str, Frame] = {}
    for body, path in paths(model.bodies, model.joints)[0].items():  # a parent stands before its children
        if path:
            joint, sense = path[-1]
            frames[body] = _across(joint, frames[joint.bodies[0 if sense > 0 else 1]], sense)
        else:
            frames[body] = STILL
    return frames


def _across(joint: SpatialJoint, frame: Frame, sign: int) -> Frame:
    """Return the frame of the second body of a joint from that of the first, or with the sign -1 the other way."""
    for motion, q, rate in list(zip(joint.motions, joint.start, joint.rates, strict=True))[::sign]:
        step = turn(motion.rotation, sign * q) if motion.rotation.any() else np.eye(3)
        # inwards, the axes after the motion are turned as those before it: a motion leaves its own axis where it is
        axis = frame.rotation @ motion.rotation
        shift = frame.rotation @ motion.translation
        at = frame.place(joint.at)
        spin = frame.spin + sign * rate * axis
        after = at + sign * q * shift
        velocity = frame.speed(joint.at) + sign * (rate * shift + q * np.cross(frame.spin, shift))
        rotation = frame.rotation @ step
        frame = Frame(rotation, after - rotation @ joint.at, spin, velocity - np.cross(spin, after))
    return frame
