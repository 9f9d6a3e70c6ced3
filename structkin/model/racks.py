"""Racks: the guide and the carrier of a pinion, and its pitch line."""

from __future__ import annotations

from structkin.joints.prismatic import Prismatic
from structkin.joints.rack import Rack
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.joint_schema import MeshEntry, RackEntry
from structkin.model.mesh_geometry import APART, beside, into_frame, points_of, shared_pins
from structkin.model.parts import Link


def make_rack(draft: Draft, id: str, entry: RackEntry) -> Rack | None:
    """Return a pinion and its rack; None where what they need has mistakes of its own."""
    pinion, rack = (draft.links[link] for link in entry.links)
    ways = [
        (joint, link)
        for joint in draft.joints.values()
        if joint.kind == "P" and rack.name in joint.links
        for link in joint.links
        if link != rack.name and link != pinion.name
    ]
    found = [
        (joint.id, link, pin)
        for joint, link in ways
        if link in draft.link_entries and entry.carrier in (None, link)
        for pin in shared_pins(draft, link, pinion.name)
        if entry.center in (None, pin)
    ]
    if not found:
        entries = {f"joints.{name}": other for name, other in draft.joint_entries.items()}
        lost = [key for key in draft.unread if key.split(".")[0] == "joints"]
        if not draft.whole("links") or any(not isinstance(entries.get(key), MeshEntry) for key in lost):
            return None
        name = entry.carrier or "one link"
        raise Flaw(
            f"{name} has to hold '{pinion.name}' by a pin, and '{rack.name}' by a prismatic joint",
            "add the missing joint; carrier and center choose between several",
        )
    if len(found) > 1:
        shown = "; ".join(f"{link} (center {pin})" for _, link, pin in found)
        raise Flaw(f"has {len(found)} possible carriers: {shown}", "add carrier, center, or both")
    guide, carrier, center = draft.joints[found[0][0]], draft.links.get(found[0][1]), found[0][2]
    if not isinstance(guide, Prismatic) or carrier is None:
        return None
    along = guide.direction * draft.links[guide.carrier].direction
    place = draft.points[center]
    side, radius = _pitch_line(draft, entry, rack, place, along)
    # The pinion's lowest point, on the side of the rack, moves along the line: travel = lever times turn.
    lever = radius * (1j * side * along.conjugate()).real
    lever = lever if guide.slider == rack.name else -lever
    foot = place + radius * side
    reach = [((draft.points[point] - foot) * along.conjugate()).real for point in rack.points]
    first, last = min(-2 * radius, *reach), max(2 * radius, *reach)
    line = (into_frame(rack, foot + first * along), into_frame(rack, foot + last * along))
    ends = (pinion.local[center], None)
    return Rack(
        id, links=entry.links, centers=ends, radii=(radius, None), arm=carrier.name, guide=guide.id, lever=lever,
        line=line,
    )  # fmt: skip


def _pitch_line(draft: Draft, entry: RackEntry, rack: Link, place: complex, along: complex) -> tuple[complex, float]:
    """Return the unit direction from the pinion's centre to the pitch line, and the pitch radius."""
    if entry.along is not None:
        for point in entry.along:
            if point not in rack.local:
                raise Flaw(f"'{point}' of along is not on the rack '{rack.name}'", points_of(draft, rack.name))
        side, distance = beside(draft, entry.along, place)
        if abs((side * along.conjugate()).real) > 1e-3:
            raise Flaw("the pitch line is not parallel to the guide of the rack", "check along, and axis of the guide")
        side = 1j * along * (1 if (side * along.conjugate()).imag > 0 else -1)
        if entry.radius is not None and abs(entry.radius - distance) > APART * distance:
            raise Flaw(
                f"the pitch radius {draft.show_length(entry.radius)} contradicts the sketch: the pitch line is "
                f"{draft.show_length(distance)} from the centre",
                "leave one of radius and along out",
            )
        return side, entry.radius or distance
    if entry.radius is None:
        raise Flaw("has no pitch radius", "give radius, or along = two points of the rack on its pitch line")
    across = ((draft.points[rack.points[0]] - place) * along.conjugate()).imag
    if abs(across) < 1e-6 * entry.radius:
        raise Flaw(
            f"it is not clear on which side of the pinion '{rack.name}' runs: its first point is level with the centre",
            "give along = two points of the rack on its pitch line",
        )
    return 1j * along * (1 if across > 0 else -1), entry.radius
