"""How well a motion closes: the gaps of all joints, from the links' frames and not from the equations solved."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.topology import Joint
from structkin.solve.motion.angles import wrapped
from structkin.solve.motion.cam import cam_motion
from structkin.solve.motion.geneva import geneva_motion
from structkin.solve.motion.motion import Motion
from structkin.solve.motion.moving_frames import MovingFrames, cross

Floats = NDArray[np.float64]


def residual(motion: Motion) -> Floats:
    """Return the largest gap of any joint (n,), relative to the mechanism's size.

    It is measured from the links' frames, not from the equations that were solved: coordinates of every pin from each
    of its links, each prismatic joint's distance and orientation, and how well the teeth of gears meet.
    """
    m, size, frames = motion.mechanism, motion.size, motion._frames
    gaps = [np.zeros(len(motion))]
    for joint in m.topology.joints:
        if joint.kind == "R":
            gaps += [gap / size for gap in _pin_gaps(frames, joint)]
    for guide in m.joints.of(Guide).values():
        gaps += _guide_gaps(frames, guide, size)
    gaps += [_mesh_gap(motion, frames, mesh) for mesh in m.joints.of(TurnCoupling).values()]
    gaps += [_arc_gap(frames, arc) / size for arc in m.joints.of(CircularSlot).values()]
    gaps += [np.abs(slot.curve.away(frames.in_slot(slot))) / size for slot in m.joints.of(CurveSlot).values()]
    gaps += [cam_motion(motion, joint).gap / size for joint in m.joints.of(Cam)]
    gaps += [geneva_motion(motion, joint).gap / size for joint in m.joints.of(Geneva)]
    gaps += [np.abs(np.hypot(*frames.direction(link).T) - 1) for link in m.links]
    return np.asarray(np.max(gaps, axis=0))


def _pin_gaps(frames: MovingFrames, joint: Joint) -> Iterator[Floats]:
    """Yield how far (n,) [m] a pin is on each of its other links from where it is on the first."""
    links = frames.mechanism.links
    first, *others = (frames.value(frames.frame(link).point(links[link].local[joint.id])) for link in joint.links)
    for place in others:
        yield np.asarray(np.hypot(*(place - first).T))


def _guide_gaps(frames: MovingFrames, guide: Guide, size: float) -> Iterator[Floats]:
    """Yield how far a slider is off its line, in sizes of the mechanism, and the sine of its turn against it."""
    along, way = frames.along_and_way(guide)
    yield np.abs(cross(frames.value(along), frames.value(way)) - guide.offset) / size
    if guide.turn is not None:
        held = frames.value(frames.frame(guide.carrier).direction * guide.turn)
        yield np.abs(cross(held, frames.direction(guide.slider)))


def _arc_gap(frames: MovingFrames, arc: CircularSlot) -> Floats:
    """Return how far (n,) [m] a pin is off its circular slot."""
    pin, center = frames.frame(arc.slider).point(arc.point), frames.frame(arc.carrier).point(arc.center)
    return np.asarray(np.abs(np.hypot(*frames.value(pin - center).T) - arc.radius))


def _mesh_gap(motion: Motion, frames: MovingFrames, mesh: TurnCoupling) -> Floats:
    """Return how far teeth are from meeting (n,), as a turn of the first link [rad]: whichever teeth they are."""
    first, second = (_turned(frames, link) for link in mesh.links)
    if mesh.guide is not None:
        return np.abs(wrapped(first - second - (motion.travel(mesh.guide) - mesh.shift) / mesh.lever))
    assert mesh.ratio is not None
    if mesh.arm is not None:
        carrier, apart = _turned(frames, mesh.arm), np.zeros(len(motion))
    else:
        links = motion.mechanism.links
        ends = [(link, center) for link, center in zip(mesh.links, mesh.centers, strict=True) if center is not None]
        a, b = (frames.value(frames.frame(link).point(center)) for link, center in ends)
        a0, b0 = (links[link].origin + links[link].direction * center for link, center in ends)
        carrier = np.arctan2(*(b - a).T[::-1]) - np.angle(b0 - a0)
        apart = np.abs(np.hypot(*(b - a).T) - mesh.reach) / motion.size
    teeth = Fraction(mesh.ratio).limit_denominator(10_000)
    if abs(float(teeth) - mesh.ratio) > 1e-15 * abs(mesh.ratio):
        return apart  # without a common number of teeth any turn could be a whole number of them
    p, q = teeth.numerator, teeth.denominator
    return np.maximum(apart, np.abs(wrapped(q * (first - carrier) - p * (second - carrier))) / q)


def _turned(frames: MovingFrames, link: str) -> Floats:
    """Return the turn of a link since the sketch (n,), but for whole turns."""
    x, y = frames.direction(link).T
    return np.asarray(np.arctan2(y, x) - np.angle(frames.mechanism.links[link].direction))
