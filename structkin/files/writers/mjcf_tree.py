"""A mechanism as a tree of bodies, the constraints that close its loops, and the pose and velocities of the start.

MuJoCo's bodies form a tree: each has one parent, to which a hinge or a slide joins it. So a spanning tree of the links
is chosen, guides first; every other joint becomes an equality constraint. A pin in a slot and a rolling circle need a
body of their own between the links: a block on the line, or an arm between the centres. It carries a share of the mass
of the link that is pinned to it, which leaves the motion unchanged and keeps the constraint stiff.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field, replace

import networkx as nx
import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.joints.fastened import Fastened
from structkin.joints.guide import Guide
from structkin.joints.prismatic import Prismatic
from structkin.joints.revolute import Revolute
from structkin.joints.rolling import RollingOnCircle, RollingOnLine
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.solve import Motion

#: MuJoCo's name of the body that stands still.
WORLD = "world"


def site(link: str, point: str) -> str:
    """Return the name of the site of a link's point.

    >>> site("crank", "B")
    'crank: B'
    """
    return f"{link}: {point}"


# --- the start -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Body:
    """A body at the start: the frame in which it is written, its motion and its mass properties.

    The place of the frame [m] and its angle [rad]; the velocity [m/s] of its origin and the angular velocity [rad/s];
    mass [kg], centre of mass [m] in its frame, inertia about it [kg m^2]; the points of its link in its frame [m].
    """

    name: str
    origin: complex
    angle: float
    velocity: complex
    omega: float
    mass: float
    inertia: float
    center: complex = 0j
    points: tuple[tuple[str, complex], ...] = ()

    @property
    def direction(self) -> complex:
        """The unit vector of the x axis of the frame."""
        return cmath.rect(1.0, self.angle)

    def within(self, place: complex) -> complex:
        """Return a place of the plane in the frame."""
        return (place - self.origin) * self.direction.conjugate()

    def at(self, local: complex) -> complex:
        """Return the place in the plane of a place in the frame."""
        return self.origin + self.direction * local

    def velocity_at(self, place: complex) -> complex:
        """Return the velocity of the body at a place of the plane."""
        return self.velocity + 1j * self.omega * (place - self.origin)


def shared(body: Body, place: complex) -> tuple[Body, float]:
    """Return the body without a point mass [kg] at a place of the plane, and that mass.

    A body that is pinned there may carry it: together they have the mass, centre and inertia of this body. At most half
    of the mass and half of the inertia are moved.
    """
    arm = body.within(place) - body.center
    mass = 0.5 * body.mass
    if abs(arm) ** 2 * mass > 0:
        most = 0.5 * body.inertia / abs(arm) ** 2
        mass = min(mass, most * body.mass / (body.mass + most))
    rest = body.mass - mass
    center = body.center - mass / rest * arm
    inertia = body.inertia - mass * abs(arm) ** 2 * body.mass / rest
    return replace(body, mass=rest, center=center, inertia=inertia), mass


def xy(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> complex:
    """Return a vector (2,) as x + iy."""
    return complex(float(values[0]), float(values[1]))


def bodies_at_start(sim: Motion, stand_in: tuple[float, float]) -> dict[str, Body]:
    """Return all links as bodies at the first sample; each has at least the mass and inertia `stand_in`."""
    m = sim.mechanism
    masses = {one.link: one for one in mass_table(m)}
    found = {}
    for name, link in m.links.items():
        if name == m.topology.ground:
            found[name] = Body(name, 0j, 0.0, 0j, 0.0, 0.0, 0.0, 0j, tuple(link.local.items()))
            continue
        one = masses[name]
        found[name] = Body(
            name, xy(sim.position(0j, name)[0]), float(sim.angle(name)[0]), xy(sim.velocity(0j, name)[0]),
            float(sim.omega(name)[0]), max(one.mass, stand_in[0]), max(one.inertia, stand_in[1]), one.center,
            tuple(link.local.items()),
        )  # fmt: skip
    return found


def same_turns(sim: Motion, bodies: dict[str, Body]) -> dict[str, Body]:
    """Return the bodies with turns counted so that the angles of driven joints are the values of their drivers."""
    ground = sim.mechanism.topology.ground
    for id, drive in sim.mechanism.drivers.items():
        if drive.kind != "angle":
            continue
        first, second = (bodies[link] for link in drive.links)
        turns = round((float(sim.drivers[id][0, 0]) - (second.angle - first.angle)) / math.tau)
        body, sign = (second, 1) if second.name != ground else (first, -1)
        bodies = bodies | {body.name: replace(body, angle=body.angle + sign * turns * math.tau)}
    return bodies


def stand_ins(mechanism: Mechanism) -> tuple[float, float]:
    """Return the mass [kg] and inertia [kg m^2] for links that have none: a ten-thousandth of the lightest link.

    The effect is small; with less, the constraints of such a body would be soft. If no link has a mass, all get 1 kg.
    """
    masses = [one.mass for one in mass_table(mechanism) if one.mass]
    places = list(mechanism.places.values())
    size = max((abs(a - places[0]) for a in places), default=1.0) or 1.0
    mass = 1e-4 * min(masses) if masses else 1.0
    return mass, mass * size**2 / (100 if masses else 12)


# --- the tree ------------------------------------------------------------------------------------------------------


class Names:
    """The names of MuJoCo's elements: parts of the mechanism keep theirs, and what is made here gets one of its own.

    `marked` are the names made with an apostrophe, since another element has the name without it.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Reserve the names of the parts, of the sites of their points, and of MuJoCo's world body."""
        m = mechanism
        self.parts = {WORLD, *m.links, *m.joints, *m.drivers, *m.forces.loads}
        self.made = {("site", site(name, point)) for name, link in m.links.items() for point in link.local}
        self.marked: list[str] = []

    def make(self, kind: str, name: str) -> str:
        """Return a name that no part and no other element of the kind has."""
        new = name
        while new in self.parts or (kind, new) in self.made:
            new += "'"
        self.made.add((kind, new))
        if new != name:
            self.marked.append(new)
        return new


