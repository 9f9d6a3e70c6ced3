"""The scene of a mechanism in kinematic symbols: joints, links, springs, points and drivers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from structkin.joints.guide import Guide
from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.numerical_tolerances import NEGLIGIBLE, VISIBLE
from structkin.show.interest import middle
from structkin.show.joint_symbols import symbol
from structkin.show.scene import Frame, Name, Placing, Scene
from structkin.show.style import DRIVER
from structkin.show.symbols import Sheet
from structkin.structure import KinematicStructure
from structkin.types import Complexes


def scene_of(mechanism: Mechanism, structure: KinematicStructure | None, poses: Poses, u: float) -> Scene:
    """Return the scene of a mechanism for these poses, with symbols of size `u` [m].

    The poses are those of a motion (`motion.poses`) or of the sketch (`sketch_poses`); slots and cylinders are made
    long enough for them. Links are coloured by group, or alike without a structure.
    """
    sheet = Sheet(mechanism, structure, poses, u)
    for joint in mechanism.joints.values():
        sheet.part = f"joint:{joint.id}"
        symbol(joint, sheet)
    for name in mechanism.topology.moving_links:
        sheet.part = f"link:{name}"
        sheet.body(name, _reached(sheet, name))
    for spring in mechanism.forces.springs.values():
        sheet.part = f"spring:{spring.id}"
        a, b = (_end(sheet, end) for end in spring.ends)
        # a spring with a damper stands beside it; a ram alone is a piston in a cup as well
        aside = 0.8 if spring.stiffness and spring.damping else 0.0
        if spring.stiffness:
            sheet.spring(a, b, sheet.part, aside)
        if spring.damping or not spring.stiffness:
            sheet.damper(a, b, f"damper:{spring.id}" if spring.stiffness else sheet.part, -aside)
    for drive in mechanism.drivers.values():
        sheet.pins |= {point for _, point in drive.ends or ()}
    _points(sheet)
    for drive in mechanism.drivers.values():
        sheet.part = f"driver:{drive.id}"
        sheet.names.append(Name(drive.id, *_drive(sheet, drive), DRIVER, "italic"))
    return Scene(tuple(sheet.shapes), tuple(sheet.names), u)


def sized_scene(
    mechanism: Mechanism, structure: KinematicStructure, poses: Poses, k: int = 0, paths: Iterable[Complexes] = ()
) -> Scene:
    """Return a scene with symbols sized to suit the mechanism in pose k and some paths [m]."""
    low, high = bounds(mechanism, structure, poses, k, paths)
    return scene_of(mechanism, structure, poses, symbol_size(mechanism, low, high))


def bounds(
    mechanism: Mechanism,
    structure: KinematicStructure | None,
    poses: Poses,
    k: int = 0,
    paths: Iterable[Complexes] = (),
) -> tuple[complex, complex]:
    """Return the lower left and upper right corner [m] of a mechanism in pose k and of some paths, without symbols."""
    bare = scene_of(mechanism, structure, poses, VISIBLE * poses.size)
    return Placing(poses).extent(bare.shapes, k, *paths)


def symbol_size(mechanism: Mechanism, low: complex, high: complex) -> float:
    """Return the size [m] of symbols in a picture from `low` to `high`: a fraction of it, less if links are short."""
    size = max((high - low).real, (high - low).imag)
    bars = [abs(place) for link in mechanism.links.values() for place in link.local.values() if abs(place) > 0]
    if not bars and size < 1e-4 * mechanism.units.length_scale:
        size = mechanism.units.length_scale  # a wheel on a single point has no extent: any size will do
    typical = float(np.median(bars)) if bars else size
    return float(np.clip(0.12 * typical, size / 110, size / 42))


def links_of(mechanism: Mechanism) -> dict[str, str]:
    """Return the link whose colour each point takes: the first moving link that has it, else the ground."""
    found: dict[str, str] = {}
    for name in (*mechanism.topology.moving_links, mechanism.topology.ground):
        for point in mechanism.links[name].local:
            found.setdefault(point, name)
    return found


def holder(poses: Poses, point: str, ground: str) -> str:
    """Return the link on which a point is drawn: the ground if it has the point, else the link known in most poses."""
    holders = poses.holders[point]
    known = {name: int(np.isfinite(poses.at(name, point)).sum()) for name in holders}
    return ground if ground in holders else max(holders, key=lambda name: known[name])


def _end(sheet: Sheet, end: tuple[str, str]) -> tuple[str, complex]:
    link, point = end
    return link, sheet.poses.links[link].local[point]


def _reached(sheet: Sheet, name: str) -> list[complex]:
    """Return the places that a link connects: points, blocks, slots, welds; none for a bare block or wheel."""
    link = sheet.poses.links[name]
    places = [link.local[point] for point in link.points]
    near = 0.2 * sheet.u

    def reach(new: complex) -> None:
        if all(abs(new - place) > near for place in places):
            places.append(new)

    for tied in sheet.ties[name]:
        reach(tied)
    centre = sum(places, 0j) / len(places) if places else 0j
    for a, b in sheet.travels[name]:
        along = (b - a) / abs(b - a) if b != a else 1.0
        reach(a + along * float(np.clip(((centre - a) / along).real, 0.0, abs(b - a))))
    return [] if len(places) == 1 and name in sheet.shown else places


def _points(sheet: Sheet) -> None:
    """Draw pins, ground pivots and other points, and name them."""
    pins = sheet.pins | {point for spring in sheet.mechanism.forces.springs.values() for _, point in spring.ends}
    joints = sheet.mechanism.joints
    carrier = links_of(sheet.mechanism)
    for name in (name for name in sheet.mechanism.places if name in carrier):
        sheet.part = f"joint:{name}" if name in joints else f"point:{name}"
        link = holder(sheet.poses, name, sheet.ground)
        place = sheet.poses.links[link].local[name]
        frame = Frame(link, place)
        if name in pins:
            if link == sheet.ground:
                sheet.pivot(place, f"pivot:{name}")
            sheet.pin(frame, f"pin:{name}")
        else:
            sheet.dot(frame, f"point:{name}", sheet.colour(carrier[name]))
        sheet.names.append(Name(name, frame, 0j))


def _drive(sheet: Sheet, drive: DriverCoordinate) -> tuple[Frame, complex]:
    """Draw a driver's symbol and return the place for its name."""
    id, u = f"driver:{drive.id}", sheet.u
    speed = drive.law.speed if drive.law is not None else None
    sense = int(np.sign(speed)) if speed else 0
    if drive.ends is not None:
        a, b = (_end(sheet, end) for end in drive.ends)
        sheet.cylinder(a, b, id)
        return Frame(*a, toward=b, stretch=1.0), 0.4 + 0j
    if drive.kind == "slide" and drive.joint is not None:
        guide = sheet.mechanism.joints.of(Guide)[drive.joint]
        along = complex(sheet.poses.along(guide.carrier, guide.direction)[0])
        # opposite to the hatching; the arrow points in the direction of positive travel
        across = 1j if (1j * along).imag > NEGLIGIBLE or abs(along.real) < NEGLIGIBLE < along.imag * -1 else -1j
        frame, place = Frame(guide.slider, guide.point, along=(guide.carrier, guide.direction)), 1.9 * u * across
        sheet.straight_arrow(frame, place - 2.0 * u, place + 2.0 * u, sense, id)
        return frame, place
    link = drive.links[1] if drive.links[1] != sheet.ground else drive.links[0]
    place = centre = middle(sheet.mechanism.links[link])
    if drive.joint is not None:
        place = sheet.poses.links[link].local[drive.joint]
    start = (centre - place) / abs(centre - place) if abs(centre - place) > NEGLIGIBLE * u else 1 + 0j
    frame = Frame(link, place, along=(link, start))
    return frame, sheet.turn_arrow(frame, sense, id)
