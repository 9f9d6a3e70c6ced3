"""What the joints have in common that couple turns: gears, belts, racks and circles that roll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.pair import Pair


@dataclass(frozen=True, kw_only=True)
class TurnCoupling(Pair):
    """Two links whose turns are coupled: gears, pulleys under a belt, a pinion with its rack, a body that rolls.

    Turns are counted from the sketch, without whole turns lost. Either `ratio` is given: (turn of the first - turn of
    the arm) = ratio (turn of the second - turn of the arm), where the arm is the link that holds both
    centres, and for rolling circles (`arm` None) the line of their centres. Or `guide` is given, a prismatic joint
    or the rolling joint itself: its travel - shift = lever (turn of the first - turn of the second), lever in m per
    radian; `shift` [m] is its travel in the sketch, other than zero where a mechanism is posed anew.

    `centers` are places in the frames of the two links, `radii` those of the pitch circles [m]; a rack or a
    line has None instead. `line` holds the two ends of its pitch line, in its own frame. The sketch is in mesh.
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

    @property
    def reach(self) -> float:
        """The distance [m] of the centres of two circles that touch: from inside where they turn in one sense."""
        first, second = self.radii
        assert self.ratio is not None and second is not None
        return first + second if self.ratio < 0 else abs(first - second)
