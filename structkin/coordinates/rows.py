"""The rows of joints and drivers, each written once for all families of coordinates.

| row | equation | source |
|---|---|---|
| unit vector | U.U - 1 | S0 Tab. 1 |
| revolute (pinned: one link is the ground) | r_i + A_i s_i - r_j - A_j s_j | S0 Tab. 1; S1 eq. 47 |
| translation, across | d x (P_j - P_i) - e | S0 Tab. 1; S1 eqs. 66-67 |
| translation, orientation | u.v - cos, or u x v - sin, of a constant angle; as angles: S1 eq. 65 | S0 Tab. 1 (5), (6) |
| translation-revolute: a slot (roller: the ground's, along an axis) | d x (P_j - P_i) - e | S0 Tab. 1 (7), (3) |
| circular slot of centre M: a link without mass from M to the pin | (P - M).(P - M) - r^2 | |
| angular driver | u.v - cos z and u x v - sin z; as angles: phi_j - phi_i - z | S0 Tab. 1; S1 eq. 79 |
| slide driver | d . (P_j - P_i) - start - z | |
| linear driver of a distance | (F - E).(F - E) / 2 - z^2 / 2 | |

S0: Roupa, Goncalves, Tavares da Silva, "Dynamic analysis of planar multibody systems with fully Cartesian coordinates"
(Tab. 1, its right-hand sides corrected); S1: Flores, Lankarani, "Formulation for planar multibody dynamics" (eqs. 22
to 87, corrected: nu = +z', gamma = +z'' of a driver). The rows of gears, cams and other higher pairs are in `pairs`.
A joint kind is added in the table `JOINTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from structkin.coordinates.pairs import write_cam, write_mesh
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Drive
from structkin.model.topology import Joint, pin_of
from structkin.rows.affine import Affine, Frame
from structkin.rows.equations import Form
from structkin.rows.quadrics import Quadric
from structkin.rows.windings import Winding
from structkin.structure import KinematicStructure

DriverForm = Literal["value", "half square", "cos", "sin"]
FORMS_OF_VECTOR: tuple[DriverForm, DriverForm] = ("cos", "sin")


@dataclass(frozen=True, slots=True)
class Row:
    """One scalar equation: the joint, driver or link it belongs to, what it says, its links and its unit.

    `unit` is the size of what the row compares: 1 for angles and unit vectors, a length [m], or its square.
    """

    of: str
    equation: str
    links: tuple[str, ...]
    unit: float
    form: Form


@dataclass(frozen=True, slots=True)
class Driven:
    """The part -sign f(z) of a row, where f is z itself, z^2 / 2, cos z or sin z of a driver."""

    row: int
    driver: str
    form: DriverForm
    sign: float = 1.0


@dataclass(frozen=True, slots=True)
class Turn:
    """An orientation of two links, as families with angles write it: theta_j - theta_i - constant (- z)."""

    of: str
    equation: str
    links: tuple[str, str]
    constant: float
    driver: str | None = None


@dataclass
class Writer:
    """Writes the rows of a mechanism on given frames of its links.

    `slots` is the number of vectors that the frames are made of. `pins` holds the pins that are variables themselves; a
    joint of pin and link that the frame already meets is in `met`. Where `angles` is set, orientations are left as
    `turns` for the family to write. `turned` numbers the links whose counted turns are variables as well.
    """

    mechanism: Mechanism
    place: Mapping[str, int]
    frames: Mapping[str, Frame]
    slots: int
    angles: bool
    size: float
    pins: Mapping[str, Affine] = field(default_factory=dict)
    met: frozenset[tuple[str, str]] = frozenset()
    #: Drivers that turn a link against the ground and give both coordinates of its direction.
    by_vector: frozenset[str] = frozenset()
    rows: list[Row] = field(default_factory=list)
    driven: list[Driven] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    turned: dict[str, int] = field(default_factory=dict)
    #: Pairs (dot row, cross row, driver) of which each sample takes the one that is regular there.
    switches: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, of: str, equation: str, links: tuple[str, ...], unit: float, form: Form) -> int:
        """Append a row and return its number."""
        self.rows.append(Row(of, equation, links, unit, form))
        return len(self.rows) - 1

    def turns_of(self, factors: Mapping[str, float]) -> dict[int, float]:
        """Return the sum of factor * turn since the sketch over links, as factors of columns.

        The turns of links that ask for them come behind the slots. Where orientations are directions, each is a
        coordinate, tied to its direction here.
        """
        found: dict[int, float] = {}
        for link, factor in factors.items():
            if link == self.mechanism.topology.ground or factor == 0.0:
                continue
            new = link not in self.turned
            column = 2 * self.slots + self.turned.setdefault(link, len(self.turned))
            found[column] = found.get(column, 0.0) + factor
            if new and not self.angles:
                drawn = self.mechanism.links[link].direction
                tie = Winding.tie(self.frames[link].direction * drawn.conjugate(), {column: 1.0})
                self.add(link, "counted turn", (link,), 1.0, tie)
        return found

    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link."""
        return self.frames[link].point(local)

    def along(self, link: str, local: complex = 1 + 0j) -> Affine:
        """Return a direction fixed in a link."""
        return self.frames[link].direction * local

    def earliest(self, pin: str, link: str) -> str:
        """Return the link at a shared pin that is solved first: it stands for the pin."""
        joint = self.mechanism.topology.joint(pin) if pin in self._shared else None
        return link if joint is None else min(joint.links, key=self.place.__getitem__)

    @property
    def _shared(self) -> set[str]:
        return {joint.id for joint in self.mechanism.topology.joints if joint.kind == "R"}

    def unit_vector(self, link: str) -> None:
        """Write U.U - 1 = 0 (S0 Tab. 1)."""
        direction = self.frames[link].direction
        self.add(link, "unit vector", (link,), 2.0, Quadric.dot(direction, direction).plus(-1.0))

    def joint(self, joint: Joint) -> None:
        """Write the rows of a joint."""
        JOINTS[joint.kind](self, joint)

    def driver(self, drive: Drive) -> None:
        """Write the row of a driver."""
        DRIVERS[drive.kind](self, drive)

    def held(self, of: str, link: str, at: Affine, others: tuple[str, ...]) -> None:
        """Write that the point of a link at a pin is at `at`: two rows."""
        gap = self.point(link, self.mechanism.links[link].local[of]) - at
        for axis, name in enumerate("xy"):
            self.add(of, f"pin, {name}", (*others, link), self.size, Quadric.part(gap, axis))

    def tip(self, slot: Guide | CircularSlot) -> tuple[Affine, str]:
        """Return the point that a guide or a circular slot leads, and its link."""
        slider, local = slot.slider, slot.point
        ends = self.mechanism.topology.joint(slot.id).links
        pins = [pin for end in ends if (pin := pin_of(end)) is not None]
        if pins:
            slider = self.earliest(pins[0], slider)
            local = self.mechanism.links[slider].local[pins[0]]
        return self.pins[pins[0]] if pins and pins[0] in self.pins else self.point(slider, local), slider

    def line(self, joint: str) -> tuple[Affine, Affine, tuple[str, str]]:
        """Return the direction of a guide, the way from its origin to the slider's point, and the two links."""
        guide = self.mechanism.joints.of(Guide)[joint]
        tip, slider = self.tip(guide)
        way = tip - self.point(guide.carrier, guide.origin)
        return self.along(guide.carrier, guide.direction), way, (guide.carrier, slider)


