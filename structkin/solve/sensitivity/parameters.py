"""Parameters: numbers of a mechanism file that may vary, by the names of their keys.

    lengths.A-B           a length [m], as in [lengths] and in `Mechanism.solve_many`: points keep their directions
    points.P.x            a coordinate of a point of the sketch [m]
    joints.J.axis         the angle [rad] of the axis of a prismatic joint or slot, in the sketch
    joints.J.radius       any other number of a joint, such as base, ratio, radii.0, law.1.to, profile.3.1
    drivers.D.speed       a number of a driver: its speed, table.2.1, or law.0, the first number in its formula
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

from structkin.errors import Problem, raise_problems
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.expression import Expression
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import STILL, drawn_places, length_of, name_in, number_in_si, number_of, own_value, rebuilt
from structkin.model.topology import suggest
from structkin.structure import KinematicStructure

#: The keys of joints whose numbers may vary, besides `axis`, and `over` and `to` of a law.
_OF_JOINT = ("radius", "base", "radii", "at", "outline", "through", "profile", "start", "ratio")

#: The place of a value in the data of a mechanism file.
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Parameter:
    """A number that may vary: its `value` in SI, and the distance from it within which it may be changed smoothly.

    `path` is its place in the data of the file, and `scale` the file's unit of its `quantity`, which is that of a
    `Number`.
    """

    name: str
    value: float
    reach: float
    path: Path
    scale: float = 1.0
    quantity: str = ""

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
    raise_problems(problems, mechanism.title or "mechanism")
    return tuple(found.values())


def bound_together(structure: KinematicStructure) -> Problem:
    """Return the problem of a mechanism whose redundant joints hold for its own dimensions only."""
    ids = ", ".join(dict.fromkeys(item.id for item in structure.over))
    text = "its redundant joints agree with these dimensions only, so no dimension can vary alone"
    return Problem(ids, text, "leave out the redundant joints")


def held_lengths(parameters: Sequence[Parameter]) -> dict[Parameter, float]:
    """Return the lengths among parameters with their values: while one number varies, these are held."""
    return {parameter: parameter.value for parameter in parameters if parameter.section == "lengths"}


def varied(mechanism: Mechanism, values: Mapping[Parameter, float]) -> Mechanism:
    """Return the mechanism with other values of some parameters; `InputError` if it cannot be built."""
    data, origin = mechanism.source_dict, mechanism.units.origin
    for parameter, value in values.items():
        away = (origin.real, origin.imag)[int(parameter.path[2])] if parameter.section == "points" else 0.0
        write(data, parameter, value + away)
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
    if section == "drivers" and rest[0] == "law":
        driver = data["drivers"][name]
        driver["law"] = _formula(driver).with_number(int(rest[1]), value)
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
    return Parameter(name, length, length, ("lengths", pair), mechanism.units.length_scale, "length")


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
    drawn = drawn_places(mechanism)[point]
    value = drawn.real if axis == "x" else drawn.imag
    path = ("points", point, "xy".index(axis))
    return Parameter(name, value, reach, path, mechanism.units.length_scale, "length")


def _of_joint(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    joints = data.get("joints", {})
    id = name_in(joints, rest)
    keys = _keys(rest, id)
    if id is None or not keys:
        raise Flaw("is not a number of a joint", suggest(rest.split(".", maxsplit=1)[0], joints))
    joint, path = mechanism.joints[id], ("joints", id, *keys)
    if keys == ["axis"] and "axis" in joints[id]:
        x, y = joints[id]["axis"]
        return Parameter(name, cmath.phase(complex(x, y)), 1.0, path, mechanism.units.scale("angle"), "angle")
    if keys[0] == "axis" and "axis" in joints[id]:
        raise Flaw("an axis turns as a whole", f"write joints.{id}.axis")
    if keys[0] == "axis":
        raise Flaw(f"joint {id} has no axis in the file", "vary the points of its line, or give it an axis instead")
    if keys == ["ratio"] and isinstance(joint, TurnCoupling) and joint.ratio is not None and joint.arm is not None:
        return Parameter(name, joint.ratio, min(abs(joint.ratio), abs(joint.ratio - 1)) or 1.0, path)
    if keys[0] not in _OF_JOINT and (keys[0] != "law" or keys[-1] not in ("over", "to")):
        raise Flaw(f"numbers of '{keys[0]}' cannot vary", f"those of {', '.join(('axis', *_OF_JOINT, 'law'))} can")
    return _number(mechanism, name, {"angle": 0.1, "length": 0.05 * mechanism.size})


def _of_driver(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    drivers = data.get("drivers", {})
    id = name_in(drivers, rest)
    keys = _keys(rest, id)
    if id is None or not keys:
        raise Flaw("is not a number of a driver", suggest(rest.split(".", maxsplit=1)[0], drivers))
    if keys[0] == "law" and "law" in drivers[id]:
        numbers = _formula(drivers[id]).numbers
        if len(keys) != 2 or keys[1] not in range(len(numbers)):
            known = ", ".join(f"law.{k}: {value:g}" for k, value in enumerate(numbers))
            raise Flaw("is not a number of the formula", f"counted from the left, without signs: {known or 'none'}")
        value = numbers[int(keys[1])]
        return Parameter(name, value, value or 1.0, ("drivers", id, *keys))
    if keys != ["speed"] and (keys[0] != "table" or keys[-1] != 1):
        hint = "such as drivers.motor.speed, or drivers.motor.law.0"
        raise Flaw("of a driver, only its speed and the values of its table or in its formula can vary", hint)
    return _number(mechanism, name, {})


def _formula(driver: Mapping[str, Any]) -> Expression:
    law = driver["law"]
    return Expression(law if isinstance(law, str) else repr(law))


def _still(mechanism: Mechanism, data: Mapping[str, Any], name: str, rest: str) -> Parameter:
    """Return a number of a link or a load; it may change by as much as it is, a mass by as much as there is."""
    mass = sum(link.mass or 0.0 for link in mechanism.links.values())
    return _number(mechanism, name, {"mass": mass, "length": mechanism.size})


def _number(mechanism: Mechanism, name: str, reach: Mapping[str, float]) -> Parameter:
    """Return a number of the file; one that is zero may change by the reach of its quantity."""
    number = number_of(mechanism, name, laws=True)
    value, quantity = own_value(mechanism, number), number.quantity
    scale = number_in_si(mechanism, quantity, 1.0)
    return Parameter(name, value, abs(value) or reach.get(quantity, 0.0) or 1.0, number.path, scale, quantity)


def _keys(rest: str, id: str | None) -> list[str | int]:
    tail = "" if id is None else rest[len(id) + 1 :]
    return [int(key) if key.isdigit() else key for key in tail.split(".") if key]
