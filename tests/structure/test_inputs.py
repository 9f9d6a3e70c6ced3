"""Which joint should drive: candidates, ranking, and its explanation."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from cases import few
from mechanisms import CATALOGUE, catalogue, make, shuffled

import structkin as sk
from structkin.structure import decompose

NAMES = [entry["name"] for entry in CATALOGUE]

SIX_BAR = "R:A:0,1 R:B:1,2 R:C:2,3 R:D:3,0 R:E:2,4 R:F:4,5 R:G:5,0"  # Stephenson III
FIVE_BAR = "R:A:0,1 R:B:1,2 R:C:2,3 R:D:3,4 R:E:4,0"


def labels(ranking: sk.InputRanking) -> list[str]:
    return [choice.label for choice in ranking]


def test_a_six_bar_is_driven_best_in_its_four_bar_loop() -> None:
    ranking = make(SIX_BAR).rank_inputs()
    assert labels(ranking)[:2] == ["A", "D"]
    assert [ranking[0].highest_class, ranking[0].largest, ranking[0].depth, ranking[0].n_groups] == ["II", 2, 3, 3]
    assert ranking[0].kinds == ("driven R", "RRR", "RRR")
    last = next(choice for choice in ranking if choice.label == "G")
    assert (last.highest_class, last.largest, last.is_grounded) == ("III", 4, True)
    assert ranking.candidates == ranking.possible == ranking.tried == ranking.complete == len(ranking) == 7


@pytest.mark.parametrize("name", few(NAMES, 10))
def test_the_ranking_agrees_with_decomposition(name: str) -> None:
    """Every choice, shared verdicts included, against its decomposition."""
    topology = catalogue(name)
    ranking = topology.rank_inputs(limit=60)
    assert list(ranking) == sorted(ranking, key=lambda choice: choice.verdict.rank)
    for choice in list(ranking)[:25]:
        structure = choice.structure
        assert structure.topology.drivers == choice.drivers
        assert choice.n_groups == len(structure.groups)
        assert choice.depth == 1 + max((group.level for group in structure.groups), default=-1)
        assert choice.largest == max((len(group.links) for group in structure.groups), default=0)
        kinds = sorted(kind.removesuffix(" (composite)") for kind in choice.kinds)
        assert kinds == sorted(group.kind for group in structure.groups)
        if choice.is_complete:
            assert not [one for one in structure.over if one.kind == "driver"]
            assert all(part.idle for part in structure.free_parts)
        assert choice.is_grounded == all(topology.ground in driver.links for driver in choice.drivers)
    own = [choice for choice in ranking if choice.is_own]
    assert len(own) == (1 if topology.drivers else 0)
    for choice in own:
        assert {driver.id for driver in choice.drivers} == {driver.id for driver in topology.drivers}


@pytest.mark.parametrize("name", ["theo_jansen_leg", "shaper_whitworth_quick_return", "three_rrr_manipulator"])
def test_names_and_order_change_nothing_but_ties(name: str) -> None:
    one, other = (t.rank_inputs() for t in (catalogue(name), shuffled(catalogue(name), 3)[0]))
    assert (one.complete, one.possible, one.mobility) == (other.complete, other.possible, other.mobility)
    assert [choice.verdict.rank for choice in one] == [choice.verdict.rank for choice in other]
    assert Counter(choice.verdict for choice in one) == Counter(choice.verdict for choice in other)


def test_existing_drivers_are_replaced_and_marked() -> None:
    driven = make(SIX_BAR, "angle:motor:0,5:G")
    ranking = driven.rank_inputs()
    [own] = [choice for choice in ranking if choice.is_own]
    assert own.drivers == driven.drivers
    assert labels(ranking) == labels(make(SIX_BAR).rank_inputs())


def test_existing_drivers_that_are_not_candidates_are_listed_too() -> None:
    ranking = catalogue("four_bar_coupler_angle_driver").rank_inputs()
    assert (ranking.complete, len(ranking)) == (4, 5)
    assert ranking[4].is_own and ranking[4].label == "d (0 to 2)"
    over = make(FIVE_BAR, "angle:a:0,1 angle:b:1,2 angle:c:0,4").rank_inputs()
    assert over[len(over) - 1].is_own and not over[len(over) - 1].is_complete


def test_drivers_to_keep() -> None:
    driven = make(FIVE_BAR, "angle:motor:0,1:A")
    ranking = driven.rank_inputs(drivers=["motor"])
    assert ranking.inputs == 1 and ranking.candidates == 4
    assert labels(ranking)[0] == "A, E"
    assert all(choice.drivers[0].id == "motor" for choice in ranking)
    assert not ranking[len(ranking) - 1].is_complete  # as given: one driver is missing
    pushed = make(FIVE_BAR).rank_inputs(drivers=[sk.Driver("push", "distance", ("0", "2"))])
    assert pushed.inputs == 1 and pushed.complete == 5
    done = make(SIX_BAR, "angle:motor:0,1").rank_inputs(drivers=["motor"])
    assert done.inputs == 0 and len(done) == 1 and "nothing is left to drive" in done.summary


def test_two_inputs_of_a_five_bar() -> None:
    ranking = make(FIVE_BAR).rank_inputs()
    assert (ranking.mobility, ranking.inputs, ranking.possible) == (2, 2, 10)
    assert ranking[0].label == "A, E" and ranking[0].is_grounded
    assert ranking[0].verdict.levels == (("driven R", "driven R"), ("RRR",))


def test_multiple_joints_offer_every_pair_the_ground_first() -> None:
    ranking = make("R:O:0,1,3 R:Q:2,3 G:g:1,2").rank_inputs()
    assert {label for choice in ranking for label in choice.label.split(", ")} == {
        "O (0 to 1)",
        "O (0 to 3)",
        "O (1 to 3)",
        "Q",
    }
    assert ranking[0].label == "O (0 to 1), O (0 to 3)"
    assert [driver.id for driver in ranking[0].drivers] == ["drive_O_0_1", "drive_O_0_3"]
    # three angles of one pin: two determine the third
    assert make("R:O:0,1,2").rank_inputs().repeating == ()
    assert make("R:O:0,1,2").rank_inputs().complete == 3


def test_an_attached_joint_is_driven_on_its_pin() -> None:
    whole, attached = (make(text).rank_inputs() for text in ("R:A:0,1 R:B:1,2,3", "R:A:0,1 R:B:1,2 R:C:@B,3"))
    assert (whole.candidates, whole.complete) == (attached.candidates, attached.complete) == (4, 3)
    assert whole.repeating == (("B (1 to 2)", "B (1 to 3)", "B (2 to 3)"),)


def test_slides_and_kinds() -> None:
    crank = make("R:A:0,1 R:B:1,2 R:C:2,3 P:s:3,0")
    assert sorted(labels(crank.rank_inputs())) == ["A", "B", "C", "s"]
    [slide] = crank.rank_inputs(kinds=["slide"])
    assert (slide.label, slide.kinds) == ("s", ("driven P", "RRR"))
    assert slide.drivers[0] == sk.Driver("drive_s", "slide", ("0", "3"), "s")


def test_the_idle_spin_of_a_roller_needs_no_input() -> None:
    ranking = catalogue("cam_roller_follower_contact_on_roller_pin_idle_dof").rank_inputs()
    assert (ranking.mobility, ranking.inputs, ranking.complete) == (2, 1, 2)
    assert labels(ranking) == ["A", "B"]
    # but the last link of an open arm is not a roller
    assert make("R:A:0,1 R:B:1,2").rank_inputs().inputs == 2


def test_joints_that_cannot_move_are_named() -> None:
    ranking = make("R:A:0,1 R:B:1,2 R:C:2,0 R:D:2,3").rank_inputs()
    assert labels(ranking) == ["D"]
    assert ranking.repeating == (("A",), ("C",), ("B",))
    assert ranking.summary == "mobility 1: 1 input of 4 candidates; 1 of 4 combinations fixes every link"


def test_nothing_to_drive() -> None:
    ranking = make("R:A:0,1 R:B:1,2 R:C:2,0").rank_inputs()
    assert len(ranking) == 0 and ranking.inputs == 0
    assert "nothing is left to drive" in ranking.summary
    assert ranking.distinct() == ()


def test_a_limit_is_reported() -> None:
    ranking = catalogue("three_rrr_manipulator").rank_inputs(limit=5)
    assert ranking.is_cut and (ranking.tried, ranking.possible) == (5, 84)
    assert "84 are possible" in ranking.summary
    assert all(choice.label.startswith("A1, A2") for choice in ranking)  # those on the ground come first


def test_redundant_joints_are_those_of_the_mechanism() -> None:
    wedge = catalogue("wedge_three_P").rank_inputs()
    assert wedge.complete == 3 and wedge[0].is_complete and not wedge[0].structure.is_solvable


def test_large_composites_have_no_class() -> None:
    """Driven inside its five-bar loop, class II would describe links that are themselves mechanisms."""
    ranking = catalogue("stephenson_II_driven_binary_class_IV").rank_inputs()
    wide = [choice for choice in ranking if "RRR (composite)" in choice.kinds]
    assert wide and all(choice.highest_class is None for choice in wide)
    assert all(choice.structure.groups[0].class_ == "II" for choice in wide)
    assert ranking[0].highest_class in ("III", "IV")


def test_distinct_structures_hold_each_choice_once() -> None:
    ranking = catalogue("theo_jansen_leg").rank_inputs()
    alike = ranking.distinct()
    assert sum(map(len, alike)) == len(ranking)
    assert len({choices[0].verdict for choices in alike}) == len(alike)


def test_plain_data() -> None:
    data = make(SIX_BAR).rank_inputs().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["choices"][0]["levels"] == [["driven R"], ["RRR"], ["RRR"]]


def test_a_mechanism_and_progress() -> None:
    from structkin.examples import path

    progress: list[float] = []
    ranking = sk.load(path("crank_rocker")).rank_inputs(progress=progress.append)
    assert ranking[0].is_own
    assert progress == [0.0, 0.25, 0.5, 0.75]


def test_names_do_not_clash() -> None:
    topology = make("R:A:0,1 R:B:1,2", "distance:drive_A:0,2")
    ranking = topology.rank_inputs(drivers=["drive_A"])
    assert {driver.id for choice in ranking for driver in choice.drivers} >= {"drive_A", "drive_A_"}


def test_bad_input() -> None:
    topology = make(FIVE_BAR, "angle:motor:0,1:A angle:again:1,0")
    for call, key in (
        ({"kinds": ["angel"]}, "kinds"),
        ({"limit": 0}, "limit"),
        ({"drivers": ["moter"]}, "drivers.moter"),
        ({"drivers": ["motor", "again"]}, "drivers.again"),
    ):
        with pytest.raises(sk.InputError) as caught:
            topology.rank_inputs(**call)
        assert caught.value.problems[0].key == key


def test_equal_drivers_give_equal_structures() -> None:
    topology = make(SIX_BAR)
    choice = topology.rank_inputs()[0]
    assert choice.structure.groups == decompose(replace(topology, drivers=choice.drivers)).groups
