"""The curved slot, in which a pin slides along a spline, or a chain of lines and arcs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from structkin.joints.pair import Pair
from structkin.joints.row_writer import RowWriter
from structkin.rows.curves import Curve
from structkin.rows.plane_curve import PlaneCurve
from structkin.rows.relations import OnCurve

#: Curvatures times the length of a curve that differ by less than this do not jump.
SMOOTH = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveSlot(Pair):
    """A pin in a slot along a curve that is fixed in `carrier`: the point `point` of `slider` runs on it.

    Curve and point are in the frames of their links. The pin's signed distance from the curve, seen from the nearest
    place, is zero: one equation of the two frames, as for straight and circular slots, and the same row on lines and
    arcs. A parameter of the curve as a further unknown would be no coordinate of any family.
    """

    kind: ClassVar[str] = "S"

    carrier: str
    slider: str
    curve: PlaneCurve
    point: complex

    @property
    def place(self) -> tuple[complex, str]:
        """The pin."""
        return self.point, self.slider

    def write(self, w: RowWriter) -> None:
        """Write the pin's distance from the curve."""
        tip, slider = w.tip(self)
        way = tip - w.point(self.carrier, 0j)
        row = Curve.of(OnCurve(self.curve), way, w.along(self.carrier))
        w.add(self.id, "curved slot", (self.carrier, slider), w.size, row)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Between which segments the slot bends suddenly, which makes accelerations jump; empty if nowhere."""
        breaks = self.curve.x.breaks
        count = len(breaks) - 1
        remarks = []
        for k in range(count if self.curve.closed else count - 1):
            after = (k + 1) % count
            bends = self.curve.bend(k, breaks[k + 1] - breaks[k]), self.curve.bend(after, 0.0)
            if abs(bends[1] - bends[0]) * self.curve.length > SMOOTH:
                between = f"between its segments {k + 1} and {after + 1}"
                remarks.append(f"{between} the curvature of the slot jumps, and with it the acceleration")
        return tuple(remarks)
