"""Links' frames and points over the samples of a motion: the meaning of names, and their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any, Literal

import numpy as np

from structkin.errors import InputError, Problem
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.plan.plan import Plan
from structkin.rows.affine import Affine, Frame
from structkin.solve.engine import Lanes
from structkin.types import Floats

#: What a name is that of: links have names of their own.
PartKind = Literal["point", "link"]


@dataclass(frozen=True)
class MovingFrames:
    """The links' frames as expressions of the slots of a plan, and the values of such expressions at n samples.

    Names that the mechanism does not have raise `InputError`.
    """

    mechanism: Mechanism
    plan: Plan
    lanes: Lanes

    # --- the meaning of names -----------------------------------------------------------------------------

    def frame(self, link: str) -> Frame:
        """Return the frame of a link."""
        if link not in self.plan.frames:
            raise self.unknown(link, "a link", self.plan.frames)
        return self.plan.frames[link]

    def place(self, point: str | complex, link: str | None = None) -> Affine:
        """Return a named point, or the place `x + yj` [m] in a link's own frame."""
        m = self.mechanism
        if isinstance(point, Number):
            if link is None:
                raise InputError([Problem("link", "a place in a link's frame needs its link", "pass link=")], m.title)
            if not np.isfinite(complex(point)):
                raise InputError([Problem("place", f"{point!r} is not finite", "x + yj in metres")], m.title)
            return self.frame(link).point(complex(point))
        if not isinstance(point, str):
            raise self.unknown(point, "a point: pass a name, or a place x + yj with link=", m.places)
        if link is None:
            if point in self.plan.pins:
                return self.plan.pins[point]
            if point not in m.places:
                raise self.unknown(point, "a point", m.places)
            link = m.link_of(point)
        frame = self.frame(link)
        if point not in m.links[link].local:
            raise self.unknown(point, f"a point of {link}", m.links[link].local)
        return frame.point(m.links[link].local[point])

    def point_or_link(
        self, name: str | complex, link: str | None = None, kind: PartKind | None = None
    ) -> tuple[str | None, Affine]:
        """Return (None, its place) for a point or a place in a link's frame, or (the link, its direction).

        A point and a link may have the same name: `kind` says which of them is meant.
        """
        m = self.mechanism
        if kind not in (None, "point", "link"):
            raise InputError([Problem("kind", f"{kind!r} is unknown", "known: point, link")], m.title)
        if kind == "link" and link is not None:
            raise InputError([Problem("link", "is that of a point, not of a link", "leave it out")], m.title)
        if kind == "link":
            return str(name), self.frame(str(name)).direction
        if kind == "point" or link is not None or isinstance(name, Number):
            return None, self.place(name, link)
        if not isinstance(name, str):
            raise self.unknown(name, "a point or link", (*m.points, *m.links))
        if name in m.places and name in m.links:
            hint = 'pass kind="point" or kind="link"'
            raise InputError([Problem(name, "is both a point and a link", hint)], m.title)
        if name in m.links:
            return name, self.frame(name).direction
        if name not in m.places:
            raise self.unknown(name, "a point or link", (*m.places, *m.links))
        return None, self.place(name)

    def guide(self, joint: str) -> Guide:
        """Return the guide of a prismatic joint or straight slot."""
        if joint not in self.mechanism.joints.of(Guide):
            raise self.unknown(joint, "a prismatic joint or slot", self.mechanism.joints.of(Guide))
        return self.mechanism.joints.of(Guide)[joint]

    def sliding(self, joint: str) -> Sliding:
        """Return a prismatic joint or slot, straight or not."""
        found = self.mechanism.joints.of(Sliding)
        if joint not in found:
            raise self.unknown(joint, "a prismatic joint or slot", found)
        return found[joint]

    def unknown(self, name: Any, what: str, known: Iterable[str]) -> InputError:
        """Return the error for a name that is not of the required kind."""
        hint = suggest(str(name), known)
        return InputError([Problem(str(name), f"is not {what}", hint)], self.mechanism.title or "mechanism")

    def direction_and_vector(
        self, joint: Sliding, axes: tuple[complex, complex] | None = None
    ) -> tuple[Affine, Affine]:
        """Return the x direction of a line's axes, or of others, and the vector from their origin to the point."""
        return joint.direction_and_vector(self.plan.frames, axes)

    # --- values -------------------------------------------------------------------------------------------

    def is_back(self, first: int, last: int, within: float) -> bool:
        """Return whether all links are at a sample where they are at another, within an angle or part of the size."""
        frames, size = self.plan.frames.values(), self.plan.size
        ways = [(frame.direction, 1.0) for frame in frames] + [(frame.origin, size) for frame in frames]
        found = ((self.value(way)[[first, last]], unit) for way, unit in ways)
        return all((np.abs(np.diff(values, axis=0)) < within * unit).all() for values, unit in found)

    def value(self, expression: Affine, order: int = 0) -> Floats:
        """Return an expression (n, 2), or its rate (order 1) or second rate (order 2)."""
        slots = self.lanes.x[order]
        values = np.empty((slots.shape[-1], 2))
        moving = expression if order == 0 else Affine(0j, expression.terms)
        values[:, 0], values[:, 1] = moving.components(lambda slot: slots[self.plan.rows(slot)])
        return values

    def direction(self, link: str, order: int = 0) -> Floats:
        """Return the unit direction (n, 2) of a link, or its rate or second rate."""
        return self.value(self.frame(link).direction, order)

    def angle(self, base: Affine, vector: Affine) -> Floats:
        """Return the angle (n,) of a vector seen from another one, in (-pi, pi]."""
        one, other = self.value(base), self.value(vector)
        return np.asarray(np.arctan2(cross(one, other), one[:, 0] * other[:, 0] + one[:, 1] * other[:, 1]))

    def scalar(self, expression: Affine) -> Floats:
        """Return a sum of scalar slots (n,)."""
        values = np.full(self.lanes.x.shape[-1], expression.const.real)
        for slot, factor in expression.terms:
            values += factor.real * self.lanes.x[0, self.plan.rows(slot).start]
        return values


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector product (n, ...) of vectors along the second axis."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
