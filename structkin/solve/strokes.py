"""The strokes of a mechanism along its motion: where a pin leaves its slot, or a cylinder is too short or too long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.joints.pair import Pair
from structkin.joints.sliding import Sliding, room
from structkin.model.parts import DriverCoordinate
from structkin.model.stroke import shown
from structkin.model.units import Units
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.rows.affine import Affine

#: The value (2, ...) of an expression of slots.
Value = Callable[[Affine], Any]


@dataclass(frozen=True)
class Stroke:
    """The bounds of a joint's travel or a driven distance: `ends` [m or rad], the least and the largest.

    `line` are the direction of a joint's line and the vector to its point, as expressions of the slots of a plan; a
    driver has none. `group` is the structural group that it belongs to.
    """

    id: str
    group: int
    ends: tuple[Any, Any]
    units: Units
    joint: Sliding | None = None
    line: tuple[Affine, Affine] | None = None

    def travel(self, value: Value, drivers: Mapping[str, Any]) -> Any:
        """Return the coordinate (...) that the stroke bounds, from the values of slots and drivers."""
        return drivers[self.id] if self.joint is None else self.joint.travel_at(*self._place(value))

    def room(self, value: Value, drivers: Mapping[str, Any]) -> Any:
        """Return how far inside the stroke it is (...), zero at both ends; analytic, as `Sliding.room`."""
        return room(drivers[self.id], self.ends) if self.joint is None else self.joint.room(*self._place(value))

    def side(self, value: Value, drivers: Mapping[str, Any]) -> NDArray[np.int8]:
        """Return -1 where it is below its least value (...), 1 above the largest, 0 within; NaN is within."""
        travel, (low, high) = self.travel(value, drivers), self.ends
        slack = EQUAL_DATA * (high - low)
        return np.asarray((travel > high + slack).astype(np.int8) - (travel < low - slack))

    def words(self, side: int) -> str:
        """Return an end in words: "the upper end of its stroke, 120 mm"."""
        kind = "length" if self.joint is None else self.joint.measure
        end = shown(self.units, self.ends[side > 0], kind)
        return f"the {'upper' if side > 0 else 'lower'} end of its stroke, {end}"

    def end_words(self, value: Value, drivers: Mapping[str, Any]) -> str:
        """Return which end it is at, in words: "ram at the upper end of its stroke, 120 mm"."""
        low, high = self.ends
        side = 1 if float(np.ravel(self.travel(value, drivers))[0]) > 0.5 * (low + high) else -1
        return f"{self.id} at {self.words(side)}"

    def _place(self, value: Value) -> tuple[Any, Any]:
        assert self.line is not None
        (a, b), (x, y) = (value(part) for part in self.line)
        return a * x + b * y, a * y - b * x


def strokes_of(
    joints: Mapping[str, Pair], drivers: Mapping[str, DriverCoordinate], plan: Plan, units: Units
) -> tuple[Stroke, ...]:
    """Return all strokes, in the order of the structural groups."""
    found = []
    for id, joint in joints.items():
        if isinstance(joint, Sliding) and joint.stroke is not None:
            found.append(
                Stroke(id, _group(plan, id), joint.stroke, units, joint, joint.direction_and_vector(plan.frames))
            )
    found += [
        Stroke(id, _group(plan, id), drive.stroke, units) for id, drive in drivers.items() if drive.stroke is not None
    ]
    return tuple(sorted(found, key=lambda stroke: stroke.group))


def _group(plan: Plan, id: str) -> int:
    """Return the group of a joint or driver; the last one where all its equations follow from others'."""
    groups = plan.structure.groups
    return next((group.index for group in groups if id in (*group.joints, *group.drivers)), len(groups) - 1)


def mark_beyond(
    status: NDArray[np.int8],
    group: NDArray[np.int32],
    strokes: tuple[Stroke, ...],
    sides: Mapping[str, NDArray[np.int8]],
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Return status and group (...) with regular samples beyond a stroke marked, at its group."""
    if not strokes:
        return status, group
    regular, status, group = status == Status.OK, status.copy(), group.copy()
    for stroke in reversed(strokes):
        beyond = regular & (sides[stroke.id] != 0)
        status[beyond], group[beyond] = Status.BEYOND_STROKE, stroke.group
    return status, group


def ends_passed(strokes: tuple[Stroke, ...], sides: Callable[[str], NDArray[np.int8]], part: slice) -> str:
    """Return which strokes samples are beyond, and at which end: "ram past the upper end of its stroke, 120 mm"."""
    found = [(stroke, side) for stroke in strokes for side in (-1, 1) if (sides(stroke.id)[part] == side).any()]
    return "; ".join(f"{stroke.id} past {stroke.words(side)}" for stroke, side in found)
