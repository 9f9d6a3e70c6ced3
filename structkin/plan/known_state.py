"""What is known while a plan is compiled: frames of solved links, solved pins, and joints to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from structkin.joints.fastened import Fastened, Seat
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Driver, Joint, Topology, pin_of
from structkin.plan.builder import PlanBuilder
from structkin.rows.affine import FIXED, Affine, Frame
from structkin.structure import Group, KinematicStructure


@dataclass(frozen=True, slots=True)
class Contact:
    """A joint between a link of the group (`link`) and a known link, or another link of the group (`other`)."""

    kind: str
    joint: str
    link: str
    other: str | None = None


def seated(base: Frame, seat: Seat) -> Frame:
    """Return the frame of a link whose pose in the frame of another one is `seat`."""
    return Frame(base.point(seat.origin), base.direction * seat.direction)


@dataclass
class KnownState:
    """What is known so far while a plan is compiled: frames of solved links and positions of solved pins.

    `base` is the link in whose frame coordinates are expressed: the ground, or a link of a composite. `close` records
    the steps of one group and returns its links' frames; a composite calls it for its internal groups.
    """

    mechanism: Mechanism
    topology: Topology
    builder: PlanBuilder
    base: str
    close: Callable[[KnownState, Group, int], Mapping[str, Frame]]
    frames: dict[str, Frame] = field(default_factory=dict)
    pins: dict[str, Affine] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the joints by link and make the base known."""
        self._joints: dict[str, list[Joint]] = defaultdict(list)
        self._attached: dict[str, list[Joint]] = defaultdict(list)
        self._drivers = {driver.id: driver for driver in self.topology.drivers}
        for joint in self.topology.joints:
            for end in joint.links:
                pin = pin_of(end)
                if pin is None:
                    self._joints[end].append(joint)
                else:
                    self._attached[pin].append(joint)
            mesh = self.mechanism.joints.of(TurnCoupling).get(joint.id)
            if mesh is not None and mesh.arm is not None:
                self._joints[mesh.arm].append(joint)
        self.know({self.base: FIXED})

    def know(self, frames: Mapping[str, Frame]) -> None:
        """Add the frames of solved links and their pins."""
        self.frames.update(frames)
        for name, frame in frames.items():
            for joint in self._joints[name]:
                if joint.kind == "R" and joint.id not in self.pins:
                    self.pins[joint.id] = frame.point(self.local(name, joint.id))

    def fastened_frame(self, link: str) -> Frame | None:
        """Return the frame of a link fastened to a known one; None if it is not."""
        if link in self.frames:
            return self.frames[link]
        for joint in self._joints[link]:
            if joint.kind == "F":
                base = next((end for end in joint.links if end in self.frames), None)
                if base is not None:
                    return seated(self.frames[base], self.mechanism.joints.of(Fastened)[joint.id].seat_on(link, base))
        return None

    def local(self, link: str, point: str) -> complex:
        """Return the position of a point in a link's frame."""
        return self.mechanism.links[link].local[point]

    def guide(self, joint: str) -> Guide:
        """Return the guide of a prismatic joint or slot."""
        return self.mechanism.joints.of(Guide)[joint]

    def is_attached(self, pin: str) -> bool:
        """Return whether a slot or another joint is attached to the pin itself."""
        return bool(self._attached[pin])

    def driver(self, id: str) -> Driver:
        """Return the driver with this id."""
        return self._drivers[id]

    def sketch_point(self, point: str) -> complex:
        """Return a point of the sketch in the coordinates of the base."""
        return self._into_base(self.mechanism.places[point])

    def sketch_frame(self, link: str) -> tuple[complex, complex]:
        """Return origin and direction of a link in the sketch, in the coordinates of the base."""
        body, base = self.mechanism.links[link], self.mechanism.links[self.base]
        return self._into_base(body.origin), body.direction / base.direction

    def _into_base(self, place: complex) -> complex:
        base = self.mechanism.links[self.base]
        return (place - base.origin) / base.direction

    def contacts(self, links: Sequence[str]) -> list[Contact]:
        """Return the joints between these links, and from them to known links."""
        inside = set(links)
        found: dict[tuple[str, str], Contact] = {}
        for joint in self._touching(links):
            ends = [end for end in joint.links if end in inside]
            if joint.kind == "R":
                if joint.id in self.pins:
                    new = [Contact("R", joint.id, link) for link in ends]
                else:
                    new = [Contact("R", joint.id, ends[0], link) for link in ends[1:]]
            elif joint.kind == "F":
                new = list(self._fastened(joint, inside))
            elif joint.id in self.mechanism.joints.of(TurnCoupling):
                new = list(self._meshed(joint, inside))
            else:
                new = list(self._guided(joint, ends, inside))
            found.update({(contact.joint, contact.other or contact.link): contact for contact in new})
        return list(found.values())

    def _guided(self, joint: Joint, ends: list[str], inside: set[str]) -> Iterable[Contact]:
        pins = [pin for end in joint.links if (pin := pin_of(end)) is not None]
        for pin in pins:
            # A slot on a shared pin: a link of the group at that pin represents it, unless the pin is known.
            if pin not in self.pins:
                ends = [*ends, *[link for link in self.topology.joint(pin).links if link in inside][:1]]
        known = any(end in self.frames for end in joint.links) or any(pin in self.pins for pin in pins)
        if len(ends) == 2:
            yield Contact(joint.kind, joint.id, ends[0], ends[1])
        elif len(ends) == 1 and known:
            yield Contact(joint.kind, joint.id, ends[0])

    def _fastened(self, joint: Joint, inside: set[str]) -> Iterable[Contact]:
        """Return the contacts of the first link with each other link, if at least one is in the group."""
        first, *others = joint.links
        for link in others:
            if first in inside and link in inside:
                yield Contact(joint.kind, joint.id, first, link)
            elif (first in inside and link in self.frames) or (link in inside and first in self.frames):
                yield Contact(joint.kind, joint.id, first if first in inside else link)

    def _meshed(self, joint: Joint, inside: set[str]) -> Iterable[Contact]:
        """Return the contact of a gear pair whose links and carrier belong to the group or are known."""
        mesh = self.mechanism.joints.of(TurnCoupling)[joint.id]
        members = [link for link in (*mesh.links, mesh.arm) if link is not None]
        mine = [link for link in members if link in inside]
        if mesh.arm is not None and mesh.arm not in inside and (frame := self.fastened_frame(mesh.arm)) is not None:
            self.frames[mesh.arm] = frame  # its rotation is needed before its group is reached
        if mine and all(link in inside or link in self.frames for link in members):
            both = set(mesh.links) <= inside
            yield Contact(joint.kind, joint.id, mine[0], mesh.links[1] if both else None)

    def _touching(self, links: Sequence[str]) -> list[Joint]:
        order: dict[str, Joint] = {}
        for link in links:
            for joint in self._joints[link]:
                order[joint.id] = joint
                for attached in self._attached[joint.id]:
                    order[attached.id] = attached
        return list(order.values())

    def within(self, links: Sequence[str], base: str) -> KnownState:
        """Return a state of these links alone, in the coordinates of one of them."""
        inside = set(links)
        joints = []
        for joint in self.topology.joints:
            ends = tuple(end for end in joint.links if end in inside)
            if len(ends) >= 2:
                joints.append(replace(joint, links=ends))
        ids = {joint.id for joint in joints}
        drivers = tuple(
            replace(driver, joint=driver.joint if driver.joint in ids else None)
            for driver in self.topology.drivers
            if set(driver.links) <= inside
        )
        topology = Topology(tuple(links), base, tuple(joints), drivers, self.topology.title)
        return KnownState(self.mechanism, topology, self.builder, base, self.close)

    def solve_all(self, structure: KinematicStructure, group: int | None = None) -> None:
        """Record the steps of every group in order; `group` overrides the index they report."""
        for item in structure.groups:
            self.know(self.close(self, item, item.index if group is None else group))
