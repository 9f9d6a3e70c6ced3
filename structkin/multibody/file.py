"""Files of bodies and joints in space: TOML or JSON, in the words of the mechanism file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from structkin.errors import InputError
from structkin.model.entry import Entry
from structkin.model.file import load_data
from structkin.multibody.draft import SpatialDraft
from structkin.multibody.entries import LOAD_TYPES, BodyEntry, SensorEntry, SpatialJointEntry
from structkin.multibody.fields import vector3
from structkin.multibody.make_joints import make_joints
from structkin.multibody.make_loads import check_sensor, make_loads
from structkin.multibody.mass import make_body
from structkin.multibody.model import GROUND, Sensor, SpatialModel

SECTIONS = ("title", "format", "units", "duration", "points", "bodies", "joints", "forces", "sensors")
#: The most entries of a section: what is made of them grows with their square in places.
MOST = 2000

_SECTION_HINTS: Mapping[str, str] = {
    "name": "title", "links": "bodies", "loads": "forces", "springs": "forces", "drivers": "forces",
    "initial": "joints", "gravity": "forces.gravity",
}  # fmt: skip
_LOAD_HINTS: Mapping[str, str] = {
    "torque": 'write type = "moment"',
    "torsion": 'write type = "joint": a spring along a coordinate of a joint',
    "damper": 'write type = "spring", with a damping and no stiffness',
    "actuator": "write type = \"joint\", with the key 'actuator'",
}
_FORBIDDEN = '-@,:".'


def load(path: str | Path) -> SpatialModel:
    """Return the model of a .toml or .json file; raise `InputError` that lists every error.

    >>> load("no_such_top.toml")
    Traceback (most recent call last):
    structkin.errors.InputError: no_such_top.toml: 1 error
      - there is no file 'no_such_top.toml'; correct the name, or write its folder before it
    """
    path = Path(path)
    return from_dict(load_data(path), source=str(path), folder=path.parent)


def from_dict(data: Mapping[str, Any], *, source: str = "", folder: Path | None = None) -> SpatialModel:
    """Return the model of the contents of a file; raise `InputError` that lists every error.

    >>> from_dict({"bodies": {"rod": {"shape": "rod", "between": [[0, 0, 0], [1, 0, 0]]}}, "joint": {}})
    Traceback (most recent call last):
    structkin.errors.InputError: model: 2 errors
      - joint: unknown section or key; did you mean 'joints'?
      - bodies.rod: the rod has neither a mass nor a density; give one of them
    """
    draft = SpatialDraft(folder)
    title = draft.read_title(data)
    if "links" in data and "bodies" not in data:
        message = "this is a file of a planar mechanism; the command `solve` and most others read it"
        draft.fault("links", f"{message}, or Mechanism.load", "the section of bodies in space is [bodies]")
        raise InputError(draft.problems, source or title or "model")
    try:
        gravity, duration, ground = _read(draft, data)
    except InputError as error:  # too many errors to go on
        raise InputError(error.problems, source or title or "model", more=True) from None
    if draft.problems:
        raise InputError(draft.problems, source or title or "model")
    bodies, joints, loads, sensors = draft.bodies, draft.joints, draft.loads, draft.sensors
    return SpatialModel(title, bodies, joints, loads, sensors, gravity, ground, duration)


def _read(draft: SpatialDraft, data: Mapping[str, Any]) -> tuple[Any, float | None, dict[str, Any]]:
    """Fill the draft; return gravity, duration and the points of the ground."""
    draft.check_sections(data, SECTIONS, _SECTION_HINTS)
    draft.check_format(data)
    draft.read_units(data)
    duration = draft.read_duration(data)
    _check_names(draft, data)
    for key, name, value in draft.entries(data, "points", "A = [0, 0, 0]"):
        place = draft.attempt(key, vector3, value, "length", draft.units)
        if place is None:
            draft.unread.add(key)
        else:
            draft.points[name] = place
    ground = _bodies(draft, data)
    joints = {}
    for key, name, value in draft.entries(data, "joints", f"A = {SpatialJointEntry.sample}"):
        entry = draft.read_entry(SpatialJointEntry, key, value)
        if entry is not None:
            joints[name] = entry
    make_joints(draft, joints)
    draft.unread.update(f"joints.{name}" for name in joints if name not in draft.joints)
    gravity = _loads(draft, data)
    _sensors(draft, data, ground)
    return gravity, duration, ground


def _bodies(draft: SpatialDraft, data: Mapping[str, Any]) -> dict[str, Any]:
    """Fill `bodies`; return the points of the ground."""
    entries: dict[str, BodyEntry] = {}
    for key, name, value in draft.entries(data, "bodies", f"rod = {BodyEntry.sample}"):
        listed = {"points": value} if isinstance(value, list | tuple) else value
        entry = draft.read_entry(BodyEntry, key, listed)
        if entry is None:
            continue
        draft.held[name] = list(entry.points)
        if name == GROUND:
            given = [what for what in entry.model_fields_set if what != "points"]
            if given:
                draft.fault(key, f"the ground does not move, so it has no {given[0]}", 'such as ground = ["A", "D"]')
        entries[name] = entry
    if not set(entries) - {GROUND} and not draft.excused("bodies", ""):
        draft.fault("bodies", "there is no body", f"such as rod = {BodyEntry.sample}")
    for name, entry in entries.items():
        key = f"bodies.{name}"
        if name == GROUND:
            for point in entry.points:
                draft.spot(f"{key}.points", point)
            continue
        body = make_body(draft, key, name, entry)
        if body is None:
            draft.unread.add(key)
        else:
            draft.bodies[name] = body
    return {point: draft.points[point] for point in draft.held.get(GROUND, []) if point in draft.points}


def _loads(draft: SpatialDraft, data: Mapping[str, Any]) -> Any:
    """Fill `loads`; return gravity (3,)."""
    gravity = np.zeros(3)
    entries: dict[str, Entry] = {}
    for key, name, value in draft.entries(data, "forces", "gravity = [0, 0, -9.81]"):
        if name == "gravity":
            found = draft.attempt(key, vector3, value, "acceleration", draft.units)
            gravity = gravity if found is None else found
            continue
        entry = draft.read_load(LOAD_TYPES, key, value, _LOAD_HINTS)
        if entry is not None:
            entries[name] = entry
    make_loads(draft, entries)
    return gravity


def _sensors(draft: SpatialDraft, data: Mapping[str, Any], ground: dict[str, Any]) -> None:
    """Fill `sensors`; the points they observe are added to those of their bodies."""
    for key, name, value in draft.entries(data, "sensors", f"tip = {SensorEntry.sample}"):
        entry = draft.read_entry(SensorEntry, key, value)
        of = None if entry is None else check_sensor(draft, name, entry)
        if entry is None or of is None:
            continue
        draft.sensors[name] = Sensor(name, entry.type, of)
        for body, dot, point in (text.partition(".") for text in of):
            if dot and body == GROUND:
                ground[point] = draft.points[point]
            elif dot:
                held = draft.bodies[body]
                draft.bodies[body] = replace(held, points={**held.points, point: draft.points[point]})


def _check_names(draft: SpatialDraft, data: Mapping[str, Any]) -> None:
    for section in ("points", "bodies", "joints", "forces", "sensors"):
        table = data.get(section)
        names = list(table) if isinstance(table, Mapping) else []
        if len(names) > MOST:
            draft.fault(section, f"has {len(names)} entries; the limit is {MOST}", "make a smaller model")
        for name in names:
            key = f"{section}.{name}"
            if draft.check_name(key, name, _FORBIDDEN) and name == GROUND and section != "bodies":
                draft.fault(key, "the name 'ground' is reserved for the fixed body", "choose another name")
