"""The slot in which a pin slides: straight, or circular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.ends import with_stroke
from structkin.joints.entry import JointEntry
from structkin.joints.guide import Guide
from structkin.joints.lines import SLOPPY, check_line, held_by, into_frame
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import GROUND, Draft
from structkin.model.fields import Anything, Axis, Name, Radius, TwoPoints
from structkin.model.flaw import Flaw
from structkin.model.geometry import TINY, unit_direction
from structkin.model.parts import Link
from structkin.model.topology import Joint


@dataclass(frozen=True, kw_only=True)
class Slot(Guide):
    """A pin of the slider in a straight slot of the carrier, whose middle line is the guide's."""

    kind: ClassVar[str] = "S"

    def write(self, w: RowWriter) -> None:
        """Write the row across the slot."""
        self.write_across(w)


class SlotEntry(JointEntry):
    """A pin of one link in a straight slot of another, or in a circular one about a point of it."""

    sample: ClassVar[str] = '{ type = "pin-in-slot", pin = "B", on = "crank", slot = "arm", along = ["O", "E"] }'

    pin: Name
    slot: Name
    on: Name | None = None
    axis: Axis | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radius: Radius | None = None
    stroke: Anything = None
    ends: TwoPoints | None = None

    def make(self, draft: Draft, id: str) -> Joint | Slot | CircularSlot | None:
        """Return the slot with its pin."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.slot", self.slot), draft.has_point(f"{key}.pin", self.pin)]
        if self.on is not None:
            known.append(draft.has_link(f"{key}.on", self.on))
        known.append(self._has_curve(draft, key))
        if not all(known):
            return None
        held = draft.holders.get(self.pin, [])
        if self.slot in held:
            raise Flaw(
                f"the pin '{self.pin}' is a point of '{self.slot}', whose slot it slides in", "it is on other links"
            )
        if self.on is not None and self.on not in held:
            raise Flaw(f"the pin '{self.pin}' is not on the link '{self.on}'", held_by(held))
        if not held:
            return None  # told by `check_use`
        slider = self.on or (GROUND if GROUND in held else held[0])
        end = f"@{self.pin}" if self.on is None and self.pin in draft.joints else slider
        links = end, self.slot
        if self.slot not in draft.links or slider not in draft.links:
            return Joint(id, "S", links)
        return with_stroke(draft, id, self, self._made(draft, id, links, draft.links[self.slot], draft.links[slider]))

    def _made(self, draft: Draft, id: str, links: tuple[str, str], carrier: Link, slider: Link) -> Slot | CircularSlot:
        place = draft.points[self.pin]
        point, there = slider.local[self.pin], into_frame(carrier, place)
        if self.center is not None:
            center = carrier.local[self.center]
            radius = abs(there - center) if self.radius is None else self.radius
            if radius <= TINY * abs(center) or radius == 0:
                raise Flaw(f"in the sketch the pin '{self.pin}' is at the centre of its slot", "give radius = 50")
            step = there - center if abs(there - center) > 0 else 1 + 0j
            return CircularSlot(
                id, links, carrier=carrier.name, slider=slider.name, center=center, point=point, radius=radius,
                direction=step / abs(step),
            )  # fmt: skip
        if self.axis is not None:
            direction = carrier.direction.conjugate() * self.axis
            return Slot(
                id,
                links,
                carrier=carrier.name,
                slider=slider.name,
                origin=there,
                direction=direction,
                point=point,
                at=place,
            )
        assert self.along is not None
        p, q = self.along
        direction = unit_direction(carrier.local, p, q)
        step = direction.conjugate() * (there - carrier.local[p])
        size = abs(carrier.local[q] - carrier.local[p])
        if abs(step.imag) > SLOPPY * size:
            raise Flaw(
                f"in the sketch the pin '{self.pin}' is {draft.show_length(abs(step.imag))} beside the line {p}-{q}",
                "draw it on the line, or give the slot an axis instead",
            )
        # the pin runs on the line P-Q itself: a rounded sketch does not shift the slot
        return Slot(
            id, links, carrier=carrier.name, slider=slider.name, origin=carrier.local[p], direction=direction,
            point=point, start=step.real, at=place,
        )  # fmt: skip

    def _has_curve(self, draft: Draft, key: str) -> bool:
        """Tell whether the middle line of a slot can be made, straight or circular; complain if not."""
        if self.center is None:
            if self.radius is not None:
                draft.fault(f"{key}.radius", "a straight slot has no radius", 'give the center of a circular one: "M"')
            return check_line(draft, key, self, [self.slot])
        if self.axis is not None or self.along is not None:
            draft.fault(key, "has a center beside an axis or along", "a slot is circular or straight")
            return False
        if not draft.has_point(f"{key}.center", self.center):
            return False
        if self.slot in draft.link_entries and self.slot not in draft.holders.get(self.center, []):
            held = held_by(draft.holders.get(self.center, []))
            draft.fault(f"{key}.center", f"'{self.center}' is not a point of '{self.slot}'", f"it {held}")
            return False
        return True
