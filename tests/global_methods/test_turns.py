"""Turns of a single driver that repeat the first are not tracked again, and give what tracking would."""

import itertools

import numpy as np
import pytest
from cases import few
from coordinate_samples import FAMILIES, distinct, four_bar, slider_crank

import structkin as sk
from structkin.global_methods.follow import Turns

CRANK_ROCKER = (1, 3, 2.5, 3, 0.7)


def by_tracking(monkeypatch):
    monkeypatch.setattr(Turns, "ends_before", lambda self, target: False)


@pytest.mark.parametrize(("speed", "family"), few(itertools.product([1.0, -1.0], FAMILIES), 4))
def test_many_turns(family, speed, monkeypatch):
    """Samples that fall between those of the first turn, and angles that keep increasing."""
    m = four_bar(*CRANK_ROCKER)
    angles = 0.7 + speed * np.linspace(0, 40, 500)
    drivers = {"motor": (angles, np.full(500, speed), np.zeros(500))}
    found = m.solve(drivers=drivers, method="global", coordinates=family)
    motion = m.solve(drivers=drivers)
    assert found.ok.all() and found.statistics.stations < 40 and found.statistics.iterations.max() <= 3
    assert distinct(motion, found)[0].max() < 1e-10
    np.testing.assert_allclose(found.angle("crank"), motion.angle("crank"), atol=1e-10)
    np.testing.assert_allclose(found.angle("coupler"), motion.angle("coupler"), atol=1e-10)
    by_tracking(monkeypatch)
    tracked = m.solve(drivers=drivers, method="global", coordinates=family)
    assert tracked.statistics.stations > 100
    np.testing.assert_allclose(found.statistics.q, tracked.statistics.q, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_driver_that_turns_back_first(family):
    m = four_bar(*CRANK_ROCKER)
    angles = np.concatenate((np.linspace(0.7, -2.0, 40), np.linspace(-1.95, 30.0, 400)))
    found = m.solve(drivers={"motor": angles}, method="global-triangular", coordinates=family)
    assert found.ok.all() and found.statistics.stations < 60
    assert distinct(m.solve(drivers={"motor": angles}), found)[0].max() < 1e-10


@pytest.mark.parametrize("make", [lambda: four_bar(1, 2, 1, 2, 0.5), lambda: slider_crank(1, 1)])
@pytest.mark.parametrize("family", FAMILIES)
def test_turns_through_change_points(make, family):
    """The motion passes straight through each, as with the topological method, which follows the mode."""
    m = make()
    angles = 0.5 + np.linspace(0, 30, 421)
    drivers = {"motor": (angles, np.ones(421), np.zeros(421))}
    motion = m.solve(drivers=drivers)
    found = m.solve(drivers=drivers, method="global", coordinates=family)
    both = motion.ok & found.ok
    assert both.sum() > 415
    np.testing.assert_allclose(found.position("C")[both], motion.position("C")[both], atol=1e-9)


@pytest.mark.parametrize(("family", "method"), few(itertools.product(FAMILIES, ["global", "global-triangular"]), 4))
def test_a_link_that_turns_by_half_a_turn_where_the_turn_of_the_driver_is_completed(family, method):
    """Samples there were on the other branch: pins 1e-4 apart, rod and rocker lack 1e-6 to be flat, so never are."""
    m = four_bar(1.0, 1.5, 1.500099, 1.0001, 0.006, side=-1)
    drivers = {"motor": 0.006 + np.linspace(0, 2.2 * np.pi, 2000)}
    found = m.solve(drivers=drivers, method=method, coordinates=family)
    assert found.ok.all()
    b, c, d = (found.position(name) @ (1, 1j) for name in "BCD")
    assert (((c - b) * (d - b).conj()).imag < 0).all()


def test_a_driver_at_rest_and_then_turning():
    m = four_bar(*CRANK_ROCKER)
    angles = np.concatenate((np.full(5, 0.7), np.linspace(0.7, 20.0, 200), np.full(5, 20.0)))
    found = m.solve(drivers={"motor": angles}, method="global")
    assert found.ok.all()
    assert distinct(m.solve(drivers={"motor": angles}), found)[0].max() < 1e-10


def test_turns_that_are_out_of_reach_in_part():
    """Each turn of a double-rocker has the same gap; nothing beyond it is invented."""
    m = four_bar(2, 1.5, 1.2, 2, 0.3)
    angles = 0.3 + np.linspace(0, 4 * np.pi, 241)
    motion, found = m.solve(drivers={"motor": angles}), m.solve(drivers={"motor": angles}, method="global")
    assert not found.ok.all()
    assert found.ok.sum() > 40 and distinct(motion, found)[0].max() < 1e-10
    assert not (found.ok & ~motion.ok).any()


@pytest.mark.compiled
def test_sweeps_by_numba_give_the_same_numbers():
    m = four_bar(*CRANK_ROCKER)
    found = [
        m.solve(400, duration=20.0, method="global-triangular", engine=engine) for engine in ("python", "compiled")
    ]
    for order in ("position", "velocity", "acceleration"):
        plain, compiled = (getattr(motion, order)("C") for motion in found)
        np.testing.assert_allclose(compiled, plain, rtol=1e-12, atol=1e-13)
    with pytest.raises(sk.InputError, match="has no choice of engine"):
        m.solve(5, method="global-sparse", engine="compiled")
