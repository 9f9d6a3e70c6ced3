"""Kinematic chains, Baranov's trusses and structural groups: their published numbers."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin import show
from structkin.cli import app

#: Chains by mobility and links, with the fractionated ones and without: counted once more by the graph generator nauty
#: (geng -t -d2, every proper part with 3 (k - 1) - 2 e >= 1); those of mobility 1 and 2 as in Mruthyunjaya, "Kinematic
#: structure of mechanisms revisited", Mech. Mach. Theory 38 (2003), and Tuttle, "Generation of planar kinematic
#: chains", ibid. 31 (1996).
CHAINS = {
    (4, 1): (1, 1), (6, 1): (2, 2), (8, 1): (16, 16), (10, 1): (230, 230),
    (5, 2): (1, 1), (7, 2): (4, 3), (9, 2): (40, 35),
    (6, 3): (1, 1), (8, 3): (7, 5), (10, 3): (98, 74),
    (3, 0): (1, 1), (5, 0): (1, 1), (7, 0): (3, 3), (9, 0): (28, 28),
}  # fmt: skip
#: The mechanisms with one link after the other as the ground; for the mobility 0 the structural groups.
INVERSIONS = {
    (4, 1): 1, (6, 1): 5, (8, 1): 71, (5, 2): 1, (7, 2): 14, (9, 2): 254, (6, 3): 1, (8, 3): 26, (10, 3): 684,
    (3, 0): 1, (5, 0): 2, (7, 0): 10, (9, 0): 173, (10, 1): 1834,
}  # fmt: skip
LARGE = {(11, 2): (839, 753), (11, 0): (562, 562), (12, 3): (2422, 1962), (12, 1): (6856, 6856)}
QUICK = [case for case in CHAINS if case[0] < 9]


@pytest.mark.parametrize(
    "case",
    [
        case if case in QUICK else pytest.param(case, marks=pytest.mark.slow if case == (10, 1) else pytest.mark.full)
        for case in CHAINS
    ],
)
def test_the_numbers_of_chains_and_inversions(case):
    found = sk.chains(*case)
    assert (len(found), len(sk.chains(*case, fractionated=False))) == CHAINS[case]
    assert sum(len(sk.inversions(chain)) for chain in found) == INVERSIONS[case]


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE)
def test_the_numbers_of_large_chains(case):
    assert (len(sk.chains(*case)), len(sk.chains(*case, fractionated=False))) == LARGE[case]


@pytest.mark.slow
def test_the_structural_groups_of_ten_links():
    assert sum(len(sk.inversions(truss)) for truss in sk.chains(11, 0)) == 5438


@pytest.mark.parametrize("case", QUICK)
def test_every_chain_is_one_and_differs_from_the_others(case):
    """By networkx, which shares nothing with the search: mobility, no rigid part, no two isomorphic."""
    links, mobility = case
    graphs = [nx.Graph([joint.links for joint in chain.joints]) for chain in sk.chains(links, mobility)]
    for k, graph in enumerate(graphs):
        assert nx.is_connected(graph) and min(dict(graph.degree).values()) >= 2
        assert 3 * (links - 1) - 2 * graph.number_of_edges() == mobility
        for number in range(1, 2**links - 1):
            part = graph.subgraph(node for node in graph if number >> int(node) & 1)
            assert len(part) < 2 or 3 * (len(part) - 1) - 2 * part.number_of_edges() >= 1
        assert not any(nx.vf2pp_is_isomorphic(graph, other) for other in graphs[:k])


def test_the_six_bars_by_name():
    """Watt's chain joins its two ternary links, Stephenson's does not."""
    joined = []
    for chain in sk.chains(6):
        graph = nx.Graph([joint.links for joint in chain.joints])
        joined.append(graph.has_edge(*(link for link, count in graph.degree if count == 3)))
    assert joined == [True, False]
    assert [len(sk.inversions(chain)) for chain in sk.chains(6)] == [2, 3]


def test_the_structural_groups_of_two_four_and_six_links():
    """Assur's classes: the dyad; triad and tetrad; S1 names them."""
    (dyad,) = sk.atlas(3, 0)
    assert dyad.choice.kinds == ("RRR",) and dyad.inputs == ()
    assert [entry.choice.kinds for entry in sk.atlas(5, 0)] == [("class III order 3",), ("class IV order 2",)]
    six = sk.atlas(7, 0)
    assert len(six) == 10 and sorted({str(entry.choice.highest_class) for entry in six}) == ["III", "IV", "V", "VI"]
    assert all(entry.choice.n_groups == 1 and entry.choice.largest == 6 for entry in six)


