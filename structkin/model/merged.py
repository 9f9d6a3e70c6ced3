"""A mechanism in which links fastened together are merged into one link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.fastened import Seat
from structkin.joints.guide import Guide
from structkin.joints.pair import Joints, Pair
from structkin.joints.revolute import Revolute
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.parts import DriverCoordinate, Link
from structkin.model.topology import Driver, Joint, Topology

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
                joints.append(Joint(joint.id, joint.kind, ends))
        kept = tuple(
            Driver(driver.id, driver.kind, (self.base(driver.links[0]), self.base(driver.links[1])), driver.joint)
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
