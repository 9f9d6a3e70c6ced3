"""Topology from an adjacency matrix, or from a networkx graph with the same entries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.topology import JOINT_KINDS, Driver, Joint, Topology, suggest
from structkin.model.topology_data import checked, driver_of

T = TypeVar("T", bound=Topology)

#: (first link, second link, text)
_Entry = tuple[int, int, str]


def topology_from_adjacency(
    cls: type[T],
    matrix: Any,
    *,
    ground: Any = 0,
    drivers: Sequence[Any] = (),
    names: Sequence[str] | None = None,
    title: str = "",
) -> T:
    """Build a topology from a symmetric matrix (n, n) of text, or a networkx graph with edge attribute "joints".

    An entry is "" or "KIND:ID", several separated by commas; one id at several connected pairs of links is one
    multiple joint. `names` are the links (default "0", "1", ...; a graph's nodes). `ground` is a name, or an
    index of the matrix. `drivers` are joint ids, or tables {"id", "kind", "links", "joint"}; the driver of a bare
    joint id J is called "drive_J".

    Raises `InputError` listing every error.

    >>> pairs = [["", "R:A,P:s"], ["R:A,P:s", ""]]
    >>> t = topology_from_adjacency(Topology, pairs, names=["frame", "arm"], ground="frame")
    >>> [(joint.kind, joint.id, joint.links) for joint in t.joints]
    [('R', 'A', ('frame', 'arm')), ('P', 's', ('frame', 'arm'))]
    """
    problems: list[Problem] = []
    if hasattr(matrix, "nodes") and hasattr(matrix, "edges"):
        links, entries = _read_graph(matrix, names, problems)
    else:
        links, entries = _read_matrix(matrix, names, problems)
    joints = _joints(links, entries, problems)
    fixed = _link(ground, links)
    if fixed is None:
        problems.append(Problem("ground", f"{ground!r} is not a link", suggest(str(ground), links)))
        fixed = links[0] if links else ""
    known = {joint.id: joint for joint in joints}
    names_known = frozenset(links)
    inputs = tuple(_driver(k, one, known, links, names_known, problems) for k, one in enumerate(drivers))
    return checked(cls, tuple(links), fixed, joints, inputs, title, problems)


def _link(value: Any, links: Sequence[str], known: Collection[str] = ()) -> str | None:
    """Return the link of this name or index; `known` are the links as a set."""
    if str(value) in (known or links):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(links):
        return links[value]
    return None


def _read_graph(graph: Any, names: Sequence[str] | None, problems: list[Problem]) -> tuple[list[str], list[_Entry]]:
    nodes = list(graph.nodes)
    number = {node: k for k, node in enumerate(nodes)}
    links = [str(node) for node in nodes]
    if names is not None:
        if len(names) == len(links):
            links = [str(name) for name in names]
        else:
            problems.append(Problem("names", f"{len(names)} names for {len(links)} nodes"))
    entries = []
    for a, b, attributes in graph.edges(data=True):
        text = attributes.get("joints")
        low, high = sorted((number[a], number[b]))
        if not isinstance(text, str) or not text.strip():
            key = f"edge {links[low]}, {links[high]}"
            problems.append(Problem(key, "has no attribute 'joints'", 'give text such as "R:A"'))
        elif low == high:
            problems.append(Problem(f"edge {links[low]}, {links[high]}", "joins a link to itself"))
        else:
            entries.append((low, high, text))
    return links, sorted(entries, key=lambda entry: entry[:2])


def _read_matrix(matrix: Any, names: Sequence[str] | None, problems: list[Problem]) -> tuple[list[str], list[_Entry]]:
    try:
        lines = [list(line) for line in matrix]
    except TypeError:
        raise InputError([Problem("matrix", f"expected rows of text, found {type(matrix).__name__}")]) from None
    n = len(lines)
    wrong = [k for k, line in enumerate(lines) if len(line) != n]
    if wrong or any(isinstance(line, str) for line in matrix):
        bad = wrong[0] if wrong else 0
        raise InputError([Problem("matrix", f"is not square: row {bad} has {len(lines[bad])} entries, not {n}")])
    flat = [value for line in lines for value in line]
    if all(isinstance(value, int | float | np.number | np.bool_) for value in flat) and any(flat):
        message = "holds numbers, which say neither the kinds nor the names of joints"
        raise InputError([Problem("matrix", message, 'write each as "KIND:ID", such as "R:A", and 0 for no joint')])
    links = [str(k) for k in range(n)]
    if names is not None:
        if len(names) == n:
            links = [str(name) for name in names]
        else:
            problems.append(Problem("names", f"{len(names)} names for {n} links"))
    entries = []
    for a in range(n):
        for b in range(a, n):
            key = f"matrix[{a}][{b}]"
            upper, lower = lines[a][b], lines[b][a]
            texts = [_text(upper), _text(lower)]
            if None in texts:
                value = upper if texts[0] is None else lower
                problems.append(Problem(key, f"{value!r} is not text", 'give "" or "KIND:ID", such as "R:A"'))
            elif a == b and texts[0]:
                problems.append(Problem(key, "joins a link to itself", "leave the diagonal empty"))
            elif _tokens(texts[0]) != _tokens(texts[1]):
                problems.append(Problem(key, f"'{upper}' but '{lower}' in matrix[{b}][{a}]", "make it symmetric"))
            elif texts[0]:
                entries.append((a, b, texts[0]))
    return links, entries


def _text(value: Any) -> str | None:
    """Return an entry's text; empty for None and 0, as in sparse tables; None if it is not text."""
    if value is None or (isinstance(value, int | float | np.number) and not isinstance(value, bool) and value == 0):
        return ""
    return value.strip() if isinstance(value, str) else None


def _tokens(text: str | None) -> list[str]:
    return sorted(part.strip() for part in (text or "").split(","))


def _joints(links: Sequence[str], entries: Sequence[_Entry], problems: list[Problem]) -> tuple[Joint, ...]:
    kinds: dict[str, str] = {}
    pairs: dict[str, dict[tuple[int, int], None]] = {}  # sets that keep the order
    for a, b, text in entries:
        key = f"{links[a]}, {links[b]}"
        for part in text.split(","):
            kind, colon, id = (piece.strip() for piece in part.partition(":"))
            if not colon or not kind or not id:
                problems.append(Problem(key, f"'{part.strip()}' is not a joint", 'write "KIND:ID", such as "R:A"'))
            elif kind not in JOINT_KINDS:
                problems.append(Problem(key, f"kind '{kind}' is unknown", f"known: {', '.join(JOINT_KINDS)}"))
            elif kinds.setdefault(id, kind) != kind:
                problems.append(
                    Problem(key, f"joint '{id}' is {kind} here and {kinds[id]} elsewhere", "give each joint its own id")
                )
            elif (a, b) in pairs.setdefault(id, {}):
                problems.append(Problem(key, f"'{id}' appears twice", "give each joint its own id"))
            else:
                pairs[id][a, b] = None
    joints = []
    for id, places in pairs.items():
        if not _connected(places):
            text = "appears at pairs of links that have no link in common"
            problems.append(Problem(f"joints.{id}", text, "give each joint its own id"))
        elif places:
            members = sorted({k for pair in places for k in pair})
            joints.append(Joint(id, kinds[id], tuple(links[k] for k in members)))
    return tuple(joints)


def _connected(pairs: Collection[tuple[int, int]]) -> bool:
    near: dict[int, list[int]] = {}
    for a, b in pairs:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    todo = list(near)[:1]
    reached = set(todo)
    while todo:
        fresh = set(near[todo.pop()]) - reached
        reached |= fresh
        todo += fresh
    return len(reached) == len(near)


def _driver(
    k: int,
    given: Any,
    joints: Mapping[str, Joint],
    links: Sequence[str],
    known: Collection[str],
    problems: list[Problem],
) -> Driver:
    if isinstance(given, Driver):
        return given
    if isinstance(given, Mapping):
        id = str(given.get("id", f"driver{k + 1}"))
        name = None if given.get("joint") is None else str(given["joint"])
        table = dict(given)
        if isinstance(table.get("links"), list | tuple):
            table["links"] = [_link(end, links, known) or end for end in table["links"]]
        return driver_of(f"drivers.{id}", id, table, joints.get(name) if name else None, name, problems)
    name = str(given)
    id = f"drive_{name}"
    if name not in joints:
        problems.append(Problem(f"drivers.{id}", f"joint '{name}' is unknown", suggest(name, joints)))
        return Driver(id, "angle", ("", ""), None)
    return driver_of(f"drivers.{id}", id, {}, joints[name], name, problems)
