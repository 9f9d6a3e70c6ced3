"""Parameters: numbers of a mechanism file that may vary, by the names of their keys.

    lengths.A-B           a length [m], as in [lengths] and in `Mechanism.solve_many`: points keep their directions
    points.P.x            a coordinate of a point of the sketch [m]
    joints.J.axis         the angle [rad] of the axis of a prismatic joint or slot, in the sketch
    joints.J.radius       any other number of a joint, such as base, ratio, radii.0, law.1.to, profile.3.1
    drivers.D.speed       a number of a driver: its speed, or table.2.1
    links.L.mass          a number of a link that moves nothing: mass, inertia, center.0, point_masses.P
    forces.F.stiffness    a number of a load

Lengths that are named together are all as if in [lengths]: while one varies, the others are held, also those at a point
that moves. Values are in SI and radians, whatever units the file has; items of lists are counted from zero. A parameter
stands for the mechanism that `varied` builds from the file with this one number changed: what the file derives from the
number, such as a guide through two points or the teeth's phase in the sketch, changes with it.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from structkin.errors import InputError, Problem
from structkin.joints.law_cam import LawCam
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import STILL, length_of, name_in, number_of, own_value, rebuilt
from structkin.model.topology import suggest

#: What the numbers under a key of a joint measure; None is a ratio. Of a list of pairs, what each column does.
_JOINT: Mapping[str, str | tuple[str, str] | None] = {
    "radius": "length",
    "base": "length",
    "radii": "length",
    "at": "length",
    "outline": "length",
    "through": "length",
    "profile": ("angle", "length"),
    "start": "angle",
    "ratio": None,
}

#: The place of a value in the data of a mechanism file.
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Parameter:
    """A number that may vary: its `value` in SI, and the distance from it within which it may be changed smoothly.

    `path` is its place in the data of the file, where it is written as a multiple of `scale`.
    """

    name: str
    value: float
    reach: float
    path: Path
    scale: float = 1.0

    @property
    def section(self) -> str:
        """The section of the file."""
        return str(self.path[0])

    @property
    def pair(self) -> frozenset[str]:
        """The two points of a length."""
        return frozenset(str(self.path[1]).split("-"))

    @property
    def is_still(self) -> bool:
        """Whether it is a mass or a load, which moves nothing."""
        return self.section in STILL

    @property
    def is_axis(self) -> bool:
        """Whether it is the angle of an axis."""
        return self.section == "joints" and self.path[2] == "axis"


def read_parameters(mechanism: Mechanism, names: Iterable[str]) -> tuple[Parameter, ...]:
    """Return parameters by their names; `InputError` lists all that are unknown, or named twice."""
    found: dict[Path | frozenset[str], Parameter] = {}
    problems: list[Problem] = []
    data = mechanism.source_dict
    for name in names:
        try:
            parameter = _read(mechanism, data, str(name))
        except Flaw as flaw:
            problems.append(Problem(str(name), flaw.message, flaw.hint))
            continue
        key = parameter.pair if parameter.section == "lengths" else parameter.path
        if key in found:
            problems.append(Problem(str(name), f"is named twice: '{found[key].name}' is the same", "delete one"))
        found[key] = parameter
    if not found and not problems:
        problems.append(Problem("to", "names no parameter", 'such as to=["lengths.A-B", "points.P.x"]'))
    if problems:
        raise InputError(problems, mechanism.title or "mechanism")
    return tuple(found.values())


def varied(mechanism: Mechanism, values: Mapping[Parameter, float]) -> Mechanism:
    """Return the mechanism with other values of some parameters; `InputError` if it cannot be built."""
    data = mechanism.source_dict
    for parameter, value in values.items():
        write(data, parameter, value)
    return rebuilt(mechanism, data)


def write(data: dict[str, Any], parameter: Parameter, value: float) -> None:
    """Write a value, in SI or radians, into the data of a file."""
    section, name, *rest = parameter.path
    if section == "lengths":
        lengths = data.setdefault("lengths", {})
        for pair in [pair for pair in lengths if frozenset(pair.split("-")) == parameter.pair]:
            del lengths[pair]
        lengths[name] = value / parameter.scale
        return
    if parameter.is_axis:
        data["joints"][name]["axis"] = [math.cos(value), math.sin(value)]
        return
    if rest == ["ratio"]:
        for other in ("teeth", "radii"):
            data["joints"][name].pop(other, None)
    *path, last = rest
    place = data[str(section)][name]
    for key in path:
        place = place[key]
    place[last] = value / parameter.scale


def _read(mechanism: Mechanism, data: Mapping[str, Any], name: str) -> Parameter:
    section, _, rest = name.partition(".")
    readers = {
        "lengths": _length, "points": _coordinate, "joints": _of_joint, "drivers": _of_driver, "links": _still,
        "forces": _still,
    }  # fmt: skip
    if section not in readers or not rest:
        hint = "" if section in readers else suggest(section, readers)
        raise Flaw("is not a parameter", hint or 'such as "lengths.A-B", "points.P.x", "joints.guide.axis"')
    return readers[section](mechanism, data, name, rest)


def _length(mechanism: Mechanism, data: Mapping[str, Any], name: str, pair: str) -> Parameter:
    length = length_of(mechanism, pair)
    return Parameter(name, length, length, ("lengths", pair), mechanism.units.length_scale)


def _coordinate(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    point, _, axis = rest.rpartition(".")
    if point not in mechanism.places or axis not in ("x", "y"):
        known = [f"points.{place}.{x}" for place in mechanism.places for x in "xy"]
        raise Flaw("is not a coordinate of a point", suggest(name, known))
    place = mechanism.places[point]
    beside = [
        abs(mechanism.places[other] - place)
        for link in mechanism.links.values()
        if point in link.points
        for other in link.points
    ]
    reach = min((far for far in beside if far > 0), default=mechanism.size or 1.0)
    value = place.real if axis == "x" else place.imag
    return Parameter(name, value, reach, ("points", point, "xy".index(axis)), mechanism.units.length_scale)


def _of_joint(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    joints = data.get("joints", {})
    id = name_in(joints, rest)
    keys = _keys(rest, id)
    if id is None or not keys:
        raise Flaw("is not a number of a joint", suggest(rest.split(".", maxsplit=1)[0], joints))
    joint, path = mechanism.joints[id], ("joints", id, *keys)
    if keys == ["axis"] and "axis" in joints[id]:
        x, y = joints[id]["axis"]
        return Parameter(name, cmath.phase(complex(x, y)), 1.0, path)
    if keys == ["ratio"] and isinstance(joint, TurnCoupling) and joint.ratio is not None and joint.arm is not None:
        return Parameter(name, joint.ratio, min(abs(joint.ratio), abs(joint.ratio - 1)) or 1.0, path)
    leaf = _leaf(joints[id], keys)
    first, last = keys[0], keys[-1]
    kind: Any
    if first == "law" and last in ("over", "to"):
        angular = isinstance(joint, LawCam) and mechanism.joints[joint.joint].kind == "R"
        kind = "angle" if last == "over" or angular else "length"
    elif first not in _JOINT:
        raise Flaw(f"numbers of '{first}' cannot vary", f"those of {', '.join(('axis', *_JOINT, 'law'))} can")
    else:
        kind = _JOINT[str(first)]
        kind = kind[int(last)] if isinstance(kind, tuple) else kind
    return _quantity(mechanism, name, path, leaf, kind, 0.1 if kind == "angle" else 0.05 * mechanism.size)


def _of_driver(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    drivers = data.get("drivers", {})
    id = name_in(drivers, rest)
    keys = _keys(rest, id)
    if id is None or not keys:
        raise Flaw("is not a number of a driver", suggest(rest.split(".", maxsplit=1)[0], drivers))
    angular, path, leaf = mechanism.drivers[id].kind == "angle", ("drivers", id, *keys), _leaf(drivers[id], keys)
    if keys == ["speed"]:
        return _quantity(mechanism, name, path, leaf, "angular speed" if angular else "speed", 1.0)
    if keys[0] == "table" and keys[-1] == 1:
        return _quantity(mechanism, name, path, leaf, "angle" if angular else "length", 1.0)
    raise Flaw("of a driver, only its speed and the values of its table can vary", "such as drivers.motor.speed")


def _still(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    """Return a number of a link or a load; it may change by as much as it is, a mass by as much as there is."""
    number = number_of(mechanism, name)
    value = own_value(mechanism, number)
    usual = {"mass": sum(link.mass or 0.0 for link in mechanism.links.values()), "length": mechanism.size}
    scale = mechanism.units.quantity(1.0, number.quantity) if number.quantity else 1.0
    return Parameter(name, value, abs(value) or usual.get(number.quantity, 0.0) or 1.0, number.path, scale)


def _keys(rest: str, id: str | None) -> list[str | int]:
    tail = "" if id is None else rest[len(id) + 1 :]
    return [int(key) if key.isdigit() else key for key in tail.split(".") if key]


def _leaf(entry: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        try:
            entry = entry[key]
        except (KeyError, IndexError, TypeError):
            known = list(entry) if isinstance(entry, Mapping) else range(len(entry)) if isinstance(entry, list) else ()
            raise Flaw(f"the file has no number at '{key}'", suggest(str(key), map(str, known))) from None
    return entry


def _quantity(mechanism: Mechanism, name: str, path: Path, leaf: Any, kind: str | None, reach: float) -> Parameter:
    """Return a parameter that the file writes as a number in its own unit, or as text with a unit."""
    if isinstance(leaf, bool) or not isinstance(leaf, int | float | str):
        raise Flaw("is not a number of the file", "name the key of a single number")
    if kind is None:
        return Parameter(name, float(leaf), abs(float(leaf)) or 1.0, path)
    value, scale = mechanism.units.quantity(leaf, kind), mechanism.units.quantity(1.0, kind)
    return Parameter(name, value, abs(value) or reach, path, scale)
