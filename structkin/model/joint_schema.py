"""The entries of [joints] in a mechanism file, one pydantic model each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from structkin.model.entry import Entry
from structkin.model.fields import (
    Anything,
    Axis,
    Flag,
    Location,
    Name,
    Radii,
    Radius,
    Ratio,
    Teeth,
    TwoLinks,
    TwoPoints,
    Whole,
    scalar,
)


class PrismaticEntry(Entry):
    """A prismatic joint of two links, along a direction of the sketch or along two points of one link."""

    sample: ClassVar[str] = '{ type = "prismatic", links = ["piston", "ground"], at = "C", axis = [1, 0] }'

    type: Name
    links: TwoLinks
    at: Location | None = None
    axis: Axis | None = None
    along: TwoPoints | None = None


class SlotEntry(Entry):
    """A pin of one link in a straight slot of another, or in a circular one about a point of it."""

    sample: ClassVar[str] = '{ type = "pin-in-slot", pin = "B", on = "crank", slot = "arm", along = ["O", "E"] }'

    type: Name
    pin: Name
    slot: Name
    on: Name | None = None
    axis: Axis | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radius: Radius | None = None


class CamEntry(Entry):
    """A cam with a law or a profile; whether its lifts are lengths or angles is known later."""

    sample: ClassVar[str] = (
        '{ type = "cam", cam = "disc", follower = "lifter", at = "Q", radius = 10, '
        'law = [{ motion = "cycloidal", over = 180, to = 20 }, { motion = "cycloidal", over = 180, to = 0 }] }'
    )

    type: Name
    cam: Name
    follower: Name
    law: Anything = None
    profile: Anything = None
    outline: Anything = None
    csv: Name | None = None
    center: Name | None = None
    at: Name | None = None
    face: TwoPoints | None = None
    contact: Name | None = None
    radius: Radius | None = None
    base: Radius | None = None
    start: Annotated[float, scalar("angle")] | None = None
    direction: Name | None = None
    carrier: Name | None = None


class GenevaEntry(Entry):
    """A Geneva wheel of n slots and the crank whose pin turns it."""

    sample: ClassVar[str] = '{ type = "geneva", crank = "crank", pin = "P", wheel = "wheel", slots = 4 }'

    type: Name
    crank: Name
    pin: Name
    wheel: Name
    slots: Whole


class WheelsEntry(Entry):
    """Two wheels that turn at a ratio, whose centres the carrier holds."""

    type: Name
    links: TwoLinks
    ratio: Ratio | None = None
    teeth: Teeth | None = None
    radii: Radii | None = None
    carrier: Name | None = None
    centers: TwoPoints | None = None


class GearEntry(WheelsEntry):
    """Two gears whose centres the carrier holds."""

    sample: ClassVar[str] = '{ type = "gear", links = ["pinion", "wheel"], teeth = [20, 40] }'

    internal: Flag | None = None


class BeltEntry(WheelsEntry):
    """Two pulleys or sprockets under a belt or chain, whose centres the carrier holds."""

    sample: ClassVar[str] = '{ type = "belt", links = ["small", "large"], radii = [20, 40] }'

    crossed: Flag | None = None


class RackEntry(Entry):
    """A pinion and a rack, which slides along the link that holds the pinion's centre."""

    sample: ClassVar[str] = '{ type = "rack", links = ["pinion", "rack"], radius = 20 }'

    type: Name
    links: TwoLinks
    radius: Radius | None = None
    along: TwoPoints | None = None
    carrier: Name | None = None
    center: Name | None = None


class RollingEntry(Entry):
    """A circle of the first link that rolls on a line or on a circle of the second without slip."""

    sample: ClassVar[str] = '{ type = "rolling", links = ["wheel", "ground"], radius = 30, along = ["P", "Q"] }'

    type: Name
    links: TwoLinks
    radius: Radius | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radii: Radii | None = None
    centers: TwoPoints | None = None
    internal: Flag | None = None


MeshEntry = GearEntry | BeltEntry | RackEntry | RollingEntry
JointEntry = PrismaticEntry | SlotEntry | CamEntry | GenevaEntry | MeshEntry

JOINT_TYPES: Mapping[str, type[JointEntry]] = {
    "prismatic": PrismaticEntry,
    "pin-in-slot": SlotEntry,
    "cam": CamEntry,
    "geneva": GenevaEntry,
    "gear": GearEntry,
    "belt": BeltEntry,
    "rack": RackEntry,
    "rolling": RollingEntry,
}
