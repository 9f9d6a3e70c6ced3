"""Wheels whose two partners are both moved by groups: whole turns of either may move a wheel equally."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from cases import few
from hypothesis import given
from hypothesis import strategies as st

import structkin as sk
from structkin.branches.assemblies.wheels import Repeats, _triangular

POINTS = {
    "O": (0, 0), "A": (0.05, 0.03), "B": (0.2, 0.15), "D": (0.25, 0), "C": (0.12, 0.25), "X": (0.15, 0.27),
    "E": (0.05, 0.2), "Y": (0.06, 0.21), "F": (0.3, 0.1), "Z": (0.31, 0.11), "H": (0.4, 0), "W": (0.41, 0.02),
}  # fmt: skip
BARS = {"ground": "ODH", "crank": "OA", "coupler": "ABCE", "rocker": "DBF"}


def four_bar(wheels, gears):
    links = {link: list(points) for link, points in {**BARS, **wheels}.items()}
    used = {point for points in links.values() for point in points}
    return sk.Mechanism(
        points={point: place for point, place in POINTS.items() if point in used},
        links=links,
        joints={
            f"gear {k}": {"type": "gear", "links": [one, other], "teeth": teeth, "carrier": carrier}
            for k, (one, other, teeth, carrier) in enumerate(gears)
        },
        drivers={"motor": {"joint": "O", "speed": 1}},
    )


def willis(gears, rocker, coupler):
    """Return how far wheels turn with so many turns of the rocker and the coupler, by Willis' equation, modulo one."""
    turns = {"ground": 0, "crank": 0, "rocker": rocker, "coupler": coupler}
    for one, other, teeth, carrier in gears:
        turns[other] = turns[carrier] - Fraction(*teeth) * (turns[one] - turns[carrier])
    return tuple(turns[other] % 1 for _, other, _, _ in gears)


@pytest.mark.parametrize(
    ("wheels", "gears"),
    [
        ({"w": "HW"}, [("rocker", "w", (20, 60), "ground")]),
        ({"w": "FZ"}, [("ground", "w", (40, 20), "rocker")]),
        ({"w": "FZ"}, [("ground", "w", (20, 40), "rocker")]),
        ({"w": "FZ"}, [("coupler", "w", (20, 40), "rocker")]),
        ({"w": "CX"}, [("rocker", "w", (50, 20), "coupler")]),
        ({"w": "CX"}, [("rocker", "w", (20, 50), "coupler")]),
        ({"w": "CX"}, [("crank", "w", (20, 60), "coupler")]),
        ({"w": "CX", "v": "EY"}, [("crank", "w", (20, 40), "coupler"), ("w", "v", (20, 60), "coupler")]),
        ({"w": "CX", "v": "EY"}, [("rocker", "w", (20, 40), "coupler"), ("w", "v", (20, 40), "coupler")]),
        ({"w": "CX", "v": "FZ"}, [("crank", "w", (20, 40), "coupler"), ("coupler", "v", (20, 40), "rocker")]),
        ({"w": "CX", "v": "FZ"}, [("rocker", "w", (20, 40), "coupler"), ("coupler", "v", (20, 60), "rocker")]),
    ],
)
def test_each_position_of_a_wheel_is_one_assembly(wheels, gears):
    m = four_bar(wheels, gears)
    wanted = {willis(gears, *turns) for turns in itertools.product(range(60), repeat=2)}
    found = list(every := m.assemblies())
    poses = {
        (item.modes[1], *(round(math.degrees(item.angle(wheel)) % 360, 5) % 360 for wheel in wheels)) for item in found
    }
    assert len(found) == len(poses) == 2 * len(wanted)
    assert len({item.modes for item in found}) == len(found)
    assert every.complete and m.assembly().index == 0
    # The positions are those of Willis' equation, from the first one.
    for item in found:
        first = next(other for other in found if other.modes[1] == item.modes[1])
        turns = np.array([(item.angle(wheel) - first.angle(wheel)) / math.tau for wheel in wheels])
        apart = turns - np.array(sorted(wanted), float)
        assert np.abs(apart - np.round(apart)).max(axis=1).min() < 1e-9


