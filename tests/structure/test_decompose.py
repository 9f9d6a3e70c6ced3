"""Cases that defeat plain counting, and the finer points of groups, pins and drivers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mechanisms import catalogue, make

from structkin import Topology
from structkin.errors import InputError
from structkin.structure import decompose


def kinds(topology: Topology) -> list[tuple[str, tuple[str, ...]]]:
    return [(group.kind, group.links) for group in decompose(topology).groups]


def test_nothing_moves() -> None:
    structure = decompose(Topology(("0",), "0", ()))
    assert structure.groups == ()
    assert structure.is_solvable
    assert structure.kinstr.shape == (1, 0)


def test_a_loose_link() -> None:
    structure = decompose(Topology(("0", "1"), "0", ()))
    assert structure.under == ("1",)
    assert structure.missing_drivers == structure.mobility == 3


@pytest.mark.parametrize(
    ("joints", "drivers", "kind", "signature"),
    [
        ("R:A:0,1", "angle:d:0,1", "driven R", "R"),
        ("R:A:0,1", "distance:d:0,1", "driven R", "R"),
        ("P:A:0,1", "slide:d:0,1:A", "driven P", "P"),
        ("P:A:0,1", "distance:d:0,1", "driven P", "P"),
        ("R:A:0,1 G:g:0,1", "", "R-G", "R-G"),
        ("P:A:0,1 S:s:0,1", "", "P-S", "P-S"),
        ("C:c:0,1 R:A:0,1", "", "R-C", "R-C"),
        ("S:a:0,1 S:b:0,1 S:c:0,1", "", "general", None),
        ("S:a:0,1 S:b:0,1", "angle:d:0,1", "general", None),
        ("K:k:0,1 G:g:0,1", "", "general", None),
    ],
)
def test_one_link(joints: str, drivers: str, kind: str, signature: str | None) -> None:
    structure = decompose(make(joints, drivers))
    assert structure.is_solvable
    (group,) = structure.groups
    assert (group.kind, group.signature) == (kind, signature)


@pytest.mark.parametrize(
    ("outer", "inner", "other", "signature"),
    [
        ("R", "R", "R", "RRR"),
        ("P", "R", "R", "RRP"),
        ("R", "R", "P", "RRP"),
        ("R", "P", "R", "RPR"),
        ("P", "R", "P", "PRP"),
        ("P", "P", "R", "RPP"),
        ("R", "P", "P", "RPP"),
    ],
)
def test_dyads_in_every_mirror_order(outer: str, inner: str, other: str, signature: str) -> None:
    structure = decompose(make(f"R:A:0,1 {outer}:a:1,2 {inner}:b:2,3 {other}:c:3,0", "angle:d:0,1"))
    assert structure.is_solvable
    assert structure.groups[1].kind == structure.groups[1].signature == signature
    assert (structure.groups[1].class_, structure.groups[1].order) == ("II", 2)


def test_three_prismatic_pairs_are_no_dyad() -> None:
    structure = decompose(make("R:A:0,1 P:a:1,2 P:b:2,3 P:c:3,0", "angle:d:0,1"))
    assert not structure.is_solvable
    assert structure.over[0].id == "d"  # the orientation of link 1 is that of the ground


def test_cylinders_of_a_three_rpr_platform() -> None:
    joints = " ".join(f"R:A{k}:0,b{k} P:P{k}:b{k},r{k} R:B{k}:r{k},p" for k in (1, 2, 3))
    structure = decompose(make(joints, " ".join(f"slide:d{k}:b{k},r{k}:P{k}" for k in (1, 2, 3))))
    (group,) = structure.groups
    assert (group.class_, group.order, len(group.links), len(group.drivers)) == ("III", 3, 7, 3)
    assert group.composite_links == (("b1", "r1"), ("b2", "r2"), ("b3", "r3"))
    assert structure.mobility == 3


def test_contraction_does_not_absorb_a_group() -> None:
    """A closed cylinder held by a pin and a distance is rigid as a whole: then nothing would be left to classify."""
    structure = decompose(make("R:A:0,1 P:P:1,2", "slide:d:1,2:P distance:e:2,0"))
    (group,) = structure.groups
    assert (group.links, group.composite_links, group.class_, group.kind) == (("1", "2"), (), None, "general")


def test_passive_truss_becomes_one_link() -> None:
    """Three links pinned to a triangle are one link of the dyad that they form with a fourth."""
    structure = decompose(make("R:A:0,1 R:a:1,2 R:b:2,3 R:c:3,1 R:B:2,4 R:C:4,0"))
    (group,) = structure.groups
    assert group.signature == "RRR"
    assert group.composite_links == (("1", "2", "3"),)


def test_driver_between_moving_links() -> None:
    structure = decompose(catalogue("five_bar_serial_drivers"))
    assert [group.kind for group in structure.groups] == ["driven R", "driven R", "RRR"]
    assert [group.depends_on for group in structure.groups] == [(), (0,), (1,)]
    assert [group.drivers for group in structure.groups] == [("d1",), ("d2",), ()]


def test_a_distance_driver_on_a_shared_pin() -> None:
    """The cylinder acts at pin B itself: links 1, 2 and the pin are one group, whichever link it is stated to pull."""
    structure = decompose(make("R:A:0,1 R:B:1,2 R:C:2,0", "distance:d:@B,0"))
    assert structure.over[0].id == "d"  # the triangle 1, 2, ground is rigid already
    structure = decompose(make("R:A:0,1 R:B:1,2 R:C:2,3 R:D:3,0", "distance:d:@B,0"))
    assert [(g.kind, g.links) for g in structure.groups] == [("driven R", ("1",)), ("RRR", ("2", "3"))]


def test_two_cylinders_that_hold_a_pin_are_a_group_without_links() -> None:
    topology = make("R:J:1,2 R:A:1,3 R:B:2,4", "distance:d:@J,0 distance:e:@J,0 angle:f:0,1 angle:g:0,2")
    structure = decompose(topology)
    assert structure.groups[0].kind == "pin"
    assert structure.groups[0].pins == ("J",)
    assert structure.groups[0].drivers == ("d", "e")
    assert structure.groups[0].links == ()
    assert [(g.kind, g.level, g.depends_on) for g in structure.groups[1:]] == [("driven R", 1, (0,))] * 2
    assert structure.under == ("3", "4")
    assert "pin J" in structure.explain()


def test_joint_attached_to_a_pin_is_a_multiple_joint() -> None:
    multiple = make("R:A:0,1 R:B:1,2,4 R:C:2,3 R:D:3,0 R:E:4,5 R:F:5,0", "angle:d:0,1")
    attached = make("R:A:0,1 R:B:1,2 R:Bx:4,@B R:C:2,3 R:D:3,0 R:E:4,5 R:F:5,0", "angle:d:0,1")
    assert kinds(multiple) == kinds(attached)
    assert attached.mobility_count == multiple.mobility_count == 1


def test_orientation_fixed_twice_is_named() -> None:
    structure = decompose(catalogue("trap_angular_driver_loop"))
    (one,) = structure.over
    assert (one.id, one.kind, one.equation) == ("d2", "driver", "angle")
    assert one.loop == ("P", "d1", "d2")
    assert "orientation" in one.message
    (part,) = structure.free_parts
    assert part.candidates == ("P",)


def test_held_by_the_orientation_of_a_slide_that_moves() -> None:
    """Link 2 is at rest, though no known part fixes it alone: its angle is that of the free slide 1."""
    structure = decompose(make("P:s:0,1 R:A:0,2", "angle:d:1,2"))
    assert structure.under == ("1",)
    assert structure.held == ("2",)
    assert structure.groups == ()
    assert "link 2 is fixed only by the orientation, or a point, of links that can still move" in structure.explain()


@pytest.mark.parametrize(("joints", "spare"), [("P:P:0,1 R:A:1,0", "P and A count"), ("R:A:1,0 P:P:0,1", "P counts")])
def test_held_by_its_own_joints(joints: str, spare: str) -> None:
    """Link 1 has a pin and a guide on the ground: enough, whatever else fixes its orientation."""
    slides = "P:a:3,1 P:b:2,0 P:c:2,3"
    structure = decompose(make(f"{slides} {joints}"))
    assert structure.held == ("1",) and set(structure.under) == {"2", "3"}
    *_, found = structure.diagnostics
    assert found.key == "links.1" and f"link 1 is fixed by its own joints, but belongs to no group: {spare}" in str(
        found
    )
    # following the hint solves it
    assert [group.links for group in decompose(make(f"{joints} {slides}")).groups] == [("1",)]


def test_held_by_a_redundant_driver() -> None:
    """The driver turns link 1, whose orientation the slides keep: joints precede drivers, so no order helps."""
    structure = decompose(make("R:A:0,1 P:a:1,2 P:b:2,3 P:c:3,0", "angle:d:0,1"))
    assert structure.held == ("1",)
    driver, free, held = structure.diagnostics
    assert driver.key == "drivers.d" and free.hint == "drive one of the joints a, b, c"
    assert held.message == "link 1 is fixed only by the orientation, or a point, of links that can still move"
    assert held.hint == "drive those links first"


def test_only_joints_that_move_a_part_are_candidates() -> None:
    """Link 4 turns about the pin that holds link 1: driving it does not help the slides."""
    structure = decompose(make("R:A:4,1,0 P:a:2,1 P:b:3,2 P:c:3,0 P:P:1,0"))
    assert [part.candidates for part in structure.free_parts] == [("A",), ("a", "b", "c")]


def test_several_redundancies_at_once() -> None:
    """Two floating double pins in one chain, each with its own loop and its own missing driver."""
    structure = decompose(make("R:A:0,1 R:B:1,2 R:C:2,3 R:D:2,3 R:E:3,4 R:F:4,5 R:G:4,5", "angle:d:0,1"))
    assert [(one.id, one.loop) for one in structure.over] == [("D", ("C", "D")), ("G", ("F", "G"))]
    assert structure.missing_drivers == 2
    assert structure.under == ("2", "3", "4", "5")
    (part,) = structure.free_parts
    assert part.candidates == ("B", "E")
    assert decompose(make("R:A:0,1 R:B:0,1")).over[0].loop == ("A", "B")


def test_a_pair_repeated_in_full() -> None:
    """Four equations between the ground and one link: one redundant, and nothing left for the driver."""
    structure = decompose(make("R:A:0,1 R:B:0,1", "angle:d:0,1"))
    assert [one.id for one in structure.over] == ["B", "d"]
    assert structure.mobility == 0
    assert [group.links for group in structure.groups] == [("1",)]


@pytest.mark.parametrize(
    ("joints", "drivers", "word"),
    [
        ("R:A:0,1 P:p:2,@A", "", "cannot act on the pin"),
        ("R:A:0,1 G:g:2,@A", "", "cannot act on the pin"),
        ("R:A:0,1 K:k:2,@A", "", "cannot act on the pin"),
        ("R:A:0,1 R:B:1,2 C:c:@B,@A", "", "cannot act on the pin"),
        ("R:A:0,@B R:B:1,@A", "", "own pin"),
        ("R:A:0,1 R:B:2,@A", "distance:d:@A,@B", "against itself"),
    ],
)
def test_attachments_without_a_meaning(joints: str, drivers: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        decompose(make(joints, drivers))


def test_kinstr_layout() -> None:
    structure = decompose(catalogue("watt_I_driven_T1"))
    assert structure.kinstr.dtype == np.int8
    assert structure.kinstr.tolist() == [
        [-1, -1, 0],  # ground
        [1, -1, -1],
        [0, 1, -1],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 1],
    ]
    with pytest.raises(ValueError, match="read-only"):
        structure.kinstr[0, 0] = 5


def test_kinstr_on_a_pin_owned_by_a_group() -> None:
    """The next dyad is attached to the pin between links 2 and 3 and depends on both."""
    structure = decompose(catalogue("trap_multiple_joint_star"))
    assert structure.kinstr[:, 2].tolist() == [-1, 0, -1, -1, 1, 1]


def test_explain() -> None:
    topology = Topology.from_dict(
        {
            "links": ["ground", "crank", "coupler", "rocker"],
            "ground": "ground",
            "joints": [
                {"id": "A", "kind": "R", "links": ["ground", "crank"]},
                {"id": "B", "kind": "R", "links": ["crank", "coupler"]},
                {"id": "C", "kind": "R", "links": ["coupler", "rocker"]},
                {"id": "D", "kind": "R", "links": ["rocker", "ground"]},
            ],
            "drivers": [{"id": "motor", "joint": "A"}],
        }
    )
    assert decompose(topology).explain().splitlines() == [
        "1. crank: driven R at A by motor",
        "2. coupler + rocker: RRR dyad from B (group 1) and D (ground)",
    ]
    text = decompose(catalogue("excavator_three_cylinders")).explain()
    assert "2. 4 + 5 + 6: RRR dyad from D (group 1) and E (group 1), with 5 + 6 as one link, driven by d2" in text
    text = decompose(catalogue("cam_roller_follower_contact_on_roller_pin_idle_dof")).explain()
    assert "link 3 spins idly about R1" in text


def test_a_link_alone_on_the_pin_of_others_spins_idly() -> None:
    topology = Topology.from_dict(
        {
            "links": ["ground", "crank", "coupler", "rocker", "pendant"],
            "ground": "ground",
            "joints": [
                {"id": "A", "kind": "R", "links": ["ground", "crank"]},
                {"id": "B", "kind": "R", "links": ["crank", "coupler", "pendant"]},
                {"id": "C", "kind": "R", "links": ["coupler", "rocker"]},
                {"id": "D", "kind": "R", "links": ["rocker", "ground"]},
            ],
            "drivers": [{"id": "motor", "joint": "A"}],
        }
    )
    structure = decompose(topology)
    (problem,) = structure.diagnostics
    assert structure.under == ("pendant",)
    assert "pendant spins idly" in problem.message


def test_missing_drivers_and_what_to_drive() -> None:
    structure = decompose(catalogue("four_bar_no_driver"))
    (problem,) = structure.diagnostics
    assert str(problem).startswith("links 1, 2, 3 can still move: one driver is missing; drive one")
    assert problem.hint == "drive one of the joints A, B, C, D"


def test_json_and_graphs() -> None:
    structure = decompose(catalogue("excavator_three_cylinders"))
    data = json.loads(json.dumps(structure.to_dict()))
    assert list(data) == ["title", "mobility", "links", "groups", "kinstr", "diagnostics"]
    assert data["groups"][0]["composite_links"] == [["2", "3"]]
    assert data["diagnostics"] == {"over": [], "under": [], "missing_drivers": 0}
    assert sorted(structure.dag.edges) == [(0, 1), (1, 2), (1, 3), (2, 3)]
    again = Topology.from_adjacency(structure.graph, ground="0")
    assert {(j.id, frozenset(j.links)) for j in again.joints} == {
        (j.id, frozenset(j.links)) for j in structure.topology.joints
    }
    assert structure.graph.nodes["7"]["group"] == 3
    found = structure.group_of("8")
    assert found is not None
    assert found.index == 2
    assert structure.group_of("0") is None
