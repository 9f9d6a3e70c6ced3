"""The prismatic joint: two links that slide along each other without turning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.entry import LineEntry
from structkin.joints.guide import Guide
from structkin.joints.lines import check_line, into_frame, with_stroke
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import Draft
from structkin.model.fields import Location, Radius, TwoLinks
from structkin.model.flaw import Flaw
from structkin.model.geometry import unit_direction
from structkin.model.mechanism import GROUND
from structkin.model.parts import Link
from structkin.model.topology import Joint
from structkin.numerical_tolerances import EQUAL_DATA


@dataclass(frozen=True, kw_only=True)
class Prismatic(Guide):
    """Two links that slide along each other without turning.

    `bearing` is the length [m] of the bearing along the line, None if it is not given. Its middle is the slider's
    point; where the line was drawn on the slider (`on_slider`), it is the place of the carrier at which the joint is.
    """

    kind: ClassVar[str] = "P"
    has_moment: ClassVar[bool] = True

    bearing: float | None = None
    on_slider: bool = False

    def bearing_place(self, links: Mapping[str, Link]) -> tuple[complex, str]:
        """Return the middle of the bearing: a place in the frame of a link."""
        if self.on_slider:
            return into_frame(links[self.carrier], self.at), self.carrier
        return self.place

    def write(self, w: RowWriter) -> None:
        """Write the row across the guide, and the constant angle between the links."""
        self.write_across(w)
        assert self.turn is not None
        if not w.is_met(self.id):
            w.orient(self.id, (self.carrier, self.slider), self.turn)


class PrismaticEntry(LineEntry):
    """A prismatic joint of two links, along a direction in the sketch or two points of one link."""

    sample: ClassVar[str] = '{ type = "prismatic", links = ["piston", "ground"], at = "C", axis = [1, 0] }'

    links: TwoLinks
    at: Location | None = None
    length: Radius | None = None

    def make(self, draft: Draft, id: str) -> Joint | Prismatic | None:
        """Return the joint; its line is fixed in the ground, or else in the second link."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(self.links)]
        if self.links[0] == self.links[1]:
            raise Flaw(f"joins the link '{self.links[0]}' to itself", "name two links")
        if isinstance(self.at, str):
            known.append(draft.has_point(f"{key}.at", self.at))
        holders = list(self.links)
        known.append(check_line(draft, key, self, holders))
        if not all(known):
            return None
        carrier, slider = self.links if self.links[1] != GROUND else (self.links[1], self.links[0])
        if carrier not in draft.links or slider not in draft.links:
            return Joint(id, "P", self.links)  # their errors have been reported
        return with_stroke(draft, id, self, self._made(draft, id, draft.links[carrier], draft.links[slider]))

    def _made(self, draft: Draft, id: str, carrier: Link, slider: Link) -> Prismatic:
        at = self.at if self.at is not None else slider.points[0]
        place = draft.points[at] if isinstance(at, str) else at

        def on(link: Link) -> complex:
            """Return the reference point in the frame of a link: exact if the link has it."""
            exact = link.local.get(at) if isinstance(at, str) else None
            return into_frame(link, place) if exact is None else exact

        turn = slider.direction * carrier.direction.conjugate()
        turn /= abs(turn)
        point, origin, offset, start = on(slider), on(carrier), 0.0, 0.0
        on_slider = False
        if self.axis is not None:
            direction = carrier.direction.conjugate() * self.axis
        else:
            assert self.along is not None
            p, q = self.along
            if p in carrier.local and q in carrier.local:
                direction = unit_direction(carrier.local, p, q)
                # the line goes through P; the slider's point runs at its sketched distance from it
                step = direction.conjugate() * (origin - carrier.local[p])
                origin = carrier.local[p]
                offset = step.imag if abs(step.imag) > EQUAL_DATA * abs(step) else 0.0
                start = step.real
            else:
                direction = turn * unit_direction(slider.local, p, q)
                on_slider = True
                point, origin = slider.local[p], into_frame(carrier, draft.points[p])
        return Prismatic(
            id, self.links, carrier=carrier.name, slider=slider.name, origin=origin,
            direction=direction / abs(direction), point=point, offset=offset, start=start, turn=turn, at=place,
            bearing=self.length, on_slider=on_slider,
        )  # fmt: skip