def _revolute(w: Writer, joint: Joint) -> None:
    links = sorted(joint.links, key=w.place.__getitem__)
    if joint.id in w.pins:
        for link in links:
            if (joint.id, link) not in w.met:
                w.held(joint.id, link, w.pins[joint.id], ())
        return
    first = links[0]
    at = w.point(first, w.mechanism.links[first].local[joint.id])
    for link in links[1:]:
        if (joint.id, link) not in w.met:
            w.held(joint.id, link, at, (first,))


def _across(w: Writer, joint: Joint) -> None:
    along, way, links = w.line(joint.id)
    offset = w.mechanism.joints.of(Guide)[joint.id].offset
    w.add(joint.id, "across the guide", links, w.size, Quadric.cross(along, way).plus(-offset))


def _prismatic(w: Writer, joint: Joint) -> None:
    if (joint.id, "") in w.met:
        return
    _across(w, joint)
    guide = w.mechanism.joints.of(Guide)[joint.id]
    assert guide.turn is not None
    links = guide.carrier, guide.slider
    angle = float(np.angle(guide.turn))
    if w.angles:
        w.turns.append(Turn(joint.id, "orientation", links, angle))
        return
    u, v = w.along(links[0]), w.along(links[1])
    # S0's two variants: the dot product is singular at 0 and pi, the cross product at +-pi/2.
    if abs(guide.turn.imag) > abs(guide.turn.real):
        w.add(joint.id, "orientation, dot", links, 1.0, Quadric.dot(u, v).plus(-np.cos(angle)))
    else:
        w.add(joint.id, "orientation, cross", links, 1.0, Quadric.cross(u, v).plus(-np.sin(angle)))


