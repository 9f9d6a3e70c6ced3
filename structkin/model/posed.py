"""A mechanism with another sketch: the same parts and sizes, drawn in another pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


@dataclass(frozen=True)
class SketchPose:
    """A pose to be the sketch: points [m], origin [m] and direction of each link, the drivers' values [rad or m]."""

    points: Mapping[str, complex]
    frames: Mapping[str, tuple[complex, complex]]
    starts: Mapping[str, float]


def posed_parts(mechanism: Mechanism, pose: SketchPose) -> dict[str, Any]:
    """Return the attributes of a mechanism that a pose changes: points, links, guides, drives.

    Lengths and the zero of every travel stay what they were.
    """
    links = {
        name: replace(link, origin=pose.frames[name][0], direction=pose.frames[name][1])
        for name, link in mechanism.links.items()
    }
    guides = {}
    for name, guide in mechanism.guides.items():
        carrier = mechanism.links[guide.carrier]
        origin, direction = pose.frames[guide.carrier]
        guides[name] = replace(guide, at=origin + direction * (guide.at - carrier.origin) / carrier.direction)
    drives = {name: replace(drive, start=pose.starts[name]) for name, drive in mechanism.drives.items()}
    parts: dict[str, dict[str, Any]] = {
        "points": {**mechanism.points, **pose.points},
        "links": links,
        "guides": guides,
        "drives": drives,
    }
    return {name: MappingProxyType(part) for name, part in parts.items()}
