"""Files of bodies and joints in space: TOML or JSON, in the words of the mechanism file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from structkin.errors import InputError, raise_problems
from structkin.model.entry import Entry
from structkin.model.fields import pair
from structkin.model.file import check_size, load_data
from structkin.model.flaw import Flaw, describe
from structkin.model.laws import ScaledLaw
from structkin.model.loads import constant, form_of, formula, signal, sized
from structkin.model.parts import Law
from structkin.model.topology import suggest
from structkin.multibody.draft import SpatialDraft
from structkin.multibody.entries import (
    LOAD_TYPES,
    BodyEntry,
    JointLoadEntry,
    SensorEntry,
    SpatialForceEntry,
    SpatialJointEntry,
    SpatialMomentEntry,
    SpatialSpringEntry,
    StopEntry,
)
from structkin.multibody.fields import any_square_to, items_of, square_to, vector3
from structkin.multibody.joint import KINDS, Motion, SpatialJoint
from structkin.multibody.mass import make_body
from structkin.multibody.model import GROUND, Force, JointLoad, Load, Sensor, SpatialModel, Spring, Stop, Torque
from structkin.multibody.start import Given, with_start
from structkin.types import Floats

# --- loads and sensors ---------------------------------------------------------------------------------------------

#: The kinds of quantities along a coordinate that turns, and along one that slides.
TURN = {"stiffness": "torsional stiffness", "damping": "torsional damping", "rest": "angle", "effort": "moment"}
SLIDE = {"stiffness": "stiffness", "damping": "damping", "rest": "length", "effort": "force"}
#: Quantities that are recorded, with the number of points, joints or bodies of each.
SENSORS: Mapping[str, int] = {
    "position": 1, "velocity": 1, "acceleration": 1, "distance": 2, "angle": 1, "rate": 1, "force": 1, "moment": 1,
    "multipliers": 1, "kinetic_energy": 1, "potential_energy": 1,
}  # fmt: skip


def make_loads(draft: SpatialDraft, entries: Mapping[str, Any]) -> None:
    """Fill `loads`."""
    for name, entry in entries.items():
        key = f"forces.{name}"
        load = None if draft.has_fault(key) else draft.attempt(key, _MAKERS[type(entry)], draft, key, name, entry)
        if load is None:
            draft.unread.add(key)
        else:
            draft.loads[name] = load


def _force(draft: SpatialDraft, key: str, name: str, entry: SpatialForceEntry) -> Force | None:
    components = draft.attempt(key, _components, draft, key, entry, "force")
    found = _place(draft, key, entry)
    if found is None or components is None:
        return None
    return Force(name, *found, components, entry.frame == "local")


def _place(draft: SpatialDraft, key: str, entry: SpatialForceEntry) -> tuple[str, Floats] | None:
    """Return the body on which a force acts, and the drawn place (3,)."""
    if isinstance(entry.at, str) and (entry.on is None or "." in entry.at):
        end = draft.end(f"{key}.at", entry.at)
        if end is None:
            return None
        body, place = end[0], draft.points[end[1]]
        if entry.on not in (None, body):
            raise Flaw(f"'at' is a point of '{body}', but 'on' is '{entry.on}'", "delete 'on'")
    else:
        spot = draft.spot(f"{key}.at", entry.at)
        if entry.on is None:
            raise Flaw("acts at a position [x, y, z], but names no body", 'add on = "rod", or name a point')
        if not draft.has_body(f"{key}.on", entry.on) or spot is None:
            return None
        body, place = entry.on, spot
    _moving(body)
    return body, place


def _moment(draft: SpatialDraft, key: str, name: str, entry: SpatialMomentEntry) -> Torque | None:
    components = draft.attempt(key, _components, draft, key, entry, "moment")
    _moving(entry.on)
    if not draft.has_body(f"{key}.on", entry.on) or components is None:
        return None
    return Torque(name, entry.on, components, entry.frame == "local")


def _moving(body: str) -> None:
    if body == GROUND:
        raise Flaw("acts on the ground, which does not move", "name a moving body")


def _components(
    draft: SpatialDraft, key: str, entry: SpatialForceEntry | SpatialMomentEntry, kind: str
) -> tuple[Law, Law, Law] | None:
    form = form_of(entry)
    if entry.direction is not None:
        size = sized(draft, key, entry, kind)
        if size is None:
            return None
        x, y, z = (ScaledLaw(size, float(part)) for part in entry.direction)
        return x, y, z
    if form in ("table", "csv"):
        raise Flaw(f"has a {form}, but no direction", "a table gives the magnitude: add direction = [x, y, z]")
    hint = "such as [0, 0, -100]; a magnitude needs a direction beside it"
    items = draft.attempt(f"{key}.{form}", items_of, getattr(entry, form), (3,), "three components [x, y, z]", hint)
    if items is None:
        return None
    make = formula if form == "law" else lambda value: constant(draft.units.quantity(value, kind))
    a, b, c = (draft.attempt(f"{key}.{form}", make, item) for item in items)
    return None if a is None or b is None or c is None else (a, b, c)


def _spring(draft: SpatialDraft, key: str, name: str, entry: SpatialSpringEntry) -> Spring | None:
    first, second = (draft.end(f"{key}.between", text) for text in pair(entry.between, "two points"))
    if first is None or second is None:
        return None
    if first[0] == second[0]:
        raise Flaw(f"both points are on '{first[0]}': their distance is constant", "choose points of two bodies")
    if entry.stiffness == entry.damping == 0 and not draft.faulty(key):
        raise Flaw("has neither a stiffness nor a damping: it does nothing", "give one of them")
    places = draft.points[first[1]], draft.points[second[1]]
    drawn = float(np.linalg.norm(places[1] - places[0]))
    if drawn == 0:
        raise Flaw("its two points coincide in the drawn pose, so that it has no direction", "draw them apart")
    length = drawn if entry.free_length is None else entry.free_length
    return Spring(name, (first[0], second[0]), places, entry.stiffness, entry.damping, length, entry.breaks_at)


def _joint_load(draft: SpatialDraft, key: str, name: str, entry: JointLoadEntry) -> JointLoad | None:
    number, kinds = _coordinate(draft, key, entry)
    if kinds is None:
        return None
    stiffness, damping = (
        draft.quantity(f"{key}.{what}", getattr(entry, what), kinds[what], "not negative")
        for what in ("stiffness", "damping")
    )
    rest = draft.quantity(f"{key}.rest", entry.rest, kinds["rest"])
    effort = None
    if entry.actuator is not None:
        effort = draft.attempt(f"{key}.actuator", signal, entry.actuator, kinds["effort"], draft.units, draft.folder)
    elif stiffness == damping == 0 and not draft.faulty(key):
        raise Flaw("has neither a stiffness nor a damping nor an actuator: it does nothing", "give one of them")
    if number is None or stiffness is None or damping is None or rest is None:
        return None
    return JointLoad(name, entry.joint, number, stiffness, damping, rest, effort)


def _stop(draft: SpatialDraft, key: str, name: str, entry: StopEntry) -> Stop | None:
    number, kinds = _coordinate(draft, key, entry)
    if entry.lower is None and entry.upper is None:
        draft.fault(key, "has neither 'lower' nor 'upper'", "give at least one of them")
    if kinds is None:
        return None
    ends = []
    for what, unlimited in (("lower", -np.inf), ("upper", np.inf)):
        value = getattr(entry, what)
        end = unlimited if value is None else draft.quantity(f"{key}.{what}", value, kinds["rest"])
        ends.append(end)
    stiffness, damping = (
        draft.quantity(f"{key}.{what}", getattr(entry, what), kinds[what], "not negative")
        for what in ("stiffness", "damping")
    )
    if stiffness == 0:
        draft.fault(f"{key}.stiffness", "expected a stiffness greater than zero, found 0")
    lower, upper = ends
    if lower is not None and upper is not None and not lower < upper:
        draft.fault(key, "its lower end is not below its upper end", "exchange them")
    if number is None or stiffness is None or damping is None or lower is None or upper is None:
        return None
    return Stop(name, entry.joint, float(lower), float(upper), stiffness, damping, number)


def _coordinate(
    draft: SpatialDraft, key: str, entry: JointLoadEntry | StopEntry
) -> tuple[int | None, Mapping[str, str] | None]:
    """Return the index of a coordinate, and the kinds of quantities along it; None for what errors leave open."""
    number, motions = coordinate_of(draft, key, entry.joint, entry.coordinate)
    turning = {bool(motion.rotation.any()) for motion in motions}
    return number, (TURN if turning.pop() else SLIDE) if len(turning) == 1 else None


_MAKERS: Mapping[type, Callable[..., Load | None]] = {
    SpatialForceEntry: _force,
    SpatialMomentEntry: _moment,
    SpatialSpringEntry: _spring,
    JointLoadEntry: _joint_load,
    StopEntry: _stop,
}


def check_sensor(draft: SpatialDraft, name: str, entry: SensorEntry) -> tuple[str, ...] | None:
    """Return what the sensor observes: joints, or points as "body.point"; None after an error."""
    key = f"sensors.{name}"
    if entry.type not in SENSORS:
        draft.fault(f"{key}.type", f"the type '{entry.type}' is unknown", suggest(entry.type, SENSORS))
        draft.unread.add(key)
        return None
    if entry.type in ("kinetic_energy", "potential_energy"):
        return _check_energy(draft, key, entry)
    if len(entry.of) != SENSORS[entry.type]:
        wanted = "two points" if SENSORS[entry.type] == 2 else "one name"
        draft.fault(f"{key}.of", f"expected {wanted}, found {len(entry.of)}")
        return None
    if entry.type in ("angle", "rate", "force", "moment", "multipliers"):
        joint = draft.joints.get(entry.of[0])
        if joint is None and not draft.excused("joints", entry.of[0]):
            hint = suggest(entry.of[0], draft.given("joints", draft.joints))
            draft.fault(f"{key}.of", f"there is no joint '{entry.of[0]}'", hint)
        elif joint is not None and not joint.motions and entry.type in ("angle", "rate"):
            draft.fault(f"{key}.of", f"a {joint.kind} joint has no coordinates", "name another joint")
        return entry.of if joint is not None else None
    ends = [draft.end(f"{key}.of", text) for text in entry.of]
    return tuple(f"{end[0]}.{end[1]}" for end in ends if end is not None) if all(ends) else None


def _check_energy(draft: SpatialDraft, key: str, entry: SensorEntry) -> tuple[str, ...] | None:
    """Return the body or load whose energy is recorded, nothing for the whole model; None after an error."""
    loads = [name for name, load in draft.loads.items() if isinstance(load, Spring | JointLoad | Stop)]
    known = [*draft.bodies, *(loads if entry.type == "potential_energy" else ())]
    if len(entry.of) > 1:
        draft.fault(f"{key}.of", f"expected one name or none, found {len(entry.of)}")
        return None
    for name in entry.of:
        if name in draft.bodies and name in loads and entry.type == "potential_energy":
            draft.fault(f"{key}.of", f"'{name}' is a body and a load", "rename one of them")
            return None
        if name not in known:
            if not (draft.excused("bodies", name) or draft.excused("forces", name)):
                what = "body" if entry.type == "kinetic_energy" else "body, spring, joint load or stop"
                draft.fault(f"{key}.of", f"there is no {what} '{name}'", suggest(name, known))
            return None
    return entry.of


# --- the file ------------------------------------------------------------------------------------------------------

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
    structkin.errors.InputError: model: 2 errors; more may appear when these are corrected
      - joint: unknown section or key; did you mean 'joints'?
      - bodies.rod: the rod has neither a mass nor a density; give one of them
    """
    draft = SpatialDraft(folder)
    draft.attempt("", check_size, data)
    title = draft.read_title(data)
    if "links" in data and "bodies" not in data:
        message = "this is a file of a planar mechanism; the command `solve` and most others read it"
        draft.fault("links", f"{message}, or Mechanism.load", "the section of bodies in space is [bodies]")
        raise InputError(draft.problems, source or title or "model")
    try:
        gravity, duration, ground = _read(draft, data)
    except InputError as error:  # too many errors to go on
        raise InputError(error.problems, source or title or "model", more=True) from None
    raise_problems(draft.problems, source or title or "model", more=bool(draft.unread))
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


