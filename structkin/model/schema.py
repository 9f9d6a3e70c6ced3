"""The entries of a mechanism file, one pydantic model each; every number comes out in SI.

`read` turns pydantic's errors into `Problem`s and saves what can be saved, so that one unknown key does not
hide the next mistake. What an entry means beside others is checked where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationError, ValidationInfo

from structkin.errors import Problem
from structkin.model.flaw import Flaw, describe, number
from structkin.model.topology import suggest
from structkin.model.units import Units

SECTIONS = (
    "title", "units", "points", "links", "lengths", "joints", "drivers", "forces", "initial", "duration",
)  # fmt: skip


def misplaced(name: str) -> str:
    """Return the hint for a top-level key that TOML took for a part of the section above it."""
    return f"'{name}' stands above the first [section], or is a section of its own"


def pair(value: Any, what: str) -> list[Any]:
    """Return the two items of a list, tuple or array; raise `Flaw` otherwise.

    >>> pair((1, 2), "[x, y]")
    [1, 2]
    """
    if isinstance(value, str) or not isinstance(value, list | tuple | np.ndarray):
        raise Flaw(f"expected {what}, found {describe(value)}")
    items = list(value)
    if len(items) != 2:
        raise Flaw(f"expected {what}, found a list of {len(items)}")
    return items


def _units(info: ValidationInfo) -> Units:
    assert isinstance(info.context, Units)
    return info.context


def scalar(kind: str, *, sign: str = "") -> PlainValidator:
    """Return the validator of a quantity that comes out in SI; `sign`: "positive" or "not negative"."""

    def check(value: Any, info: ValidationInfo) -> float:
        result = _units(info).quantity(value, kind)
        if (sign == "positive" and result <= 0) or (sign == "not negative" and result < 0):
            raise Flaw(f"expected a {kind} that is {sign}, found {value}")
        return result

    return PlainValidator(check)


def _vector(kind: str) -> PlainValidator:
    def check(value: Any, info: ValidationInfo) -> complex:
        return vector(value, kind, _units(info))

    return PlainValidator(check)


def vector(value: Any, kind: str, units: Units) -> complex:
    """Return [x, y] as x + iy in SI; raise `Flaw`."""
    x, y = pair(value, "two numbers [x, y]")
    return complex(units.quantity(x, kind), units.quantity(y, kind))


def _axis(value: Any) -> complex:
    x, y = pair(value, "a direction [x, y]")
    axis = complex(number(x), number(y))
    if axis == 0:
        raise Flaw("the direction [0, 0] points nowhere", "such as [1, 0]")
    return axis / abs(axis)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Flaw(f"expected a name in quotes, found {describe(value)}")
    return value


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise Flaw(f"expected a list of point names, found {describe(value)}", 'such as ["A", "B"]')
    for item in value:
        if not isinstance(item, str):
            raise Flaw(f"expected point names in quotes, found {describe(item)} in the list", 'such as ["A", "B"]')
    return tuple(value)


def _two(what: str) -> PlainValidator:
    def check(value: Any) -> tuple[str, str]:
        first, second = pair(value, f"two {what} names")
        return _text(first), _text(second)

    return PlainValidator(check)


def _location(value: Any, info: ValidationInfo) -> str | complex:
    return value if isinstance(value, str) else vector(value, "length", _units(info))


def one_of(*words: str) -> Callable[[Any], str]:
    """Return the check of a word that is one of these."""

    def check(value: Any) -> str:
        if value not in words:
            raise Flaw(f"expected {' or '.join(repr(word) for word in words)}, found {describe(value)}")
        return str(value)

    return check


def _real(value: Any) -> float:
    result = number(value)
    if result == 0:
        raise Flaw("expected a ratio other than zero, found 0", "omega_1 / omega_2 seen from the carrier")
    return result


def _teeth(value: Any) -> tuple[int, int]:
    counts = pair(value, "two numbers of teeth")
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise Flaw(f"expected two whole numbers of teeth, found {describe(count)}", "such as [20, 40]")
    return counts[0], counts[1]


def _radii(value: Any, info: ValidationInfo) -> tuple[float, float]:
    first, second = (_units(info).quantity(item, "length") for item in pair(value, "two radii"))
    if first <= 0 or second <= 0:
        raise Flaw("expected two radii that are positive", "internal = true says which way two gears turn")
    return first, second


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Flaw(f"expected true or false, found {describe(value)}")
    return value


def _whole(value: Any) -> int:
    found = number(value)
    if found != int(found):
        raise Flaw(f"expected a whole number, found {value}")
    return int(found)


Name = Annotated[str, PlainValidator(_text)]
Names = Annotated[tuple[str, ...], PlainValidator(_names)]
TwoLinks = Annotated[tuple[str, str], _two("link")]
TwoPoints = Annotated[tuple[str, str], _two("point")]
Axis = Annotated[complex, PlainValidator(_axis)]
Location = Annotated[str | complex, PlainValidator(_location)]
Anything = Annotated[Any, PlainValidator(lambda value: value)]


class Entry(BaseModel):
    """An entry of a section. `layout` says what it is, `sample` shows how it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    layout: ClassVar[str] = "a table { ... }"
    sample: ClassVar[str] = ""


