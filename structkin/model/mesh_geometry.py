"""What gears, racks and rolling contacts read from the sketch alike."""

from __future__ import annotations

from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.geometry import TINY
from structkin.model.parts import Link

#: How far the sum of two pitch radii may miss the sketched distance of the centres.
APART = 0.01


def shared_pins(draft: Draft, one: str, other: str) -> list[str]:
    """Return the pins that join two links."""
    mine = draft.link_entries[one].points
    return [point for point in mine if point in draft.link_entries[other].points]


def points_of(draft: Draft, link: str) -> str:
    """Return the points of a link, as a hint."""
    return f"its points: {', '.join(draft.links[link].local)}"


def beside(draft: Draft, along: tuple[str, str], place: complex) -> tuple[complex, float]:
    """Return unit direction and distance from a place to the line of two points in the sketch."""
    p, q = (draft.points[point] for point in along)
    if abs(q - p) <= TINY * (abs(p) + abs(q)):
        raise Flaw(f"'{along[0]}' and '{along[1]}' coincide in the sketch: no direction", "name two points of the line")
    way = (q - p) / abs(q - p)
    height = ((place - p) * way.conjugate()).imag
    if abs(height) <= TINY * abs(q - p):
        raise Flaw(f"the centre lies on the line {along[0]}-{along[1]} in the sketch", "draw it beside the line")
    return -1j * way if height > 0 else 1j * way, abs(height)


def into_frame(link: Link, place: complex) -> complex:
    """Return a place of the sketch in the frame of a link."""
    return link.direction.conjugate() * (place - link.origin)
