"""A mechanism that cannot be assembled at its sketch: every method names the same group and reason."""

from __future__ import annotations

import pytest
from cases import few

import structkin as sk
from structkin.examples import path
from structkin.global_methods.methods import FAMILIES, METHODS


def four_bar_that_is_too_short():
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths={"B-C": 1, "C-D": 1},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def chain(short):
    """Four dyads in a row on one crank; some are too short to close."""
    points, links = {"A0": (0.0, 0.0), "B0": (0.0, 1.0)}, {"ground": ["A0"], "bar0": ["A0", "B0"]}
    for k in range(1, 5):
        points |= {f"A{k}": (3.0 * k, 0.0), f"B{k}": (3.0 * k + 0.1, 1.1)}
        links["ground"] = [*links["ground"], f"A{k}"]
        links |= {f"rod{k}": [f"B{k - 1}", f"B{k}"], f"bar{k}": [f"A{k}", f"B{k}"]}
    lengths = {f"B{k - 1}-B{k}": 0.5 for k in short} | {f"A{k}-B{k}": 0.7 for k in short}
    return sk.Mechanism(points=points, links=links, lengths=lengths, drivers={"motor": {"joint": "A0", "speed": 1}})


RUNS = [*((method, "natural") for method in METHODS if method.startswith("global")), *(("global", f) for f in FAMILIES)]


@pytest.mark.parametrize(("method", "family"), RUNS)
@pytest.mark.parametrize("m", few([four_bar_that_is_too_short(), chain((2,)), chain((2, 4)), chain((4,))], 1))
def test_the_group_that_does_not_close_at_the_sketch_is_named(m, method, family):
    start = [m.drivers["motor"].start]
    by_groups = m.solve(drivers={"motor": start})
    at_once = m.solve(drivers={"motor": start}, method=method, coordinates=family)
    assert by_groups.status[0] == at_once.status[0] == sk.Status.OUT_OF_REACH
    assert by_groups.failed_group[0] == at_once.failed_group[0] > 0
    assert "out of reach at group" in at_once.report


def test_a_whole_turn_that_is_out_of_reach():
    motion = four_bar_that_is_too_short().solve(samples=37, method="global")
    assert motion.report.endswith("out of reach at group 2, RRR (coupler + rocker)")


def test_gaps_of_a_platform_are_reported_for_its_group():
    m = sk.load(path("platform_3rpr"))
    values = {id: [drive.start] for id, drive in m.drivers.items()} | {"top": [0.6]}
    by_groups, at_once = m.solve(drivers=values), m.solve(drivers=values, method="global")
    assert by_groups.failed_group[0] == at_once.failed_group[0]
    assert by_groups.status[0] == at_once.status[0]
