"""Adjacency matrices as files: CSV, JSON and GraphML there and back, by the commands as well; every mistake listed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from commands import called as run
from random_topology import random_topology

from structkin import Driver, Joint, Topology
from structkin.errors import InputError
from structkin.examples import path
from structkin.files.readers.matrix import read_matrix
from structkin.files.writers.matrix import SUFFIXES, write_matrix

#: A key without a type, at which networkx only warns.
NO_TYPE = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d4" for="edge" attr.name="joints" />'
    '<graph edgedefault="undirected"><node id="a" /></graph></graphml>'
)
PLAIN = "0,1,0,1\n1,0,1,0\n0,1,0,P\n1,0,P,0\n"


def read(file: Path, text: str, **options: Any) -> Topology:
    file.write_text(text)
    found = read_matrix(file, **options)
    assert found is not None
    return found


@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 1000), marks=pytest.mark.slow)], ids=str)
def test_random_topologies_come_back(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        topology = random_topology(seed)
        for suffix in SUFFIXES:
            file = tmp_path / f"matrix{suffix}"
            write_matrix(topology, file)
            again = read_matrix(file)
            assert again == topology, seed
        assert again.structure() == topology.structure()


def test_a_bare_matrix_in_every_format(tmp_path: Path) -> None:
    """The four-bar by hand: one slider, driven between links 0 and 1."""
    expected = Topology(
        ("0", "1", "2", "3"),
        "0",
        (
            Joint("J0", "R", ("0", "1")), Joint("J1", "R", ("0", "3")), Joint("J2", "R", ("1", "2")),
            Joint("J3", "P", ("2", "3")),
        ),
        (Driver("drive_J0", "angle", ("0", "1"), "J0"),),
    )  # fmt: skip
    assert read(tmp_path / "m.csv", "# by hand\n" + PLAIN, drivers=["0,1"]) == expected
    rows = json.dumps([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, "P"], [1, 0, "P", 0]])
    assert read(tmp_path / "m.json", rows, drivers=["J0"]) == expected
    graph = nx.from_numpy_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    graph.edges[2, 3]["joints"] = "P"
    nx.write_graphml(graph, tmp_path / "m.graphml")
    assert read_matrix(tmp_path / "m.graphml", drivers=["0,1"]) == expected


@pytest.mark.parametrize("separator", [";", "\t", "|", " ", "   ", "; "])
def test_other_separators(tmp_path: Path, separator: str) -> None:
    named = "#title,Two\n#driver,m,angle,ground,crank,A\nlinks,crank,ground\ncrank,0,R:A\nground,R:A,0\n"
    for text, drivers in ((PLAIN, ["0,1"]), ("# by hand\n" + PLAIN, ["0,1"]), (named, [])):
        expected = read(tmp_path / "m.csv", text, drivers=drivers)
        assert read(tmp_path / "m.csv", text.replace(",", separator), drivers=drivers) == expected


def test_separators_in_names_and_entries(tmp_path: Path) -> None:
    topology = Topology(("a;b", "c, d|e"), "a;b", (Joint("A x", "R", ("a;b", "c, d|e")),))
    write_matrix(topology, tmp_path / "m.csv")
    assert read_matrix(tmp_path / "m.csv") == topology
    slider = read(tmp_path / "m.csv", "links;the frame;arm\nthe frame;;R:A,P:s\narm;R:A,P:s;\n")
    assert [(joint.id, joint.kind, joint.links) for joint in slider.joints] == [
        ("A", "R", ("the frame", "arm")), ("s", "P", ("the frame", "arm")),
    ]  # fmt: skip


def test_names_and_the_ground(tmp_path: Path) -> None:
    text = "links,crank,ground\ncrank,,R:A\nground,R:A,\n"
    topology = read(tmp_path / "m.csv", text, drivers=["ground, crank"])
    assert (topology.links, topology.ground) == (("crank", "ground"), "ground")
    assert topology.drivers == (Driver("drive_A", "angle", ("ground", "crank"), "A"),)
    assert read(tmp_path / "m.csv", text, ground="0").ground == "crank"
    np.savetxt(tmp_path / "m.csv", [[0, 1], [1, 0]], delimiter=",")  # 0.000000000000000000e+00
    assert read_matrix(tmp_path / "m.csv") == Topology.from_adjacency([[0, 1], [1, 0]])


def test_files_of_other_formats_are_left_to_their_readers(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"title": "the \\"adjacency\\"", "points": {}, "links": {}}')
    (tmp_path / "n.json").write_text('{"points": {}, "links": {"adjacency": []}}')
    for file in (tmp_path / "m.json", tmp_path / "n.json", path("crank_rocker")):
        assert read_matrix(Path(file)) is None


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("m.csv", "0,1,0\n0,0,Z\n1,0,P,0\n", [
            "row 2: the matrix is not square: 4 entries, not 3", "row 0, column 1: '1' but '' in row 1, column 0",
            "row 1, column 2: kind 'Z' is unknown", "row 2, column 2: joins a link to itself",
            "drivers.(0, 9): is not a pair of links",
        ]),
        ("m.csv", "0,1,0,1\n1,0,1,0\n0,1,0,X\n1,0,2\n", [
            "row 3: the matrix is not square", "row 2, column 3: kind 'X' is unknown", "row 3, column 2: '2' is not",
        ]),
        ("m.csv", "0;1;0\n1;0\n0;2;0\n", [
            "row 1: the matrix is not square: 2 entries, not 3", "row 2, column 1: '2' is not a joint",
        ]),
        ("m.json", "[[0, 2], [3, 0]]", ["row 0, column 1: 2 is not a joint", "row 1, column 0: 3 is not a joint"]),
        ("m.csv", "links,a,b\na,,R\nc,R,\n", ["row 1: is called 'c', but its column is 'b'"]),
        ("m.csv", "links,a,b\na,,R,\nb,R\n", ["row 0: the matrix is not square: 3 entries, not 2"]),
        ("m.csv", ",1,1\n1,0,1\n1,1,0\n", ["row 0, column 0: is empty"]),
        ("m.csv", "#driver,motor\n#grund,a\n0,1\n1,0\n", ["#driver: this line is not", "#grund: this line is not"]),
        ("m.csv", "#joint,A,0,1\n#joint,B,0,1\n0,R:A\nR:A,0\n", ["joints.B: is not in the matrix"]),
        ("m.csv", "#joint,A,0,0\n0,R:A\nR:A,0\n", ["joints.A: joins 0, 0 here, but 0, 1 in the matrix"]),
        ("m.csv", "#title,x\n", ["the file has no matrix"]),
        ("m.csv", '"', ["this is not valid CSV"]),
        ("m.json", "[[0, 1], [1, 0", ["this is not valid JSON"]),
        ("m.json", '{"adjacency": 5, "link": []}', ["link: unknown key; did you mean 'links'?", "expected rows"]),
        ("m.json", '{"adjacency": [[0]], "links": 5, "joints": 3, "drivers": [4]}', [
            "links: expected a list of names", "joints: expected a list of tables", "drivers: expected a list",
        ]),
        ("m.graphml", "<graphml", ["this is not valid GraphML"]),
        ("m.graphml", NO_TYPE, ["this is not valid GraphML: No key type for id d4"]),
        ("m.graphml", "<!DOCTYPE x><graphml/>", ["declares entities"]),
    ],
)  # fmt: skip
def test_every_mistake_is_listed(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / name, text, drivers=["0,9"])
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, str(caught.value)
    assert caught.value.source == str(tmp_path / name)


@pytest.mark.parametrize("name", ["a\x01b", " a", "a\nb", "'=a"])
def test_what_would_not_read_back_is_not_written(tmp_path: Path, name: str) -> None:
    topology = Topology(("g", name), "g", (Joint("A", "R", ("g", name)),))
    for suffix in SUFFIXES:
        file = tmp_path / f"m{suffix}"
        try:
            write_matrix(topology, file)
        except InputError:
            assert not file.exists()
        else:
            assert read_matrix(file) == topology


def test_the_commands(tmp_path: Path) -> None:
    plain, csv, graphml = tmp_path / "plain.csv", tmp_path / "matrix.csv", tmp_path / "m.graphml"
    plain.write_text(PLAIN)
    done = run("structure", plain, "--driver", "0,1", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == 0 and [group["kind"] for group in data["groups"]] == ["driven R", "RPR"]
    assert data["topology"]["adjacency"][0] == ["", "R:J0", "", "R:J1"]
    wrong = [sys.executable, "-m", "structkin", "structure", plain, "--driver", "0,2", "--driver", "Q", "--ground", "7"]
    said = subprocess.run(wrong, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "3 errors" in said.stderr and "no joint joins 0 and 2" in said.stderr
    assert run("structure", plain).exit_code == 1  # without a driver nothing is determined
    for arguments in (
        ("structure", path("crank_rocker"), "--driver", "A"),
        ("convert", path("crank_rocker"), tmp_path / "m.tex", "--matrix"),
        ("convert", plain, tmp_path / "m.toml"),
    ):
        assert isinstance(run(*arguments).exception, InputError)
    done = run("convert", path("crank_rocker"), csv, "--matrix")
    assert done.exit_code == 0 and "all else is left out" in done.output
    assert run("convert", csv, graphml).exit_code == run("convert", graphml, tmp_path / "again.csv").exit_code == 0
    assert (tmp_path / "again.csv").read_text() == csv.read_text()
    tables = [run("structure", file, "--json").stdout for file in (csv, graphml, path("crank_rocker"))]
    assert tables[0] == tables[1] == tables[2]
    done = run("convert", csv, tmp_path / "m.json", "--samples", "3")
    assert done.exit_code == 0 and "holds no motion" in done.output
