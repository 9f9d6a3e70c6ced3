"""A mechanism from a topology and its dimensions: the sections of a mechanism file that the topology implies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from structkin.errors import Problem, raise_problems
from structkin.model.adjacency import link_named
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.topology import JOINT_KINDS, Joint, Topology, pin_of, suggest

#: The usual type of a joint of each kind; an entry of `joints` may name another one with the same structure.
TYPES = {"P": "prismatic", "G": "gear", "C": "cam", "S": "pin-in-slot", "K": "rolling", "F": "fastened"}


class _Names:
    """The names in a mechanism file: its fixed link is called "ground", and pairs of links stand for their joint."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.problems: list[Problem] = []

    def link(self, name: str) -> str:
        return GROUND if name == self.topology.ground else name

    def ends(self, pair: tuple[Any, ...]) -> set[str]:
        """Return the links of a pair, given by names or numbers."""
        return {link_named(end, self.topology.links) or str(end) for end in pair}

    def joint(self, key: str, given: Any) -> str:
        """Return a name as it is, or the id of the only joint between a pair of links."""
        if not isinstance(given, tuple):
            return str(given)
        ends = self.ends(given)
        found = [joint.id for joint in self.topology.joints if len(ends) == 2 and ends <= set(joint.links)]
        if len(found) != 1:
            text = f"joints {', '.join(found)} join these links" if found else "is not a pair of links with a joint"
            self.problems.append(Problem(f"{key}.{given}", text, "name the joint"))
        return found[0] if found else str(given)

    def keyed(self, key: str, section: Mapping[Any, Any] | None) -> dict[str, Any]:
        """Return a section by the ids of joints."""
        table: dict[str, Any] = {}
        for given, value in (section or {}).items():
            id = self.joint(key, given)
            if id in table:
                self.problems.append(Problem(f"{key}.{id}", "is given twice", "give it once"))
            table[id] = value
        return table


def mechanism_of(
    topology: Topology,
    points: Mapping[Any, Any],
    *,
    links: Mapping[str, Any] | None,
    joints: Mapping[Any, Any] | None,
    drivers: Mapping[Any, Any] | None,
    **sections: Any,
) -> Mechanism:
    """Return the mechanism, see `Topology.mechanism`; raise `InputError` unless its topology is the one given."""
    names = _Names(topology)
    tables = {"joints": joints or {}, "drivers": drivers or {}}
    for key, table in tables.items():
        bad = [id for id, value in table.items() if not isinstance(value, Mapping)]
        names.problems += [Problem(f"{key}.{id}", "expected a table", "such as {'axis': (1, 0)}") for id in bad]
    for name, value in (links or {}).items():
        if not isinstance(value.get("points", []) if isinstance(value, Mapping) else value, list | tuple):
            names.problems.append(Problem(f"links.{name}", "expected a list of points", "such as ['P']"))
    raise_problems(names.problems, topology.title or "topology", more=True)
    if topology.ground != GROUND and GROUND in topology.links:
        names.problems.append(Problem(f"links.{GROUND}", "is a link that moves", "choose another name"))
    places = names.keyed("points", points)
    pins = [joint for joint in topology.joints if joint.kind == "R"]
    for joint in pins:
        if joint.id not in places:
            text = f"has no position; it joins {' and '.join(joint.links)}"
            names.problems.append(Problem(f"points.{joint.id}", text, suggest(joint.id, places)))
        if any(pin_of(end) is not None for end in joint.links):
            text = "is attached to the pin of another joint"
            names.problems.append(Problem(f"joints.{joint.id}", text, "make it one joint of all these links"))
    slides = _slides(names, places)
    table = _links(names, pins, links or {})
    for joint_id, (link, point) in slides.items():
        entry = table[link]
        (entry["points"] if isinstance(entry, dict) else entry).append(point)
        places[point] = places.pop(joint_id)
    data = {
        **sections,
        "points": places,
        "links": table,
        "joints": _joints(names, names.keyed("joints", joints), {id: point for id, (_, point) in slides.items()}),
        "drivers": _drivers(names, drivers or {}),
    }
    raise_problems(names.problems, topology.title or "topology")
    built = Mechanism(**data)
    _compare(names, built)
    return built


