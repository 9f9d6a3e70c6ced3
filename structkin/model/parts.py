"""The parts of a mechanism other than its joints: links, drivers, and driver laws.

Plane vectors are complex numbers x + iy here: a rotation is a multiplication by a unit number.
A link's frame has its origin at its first listed point and its x axis towards the second; the frame of
the ground, and of a link with one point, is parallel to the global axes in the sketch. Everything is in SI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from structkin.types import Floats


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body: its points in its own frame [m], and the pose of the frame in the sketch.

    `local[p]` is the position of point p in the link's frame. `origin` [m] and `direction` (unit) are the pose of
    the frame in the sketch; for the ground they are 0 and 1 and `local` holds global coordinates.
    """

    name: str
    points: tuple[str, ...]
    local: Mapping[str, complex]
    origin: complex = 0j
    direction: complex = 1 + 0j
    mass: float | None = None
    center: complex | None = None
    inertia: float | None = None


class Law(Protocol):
    """A driver coordinate as a function of time."""

    @property
    def speed(self) -> float | None:
        """The constant rate [rad/s or m/s], or None if the rate varies."""

    @property
    def span(self) -> tuple[float, float] | None:
        """The time interval [s] on which the law is defined, or None if it is unlimited."""

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, first and second time derivative at the times t (n,), each (n,), in SI."""

    def third(self, t: Floats) -> Floats:
        """Return the third time derivative at the times t (n,), in SI."""


@dataclass(frozen=True, slots=True)
class DriverCoordinate:
    """The geometry and the law of a driver; its topology is the `Driver` of the same id.

    `start` is the value of the coordinate in the sketch [rad or m]. For a distance driver `ends` holds
    the two points, each as (link, point name). `law` is None for a free coordinate. `stroke` is the smallest and the
    largest distance [m], None if it is unlimited; the stroke of a slide belongs to its joint.
    """

    id: str
    kind: str
    links: tuple[str, str]
    joint: str | None
    start: float
    law: Law | None
    ends: tuple[tuple[str, str], tuple[str, str]] | None = None
    stroke: tuple[float, float] | None = None

    @property
    def quantity(self) -> str:
        """What the coordinate is: "angle" or "length"."""
        return "angle" if self.kind == "angle" else "length"

    def unit(self, size: float) -> float:
        """Return a change of the coordinate that moves links about as far as all do: a radian, or a size [m]."""
        return 1.0 if self.kind == "angle" else size


@dataclass(frozen=True)
class SketchPose:
    """A pose that replaces the sketch: points [m], origin [m] and direction of each link, driver values [rad or m]."""

    points: Mapping[str, complex]
    frames: Mapping[str, tuple[complex, complex]]
    starts: Mapping[str, float]
