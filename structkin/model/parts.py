"""The parts of a mechanism: link, guide, drive, and what a driver law is.

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


@dataclass(frozen=True, slots=True)
class Guide:
    """The line of a prismatic joint or of a slot.

    The line is fixed in `carrier`: through `origin` along the unit vector `direction`, both in the
    carrier's frame. The point `point`, in the frame of `slider`, moves along it at the constant distance
    `offset` [m] to the left. Its travel [m] is the coordinate along the line minus `start`, so that it is zero in the
    sketch. Between the links of a prismatic joint the orientation is constant: the slider's direction is
    `turn` (unit) times the carrier's; a slot has `turn = None`.
    """

    joint: str
    carrier: str
    slider: str
    origin: complex
    direction: complex
    point: complex
    offset: float
    start: float
    turn: complex | None
    at: complex = 0j  # where the symbol is drawn, in the sketch


@dataclass(frozen=True, slots=True)
class Mesh:
    """Two links whose turns are coupled: gears, pulleys under a belt, a pinion with its rack, a body that rolls.

    Turns are counted from the sketch, without whole turns lost. Either `ratio` is given: (turn of the first - turn of
    the carrier) = ratio (turn of the second - turn of the carrier), where the carrier is the link that holds both
    centres, and for rolling circles (`carrier` None) the line of their centres. Or `guide` is given, a prismatic joint
    or the rolling joint itself: its travel - shift = lever (turn of the first - turn of the second), lever in m per
    radian; `shift` [m] is its travel in the sketch, other than zero where a mechanism is posed anew.

    `centers` are places in the frames of the two links, `radii` those of the pitch circles [m]; a rack or a
    line has None instead. `line` holds the two ends of its pitch line, in its own frame. The sketch is in mesh.
    """

    joint: str
    type: str
    links: tuple[str, str]
    centers: tuple[complex, complex | None]
    radii: tuple[float, float | None]
    ratio: float | None = None
    carrier: str | None = None
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


@dataclass(frozen=True, slots=True)
class Arc:
    """The middle line of a circular slot: a circle about `center`, fixed in `carrier`, of a radius [m].

    The point `point` of `slider` runs on it; both places are in the frames of their links.
    """

    joint: str
    carrier: str
    slider: str
    center: complex
    point: complex
    radius: float


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
class Drive:
    """The geometry and the law of a driver; its topology is the `Driver` of the same id.

    `start` is the value of the coordinate in the sketch [rad or m]. For a distance driver `ends` holds
    the two points, each as (link, point name). `law` is None for a free coordinate.
    """

    id: str
    kind: str
    links: tuple[str, str]
    joint: str | None
    start: float
    law: Law | None
    ends: tuple[tuple[str, str], tuple[str, str]] | None = None
