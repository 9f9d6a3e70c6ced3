"""Chains become mechanisms: assembled, movable, and with the structure that the atlas lists."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from cases import few

import structkin as sk


def moved(topology):
    """Return the mechanism of a topology, and its motion while its drivers turn by 3 degrees."""
    m = topology.mechanism(drivers={driver.id: {"speed": np.radians(3)} for driver in topology.drivers})
    return m, m.solve(5, duration=1)


def check(entry):
    """The motion keeps every length of every link, turns the drivers, and has the groups of the atlas."""
    m, motion = moved(entry.topology)
    assert motion.ok.all(), (entry.chain, entry.topology.ground, entry.inputs)
    turn = {}
    for id, link in m.links.items():
        x, y = np.moveaxis(np.array([motion.position(point) for point in link.points]), 2, 0)  # (points, samples)
        at = x + 1j * y
        lengths = np.abs(at[:, None] - at)
        assert np.abs(lengths - lengths[:, :, :1]).max() < 1e-9
        turn[id] = np.angle((at[1] - at[0]) / (at[1] - at[0])[0])
    for driver in m.topology.drivers:
        first, second = driver.links
        assert np.degrees(turn[second] - turn[first])[-1] == pytest.approx(3)
    # far from singular: no link turns fifty times as fast as the drivers
    assert max(np.abs(one[1]) for one in turn.values()) < 50 * np.radians(0.75)
    kinds = sorted(kind for level in entry.choice.verdict.levels for kind in level)
    assert sorted(group.kind for group in m.structure().groups) == [kind.removesuffix(" (composite)") for kind in kinds]


@pytest.mark.parametrize("number", few(range(17), 5))
def test_every_six_bar_moves(number):
    check(sk.atlas(6)[number])


@pytest.mark.parametrize("chain", few(range(1, 17), 0, 1))
def test_every_eight_bar_moves(chain):
    for entry in sk.atlas(8):
        if entry.chain == chain:
            check(entry)


@pytest.mark.full
@pytest.mark.parametrize("case", few([pytest.param((7, 2)), pytest.param((6, 3))], 1))
def test_chains_with_several_drivers_move(case):
    for entry in sk.atlas(*case)[::5]:
        check(entry)


@pytest.mark.full
def test_a_sketch_has_no_parallelogram_and_is_the_same_in_every_process():
    places = {id: complex(*place) for id, place in sk.chains(4)[0].sketch().items()}
    a, b, c, d = (places[id] for id in ("J0", "J1", "J2", "J3"))
    assert abs((b - a) - (c - d)) > 0.05
    code = "import structkin as sk; print(sk.chains(8)[1].sketch(), sk.chains(8)[8].sketch())"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in "ab"]
    assert runs[0].stdout == runs[1].stdout


def test_points_may_still_be_given_and_a_sketch_is_in_the_unit_of_length():
    chain = sk.chains(4)[0]
    points = {id: (10 * x, 10 * y) for id, (x, y) in chain.sketch().items()}
    given, left_out = chain.mechanism(points, units={"length": "mm"}), chain.mechanism(units={"length": "mm"})
    assert given.size == pytest.approx(10 * left_out.size) and left_out.size < 0.01


def test_what_has_no_sketch_is_listed():
    joints = [
        {"id": "A", "kind": "R", "links": ["a", "b"]},
        {"id": "P", "kind": "P", "links": ["b", "c"]},
        {"id": "X", "kind": "R", "links": ["d", "e"]},
        {"id": "Y", "kind": "R", "links": ["d", "e"]},
    ]
    drivers = [{"id": "s", "kind": "slide", "links": ["b", "c"], "joint": "P"}]
    topology = sk.Topology.from_dict({"links": list("abcde"), "ground": "a", "joints": joints, "drivers": drivers})
    with pytest.raises(sk.InputError) as error:
        topology.sketch()
    assert [(problem.key, problem.message) for problem in error.value.problems] == [
        ("joints.P", "is not a revolute joint between links"),
        ("drivers.s", "does not drive an angle"),
        ("links.a", "has fewer than two joints: not a closed chain"),
        ("links.c", "has fewer than two joints: not a closed chain"),
        ("links.d", "is not connected with the ground"),
        ("links.e", "is not connected with the ground"),
    ]
    with pytest.raises(sk.InputError, match="13 links have no clear sketch"):
        ring = np.roll(np.eye(13, dtype=int), 1, axis=1)
        sk.Topology.from_adjacency(ring + ring.T).mechanism()