#: The coordinates of joints with their factors, whose sum is an angle or a travel.
Form = dict[str, float]

#: The cost of joints in the tree: those that make poor constraints come first.
_COST = {"weld": 0, "slide": 1, "hinge": 2}


@dataclass(frozen=True)
class Link:
    """How a body is joined to its parent: its coordinate q is the relative angle [rad], or the travel `sign` * s [m].

    `at` is a place of the plane at the start, `way` the direction of a slide.
    """

    joint: str
    kind: str
    parent: str
    child: str
    at: complex = 0j
    way: complex = 1 + 0j
    value: float = 0.0
    rate: float = 0.0


@dataclass(frozen=True)
class Closure:
    """A constraint that holds two bodies together at a place: in position alone, or (`rigid`) in angle as well."""

    name: str
    bodies: tuple[str, str]
    at: complex
    rigid: bool = False


@dataclass
class Tree:
    """Bodies with their parents, constraints, and the forms that stay constant: gears, belts, racks and rolling."""

    bodies: dict[str, Body]
    ground: str
    names: Names
    parents: dict[str, list[Link]] = field(default_factory=dict)  # of a body: none, one, or three where it floats
    closures: list[Closure] = field(default_factory=list)
    relations: dict[str, Form] = field(default_factory=dict)
    travels: dict[str, str] = field(default_factory=dict)  # joint -> the slide whose coordinate is its travel
    arms: dict[str, str] = field(default_factory=dict)  # rolling circles -> the arm between their centres
    labels: dict[str, str] = field(default_factory=dict)  # of bodies that have another name in MuJoCo

    def label(self, body: str) -> str:
        """Return MuJoCo's name of a body."""
        return self.labels.get(body, body)

    def turn(self, body: str, factor: float = 1.0) -> Form:
        """Return a body's angle as a form."""
        form: Form = {}
        while self.parents.get(body):
            for link in self.parents[body]:
                if link.kind == "hinge":
                    form[link.joint] = form.get(link.joint, 0.0) + factor
            body = self.parents[body][0].parent
        return form

    def children(self, parent: str) -> list[str]:
        """Return the children of a body."""
        return [name for name, links in self.parents.items() if links and links[0].parent == parent]


