"""The rows of a mechanism in a family of coordinates, written by its joints and drivers on the family's frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from structkin.joints.row_writer import DrivenForm, PointGuide, RowWriter, Written
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.model.topology import pin_of
from structkin.plan.general_rows import write_driver
from structkin.rows.affine import Affine, Frame
from structkin.rows.row import Row
from structkin.rows.trig_rows import TrigRow
from structkin.structure import KinematicStructure

VectorForm = Literal["cos", "sin"]
FORMS_OF_VECTOR: tuple[VectorForm, ...] = ("cos", "sin")


@dataclass(frozen=True, slots=True)
class Driven:
    """The part -sign f(z) of a row, where f is z itself, z^2 / 2, cos z or sin z of a driver."""

    row: int
    driver: str
    form: DrivenForm | VectorForm
    sign: float = 1.0


@dataclass(frozen=True, slots=True)
class Turn:
    """A relative orientation of two links in families with angles: theta_j - theta_i - constant (- z)."""

    of: str
    equation: str
    links: tuple[str, str]
    constant: float
    driver: str | None = None


@dataclass
class Writer(RowWriter):
    """Writes the rows of a mechanism on given frames of its links.

    `pins` are the pins that are variables themselves; `met` are the pairs of pin and link that the frame already
    satisfies. Where `angles` is set, orientations are left as `oriented` for the family to write. `turned` numbers the
    links whose counted turns are variables as well.
    """

    mechanism: Mechanism
    place: Mapping[str, int]
    frames: Mapping[str, Frame]
    angles: bool
    size: float
    pins: Mapping[str, Affine] = field(default_factory=dict)
    met: frozenset[tuple[str, str]] = frozenset()
    #: Drivers that turn a link relative to the ground and give both components of its direction.
    by_vector: frozenset[str] = frozenset()
    rows: list[Written] = field(default_factory=list)
    driven_rows: list[Driven] = field(default_factory=list)
    oriented: list[Turn] = field(default_factory=list)
    turned: dict[str, int] = field(default_factory=dict)
    #: Pairs (dot row, cross row, driver) of which each sample takes the one that is regular there.
    switches: list[tuple[int, int, str]] = field(default_factory=list)

    def write(self, drivers: Mapping[str, DriverCoordinate]) -> None:
        """Write the rows of all joints and of these drivers."""
        for joint in self.mechanism.topology.joints:
            self.mechanism.joints[joint.id].write(self)
        for drive in drivers.values():
            write_driver(self, drive)

    def unit_vector(self, link: str) -> None:
        """Write U.U - 1 = 0 (S0 Tab. 1)."""
        direction = self.frames[link].direction
        self.add(link, "unit vector", (link,), 2.0, Row.dot(direction, direction).plus(-1.0))

    # --- what joints call ----------------------------------------------------------------------------------

    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link."""
        return self.frames[link].point(local)

    def along(self, link: str, local: complex = 1 + 0j) -> Affine:
        """Return a direction fixed in a link."""
        return self.frames[link].direction * local

    def drawn(self, link: str, local: complex) -> complex:
        """Return the place of a point of a link in the sketch."""
        body = self.mechanism.links[link]
        return body.origin + body.direction * local

    def ties(self, pin: str) -> list[tuple[str, Affine, tuple[str, ...]]]:
        """Return the links that a pin connects: to the pin itself if it is a variable, else to the earliest link."""
        first, *others = sorted(self.mechanism.topology.joint(pin).links, key=self.place.__getitem__)
        held: list[tuple[str, Affine, tuple[str, ...]]]
        if pin in self.pins:
            held = [(link, self.pins[pin], ()) for link in (first, *others)]
        else:
            at = self.point(first, self.mechanism.links[first].local[pin])
            held = [(link, at, (first,)) for link in others]
        return [tie for tie in held if (pin, tie[0]) not in self.met]

    def fastened(self, joint: str) -> list[str]:
        """Return all links except the first that the frames do not already connect."""
        return [link for link in self.mechanism.topology.joint(joint).links[1:] if (joint, link) not in self.met]

    def tip(self, slot: PointGuide) -> tuple[Affine, str]:
        """Return the point that a guide or a circular slot guides, and its link."""
        ends = self.mechanism.topology.joint(slot.id).links
        pins = [pin for end in ends if (pin := pin_of(end)) is not None]
        return self.end(slot.slider, pins[0]) if pins else (self.point(slot.slider, slot.point), slot.slider)

    def end(self, link: str, point: str) -> tuple[Affine, str]:
        """Return a point of a link, and the link that represents it: at a shared pin the one that is solved first."""
        pins = {joint.id for joint in self.mechanism.topology.joints if joint.kind == "R"}
        if point in pins:
            link = min(self.mechanism.topology.joint(point).links, key=self.place.__getitem__)
        own = self.pins.get(point)
        return own if own is not None else self.point(link, self.mechanism.links[link].local[point]), link

    def is_met(self, guide: str) -> bool:
        """Return whether the frames already satisfy a guide."""
        return (guide, "") in self.met

    def turns(self, factors: Mapping[str, float]) -> Row:
        """Return the sum of factor * turn since the sketch over links.

        The required turns of links come after the slots. Where orientations are directions, each is a coordinate,
        coupled to its direction here.
        """
        found: dict[int, float] = {}
        for link, factor in factors.items():
            if link == self.mechanism.topology.ground or factor == 0.0:
                continue
            new = link not in self.turned
            number = self.turned.setdefault(link, len(self.turned))
            found[number] = found.get(number, 0.0) + factor
            if new and not self.angles:
                drawn = self.mechanism.links[link].direction
                tie = TrigRow.tie(self.frames[link].direction * drawn.conjugate(), Row.sum_of({number: 1.0}))
                self.add(link, "counted turn", (link,), 1.0, tie)
        return Row.sum_of(found)

    def orient(self, of: str, links: tuple[str, str], turn: complex, driver: str | None = None) -> None:
        """Write an orientation: as angles, or by dot and cross products of directions."""
        u, v = self.along(links[0]), self.along(links[1])
        angle = float(np.angle(turn))
        if self.angles:
            equation = "orientation" if driver is None else "angle"
            self.oriented.append(Turn(of, equation, links, angle, driver))
        elif driver in self.by_vector:
            # S2's mixed coordinates: the driven direction itself, linear in the unknowns and never singular.
            moving, sign = (links[1], 1.0) if links[0] == self.mechanism.topology.ground else (links[0], -1.0)
            for axis, form in enumerate(FORMS_OF_VECTOR):
                row = self.add(of, f"direction, {'xy'[axis]}", links, 1.0, Row.part(self.along(moving), axis))
                self.driven_rows.append(Driven(row, of, form, sign if form == "sin" else 1.0))
        elif driver is not None:
            dot = self.add(of, "angle, dot", links, 1.0, Row.dot(u, v))
            self.switches.append((dot, self.add(of, "angle, cross", links, 1.0, Row.cross(u, v)), driver))
        # S0's two variants: the dot product is singular at 0 and pi, the cross product at +-pi/2.
        elif abs(turn.imag) > abs(turn.real):
            self.add(of, "orientation, dot", links, 1.0, Row.dot(u, v).plus(-np.cos(angle)))
        else:
            self.add(of, "orientation, cross", links, 1.0, Row.cross(u, v).plus(-np.sin(angle)))

    def driven(
        self, drive: DriverCoordinate, equation: str, links: tuple[str, ...], unit: float, row: Row, form: DrivenForm
    ) -> None:
        """Write a driven row."""
        self.driven_rows.append(Driven(self.add(drive.id, equation, links, unit, row), drive.id, form))


def solve_places(mechanism: Mechanism, structure: KinematicStructure) -> dict[str, int]:
    """Return the position of each link in the solve order of the groups; the ground comes first."""
    order = [mechanism.topology.ground, *(link for group in structure.groups for link in group.links)]
    rest = [link for link in mechanism.links if link not in set(order)]
    return {link: k for k, link in enumerate((*order, *rest))}
