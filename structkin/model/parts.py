"""The parts of a mechanism beside its joints: link, drive, and what a driver law is.

Plane vectors are complex numbers x + iy here: turning by an angle is a multiplication by a unit number.
A link's frame has its origin in its first listed point and its x axis towards the second; the frame of
the ground, and of a link with one point, is parallel to the global axes in the sketch. Everything is in SI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body: its points in its own frame [m], and the frame's place in the sketch.

    `local[p]` is the place of point p in the link's frame. `origin` [m] and `direction` (unit) are the
    frame in the sketch pose; for the ground they are 0 and 1 and `local` holds global coordinates.
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
    """A driver's coordinate as a function of time."""

    @property
    def speed(self) -> float | None:
        """The constant rate [rad/s or m/s], or None where the rate varies."""

    @property
    def span(self) -> tuple[float, float] | None:
        """The interval of time [s] that the law is defined on, or None where it is not limited."""

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, rate and second rate at the times t (n,), each (n,), in SI."""

    def third(self, t: Floats) -> Floats:
        """Return the third rate at the times t (n,), in SI."""


@dataclass(frozen=True, slots=True)
class DriverCoordinate:
    """The geometry and the law of a driver; its topology is the `Driver` of the same id.

    `start` is the value of the coordinate in the sketch [rad or m]. For a distance driver `ends` holds
    the two points, each as (link, point name). `law` is None for a free coordinate. `stroke` is the least and the
    largest distance [m], None where a distance has no ends; that of a slide is its joint's.
    """

    id: str
    kind: str
    links: tuple[str, str]
    joint: str | None
    start: float
    law: Law | None
    ends: tuple[tuple[str, str], tuple[str, str]] | None = None
    stroke: tuple[float, float] | None = None


@dataclass(frozen=True)
class SketchPose:
    """A pose to be the sketch: points [m], origin [m] and direction of each link, the drivers' values [rad or m]."""

    points: Mapping[str, complex]
    frames: Mapping[str, tuple[complex, complex]]
    starts: Mapping[str, float]
