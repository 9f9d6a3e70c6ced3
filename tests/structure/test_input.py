"""Bad plain data and adjacency matrices: all problems listed, each with its key."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from structkin import Topology
from structkin.errors import InputError

FOUR_BAR = [["", "R:A", "", "R:D"], ["R:A", "", "R:B", ""], ["", "R:B", "", "R:C"], ["R:D", "", "R:C", ""]]


def data(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "links": ["g", "a", "b"],
        "ground": "g",
        "joints": [
            {"id": "A", "kind": "R", "links": ["g", "a"]},
            {"id": "s", "kind": "P", "links": ["a", "b"]},
            {"id": "G", "kind": "G", "links": ["g", "b"]},
        ],
        "drivers": [{"id": "m", "joint": "A"}],
        "source": "other keys are ignored",
    }
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def joint(**changes: Any) -> list[dict[str, Any]]:
    base: dict[str, Any] = {"id": "A", "kind": "R", "links": ["g", "a"]}
    return [{key: value for key, value in {**base, **changes}.items() if value is not None}]


def test_what_a_driver_takes_from_its_joint() -> None:
    topology = Topology.from_dict(data(drivers=[{"id": "m", "joint": "A"}, {"id": "n", "joint": "s"}]))
    assert [(d.kind, d.links) for d in topology.drivers] == [("angle", ("g", "a")), ("slide", ("a", "b"))]
    assert Topology.from_dict(data(drivers=None)).drivers == ()
    assert Topology.from_dict(data(title="A title")).title == "A title"
    assert Topology.from_dict(data(name="A name")).title == "A name"


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"links": None}, "links", "is missing"),
        ({"links": "gab"}, "links", "expected a list"),
        ({"links": ["g", "a", "b", 1.5]}, "links", "1.5 is not a name"),
        ({"links": ["g", "a", "b", True]}, "links", "not a name"),
        ({"links": ["g", "a", "b", "a"]}, "links", "'a' appears twice"),
        ({"ground": None}, "ground", "is missing"),
        ({"ground": "q"}, "ground", "'q' is not a link"),
        ({"joints": None}, "joints", "is missing"),
        ({"joints": {"A": 1}}, "joints", "expected a list"),
        ({"joints": ["R:A"]}, "joints[0]", "expected a table"),
        ({"joints": joint(id=None), "drivers": None}, "joints[0]", "has no id"),
        ({"joints": joint(kind=None)}, "joints.A", "has no kind"),
        ({"joints": joint(kind="Q")}, "joints.A", "kind 'Q' is unknown"),
        ({"joints": joint(links=None)}, "joints.A.links", "is missing"),
        ({"joints": joint(links=["g", "q"])}, "joints.A", "link 'q' is unknown"),
        ({"joints": joint(links=["g"])}, "joints.A", "fewer than two"),
        ({"joints": joint(links=["g", "g"])}, "joints.A", "names a link twice"),
        ({"joints": joint(links=["g", "@B"])}, "joints.A", "there is no revolute joint 'B'"),
        ({"joints": joint() + joint()}, "joints", "'A' appears twice"),
        ({"joints": joint(kind="P", links=["g", "a", "b"]), "drivers": None}, "joints.A", "joins two links, not 3"),
        ({"drivers": [7]}, "drivers[0]", "expected a table"),
        ({"drivers": [{"joint": "A"}]}, "drivers[0]", "has no id"),
        ({"drivers": [{"id": "m", "joint": "Q", "kind": "angle", "links": ["g", "a"]}]}, "drivers.m", "joint 'Q'"),
        ({"drivers": [{"id": "m", "joint": "G"}]}, "drivers.m", "has no coordinate to drive"),
        ({"drivers": [{"id": "m", "links": ["g", "a"]}]}, "drivers.m", "has no kind"),
        ({"drivers": [{"id": "m", "kind": "turn", "links": ["g", "a"]}]}, "drivers.m", "kind 'turn' is unknown"),
        ({"drivers": [{"id": "m", "kind": "angle", "links": ["g"]}]}, "drivers.m", "between two links, not 1"),
        ({"drivers": [{"id": "m", "kind": "angle", "links": ["g", "q"]}]}, "drivers.m", "link 'q' is unknown"),
        ({"drivers": [{"id": "m", "kind": "slide", "links": ["a", "b"]}]}, "drivers.m", "needs its prismatic joint"),
    ],
)
def test_bad_plain_data(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        Topology.from_dict(data(**changes))
    assert any(problem.key == key and words in problem.message for problem in caught.value.problems), str(caught.value)


def test_all_problems_are_listed_at_once() -> None:
    wrong = data(ground="q", joints=[*joint(kind="Q"), {"id": "B", "kind": "R", "links": ["a", "z"]}], drivers=[3])
    with pytest.raises(InputError) as caught:
        Topology.from_dict(wrong)
    assert {problem.key for problem in caught.value.problems} == {"ground", "joints.A", "joints.B", "drivers[0]"}
    with pytest.raises(InputError, match=r"\[1, 2\] is not a mapping"):
        Topology.from_dict([1, 2])  # type: ignore[arg-type]  # not a table


def test_a_misspelt_field_is_recognised() -> None:
    with pytest.raises(InputError, match="'kind' instead of 'knd'"):
        Topology.from_dict(data(joints=[{"id": "A", "knd": "R", "links": ["g", "a"]}]))


def test_adjacency_in_all_its_forms() -> None:
    expected = Topology.from_adjacency(FOUR_BAR, drivers=["A"])
    assert [(j.kind, j.id, j.links) for j in expected.joints][:2] == [("R", "A", ("0", "1")), ("R", "D", ("0", "3"))]
    assert Topology.from_adjacency(np.array(FOUR_BAR), drivers=["A"]) == expected
    assert Topology.from_adjacency(np.array(FOUR_BAR, dtype=object), ground="0", drivers=["A"]) == expected
    spaced = [[text.replace(":", " : ") or 0 for text in line] for line in FOUR_BAR]
    assert Topology.from_adjacency(spaced, drivers=["A"]) == expected
    graph = nx.Graph()
    graph.add_nodes_from(range(4))
    graph.add_edges_from((a, b, {"joints": FOUR_BAR[a][b]}) for a in range(4) for b in range(a) if FOUR_BAR[a][b])
    assert Topology.from_adjacency(graph, ground=0, drivers=["A"]) == expected
    driver = {"id": "drive_A", "joint": "A", "kind": "angle", "links": [0, 1]}
    assert Topology.from_adjacency(FOUR_BAR, drivers=[driver]) == expected
    assert Topology.from_adjacency(FOUR_BAR, drivers=expected.drivers) == expected


def test_adjacency_with_names_and_a_multiple_joint() -> None:
    matrix = [["", "R:A", "R:A"], ["R:A", "", "R:A,P:s"], ["R:A", "P:s , R:A", ""]]
    topology = Topology.from_adjacency(matrix, names=["g", "a", "b"], ground="g")
    assert [(j.kind, j.id, j.links) for j in topology.joints] == [("R", "A", ("g", "a", "b")), ("P", "s", ("a", "b"))]
    matrix[0][2] = matrix[2][0] = ""
    assert Topology.from_adjacency(matrix, names=["g", "a", "b"], ground=0).joints[0].links == ("g", "a", "b")


def changed(a: int, b: int, text: Any, both: bool = True) -> list[list[Any]]:
    matrix: list[list[Any]] = [list(line) for line in FOUR_BAR]
    matrix[a][b] = text
    if both:
        matrix[b][a] = text
    return matrix


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (FOUR_BAR[:3], {}, "not square"),
        (["abcd", "abcd", "abcd", "abcd"], {}, "not square"),
        (5, {}, "expected rows of entries"),
        ([1, 2], {}, "expected rows of entries"),
        (changed(0, 2, "R:Q", both=False), {}, "symmetric"),
        (changed(0, 1, "R:Q", both=False), {}, "symmetric"),
        (changed(0, 0, "R:Q"), {}, "joins a link to itself"),
        (changed(0, 2, "A"), {}, "kind 'A' is unknown"),
        (changed(0, 2, "R:"), {}, "is not a joint"),
        (changed(0, 2, "R:X,"), {}, "is not a joint"),
        (changed(0, 2, "Q:X"), {}, "kind 'Q' is unknown"),
        (changed(0, 2, "R:X,R:X"), {}, "appears twice"),
        (changed(0, 2, "P:A"), {}, "elsewhere"),
        (changed(0, 1, "R:C"), {}, "have no link in common"),
        (changed(0, 2, 7), {}, "row 0, column 2: 7 is not a joint"),
        (changed(0, 2, "2"), {}, "row 0, column 2: '2' is not a joint"),
        (changed(0, 2, [1]), {}, "is not a joint"),
        (FOUR_BAR, {"ground": 9}, "is not a link"),
        (FOUR_BAR, {"ground": "frame"}, "is not a link"),
        (FOUR_BAR, {"ground": True}, "is not a link"),
        (FOUR_BAR, {"names": ["a", "b"]}, "2 names for 4 links"),
        (FOUR_BAR, {"names": ["a", "b", "b", "c"]}, "appears twice"),
        (FOUR_BAR, {"drivers": ["Q"]}, "joint 'Q' is unknown"),
        (FOUR_BAR, {"drivers": [{"id": "d", "kind": "angle", "links": ["0", "7"]}]}, "link '7' is unknown"),
        (changed(0, 2, "R:A"), {"drivers": ["A"]}, "between two links, not 3"),
    ],
)
def test_bad_matrices(matrix: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Topology.from_adjacency(matrix, **options)


@pytest.mark.parametrize("zero", [np.int64(0), np.float64(0), 0.0])
def test_zeros_of_numpy_are_empty_entries(zero: Any) -> None:
    matrix = [[text or zero for text in line] for line in FOUR_BAR]
    assert Topology.from_adjacency(matrix, ground=0) == Topology.from_adjacency(FOUR_BAR, ground=0)


def test_bad_graphs() -> None:
    graph = nx.Graph()
    graph.add_edge("g", "a", joints="R:A")
    graph.add_edge("a", "b", weight=2)
    graph.add_edge("b", "b", joints="R:B")
    with pytest.raises(InputError) as caught:
        Topology.from_adjacency(graph, ground="q", names=["x"])
    text = str(caught.value)
    for words in ("2 is not a joint", "joins a link to itself", "is not a link", "1 names for 3 nodes"):
        assert words in text
