"""Where everything is in one pose, and along the whole motion, in units of the picture.

Plane vectors are complex numbers x + iy, as in the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.model.mechanism import Mechanism
from structkin.solve import Motion

Path = NDArray[np.complex128]

#: Chords by which a curved slot is drawn.
SLOT_PLACES = 180


@dataclass(frozen=True)
class Pose:
    """One pose: the named points, and of each link the origin and direction of its frame; NaN where not known.

    `scale` [m] is the picture's unit of length; `ranges[joint]` the way along a guide, from the guide's origin;
    `turns[joint]` the angles [rad] of the pin in a circular slot, in the frame of its link. They are the ends of its
    stroke, or where it has none, as far as the point goes.
    """

    scale: float
    points: Mapping[str, complex]
    frames: Mapping[str, tuple[complex, complex]]
    ranges: Mapping[str, tuple[float, float]]
    turns: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, link: str, place: Any) -> Any:
        """Return where a place [m] in a link's frame is."""
        origin, direction = self.frames[link]
        return origin + direction * place / self.scale

    def block(self, guide: Guide) -> complex:
        """Return where the sliding point of a guide is."""
        return complex(self.at(guide.slider, guide.point))

    def along(self, guide: Guide) -> complex:
        """Return the unit direction of a guide."""
        return self.frames[guide.carrier][1] * guide.direction

    def way(self, guide: Guide) -> tuple[complex, complex]:
        """Return the first and last place that the sliding point takes on its carrier."""
        low, high = self.ranges[guide.id]
        start = self.at(guide.carrier, guide.origin + 1j * guide.direction * guide.offset)
        along = self.along(guide)
        return start + low * along, start + high * along


def profile_of(pose: Pose, cam: Cam) -> Path:
    """Return the closed profile of a cam where it stands."""
    x, y = cam.profile().T
    return np.asarray(pose.at(cam.cam, x + 1j * y))


def slot_of(pose: Pose, slot: CurveSlot) -> Path:
    """Return the middle line of a curved slot where it stands."""
    return np.asarray(pose.at(slot.carrier, slot.curve.places(SLOT_PLACES)))


def wheel_of(pose: Pose, mechanism: Mechanism, geneva: Geneva) -> Path:
    """Return the closed outline of a Geneva wheel where it stands."""
    pivot = mechanism.links[geneva.wheel].local[geneva.pivot]
    return np.asarray(pose.at(geneva.wheel, pivot + geneva.outline()))


def sketch_pose(mechanism: Mechanism, scale: float) -> Pose:
    """Return the pose of the sketch."""
    held = {point for link in mechanism.links.values() for point in link.local}
    points = {name: place / scale for name, place in mechanism.places.items() if name in held}
    frames = {name: (link.origin / scale, link.direction) for name, link in mechanism.links.items()}
    pose = Pose(scale, points, frames, {})
    ranges = {}
    for joint, guide in mechanism.joints.of(Guide).items():
        way = (pose.block(guide) - pose.at(guide.carrier, guide.origin)) / pose.along(guide)
        ranges[joint] = _ends(guide, guide.start / scale, scale) or (way.real, way.real)
    turns = {}
    for joint, arc in mechanism.joints.of(CircularSlot).items():
        arm = (pose.at(arc.slider, arc.point) - pose.at(arc.carrier, arc.center)) / frames[arc.carrier][1]
        turns[joint] = _ends(arc, float(np.angle(arc.direction))) or (float(np.angle(arm)),) * 2
    return Pose(scale, points, frames, ranges, turns)


def motion_pose(motion: Motion, sample: int, scale: float) -> Pose:
    """Return the pose at a sample; `InputError` where there is no such sample."""
    if not -len(motion) <= sample < len(motion):
        raise InputError([Problem("sample", f"there is no sample {sample}", f"0 to {len(motion) - 1}")], "picture")
    m = motion.mechanism

    def at(place: str | complex, link: str | None = None) -> complex:
        x, y = motion.position(place, link)[sample].tolist()
        return complex(x, y) / scale

    held = {point for link in m.links.values() for point in link.local}
    points = {name: at(name) for name in m.places if name in held}
    frames = {}
    for name in m.links:
        origin = at(0j, name)
        # a unit of the picture away: no digits are lost
        frames[name] = (origin, at(complex(scale), name) - origin)
    ranges = {}
    for joint, guide in m.joints.of(Guide).items():
        way = (motion.travel(joint) + guide.start) / scale
        good = way[np.isfinite(way)]
        ranges[joint] = _ends(guide, guide.start / scale, scale) or _span(good)
    turns = {}
    for joint, arc in m.joints.of(CircularSlot).items():
        x, y = (motion.position(arc.point, arc.slider) - motion.position(arc.center, arc.carrier)).T
        axis = motion.position(arc.center + 1, arc.carrier) - motion.position(arc.center, arc.carrier)
        arms = (x + 1j * y) * (axis @ np.array([1, -1j]))
        angles = np.unwrap(np.angle(arms[np.isfinite(arms)]))
        turns[joint] = _ends(arc, float(np.angle(arc.direction))) or _span(angles)
    return Pose(scale, points, frames, ranges, turns)


def _ends(joint: Sliding, start: float, scale: float = 1.0) -> tuple[float, float] | None:
    """Return the ends of a stroke in units of the picture, counted from where the travel `start` is; None without."""
    return None if joint.stroke is None else (start + joint.stroke[0] / scale, start + joint.stroke[1] / scale)


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)


def path_of(motion: Motion, point: str, scale: float) -> Path:
    """Return the path (n,) of a point, NaN where a sample has no pose."""
    xy = motion.position(point) / scale
    return np.asarray(xy[:, 0] + 1j * xy[:, 1])
