"""Topology from plain data, such as a JSON entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.topology import Driver, Joint, Topology, suggest

T = TypeVar("T", bound=Topology)

#: The kind of a driver that only names its joint.
_DRIVER_OF_JOINT = {"R": "angle", "P": "slide", "S": "slide"}


def topology_from_dict(cls: type[T], data: Mapping[str, Any]) -> T:
    """Build a topology from the keys links, ground, joints, drivers (and title or name); other keys are ignored.

    Names may be integers. A joint is {"id", "kind", "links"}. A driver is {"id", "kind", "links", "joint"}: with
    a joint of two links, kind and links may be omitted; without a joint, an angle driver drives the relative angle
    of two links. Both may have "at", the points at which they act.

    Raises `InputError` listing every error.

    >>> topology_from_dict(Topology, {"links": ["g", "a"], "ground": "g",
    ...     "joints": [{"id": "A", "kind": "R", "links": ["g", "a"]}],
    ...     "drivers": [{"id": "motor", "joint": "A"}]}).drivers[0]
    Driver(id='motor', kind='angle', links=('g', 'a'), joint='A')
    """
    if not isinstance(data, Mapping):
        raise InputError([Problem("", f"expected a table, found {type(data).__name__}", "give links, ground, joints")])
    problems: list[Problem] = []
    links = tuple(_names("links", data.get("links"), problems))
    ground = ""
    if "ground" not in data:
        problems.append(Problem("ground", "is missing", "name the fixed link"))
    else:
        ground = _name("ground", data["ground"], problems)
    joints = tuple(_joint(k, one, problems) for k, one in enumerate(_tables("joints", data.get("joints"), problems)))
    known = {joint.id: joint for joint in joints}
    given = data.get("drivers", [])
    drivers = tuple(_driver(k, one, known, problems) for k, one in enumerate(_tables("drivers", given, problems)))
    title = data.get("title", data.get("name", ""))
    return checked(cls, links, ground, joints, drivers, title if isinstance(title, str) else str(title), problems)


def checked(
    cls: type[T],
    links: tuple[str, ...],
    ground: str,
    joints: tuple[Joint, ...],
    drivers: tuple[Driver, ...],
    title: str,
    problems: list[Problem],
) -> T:
    """Return the topology, or raise all errors at once: those of reading and those of consistency."""
    try:
        topology = cls(links=links, ground=ground, joints=joints, drivers=drivers, title=title)
    except InputError as error:
        seen = {problem.key for problem in problems}
        more = [problem for problem in error.problems if problem.key not in seen]
        raise InputError([*problems, *more], title or "topology") from None
    raise_problems(problems, title or "topology")
    return topology


def _name(key: str, value: Any, problems: list[Problem]) -> str:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    problems.append(Problem(key, f"{value!r} is not a name", "names are text or integers"))
    return ""


def _listed(key: str, value: Any, what: str, problems: list[Problem]) -> Sequence[Any]:
    if isinstance(value, list | tuple):
        return value
    found = "is missing" if value is None else f"expected a list, found {type(value).__name__}"
    problems.append(Problem(key, found, f"give a list of {what}"))
    return ()


def _names(key: str, value: Any, problems: list[Problem]) -> list[str]:
    return [_name(key, one, problems) for one in _listed(key, value, "names", problems)]


def _tables(key: str, value: Any, problems: list[Problem]) -> list[Mapping[str, Any]]:
    tables = []
    for k, one in enumerate(_listed(key, value, "tables", problems)):
        if isinstance(one, Mapping):
            tables.append(one)
        else:
            problems.append(Problem(f"{key}[{k}]", f"expected a table, found {one!r}"))
    return tables


def _field(key: str, table: Mapping[str, Any], field: str, problems: list[Problem]) -> str:
    if field in table:
        return _name(f"{key}.{field}", table[field], problems)
    problems.append(Problem(key, f"has no {field}", _closest(field, table)))
    return ""


def _closest(field: str, table: Mapping[str, Any]) -> str:
    near = suggest(field, [str(key) for key in table])
    return near.replace("did you mean", f"'{field}' instead of") if near.startswith("did") else ""


def _joint(k: int, table: Mapping[str, Any], problems: list[Problem]) -> Joint:
    id = _field(f"joints[{k}]", table, "id", problems) or f"#{k}"
    kind = _field(f"joints.{id}", table, "kind", problems)
    links = tuple(_names(f"joints.{id}.links", table.get("links"), problems))
    return Joint(id, kind, links, _at(f"joints.{id}.at", table, problems))


def _at(key: str, table: Mapping[str, Any], problems: list[Problem]) -> tuple[str, ...]:
    given = _listed(key, table.get("at", ()), "points", problems)
    return tuple("" if one == "" else _name(key, one, problems) for one in given)


def _driver(k: int, table: Mapping[str, Any], joints: Mapping[str, Joint], problems: list[Problem]) -> Driver:
    id = _field(f"drivers[{k}]", table, "id", problems) or f"#{k}"
    key = f"drivers.{id}"
    name = None if table.get("joint") is None else _name(f"{key}.joint", table["joint"], problems)
    return driver_of(key, id, table, joints.get(name) if name else None, name, problems)


def driver_of(
    key: str, id: str, table: Mapping[str, Any], joint: Joint | None, name: str | None, problems: list[Problem]
) -> Driver:
    """Return a driver, taking from its joint what the table omits."""
    if "kind" in table or joint is None:
        kind = _field(key, table, "kind", problems)
    else:
        kind = _DRIVER_OF_JOINT.get(joint.kind, "")
        if not kind:
            hint = "drive a revolute or prismatic joint, or give the driver's kind and links"
            problems.append(Problem(key, f"joint '{joint.id}' of kind '{joint.kind}' has no coordinate to drive", hint))
    if "links" in table or joint is None:
        links = tuple(_names(f"{key}.links", table.get("links"), problems))
    else:
        links = joint.links
    if len(links) != 2:
        hint = "give links = [from, to]"
        problems.append(Problem(key, f"a driver acts between two links, not {len(links)}", hint))
        links = (*links, "", "")
    return Driver(id, kind, (links[0], links[1]), name, _at(f"{key}.at", table, problems))
