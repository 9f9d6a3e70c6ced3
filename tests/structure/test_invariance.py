"""Names, order and hashing do not matter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms import CATALOGUE, catalogue, chain_of_dyads, shape, shuffled

from structkin import Topology
from structkin.structure import decompose

#: Where nothing is redundant the answer is unique; else it may depend on the order of joints, which is then kept.
NAMES = [entry["name"] for entry in CATALOGUE]


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 10**6))
def test_renaming_and_shuffling(name: str, seed: int) -> None:
    topology = catalogue(name)
    structure = decompose(topology)
    other, link = shuffled(topology, seed, priority_kept=bool(structure.over))
    again = decompose(other)
    assert shape(again) == shape(structure, link)
    assert set(again.under) == {link[name] for name in structure.under}
    assert again.mobility == structure.mobility
    assert again.missing_drivers == structure.missing_drivers
    assert len(again.over) == len(structure.over)


@pytest.mark.parametrize("name", ["trap_floating_double_pin", "wedge_three_P", "planetary_three_planets"])
def test_redundant_mechanisms_keep_their_counts_under_any_order(name: str) -> None:
    structure = decompose(catalogue(name))
    for seed in range(20):
        again = decompose(shuffled(catalogue(name), seed)[0])
        assert len(again.over) == len(structure.over)
        assert again.mobility == structure.mobility
        assert len(again.under) == len(structure.under)


PROGRAM = """
import json, sys
from structkin import Topology
from structkin.structure import decompose
for entry in json.load(open(sys.argv[1]))["mechanisms"]:
    structure = decompose(Topology.from_dict(entry))
    print(structure, json.dumps(structure.to_dict()), structure.diagnostics, structure.explain())
    print(list(structure.graph.edges(data=True)), list(structure.dag.edges))
"""


def test_the_hash_seed_changes_nothing() -> None:
    root = Path(__file__).parents[2]
    data = str(root / "tests" / "data" / "catalogue.json")
    outputs = []
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        command = [sys.executable, "-c", PROGRAM, data]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(outputs[0]) > 10_000
    assert outputs[0] == outputs[1]


def test_a_long_chain_needs_no_recursion() -> None:
    structure = decompose(chain_of_dyads(2000))
    assert structure.is_solvable
    assert [group.kind for group in structure.groups] == ["driven R"] + ["RRR"] * 2000
    assert structure.groups[-1].level == 2000
    assert structure.groups[-1].depends_on == (1999,)


def test_a_long_chain_without_its_driver_moves_as_a_whole() -> None:
    topology = chain_of_dyads(1000, driven=False)
    structure = decompose(topology)
    assert structure.groups == ()
    assert structure.under == topology.moving_links
    assert structure.missing_drivers == 1


def test_a_long_chain_with_a_redundant_link() -> None:
    """The redundant equation is found at the far end of a long chain, and its loop is named."""
    topology = chain_of_dyads(300)
    drivers = (*topology.drivers, type(topology.drivers[0])("late", "angle", ("0", "601")))
    structure = decompose(Topology(topology.links, "0", topology.joints, drivers))
    assert [one.id for one in structure.over] == ["late"]
    assert "motor" in structure.over[0].loop
    assert len(structure.groups) == 301