def drag_link(one="crank", teeth=(20, 40)):
    """A crank, a coupler and an output that all turn fully, and a wheel on the coupler."""
    return sk.Mechanism(
        points={"A": (0, 0), "D": (1, 0), "B": (-1.5, 2), "C": (2.5, 2.5), "V": (0.5, 3.5), "Y": (0.6, 3.9)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "V"], "out": ["D", "C"],
               "wheel": ["V", "Y"]},
        joints={"mesh": {"type": "gear", "links": [one, "wheel"], "teeth": teeth, "carrier": "coupler"}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip


@pytest.mark.parametrize("one", ["crank", "out"])
def test_a_wheel_that_turns_with_its_carrier_repeats_after_a_turn(one):
    """Crank, coupler and output turn alike, so the wheel is back where it was after one turn, whatever its ratio."""
    m = drag_link(one)
    motion = m.solve(t=[0, math.tau], strict=True)
    np.testing.assert_allclose(motion.position("Y")[1], motion.position("Y")[0], atol=1e-12)
    found = m.circuits()
    assert len(found) == 4 and [branch.turns for branch in found.branches] == [1, 1, 1, 1]
    assert found.home == 0 and [interval.turns for interval in m.limits().intervals] == [1]


@pytest.mark.parametrize("one", ["crank", "out"])
@pytest.mark.parametrize("teeth", [(20, 40), (30, 70), (50, 30)])
def test_a_motion_over_many_turns_is_in_an_assembly_of_the_list(one, teeth):
    m = drag_link(one, teeth)
    t = np.array([0.4, 1, 2, 3, 5, 8]) * math.tau + 0.3
    motion = m.solve(t=t, samples=None, strict=True)
    for k, time in enumerate(t):
        followed = m.assembly(t=time)
        np.testing.assert_allclose(followed.position("Y"), motion.position("Y")[k], atol=1e-9)
        listed = m.assemblies(t=time)
        same = [item for item in listed if np.allclose(item.position("Y"), motion.position("Y")[k], atol=1e-9)]
        assert [item.modes for item in same] == [followed.modes]


@pytest.mark.parametrize("teeth", few([[20, 20], [20, 40], [20, 60]], 1))
def test_each_circuit_of_a_crank_that_swings_is_listed_once(teeth):
    """Where a curve closes, sums of turns were not those of its end, and it was traced again."""
    m = sk.Mechanism(
        points={"O": (0.0185, -0.0096), "A": (0.2129, 0.0790), "B": (0.2082, 0.1597), "D": (0.2644, -0.0069),
                "H": (0.3957, 0.0052), "X": (0.3686, 0.0179)},
        links={"ground": ["O", "D", "H"], "crank": ["O", "A"], "coupler": ["A", "B"], "rocker": ["D", "B"],
               "w": ["H", "X"]},
        joints={"g": {"type": "gear", "links": ["rocker", "w"], "teeth": teeth, "carrier": "ground"}},
        drivers={"motor": {"joint": "O", "speed": 1}},
    )  # fmt: skip
    q = teeth[1] // teeth[0]
    whole, part = m.circuits(), m.circuits(range=(0.3, 1.3))
    # The four-bar has two intervals, in each of which its two modes meet; the wheel has q positions for each.
    assert (len(whole), len(whole.branches)) == (2 * q, 4 * q) and (len(part), len(part.branches)) == (q, 2 * q)
    for found in (whole, part):
        assert sorted(k for branch in found.branches for k in branch.assemblies) == list(range(2 * q))


rates = st.fractions(-3, 3, max_denominator=6)


@given(st.lists(st.tuples(rates, rates), min_size=1, max_size=3))
def test_counts_that_repeat_are_exactly_those_of_the_basis(columns):
    """Two wheels and up to three counts: a count is a sum of rows where both wheels make whole turns, nowhere else."""
    rows = _triangular([dict(enumerate(rates)) for rates in columns])
    known = Repeats(tuple(range(len(columns))), rows)
    assert all(rows[k][k] > 0 and not any(rows[k][k + 1 :]) for k in range(len(rows)))
    for counts in itertools.product((-3, 0, 1, 4), repeat=len(columns)):
        moved = [sum(n * rates[w] for n, rates in zip(counts, columns, strict=True)) for w in (0, 1)]
        least = known.least(dict(enumerate(counts)))
        assert all(0 <= least[k] < rows[k][k] for k in least)
        repeats = all(turns.denominator == 1 for turns in moved)
        assert repeats == (not any(least.values()))
        again = [sum(least[k] * rates[w] for k, rates in enumerate(columns)) for w in (0, 1)]
        assert all((a - b).denominator == 1 for a, b in zip(moved, again, strict=True))