def test_the_atlas_of_six_bars_holds_every_driver_once():
    entries = sk.atlas(6)
    driven: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for entry in entries:
        driven[entry.chain, entry.topology.ground] += entry.inputs
    assert len(driven) == 5 and all(sorted(inputs) == [f"J{k}" for k in range(7)] for inputs in driven.values())
    assert all(entry.assortment == (4, 2) for entry in entries)
    # what Watt's chain cannot give and Stephenson's can: a triad behind a crank at the ground
    triads = [entry for entry in entries if entry.choice.kinds == ("driven R", "class III order 3")]
    assert {entry.chain for entry in triads} == {2}


@pytest.mark.parametrize(
    ("links", "mobility", "says"),
    [
        (5, 1, "with the mobility 1 the number of links is even and at least 4"),
        (4, 0, "with the mobility 0 the number of links is odd and at least 3"),
        (2, 1, "2 is not a supported number of links"),
        (40, 1, "40 is not a supported number of links"),
        (6, -1, "is negative"),
        (4, 3, "at least 6"),
    ],
)
def test_impossible_numbers_are_refused(links, mobility, says):
    with pytest.raises(sk.InputError, match=says):
        sk.chains(links, mobility)


def test_a_number_of_links_that_is_not_supported_is_one_error():
    with pytest.raises(sk.InputError) as caught:
        sk.chains(1)
    assert [problem.key for problem in caught.value.problems] == ["links"]


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("4", "1 chain, 1 inversion, 2 mechanisms"),
        ("3 --mobility 0", "1 truss, 1 group"),
        ("7 --mobility 0", "10 groups"),
    ],
)
def test_the_counts_below_the_table_are_in_the_right_number(words, counts):
    output = CliRunner().invoke(app, ["atlas", *words.split()]).output
    assert re.search(rf"{counts}\b", output)


def test_the_command(tmp_path):
    run = CliRunner().invoke(app, ["atlas", "6", "--csv", str(tmp_path / "a.csv"), "--plot", str(tmp_path / "a.svg")])
    assert run.exit_code == 0 and "2 chains, 5 inversions, 17 mechanisms" in run.output.replace("\n", " ")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 18 and (tmp_path / "a.svg").stat().st_size > 5000
    data = json.loads(CliRunner().invoke(app, ["atlas", "5", "--mobility", "0", "--json"]).output)
    assert [row["class"] for row in data["mechanisms"]] == ["III", "IV"]
    run = CliRunner().invoke(app, ["atlas", "5", "--mobility", "0", "--plot", str(tmp_path / "g.svg")])
    assert run.exit_code == 0 and "1 truss, 2 groups" in run.output and (tmp_path / "g.svg").stat().st_size > 5000
    assert isinstance(CliRunner().invoke(app, ["atlas", "7"]).exception, sk.InputError)  # `main` makes it exit code 2


def test_too_many_pictures_are_refused_before_any_is_drawn():
    with pytest.raises(sk.InputError, match="1001 pictures do not fit a page"):
        show.draw_chains(sk.chains(4) * 1001, "many")


@pytest.mark.parametrize("which", [["6"], ["7", "--mobility", "0"]])
def test_the_command_refuses_too_many_pictures(which, monkeypatch, tmp_path):
    monkeypatch.setattr("structkin.show.atlas_figure.MOST", 1)
    listed = tmp_path / "a.csv"
    run = CliRunner().invoke(app, ["atlas", *which, "--csv", str(listed), "--plot", str(tmp_path / "a.svg")])
    assert isinstance(run.exception, sk.InputError) and "at most 1" in str(run.exception)
    assert listed.exists() == (len(which) == 3)  # of chains it is said before the table is made


def test_chains_come_in_the_same_order_in_every_run():
    found = [[joint.links for joint in chain.joints] for chain in sk.chains(8)]
    again = [[joint.links for joint in chain.joints] for chain in sk.chains(8)]
    counts = [np.sort(np.unique(np.array(one), return_counts=True)[1]).tolist() for one in found]
    assert found == again and counts == sorted(counts)
