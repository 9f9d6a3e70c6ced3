"""A planar mechanism as bodies and joints in space: its plane is z = 0, and all pins are parallel to z."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.joints.belt import Belt
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.fastened import Fastened
from structkin.joints.geneva import Geneva
from structkin.joints.pair import Pair
from structkin.joints.prismatic import Prismatic
from structkin.joints.rack import Rack
from structkin.joints.revolute import Revolute
from structkin.joints.slot import Slot
from structkin.model import forces
from structkin.model.laws import ConstantSpeed, ScaledLaw
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.parts import Law
from structkin.model.topology import JOINT_KINDS
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, Force, JointLoad, Load, SpatialModel, Spring, Torque
from structkin.numerical_tolerances import ROUNDING
from structkin.types import Floats

Z = np.array([0.0, 0.0, 1.0])
NOTHING: Law = ConstantSpeed(0.0, 0.0)


@dataclass(frozen=True)
class PlanarState:
    """Origin [m], direction (unit), velocity [m/s] and angular velocity [rad/s] of a link's frame at the start.

    `turn` [rad] is its rotation from the sketch, counted over whole turns.
    """

    origin: complex = 0j
    direction: complex = 1 + 0j
    velocity: complex = 0j
    omega: float = 0.0
    turn: float = 0.0

    def point(self, local: complex) -> complex:
        """Return the place of a point of the link."""
        return self.origin + self.direction * local

    def velocity_at(self, place: complex) -> complex:
        """Return the velocity of the point of the link that is at a place."""
        return self.velocity + 1j * self.omega * (place - self.origin)


def spatial_model(
    mechanism: Mechanism, states: Mapping[str, PlanarState], *, cylinders: bool = False
) -> tuple[SpatialModel, dict[str, str]]:
    """Return the model of a mechanism that starts in these states of its links, and the joint of each driver.

    The start is the drawn pose; a driver between links without a common pin has no joint. A pin of k links becomes
    k - 1 revolute joints; the die of a slot, a body without mass, slides along a straight slot or turns about the
    centre of a circular one. A distance on which an effort acts, with `cylinders` every distance of a driver, becomes a
    barrel and a rod without mass. A link has the moments of inertia of a flat body with its moment about z. Raises
    `InputError` that lists every joint, load and effort that has no counterpart.
    """
    planar = _Planar(mechanism, {**states, GROUND: PlanarState()})
    bodies = planar.bodies()
    joints = {joint.name: joint for joint in planar.joints(cylinders)}
    loads = {load.name: load for load in planar.loads(joints)}
    raise_problems(planar.problems, mechanism.title or "mechanism")
    gravity = vector(mechanism.forces.gravity)
    points = {name: vector(place) for name, place in mechanism.links[GROUND].local.items()}
    model = SpatialModel(mechanism.title, bodies, joints, loads, {}, gravity, points, mechanism.duration)
    return replace(model, bodies={**bodies, **planar.massless}), planar.drivers()


def vector(place: complex) -> Floats:
    """Return x + iy as (x, y, 0)."""
    return np.array([place.real, place.imag, 0.0])


class _Planar:
    """A conversion under way: the dies, barrels and rods made so far, and the problems found."""

    def __init__(self, mechanism: Mechanism, states: Mapping[str, PlanarState]) -> None:
        self.mechanism, self.states = mechanism, states
        self.problems: list[Problem] = []
        self.massless: dict[str, Body] = {}
        self.cylinders: dict[str, str] = {}  # driver -> its slide
        self.coordinates: dict[tuple[str, str], tuple[str, int]] = {}  # links turning relative to each other -> joint

    def bodies(self) -> dict[str, Body]:
        found = {}
        for name, link in self.mechanism.links.items():
            if name == GROUND:
                continue
            state, mass = self.states[name], link.mass or 0.0
            if mass and link.center is None:
                message = "has a mass, but no centre of mass"
                self.problems.append(Problem(f"links.{name}", message, "give center = [x, y], or a shape"))
            inertia = (link.inertia or 0.0) * np.diag([0.5, 0.5, 1.0])
            points = {point: vector(state.point(local)) for point, local in link.local.items()}
            found[name] = Body(name, mass, vector(state.point(link.center or 0j)), inertia, points)
        return found

    def drivers(self) -> dict[str, str]:
        """Return the joint of each driver that has one."""
        found = dict(self.cylinders)
        for id, drive in self.mechanism.drivers.items():
            if drive.kind == "slide" and drive.joint:
                found[id] = drive.joint
            elif drive.kind == "angle" and drive.links in self.coordinates:
                found[id] = self.coordinates[drive.links][0]
        return found

    def joints(self, cylinders: bool) -> Iterator[SpatialJoint]:
        for pair in self.mechanism.joints.values():
            make = _JOINTS.get(type(pair))
            if make is None:
                known = "revolute, prismatic and fastened joints, straight and circular slots have one"
                kind = _CALLED.get(type(pair), JOINT_KINDS[pair.kind].name)
                self.problems.append(Problem(f"joints.{pair.id}", f"a {kind} has no counterpart in space", known))
                continue
            yield from make(self, pair)
        for id, drive in self.mechanism.drivers.items():
            if drive.ends is not None and (cylinders or id in self.mechanism.forces.efforts):
                yield from self.cylinder(id, drive.ends)

    def cylinder(self, id: str, ends: tuple[tuple[str, str], tuple[str, str]]) -> Iterator[SpatialJoint]:
        (a, b), links = (link for link, _ in ends), self.mechanism.links
        foot, head = (self.states[link].point(links[link].local[point]) for link, point in ends)
        slip = self.states[b].velocity_at(head) - self.states[a].velocity_at(foot)
        direction = (head - foot) / abs(head - foot)
        rate = (slip * direction.conjugate()).imag / abs(head - foot)
        barrel, rod = (self.light(f"{id} {part}", foot) for part in ("barrel", "rod"))
        self.cylinders[id] = self.unused(f"{id} slide")
        yield self.hinge(self.unused(f"{id} foot"), (a, barrel), foot, rate - self.states[a].omega)
        slide = SpatialJoint(self.cylinders[id], "prismatic", (barrel, rod), vector(foot), vector(direction), Z)
        yield replace(slide, rates=((slip * direction.conjugate()).real,))
        yield self.hinge(self.unused(f"{id} head"), (rod, b), head, self.states[b].omega - rate)

    def hinge(self, name: str, links: tuple[str, str], place: complex, rate: float) -> SpatialJoint:
        self.coordinates[links] = (name, 1)
        self.coordinates[links[1], links[0]] = (name, -1)
        return SpatialJoint(name, "revolute", links, vector(place), Z, np.array([1.0, 0, 0]), rates=(rate,))

    def slide(self, name: str, links: tuple[str, str], place: complex, direction: complex) -> SpatialJoint:
        carrier, moving = (self.states[link] for link in links)
        rate = ((moving.velocity_at(place) - carrier.velocity_at(place)) * direction.conjugate()).real
        return SpatialJoint(name, "prismatic", links, vector(place), vector(direction), Z, rates=(rate,))

    def light(self, name: str, place: complex) -> str:
        """Return the name of a new body without mass."""
        name = self.unused(name)
        self.massless[name] = Body(name, 0.0, vector(place), np.zeros((3, 3)))
        return name

    def omega(self, links: tuple[str, str]) -> float:
        """Return the angular velocity of the second link relative to the first."""
        return self.states[links[1]].omega - self.states[links[0]].omega

    def loads(self, joints: Mapping[str, SpatialJoint]) -> Iterator[Load]:
        for load in self.mechanism.forces.loads.values():
            make = _LOADS.get(type(load))
            if make is None:
                what = type(load).__name__.lower()
                self.refuse(f"forces.{load.id}", f"{what} has no counterpart in space")
                continue
            yield from make(self, load)
        for id, law in self.mechanism.forces.efforts.items():
            drive = self.mechanism.drivers[id]
            if drive.kind != "angle":
                yield JointLoad(id, self.cylinders.get(id) or drive.joint or "", effort=law)
            elif drive.links in self.coordinates:
                name, sign = self.coordinates[drive.links]
                yield JointLoad(id, name, effort=law if sign > 0 else ScaledLaw(law, -1.0))
            else:
                yield from self.couple(id, drive.links, law)

    def couple(self, id: str, links: tuple[str, str], law: Law) -> Iterator[Load]:
        """Yield the moment on the second of two links, and its reaction on the first."""
        for link, sign, name in zip(links, (-1.0, 1.0), (self.unused(f"{id} reaction"), id), strict=True):
            if link != GROUND:
                yield Torque(name, link, (NOTHING, NOTHING, ScaledLaw(law, sign)))

    def unused(self, name: str) -> str:
        """Return a name for a second part, with an apostrophe if the mechanism has one of this name."""
        m = self.mechanism
        while any(name in names for names in (m.links, m.joints, m.drivers, m.forces.loads)):
            name += "'"
        return name

    def refuse(self, key: str, message: str, hint: str = "delete it from a copy of the mechanism") -> None:
        self.problems.append(Problem(key, message, hint))


# --- joints: each maker yields the joints of a pair ----------------------------------------------------------------


def _revolute(planar: _Planar, pair: Revolute) -> Iterator[SpatialJoint]:
    links = sorted(pair.links, key=lambda link: link != GROUND)
    first = links[0]
    place = planar.states[first].point(planar.mechanism.links[first].local[pair.id])
    for count, link in enumerate(links[1:], 1):
        name = pair.id if count == 1 else planar.unused(f"{pair.id} {count}")
        yield planar.hinge(name, (first, link), place, planar.omega((first, link)))


def _prismatic(planar: _Planar, pair: Prismatic) -> Iterator[SpatialJoint]:
    place = planar.states[pair.slider].point(pair.point)
    direction = planar.states[pair.carrier].direction * pair.direction
    yield planar.slide(pair.id, (pair.carrier, pair.slider), place, direction)


def _slot(planar: _Planar, pair: Slot) -> Iterator[SpatialJoint]:
    place = planar.states[pair.slider].point(pair.point)
    direction = planar.states[pair.carrier].direction * pair.direction
    die = planar.light(f"{pair.id} die", place)
    along = planar.slide(pair.id, (pair.carrier, pair.slider), place, direction)
    yield replace(along, bodies=(pair.carrier, die))
    rate = planar.omega((pair.carrier, pair.slider))
    yield planar.hinge(planar.unused(f"{pair.id} pin"), (die, pair.slider), place, rate)


def _circular(planar: _Planar, pair: CircularSlot) -> Iterator[SpatialJoint]:
    place = planar.states[pair.slider].point(pair.point)
    center = planar.states[pair.carrier].point(pair.center)
    die = planar.light(f"{pair.id} die", center)
    slip = planar.states[pair.slider].velocity_at(place) - planar.states[pair.carrier].velocity_at(place)
    rate = (slip / (1j * (place - center))).real
    yield planar.hinge(pair.id, (pair.carrier, die), center, rate)
    own = planar.omega((pair.carrier, pair.slider)) - rate
    yield planar.hinge(planar.unused(f"{pair.id} pin"), (die, pair.slider), place, own)


def _fastened(planar: _Planar, pair: Fastened) -> Iterator[SpatialJoint]:
    first, *others = sorted(pair.links, key=lambda link: link != GROUND)
    at = vector(planar.states[first].origin)
    for count, link in enumerate(others, 1):
        name = pair.id if count == 1 else planar.unused(f"{pair.id} {count}")
        yield SpatialJoint(name, "fixed", (first, link), at, Z, np.array([1.0, 0, 0]))


_JOINTS: Mapping[type[Pair], Callable[..., Iterator[SpatialJoint]]] = {
    Revolute: _revolute,
    Prismatic: _prismatic,
    Slot: _slot,
    CircularSlot: _circular,
    Fastened: _fastened,
}

#: What the joints that have the letter of another kind are called.
_CALLED: Mapping[type[Pair], str] = {Belt: "belt", CurveSlot: "curved slot", Geneva: "Geneva wheel", Rack: "rack"}


# --- loads ---------------------------------------------------------------------------------------------------------


def _spring(planar: _Planar, load: forces.Spring) -> Iterator[Load]:
    if load.actuator is not None:
        planar.refuse(f"forces.{load.id}", "a spring's actuator has no counterpart in space")
        return
    (a, first), (b, second) = load.ends
    links = planar.mechanism.links
    places = (
        vector(planar.states[a].point(links[a].local[first])),
        vector(planar.states[b].point(links[b].local[second])),
    )
    apart = np.linalg.norm(places[1] - places[0])
    if apart <= ROUNDING * planar.mechanism.size and load.stiffness * load.free_length > 0:
        message = "its ends meet at the start, where its force has no direction"
        planar.refuse(f"forces.{load.id}", message, "let them be apart, or give it no force there: free_length = 0")
        return
    yield Spring(load.id, (a, b), places, load.stiffness, load.damping, load.free_length)


def _torsion(planar: _Planar, load: forces.Torsion) -> Iterator[Load]:
    found = planar.coordinates.get(load.links)
    if found is None:
        between = " and ".join(load.links)
        planar.refuse(f"forces.{load.id}", f"no pin joins {between}, between which it acts")
        return
    (name, sign), (one, two) = found, load.links
    links = planar.mechanism.links
    sketch = cmath.phase(links[two].direction * links[one].direction.conjugate())
    rest = sign * (load.free_angle - sketch - planar.states[two].turn + planar.states[one].turn)
    effort = None if load.actuator is None else ScaledLaw(load.actuator, float(sign))
    yield JointLoad(load.id, name, 0, load.stiffness, load.damping, rest, effort)


def _force(planar: _Planar, load: forces.AppliedForce) -> Iterator[Load]:
    state = planar.states[load.link]
    place = vector(state.point(load.place))
    if not load.local:
        yield Force(load.id, load.link, place, (load.x, load.y, NOTHING))
        return
    c, s = state.direction.real, state.direction.imag  # the body's axes are those of the ground at the start
    along, across = (ScaledLaw(load.x, c), ScaledLaw(load.x, s)), (ScaledLaw(load.y, -s), ScaledLaw(load.y, c))
    yield Force(load.id, load.link, place, (*along, NOTHING), follows=True)
    yield Force(planar.unused(f"{load.id} across"), load.link, place, (*across, NOTHING), follows=True)


def _moment(planar: _Planar, load: forces.AppliedMoment) -> Iterator[Load]:
    yield from planar.couple(load.id, load.links, load.size)


_LOADS: Mapping[type, Callable[..., Iterator[Load]]] = {
    forces.Spring: _spring,
    forces.Torsion: _torsion,
    forces.AppliedForce: _force,
    forces.AppliedMoment: _moment,
}
