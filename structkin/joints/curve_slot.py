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
from structkin.rows.periodic import TURN
from structkin.rows.plane_curve import PlaneCurve
from structkin.rows.relations import OnCurve
from structkin.types import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveSlot(Sliding, Pair):
    """A pin in a slot along a curve fixed in `carrier`: the point `point` of `slider` runs on it.

    Curve and point are in the frames of their links. The travel [m] is the arc length from `start`, the position of the
    pin in the sketch, and the stroke is from end to end. A closed slot has none: its travel goes on from lap to lap,
    and that of a place alone is within half its length.

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
        return travel - self.curve.length * self._nearest(travel) if self.curve.closed else travel

    def _nearest(self, travel: Any) -> Any:
        """Return the whole laps that bring a travel within half a lap."""
        return np.round(np.real(travel) / self.curve.length)

    @property
    def around(self) -> tuple[complex, complex] | None:
        """A place within a closed slot, and the x axis of the slotted link."""
        return (self._inside, 1 + 0j) if self.curve.closed else None

    def winding_at(self, x: Any, y: Any) -> Any:
        """Return the angle [rad] about `around` of the nearest point, where the travel is that of `travel_at`."""
        foot, (u, angle) = self.curve.foot(x, y), self._winding
        turns = np.floor(foot / TURN) - self._nearest(self.curve.travel(foot) - self.start)
        return np.interp(np.mod(foot, TURN), u, angle) + (angle[-1] - angle[0]) * turns

    @property
    def lap(self) -> float:
        """The length of a closed slot, negative if it goes round clockwise."""
        angle = self._winding[1]
        return self.curve.length * float(np.sign(angle[-1] - angle[0]))

    @cached_property
    def _inside(self) -> complex:
        """The middle of the widest part, inside a closed slot, of a line along x through its middle."""
        x, y = self.curve.table[1].T
        level = 0.5 * (y.min() + y.max())
        k = np.flatnonzero((y > level) != (np.roll(y, -1) > level))
        part = (level - y[k]) / (np.roll(y, -1)[k] - y[k])
        ends = np.sort(x[k] + part * (np.roll(x, -1)[k] - x[k])).reshape(-1, 2)
        return complex(ends[np.argmax(np.ptp(ends, axis=1))].mean(), level)

    @cached_property
    def _winding(self) -> tuple[Floats, Floats]:
        """Parameters (k,) of points of a closed slot, and their angles about `_inside`, over one lap."""
        u, places = self.curve.table
        x, y = np.vstack((places, places[:1])).T
        return np.append(u, TURN), np.unwrap(np.arctan2(y - self._inside.imag, x - self._inside.real))

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
