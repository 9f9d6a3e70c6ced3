"""The slot in which a pin slides: straight, circular, or along another curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.ends import with_stroke
from structkin.joints.entry import LineEntry
from structkin.joints.guide import Guide
from structkin.joints.lines import SLOPPY, check_line, held_by, into_frame
from structkin.joints.row_writer import RowWriter
from structkin.joints.slot_curves import chain_curve, spline_curve
from structkin.model.draft import GROUND, Draft
from structkin.model.fields import Anything, Flag, Location, Name, Radius
from structkin.model.flaw import Flaw
from structkin.model.geometry import unit_direction
from structkin.model.parts import Link
from structkin.model.stroke import check_stroke
from structkin.model.topology import Joint
from structkin.numerical_tolerances import ROUNDING
from structkin.rows.plane_curve import PlaneCurve


@dataclass(frozen=True, kw_only=True)
class Slot(Guide):
    """A pin of the slider in a straight slot of the carrier; the line of the guide is the slot's centre line."""

    kind: ClassVar[str] = "S"

    def write(self, w: RowWriter) -> None:
        """Write the row across the slot."""
        self.write_across(w)


class SlotEntry(LineEntry):
    """A pin of one link in a slot of another: straight, circular about a point of it, or along a curve."""

    sample: ClassVar[str] = '{ type = "pin-in-slot", pin = "B", on = "crank", slot = "arm", along = ["O", "E"] }'

    pin: Name
    slot: Name
    on: Name | None = None
    center: Name | None = None
    radius: Radius | None = None
    through: Anything = None
    segments: Anything = None
    start: Location | None = None
    closed: Flag | None = None

    def make(self, draft: Draft, id: str) -> Joint | Slot | CircularSlot | CurveSlot | None:
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
                f"the pin '{self.pin}' is a point of '{self.slot}', the slotted link", "name a point of another link"
            )
        if self.on is not None and self.on not in held:
            raise Flaw(f"the pin '{self.pin}' is not on the link '{self.on}'", held_by(held))
        if not held:
            return None  # reported by `check_use`
        slider = self.on or (GROUND if GROUND in held else held[0])
        end = f"@{self.pin}" if self.on is None and self.pin in draft.joints else slider
        links = end, self.slot
        if self.slot not in draft.links or slider not in draft.links:
            return Joint(id, "S", links)
        ends = draft.links[self.slot], draft.links[slider]
        if self.is_curved:
            return self._curved(draft, id, links, *ends)
        return with_stroke(draft, id, self, self._made(draft, id, links, *ends))

    def _made(self, draft: Draft, id: str, links: tuple[str, str], carrier: Link, slider: Link) -> Slot | CircularSlot:
        place = draft.points[self.pin]
        point, there = slider.local[self.pin], into_frame(carrier, place)
        if self.center is not None:
            center = carrier.local[self.center]
            radius = abs(there - center) if self.radius is None else self.radius
            if radius <= ROUNDING * abs(center) or radius == 0:
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
                f"in the sketch the pin '{self.pin}' is {draft.show_length(abs(step.imag))} from the line {p}-{q}",
                "draw it on the line, or give the slot an axis instead",
            )
        # the pin runs on the line P-Q itself: a rounded sketch does not shift the slot
        return Slot(
            id, links, carrier=carrier.name, slider=slider.name, origin=carrier.local[p], direction=direction,
            point=point, start=step.real, at=place,
        )  # fmt: skip

    def _curved(self, draft: Draft, id: str, links: tuple[str, str], carrier: Link, slider: Link) -> CurveSlot | None:
        """Return a slot along a curve; None if there are errors."""
        curve, there = self._curve(draft, f"joints.{id}", carrier), into_frame(carrier, draft.points[self.pin])
        if curve is None:
            return None
        gap = abs(float(curve.away(there)))
        if gap > SLOPPY * curve.length:
            far = draft.show_length(gap)
            raise Flaw(f"in the sketch the pin '{self.pin}' is {far} from its slot", "draw it in the slot")
        start = float(curve.travel(curve.foot(there.real, there.imag)))
        ends = None if curve.closed else (-start, curve.length - start)
        return CurveSlot(
            id, links, carrier=carrier.name, slider=slider.name, point=slider.local[self.pin], direction=1 + 0j,
            stroke=None if ends is None else check_stroke(draft.units, ends, "length", 0.0), curve=curve, start=start,
        )  # fmt: skip

    @property
    def is_curved(self) -> bool:
        """Whether the slot is a spline through points, or made of segments."""
        return self.through is not None or self.segments is not None

    def _curve(self, draft: Draft, key: str, carrier: Link) -> PlaneCurve | None:
        """Return the centre line of a curved slot; None if there are errors."""
        closed = bool(self.closed)
        if self.through is not None:
            key = f"{key}.through"
            return draft.attempt(key, spline_curve, draft, key, self.through, carrier, closed)
        assert self.axis is not None and self.start is not None
        key, start = f"{key}.segments", self.start
        return draft.attempt(key, chain_curve, draft, key, self.segments, carrier, start, self.axis, closed)

    def _has_curve(self, draft: Draft, key: str) -> bool:
        """Return whether the centre line of a slot is defined; record an error if not."""
        named = [name for name in ("along", "center", "through", "segments") if getattr(self, name) is not None]
        if self.axis is not None and self.segments is None:
            named.insert(0, "axis")
        if len(named) > 1:
            draft.fault(key, f"has {' and '.join(named)}", "a slot has one centre line: keep one of them")
            return False
        whole = True
        for name, kinds, hint in (
            ("radius", ("center",), 'for a circular slot give its center, such as center = "M"'),
            ("start", ("segments",), "only a slot of segments has a start"),
            ("closed", ("through", "segments"), "only a curved slot can be closed"),
        ):
            if getattr(self, name) is not None and not set(kinds) & set(named):
                draft.fault(f"{key}.{name}", f"this slot has no {name}", hint)
                whole = False
        for name in ("stroke", "ends") if self.is_curved else ():
            if getattr(self, name) is not None:
                draft.fault(f"{key}.{name}", "a curved slot ends where its curve ends", "shorten the curve instead")
                whole = False
        if self.segments is not None and (self.axis is None or self.start is None):
            draft.fault(key, "segments need a start and an axis", "such as start = [0, 0], axis = [1, 0]")
            return False
        if self.is_curved:
            return whole
        if self.center is None:
            return check_line(draft, key, self, [self.slot]) and whole
        if not draft.has_point(f"{key}.center", self.center):
            return False
        if self.slot in draft.link_entries and self.slot not in draft.holders.get(self.center, []):
            held = held_by(draft.holders.get(self.center, []))
            draft.fault(f"{key}.center", f"'{self.center}' is not a point of '{self.slot}'", f"it {held}")
            return False
        return whole