def added(*forms: Form) -> Form:
    """Return a sum of forms, without terms that cancel."""
    total: Form = {}
    for form in forms:
        for joint, factor in form.items():
            total[joint] = total.get(joint, 0.0) + factor
    return {joint: factor for joint, factor in total.items() if factor}


def make_tree(mechanism: Mechanism, bodies: dict[str, Body], stand_in: tuple[float, float]) -> Tree:
    """Return the tree of a mechanism whose joints can all be represented."""
    ground = mechanism.topology.ground
    tree = Tree(dict(bodies), ground, Names(mechanism))
    if WORLD in mechanism.topology.moving_links:
        tree.labels[WORLD] = tree.names.make("body", WORLD)
    graph = nx.MultiGraph()
    graph.add_nodes_from(mechanism.topology.links)
    for id, joint in mechanism.joints.items():
        kind = {Revolute: "hinge", Prismatic: "slide", Fastened: "weld"}.get(type(joint))
        for k, first in enumerate(joint.links if kind else ()):
            for second in joint.links[k + 1 :]:
                graph.add_edge(first, second, key=id, cost=_COST[kind or ""])
    spanning = nx.minimum_spanning_tree(graph, weight="cost")
    for part in nx.connected_components(spanning):
        root = ground if ground in part else next(link for link in mechanism.topology.links if link in part)
        if root != ground:
            tree.parents[root] = _floating(tree, tree.bodies[root])
        for parent, child in nx.bfs_edges(spanning, root):
            id = next(iter(spanning[parent][child]))
            tree.parents[child] = [_hung(mechanism, tree, id, parent, child)]
    for joint in mechanism.joints.values():
        _close(mechanism, tree, spanning, joint, stand_in)
    for joint in mechanism.joints.of(TurnCoupling).values():
        tree.relations[joint.id] = _relation(tree, joint)
    return tree


def _floating(tree: Tree, body: Body) -> list[Link]:
    """Return three joints by which a body without a joint of its own moves freely in the plane."""
    x, y, ground = body.origin.real, body.origin.imag, tree.ground
    along, up, turn = (tree.names.make("joint", f"{body.name} {way}") for way in ("x", "y", "turn"))
    return [
        Link(along, "slide", ground, body.name, 0j, 1 + 0j, x, body.velocity.real),
        Link(up, "slide", ground, body.name, 0j, 1j, y, body.velocity.imag),
        Link(turn, "hinge", ground, body.name, body.origin, 1 + 0j, body.angle, body.omega),
    ]


def _hung(mechanism: Mechanism, tree: Tree, id: str, parent: str, child: str) -> Link:
    joint, above, below = mechanism.joints[id], tree.bodies[parent], tree.bodies[child]
    if isinstance(joint, Prismatic):
        tree.travels[id] = id
        return _slide(tree, joint, id, parent, child)
    if isinstance(joint, Fastened):
        return Link(id, "weld", parent, child)
    at = above.at(mechanism.links[parent].local[id])
    # a pin of several links is several hinges
    taken = {link.joint for links in tree.parents.values() for link in links}
    name = id if id not in taken else tree.names.make("joint", f"{id} {child}")
    return Link(name, "hinge", parent, child, at, value=below.angle - above.angle, rate=below.omega - above.omega)


def _slide(tree: Tree, joint: Guide, name: str, parent: str, child: str) -> Link:
    """Return a slide along a guide, whose coordinate is its travel whichever of the two links is the child."""
    carrier, slider = tree.bodies[joint.carrier], tree.bodies[joint.slider]
    way, at = carrier.direction * joint.direction, slider.at(joint.point)
    travel = ((at - carrier.at(joint.origin)) * way.conjugate()).real - joint.start
    rate = ((slider.velocity_at(at) - carrier.velocity_at(at)) * way.conjugate()).real
    return Link(name, "slide", parent, child, at, way if child != joint.carrier else -way, travel, rate)


