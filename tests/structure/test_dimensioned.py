"""Mechanisms from topologies and dimensions, against closed forms and against the sections of a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.errors import InputError
from structkin.examples import path

SQUARE = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
PINS: dict[Any, Any] = {(0, 1): (0, 0), (1, 2): (1, 1), (2, 3): (4, 3), (0, 3): (5, 0)}


def test_a_four_bar_moves_as_that_of_a_file() -> None:
    example = sk.load(path("crank_rocker"))
    source = example.source_dict
    again = example.topology.mechanism(
        source["points"], links={"coupler": ["P"]}, lengths=source.get("lengths"), units=source["units"],
        drivers={"motor": {"speed": source["drivers"]["motor"]["speed"]}},
    )  # fmt: skip
    assert np.abs(again.solve(13).position("P") - example.solve(13).position("P")).max() < 1e-12
    assert again.topology == example.topology


def test_exact_lengths_and_pairs_for_joints() -> None:
    """A parallelogram: its coupler only translates."""
    topology = sk.Topology.from_adjacency(SQUARE, drivers=[(0, 1)])
    m = topology.mechanism(
        {(0, 1): (0, 0), (1, 2): (0.4, 1.1), (2, 3): (3.4, 0.9), (0, 3): (3, 0)},
        lengths={"J0-J2": 1, "J2-J3": 3, "J1-J3": 1}, drivers={(0, 1): {"law": "1 + 0.5*t"}}, duration=1,
    )  # fmt: skip
    motion = m.solve(7)
    assert np.abs(motion.angle("2")).max() < 1e-9
    angle = 1 + 0.5 * motion.t
    assert np.abs(motion.position("J3") - np.stack([3 + np.cos(angle), np.sin(angle)], axis=1)).max() < 1e-9


def test_a_slider_crank_against_its_closed_form() -> None:
    topology = sk.Topology.from_adjacency(SQUARE, kinds={(0, 3): "P"}, drivers=[(0, 1)])
    m = topology.mechanism(
        {(0, 1): (0, 0), (1, 2): (1, 0), (2, 3): (4, 0)}, joints={(0, 3): {"axis": (1, 0)}},
        drivers={"drive_J0": {"law": "t"}}, duration=6,
    )  # fmt: skip
    motion = m.solve(25)
    place = np.cos(motion.t) + np.sqrt(9 - np.sin(motion.t) ** 2)
    assert motion.ok.all() and np.abs(motion.position("J3")[:, 0] - place).max() < 1e-12


def test_gears_turn_by_their_teeth() -> None:
    topology = sk.Topology.from_adjacency([[0, 1, 1], [1, 0, "G"], [1, "G", 0]])
    m = topology.mechanism(
        {(0, 1): (0, 0), (0, 2): (60, 0)}, joints={(1, 2): {"teeth": [20, 40]}}, drivers={(0, 1): {"law": "t"}},
        units={"length": "mm"}, duration=1,
    )  # fmt: skip
    assert m.topology.drivers[0].id == "drive_J0"
    assert np.abs(m.solve(5).angle("2") + m.solve(5).t / 2).max() < 1e-12


@pytest.mark.parametrize(
    ("matrix", "sections", "words"),
    [
        (SQUARE, {"points": {**PINS, (0, 2): (0, 0)}, "links": {"x": ["P"]}, "joints": {"J0": {}}}, [
            "points.(0, 2): is not a pair of links with a joint", "links.x: is not a link",
            "joints.J0: is not a joint with dimensions",
        ]),
        (SQUARE, {"points": {(0, 1): (0, 0), "J0": (0, 0), (1, 2): (1, 1)}}, [
            "points.J0: is given twice", "points.J1: has no position; it joins 0 and 3", "points.J3",
        ]),
        ([[0, "R,P"], ["R,P", 0]], {"points": {(0, 1): (0, 0)}}, ["points.(0, 1): joints J0, J1 join these links"]),
        (SQUARE, {"points": {**PINS, "P": (2, 3)}, "links": {"1": ["P"], "3": ["P"]}}, [
            "joints.P: is not in the topology",
        ]),
        ([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, "P"], [1, 0, "P", 0]], {
            "points": {(0, 1): (0, 0), (1, 2): (1, 1), (0, 3): (5, 0), "Q": (5, 3)}, "links": {"3": ["Q"]},
            "joints": {(2, 3): {"links": ["2", "ground"], "axis": (1, 0)}},
        }, ["joints.J3: is prismatic between 2 and ground, but prismatic between 2 and 3 in the topology"]),
        (SQUARE, {"points": PINS, "drivers": {(0, 1): {"speed": 1}, "drive_J0": {"speed": 2}}}, [
            "drivers.drive_J0: is given twice",
        ]),
    ],
)  # fmt: skip
def test_every_mistake_is_listed(matrix: Any, sections: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        sk.Topology.from_adjacency(matrix).mechanism(**sections)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_sections_of_another_kind_are_one_list() -> None:
    with pytest.raises(InputError) as caught:
        sk.Topology.from_adjacency(SQUARE).mechanism(
            PINS, links={"1": 5, "2": {"points": "P"}}, joints={"J0": 1}, drivers={(0, 1): 5}
        )
    assert [problem.key for problem in caught.value.problems] == ["joints.J0", "drivers.(0, 1)", "links.1", "links.2"]


def test_drivers_at_pairs_of_one_pin() -> None:
    """Two cranks on one pivot: each pair of links has its own driver."""
    matrix = [["", "R:A", "R:A"], ["R:A", "", ""], ["R:A", "", ""]]
    topology = sk.Topology.from_adjacency(matrix, drivers=[(0, 1), (0, 2)])
    m = topology.mechanism(
        {"A": (0, 0), "P": (1, 0), "Q": (0, 1)}, links={"1": ["P"], "2": ["Q"]},
        drivers={(0, 1): {"law": "t"}, (0, 2): {"law": "2*t"}}, duration=1,
    )  # fmt: skip
    motion = m.solve(5)
    assert np.abs(motion.angle("1") - motion.t).max() < 1e-12
    assert np.abs(motion.angle("2") - 2 * motion.t).max() < 1e-12


def test_a_moving_link_cannot_be_called_ground() -> None:
    topology = sk.Topology.from_adjacency([[0, 1], [1, 0]], names=["a", "ground"], ground="a")
    with pytest.raises(InputError, match=r"links.ground: is a link that moves"):
        topology.mechanism({"J0": (0, 0)})


def test_a_slide_may_have_a_place_and_then_a_link_needs_no_pin() -> None:
    """A Scotch yoke from a matrix and a place for each joint: its yoke was refused, it "has no points"."""
    topology = sk.Topology.from_adjacency(SQUARE, kinds={(2, 3): "P", (0, 3): "P"}, drivers=[(0, 1)])
    axes = {(2, 3): {"axis": (0, 1)}, (0, 3): {"axis": (1, 0)}}
    pins: dict[Any, Any] = {(0, 1): (0, 0), (1, 2): (3, 4)}
    for places in ({(0, 3): (9, 1)}, {(2, 3): (3, 4), (0, 3): (9, 1)}, {"J1": (9, 1)}):
        m = topology.mechanism({**pins, **places}, joints=axes, drivers={(0, 1): {"law": "t"}}, duration=6)
        motion = m.solve(13)
        # x = r cos a, from the sketch's 3
        np.testing.assert_allclose(motion.position("J1_at")[:, 0], 9 + 5 * np.cos(motion.t) - 3, atol=1e-12)
        np.testing.assert_allclose(motion.position("J1_at")[:, 1], 1, atol=1e-12)
    with pytest.raises(InputError, match="the link has no points"):
        topology.mechanism(pins, joints=axes)
    with pytest.raises(InputError, match=r"points\.J1_at: is the place of slide J1"):
        topology.mechanism({**pins, (0, 3): (9, 1), "J1_at": (1, 1)}, joints=axes)


def test_a_guide_that_passes_beside_the_pin_of_its_slider() -> None:
    """An offset of the place across the axis changes nothing in the motion, one along it neither."""
    topology = sk.Topology.from_adjacency(SQUARE, kinds={(0, 3): "P"}, drivers=[(0, 1)])
    pins: dict[Any, Any] = {(0, 1): (0, 0), (1, 2): (1, 0), (2, 3): (4, 0)}
    m = topology.mechanism(
        {**pins, (0, 3): (5, -0.5)}, joints={(0, 3): {"axis": (1, 0)}}, drivers={(0, 1): {"law": "t"}}, duration=6
    )
    motion = m.solve(13)
    place = np.cos(motion.t) + np.sqrt(9 - np.sin(motion.t) ** 2)
    np.testing.assert_allclose(motion.position("J3")[:, 0], place, atol=1e-12)
    np.testing.assert_allclose(motion.position("J1_at"), np.stack((place + 1, 0 * place - 0.5), axis=1), atol=1e-12)
