"""The ends of a joint's line in its entry: travels from the sketch, or two points."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

from structkin.joints.entry import SlidingEntry
from structkin.joints.lines import held_by
from structkin.joints.sliding import Sliding
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.stroke import check_stroke, read_stroke

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
