"""A topology from a file that holds its adjacency matrix: CSV, JSON, or GraphML by networkx.

The CSV file has a row for each link; the entries are those of `Topology.from_adjacency`. Commas, semicolons, tabs, bars
or blanks separate them: what makes the matrix square. If the first cell is "links", the first row and column hold the
names. Lines before it that begin with #title, #ground, #driver (id, kind, from, to, joint) or #joint (id and links, for
all joints in their order) say what a matrix cannot; "# " begins a comment. JSON and GraphML have the same words as
keys. Without #ground, the link called "ground" is fixed, or else the first.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.adjacency import nodes_of
from structkin.model.file import LONGEST_FILE, check_length, parse_data
from structkin.model.flaw import Flaw
from structkin.model.mechanism import GROUND
from structkin.model.tables import SEPARATORS, SHEET, read_text
from structkin.model.topology import Joint, Topology, suggest

KEYS = ("title", "ground", "links", "adjacency", "joints", "drivers")
#: The first cell of a table with names; what a spreadsheet would take for a formula stands after an apostrophe.
CORNER, FORMULA = "links", re.compile(r"'(?=[=+\-@])")
#: What the marked lines of a CSV file hold, by their first cells.
MARKS = {"#title": "title", "#ground": "ground", "#joint": "joints", "#driver": "drivers"}
SUFFIXES = (".csv", ".graphml")


def read_matrix(path: Path, *, drivers: Sequence[str] = (), ground: str | None = None) -> Topology | None:
    """Return the topology of a matrix file; None if the suffix and the content are those of another format.

    `drivers` are joints, or pairs of links such as "0,1", in addition to those of the file. Raises `InputError` that
    lists every error.
    """
    try:
        suffix = path.suffix.lower()
        if suffix not in (*SUFFIXES, ".json"):
            return None
        text = read_text(path, remedy=SHEET)
        if suffix == ".json" and not (text.lstrip()[:1] == "[" or '"adjacency"' in text):
            return None
        check_length(text, LONGEST_FILE)
        problems: list[Problem] = []
        data = {".csv": _csv, ".json": _json, ".graphml": _graphml}[suffix](text, problems)
        if suffix == ".json" and "adjacency" not in data:
            return None  # the word is somewhere inside
        return topology_of(data, problems, drivers, ground)
    except Flaw as flaw:
        raise InputError([Problem("", flaw.message, flaw.hint)], str(path)) from None
    except InputError as error:
        raise InputError(error.problems, str(path)) from None


def topology_of(
    data: Mapping[str, Any], problems: list[Problem], drivers: Sequence[str] = (), ground: str | None = None
) -> Topology:
    """Return the topology of a file's data; raise `InputError` with all problems, those found before among them."""
    problems += [Problem(key, "unknown key", suggest(key, KEYS)) for key in data if key not in KEYS]
    names = data.get("links")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str | int) for name in names)):
        problems.append(Problem("links", "expected a list of names"))
        names = None
    matrix = data["adjacency"]
    nodes = [str(name) for name in (getattr(matrix, "nodes", ()) if names is None else names)]
    fixed = data.get("ground", GROUND if GROUND in nodes else 0) if ground is None else _link(ground)
    own = _tables("drivers", data.get("drivers", []), problems)
    order = _tables("joints", data.get("joints", []), problems)
    title = str(data.get("title", ""))
    asked = [tuple(map(_link, text.split(","))) if "," in text else text for text in drivers]

    def built_with(drivers: Sequence[Any]) -> Topology:
        return Topology.from_adjacency(matrix, ground=fixed, drivers=drivers, names=names, title=title)

    try:
        built = built_with([*own, *asked])
    except InputError as error:
        with suppress(InputError):  # the joints may be right
            _in_order(built_with(()), order, problems)
        raise InputError([*problems, *error.problems]) from None
    joints = _in_order(built, order, problems)
    raise_problems(problems)
    return replace(built, joints=joints)


def _link(text: str) -> str | int:
    text = text.strip()
    return int(text) if text.isdecimal() else text


def _tables(key: str, value: Any, problems: list[Problem]) -> list[Mapping[str, Any]]:
    if isinstance(value, list) and all(
        isinstance(one, Mapping) and "id" in one and isinstance(one.get("links", []), list) for one in value
    ):
        return value
    problems.append(Problem(key, "expected a list of tables with an id", 'such as [{"id": "A", "links": ["0", "1"]}]'))
    return []


