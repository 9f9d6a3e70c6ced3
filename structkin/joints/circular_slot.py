"""The circular slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.joints.sliding import Sliding
from structkin.rows.row import Row
from structkin.types import Floats


@dataclass(frozen=True, kw_only=True)
class CircularSlot(Sliding, Pair):
    """A pin in a slot along a circle about `center`, fixed in `carrier`, of a radius [m].

    The point `point` of `slider` runs on its centre line; each position is in the frame of its link. Its travel is the
    angle [rad] about the centre from `direction`, the position of the pin in the sketch.
    """

    kind: ClassVar[str] = "S"
    measure: ClassVar[str] = "angle"

    center: complex
    radius: float

    @property
    def axes(self) -> tuple[complex, complex]:
        """The centre, and the direction of the pin in the sketch."""
        return self.center, self.direction

    @property
    def around(self) -> tuple[complex, complex]:
        """The axes: the travel is the angle about the centre."""
        return self.axes

    def travel_at(self, x: Any, y: Any) -> Any:
        """Return the angle [rad] of the pin, within half a turn of the middle of the slot."""
        middle = 0.0 if self.stroke is None else 0.5 * (self.stroke[0] + self.stroke[1])
        c, s = np.cos(middle), np.sin(middle)
        return middle + np.arctan2(c * y - s * x, c * x + s * y)

    def room(self, x: Any, y: Any) -> Any:
        """Return how far the pin is inside its stroke, from the cosine of its angle to the middle of the slot."""
        assert self.stroke is not None
        low, high = self.stroke
        middle, edge = 0.5 * (low + high), np.cos(0.5 * (high - low))
        cosine = (np.cos(middle) * x + np.sin(middle) * y) / np.sqrt(x * x + y * y)
        return (cosine - edge) / (1 - edge)

    def stroke_between(self, first: complex, second: complex) -> tuple[float, float]:
        """Return the arc between two directions that contains the sketched pin; the shorter one if it is an end."""
        low, high = super().stroke_between(first, second)
        if low > 0:
            return high - 2 * np.pi, low
        return (high, low + 2 * np.pi) if high < 0 else (low, high)

    def gaps(self, poses: Poses) -> tuple[Floats]:
        """Return the distance of the pin from the centre line."""
        vector = poses.at(self.slider, self.point) - poses.at(self.carrier, self.center)
        return (np.abs(np.abs(vector) - self.radius) / poses.size,)

    def write(self, w: RowWriter) -> None:
        """Write that the pin keeps its distance from the centre, like a massless link."""
        tip, slider = w.tip(self)
        vector = tip - w.point(self.carrier, self.center)
        square = Row.dot(vector, vector).plus(-(self.radius**2))
        w.add(self.id, "circular slot", (self.carrier, slider), 2 * self.radius * w.size, square)
