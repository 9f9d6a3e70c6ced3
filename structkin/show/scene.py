"""A scene: shapes, each fixed to a frame that moves with the mechanism; built once and drawn in any pose.

Vertices are complex numbers x + iy [m] in the frame of their shape. What draws a scene, matplotlib or a browser, knows
shapes and frames but no kinds of joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.joints.pair import Poses
from structkin.types import Complexes, Flags, Floats


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame with its origin at a place of a link [m]; by default it is that link's own frame.

    Its x axis is that of the link, or points `along` a unit direction of a link, or `toward` a place of a link. With
    `stretch` [m], the shape was drawn for that distance to the place, and is scaled along x as the distance changes.
    """

    link: str
    at: complex = 0j
    along: tuple[str, complex] | None = None
    toward: tuple[str, complex] | None = None
    stretch: float | None = None

    def on(self, poses: Poses) -> tuple[Complexes, Complexes, Floats]:
        """Return the origin [m], the unit direction and the scale along x, each (n,); NaN where unknown."""
        origin = poses.at(self.link, self.at)
        if self.toward is None:
            link, unit = self.along or (self.link, 1 + 0j)
            return origin, poses.along(link, unit), np.ones(len(origin))
        line = poses.at(*self.toward) - origin
        distance = np.abs(line)
        with np.errstate(invalid="ignore"):
            return origin, line / distance, distance / self.stretch if self.stretch else np.ones(len(origin))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A polyline, a polygon (`closed`), or with a `radius` [m] a circle about its only vertex.

    NaN among the vertices breaks a line. `part` names the part of the mechanism it belongs to, such as "link:crank";
    `width` is in points, `dash` in multiples of it; shapes with a higher `layer` are drawn over the others.
    """

    id: str
    part: str
    frame: Frame
    z: Complexes
    radius: float | None = None
    closed: bool = False
    fill: str | None = None
    stroke: str
    width: float
    dash: tuple[float, ...] = ()
    layer: float


@dataclass(frozen=True, slots=True)
class Name:
    """A name to write near a place [m] of a frame."""

    text: str
    frame: Frame
    z: complex
    colour: str = "black"
    style: str = "normal"


@dataclass(frozen=True)
class Scene:
    """The shapes and names of a mechanism; `u` [m] is the size of its symbols: the radius of a pin is 0.45 u."""

    shapes: tuple[Shape, ...]
    names: tuple[Name, ...]
    u: float


def outer(corners: Iterable[tuple[complex, complex]]) -> tuple[complex, complex]:
    """Return the lower left and upper right corner of what pairs of corners span together."""
    low, high = np.array(list(corners)).T
    return complex(low.real.min(), low.imag.min()), complex(high.real.max(), high.imag.max())


class Placing:
    """The positions of a scene's shapes in the poses of a mechanism, in units of `scale` [m].

    >>> place = np.exp(1j * np.array([0.0, np.pi / 2]))
    >>> poses = Poses({}, {}, {"crank": (np.zeros(2) + 0j, place)}, 1.0)
    >>> Placing(poses, 0.001).of(Frame("crank"), np.array([0.002 + 0j]), 1).round(12)
    array([0.+2.j])
    """

    def __init__(self, poses: Poses, scale: float = 1.0) -> None:
        """Keep the poses and the scale."""
        self.poses, self.scale = poses, scale
        self._on: dict[Frame, tuple[Complexes, Complexes, Floats]] = {}

    def of(self, frame: Frame, z: Any, k: int) -> Any:
        """Return places z [m] of a frame in pose k; NaN if the frame is unknown."""
        if frame not in self._on:
            self._on[frame] = frame.on(self.poses)
        origin, unit, stretch = (values[k] for values in self._on[frame])
        return (origin + unit * (stretch * z.real + 1j * z.imag)) / self.scale

    def known(self, frame: Frame) -> Flags:
        """Return whether a frame is known, for each pose (n,)."""
        self.of(frame, 0j, 0)
        origin, unit, _ = self._on[frame]
        return np.asarray(np.isfinite(origin + unit))

    def extent(self, shapes: Iterable[Shape], k: int, *more: Complexes) -> tuple[complex, complex]:
        """Return the lower left and upper right corner of shapes in pose k and of more places; never of size zero."""
        parts = [*more]
        for shape in shapes:
            z = self.of(shape.frame, shape.z, k)
            reach = (shape.radius or 0.0) / self.scale
            parts += [z - reach * (1 + 1j), z + reach * (1 + 1j)]
        z = np.concatenate([np.zeros(0, np.complex128), *parts])
        z = z[np.isfinite(z)]
        if not len(z):
            return 0j, 1 + 1j
        low, high = complex(z.real.min(), z.imag.min()), complex(z.real.max(), z.imag.max())
        return (low, high) if high != low else (low - 0.5 - 0.5j, high + 0.5 + 0.5j)
