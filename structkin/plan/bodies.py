"""Links fastened together: one follows from another, and those within a group are solved as one link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.fastened import Fastened, Seat
from structkin.joints.guide import Guide
from structkin.joints.pair import Joints, Pair
from structkin.joints.revolute import Revolute
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.parts import DriverCoordinate, Link
from structkin.model.topology import Topology
from structkin.plan.known_state import KnownState, seated
from structkin.rows.affine import Frame
from structkin.structure import Group

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

#: The joints whose geometry can be expressed in the frame of another link of the same body.
MOVABLE = (Revolute, Guide, CircularSlot, TurnCoupling)


@dataclass(frozen=True)
class Bodies:
    """The base of each fastened link, the link that represents its body, and the link's pose in the base's frame."""

    seats: Mapping[str, tuple[str, Seat]]

    def base(self, link: str) -> str:
        """Return the link that represents a link's body."""
        return self.seats[link][0] if link in self.seats else link

    def seat(self, link: str) -> Seat:
        """Return the pose of a link in the frame of its base."""
        return self.seats[link][1] if link in self.seats else Seat()

    def topology(self, topology: Topology, drivers: tuple[str, ...]) -> Topology:
        """Return the topology of the bodies, with these drivers only."""
        joints = []
        for joint in topology.joints:
            ends = tuple(dict.fromkeys(map(self.base, joint.links)))
            if len(ends) > 1:
                joints.append(replace(joint, links=ends))
        kept = tuple(
            replace(driver, links=(self.base(driver.links[0]), self.base(driver.links[1])))
            for driver in topology.drivers
            if driver.id in drivers
        )
        links = tuple(link for link in topology.links if self.base(link) == link)
        return Topology(links, topology.ground, tuple(joints), kept, topology.title)

    def mechanism(self, mechanism: Mechanism) -> Mechanism:
        """Return a mechanism whose links, joints and drivers are those of the bodies; its topology is unchanged."""
        links = {name: self._link(mechanism, link) for name, link in mechanism.links.items() if self.base(name) == name}
        joints = Joints(map(self._joint, mechanism.joints.values()))
        drivers = {id: self._driver(drive) for id, drive in mechanism.drivers.items()}
        return mechanism.with_parts(
            {"links": MappingProxyType(links), "joints": joints, "drivers": MappingProxyType(drivers)}
        )

    def _link(self, mechanism: Mechanism, base: Link) -> Link:
        """Return a base with the points of all links it represents; its own points take precedence."""
        local = dict(base.local)
        for name, (of, seat) in self.seats.items():
            if of == base.name:
                points = mechanism.links[name].local.items()
                local = {**{point: seat.point(place) for point, place in points}, **local}
        return replace(base, local=MappingProxyType(local))

    def _joint(self, joint: Pair) -> Pair:
        ends = tuple(dict.fromkeys(map(self.base, joint.links)))
        if not isinstance(joint, MOVABLE) or len(ends) < 2:
            return joint
        changed: dict[str, Any] = {"links": ends}
        if isinstance(joint, Sliding):
            carrier, slider = self.seat(joint.carrier), self.seat(joint.slider)
            changed |= {
                "carrier": self.base(joint.carrier),
                "slider": self.base(joint.slider),
                "direction": carrier.direction * joint.direction,
                "point": slider.point(joint.point),
            }
            if isinstance(joint, Guide):
                turn = None if joint.turn is None else joint.turn * carrier.direction / slider.direction
                changed |= {"origin": carrier.point(joint.origin), "turn": turn}
            if isinstance(joint, CircularSlot):
                changed["center"] = carrier.point(joint.center)
        if isinstance(joint, TurnCoupling):
            first, second = map(self.seat, joint.links)
            center, other = joint.centers
            changed |= {
                "centers": (first.point(center), None if other is None else second.point(other)),
                "arm": None if joint.arm is None else self.base(joint.arm),
                "line": None if joint.line is None else (second.point(joint.line[0]), second.point(joint.line[1])),
            }
        return replace(joint, **changed)

    def _driver(self, drive: DriverCoordinate) -> DriverCoordinate:
        links = self.base(drive.links[0]), self.base(drive.links[1])
        ends = drive.ends
        if ends is not None:
            (a, p), (b, q) = ends
            ends = (self.base(a), p), (self.base(b), q)
        return replace(drive, links=links, ends=ends)


