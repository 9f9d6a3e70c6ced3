"""A pinion and its rack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.lines import into_frame
from structkin.joints.prismatic import Prismatic
from structkin.joints.row_writer import RowWriter
from structkin.joints.turn_coupling import APART, CouplingEntry, TurnCoupling, beside, points_of, shared_pins
from structkin.model.draft import Draft
from structkin.model.fields import Name, Radius, TwoPoints
from structkin.model.flaw import Flaw
from structkin.model.parts import Link
from structkin.numerical_tolerances import DETERMINED


@dataclass(frozen=True, kw_only=True)
class Rack(TurnCoupling):
    """A pinion and a rack, which slides in the joint `guide` along the arm, the link that holds the pinion's centre."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "rack"
    parts: ClassVar[tuple[str, ...]] = ("tangent",)

    def write(self, w: RowWriter) -> None:
        """Write the rack's travel as a function of the pinion's rotation."""
        assert self.guide is not None
        self.write_travel(w, w.mechanism.joints.of(Prismatic)[self.guide])


class RackEntry(CouplingEntry):
    """A pinion and a rack, which slides along the link that holds the pinion's centre."""

    sample: ClassVar[str] = '{ type = "rack", links = ["pinion", "rack"], radius = 20 }'

    radius: Radius | None = None
    along: TwoPoints | None = None
    carrier: Name | None = None
    center: Name | None = None

    def couple(self, draft: Draft, id: str) -> Rack | None:
        """Return the rack joint; None if a part it needs has errors."""
        pinion, rack = (draft.links[link] for link in self.links)
        candidates = [
            (joint, link)
            for joint in draft.joints.values()
            if joint.kind == "P" and rack.name in joint.links
            for link in joint.links
            if link != rack.name and link != pinion.name
        ]
        found = [
            (joint.id, link, pin)
            for joint, link in candidates
            if link in draft.link_entries and self.carrier in (None, link)
            for pin in shared_pins(draft, link, pinion.name)
            if self.center in (None, pin)
        ]
        if not found:
            entries = {f"joints.{name}": other for name, other in draft.joint_entries.items()}
            lost = [key for key in draft.unread if key.split(".")[0] == "joints"]
            if not draft.whole("links") or any(not isinstance(entries.get(key), CouplingEntry) for key in lost):
                return None
            name = self.carrier or "one link"
            raise Flaw(
                f"{name} has to hold '{pinion.name}' by a pin and '{rack.name}' by a prismatic joint",
                "add the missing joint, or check carrier and center",
            )
        if len(found) > 1:
            shown = "; ".join(f"{link} (center {pin})" for _, link, pin in found)
            raise Flaw(f"has {len(found)} possible carriers: {shown}", "add carrier, center, or both")
        guide, carrier, center = draft.joints[found[0][0]], draft.links.get(found[0][1]), found[0][2]
        if not isinstance(guide, Prismatic) or carrier is None:
            return None
        along = guide.direction * draft.links[guide.carrier].direction
        place = draft.points[center]
        side, radius = self._pitch_line(draft, rack, place, along)
        # The pinion's point nearest to the rack moves along the line: travel = lever times rotation.
        lever = radius * (1j * side * along.conjugate()).real
        lever = lever if guide.slider == rack.name else -lever
        foot = place + radius * side
        reach = [((draft.points[point] - foot) * along.conjugate()).real for point in rack.points]
        first, last = min(-2 * radius, *reach), max(2 * radius, *reach)
        line = (into_frame(rack, foot + first * along), into_frame(rack, foot + last * along))
        ends = (pinion.local[center], None)
        return Rack(
            id, links=self.links, centers=ends, radii=(radius, None), arm=draft.bearer(carrier.name, center),
            guide=guide.id, lever=lever, line=line,
        )  # fmt: skip

    def _pitch_line(self, draft: Draft, rack: Link, place: complex, along: complex) -> tuple[complex, float]:
        """Return the unit direction from the pinion's centre to the pitch line, and the pitch radius."""
        if self.along is not None:
            for point in self.along:
                if point not in rack.local:
                    raise Flaw(
                        f"the point '{point}' of along is not on the rack '{rack.name}'", points_of(draft, rack.name)
                    )
            side, distance = beside(draft, self.along, place)
            if abs((side * along.conjugate()).real) > 1e-3:
                raise Flaw("the pitch line is not parallel to the rack's guide", "check 'along' and the guide's axis")
            side = 1j * along * (1 if (side * along.conjugate()).imag > 0 else -1)
            if self.radius is not None and abs(self.radius - distance) > APART * distance:
                raise Flaw(
                    f"the pitch radius {draft.show_length(self.radius)} contradicts the sketch: the pitch line is "
                    f"{draft.show_length(distance)} from the centre",
                    "delete either radius or along",
                )
            return side, self.radius or distance
        if self.radius is None:
            raise Flaw("has no pitch radius", "give radius, or along = two points of the rack on its pitch line")
        across = ((draft.points[rack.points[0]] - place) * along.conjugate()).imag
        if abs(across) < DETERMINED * self.radius:
            raise Flaw(
                f"it is not clear on which side of the pinion the rack '{rack.name}' runs: "
                "its first point is level with the centre",
                "give along = two points of the rack on its pitch line",
            )
        return 1j * along * (1 if across > 0 else -1), self.radius
