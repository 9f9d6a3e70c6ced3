"""The numbers of a mechanism by their keys in its file, such as `links.crank.mass`; mechanisms with other numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from structkin.errors import InputError
from structkin.model.flaw import Flaw
from structkin.model.flaw import number as plain_number
from structkin.model.mechanism import Mechanism
from structkin.model.near import seen_from
from structkin.model.topology import suggest
from structkin.model.units import Noted, si_unit, unit_of

#: Sections whose numbers move nothing: masses and loads.
STILL = ("links", "forces", "initial")
_COMPONENTS = {"x": 0, "y": 1}
#: Numbers that a link may have.
_OF_LINKS = ("mass", "center", "inertia", "density")


@dataclass(frozen=True)
class Number:
    """A number of a description: its key, the way to it, and the quantity that it is, a key of `QUANTITIES`.

    Of a number without unit, such as a ratio, `quantity` is empty.
    """

    key: str
    path: tuple[str | int, ...]
    quantity: str

    @property
    def is_speed(self) -> bool:
        """Whether it is the speed of a driver."""
        return self.path[0] == "drivers" and self.path[-1] == "speed"

    @property
    def moves(self) -> bool:
        """Whether the motion may depend on it, in other ways than on the speed of a driver."""
        effort = self.path[0] == "drivers" and self.path[2] in ("torque", "force", "speed")
        return self.path[0] not in STILL and not effort

    def write(self, data: dict[str, Any], value: float) -> None:
        """Write a value in SI into a description."""
        at: Any = data
        for name in self.path[:-1]:
            at = at.setdefault(name, {}) if isinstance(at, dict) else at[name]
        if self.path[0] == "lengths":
            at.pop("-".join(reversed(str(self.path[1]).split("-"))), None)
        at[self.path[-1]] = f"{value!r} {si_unit(self.quantity)}" if self.quantity else value


_OF_A_LAW = "is part of a law", "pass the values of the driver, or vary its speed"


def number_of(mechanism: Mechanism, key: str, *, laws: bool = False) -> Number:
    """Return the number with a key, such as "lengths.A-B", "points.P.x" or "forces.spring.stiffness".

    Raises `Flaw` where the mechanism has no such number, and for those of a driver's law; with `laws`, but for a table.
    """
    section, _, name = key.partition(".")
    if section == "lengths":
        length_of(mechanism, name)
        return Number(key, (section, name), "length")
    data = mechanism.source_dict
    path = _path(data, key)
    value = _at(data, path)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Flaw("is not a number of this mechanism", "name one of its numbers, such as points.P.x")
    if path[0] in ("title", "format", "notes", "units", "duration"):
        raise Flaw("is the same for all variants", "name a number of a point, link, joint, driver or force")
    if path[0] == "drivers" and path[2] in ("law", "table", "csv"):
        if not laws or path[2] != "table":
            raise Flaw(*_OF_A_LAW)
        return Number(key, path, "time" if path[-1] == 0 else mechanism.drivers[str(path[1])].quantity)
    if isinstance(value, str):
        try:
            return Number(key, path, unit_of(value))
        except Flaw as flaw:
            raise Flaw(f"is not a number of this mechanism: {flaw.message}") from None
    noted = Noted(value)
    _put(data, path, noted)
    try:
        Mechanism.from_dict(data, folder=mechanism._folder)
    except InputError:
        raise Flaw("is a count, not a number that varies", "vary a length, a mass, a speed or a load") from None
    return Number(key, path, noted.quantity)


def with_numbers(mechanism: Mechanism, values: Mapping[Number, float]) -> Mechanism:
    """Return a mechanism with other numbers, in SI; `InputError` where it cannot be built."""
    data = mechanism.source_dict
    for number, value in values.items():
        number.write(data, value)
    return rebuilt(mechanism, data)


def rebuilt(mechanism: Mechanism, data: dict[str, Any]) -> Mechanism:
    """Return a mechanism of another description, in the pose of this one; `InputError` where it cannot be built."""
    other = _drawn(mechanism, data)
    return other if mechanism._pose is None else other.posed(mechanism._pose)


def drawn_places(mechanism: Mechanism) -> Mapping[str, complex]:
    """Return the places [m] of points in the sketch of the file, which a mechanism in another pose does not have."""
    return mechanism.places if mechanism._pose is None else _drawn(mechanism, mechanism.source_dict).places


def _drawn(mechanism: Mechanism, data: dict[str, Any]) -> Mechanism:
    other = Mechanism.from_dict(data, folder=mechanism._folder)
    return seen_from(other, mechanism.units.origin) if mechanism.units.origin else other


def length_of(mechanism: Mechanism, pair: str) -> float:
    """Return the distance [m] of two points of a link, "A-B"; raise `Flaw` where no link has both."""
    ends = set(pair.split("-"))
    for link in mechanism.links.values():
        if len(ends) == 2 and ends <= set(link.points):
            a, b = (link.local[point] for point in ends)
            return abs(b - a)
    raise Flaw("no link has these two points", 'name two points of a link: "lengths.A-B"')


def name_in(names: Iterable[str], key: str) -> str | None:
    """Return the name that a key begins with, up to a dot or its end: the longest, as names may have dots in them.

    >>> name_in(["guide", "guide.2"], "guide.2.axis"), name_in(["guide"], "guides")
    ('guide.2', None)
    """
    return max((name for name in names if key == name or key.startswith(f"{name}.")), key=len, default=None)


def own_value(mechanism: Mechanism, number: Number) -> float:
    """Return the value of a number in the mechanism itself, in SI."""
    if number.path[0] == "lengths":
        return length_of(mechanism, str(number.path[1]))
    return number_in_si(mechanism, number.quantity, _at(mechanism.source_dict, number.path))


def number_in_si(mechanism: Mechanism, quantity: str, value: Any, sign: str = "") -> float:
    """Return a value as it is written in a file, a number in the file's unit or text with a unit, in SI.

    `quantity` is that of a `Number`, `sign` as in `Units.quantity`. Raises `Flaw` where it is none.
    """
    return mechanism.units.quantity(value, quantity, sign) if quantity else plain_number(value)


def _path(data: Any, key: str) -> tuple[str | int, ...]:
    """Return the names and indices on the way to a key; names may have dots in them."""
    path: list[str | int] = []
    at, rest = data, key
    while rest:
        name = rest.split(".")[0]
        if isinstance(at, Mapping):
            found = name_in(at, rest)
            if found is None:
                raise _missing(path, name, at)
            name = found
            at = at[name]
            path.append(name)
        else:
            index = _COMPONENTS.get(name, int(name) if name.isdecimal() else -1)
            if isinstance(at, str) and path[0] == "drivers" and path[-1] == "law":
                raise Flaw(*_OF_A_LAW)
            if not isinstance(at, list) or not 0 <= index < len(at):
                raise _missing(path, name, _OF_LINKS if path[:-1] == ["links"] else _COMPONENTS)
            at = at[index]
            path.append(index)
        rest = rest[len(name) + 1 :]
    return tuple(path)


def _missing(path: Sequence[str | int], name: str, known: Iterable[str]) -> Flaw:
    """Return what is wrong with a name that a description does not have at a path."""
    if name in _OF_LINKS and path[:-1] == ["links"]:
        return Flaw(f"link '{path[-1]}' has no {name} in the mechanism", "give it one first")
    return Flaw("is not a number of this mechanism", suggest(name, known))


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for name in path:
        data = data[name]
    return data


def _put(data: Any, path: tuple[str | int, ...], value: Any) -> None:
    _at(data, path[:-1])[path[-1]] = value