# --- joints -----------------------------------------------------------------------------------------------------------

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
            _check_references(draft, key, entry)
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
    known = _has_bodies(draft, key, entry)
    axis = draft.attempt(key, _axis, draft, key, kind, entry)
    second = draft.attempt(key, _second, draft, key, kind, entry, axis)
    at = draft.attempt(key, _at, draft, key, kind, entry)
    pitch = draft.attempt(key, _pitch, draft, key, kind, entry)
    if axis is None or second is None or at is None or pitch is None or not known or len(draft.problems) > found:
        return None
    return SpatialJoint(name, kind, entry.bodies, at, axis, second, pitch, cut=entry.cut)


def _check_references(draft: SpatialDraft, key: str, entry: SpatialJointEntry) -> None:
    """Record the errors of a joint of an unknown type that no type could make right."""
    _has_bodies(draft, key, entry)
    if entry.at is not None:
        draft.spot(f"{key}.at", entry.at)
    if entry.axis is not None or entry.along is not None:
        draft.attempt(key, _axis, draft, key, entry.type, entry)


def _has_bodies(draft: SpatialDraft, key: str, entry: SpatialJointEntry) -> bool:
    """Return whether the bodies of a joint are known; record an error for those that are not, and if it is one body."""
    if entry.bodies[0] == entry.bodies[1]:
        draft.fault(key, f"joins '{entry.bodies[0]}' to itself", "name two different bodies")
    known = [draft.has_body(f"{key}.bodies", body) for body in dict.fromkeys(entry.bodies)]
    return all(known)


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
