"""How an entry says where the line of its joint ends: by travels from the sketch, or by two points."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from structkin.joints.lines import held_by
from structkin.joints.sliding import Sliding
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.stroke import check_stroke, read_stroke


class WithEnds(Protocol):
    """An entry that may say where a line ends: by travels from the sketch, or by two points."""

    stroke: Any
    ends: tuple[str, str] | None


S = TypeVar("S", bound=Sliding)


def with_stroke(draft: Draft, id: str, entry: WithEnds, joint: S) -> S:
    """Return a joint with the stroke that its entry gives it; complain if it cannot be one."""
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
        raise Flaw("goes round by a full turn", "leave it out: such a slot has no ends")
    hint = "it is measured from the sketch, back and forth: [-40, 60]"
    return check_stroke(draft.units, stroke, joint.measure, 0.0, hint)


def _by_points(draft: Draft, joint: Sliding, ends: tuple[str, str]) -> tuple[float, float]:
    carrier = draft.links[joint.carrier]
    if ends[0] == ends[1]:
        raise Flaw(f"names the point '{ends[0]}' twice", "name the points at which the travel ends")
    for end in ends:
        if end not in carrier.local:
            held = held_by(draft.holders.get(end, []))
            raise Flaw(f"'{end}' is not a point of '{carrier.name}', which has the line", f"it {held}")
    stroke = joint.stroke_between(*(carrier.local[end] for end in ends))
    return check_stroke(draft.units, stroke, joint.measure, 0.0)
