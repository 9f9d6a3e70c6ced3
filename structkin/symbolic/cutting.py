"""Loops cut through a body, where the coordinates of the joint that would be cut are needed."""

from __future__ import annotations

from dataclasses import replace

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, SpatialModel
from structkin.symbolic.tree import needed_joints, tree_of

#: Between the name of a body or joint and what was made of it; names of a model do not contain it.
MARK = "@"


def with_bodies_cut(model: SpatialModel) -> SpatialModel:
    """Return the model with every joint whose coordinates are needed in its tree.

    Where such a joint closes a loop, one of its bodies is cut instead, as Robotran does: the joint carries one half of
    the mass and inertia, which is welded to the other half. The motion is the same, and the coordinates of the joint
    are among those of the tree.
    """
    bodies, joints = dict(model.bodies), dict(model.joints)
    needed = needed_joints(model)
    for joint in tree_of(model).cut:
        if joint.name in needed:
            side = max((0, 1), key=lambda k: bodies[joint.bodies[k]].mass if joint.bodies[k] != GROUND else -1.0)
            body = bodies[joint.bodies[side]]
            other = f"{body.name}{MARK}{joint.name}"
            halves = [
                replace(body, name=name, mass=body.mass / 2, inertia=body.inertia / 2) for name in (body.name, other)
            ]
            bodies |= {half.name: half for half in halves}
            pair = (joint.bodies[0], other) if side else (other, joint.bodies[1])
            joints[joint.name] = replace(joint, bodies=pair, cut=False)
            weld = f"{joint.name}{MARK}{body.name}"
            joints[weld] = SpatialJoint(weld, "fixed", (other, body.name), joint.at, joint.axis, joint.second, cut=True)
    return replace(model, bodies=bodies, joints=joints)
