"""The tree of a model: bodies in an order from the ground outwards, each on a joint of one degree of freedom.

Loops are cut at joints, or through a body where the coordinates of the joint that would be cut are needed.

The equations that close loops (`ROWS`), the same in both schemes, and their signs:

    M qdd + h = f + W lambda,   Phi(q) = 0,   W = Phi_q^T,   W^T qdd = gamma = -(W^T)' qd      (S4, equation 4)

A joint that is cut joins a first and a second body. Its rows of Phi are components of the gap d from the joint's point
on the first body to that on the second, and cosines u . w between an axis u of the first body and w of the second. So
a multiplier of a gap is the force on the second body along that axis, and minus the force on the first.

A gap in all directions is written along x, y, z: fixed in the ground in the explicit scheme, which makes the equations
shorter, and in the first body in the recursive scheme, so that the joints that carry both bodies do not enter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from structkin.multibody.joint import Motion, SpatialJoint
from structkin.multibody.model import GROUND, Body, JointLoad, SpatialModel, Stop
from structkin.multibody.spanning_tree import outwards
from structkin.types import Floats

#: Between the name of a body or joint and what was made of it; names of a model do not contain it.
MARK = "@"
STILL = Motion(np.zeros(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class TreeBody:
    """A body of the tree with the joint that carries it (S4, recursive scheme: Phi, Psi, p^z, l, m, I).

    All vectors are in the axes of the body, which are those of the ground in the drawn pose. `parent` is the number
    of the body that carries it, -1 for the ground; `offset` (3,) leads from the parent's joint to this one, and
    `center` (3,) from this joint to the centre of mass. A joint of several degrees of freedom is a row of entries
    without mass; the last of them carries the body. `coordinate` is (joint, number), None for a fixed joint.
    """

    name: str
    parent: int
    rotation: Floats
    translation: Floats
    offset: Floats
    mass: float
    center: Floats
    inertia: Floats
    coordinate: tuple[str, int] | None


@dataclass(frozen=True, eq=False)
class Tree:
    """The bodies in an order from the ground outwards, the number of each body's last entry, and the joints cut.

    `joints` (3,) per entry is where its joint lies in the drawn pose, in ground axes.
    """

    bodies: tuple[TreeBody, ...]
    joints: tuple[Floats, ...]
    of: dict[str, int]
    cut: tuple[SpatialJoint, ...]

    @property
    def coordinates(self) -> tuple[tuple[str, int], ...]:
        """The (joint, number) of the coordinates q, in the order of the bodies."""
        return tuple(body.coordinate for body in self.bodies if body.coordinate is not None)

    @property
    def turning(self) -> set[tuple[str, int]]:
        """The coordinates that are angles."""
        return {body.coordinate for body in self.bodies if body.coordinate is not None and body.rotation.any()}


def tree_of(model: SpatialModel) -> Tree:
    """Return the tree of the model (`outwards`) that keeps joints whose coordinates are needed before others.

    The joints left over are cut. A body without a path to the ground is carried by a free joint at its centre of mass.
    """
    bodies: list[TreeBody] = []
    places: list[Floats] = []
    of = {GROUND: -1}
    used = set[str]()
    for found, parent, child in outwards(model.bodies, model.joints, needed_joints(model)):
        body = model.bodies[child]
        joint = found or _free(body)
        used.add(joint.name)
        sign = 1.0 if joint.bodies == (parent, child) else -1.0
        motions = joint.motions if sign > 0 else tuple(Motion(-r, -t) for r, t in reversed(joint.motions))
        numbers = range(len(motions)) if sign > 0 else reversed(range(len(motions)))
        steps: list[tuple[Motion, tuple[str, int] | None]]
        steps = [(m, (joint.name, n)) for m, n in zip(motions, numbers, strict=True)] or [(STILL, None)]
        for index, (motion, coordinate) in enumerate(steps):
            last = index == len(steps) - 1
            before = of[parent] if index == 0 else len(bodies) - 1
            offset = joint.at - (places[before] if before >= 0 else np.zeros(3))
            bodies.append(_tree_body(body, motion, coordinate, before, offset, joint.at, last))
            places.append(joint.at)
        of[child] = len(bodies) - 1
    cut = tuple(j for j in model.joints.values() if j.name not in used)
    del of[GROUND]
    return Tree(tuple(bodies), tuple(places), of, cut)


def needed_joints(model: SpatialModel) -> set[str]:
    """Return the joints whose coordinates loads and sensors name, and the screws.

    A screw shifts with the turns that it has made, and only a coordinate counts them.
    """
    needed = {joint.name for joint in model.joints.values() if joint.kind == "screw"}
    needed |= {load.joint for load in model.loads.values() if isinstance(load, JointLoad | Stop)}
    return needed | {sensor.of[0] for sensor in model.sensors.values() if sensor.quantity in ("angle", "rate")}


def _free(body: Body) -> SpatialJoint:
    """Return the free joint of a body that floats."""
    return SpatialJoint(body.name, "free", (GROUND, body.name), body.center, np.eye(3)[0], np.eye(3)[1])


def _tree_body(
    body: Body,
    motion: Motion,
    coordinate: tuple[str, int] | None,
    parent: int,
    offset: Floats,
    at: Floats,
    last: bool,
) -> TreeBody:
    """Return one entry; only the last of a joint has the body's mass."""
    mass, center, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    if last:
        mass, center, inertia = body.mass, body.center - at, body.inertia
    return TreeBody(body.name, parent, motion.rotation, motion.translation, offset, mass, center, inertia, coordinate)


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


# --- the equations that close loops -----------------------------------------------------------------------------------

#: For each kind: axes along which the points do not part; pairs of axes, one of the first body and one of the second,
#: that stay at right angles. a, b, c is the joint's triad, x, y, z that of the ground as drawn. A screw has no
#: rows: how often it has turned does not follow from the pose of its bodies.
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fixed": ("xyz", ("ab", "ac", "bc")),
    "revolute": ("xyz", ("ab", "ac")),
    "prismatic": ("bc", ("ab", "ac", "bc")),
    "cylindrical": ("bc", ("ab", "ac")),
    "universal": ("xyz", ("ab",)),
    "planar": ("a", ("ab", "ac")),
    "spherical": ("xyz", ()),
    "free": ("", ()),
}