def _close(
    mechanism: Mechanism, tree: Tree, spanning: nx.MultiGraph, joint: object, stand_in: tuple[float, float]
) -> None:
    """Add what a joint needs besides its place in the tree."""
    if isinstance(joint, Revolute | Fastened | Prismatic):
        own = nx.Graph([(a, b) for a, b, key in spanning.edges(keys=True) if key == joint.id])
        own.add_nodes_from(joint.links)
        first, *others = (sorted(part, key=joint.links.index)[0] for part in nx.connected_components(own))
        for other in others:
            if isinstance(joint, Prismatic):
                _block(tree, joint, joint.slider, stand_in, rigid=True)
            else:
                place = tree.bodies[first].at(_local(mechanism, joint, first))
                name = tree.names.make("equality", f"{joint.id} {other}")
                tree.closures.append(Closure(name, (other, first), place, isinstance(joint, Fastened)))
    elif isinstance(joint, Guide):
        _block(tree, joint, joint.slider, stand_in)
    elif isinstance(joint, RollingOnCircle):
        _arm(tree, joint, stand_in)


def _local(mechanism: Mechanism, joint: Revolute | Fastened, link: str) -> complex:
    return mechanism.links[link].local[joint.id] if isinstance(joint, Revolute) else joint.place_on(link)


def _block(tree: Tree, joint: Guide, slider: str, stand_in: tuple[float, float], *, rigid: bool = False) -> None:
    """Add a block on the line of a guide, and hold the slider's point to it."""
    carrier, held = tree.bodies[joint.carrier], tree.bodies[slider]
    at, name = held.at(joint.point), tree.names.make("body", f"{joint.id} block")
    mass = _share(tree, held, at, carrier.mass)
    tree.bodies[name] = Body(name, at, carrier.angle, held.velocity_at(at), carrier.omega, mass, stand_in[1])
    travel = tree.travels[joint.id] = tree.names.make("joint", f"{joint.id} travel")
    tree.parents[name] = [_slide(tree, joint, travel, carrier.name, name)]
    tree.closures.append(Closure(joint.id, (slider, name), at, rigid))


def _arm(tree: Tree, joint: RollingOnCircle, stand_in: tuple[float, float]) -> None:
    """Add an arm between the centres of two circles that roll on each other."""
    first, second = (tree.bodies[link] for link in joint.links)
    assert joint.centers[1] is not None
    a, b = first.at(joint.centers[0]), second.at(joint.centers[1])
    start, rate = first.velocity_at(a), (second.velocity_at(b) - first.velocity_at(a)) / (b - a)
    name = tree.arms[joint.id] = tree.names.make("body", f"{joint.id} arm")
    mass = _share(tree, second, b, first.mass)
    arm = Body(name, a, cmath.phase(b - a), start, rate.imag, mass, stand_in[1], abs(b - a) + 0j)
    tree.bodies[name] = arm
    value, omega = arm.angle - first.angle, arm.omega - first.omega
    hinge = tree.names.make("joint", f"{joint.id} arm")
    tree.parents[name] = [Link(hinge, "hinge", first.name, name, a, value=value, rate=omega)]
    tree.closures.append(Closure(joint.id, (second.name, name), b))


def _share(tree: Tree, held: Body, place: complex, other: float) -> float:
    """Return the point mass that a body gives to the one it is pinned to; on the ground, which is at rest, any mass."""
    if held.name == tree.ground:
        return other
    tree.bodies[held.name], mass = shared(held, place)
    return mass


def _relation(tree: Tree, joint: TurnCoupling) -> Form:
    """Return the form that stays constant: t_1 - r t_2 + (r - 1) t_arm, or travel - lever (t_1 - t_2)."""
    first, second = joint.links
    if joint.guide is None:
        assert joint.ratio is not None
        arm = joint.arm if joint.arm is not None else tree.arms[joint.id]
        return added(tree.turn(first), tree.turn(second, -joint.ratio), tree.turn(arm, joint.ratio - 1.0))
    guide = joint.id if isinstance(joint, RollingOnLine) else joint.guide
    return added({tree.travels[guide]: 1.0}, tree.turn(first, -joint.lever), tree.turn(second, joint.lever))
