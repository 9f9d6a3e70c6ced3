"""What joints that couple rotations have in common: gears, belts, racks and rolling contacts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from structkin.joints.entry import AnyJoint, JointEntry
from structkin.joints.guide import Guide
from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import Draft
from structkin.model.fields import TwoLinks
from structkin.model.flaw import Flaw
from structkin.model.parts import Link
from structkin.numerical_tolerances import LAST_DIGIT, ROUNDING
from structkin.rows.row import Row
from structkin.types import Floats

#: Relative tolerance of the sum of two pitch radii on the sketched centre distance.
APART = 0.01


@dataclass(frozen=True, kw_only=True)
class TurnCoupling(Pair):
    """Two links with coupled rotations: gears, pulleys with a belt, a pinion with its rack, a rolling body.

    Rotations are counted from the sketch, including full turns. Either `ratio` is given: (rotation of the first -
    rotation of the arm) = ratio (rotation of the second - rotation of the arm), where the arm is the link that holds
    both centres or, for rolling circles (`arm` None), the line of centres. Or `guide` is given, a prismatic joint or
    the rolling joint itself: its travel - shift = lever (rotation of the first - rotation of the second), lever in m
    per radian; `shift` [m] is its travel in the sketch, nonzero after a mechanism has been posed again.

    `centers` are positions in the frames of the two links, `radii` those of the pitch circles [m]; a rack or a line
    has None instead. `line` is the two ends of its pitch line, in its frame. The sketch is in mesh.
    """

    type: ClassVar[str]

    links: tuple[str, str]
    centers: tuple[complex, complex | None]
    radii: tuple[float, float | None]
    ratio: float | None = None
    arm: str | None = None
    guide: str | None = None
    lever: float = 0.0
    line: tuple[complex, complex] | None = None
    shift: float = 0.0

    counts_turns: ClassVar[bool] = True

    def posed(self, before: Mapping[str, Link], after: Mapping[str, Link], joints: Mapping[str, Pair]) -> Self:
        """Count rotations from the new sketch, in which the travel differs."""
        posed = super().posed(before, after, joints)
        if self.guide is None:
            return posed
        guide = joints[self.guide]
        assert isinstance(guide, Guide)
        return replace(posed, shift=guide.travel_in(after))

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the meshing error as an angle of the first link, modulo one tooth."""
        first, second = (poses.turned(link) for link in self.links)
        if self.guide is not None:
            travel = poses.joints[self.guide].travel(poses) - self.shift
            yield np.abs(_wrapped(first - second - travel / self.lever))
            return
        assert self.ratio is not None
        teeth = Fraction(self.ratio).limit_denominator(10_000)
        # Without integer numbers of teeth, an error modulo one tooth has no meaning.
        if abs(float(teeth) - self.ratio) <= LAST_DIGIT * abs(self.ratio):
            carrier = self.carrier_turned(poses)
            p, q = teeth.numerator, teeth.denominator
            yield np.abs(_wrapped(q * (first - carrier) - p * (second - carrier))) / q

    def carrier_turned(self, poses: Poses) -> Floats:
        """Return the rotation (n,) from the sketch of the carrier of the centres, modulo full turns."""
        assert self.arm is not None
        return poses.turned(self.arm)

    @property
    def reach(self) -> float:
        """The centre distance [m] of two circles in contact: internal if they turn in the same sense."""
        first, second = self.radii
        assert self.ratio is not None and second is not None
        return first + second if self.ratio < 0 else abs(first - second)

    @property
    def turn_factors(self) -> dict[str, float]:
        """The factors, by link, in t_1 - r t_2 + (r - 1) t_c = 0 (Willis), the arm's last; empty without an arm."""
        if self.ratio is None or self.arm is None:
            return {}
        factors = dict.fromkeys((*self.links, self.arm), 0.0)
        for link, factor in zip((*self.links, self.arm), (1.0, -self.ratio, self.ratio - 1.0), strict=True):
            factors[link] += factor
        return factors

    def write(self, w: RowWriter) -> None:
        """Write t_1 - r t_2 + (r - 1) t_c = 0 for the rotations of both links and their arm (Willis)."""
        factors = self.turn_factors
        w.add(self.id, f"{self.type} ratio", tuple(factors), max(map(abs, factors.values())), w.turns(factors))

    def write_travel(self, w: RowWriter, guide: Guide) -> None:
        """Write that the travel of a guide is the lever times the rotation of the first link relative to the second."""
        along, vector, ends = w.line(guide.id)
        links = tuple(dict.fromkeys((*ends, *self.links)))
        first, second = self.links
        travel = Row.dot(along, vector).plus(-guide.start - self.shift)
        row = travel + w.turns({first: -self.lever, second: self.lever})
        w.add(self.id, "travel by turn", links, w.size, row)


def _wrapped(angle: Floats) -> Floats:
    """Return angles wrapped to (-pi, pi]."""
    return np.asarray(np.angle(np.exp(1j * angle)))


class CouplingEntry(JointEntry):
    """An entry of two links with coupled rotations."""

    order: ClassVar[int] = 2

    links: TwoLinks

    def make(self, draft: Draft, id: str) -> AnyJoint | None:
        """Check the keys common to all couplings, then return the joint made by `couple`."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(self.links)]
        if self.links[0] == self.links[1]:
            raise Flaw(f"joins the link '{self.links[0]}' to itself", "name two links")
        carrier = getattr(self, "carrier", None)
        if carrier is not None:
            known.append(draft.has_link(f"{key}.carrier", carrier))
            if carrier in self.links:
                raise Flaw(f"the carrier '{carrier}' is one of the two links", "name the link that holds both centres")
        points = [*(getattr(self, "along", None) or ()), *(getattr(self, "centers", None) or ())]
        points += [point for point in (getattr(self, "center", None),) if point is not None]
        known += [draft.has_point(key, point) for point in dict.fromkeys(points)]
        unread = any(problem.key.startswith(f"{key}.") for problem in draft.problems)
        if unread or not all(known) or any(link not in draft.links for link in self.links):
            return None
        return self.couple(draft, id)

    @abstractmethod
    def couple(self, draft: Draft, id: str) -> TurnCoupling | None:
        """Return the joint; None if a part it needs has errors; raise `Flaw`."""


def shared_pins(draft: Draft, one: str, other: str) -> list[str]:
    """Return the pins that join two links."""
    mine = draft.link_entries[one].points
    return [point for point in mine if point in draft.link_entries[other].points]


def points_of(draft: Draft, link: str) -> str:
    """Return the points of a link, as a hint."""
    return f"its points: {', '.join(draft.links[link].local)}"


def beside(draft: Draft, along: tuple[str, str], place: complex) -> tuple[complex, float]:
    """Return unit direction and distance from a position to the line through two points in the sketch."""
    p, q = (draft.points[point] for point in along)
    if abs(q - p) <= ROUNDING * (abs(p) + abs(q)):
        raise Flaw(f"'{along[0]}' and '{along[1]}' coincide in the sketch: no direction", "name two points of the line")
    direction = (q - p) / abs(q - p)
    height = ((place - p) * direction.conjugate()).imag
    if abs(height) <= ROUNDING * abs(q - p):
        raise Flaw(f"in the sketch the centre lies on the line {along[0]}-{along[1]}", "draw it off the line")
    return -1j * direction if height > 0 else 1j * direction, abs(height)
