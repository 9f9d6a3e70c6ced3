"""What joints with a point of one link on a straight line of another have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from structkin.joints.pair import Pair, Poses
from structkin.joints.sliding import Sliding
from structkin.model.parts import Link
from structkin.rows.row import Row
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.joints.row_writer import RowWriter


@dataclass(frozen=True, kw_only=True)
class Guide(Sliding, Pair):
    """A joint with a straight line: a prismatic joint, a straight slot, or a circle rolling on a line.

    The line is fixed in `carrier`: through `origin` along the unit vector `direction`, both in the
    carrier's frame. The point `point`, in the frame of `slider`, moves along it at the constant distance
    `offset` [m] to the left. Its travel [m] is the coordinate along the line minus `start`, so that it is zero in the
    sketch. Between the links of a prismatic joint the orientation is constant: the slider's direction is
    `turn` (unit) times the carrier's; others have `turn = None`.
    """

    origin: complex
    offset: float = 0.0
    start: float = 0.0
    turn: complex | None = None
    at: complex  # where the symbol is drawn, in the sketch

    @property
    def axes(self) -> tuple[complex, complex]:
        """The origin and the direction of the line."""
        return self.origin, self.direction

    def travel_at(self, x: Any, y: Any) -> Any:
        """Return the travel [m] of the point at x along the line."""
        return x - self.start

    def write_across(self, w: RowWriter, equation: str = "across the guide") -> None:
        """Write that the slider's point keeps its distance from the line, unless the frames ensure it."""
        if not w.is_met(self.id):
            along, vector, links = w.line(self.id)
            w.add(self.id, equation, links, w.size, Row.cross(along, vector).plus(-self.offset))

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the distance of the slider's point from its line and, if its angle is held, how far that is off."""
        yield np.abs(self.seen(poses).imag - self.offset) / poses.size
        if self.turn is not None:
            # Not the sine of the error, which is zero for a slider that has turned around as well.
            yield np.abs(poses.along(self.slider) - poses.along(self.carrier, self.turn))

    def posed(self, before: Mapping[str, Link], after: Mapping[str, Link], joints: Mapping[str, Pair]) -> Self:
        """Move the symbol with the carrier."""
        old, new = before[self.carrier], after[self.carrier]
        return replace(self, at=new.origin + new.direction * (self.at - old.origin) / old.direction)

    def travel_in(self, links: Mapping[str, Link]) -> float:
        """Return the travel [m] in the sketch of these links."""
        base, slider = links[self.carrier], links[self.slider]
        vector = slider.origin + slider.direction * self.point - base.origin - base.direction * self.origin
        return (vector * (base.direction * self.direction).conjugate()).real - self.start
