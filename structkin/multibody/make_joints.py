"""Joints from their entries: geometry first, then coordinates and rates at time 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structkin.model.flaw import Flaw, describe
from structkin.model.topology import suggest
from structkin.multibody.draft import SpatialDraft
from structkin.multibody.entries import SpatialJointEntry
from structkin.multibody.fields import any_square_to, items_of, square_to
from structkin.multibody.joint import KINDS, Motion, SpatialJoint
from structkin.multibody.model import GROUND
from structkin.multibody.start import Given, with_start
from structkin.types import Floats

#: Kinds that have no axis of their own; any triad does for their coordinates.
NO_AXIS = ("fixed", "spherical", "free")
#: Kinds with a second axis: a universal joint must have one.
SECOND = ("universal", "planar", "spherical", "free")
#: Other names of the kinds.
HINTS: Mapping[str, str] = {
    "pin": "revolute", "hinge": "revolute", "R": "revolute", "slider": "prismatic", "P": "prismatic",
    "ball": "spherical", "S": "spherical", "cardan": "universal", "hooke": "universal", "U": "universal",
    "helical": "screw", "H": "screw", "C": "cylindrical", "E": "planar", "weld": "fixed", "fastened": "fixed",
    "floating": "free",
}  # fmt: skip


def make_joints(draft: SpatialDraft, entries: Mapping[str, SpatialJointEntry]) -> None:
    """Fill `joints`."""
    start: dict[str, tuple[float, ...] | None] = {}
    speed: dict[str, tuple[float, ...] | None] = {}
    for name, entry in entries.items():
        key = f"joints.{name}"
        if entry.type not in KINDS:
            known = HINTS.get(entry.type, HINTS.get(entry.type.casefold(), ""))
            hint = f"did you mean '{known}'?" if known else suggest(entry.type, KINDS)
            draft.fault(f"{key}.type", f"the type '{entry.type}' is unknown", hint)
            continue
        joint = _joint(draft, key, name, entry)
        if joint is not None:
            draft.joints[name] = joint
        start[name] = _state(draft, f"{key}.start", entry.type, entry.start, rate=False)
        speed[name] = _state(draft, f"{key}.speed", entry.type, entry.speed, rate=True)
    if len(draft.joints) == len(entries) and not draft.problems:
        made = draft.attempt("joints", _started, draft, start, speed)
        draft.joints = made or draft.joints


def _started(draft: SpatialDraft, start: Given, speed: Given) -> dict[str, SpatialJoint]:
    return with_start(list(draft.bodies), draft.joints, start, speed)


def _joint(draft: SpatialDraft, key: str, name: str, entry: SpatialJointEntry) -> SpatialJoint | None:
    """Return the joint, or None after recording all its errors."""
    found, kind = len(draft.problems), entry.type
    bodies = [draft.has_body(f"{key}.bodies", body) for body in dict.fromkeys(entry.bodies)]
    if entry.bodies[0] == entry.bodies[1]:
        draft.fault(key, f"joins '{entry.bodies[0]}' to itself", "name two different bodies")
    axis = draft.attempt(key, _axis, draft, key, kind, entry)
    second = draft.attempt(key, _second, draft, key, kind, entry, axis)
    at = draft.attempt(key, _at, draft, key, kind, entry)
    pitch = draft.attempt(key, _pitch, draft, key, kind, entry)
    if axis is None or second is None or at is None or pitch is None or not all(bodies) or len(draft.problems) > found:
        return None
    return SpatialJoint(name, kind, entry.bodies, at, axis, second, pitch, cut=entry.cut)


def _at(draft: SpatialDraft, key: str, kind: str, entry: SpatialJointEntry) -> Floats | None:
    if entry.at is not None:
        return draft.spot(f"{key}.at", entry.at)
    moving = [body for body in entry.bodies if body != GROUND]
    if kind == "free" and moving:
        return draft.bodies[moving[-1]].center if moving[-1] in draft.bodies else None
    if draft.faulty(f"{key}.at"):
        return None
    raise Flaw("does not say where it is", 'add at = "A", or at = [x, y, z]')


def _axis(draft: SpatialDraft, key: str, kind: str, entry: SpatialJointEntry) -> Floats | None:
    if entry.axis is not None and entry.along is not None:
        raise Flaw("has both 'axis' and 'along'", "give one of them")
    if entry.axis is not None:
        return entry.axis
    if entry.along is not None:
        first, second = (draft.spot(f"{key}.along", spot) for spot in entry.along)
        if first is None or second is None:
            return None
        length = float(np.linalg.norm(second - first))
        if length == 0:
            raise Flaw("is along two points that coincide", "name points that are apart")
        return np.asarray((second - first) / length)
    if draft.faulty(f"{key}.axis", f"{key}.along"):
        return None
    if kind not in NO_AXIS:
        raise Flaw(f"a {kind} joint needs an axis", "such as axis = [0, 0, 1]")
    return np.array([1.0, 0.0, 0.0])


def _second(draft: SpatialDraft, key: str, kind: str, entry: SpatialJointEntry, axis: Floats | None) -> Floats | None:
    if entry.second is None:
        if draft.faulty(f"{key}.second"):
            return None
        if kind == "universal":
            raise Flaw("a universal joint needs its second axis", "such as second = [0, 1, 0]")
        return None if axis is None else any_square_to(axis)
    if kind not in SECOND:
        raise Flaw(f"a {kind} joint has no second axis", "delete 'second'")
    return None if axis is None else draft.attempt(f"{key}.second", square_to, axis, entry.second)


def _pitch(draft: SpatialDraft, key: str, kind: str, entry: SpatialJointEntry) -> float | None:
    if kind != "screw":
        if entry.pitch is not None:
            raise Flaw(f"a {kind} joint has no pitch", 'only a screw has one: type = "screw"')
        return 0.0
    if draft.faulty(f"{key}.pitch"):
        return None
    if entry.pitch is None:
        raise Flaw("a screw needs its pitch", "the travel of a whole turn; negative for a left-handed thread")
    return entry.pitch / (2 * np.pi)


def _state(draft: SpatialDraft, key: str, kind: str, value: Any, *, rate: bool) -> tuple[float, ...] | None:
    """Return the coordinates of a joint, or their rates, in SI; None if they are not given or have errors."""
    if value is None:
        return None
    a, b, c = np.eye(3)
    motions = KINDS[kind](a, b, c, 0.0)
    count = len(motions)
    if count == 0:
        draft.fault(key, f"a {kind} joint has no coordinates", "delete it")
        return None
    what = "a number" if count == 1 else f"{count} numbers"
    single = count == 1 and not isinstance(value, list | tuple | np.ndarray)
    items = [value] if single else draft.attempt(key, items_of, value, (count,), what)
    if items is None:
        return None
    found = []
    for item, motion in zip(items, motions, strict=True):
        what = ("angular speed" if rate else "angle") if motion.rotation.any() else ("speed" if rate else "length")
        number = draft.quantity(key, item, what)
        if number is None:
            return None
        found.append(number)
    return tuple(found)


def coordinate_of(draft: SpatialDraft, key: str, name: str, value: Any) -> tuple[int | None, Sequence[Motion]]:
    """Return the index of a coordinate, which files count from 1, and the motions that are meant, after any errors.

    The motions are those of the whole joint if the number is wrong, and none if the joint is unknown.
    """
    joint = draft.joints.get(name)
    if joint is None:
        if not draft.excused("joints", name):
            hint = suggest(name, draft.given("joints", draft.joints))
            draft.fault(f"{key}.joint", f"there is no joint '{name}'", hint)
        return None, ()
    count = len(joint.motions)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        hint = f"1 to {count}" if count else f"a {joint.kind} joint has none"
        draft.fault(f"{key}.coordinate", f"expected the number of a coordinate, found {describe(value)}", hint)
        return None, joint.motions
    return value - 1, joint.motions[value - 1 : value]
