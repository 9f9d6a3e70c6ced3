"""A mechanism with another sketch: the same parts and dimensions, drawn in another pose."""

from __future__ import annotations

import cmath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from structkin.joints.guide import Guide
from structkin.joints.pair import Joints
from structkin.model.parts import DriverCoordinate, Link, SketchPose
from structkin.model.topology import Driver, acting_at

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


def posed_parts(mechanism: Mechanism, pose: SketchPose) -> dict[str, Any]:
    """Return the attributes of a mechanism that a pose changes: places, links, joints, drivers.

    Lengths and the zero of every travel do not change; rotations of wheels are counted from the new pose.
    """
    links = {
        name: replace(link, origin=pose.frames[name][0], direction=pose.frames[name][1])
        for name, link in mechanism.links.items()
    }
    drives = {
        name: replace(drive, start=_start(mechanism, drive, pose, links)) for name, drive in mechanism.drivers.items()
    }
    return {
        "places": MappingProxyType({**mechanism.places, **pose.points}),
        "links": MappingProxyType(links),
        "joints": Joints(joint.posed(mechanism.links, links, mechanism.joints) for joint in mechanism.joints.values()),
        "drivers": MappingProxyType(drives),
    }


def driven_by(mechanism: Mechanism, drives: Sequence[DriverCoordinate]) -> Mechanism:
    """Return a mechanism with these drivers in place of its own; `posed` gives their values in the sketch.

    `source_dict` keeps the original drivers.
    """
    kept = {driver.id: driver for driver in mechanism.topology.drivers}
    drivers = tuple(kept.get(drive.id) or _driver(drive) for drive in drives)
    topology = replace(mechanism.topology, drivers=drivers)
    drives_of = MappingProxyType({drive.id: drive for drive in drives})
    return mechanism.with_parts({"topology": topology, "drivers": drives_of})


def _driver(drive: DriverCoordinate) -> Driver:
    at = acting_at(drive.links, [point for _, point in drive.ends]) if drive.ends else ()
    return Driver(drive.id, drive.kind, drive.links, drive.joint, at)


def _start(mechanism: Mechanism, drive: DriverCoordinate, pose: SketchPose, links: Mapping[str, Link]) -> float:
    """Return a driver's value in a pose; if the pose does not list the driver, compute it."""
    if drive.id in pose.starts:
        return pose.starts[drive.id]
    if drive.ends is not None:
        (_, a), (_, b) = drive.ends
        return abs(pose.points[b] - pose.points[a])
    if drive.kind == "slide" and drive.joint is not None:
        return mechanism.joints.of(Guide)[drive.joint].travel_in(links)
    first, second = ((pose.frames[link][1] if link in pose.frames else 1 + 0j) for link in drive.links)
    return cmath.phase(second / first)
