"""The circular slot, in which a pin slides about a centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.pair import Pair
from structkin.joints.row_writer import RowWriter
from structkin.rows.row import Row


@dataclass(frozen=True, kw_only=True)
class CircularSlot(Pair):
    """A pin in a slot along a circle about `center`, fixed in `carrier`, of a radius [m].

    The point `point` of `slider` runs on its middle line; both places are in the frames of their links.
    """

    kind: ClassVar[str] = "S"

    carrier: str
    slider: str
    center: complex
    point: complex
    radius: float

    @property
    def place(self) -> tuple[complex, str]:
        """The pin."""
        return self.point, self.slider

    def write(self, w: RowWriter) -> None:
        """Write that the pin keeps its distance from the centre, as a link without mass would."""
        tip, slider = w.tip(self)
        way = tip - w.point(self.carrier, self.center)
        square = Row.dot(way, way).plus(-(self.radius**2))
        w.add(self.id, "circular slot", (self.carrier, slider), 2 * self.radius * w.size, square)
