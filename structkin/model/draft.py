"""A mechanism under construction: what has been read so far, and every error found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structkin.model.collector import Collector
from structkin.model.entry import Entry
from structkin.model.forces import Forces, InitialLink, InitialPoint, InitialState
from structkin.model.mechanism import GROUND
from structkin.model.parts import DriverCoordinate, Link, SketchPose
from structkin.model.schema import DriverEntry, LinkEntry
from structkin.model.topology import Driver, Joint, suggest

if TYPE_CHECKING:
    from structkin.joints.entry import JointEntry
    from structkin.joints.pair import Joints, Pair


@dataclass
class Draft(Collector):
    """Entries as read, the parts made from them, and the problems found. SI throughout."""

    title: str = ""
    duration: float | None = None

    points: dict[str, complex] = field(default_factory=dict)
    point_names: list[str] = field(default_factory=list)  # including those whose position cannot be read
    link_entries: dict[str, LinkEntry] = field(default_factory=dict)
    lengths: dict[frozenset[str], float] = field(default_factory=dict)
    joint_entries: dict[str, JointEntry] = field(default_factory=dict)
    driver_entries: dict[str, DriverEntry] = field(default_factory=dict)
    force_entries: dict[str, Entry] = field(default_factory=dict)
    initial_entries: dict[str, Any] = field(default_factory=dict)

    holders: dict[str, list[str]] = field(default_factory=dict)  # point -> links that have it, in the user's order
    bored: set[str] = field(default_factory=set)  # points of the sketch that only say where a hole is
    holes: dict[str, dict[str, complex]] = field(default_factory=dict)  # link -> point -> its hole from there [m]
    bodies: dict[str, str] = field(default_factory=dict)  # fastened link -> the first one of its body
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint | Pair] = field(default_factory=dict)  # a topological Joint if its links have errors
    drivers: dict[str, Driver] = field(default_factory=dict)
    coordinates: dict[str, DriverCoordinate] = field(default_factory=dict)
    forces: Forces = field(default_factory=Forces)
    initial: dict[str, InitialState] = field(default_factory=dict)
    initial_data: dict[str, InitialPoint | InitialLink] = field(default_factory=dict)

    pose: SketchPose | None = None  # replaces the pose given by the points

    remarks: list[str] = field(default_factory=list)

    def whole(self, section: str) -> bool:
        """Return whether every entry of a section was read, so that a missing name really is missing."""
        return not any(item.split(".")[0] == section for item in self.unread)

    @property
    def is_checked(self) -> bool:
        """Whether all checks were made: none had to be left out because an entry could not be read."""
        return not self.unread and len(self.links) == len(self.link_entries)

    def has_point(self, key: str, name: str) -> bool:
        """Return whether a point is known; record an error if not."""
        if name in self.points:
            return True
        if not self.excused("points", name):
            if entry := self.link_entries.get(name):
                self.fault(key, f"'{name}' is a link, not a point", f"its points: {', '.join(entry.points) or 'none'}")
            else:
                self.fault(key, f"point '{name}' is not in [points]", suggest(name, self.point_names))
        return False

    def has_points(self, key: str, names: Iterable[str]) -> bool:
        """Return whether all points are known; record an error for each that is not."""
        return False not in [self.has_point(key, name) for name in names]

    def has_link(self, key: str, name: str) -> bool:
        """Return whether a link is known; record an error if not. A missing ground is reported only once."""
        if name in self.link_entries:
            return True
        if name != GROUND and not self.excused("links", name):
            if on := [link for link, entry in self.link_entries.items() if name in entry.points]:
                self.fault(key, f"'{name}' is a point, not a link", f"it is on {' and '.join(on)}")
            else:
                self.fault(key, f"link '{name}' is not in [links]", suggest(name, self.link_entries))
        return False

    def has_point_on(self, key: str, link: str, name: str) -> bool:
        """Return whether a point of a made link is known; record an error if a known link does not have it."""
        if link not in self.links or name in self.links[link].local:
            return link in self.links
        self.fault(key, f"'{name}' is not a point of '{link}'", suggest(name, self.links[link].local))
        return False

    def pin_on(self, link: Link, point: str) -> complex:
        """Return where a link that is not bored yet holds the pin of a point, in its frame: in its hole, if any."""
        return link.local[point] + self.holes.get(link.name, {}).get(point, 0j)

    @property
    def pairs(self) -> Joints:
        """The joints that have their geometry; if there are no errors, these are all joints."""
        # not at the top: the kinds of joints, which come with it, need the draft
        from structkin.joints.pair import Joints, Pair

        return Joints(joint for joint in self.joints.values() if isinstance(joint, Pair))

    def link_of(self, point: str) -> str | None:
        """Return the ground if it has the point, else the first link that has it."""
        held = self.holders.get(point, [])
        return GROUND if GROUND in held else (held[0] if held else None)

    def one_each_body(self, links: Sequence[str]) -> tuple[str, ...]:
        """Return the links a pin joins: of links fastened together only the ground, or else the first listed."""
        rank = {link: k for k, link in enumerate(self.bodies)}
        first: dict[str, str] = {}
        for link in sorted(links, key=lambda link: (link != GROUND, rank.get(link, 0))):
            first.setdefault(self.bodies.get(link, link), link)
        return tuple(link for link in links if first[self.bodies.get(link, link)] == link)

    def bearer(self, link: str, pin: str) -> str:
        """Return the link that a pin joins on behalf of a link: itself, or one it is fastened to."""
        joint, body = self.joints.get(pin), self.bodies.get(link)
        ends = joint.links if joint is not None and body is not None else ()
        return next((end for end in ends if self.bodies.get(end) == body), link)

    def show_length(self, length: float) -> str:
        """Write a length [m] in the file's unit."""
        return f"{length / self.units.length_scale:.6g} {self.units.length}"