class LinkEntry(Entry):
    """A link: its points; mass [kg], centre of mass in the sketch [m], inertia about it [kg m^2].

    Or a uniform `shape`, a rod or a plate, of this mass or `density` [kg/m or kg/m^2]; and points that carry masses.
    """

    layout: ClassVar[str] = "a list of points, or a table"
    sample: ClassVar[str] = '["A", "B"] or { points = ["A", "B"], mass = 0.6 }'

    points: Names
    mass: Annotated[float, scalar("mass", sign="not negative")] | None = None
    center: Annotated[complex, _vector("length")] | None = None
    inertia: Annotated[float, scalar("inertia", sign="not negative")] | None = None
    shape: Annotated[str, PlainValidator(one_of("rod", "plate"))] | None = None
    density: Anything = None
    point_masses: Anything = None


class PrismaticEntry(Entry):
    """A prismatic joint of two links, along a direction of the sketch or along two points of one link."""

    sample: ClassVar[str] = '{ type = "prismatic", links = ["piston", "ground"], at = "C", axis = [1, 0] }'

    type: Name
    links: TwoLinks
    at: Location | None = None
    axis: Axis | None = None
    along: TwoPoints | None = None


class SlotEntry(Entry):
    """A pin of one link in a straight slot of another, or in a circular one about a point of it."""

    sample: ClassVar[str] = '{ type = "pin-in-slot", pin = "B", on = "crank", slot = "arm", along = ["O", "E"] }'

    type: Name
    pin: Name
    slot: Name
    on: Name | None = None
    axis: Axis | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radius: Annotated[float, scalar("length", sign="positive")] | None = None


class CamEntry(Entry):
    """A cam with a law or a profile; whether its lifts are lengths or angles is known later."""

    sample: ClassVar[str] = (
        '{ type = "cam", cam = "disc", follower = "lifter", at = "Q", radius = 10, '
        'law = [{ motion = "cycloidal", over = 180, to = 20 }, { motion = "cycloidal", over = 180, to = 0 }] }'
    )

    type: Name
    cam: Name
    follower: Name
    law: Anything = None
    profile: Anything = None
    outline: Anything = None
    csv: Name | None = None
    center: Name | None = None
    at: Name | None = None
    face: TwoPoints | None = None
    contact: Name | None = None
    radius: Annotated[float, scalar("length", sign="positive")] | None = None
    base: Annotated[float, scalar("length", sign="positive")] | None = None
    start: Annotated[float, scalar("angle")] | None = None
    direction: Name | None = None
    carrier: Name | None = None


class GenevaEntry(Entry):
    """A Geneva wheel of n slots and the crank whose pin turns it."""

    sample: ClassVar[str] = '{ type = "geneva", crank = "crank", pin = "P", wheel = "wheel", slots = 4 }'

    type: Name
    crank: Name
    pin: Name
    wheel: Name
    slots: Annotated[int, PlainValidator(_whole)]


Ratio = Annotated[float, PlainValidator(_real)]
Teeth = Annotated[tuple[int, int], PlainValidator(_teeth)]
Radii = Annotated[tuple[float, float], PlainValidator(_radii)]
Flag = Annotated[bool, PlainValidator(_flag)]
Radius = Annotated[float, scalar("length", sign="positive")]


