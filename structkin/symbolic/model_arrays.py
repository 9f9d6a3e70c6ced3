"""The loads and the loops of a model as arrays for the compiled functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from structkin.model.parts import Law
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Force, JointLoad, SpatialModel, Spring, Stop, Torque
from structkin.symbolic.closures_at import ANGLE, GAP, Rows
from structkin.symbolic.loads_at import Loads
from structkin.symbolic.tree import ROWS, Tree
from structkin.types import Floats

One = TypeVar("One", Force, Torque, Spring, JointLoad, Stop)


def entry_of(tree: Tree, body: str) -> tuple[int, Floats]:
    """Return the entry of a body and the place (3,) of its joint in the drawn pose; the ground is the last entry."""
    number = tree.of.get(body, len(tree.bodies))
    return number, tree.joints[number] if number < len(tree.bodies) else np.zeros(3)


def packed_rows(tree: Tree) -> Rows:
    """Return the equations of the joints that are cut, in their order."""
    kinds: list[int] = []
    bodies, points, u, w = [], [], [], []
    for joint in tree.cut:
        triad = (joint.axis, joint.second, np.cross(joint.axis, joint.second))
        axes = dict(zip("abcxyz", (*triad, *np.eye(3)), strict=True))  # all of A: x, y, z are the ground's as drawn
        ends = [entry_of(tree, body) for body in joint.bodies]
        gaps, angles = ROWS[joint.kind]
        found = [(GAP, axes[one], axes[one]) for one in gaps]
        found += [(ANGLE, axes[p[0]], axes[p[1]]) for p in angles]
        for kind, first, second in found:
            kinds.append(kind)
            bodies.append([number for number, _ in ends])
            points.append([joint.at - place for _, place in ends])
            u.append(first)
            w.append(second)
    m = len(kinds)
    return Rows(
        kind=np.array(kinds, dtype=np.int64),
        bodies=np.array(bodies, dtype=np.int64).reshape(m, 2),
        points=np.array(points, dtype=float).reshape(m, 2, 3),
        u=np.array(u, dtype=float).reshape(m, 3),
        w=np.array(w, dtype=float).reshape(m, 3),
    )


def loop_of_row(tree: Tree) -> list[str]:
    """Return the joint of each row."""
    return [joint.name for joint in tree.cut for _ in range(_count(joint))]


def _count(joint: SpatialJoint) -> int:
    gaps, angles = ROWS[joint.kind]
    return len(gaps) + len(angles)


def packed_loads(model: SpatialModel, tree: Tree) -> tuple[Loads, list[Law | None]]:
    """Return the loads, and the laws of `Loads.values`: None for a joint load without a law, whose effort is 0."""
    number = {name: k for k, name in enumerate(tree.coordinates)}
    forces, torques, springs = _all(model, Force), _all(model, Torque), _all(model, Spring)
    joints, stops = _all(model, JointLoad), _all(model, Stop)
    acting: list[Force | Torque] = [*forces, *torques]
    laws: list[Law | None] = [law for load in acting for law in load.components]
    laws += [load.effort for load in joints]
    ends = [[entry_of(tree, body) for body in load.bodies] for load in springs]
    loads = Loads(
        force_body=_ints([entry_of(tree, load.body)[0] for load in forces]),
        force_point=_floats([load.point - entry_of(tree, load.body)[1] for load in forces], 3),
        force_follows=_ints([load.follows for load in forces]),
        torque_body=_ints([entry_of(tree, load.body)[0] for load in torques]),
        torque_follows=_ints([load.follows for load in torques]),
        spring_bodies=_ints([[i for i, _ in pair] for pair in ends]).reshape(-1, 2),
        spring_points=_floats(
            [
                [point - place for point, (_, place) in zip(load.points, pair, strict=True)]
                for load, pair in zip(springs, ends, strict=True)
            ],
            2,
            3,
        ),
        spring_numbers=_floats([[load.stiffness, load.damping, load.length] for load in springs], 3),
        whole=np.ones(len(springs)),
        pull=np.zeros(len(springs)),
        joint_coordinate=_ints([number[load.joint, load.coordinate] for load in joints]),
        joint_numbers=_floats([[load.stiffness, load.damping, load.rest] for load in joints], 3),
        stop_coordinate=_ints([number[load.joint, load.coordinate] for load in stops]),
        stop_numbers=_floats([[load.lower, load.upper, load.stiffness, load.damping] for load in stops], 4),
        values=np.zeros(len(laws)),
    )
    return loads, laws


def _all(model: SpatialModel, kind: type[One]) -> list[One]:
    return [load for load in model.loads.values() if isinstance(load, kind)]


def _ints(values: Sequence[object]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


def _floats(values: Sequence[object], *shape: int) -> Floats:
    return np.array(values, dtype=float).reshape(-1, *shape)