def _in_order(topology: Topology, order: Sequence[Mapping[str, Any]], problems: list[Problem]) -> tuple[Joint, ...]:
    """Return the joints in the order of the file, each with its links in that order."""
    if not order:
        return topology.joints
    known = {joint.id: joint for joint in topology.joints}
    given = {str(one["id"]): [str(end) for end in one.get("links", ())] for one in order}
    for id in [*known, *(id for id in given if id not in known)]:
        if id not in given:
            problems.append(Problem(f"joints.{id}", "is in the matrix, but not among the joints", "list all or none"))
        elif id not in known:
            problems.append(Problem(f"joints.{id}", "is not in the matrix", suggest(id, known)))
        elif sorted(given[id]) != sorted(known[id].links):
            found = f"joins {', '.join(given[id])} here, but {', '.join(known[id].links)} in the matrix"
            problems.append(Problem(f"joints.{id}", found))
    if len(given) != len(order):
        problems.append(Problem("joints", "an id appears twice", "list each joint once"))
    return tuple(Joint(id, known[id].kind, tuple(ends)) for id, ends in given.items() if id in known)


def _json(text: str, problems: list[Problem]) -> dict[str, Any]:
    return parse_data(f'{{"adjacency": {text}}}' if text.lstrip()[:1] == "[" else text, ".json")


def _graphml(text: str, problems: list[Problem]) -> dict[str, Any]:
    import networkx as nx

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Flaw("the file declares entities, which are not read", "delete <!DOCTYPE ...>")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what networkx leaves out is not left out here
            graph = nx.parse_graphml(text)
    except (nx.NetworkXError, ParseError, KeyError, ValueError, Warning) as error:
        raise Flaw(f"this is not valid GraphML: {error}") from None
    data = {key: value for key, value in graph.graph.items() if key in KEYS}
    for key in ("joints", "drivers"):
        if key in data:
            try:
                data[key] = json.loads(data[key])
            except (TypeError, ValueError) as error:
                data[key] = []
                problems.append(Problem(key, f"is not valid JSON: {error}"))
    return {**data, "adjacency": graph}


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the lines of a table that are not empty; a blank stands for any number of blanks."""
    lines = "\n".join(line.strip() for line in text.splitlines()) if separator == " " else text
    stream, comma = io.StringIO(lines, newline=""), separator == ","
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=not comma, strict=True)
    return (row for row in reader if row)


def _fitting(text: str, separator: str) -> tuple[int, int]:
    """Return how many rows are as long as a square matrix, and how many have several cells, with this separator."""
    try:
        rows = [row for row in _rows(text, separator) if not row[0].startswith("#")]
    except csv.Error:
        return 0, 0
    return sum(len(row) == len(rows) for row in rows), sum(len(row) > 1 for row in rows)


def _csv(text: str, problems: list[Problem]) -> dict[str, Any]:
    separator = max((",", *SEPARATORS), key=lambda one: _fitting(text, one))
    try:
        rows = list(_rows(text, separator))
    except csv.Error as error:
        raise Flaw(f"this is not valid CSV: {error}") from None
    rows = [[FORMULA.sub("", cell, count=1) if cell[:1] == "'" else cell for cell in row] for row in rows]
    data: dict[str, Any] = {"joints": [], "drivers": []}
    while rows and rows[0][0].startswith("#"):
        mark, *cells = rows.pop(0)
        if mark in ("#title", "#ground") and cells:
            data[MARKS[mark]] = cells[0]
        elif mark == "#joint" and cells:
            data["joints"].append({"id": cells[0], "links": [cell for cell in cells[1:] if cell]})
        elif mark == "#driver" and len(cells) >= 4:
            driver = {"id": cells[0], "kind": cells[1], "links": cells[2:4]}
            data["drivers"].append({**driver, "joint": cells[4]} if cells[4:] and cells[4] else driver)
        elif not mark.startswith("# ") and mark != "#":
            problems.append(Problem(mark, "this line is not understood", f"known: {', '.join(MARKS)}, and '# ' notes"))
    if not rows:
        raise Flaw("the file has no matrix", "write a row of 0 and 1 for each link")
    if rows[0][0].strip() != CORNER:
        if not rows[0][0].strip():
            hint = f"write '{CORNER}' there before names, or 0 before entries"
            problems.append(Problem("row 0, column 0", "is empty, so the first row may hold names or entries", hint))
        return {**data, "adjacency": rows}
    names = rows[0][1:]
    for k, row in enumerate(rows[1:]):
        if k >= len(names) or row[0] != names[k]:
            column = f"'{names[k]}'" if k < len(names) else "missing"
            problems.append(Problem(f"row {k}", f"is called '{row[0]}', but its column is {column}"))
    matrix = [row[1:] for row in rows[1:]]
    return {**data, "links": names if len(names) == len(matrix) else [row[0] for row in rows[1:]], "adjacency": matrix}


def same_joints(topology: Topology) -> bool:
    """Return whether the matrix alone gives the joints in their order."""
    plain = Topology.from_adjacency(topology.adjacency(), names=nodes_of(topology), ground=topology.ground)
    return plain.joints == topology.joints
