"""What all joints with a straight line read from the sketch and the file.

The ends of a line are travels from the sketch, or two points.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

from structkin.joints.entry import LineEntry, SlidingEntry
from structkin.joints.sliding import Sliding
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.parts import Link
from structkin.model.stroke import check_stroke, read_stroke
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
                "; ".join(f"'{point}' {held_by(draft.holders.get(point, []))}" for point in entry.along),
            )
        return False
    if abs(draft.points[p] - draft.points[q]) <= ROUNDING * (abs(draft.points[p]) + abs(draft.points[q])):
        draft.fault(f"{key}.along", f"'{p}' and '{q}' coincide in the sketch: no direction", "move one of them")
        return False
    return True


def _points_of(draft: Draft, link: str) -> tuple[str, ...]:
    entry = draft.link_entries.get(link)
    return () if entry is None else entry.points


def held_by(held: list[str]) -> str:
    """Return in words which links have a point."""
    return f"is on {', '.join(held)}" if held else "is on no link"


def into_frame(link: Link, place: complex) -> complex:
    """Return a position in the sketch in the frame of a link."""
    return link.direction.conjugate() * (place - link.origin)


S = TypeVar("S", bound=Sliding)


def with_stroke(draft: Draft, id: str, entry: SlidingEntry, joint: S) -> S:
    """Return a joint with the stroke of its entry; record an error if it is invalid."""
    key, stroke = f"joints.{id}", None
    if entry.stroke is not None and entry.ends is not None:
        draft.fault(key, "has both a stroke and ends", "keep one")
    elif entry.stroke is not None:
        stroke = draft.attempt(f"{key}.stroke", _by_travels, draft, joint, entry.stroke)
    elif entry.ends is not None and draft.has_points(f"{key}.ends", entry.ends):
        stroke = draft.attempt(f"{key}.ends", _by_points, draft, joint, entry.ends)
    return joint if stroke is None else replace(joint, stroke=stroke)


def _by_travels(draft: Draft, joint: Sliding, value: Any) -> tuple[float, float]:
    stroke = read_stroke(draft.units, value, joint.measure)
    if joint.measure == "angle" and stroke[1] - stroke[0] >= 2 * math.pi:
        raise Flaw("covers a full turn", "delete it: such a slot has no ends")
    hint = "it is measured from the sketch in both directions: [-40, 60]"
    return check_stroke(draft.units, stroke, joint.measure, 0.0, hint)


def _by_points(draft: Draft, joint: Sliding, ends: tuple[str, str]) -> tuple[float, float]:
    carrier = draft.links[joint.carrier]
    if ends[0] == ends[1]:
        raise Flaw(f"names the point '{ends[0]}' twice", "name the two ends of the travel")
    for end in ends:
        if end not in carrier.local:
            held = held_by(draft.holders.get(end, []))
            raise Flaw(f"'{end}' is not a point of '{carrier.name}', which has the line", f"it {held}")
    stroke = joint.stroke_between(*(carrier.local[end] for end in ends))
    return check_stroke(draft.units, stroke, joint.measure, 0.0)
