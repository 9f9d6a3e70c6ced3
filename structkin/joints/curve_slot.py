"""The curved slot: a spline, or a chain of lines and arcs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.joints.sliding import Sliding
from structkin.numerical_tolerances import ROUNDED_DATA
from structkin.rows.curves import Curve
from structkin.rows.plane_curve import PlaneCurve
from structkin.rows.relations import OnCurve
from structkin.types import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveSlot(Sliding, Pair):
    """A pin in a slot along a curve fixed in `carrier`: the point `point` of `slider` runs on it.

    Curve and point are in the frames of their links. The travel [m] is the arc length from `start`, the position of the
    pin in the sketch, and the stroke is from end to end; a closed slot has none, and its travel is within half its
    length.

    The signed distance of the pin from the nearest point of the curve is zero: one equation in the two frames, as for
    straight and circular slots, and the same row on lines and arcs. A curve parameter as an additional unknown would
    belong to no family of coordinates, and would need its own branch tracking.
    """

    kind: ClassVar[str] = "S"

    curve: PlaneCurve
    start: float

    @property
    def axes(self) -> tuple[complex, complex]:
        """The frame of the slotted link."""
        return 0j, self.direction

    def travel_at(self, x: Any, y: Any) -> Any:
        """Return the arc length [m] from the pin in the sketch to the nearest point; x, y may be complex."""
        travel = self.curve.travel(self.curve.foot(x, y)) - self.start
        if not self.curve.closed:
            return travel
        return travel - self.curve.length * np.round(np.real(travel) / self.curve.length)

    def gaps(self, poses: Poses) -> tuple[Floats]:
        """Return the distance of the pin from the nearest point of the curve."""
        vector = poses.at(self.slider, self.point) - poses.at(self.carrier, 0j)
        place = vector * np.conj(poses.along(self.carrier))
        x, y = self.curve.at(self.curve.foot(place.real, place.imag))[0]
        return (np.hypot(place.real - x, place.imag - y) / poses.size,)

    def write(self, w: RowWriter) -> None:
        """Write the pin's distance from the curve."""
        tip, slider = w.tip(self)
        vector = tip - w.point(self.carrier, 0j)
        row = Curve.of(OnCurve(self.curve), vector, w.along(self.carrier))
        w.add(self.id, "curved slot", (self.carrier, slider), w.size, row)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Warnings: between which segments the curvature jumps, so that the acceleration jumps; empty if nowhere."""
        breaks = self.curve.x.breaks
        count = len(breaks) - 1
        remarks = []
        for k in range(count if self.curve.closed else count - 1):
            after = (k + 1) % count
            curvatures = self.curve.curvature(k, breaks[k + 1] - breaks[k]), self.curve.curvature(after, 0.0)
            if abs(curvatures[1] - curvatures[0]) * self.curve.length > ROUNDED_DATA:
                between = f"between its segments {k + 1} and {after + 1}"
                remarks.append(f"{between} the curvature of the slot jumps, and with it the acceleration")
        return tuple(remarks)
