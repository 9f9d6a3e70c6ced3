"""Limits where wheels count turns: counted stage by stage, against sweeps and continuation."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few
from hypothesis import assume, given, settings
from random_mechanisms import DYADS, build, driven_r, geared_loop, geared_r, pinion, planet, rack, rolling
from test_limits import quiet, seeds, swept

import structkin as sk
from structkin.branches.limits.follow import follow
from structkin.branches.limits.plan_equations import System
from structkin.groups import General

TURN = 2 * np.pi


def parallelogram(ratio, **more):
    """A parallelogram whose follower carries a gear in mesh with a wheel next to it."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.6, 0.8), "C": (3.6, 0.8), "D": (3, 0), "E": (5, 0), "W": (5.3, 0.1),
                **more.pop("points", {})},
        links={"ground": ["A", "D", "E", *more.pop("ground", [])], "crank": ["A", "B"], "coupler": ["B", "C"],
               "follower": ["D", "C"], "wheel": ["E", "W"], **more.pop("links", {})},
        joints={"mesh": {"type": "gear", "links": ["wheel", "follower"], "ratio": ratio}},
        drivers={"motor": {"joint": "A", "speed": 1}},
        **more,
    )  # fmt: skip


@pytest.mark.parametrize(("ratio", "turns"), [(-2, 1), (-0.5, 2), (20 / 13, 13)])
def test_a_parallelogram_with_a_gear_on_its_follower_turns_fully(ratio, turns):
    found = parallelogram(ratio).limits()
    assert found.turns_fully and found.intervals[0].turns == turns
    np.testing.assert_allclose([point.value for point in found.change_points], np.pi * np.arange(1, 2 * turns + 1))
    for places in (0, 3.3):
        motion = parallelogram(ratio).solve(drivers={"motor": found.start + places + np.array([0, TURN * turns])})
        np.testing.assert_allclose(*motion.position("W"), atol=1e-9)


def test_ratios_that_never_repeat_are_reported():
    found = parallelogram(-np.sqrt(2)).limits()
    assert (found.lower.value, found.upper.value) == pytest.approx((found.start - 4 * TURN, found.start + 4 * TURN))
    assert found.upper.kind == "range" and "ended after 4 turns" in found.upper.why
    assert len(found.change_points) == 16
    found = parallelogram(-np.sqrt(2)).limits(range=(-1, 20))
    assert (found.upper.value, found.upper.why) == (20, "the end of the range")


def test_a_dyad_on_a_wheel_after_change_points_ends_as_on_a_plain_crank():
    """The follower of a parallelogram turns like its crank: a wheel on it turns like a crank at -0.5 of the speed."""
    bars = {
        "points": {"V": (7.5, 1.2), "U": (8, 0)},
        "links": {"rod": ["W", "V"], "arm": ["V", "U"]},
        "ground": ["U"],
        "lengths": {"W-V": 2.0, "V-U": 1.1},
    }
    mechanism = parallelogram(-0.5, **bars)
    found = mechanism.limits()
    plain = sk.Mechanism(
        points={"E": (5, 0), "W": (5.3, 0.1), **bars["points"]},
        links={"ground": ["E", "U"], "wheel": ["E", "W"], **bars["links"]},
        lengths=bars["lengths"],
        drivers={"motor": {"joint": "E", "speed": 1}},
    ).limits()
    assert plain.upper is not None
    for end, other in ((found.lower, plain.upper), (found.upper, plain.lower)):
        assert end.value - found.start == pytest.approx(-2 * (other.value - plain.start), abs=1e-12)
        assert (end.kind, end.group) == (other.kind, 3)
    assert {round(point.value / np.pi, 9) for point in found.change_points} <= {-2, -1, 0, 1, 2, 3}
    # A sweep stops at the same value.
    motion = mechanism.solve(drivers={"motor": np.linspace(found.start, found.upper.value + 0.5, 300)})
    (passage,) = motion.limits
    assert passage.drivers["motor"] == pytest.approx(found.upper.value, abs=1e-12)


def check_wheels(seed, elements):
    """Between its ends a mechanism closes, and not beyond; one that turns fully repeats after the stated turns."""
    case = build(seed, elements, menu=(geared_r, geared_r, pinion, rack, planet, *DYADS), first=(driven_r,))
    mechanism, driver = case.mechanism(), next(iter(case.groups[0].drivers))
    begun = swept(mechanism, driver)
    assume(begun is not None and begun[0].counts)
    plan, rows, call, motion = begun
    assume(not any(isinstance(step.kind, General) for step in plan.steps))
    # Ratios by which a link turns thousands of times need more than the usual budget.
    found = mechanism.limits(driver, budget=50_000)
    assert not found.failure

    def sweep(values):
        return mechanism.solve(
            drivers={id: values if id == driver else np.full(len(values), x) for id, x in call.held.items()}
        )

    if found.turns_fully:
        turns = found.intervals[0].turns
        assume(turns < 2000)  # a sweep over more is refused for its memory
        motion = sweep(np.linspace(found.start, found.start + TURN * turns, 30 * turns + 1))
        assert motion.ok.all()
        for point in mechanism.points:
            np.testing.assert_allclose(*motion.position(point)[[0, -1]], atol=1e-7 * motion.size)
        return
    system = System(plan, call.path, motion.size, rows)
    for end, sign in ((found.lower, -1), (found.upper, 1)):
        assert sweep(np.linspace(found.start, end.value - sign * 1e-6, 100)).ok.all()
        if end.kind == "range":
            continue
        beyond = sweep(np.linspace(found.start, end.value + sign * 1e-5, 100))
        assert not beyond.ok[-1] and beyond.failed_group[-1] == end.group
        assert beyond.limits[0].drivers[driver] == pytest.approx(end.value, abs=1e-10)
        # Towards parallel guides a pinion on a rack turns without bound, which continuation does not follow.
        if not found.change_points and abs(end.value - found.start) < TURN and end.kind != "parallel":
            fold = follow(system, system.pack(rows, call.start), sign, call.whole)
            assert fold.lost or fold.p == pytest.approx(end.value, abs=1e-10)


@pytest.mark.full
@settings(max_examples=5, **quiet)
@given(seeds)
def test_random_wheels(seed):
    check_wheels(seed, 2 + seed % 4)


@pytest.mark.slow
@settings(max_examples=500, **quiet)
@given(seeds)
def test_many_random_wheels(seed):
    check_wheels(seed, 2 + seed % 4)


@pytest.mark.parametrize(("seed", "driver", "turns"), few([(4, "V3", 1), (12, "S3", 8)], 1))
def test_general_groups_with_wheels_are_followed_until_they_repeat(seed, driver, turns):
    mechanism = build(seed, 2, menu=(geared_loop, rolling), first=(driven_r,)).mechanism()
    found = mechanism.limits(driver)
    assert found.turns_fully and found.intervals[0].turns == turns
    held = {id: np.full(2, drive.start) for id, drive in mechanism.drivers.items()}
    motion = mechanism.solve(drivers=held | {driver: found.start + np.array([0, TURN * turns])})
    assert motion.ok.all() and any(isinstance(step.kind, General) for step in motion.plan.steps)
    for point in mechanism.points:
        np.testing.assert_allclose(*motion.position(point), atol=1e-8 * motion.size)
