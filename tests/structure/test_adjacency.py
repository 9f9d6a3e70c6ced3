"""Plain matrices of 0 and 1 as topologies and back: every form gives the same, every mistake its row and column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from structkin import Driver, Joint, Topology, TopologyArrays
from structkin.errors import InputError

#: A four-bar by hand: links 0-1, 0-3, 1-2 and 2-3 are joined.
SQUARE = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
JOINTS = (
    Joint("J0", "R", ("0", "1")),
    Joint("J1", "R", ("0", "3")),
    Joint("J2", "R", ("1", "2")),
    Joint("J3", "P", ("2", "3")),
)

FORMS: list[Callable[[Any], Any]] = [
    np.array,
    lambda a: np.array(a, dtype=float),
    lambda a: np.array(a, dtype=bool),
    lambda a: a,
    lambda a: sp.csr_array(np.array(a)),
    lambda a: sp.coo_matrix(np.array(a)),
    lambda a: sp.dok_array(np.array(a)),
    lambda a: pytest.importorskip("pandas").DataFrame(a, [*"gabc"], [*"gabc"]),
]
MORE: list[Callable[[Any], Any]] = [
    lambda a: np.array(a).astype(str),
    lambda a: np.array(a, dtype=float).astype(str),
    lambda a: nx.from_numpy_array(np.array(a)),
    lambda a: nx.from_scipy_sparse_array(sp.csr_array(np.array(a))),
]


@pytest.mark.parametrize("form", [*FORMS, *MORE])
def test_a_plain_matrix_in_all_its_forms(form: Callable[[Any], Any]) -> None:
    """A plain matrix was refused: it "holds numbers, which say neither the kinds nor the names of joints"."""
    read = Topology.from_adjacency(form(SQUARE), kinds={(3, 2): "P"}, drivers=[(0, 1), (np.int64(2), "3")])
    assert read.joints == JOINTS
    assert read.drivers[0] == Driver("drive_J0", "angle", ("0", "1"), "J0")
    assert read.drivers[1] == Driver("drive_J3", "slide", ("2", "3"), "J3")
    named = Topology.from_adjacency(form(SQUARE), names=["g", "a", "b", "c"], ground="g")
    assert [(joint.kind, "".join(joint.links)) for joint in named.joints] == [
        ("R", "ga"), ("R", "gc"), ("R", "ab"), ("R", "bc"),
    ]  # fmt: skip


@pytest.mark.parametrize("form", [*FORMS, np.triu, np.tril])
def test_arrays_read_a_plain_matrix_alike(form: Callable[[Any], Any]) -> None:
    """Each 1 is a joint of its own: they were one multiple joint, and dense matrices had no attribute 'tocoo'."""
    arrays = TopologyArrays.from_adjacency(form(SQUARE), "RRRP")
    assert arrays.to_topology().joints == JOINTS
    assert arrays.mobility_count == 1


def test_numbers_above_one_still_number_the_joints_of_arrays() -> None:
    numbered = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]) + np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    arrays = TopologyArrays.from_adjacency(numbered)
    assert [arrays.ends_of(k) for k in range(2)] == [[0, 1, 2], [1, 2]]


def test_letters_names_and_numbers_mix() -> None:
    matrix = [["", "R:J0", "P,R"], ["R:J0", "", 1], ["R,P", "1", ""]]
    read = Topology.from_adjacency(matrix, kinds={("1", "2"): "C:tooth"})
    assert [(joint.id, joint.kind, joint.links) for joint in read.joints] == [
        ("J0", "R", ("0", "1")),
        ("J1", "P", ("0", "2")),
        ("J2", "R", ("0", "2")),
        ("tooth", "C", ("1", "2")),
    ]
    edges = Topology.from_adjacency(nx.MultiGraph([("g", "a"), ("g", "a"), ("a", "b")]), ground="g")
    assert [joint.links for joint in edges.joints] == [("g", "a"), ("g", "a"), ("a", "b")]


def test_drivers_at_pairs_of_a_multiple_joint() -> None:
    matrix = [["", "R:A", "R:A"], ["R:A", "", ""], ["R:A", "", ""]]
    drivers = Topology.from_adjacency(matrix, drivers=[(0, 1), (0, 2)]).drivers
    assert [(one.id, one.links) for one in drivers] == [("drive_A_1", ("0", "1")), ("drive_A_2", ("0", "2"))]


def test_every_mistake_has_its_row_and_column() -> None:
    wrong: list[list[Any]] = [[0, 1, 1, 0], [1, 1, 3, "R"], [0, 3, 0, "Q"], [0, "R", "Q", 0, 1]]
    with pytest.raises(InputError) as caught:
        Topology.from_adjacency(wrong, kinds={(0, 3): "P", (1, 3): "P", (0, 9): "P"}, drivers=[(0, 2), (0, 7), "Z"])
    assert [problem.key for problem in caught.value.problems] == [
        "row 3", "row 0, column 2", "row 1, column 1", "row 1, column 2", "kinds[(0, 3)]", "kinds[(1, 3)]",
        "kinds[(0, 9)]", "row 2, column 3", "drivers.(0, 2)", "drivers.(0, 7)", "drivers.drive_Z",
    ]  # fmt: skip
    for matrix, words in (
        ([[0, 1, 1], [1, 0, "Z"]], ("matrix: is not square: 2 rows, 3 columns", "row 1, column 2: kind 'Z'")),
        ([[0, "Z"], ["Q", 0]], ("'Z' but 'Q' in row 1, column 0", "kind 'Z' is unknown", "kind 'Q' is unknown")),
        (sp.csr_array(np.ones((2, 3))), ("is not square: 2 rows, 3 columns",)),
        (nx.DiGraph([(0, 1)]), ("graph: is directed",)),
    ):
        with pytest.raises(InputError) as caught:
            Topology.from_adjacency(matrix)
        assert len(caught.value.problems) == len(words)
        assert all(word in str(caught.value) for word in words), str(caught.value)
    twice = [["", "R,P"], ["R,P", ""]]
    with pytest.raises(InputError, match=r"drivers.\(0, 1\): joints J0, J1 join 0 and 1"):
        Topology.from_adjacency(twice, drivers=[(0, 1)])
    with pytest.raises(InputError, match="5 is not a kind"):
        Topology.from_adjacency(SQUARE, kinds=dict.fromkeys([(0, 1)], 5))
    with pytest.raises(InputError, match=r"kinds\[\(1, 0\)\]: is 'P' and 'R'"):
        Topology.from_adjacency([[0, 1], [1, 0]], kinds={(0, 1): "P", (1, 0): "R"})


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (1.5 * np.array(SQUARE), "row 0, column 1: 1.5 is not a joint number"),
        (-np.array(SQUARE), "row 0, column 1: -1 is not a joint number"),
        ([[1, 1], [1, 0]], "row 0, column 0: joins a link to itself"),
        ([[0, 1], [1]], "is not square"),
        ([[0, 1, 1], [1, 0, 1]], "is not square"),
        ([["R"]], "is not a matrix of numbers"),
        (nx.Graph([(0, 1)]), "is not a matrix of numbers"),
        (5, "is not square"),
        (sp.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(2, 2)), "row 0, column 1: is given twice"),
    ],
)
def test_bad_matrices_of_arrays(matrix: Any, words: str) -> None:
    """Fractions were cut to integers, and negative numbers dropped."""
    with pytest.raises(InputError) as caught:
        TopologyArrays.from_adjacency(matrix)
    assert words in str(caught.value)


def test_the_matrix_comes_back() -> None:
    topology = Topology.from_adjacency(SQUARE, kinds={(2, 3): "P"}, drivers=[(0, 1)])
    matrix = topology.adjacency()
    assert matrix.tolist() == [
        ["", "R:J0", "", "R:J1"],
        ["R:J0", "", "R:J2", ""],
        ["", "R:J2", "", "P:J3"],
        ["R:J1", "", "P:J3", ""],
    ]
    assert ((matrix != "") == np.array(SQUARE)).all()
    assert Topology.from_adjacency(matrix, drivers=[(0, 1)]) == topology
    graph = topology.adjacency_graph()
    assert (nx.to_numpy_array(graph) == np.array(SQUARE)).all()
    assert Topology.from_adjacency(graph, drivers=[(0, 1)]) == topology
    assert Topology(("0",), "0", ()).adjacency().tolist() == [[""]]


def test_joints_on_pins_have_rows_of_their_own() -> None:
    joints = (Joint("A", "R", ("g", "a")), Joint("B", "R", ("a", "b")), Joint("s", "S", ("g", "@B")))
    topology = Topology(("g", "a", "b"), "g", joints)
    matrix = topology.adjacency()
    assert matrix.shape == (4, 4) and matrix[0, 3] == "S:s"
    assert Topology.from_adjacency(matrix, names=[*topology.links, "@B"], ground="g") == Topology(
        topology.links, "g", (joints[0], joints[2], joints[1])
    )


@pytest.mark.parametrize(
    "topology",
    [
        Topology(("g", "a"), "g", (Joint("A,B", "R", ("g", "a")),)),
        Topology(("g", "a"), "g", (Joint(" A", "R", ("g", "a")),)),
        Topology(("g", "@a"), "g", ()),
    ],
)
def test_what_an_entry_cannot_hold_is_refused(topology: Topology) -> None:
    for ask in (topology.adjacency, topology.adjacency_graph):
        with pytest.raises(InputError):
            ask()