def _slot(w: Writer, joint: Joint) -> None:
    arc = w.mechanism.joints.of(CircularSlot).get(joint.id)
    if arc is not None:
        tip, slider = w.tip(arc)
        way = tip - w.point(arc.carrier, arc.center)
        square = Quadric.dot(way, way).plus(-(arc.radius**2))
        w.add(joint.id, "circular slot", (arc.carrier, slider), 2 * arc.radius * w.size, square)
    elif (joint.id, "") not in w.met:
        _across(w, joint)


def _angle(w: Writer, drive: Drive) -> None:
    first, second = drive.links
    if w.angles:
        w.turns.append(Turn(drive.id, "angle", (first, second), 0.0, drive.id))
        return
    u, v = w.along(first), w.along(second)
    if drive.id in w.by_vector:
        # S2's mixed coordinates: the driven direction itself, linear in the unknowns and never singular.
        moving, sign = (second, 1.0) if first == w.mechanism.topology.ground else (first, -1.0)
        for axis, form in enumerate(FORMS_OF_VECTOR):
            row = w.add(drive.id, f"direction, {'xy'[axis]}", drive.links, 1.0, Quadric.part(w.along(moving), axis))
            w.driven.append(Driven(row, drive.id, form, sign if form == "sin" else 1.0))
        return
    rows = (
        w.add(drive.id, "angle, dot", drive.links, 1.0, Quadric.dot(u, v)),
        w.add(drive.id, "angle, cross", drive.links, 1.0, Quadric.cross(u, v)),
    )
    w.switches.append((*rows, drive.id))


def _slide(w: Writer, drive: Drive) -> None:
    assert drive.joint is not None
    along, way, links = w.line(drive.joint)
    start = w.mechanism.joints.of(Guide)[drive.joint].start
    w.driven.append(
        Driven(w.add(drive.id, "travel", links, w.size, Quadric.dot(along, way).plus(-start)), drive.id, "value")
    )


def _distance(w: Writer, drive: Drive) -> None:
    assert drive.ends is not None
    places, links = [], []
    for link, point in drive.ends:
        name = w.earliest(point, link)
        links.append(name)
        places.append(w.pins[point] if point in w.pins else w.point(name, w.mechanism.links[name].local[point]))
    way = places[1] - places[0]
    row = w.add(drive.id, "distance", tuple(links), w.size**2, Quadric.dot(way, way).times(0.5))
    w.driven.append(Driven(row, drive.id, "half square"))


#: Who writes the rows of a joint or driver of a kind.
JOINTS: Mapping[str, Callable[[Writer, Joint], None]] = {
    "R": _revolute, "P": _prismatic, "S": _slot, "G": write_mesh, "K": write_mesh, "C": write_cam,
}  # fmt: skip
DRIVERS: Mapping[str, Callable[[Writer, Drive], None]] = {"angle": _angle, "slide": _slide, "distance": _distance}


def solve_places(mechanism: Mechanism, structure: KinematicStructure) -> dict[str, int]:
    """Return where each link comes in the solve order of the groups; the ground comes first."""
    order = [mechanism.topology.ground, *(link for group in structure.groups for link in group.links)]
    rest = [link for link in mechanism.links if link not in set(order)]
    return {link: k for k, link in enumerate((*order, *rest))}


def size_of(mechanism: Mechanism) -> float:
    """Return the largest extent of the sketch [m]."""
    places = np.array(list(mechanism.points.values()))
    return float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0