def solve_fastened(state: KnownState, group: Group) -> Mapping[str, Frame] | None:
    """Return the frame of a link fastened to a known one and joined to no other: no step is needed."""
    if len(group.links) != 1 or group.drivers or not state.mechanism.joints.of(Fastened):
        return None
    (link,) = group.links
    contacts = state.contacts(group.links)
    if link in state.frames:  # gears that it carries were solved with its rotation
        meshes = state.mechanism.joints.of(TurnCoupling)
        contacts = [contact for contact in contacts if contact.joint not in meshes or meshes[contact.joint].arm != link]
    frame = state.fastened_frame(link) if [contact.kind for contact in contacts] == ["F"] else None
    return None if frame is None else {link: frame}


@dataclass(frozen=True)
class OneEach:
    """A group in which links fastened together are one link, and the state in which it is solved."""

    bodies: Bodies
    state: KnownState
    group: Group

    @classmethod
    def of(cls, state: KnownState, group: Group) -> OneEach | None:
        """Return the group of bodies; None if no links are fastened, or if they cannot be merged into one link."""
        fastened = state.mechanism.joints.of(Fastened)
        if not fastened:
            return None
        near: dict[str, list[tuple[str, Seat]]] = {}
        contacts = state.contacts(group.links)
        if any(contact.kind == "F" and contact.other is None for contact in contacts):
            return None  # fastened to a known link as well: equations too many
        inner = [contact for contact in contacts if contact.other is not None]
        for contact in inner:
            if contact.kind == "F" and contact.other is not None:
                joint = fastened[contact.joint]
                for one, other in ((contact.link, contact.other), (contact.other, contact.link)):
                    near.setdefault(one, []).append((other, joint.seat_on(other, one)))
        if not near:
            return None
        bound = _bound(state, group)
        seats: dict[str, tuple[str, Seat]] = {}
        for link in sorted(near, key=lambda link: link not in bound):
            if link not in seats:
                body = _seats(link, near)
                if len(bound & set(body)) > 1:
                    return None
                seats.update({other: (link, seat) for other, seat in body.items()})
        bodies = Bodies(seats)
        within = any(one.kind != "F" and bodies.base(one.link) == bodies.base(one.other or "") for one in inner)
        if within or any(_drives_within(state, bodies, id) for id in group.drivers):
            return None  # an equation within one body is redundant: it would be lost
        return cls._of_bodies(bodies, state, group)

    @classmethod
    def _of_bodies(cls, bodies: Bodies, state: KnownState, group: Group) -> OneEach:
        base = bodies.base
        topology = bodies.topology(state.topology, group.drivers)
        merged = KnownState(bodies.mechanism(state.mechanism), topology, state.builder, state.base, state.close)
        merged.frames.update(state.frames)
        merged.pins.update(state.pins)
        composites = (tuple(dict.fromkeys(map(base, links))) for links in group.composite_links)
        links = tuple(dict.fromkeys(map(base, group.links)))
        kept = tuple(composite for composite in composites if len(composite) > 1)
        return cls(bodies, merged, replace(group, links=links, composite_links=kept))

    def frames(self, found: Mapping[str, Frame]) -> Mapping[str, Frame]:
        """Return the frames of all links from those of the bodies."""
        others = {link: seated(found[base], seat) for link, (base, seat) in self.bodies.seats.items() if base != link}
        return {**found, **others}


def _drives_within(state: KnownState, bodies: Bodies, id: str) -> bool:
    """Return whether both ends of a driver are on one body."""
    drive, links = state.mechanism.drivers[id], state.mechanism.links
    if drive.ends is None:
        first, second = ({bodies.base(link)} for link in drive.links)
    else:
        first, second = (
            {bodies.base(link) for link in (end, *bodies.seats) if point in links[link].local}
            for end, point in drive.ends
        )
    return bool(first & second)


def _seats(base: str, near: Mapping[str, Iterable[tuple[str, Seat]]]) -> dict[str, Seat]:
    """Return the poses of all links of a body in the frame of one of them."""
    seats = {base: Seat()}
    todo = [base]
    for link in todo:
        own = seats[link]
        for other, seat in near[link]:
            if other not in seats:
                seats[other] = Seat(own.point(seat.origin), own.direction * seat.direction)
                todo.append(other)
    return seats


def _bound(state: KnownState, group: Group) -> set[str]:
    """Return the links whose own frames appear in rows: of a driven angle or a cam's law."""
    bound = {link for id in group.drivers if state.driver(id).kind == "angle" for link in state.driver(id).links}
    for joint in state.mechanism.joints.values():
        if not isinstance(joint, (*MOVABLE, Fastened)):
            bound.update(joint.links)
            bound.update(filter(None, (getattr(joint, "carrier", None),)))
    return bound
