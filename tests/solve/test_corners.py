"""Where the pins of a dyad meet at a corner of the drivers' path, its links may turn about them: no branch is sure."""

from itertools import pairwise

import numpy as np
import pytest
from branch_families import case
from cases import few
from test_sweeps_stay_on_their_branch import places

import structkin as sk
from structkin.plan.status import Status

METHODS = "topological", "topological-kl", "global"


def five_bar():
    """Two cranks, at 0 and 1, whose pins meet at M; both rods are as long. Return it, its angles there, and a way."""
    M, way, rod = 0.5 + 0.8j, np.array([0.7, -0.5]), 1.3
    there = np.angle([M, M - 1])
    B, E = abs(M) * np.exp(1j * (there[0] - way[0])), 1 + abs(M - 1) * np.exp(1j * (there[1] - way[1]))
    C = 0.5 * (B + E) + 1j * (E - B) / abs(E - B) * np.sqrt(rod**2 - abs(E - B) ** 2 / 4)
    m = sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in {"A": 0j, "B": B, "C": C, "D": 1 + 0j, "E": E}.items()},
        links={"ground": ["A", "D"], "left": ["A", "B"], "right": ["D", "E"], "r": ["B", "C"], "q": ["C", "E"]},
        lengths={"B-C": rod, "C-E": rod},
        drivers={"one": {"joint": "A"}, "two": {"joint": "D"}},
    )
    return m, there, way, "C"


def slotted_arm():
    """An arm O-A-P whose end P slides in a slot through the pivot Q of its link, and passes Q."""
    Q, way = 0.9 + 0.7j, np.array([0.5, -0.3])
    bend = np.arccos((abs(Q) ** 2 - 1 - 0.64) / 1.6)
    first = np.angle(Q) - np.arctan2(0.8 * np.sin(bend), 1 + 0.8 * np.cos(bend))
    there = np.array([first, first + bend])
    A, AP = np.exp(1j * (there - way)) * (1, 0.8)
    u = (A + AP - Q) / abs(A + AP - Q)
    points = {"O": 0j, "A": A, "P": A + AP, "Q": Q, "T": Q - 1.5 * u}
    m = sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in points.items()},
        links={"ground": ["O", "Q"], "arm": ["O", "A"], "fore": ["A", "P"], "block": ["P"], "swing": ["Q", "T"]},
        joints={"slot": {"type": "prismatic", "links": ["swing", "block"], "at": "P", "axis": [u.real, u.imag]}},
        drivers={"one": {"links": ["ground", "arm"]}, "two": {"links": ["ground", "fore"]}},
    )
    return m, there, way, "T"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("turn", [0.0, 1e-3, 0.5, np.pi / 2, 3.1, np.pi])
@pytest.mark.parametrize("make", [five_bar, slotted_arm])
def test_a_corner_where_pins_meet_leaves_the_branch_open(make, turn, method):
    """The side of the rods is that of the path's direction: straight on and back it is known, at a corner it jumps.

    All methods went on from another pose, by up to twice the length of the rods, status ok.
    """
    m, there, way, point = make()
    parts = np.linspace(0, 1, 11)[:, None]
    ahead = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ way
    path = there + np.concatenate(((parts - 1) * way, parts[1:] * ahead))
    motion = m.solve(drivers={"one": path[:, 0], "two": path[:, 1]}, method=method)
    straight = turn in (0.0, np.pi)
    assert motion.ok[:10].all()
    assert set(motion.status[11:]) == {Status.OK if straight else Status.UNCERTIFIED}
    if straight:
        z = motion.position(point)
        assert np.linalg.norm(z[11] - z[9]) < 0.2


@pytest.mark.full
@pytest.mark.parametrize(("seed", "samples"), few([
    (1111, 292), (1061, 130), (1118, 199), (1015, 197), (5020, 14), (5027, 37), (1092, 54),
], 1, 2))  # fmt: skip
def test_pins_that_nearly_meet_at_a_corner_keep_their_branch(seed, samples):
    """Closed form: the rods' pin is on one side of the line of the cranks' pins, and changes it where these meet.

    The corners lie 7e-6 to 3e-5 of the size from there: far enough, so that the rods turn quickly, and do not jump.
    """
    one = case("two_cranks", seed)
    at, corners = one.draft.points, one.corners

    def pins(change):
        moved = np.exp(1j * np.asarray(change)).T
        return at["A"] + (at["B"] - at["A"]) * moved[0], at["D"] + (at["E"] - at["D"]) * moved[1]

    segment, _, change = one.samples(samples)
    met = np.zeros(len(segment))
    for k, (a, b) in enumerate(pairwise(corners)):
        low, high = np.zeros(1), np.ones(1)
        for points in (4001, *[101] * 12):
            u = np.linspace(low[0], high[0], points)
            B, E = pins(a + u[:, None] * (b - a))
            j = int(np.argmin(abs(B - E)))
            low, high = u[[max(j - 1, 0)]], u[[min(j + 1, points - 1)]]
        if abs(B - E)[j] < 1e-12 * one.size:
            way = np.linalg.norm(change - a, axis=1) / np.linalg.norm(b - a)
            met += (segment > k) | ((segment == k) & (way > u[j]))
    B, E = pins(change)
    rod = abs(at["C"] - at["B"])
    side = np.sign(((at["C"] - at["B"]) * np.conj(at["E"] - at["B"])).imag) * (-1.0) ** met
    truth = 0.5 * (B + E) + 1j * side * (E - B) / abs(E - B) * np.sqrt(rod**2 - abs(E - B) ** 2 / 4)
    for method in METHODS:
        motion = one.motion(samples, method=method)
        assert motion.ok.all()
        found = places(one, motion)[:, one.walk.system.names.index("C")]
        np.testing.assert_allclose(found, truth / one.size, atol=1e-9)
