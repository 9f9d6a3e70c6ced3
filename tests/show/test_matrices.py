"""The adjacency matrix, KinStr, and the structures of different inputs, in pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import few
from show_samples import ALL, chain, crank_rocker, gids, loose, nothing_is_cut, quick_return, texts

import structkin as sk
from structkin.examples import path
from structkin.show.inputs_figure import class_words, draw_inputs, inputs_table, levels_words
from structkin.show.matrices import adjacency, draw_matrices
from structkin.show.structure_graph import draw_structure

DATA = Path(__file__).parents[1] / "data" / "catalogue.json"
CATALOGUE = {entry["name"]: entry for entry in json.loads(DATA.read_text(encoding="utf-8"))["mechanisms"]}


def catalogue(name):
    return sk.Topology.from_dict(CATALOGUE[name])


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_joint_and_every_entry_of_kinstr_has_its_cell(make):
    structure = make().structure()
    figure = draw_matrices(structure)
    found = gids(figure)
    for (a, b), names in adjacency(structure.topology).items():
        assert found.count(f"adjacent:{a}:{b}") == 1
        assert all(name in texts(figure) for name in names)
    cells = [gid for gid in found if gid.startswith("kinstr:")]
    assert len(cells) == int((structure.kinstr != 0).sum())
    assert all(f"{group.index + 1} {group.kind}" in texts(figure) for group in structure.groups)
    assert texts(figure).count("+1") == int((structure.kinstr == 1).sum()) + 1  # and once below, in the explanation
    nothing_is_cut(figure)


@pytest.mark.parametrize("name", few(list(CATALOGUE)[::4], 6))
def test_the_catalogue_is_drawn_uncut(name):
    nothing_is_cut(draw_matrices(catalogue(name).structure()))


def test_the_adjacency_is_symmetric_and_readable_as_a_topology():
    topology = quick_return().topology
    joined = adjacency(topology)
    assert all(joined[b, a] == names for (a, b), names in joined.items())
    matrix = [[",".join(joined.get((a, b), [])) for b in topology.links] for a in topology.links]
    read = sk.Topology.from_adjacency(matrix, names=topology.links, ground=topology.ground)
    assert {joint.id for joint in read.joints} == {joint.id for joint in topology.joints}


def test_what_no_cell_can_hold_is_stated_below():
    said = texts(draw_matrices(catalogue("cam_roller_follower_contact_on_roller_pin_idle_dof").structure()))
    assert "C:C joins 1 and the pin R1" in said.replace("\n", " ")
    assert "In no group: l2, r2, right" in texts(draw_matrices(loose().structure()))


def test_no_group_and_a_large_mechanism():
    data = crank_rocker().source_dict
    del data["drivers"]
    assert "no group is" in texts(draw_matrices(sk.Mechanism.from_dict(data).structure()))
    figure = draw_matrices(chain(20).structure())
    assert max(figure.get_size_inches()) < 30
    assert "R:A0" not in texts(figure)
    nothing_is_cut(figure)


def test_names_are_not_read_as_formulas():
    topology = sk.Topology(("_g", "a$b$c"), "_g", (sk.Joint("A_$1$", "R", ("_g", "a$b$c")),), (), "$x$")
    nothing_is_cut(draw_matrices(topology.structure()))


def test_titles_state_the_mobility_by_special_dimensions():
    structure = sk.load(path("planetary_train")).structure()
    for figure in (draw_matrices(structure), draw_structure(structure)):
        assert "mobility 0 by the joints alone, 1 by special dimensions" in texts(figure).replace("\n", " ")


# --- inputs -----------------------------------------------------------------------------------------------


def test_one_picture_for_each_structure():
    ranking = quick_return().rank_inputs()
    figure = draw_inputs(ranking, mechanism=quick_return())
    panels = [gid for gid in gids(figure) if gid.startswith("inputs:")]
    assert len(panels) == min(6, len(ranking.distinct())) > 1
    assert "same structure" in texts(figure) and "* the mechanism's own drivers" in texts(figure)
    nothing_is_cut(figure)


def test_existing_drivers_are_drawn_even_if_they_are_not_simple():
    ranking = catalogue("three_rrr_manipulator").rank_inputs()
    figure = draw_inputs(ranking, most=2)
    assert [gid for gid in gids(figure) if gid.startswith("inputs:")][1] == "inputs:A1, A2, A3"
    assert "2 of" in texts(figure)


@pytest.mark.parametrize("name", ["double_parallelogram_five_link", "trap_floating_double_pin", "four_bar_no_driver"])
def test_little_to_choose_from(name):
    nothing_is_cut(draw_inputs(catalogue(name).rank_inputs()))


def test_nothing_to_drive_is_stated():
    triangle = sk.Topology.from_adjacency([["", "R:A", "R:C"], ["R:A", "", "R:B"], ["R:C", "R:B", ""]])
    assert "nothing is left to drive" in texts(draw_inputs(triangle.rank_inputs()))


def shown(table):
    from rich.console import Console

    console = Console(width=160, no_color=True)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_the_table_of_inputs():
    ranking = catalogue("five_bar_one_driver_underconstrained").rank_inputs()
    said = shown(inputs_table(ranking, title="[red]", most=2))
    assert "[red]" in said
    assert "A, E" in said and "A, B" in said and "A, C" not in said
    assert "A *" in said and "3 links still move" in said  # the existing choice, however low its rank
    assert "8 more choices are not shown" in said
    assert "A, C" in shown(inputs_table(ranking, most=None))
    assert class_words(ranking[0]) == "II"
    assert levels_words(ranking[0]) == "2 x driven R; RRR"
    assert "cannot move: C" in shown(inputs_table(catalogue("trap_floating_double_pin").rank_inputs()))
    pins = sk.Topology(tuple("0123"), "0", (sk.Joint("A", "R", ("0", "1")), sk.Joint("B", "R", ("1", "2", "3"))))
    assert "cannot drive together: B (1 to 2) + B (1 to 3) + B (2 to 3)" in shown(inputs_table(pins.rank_inputs()))
