"""The adjacency matrix of a topology as CSV, JSON or GraphML; see `readers.matrix` for the form.

It is written only if it reads back as the same topology.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from structkin.errors import InputError, Problem
from structkin.files.readers.matrix import CORNER, read_matrix, same_joints
from structkin.model.adjacency import nodes_of
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Topology
from structkin.show.files import heading, table_writer, whole_file

#: The suffixes of a matrix file.
SUFFIXES = (".csv", ".json", ".graphml")


def write_matrix(topology: Topology | Mechanism, path: Path) -> tuple[str, ...]:
    """Write the matrix in the format of the suffix; raise `InputError` if the format cannot hold it.

    Returns a note that lengths are left out, if it is that of a mechanism.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        hint = f"use {', '.join(SUFFIXES)}"
        raise InputError([Problem(str(path), f"'{suffix}' is not a format of a matrix", hint)], "output")
    notes: tuple[str, ...] = ()
    if isinstance(topology, Mechanism):
        topology, notes = topology.topology, ("the matrix holds links, joints and drivers; all else is left out",)
    text = {".csv": _csv, ".json": _json, ".graphml": _graphml}[suffix](topology)
    with TemporaryDirectory() as folder:
        draft = Path(folder, f"matrix{suffix}")
        draft.write_text(text, encoding="utf-8", newline="\n")
        try:
            same = read_matrix(draft) == topology
        except InputError:
            same = False
    if not same:
        found = f"{suffix} cannot hold its names"
        raise InputError([Problem("", found, "use no outer spaces and no control characters")], topology.title)
    with whole_file(path) as file:
        file.write(text)
    return notes


def document(topology: Topology) -> dict[str, Any]:
    """Return the contents of a matrix file in JSON.

    >>> document(Topology.from_adjacency([[0, 1], [1, 0]]))
    {'title': '', 'ground': '0', 'links': ['0', '1'], 'adjacency': [['', 'R:J0'], ['R:J0', '']]}
    """
    data: dict[str, Any] = {"title": topology.title, "ground": topology.ground, "links": list(nodes_of(topology))}
    data["adjacency"] = topology.adjacency().tolist()
    if not same_joints(topology):
        data["joints"] = [{"id": joint.id, "links": list(joint.links)} for joint in topology.joints]
    if topology.drivers:
        data["drivers"] = [
            {"id": one.id, "kind": one.kind, "links": list(one.links)} | ({"joint": one.joint} if one.joint else {})
            for one in topology.drivers
        ]
    return data


def _json(topology: Topology) -> str:
    data = document(topology)
    rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in data.pop("adjacency"))
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()]
    return "{\n" + ",\n".join([*lines, f' "adjacency": [\n{rows}\n ]']) + "\n}\n"


def _csv(topology: Topology) -> str:
    data, file = document(topology), io.StringIO()
    rows = [["#title", data["title"]], ["#ground", data["ground"]]]
    rows += [["#joint", one["id"], *one["links"]] for one in data.get("joints", [])]
    for one in data.get("drivers", []):
        rows.append(["#driver", one["id"], one["kind"], *one["links"], one.get("joint", "")])
    rows.append([CORNER, *data["links"]])
    rows += [[name, *entries] for name, entries in zip(data["links"], data["adjacency"], strict=True)]
    table_writer(file).writerows([heading(cell) for cell in row] for row in rows)
    return file.getvalue()


def _graphml(topology: Topology) -> str:
    import networkx as nx

    graph, data = topology.adjacency_graph(), document(topology)
    graph.graph.update({key: json.dumps(data[key]) for key in ("joints", "drivers") if key in data})
    return "\n".join(nx.generate_graphml(graph)) + "\n"
