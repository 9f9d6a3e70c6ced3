"""Angles of links of variants whose motions have gaps: as each `Motion` has them, and mostly without solving it."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few

import structkin as sk

TURN = 2 * np.pi
FOUR_BAR = {
    "points": {"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0), "P": (2, 4)},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
    "drivers": {"motor": {"joint": "A", "links": ["ground", "crank"], "speed": 1.0}},
}
#: A drag link, both of whose cranks turn fully, and a dyad on it that does not close everywhere.
DRAG_LINK = {
    "points": {"A": (0, 0), "B": (2, 0), "C": (3, 2), "D": (1, 0), "E": (6, 4), "F": (9, 0)},
    "links": {"ground": ["A", "D", "F"], "crank": ["A", "B"], "coupler": ["B", "C"], "second": ["D", "C"],
              "bar": ["C", "E"], "arm": ["E", "F"]},
    "drivers": {"motor": {"joint": "A", "links": ["ground", "crank"], "speed": 1.0}},
}  # fmt: skip


def varied(data, count, spread, seed):
    """Return a mechanism and random places of its points but one pivot."""
    m, rng = sk.Mechanism(**data), np.random.default_rng(seed)
    return m, {name: np.array(m.points[name]) + spread * rng.standard_normal((count, 2)) for name in "BCD"}


def compare(motions, link, some, alone):
    """Check the angles of a link in some variants against those of each one's motion, found `alone`."""
    found = motions.angle(link)
    for k in some:
        one = alone(k)
        np.testing.assert_allclose(found[k][one.ok], one.angle(link)[one.ok], rtol=0, atol=1e-6, err_msg=f"{k} {link}")


def counted(motions):
    """Return the numbers of variants that are solved alone from now on, and how they are."""
    calls, alone = set(), motions.alone
    object.__setattr__(motions, "alone", lambda k: (calls.add(k), alone(k))[1])
    return calls, alone


@pytest.mark.parametrize(
    ("t", "most"),
    few([([TURN, 73], 0.25), ([TURN, 181], 0.1), ([2.5, 50], 0.5), ([TURN + 1, 80], 1.0), ([3 * TURN, 200], 1.0)], 2),
)
def test_samples_tell_how_links_turn_across_gaps(t, most):
    """Each variant with a gap was solved alone for it, in tens of milliseconds."""
    m, points = varied(FOUR_BAR, 120, 0.6, seed=4)
    motions = m.solve_many(t=np.linspace(0, *t), points=points)
    calls, alone = counted(motions)
    gaps = np.flatnonzero((~motions.ok).any(axis=1))
    for link in ("coupler", "rocker"):
        compare(motions, link, gaps[::3], alone)
    assert len(gaps) > 15 and len(calls) <= most * len(gaps)


@pytest.mark.parametrize("link", ["second", "coupler"])
def test_a_gap_of_a_later_group_does_not_end_the_turn_of_a_link(link):
    """They go round with the crank, whether or not the arm behind them can follow."""
    m, points = varied(DRAG_LINK, 30, 0.05, seed=2)
    motions = m.solve_many(t=np.linspace(0, TURN, 91), points=points)
    _, alone = counted(motions)
    compare(motions, link, range(0, 30, 3), alone)
    assert (~motions.ok).any(axis=1).all()
    turned = motions.angle(link)[:, -1] - motions.angle(link)[:, 0]
    np.testing.assert_allclose(turned, TURN, atol=1e-6)


def test_without_rates_of_the_driver_angles_are_the_same():
    """Samples tell less then: variants with gaps are solved alone."""
    m, points = varied(FOUR_BAR, 40, 0.6, seed=4)
    z = np.linspace(0, TURN, 73)
    given, bare = (m.solve_many(drivers={"motor": values}, points=points) for values in ((z, 1 + 0 * z), z))
    np.testing.assert_allclose(bare.angle("rocker"), given.angle("rocker"), atol=1e-9)


@pytest.mark.parametrize(
    "seeds",
    [
        range(3),
        pytest.param(range(3, 15), marks=pytest.mark.full),
        pytest.param(range(15, 400), marks=pytest.mark.slow),
    ],
)
def test_angles_of_random_linkages_with_gaps(seeds):
    """Of five to ten joints, some on guides, through a turn or a part of one."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        linkages = sk.Linkages.random(1, int(rng.integers(5, 11)), seed=seed, sliders=float(rng.choice([0, 0.3])))
        m, (pivot, _) = linkages.mechanism(0), linkages.motor[0]
        spread = float(rng.choice([0.02, 0.05, 0.1]))
        points = {name: np.array(m.points[name]) + spread * rng.standard_normal((20, 2)) for name in m.points}
        points["X"] = points[f"J{pivot}"] + np.array([0.05, 0.0])
        z = np.linspace(0, rng.choice([TURN, -TURN, 2.5, -1.2]), int(rng.choice([37, 73, 181])))
        motions = m.solve_many(points=points, drivers={"motor": (z, np.sign(z[-1]) + 0 * z)})
        _, alone = counted(motions)
        bars = [link for link in m.links if link[:3] == "bar"]
        for link in rng.choice(bars, min(2, len(bars)), replace=False):
            compare(motions, link, [k for k in range(0, 20, 4) if k not in motions.faults], alone)
