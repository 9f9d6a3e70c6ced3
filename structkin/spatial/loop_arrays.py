"""A model in flat arrays for the compiled loop: bodies in principal axes, joints as penalty elements, loads, laws.

In the state at time 0 bodies are placed along their joints, with their velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import (
    GROUND,
    Body,
    Force,
    JointLoad,
    SpatialModel,
    Spring,
    Stop,
    Torque,
)
from structkin.multibody.spanning_tree import paths
from structkin.spatial.elements import Element
from structkin.types import Floats, Ints

if TYPE_CHECKING:
    from structkin.model.parts import Law
    from structkin.spatial.kernel import Machine, Memory

# --- the state at time 0 -------------------------------------------------------------------------------------------


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


# --- arrays --------------------------------------------------------------------------------------------------------

#: Kinds of coordinates in the numbers of `structkin.spatial.kernel`, in the order of a joint's motions.
SHIFT, TURN, FIRST_OF_TWO, SECOND_OF_TWO, FIRST, SECOND, THIRD, SCREW = range(8)
COORDINATES: Mapping[str, tuple[tuple[int, int], ...]] = {
    "fixed": (),
    "revolute": ((TURN, 0),),
    "prismatic": ((SHIFT, 0),),
    "screw": ((TURN, 0),),
    "cylindrical": ((SHIFT, 0), (TURN, 0)),
    "universal": ((FIRST_OF_TWO, 0), (SECOND_OF_TWO, 0)),
    "planar": ((SHIFT, 1), (SHIFT, 2), (TURN, 0)),
    "spherical": ((FIRST, 0), (SECOND, 0), (THIRD, 0)),
    "free": ((SHIFT, 0), (SHIFT, 1), (SHIFT, 2), (FIRST, 0), (SECOND, 0), (THIRD, 0)),
}


def triad(joint: SpatialJoint) -> Floats:
    """Return the axes a, b, c of a joint as rows (3, 3)."""
    return np.array([joint.axis, joint.second, np.cross(joint.axis, joint.second)])


@dataclass(eq=False)
class Solids:
    """The bodies: names in the order of the rows (the ground is row 0), masses, principal axes, and frames at time 0.

    `axes` (n + 1, 3, 3): its columns are the principal axes in drawn axes.
    """

    names: list[str]
    mass: Floats
    center: Floats
    moments: Floats
    axes: Floats
    frames: list[Frame]

    def number(self, name: str) -> int:
        """Return the row of a body."""
        return self.names.index(name)

    def local(self, i: int, x: Floats) -> Floats:
        """Return the place of a point drawn at x relative to the centre of mass, in principal axes."""
        return np.asarray(self.axes[i].T @ (x - self.center[i]))

    def state(self) -> Floats:
        """Return position, velocity, rotation by rows and angular velocity (n + 1, 18) at time 0."""
        return np.array(
            [
                np.concatenate([f.place(c), f.speed(c), (f.rotation @ p).ravel(), f.spin])
                for f, c, p in zip(self.frames, self.center, self.axes, strict=True)
            ]
        )


def solids_of(model: SpatialModel) -> Solids:
    """Return the bodies of a model, placed at time 0."""
    frames = placed(model)
    still = Body(GROUND, np.inf, np.zeros(3), np.diag([np.inf] * 3))
    bodies = [still, *model.bodies.values()]
    moments, axes = np.full((len(bodies), 3), np.inf), np.tile(np.eye(3), (len(bodies), 1, 1))
    for i, body in enumerate(bodies[1:], 1):
        moments[i], axes[i] = np.linalg.eigh(body.inertia)
        axes[i] *= np.sign(np.linalg.det(axes[i]))
    return Solids(
        [body.name for body in bodies],
        np.array([body.mass for body in bodies]),
        np.array([body.center for body in bodies]),
        moments,
        axes,
        [frames[body.name] for body in bodies],
    )


@dataclass(eq=False)
class Laws:
    """The laws of time in use, each once; constant ones are evaluated once."""

    laws: list[Law] = field(default_factory=list)

    def number(self, law: Law) -> int:
        """Return the column of a law."""
        for k, known in enumerate(self.laws):
            if known is law:
                return k
        self.laws.append(law)
        return len(self.laws) - 1

    def at(self, t: Floats) -> Floats:
        """Return the values (len(t), laws) at the times t; one row if all laws are constant."""
        if all(law.speed == 0.0 for law in self.laws):
            t = t[:1]
        return np.stack([law(t)[0] for law in self.laws], axis=1) if self.laws else np.zeros((1, 0))


@dataclass(eq=False)
class Watched:
    """A coordinate of a joint that the loop reads: for a load, a stop, a sensor, or because the joint is a screw."""

    joint: str
    number: int
    load: JointLoad | Stop | None = None


@dataclass(eq=False)
class Packed:
    """A model in arrays: what the loop reads, what it changes, and what its columns mean."""

    machine: Machine
    memory: Memory
    solids: Solids
    elements: dict[str, Element]
    watched: list[Watched]
    springs: list[Spring]
    laws: Laws
    step: float


def pack(model: SpatialModel, solids: Solids, elements: dict[str, Element], step: float) -> Packed:
    """Return the arrays of a model with the penalty elements of its joints."""
    from structkin.spatial.kernel import Machine, Memory

    laws, state = Laws(), solids.state()
    order = {name: j for j, name in enumerate(elements)}
    loads = list(model.loads.values())
    springs = [load for load in loads if isinstance(load, Spring)]
    watched = watched_of(model)
    force_of, force_rows, torque_of = _wrenches(loads, solids, laws)
    coordinate_of, coordinates = _coordinates(model, watched, elements, order, solids, laws)
    machine = Machine(
        _masses(solids),
        np.array(model.gravity, dtype=float),
        _pairs([model.joints[name].bodies for name in elements], solids),
        _rows([_joint_row(model.joints[name], element, solids) for name, element in elements.items()], 34),
        coordinate_of,
        coordinates,
        _pairs([spring.bodies for spring in springs], solids),
        _rows([_spring_row(spring, solids) for spring in springs], 10),
        force_of,
        force_rows,
        torque_of,
    )
    turned = np.zeros((len(watched), 2))
    turned[:, 0] = [model.joints[one.joint].start[one.number] for one in watched]
    bodies = len(state)
    memory = Memory(state, np.zeros((bodies, 6)), np.zeros((bodies, 6)), turned, np.full(len(springs), -1))
    return Packed(machine, memory, solids, elements, watched, springs, laws, step)


def watched_of(model: SpatialModel) -> list[Watched]:
    """Return the coordinates that the loop has to read."""
    found = [Watched(joint.name, 0) for joint in model.joints.values() if joint.kind == "screw"]
    for load in model.loads.values():
        if isinstance(load, JointLoad | Stop):
            found.append(Watched(load.joint, load.coordinate, load))
    known = {(one.joint, one.number) for one in found}
    for sensor in model.sensors.values():
        names = sensor.of if sensor.quantity in ("angle", "rate") else ()
        if sensor.quantity == "potential_energy" and sensor.of:
            kept = model.loads.get(sensor.of[0])
            names = (kept.joint,) if isinstance(kept, JointLoad | Stop) else ()
        for joint in (model.joints[name] for name in names):
            wanted = [(joint.name, number) for number in range(len(joint.motions))]
            found += [Watched(*one) for one in wanted if one not in known]
            known.update(wanted)
    return found


def _rows(rows: Sequence[Floats], columns: int) -> Floats:
    return np.array(rows, dtype=float).reshape(len(rows), columns)


def _pairs(pairs: Sequence[tuple[str, str]], solids: Solids) -> NDArray[np.uint32]:
    return np.array([[solids.number(a), solids.number(b)] for a, b in pairs], dtype=np.uint32).reshape(len(pairs), 2)


def _masses(solids: Solids) -> Floats:
    """Return per body 1/m, principal moments, their inverses, principal axes by rows (n + 1, 16)."""
    moments = np.where(np.isfinite(solids.moments), solids.moments, 0.0)
    axes = solids.axes.reshape(-1, 9)
    return np.hstack([1.0 / solids.mass[:, None], moments, 1.0 / solids.moments, axes])


def _joint_row(joint: SpatialJoint, element: Element, solids: Solids) -> Floats:
    a, b = (solids.number(name) for name in joint.bodies)
    one, other = triad(joint) @ solids.axes[a], triad(joint) @ solids.axes[b]
    places = [solids.local(a, joint.at), solids.local(b, joint.at)]
    # columns 6-11: axis a on both bodies; 12-17: b, c on the first; 18-23: b, c on the second
    return np.concatenate([*places, one[0], other[0], one[1], one[2], other[1], other[2], element.coefficients()])


def _spring_row(spring: Spring, solids: Solids) -> Floats:
    places = [solids.local(solids.number(body), x) for body, x in zip(spring.bodies, spring.points, strict=True)]
    breaks = np.inf if spring.breaks_at is None else spring.breaks_at
    return np.concatenate([*places, [spring.stiffness, spring.damping, spring.length, breaks]])


def _wrenches(loads: Sequence[object], solids: Solids, laws: Laws) -> tuple[Ints, Floats, Ints]:
    """Return (body, three laws, follows) of each force and its point (n, 3), and the first of each torque."""
    forces = [load for load in loads if isinstance(load, Force)]
    torques = [load for load in loads if isinstance(load, Torque)]

    def numbers(of: Sequence[Force | Torque]) -> Ints:
        rows = [[solids.number(one.body), *map(laws.number, one.components), int(one.follows)] for one in of]
        return np.array(rows, dtype=np.int64).reshape(len(rows), 5)

    places = [solids.local(solids.number(force.body), force.point) for force in forces]
    return numbers(forces), _rows(places, 3), numbers(torques)


def _coordinates(
    model: SpatialModel,
    watched: Sequence[Watched],
    elements: Mapping[str, Element],
    order: Mapping[str, int],
    solids: Solids,
    laws: Laws,
) -> tuple[Ints, Floats]:
    """Return (joint, kind, law) of every watched coordinate, and its numbers (n, 10)."""
    numbers, rows = [], []
    for one in watched:
        joint = model.joints[one.joint]
        kind, axis = COORDINATES[joint.kind][one.number]
        law, row = -1, np.zeros(10)
        row[:3] = solids.axes[solids.number(joint.bodies[0])].T @ triad(joint)[axis]
        row[6], row[7] = -np.inf, np.inf
        match one.load:
            case JointLoad() as load:
                row[3:6] = load.stiffness, load.damping, load.rest
                law = -1 if load.effort is None else laws.number(load.effort)
            case Stop() as stop:
                row[6:] = stop.lower, stop.upper, stop.stiffness, stop.damping
            case None if joint.kind == "screw":
                element = elements[joint.name]
                kind, row[3], row[4], row[9] = SCREW, element.screw, element.damping * element.screw, joint.pitch
        numbers.append([order[joint.name], kind, law])
        rows.append(row)
    return np.array(numbers, dtype=np.int64).reshape(len(numbers), 3), _rows(rows, 10)
