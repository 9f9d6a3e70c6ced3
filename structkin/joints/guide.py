"""What the joints have in common in which a point of one link runs on a line of another."""

from __future__ import annotations

from dataclasses import dataclass

from structkin.joints.pair import Pair


@dataclass(frozen=True, kw_only=True)
class Guide(Pair):
    """A joint with a line: a prismatic joint, a straight slot, or a circle that rolls on a line.

    The line is fixed in `carrier`: through `origin` along the unit vector `direction`, both in the
    carrier's frame. The point `point`, in the frame of `slider`, moves along it at the constant distance
    `offset` [m] to the left. Its travel [m] is the coordinate along the line minus `start`, so that it is zero in the
    sketch. Between the links of a prismatic joint the orientation is constant: the slider's direction is
    `turn` (unit) times the carrier's; others have `turn = None`.
    """

    carrier: str
    slider: str
    origin: complex
    direction: complex
    point: complex
    offset: float = 0.0
    start: float = 0.0
    turn: complex | None = None
    at: complex  # where the symbol is drawn, in the sketch
