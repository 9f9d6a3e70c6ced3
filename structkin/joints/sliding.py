"""What joints with a point of one link on a line of another have in common: travel and stroke."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from structkin.joints.pair import Poses
from structkin.rows.affine import Affine, Frame
from structkin.types import Complexes, Floats


@dataclass(frozen=True, kw_only=True)
class Sliding:
    """Mixin for pairs in which `point` of `slider` runs along a line of `carrier`, straight or curved.

    Its travel is measured along the line from the sketch: a length [m], or an angle [rad] about a centre, as given by
    `measure`. `stroke` is the smallest and the largest travel, None if the line has no ends. The travel is a function
    of the coordinates (x, y) [m] of the point in axes of the carrier: `axes` is their origin and the unit vector of x,
    in the carrier's frame.
    """

    measure: ClassVar[str] = "length"

    carrier: str
    slider: str
    point: complex
    direction: complex
    stroke: tuple[float, float] | None = None

    @property
    def around(self) -> tuple[complex, complex] | None:
        """Axes about whose origin the point goes round in laps, as `axes`; None if it does not."""
        return None

    def winding_at(self, x: Any, y: Any) -> Any:
        """Return the angle [rad] of a point about the origin of `around`, as far as it is within a lap."""
        return self.travel_at(x, y)

    @property
    def lap(self) -> float:
        """What a turn counter-clockwise adds to the travel [m, or rad]."""
        return 2 * np.pi

    @property
    def place(self) -> tuple[complex, str]:
        """The sliding point, at which the joint force acts."""
        return self.point, self.slider

    @property
    def axes(self) -> tuple[complex, complex]:
        """Origin and unit x vector of the axes in which the travel is measured, in the carrier's frame."""
        raise NotImplementedError

    def direction_and_vector(
        self, frames: Mapping[str, Frame], axes: tuple[complex, complex] | None = None
    ) -> tuple[Affine, Affine]:
        """Return the unit x vector, and the vector from the origin of the axes to the point, for link frames."""
        carrier, (origin, unit) = frames[self.carrier], axes or self.axes
        return carrier.direction * unit, frames[self.slider].point(self.point) - carrier.point(origin)

    def travel_at(self, x: Any, y: Any) -> Any:
        """Return the travel of a point at x, y: numbers or real arrays of equal shape."""
        raise NotImplementedError

    def seen(self, poses: Poses) -> Complexes:
        """Return the coordinates x + iy (n,) [m] of the point in poses."""
        origin, unit = self.axes
        vector = poses.at(self.slider, self.point) - poses.at(self.carrier, origin)
        return np.asarray(np.conj(poses.along(self.carrier, unit)) * vector)

    def travel(self, poses: Poses) -> Floats:
        """Return the travel (n,) [m, or rad] in poses."""
        seen = self.seen(poses)
        return np.asarray(self.travel_at(seen.real, seen.imag))

    def room(self, x: Any, y: Any) -> Any:
        """Return how far inside its stroke the point is: zero at both ends, negative beyond, at most about one.

        It is an analytic function of x and y, which may be complex; limits are found as its zeros.
        """
        assert self.stroke is not None
        return room(self.travel_at(x, y), self.stroke)

    def stroke_between(self, first: complex, second: complex) -> tuple[float, float]:
        """Return the stroke with ends at two points in the carrier's frame."""
        one, other = (self._travel_of(place) for place in (first, second))
        return (one, other) if one < other else (other, one)

    def _travel_of(self, place: complex) -> float:
        origin, unit = self.axes
        seen = (place - origin) * unit.conjugate()
        travel: float = self.travel_at(seen.real, seen.imag)
        return travel


def room(travel: Any, stroke: tuple[float, float]) -> Any:
    """Return how far inside a stroke a travel is: one in the middle, zero at both ends, negative beyond.

    >>> room(0.5, (0.0, 2.0)), room(2.0, (0.0, 2.0))
    (0.75, 0.0)
    """
    low, high = stroke
    return 4 * (travel - low) * (high - travel) / (high - low) ** 2
