"""What all joints with a straight line read from the sketch."""

from __future__ import annotations

from structkin.joints.entry import LineEntry
from structkin.model.draft import Draft
from structkin.model.parts import Link
from structkin.numerical_tolerances import ROUNDING

#: How far from its line a point may be sketched, as a fraction of the line's length.
SLOPPY = 0.1


def check_line(draft: Draft, key: str, entry: LineEntry, holders: list[str]) -> bool:
    """Return whether the line of a guide is defined; record an error if not."""
    if (entry.axis is None) == (entry.along is None):
        if entry.axis is not None:
            draft.fault(key, "has both an axis and along", "keep one of them")
        elif not any(problem.key in (f"{key}.axis", f"{key}.along") for problem in draft.problems):
            draft.fault(key, "has no direction", 'give axis = [1, 0], or along = ["P", "Q"]')
        return False
    if entry.along is None:
        return True
    p, q = entry.along
    if p == q:
        draft.fault(f"{key}.along", f"names the point '{p}' twice", "name two points of one link")
        return False
    if not draft.has_points(f"{key}.along", entry.along):
        return False
    links = [link for link in holders if p in _points_of(draft, link) and q in _points_of(draft, link)]
    if not links:
        if all(link in draft.link_entries for link in holders):
            draft.fault(
                f"{key}.along",
                f"'{p}' and '{q}' are not both on {' or on '.join(holders)}",
                f"{_where(draft, entry.along)}",
            )
        return False
    if abs(draft.points[p] - draft.points[q]) <= ROUNDING * (abs(draft.points[p]) + abs(draft.points[q])):
        draft.fault(f"{key}.along", f"'{p}' and '{q}' coincide in the sketch: no direction", "move one of them")
        return False
    return True


def _points_of(draft: Draft, link: str) -> tuple[str, ...]:
    entry = draft.link_entries.get(link)
    return () if entry is None else entry.points


def _where(draft: Draft, points: tuple[str, ...]) -> str:
    return "; ".join(f"'{point}' {held_by(draft.holders.get(point, []))}" for point in points)


def held_by(held: list[str]) -> str:
    """Return in words which links have a point."""
    return f"is on {', '.join(held)}" if held else "is on no link"


def into_frame(link: Link, place: complex) -> complex:
    """Return a position in the sketch in the frame of a link."""
    return link.direction.conjugate() * (place - link.origin)
