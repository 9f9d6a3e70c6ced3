"""What the joints have in common in which a point of one link runs along a line of another: travel, and its ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar

from structkin.joints.lines import held_by
from structkin.joints.pair import Pair
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.stroke import check_stroke, read_stroke
from structkin.rows.affine import Affine, Frame


@dataclass(frozen=True, kw_only=True)
class Sliding(Pair):
    """A joint in which `point` of `slider` runs along a line of `carrier`, straight or curved.

    How far it has gone along the line since the sketch is its travel: a length [m], or an angle [rad] about a centre,
    as `measure` says. `stroke` is the least and the largest travel, None where the line has no ends. The travel is a
    function of the place (x, y) [m] of the point in axes of the carrier: their origin and the unit vector of x are the
    `axes`, in the carrier's frame.
    """

    measure: ClassVar[str] = "length"

    carrier: str
    slider: str
    point: complex
    direction: complex
    stroke: tuple[float, float] | None = None

    @property
    def axes(self) -> tuple[complex, complex]:
        """The origin and the unit vector of x of the axes in which the travel is told, in the carrier's frame."""
        raise NotImplementedError

    def along_and_way(self, frames: Mapping[str, Frame]) -> tuple[Affine, Affine]:
        """Return the unit vector of x, and the way from the origin of the axes to the point, for frames of links."""
        carrier, (origin, unit) = frames[self.carrier], self.axes
        return carrier.direction * unit, frames[self.slider].point(self.point) - carrier.point(origin)

    def travel_at(self, x: Any, y: Any) -> Any:
        """Return the travel where the point is at x, y, numbers or real arrays of one shape."""
        raise NotImplementedError

    def room(self, x: Any, y: Any) -> Any:
        """Return how far inside its stroke the point is: zero at both ends, negative beyond, at most about one.

        It is an analytic function of x and y, which may be complex: limits are found as its zeros.
        """
        assert self.stroke is not None
        return room(self.travel_at(x, y), self.stroke)

    def stroke_between(self, first: complex, second: complex) -> tuple[float, float]:
        """Return the stroke with ends at two places in the carrier's frame."""
        one, other = (self._travel_of(place) for place in (first, second))
        return (one, other) if one < other else (other, one)

    def _travel_of(self, place: complex) -> float:
        origin, unit = self.axes
        seen = (place - origin) * unit.conjugate()
        travel: float = self.travel_at(seen.real, seen.imag)
        return travel


def room(travel: Any, stroke: tuple[float, float]) -> Any:
    """Return how far inside a stroke a travel is: one in the middle, zero at both ends, negative beyond.

    >>> room(0.3, (0.0, 1.2)), room(1.2, (0.0, 1.2))
    (0.75, 0.0)
    """
    low, high = stroke
    return 4 * (travel - low) * (high - travel) / (high - low) ** 2


class WithEnds(Protocol):
    """An entry that may say where a line ends: by travels from the sketch, or by two points."""

    stroke: Any
    ends: tuple[str, str] | None


S = TypeVar("S", bound=Sliding)


def with_stroke(draft: Draft, entry: WithEnds, joint: S) -> S:
    """Return a joint with the stroke that its entry gives it; complain if it cannot be one."""
    key = f"joints.{joint.id}"
    if entry.stroke is not None and entry.ends is not None:
        draft.fault(key, "has both a stroke and ends", "keep one")
    elif entry.stroke is not None:
        stroke = draft.attempt(f"{key}.stroke", read_stroke, draft.units, entry.stroke, joint.measure)
        joint = _checked(draft, f"{key}.stroke", joint, stroke)
    elif entry.ends is not None and draft.has_points(f"{key}.ends", entry.ends):
        joint = _checked(
            draft, f"{key}.ends", joint, draft.attempt(f"{key}.ends", _by_points, draft, joint, entry.ends)
        )
    return joint


def _by_points(draft: Draft, joint: Sliding, ends: tuple[str, str]) -> tuple[float, float]:
    carrier = draft.links[joint.carrier]
    if ends[0] == ends[1]:
        raise Flaw(f"names the point '{ends[0]}' twice", "name the points at which the travel ends")
    for end in ends:
        if end not in carrier.local:
            held = held_by(draft.holders.get(end, []))
            raise Flaw(f"'{end}' is not a point of '{carrier.name}', which has the line", f"it {held}")
    return joint.stroke_between(*(carrier.local[end] for end in ends))


def _checked(draft: Draft, key: str, joint: S, stroke: tuple[float, float] | None) -> S:
    if stroke is None or draft.attempt(key, check_stroke, draft.units, stroke, joint.measure, 0.0) is None:
        return joint
    if joint.measure == "angle" and stroke[1] - stroke[0] >= 2 * math.pi:
        draft.fault(key, "goes round by a full turn", "leave it out: such a slot has no ends")
        return joint
    return replace(joint, stroke=stroke)
