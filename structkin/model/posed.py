"""A mechanism with another sketch: the same parts and sizes, drawn in another pose."""

from __future__ import annotations

import cmath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from structkin.joints.guide import Guide
from structkin.joints.pair import Joints
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.parts import Drive

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


@dataclass(frozen=True)
class SketchPose:
    """A pose to be the sketch: points [m], origin [m] and direction of each link, the drivers' values [rad or m]."""

    points: Mapping[str, complex]
    frames: Mapping[str, tuple[complex, complex]]
    starts: Mapping[str, float]


def posed_parts(mechanism: Mechanism, pose: SketchPose) -> dict[str, Any]:
    """Return the attributes of a mechanism that a pose changes: points, links, joints, drives.

    Lengths and the zero of every travel stay what they were; the turns of wheels are counted from the new pose.
    """
    links = {
        name: replace(link, origin=pose.frames[name][0], direction=pose.frames[name][1])
        for name, link in mechanism.links.items()
    }
    joints: dict[str, Any] = dict(mechanism.joints)
    for id, guide in mechanism.joints.of(Guide).items():
        carrier = mechanism.links[guide.carrier]
        origin, direction = pose.frames[guide.carrier]
        joints[id] = replace(guide, at=origin + direction * (guide.at - carrier.origin) / carrier.direction)
    for id, mesh in mechanism.joints.of(TurnCoupling).items():
        if mesh.guide is not None:
            joints[id] = replace(joints[id], shift=_travel(mechanism.joints.of(Guide)[mesh.guide], pose))
    drives = {name: replace(drive, start=_start(mechanism, drive, pose)) for name, drive in mechanism.drives.items()}
    return {
        "points": MappingProxyType({**mechanism.points, **pose.points}),
        "links": MappingProxyType(links),
        "joints": Joints(joints.values()),
        "drives": MappingProxyType(drives),
    }


def _start(mechanism: Mechanism, drive: Drive, pose: SketchPose) -> float:
    """Return a driver's value in a pose; that of a driver which the pose does not know is read from it."""
    if drive.id in pose.starts:
        return pose.starts[drive.id]
    if drive.ends is not None:
        (_, a), (_, b) = drive.ends
        return abs(pose.points[b] - pose.points[a])
    if drive.kind == "slide" and drive.joint is not None:
        return _travel(mechanism.joints.of(Guide)[drive.joint], pose)
    first, second = ((pose.frames[link][1] if link in pose.frames else 1 + 0j) for link in drive.links)
    return cmath.phase(second / first)


def _travel(guide: Guide, pose: SketchPose) -> float:
    """Return the travel [m] of a guide in a pose."""
    (base, along), (origin, turn) = pose.frames[guide.carrier], pose.frames[guide.slider]
    way = origin + turn * guide.point - base - along * guide.origin
    return (way * (along * guide.direction).conjugate()).real - guide.start
