"""Topology from an adjacency matrix, or from a networkx graph with the same entries, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.topology import JOINT_KINDS, Driver, Joint, Topology, pin_of, suggest
from structkin.model.topology_data import checked, driver_of

if TYPE_CHECKING:
    import networkx as nx

T = TypeVar("T", bound=Topology)

#: The entry of a joint without a kind and a name: a revolute joint, unless `kinds` says otherwise.
_PLAIN = "1"
_FORM = 'write 1, a letter such as "R", or "KIND:ID", such as "R:A"'

#: Entries by row and column; those of empty places are left out.
_Cells = dict[tuple[int, int], str]


def topology_from_adjacency(
    cls: type[T],
    matrix: Any,
    *,
    ground: Any = 0,
    drivers: Sequence[Any] = (),
    names: Sequence[str] | None = None,
    kinds: Mapping[Any, Any] | None = None,
    title: str = "",
) -> T:
    """Build a topology from a symmetric matrix (n, n), dense, sparse or a data frame, or from a networkx graph.

    An entry is 0 or "" for no joint, 1 for a revolute joint, or text: "KIND" or "KIND:ID", several separated by commas.
    One id at several connected pairs of links is one multiple joint; joints without an id are called "J0", "J1", ... in
    the order of the rows. A graph has the entry in the edge attribute "joints", or else in "weight", or else 1.
    `kinds` gives the entries of places that hold 1, by pairs of links. `names` are the links (default "0", "1", ...; a
    graph's nodes); a name "@J" is not a link but the pin of the revolute joint J. Links are called by their name or
    their index in the matrix.

    `drivers` are joint ids, pairs of links (from, to) that one joint connects, `Driver`s, or tables {"id", "kind",
    "links", "joint"}; the driver of a bare joint J is called "drive_J", and at one pair of a multiple joint
    "drive_J_to".

    Raises `InputError` listing every error.

    >>> t = topology_from_adjacency(Topology, [[0, 1], [1, 0]], kinds={(0, 1): "P"}, drivers=[(0, 1)])
    >>> t.joints, t.drivers[0].kind
    ((Joint(id='J0', kind='P', links=('0', '1')),), 'slide')
    >>> pairs = [["", "R:A,P:s"], ["R:A,P:s", ""]]
    >>> t = topology_from_adjacency(Topology, pairs, names=["frame", "arm"], ground="frame")
    >>> [(joint.kind, joint.id, joint.links) for joint in t.joints]
    [('R', 'A', ('frame', 'arm')), ('P', 's', ('frame', 'arm'))]
    """
    problems: list[Problem] = []
    if hasattr(matrix, "nodes") and hasattr(matrix, "edges"):
        links, cells = _read_graph(matrix, names, problems)
    else:
        links, cells = _read_matrix(matrix, names, problems)
    _set_kinds(links, cells, kinds or {}, problems)
    joints = _joints(links, cells, problems)
    fixed = link_named(ground, links)
    if fixed is None:
        problems.append(Problem("ground", f"{ground!r} is not a link", suggest(str(ground), links)))
        fixed = links[0] if links else ""
    known = {joint.id: joint for joint in joints}
    names_known = frozenset(links)
    inputs = tuple(_driver(k, one, known, links, names_known, problems) for k, one in enumerate(drivers))
    own = tuple(link for link in links if pin_of(link) is None)
    return checked(cls, own, fixed, joints, inputs, title, problems)


def adjacency_of(topology: Topology) -> NDArray[np.str_]:
    """Return the matrix (n, n) of entries such as "R:A,P:s", "" where no joint is; see `Topology.adjacency`."""
    _check_names(topology)
    number = {name: k for k, name in enumerate(nodes_of(topology))}
    found = joined(topology)
    width = max((len(",".join(texts)) for texts in found.values()), default=1)
    matrix = np.zeros((len(number), len(number)), dtype=f"<U{width}")
    for (a, b), texts in found.items():
        matrix[number[a], number[b]] = ",".join(texts)
    return matrix


def graph_of(topology: Topology) -> nx.Graph:
    """Return the networkx graph of the matrix, an entry in each edge's "joints"; see `Topology.adjacency_graph`."""
    import networkx as nx

    _check_names(topology)
    graph = nx.Graph(title=topology.title, ground=topology.ground)
    graph.add_nodes_from(nodes_of(topology))
    graph.add_edges_from((a, b, {"joints": ",".join(texts)}) for (a, b), texts in joined(topology).items())
    return graph


def _check_names(topology: Topology) -> None:
    """Raise `InputError` for joints whose id an entry cannot hold, and for links that look like a pin."""
    wrong = [joint.id for joint in topology.joints if "," in joint.id or joint.id.strip() != joint.id or not joint.id]
    problems = [
        Problem(f"joints.{id}", f"an entry of the matrix cannot hold the id {id!r}", "use no comma or outer space")
        for id in wrong
    ]
    problems += [
        Problem(f"links.{link}", "looks like a pin in a matrix", "do not begin with @")
        for link in topology.links
        if pin_of(link) is not None
    ]
    raise_problems(problems, topology.title or "topology")


def nodes_of(topology: Topology) -> tuple[str, ...]:
    """Return what the rows of the matrix stand for: the links, then the pins "@J" that joints are attached to.

    >>> nodes_of(Topology(("g", "a"), "g", (Joint("A", "R", ("g", "a")),)))
    ('g', 'a')
    """
    pins = (end for joint in topology.joints for end in joint.links if pin_of(end) is not None)
    return (*topology.links, *dict.fromkeys(pins))


def joined(topology: Topology) -> dict[tuple[str, str], list[str]]:
    """Return the joints of each pair of links or pins, in both orders; a multiple joint joins every pair.

    >>> joined(Topology(("0", "1"), "0", (Joint("A", "R", ("0", "1")),)))
    {('0', '1'): ['R:A'], ('1', '0'): ['R:A']}
    """
    found: dict[tuple[str, str], list[str]] = {}
    for joint in topology.joints:
        for a, b in combinations(joint.links, 2):
            for pair in ((a, b), (b, a)):
                found.setdefault(pair, []).append(f"{joint.kind}:{joint.id}")
    return found


def link_named(value: Any, links: Sequence[str], known: Collection[str] = ()) -> str | None:
    """Return the link of this name or index; `known` are the links as a set."""
    if str(value) in (known or links):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < len(links):
        return links[int(value)]
    return None


def _named(found: Sequence[str], names: Sequence[str] | None, what: str, problems: list[Problem]) -> list[str]:
    """Return the names of the links, in place of those found."""
    if names is None:
        return list(found)
    if len(names) == len(found):
        return [str(name) for name in names]
    problems.append(Problem("names", f"{len(names)} names for {len(found)} {what}"))
    return list(found)


def _read_graph(graph: Any, names: Sequence[str] | None, problems: list[Problem]) -> tuple[list[str], _Cells]:
    nodes = list(graph.nodes)
    number = {node: k for k, node in enumerate(nodes)}
    links = _named([str(node) for node in nodes], names, "nodes", problems)
    if graph.is_directed():
        problems.append(Problem("graph", "is directed", "give graph.to_undirected(): a joint has no direction"))
    found: dict[tuple[int, int], list[str]] = {}
    for a, b, attributes in graph.edges(data=True):
        low, high = sorted((number[a], number[b]))
        key = f"edge {links[low]}, {links[high]}"
        value = attributes.get("joints", attributes.get("weight", 1))
        text = _text(value)
        if low == high:
            problems.append(Problem(key, "joins a link to itself"))
        elif not text:
            problems.append(Problem(key, f"{value!r} is not a joint", _FORM))
        else:
            found.setdefault((low, high), []).append(text)
    return links, {pair: ",".join(texts) for pair, texts in sorted(found.items())}


def _read_matrix(matrix: Any, names: Sequence[str] | None, problems: list[Problem]) -> tuple[list[str], _Cells]:
    n, given = _entries(matrix, problems)
    links = _named([str(k) for k in range(n)], names, "links", problems)
    cells, read = {}, {place: _text(value) for place, value in given.items()}
    for a, b in sorted({(min(place), max(place)) for place in given}):
        sides = {(a, b), (b, a)} & given.keys()
        upper, lower = read.get((a, b), ""), read.get((b, a), "")
        unread = [place for place in sorted(sides) if read[place] is None]
        if unread:
            unlike = {repr(given[place]): place for place in reversed(unread)}  # a symmetric mistake is one
            for place in sorted(unlike.values()):
                value = given[place]
                found = repr(value) if isinstance(value, str) else str(value)
                problems.append(Problem(place_of(links, *place), f"{found} is not a joint", _FORM))
            for place in sorted(sides.difference(unread)):
                _read_parts(place_of(links, *place), str(read[place] or ""), problems)
        elif a == b and upper:
            problems.append(Problem(place_of(links, a, b), "joins a link to itself", "leave the diagonal empty"))
        elif _tokens(upper) == _tokens(lower):
            if upper:
                cells[a, b] = str(upper)
        else:
            if max(a, b) < n:
                text = f"'{upper}' but '{lower}' in {place_of(links, b, a)}"
                problems.append(Problem(place_of(links, a, b), text, "make the matrix symmetric"))
            for place in sorted(sides):
                _read_parts(place_of(links, *place), str(read[place] or ""), problems)
    return links, cells


def _read_parts(key: str, text: str, problems: list[Problem]) -> list[tuple[str, str]]:
    """Return the kind and the id, empty if there is none, of each joint of an entry."""
    found = []
    for part in text.split(",") if text else ():
        kind, colon, id = (piece.strip() for piece in part.partition(":"))
        kind = "R" if kind == _PLAIN and not colon else kind
        if not kind or (colon and not id):
            problems.append(Problem(key, f"'{part.strip()}' is not a joint", _FORM))
        elif kind not in JOINT_KINDS:
            problems.append(Problem(key, f"kind '{kind}' is unknown", f"known: {', '.join(JOINT_KINDS)}"))
        else:
            found.append((kind, id))
    return found


def place_of(links: Sequence[str], a: int, b: int) -> str:
    """Return an entry's place in words.

    >>> place_of(["frame", "arm"], 0, 1)
    'row frame, column arm'
    """
    row, column = (links[k] if k < len(links) else k for k in (a, b))
    return f"row {row}, column {column}"


def _entries(matrix: Any, problems: list[Problem]) -> tuple[int, dict[tuple[int, int], Any]]:
    """Return the number of rows, and the entries by row and column; of a sparse matrix those that it holds."""
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo().copy()
        entries.sum_duplicates()  # what every other use of the matrix sees
        rows, columns = entries.shape
        if rows != columns:
            raise InputError([Problem("matrix", f"is not square: {rows} rows, {columns} columns")])
        places = zip(entries.row.tolist(), entries.col.tolist(), strict=True)
        return rows, dict(zip(places, entries.data.tolist(), strict=True))
    if hasattr(matrix, "to_numpy"):  # a data frame, whose own iteration gives the names of its columns
        matrix = matrix.to_numpy()
    try:
        lines = [line if isinstance(line, str) else list(line) for line in matrix]
    except TypeError:
        raise InputError([Problem("matrix", f"expected rows of entries, found {type(matrix).__name__}")]) from None
    n = len(lines)
    if any(isinstance(line, str) for line in lines):
        raise InputError([Problem("matrix", "is not square: its rows are texts", "give a list of entries for each")])
    widths = {len(line) for line in lines} - {n}
    if len(widths) == 1 and all(len(line) != n for line in lines):
        problems.append(Problem("matrix", f"is not square: {n} rows, {widths.pop()} columns"))
    for k, line in enumerate(lines):
        if len(line) != n and len(widths) > 0:
            problems.append(Problem(f"row {k}", f"the matrix is not square: {len(line)} entries, not {n}"))
    return n, {(a, b): value for a, line in enumerate(lines) for b, value in enumerate(line)}


def _text(value: Any) -> str | None:
    """Return an entry's text; empty for None and 0, as in sparse tables; None if it is neither text nor 0 or 1."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = float(text)
        except ValueError:
            return text
    if isinstance(value, int | float | np.number | np.bool_) and value in (0, 1):
        return _PLAIN if value else ""
    return None


def _tokens(text: str | None) -> list[str]:
    return sorted(part.strip() for part in (text or "").split(","))


def _set_kinds(links: Sequence[str], cells: _Cells, kinds: Mapping[Any, Any], problems: list[Problem]) -> None:
    """Write the given kinds into the places that hold 1."""
    number = {link: k for k, link in enumerate(links)}
    given: dict[tuple[int, int], str] = {}
    for pair, text in kinds.items():
        key = f"kinds[{pair!r}]"
        ends = [link_named(end, links) for end in pair] if isinstance(pair, tuple) else []
        if len(ends) != 2 or None in ends:
            problems.append(Problem(key, "is not a pair of links", "such as {(0, 1): 'P'}"))
            continue
        if not isinstance(text, str):
            problems.append(Problem(key, f"{text!r} is not a kind", f"known: {', '.join(JOINT_KINDS)}"))
            continue
        low, high = sorted(number[end] for end in ends if end is not None)
        if (low, high) not in cells:
            problems.append(Problem(key, f"there is no joint in {place_of(links, low, high)}", "write 1 there"))
        elif cells[low, high] != _PLAIN:
            found = f"{place_of(links, low, high)} says '{cells[low, high]}' already"
            problems.append(Problem(key, found, "write 1 there, or leave the pair out of kinds"))
        elif given.setdefault((low, high), text) != text:
            problems.append(Problem(key, f"is '{given[low, high]}' and '{text}'", "give each pair once"))
    cells.update(given)


def _joints(links: Sequence[str], cells: _Cells, problems: list[Problem]) -> tuple[Joint, ...]:
    kinds: dict[str, str] = {}
    pairs: dict[str, dict[tuple[int, int], None]] = {}  # sets that keep the order
    read = {place: _read_parts(place_of(links, *place), text, problems) for place, text in cells.items()}
    taken = {id for parts in read.values() for _, id in parts}
    fresh = (name for k in count() if (name := f"J{k}") not in taken)
    for (a, b), kind, id in ((place, kind, id or next(fresh)) for place, parts in read.items() for kind, id in parts):
        key = place_of(links, a, b)
        if kinds.setdefault(id, kind) != kind:
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
    import networkx as nx

    return len(pairs) < 2 or nx.is_connected(nx.Graph(list(pairs)))


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
            table["links"] = [link_named(end, links, known) or end for end in table["links"]]
        return driver_of(f"drivers.{id}", id, table, joints.get(name) if name else None, name, problems)
    if isinstance(given, list | tuple):
        return _driver_between(given, joints.values(), links, known, problems)
    name = str(given)
    id = f"drive_{name}"
    if name not in joints:
        problems.append(Problem(f"drivers.{id}", f"joint '{name}' is unknown", suggest(name, joints)))
        return Driver(id, "angle", ("", ""), None)
    return driver_of(f"drivers.{id}", id, {}, joints[name], name, problems)


def _driver_between(
    pair: Sequence[Any], joints: Iterable[Joint], links: Sequence[str], known: Collection[str], problems: list[Problem]
) -> Driver:
    """Return the driver of the only joint between two links."""
    ends = [link_named(end, links, known) for end in pair]
    nobody = Driver(f"({', '.join(map(str, pair))})", "angle", ("", ""), None)
    key = f"drivers.{nobody.id}"
    if len(ends) != 2 or None in ends or ends[0] == ends[1]:
        problems.append(Problem(key, "is not a pair of links", "such as (0, 1)"))
        return nobody
    first, second = (str(end) for end in ends)
    between = [joint for joint in joints if {first, second} <= set(joint.links)]
    if len(between) != 1:
        found = f"joints {', '.join(joint.id for joint in between)} join" if between else "no joint joins"
        hint = "name one of them" if between else "name two links that a joint connects"
        problems.append(Problem(key, f"{found} {first} and {second}", hint))
        return nobody
    joint = between[0]
    id = f"drive_{joint.id}" + (f"_{second}" if len(joint.links) > 2 else "")
    return driver_of(f"drivers.{id}", id, {"links": [first, second]}, joint, joint.id, problems)