class GearEntry(Entry):
    """Two gears whose centres the carrier holds."""

    sample: ClassVar[str] = '{ type = "gear", links = ["pinion", "wheel"], teeth = [20, 40] }'

    type: Name
    links: TwoLinks
    ratio: Ratio | None = None
    teeth: Teeth | None = None
    radii: Radii | None = None
    internal: Flag | None = None
    carrier: Name | None = None
    centers: TwoPoints | None = None


class BeltEntry(Entry):
    """Two pulleys or sprockets under a belt or chain, whose centres the carrier holds."""

    sample: ClassVar[str] = '{ type = "belt", links = ["small", "large"], radii = [20, 40] }'

    type: Name
    links: TwoLinks
    ratio: Ratio | None = None
    teeth: Teeth | None = None
    radii: Radii | None = None
    crossed: Flag | None = None
    carrier: Name | None = None
    centers: TwoPoints | None = None


class RackEntry(Entry):
    """A pinion and a rack, which slides along the link that holds the pinion's centre."""

    sample: ClassVar[str] = '{ type = "rack", links = ["pinion", "rack"], radius = 20 }'

    type: Name
    links: TwoLinks
    radius: Radius | None = None
    along: TwoPoints | None = None
    carrier: Name | None = None
    center: Name | None = None


class RollingEntry(Entry):
    """A circle of the first link that rolls on a line or on a circle of the second without slip."""

    sample: ClassVar[str] = '{ type = "rolling", links = ["wheel", "ground"], radius = 30, along = ["P", "Q"] }'

    type: Name
    links: TwoLinks
    radius: Radius | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radii: Radii | None = None
    centers: TwoPoints | None = None
    internal: Flag | None = None


MeshEntry = GearEntry | BeltEntry | RackEntry | RollingEntry
JointEntry = PrismaticEntry | SlotEntry | CamEntry | GenevaEntry | MeshEntry

JOINT_TYPES: Mapping[str, type[JointEntry]] = {
    "prismatic": PrismaticEntry,
    "pin-in-slot": SlotEntry,
    "cam": CamEntry,
    "geneva": GenevaEntry,
    "gear": GearEntry,
    "belt": BeltEntry,
    "rack": RackEntry,
    "rolling": RollingEntry,
}


class DriverEntry(Entry):
    """A driver; what its speed, law or table are measured in is known once its joint is."""

    sample: ClassVar[str] = '{ joint = "A", speed = "60 rpm" }'

    joint: Name | None = None
    links: TwoLinks | None = None
    between: TwoPoints | None = None
    speed: Anything = None
    law: Anything = None
    table: Anything = None
    csv: Name | None = None
    torque: Anything = None
    force: Anything = None


E = TypeVar("E", bound=Entry)


def read(model: type[E], data: Any, key: str, units: Units) -> tuple[E | None, list[Problem]]:
    """Return the entry, or as much of it as stands, with its mistakes; None where nothing stands.

    >>> entry, problems = read(LinkEntry, {"points": ["A", "B"], "mas": 1}, "links.crank", Units())
    >>> entry.points, str(problems[0])
    (('A', 'B'), "links.crank: unknown key 'mas'; did you mean 'mass'?")
    """
    if not isinstance(data, Mapping):
        return None, [Problem(key, f"expected {model.layout}, found {describe(data)}", f"such as {model.sample}")]
    table = dict(data)
    try:
        return model.model_validate(table, context=units), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems = [_problem(model, key, dict(detail)) for detail in details]
        bad = {detail["loc"][0] for detail in details}
    try:
        return model.model_validate({name: table[name] for name in table if name not in bad}, context=units), problems
    except ValidationError:
        return None, problems


def _problem(model: type[Entry], key: str, detail: dict[str, Any]) -> Problem:
    name = str(detail["loc"][0])
    if detail["type"] == "extra_forbidden":
        hint = misplaced(name) if name in SECTIONS else suggest(name, model.model_fields)
        return Problem(key, f"unknown key '{name}'", hint)
    if detail["type"] == "missing":
        return Problem(key, f"'{name}' is missing", f"such as {model.sample}")
    flaw = detail.get("ctx", {}).get("error")
    if isinstance(flaw, Flaw):
        return Problem(f"{key}.{name}", flaw.message, flaw.hint)
    return Problem(f"{key}.{name}", str(detail["msg"]), f"such as {model.sample}")