def _links(names: _Names, pins: list[Joint], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the points of each link, its pins first, and what else is given."""
    more = {names.link(name): value for name, value in given.items()}
    table: dict[str, Any] = {}
    for link in names.topology.links:
        entry = more.pop(names.link(link), [])
        own = [joint.id for joint in pins if link in joint.links]
        if isinstance(entry, Mapping):
            table[names.link(link)] = {**entry, "points": [*own, *entry.get("points", ())]}
        else:
            table[names.link(link)] = [*own, *entry]
    names.problems += [Problem(f"links.{name}", "is not a link", suggest(name, table)) for name in more]
    return table


def _slides(names: _Names, places: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the link and the name of the point at each slide that has a place; a link without a pin comes first."""
    found: dict[str, tuple[str, str]] = {}
    pinned = {link for joint in names.topology.joints if joint.kind == "R" for link in joint.links}
    for joint in names.topology.joints:
        if joint.kind == "P" and joint.id in places:
            moving = [link for link in joint.links if link != names.topology.ground]
            point = f"{joint.id}_at"
            if point in places:
                names.problems.append(Problem(f"points.{point}", f"is the place of slide {joint.id}", "rename it"))
            found[joint.id] = names.link(min(moving, key=pinned.__contains__)), point
    return found


def _joints(names: _Names, given: dict[str, Any], at: Mapping[str, str]) -> dict[str, Any]:
    """Return the entries of all joints but the pins; those named in `at` are at a point."""
    table: dict[str, Any] = {}
    for joint in names.topology.joints:
        if joint.kind != "R":
            ends = {} if any(map(pin_of, joint.links)) else {"links": [names.link(end) for end in joint.links]}
            place = {"at": at[joint.id]} if joint.id in at else {}
            table[joint.id] = {"type": TYPES[joint.kind], **ends, **place, **given.pop(joint.id, {})}
    names.problems += [
        Problem(f"joints.{id}", "is not a joint with dimensions", suggest(id, table) if table else "pins have points")
        for id in given
    ]
    return table


def _drivers(names: _Names, given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the entries of the topology's drivers, and of those that are given in addition."""
    own = {(driver.joint, frozenset(driver.links)): driver.id for driver in names.topology.drivers}
    more: dict[str, Any] = {}
    for key, value in given.items():
        id, entry = str(key), value
        if isinstance(key, tuple):
            joint = names.joint("drivers", key)
            id = own.get((joint, frozenset(names.ends(key))), f"drive_{joint}")
            entry = value if id in own.values() else {"joint": joint, **value}
        if id in more:
            names.problems.append(Problem(f"drivers.{id}", "is given twice", "give it once"))
        more[id] = entry
    table: dict[str, Any] = {}
    for driver in names.topology.drivers:
        what: dict[str, Any] = {} if driver.joint is None else {"joint": driver.joint}
        if driver.kind == "angle":
            what["links"] = [names.link(end) for end in driver.links]
        table[driver.id] = {**what, **more.pop(driver.id, {})}
    return {**table, **more}


def _compare(names: _Names, built: Mechanism) -> None:
    """Raise `InputError` for joints and drivers that the dimensions made different."""

    def told(kind: str, links: frozenset[str], joint: str | None = None) -> str:
        word = JOINT_KINDS[kind].name if kind in JOINT_KINDS else kind
        return f"{word} between {' and '.join(sorted(links))}" + (f" at {joint}" if joint else "")

    wanted, found = (
        {
            **{f"joints.{one.id}": told(one.kind, frozenset(map(link, one.links))) for one in topology.joints},
            **{
                f"drivers.{one.id}": told(one.kind, frozenset(map(link, one.links)), one.joint)
                for one in topology.drivers
            },
        }
        for topology, link in ((names.topology, names.link), (built.topology, str))
    )
    problems = [
        Problem(key, f"is {found.get(key, 'missing')}, but {text} in the topology")
        for key, text in wanted.items()
        if found.get(key) != text
    ]
    extra = [one for one in built.topology.joints if f"joints.{one.id}" not in wanted and one.id not in built._added]
    problems += [Problem(f"joints.{one.id}", "is not in the topology", "share no other point") for one in extra]
    raise_problems(problems, names.topology.title or "topology")
