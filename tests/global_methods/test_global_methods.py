"""The global methods against the topological one: positions, rates, outcomes, K and L, and where they stop."""

import itertools

import numpy as np
import pytest
from cases import few
from coordinate_samples import (
    EXAMPLES,
    FAMILIES,
    METHODS,
    SLOTS,
    build,
    circular_slot,
    distinct,
    four_bar,
    scalable,
    slider_crank,
    three_cranks,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.examples import path
from structkin.global_methods import between

COMBINATIONS = [(method, family) for method in METHODS for family in FAMILIES]


def assert_agree(motion, other, *, rates=1e-8):
    """Positions to 1e-10; rates to 1e-8 where the smallest singular value is above 1e-2; at most 3 iterations."""
    position, *both = distinct(motion, other)
    assert position.max(initial=0.0) < 1e-10
    clear = other.statistics.smallest_singular_value[motion.ok & other.ok] > 1e-2
    for gap in both:
        assert gap[clear].max(initial=0.0) < rates
    assert other.statistics.iterations.max() <= 3


@pytest.mark.parametrize("name", few(EXAMPLES, 2, 12))
def test_all_methods_and_families_agree_on_every_example(name):
    m = sk.load(path(name))
    motion = m.solve(61)
    kl = m.solve(61, method="topological-kl")
    for gap in distinct(motion, kl):
        assert gap.max(initial=0.0) < 1e-10
    for method, family in COMBINATIONS:
        other = m.solve(61, method=method, coordinates=family)
        assert_agree(motion, other)
        np.testing.assert_array_equal(other.status, motion.status)
        np.testing.assert_array_equal(other.failed_group, motion.failed_group)
        assert np.nanmax(other.residual()) < 1e-11


@pytest.mark.parametrize("where", SLOTS)
def test_circular_slots(where):
    m = circular_slot(where)
    motion = m.solve(31)
    assert motion.ok.all()
    for method, family in COMBINATIONS:
        other = m.solve(31, method=method, coordinates=family)
        assert other.ok.all()
        assert_agree(motion, other)
        np.testing.assert_allclose(other.K("C"), motion.K("C"), atol=1e-11)
        np.testing.assert_allclose(other.L("C"), motion.L("C"), atol=1e-10)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**31), chosen=st.sampled_from(COMBINATIONS))
def test_random_mechanisms(seed, chosen):
    assert_random(seed, chosen, 25)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), chosen=st.sampled_from(COMBINATIONS))
def test_more_random_mechanisms(seed, chosen):
    assert_random(seed, chosen, 25)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(seed=st.integers(0, 2**31), chosen=st.sampled_from(COMBINATIONS))
def test_many_random_mechanisms(seed, chosen):
    assert_random(seed, chosen, 61)


def assert_random(seed, chosen, samples):
    case = build(seed)
    m = case.mechanism()
    motion = m.solve(samples, duration=case.duration)
    other = m.solve(samples, duration=case.duration, method=chosen[0], coordinates=chosen[1])
    position, _, acceleration = distinct(motion, other)
    both = motion.ok & other.ok
    sigma = other.statistics.smallest_singular_value[both]
    clear = sigma > 1e-3
    assert position[clear].max(initial=0.0) < 1e-10
    assert acceleration[clear].max(initial=0.0) < 1e-7
    assert other.statistics.iterations.max() <= 3
    assert other.residual()[other.ok].max(initial=0.0) < 1e-10
    # A closed form knows its assembly mode beyond a gap, and a global method has to find a path there; a tracked group
    # may in turn fail to resume a motion that the whole mechanism resumes. Without gaps they cannot differ; a gap
    # between two samples shows where these are closer together.
    if motion.ok.all() and not other.ok.all():
        assert not m.solve(100 * (samples - 1) + 1, duration=case.duration).ok.all()


# --- the branch -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("samples", "family"), few(itertools.product([360, 361], FAMILIES), 4))
def test_change_points_are_passed_as_the_topological_method_does(family, samples):
    """A parallelogram, its crossed form, equal rods: branches cross, and the motion continues smoothly."""
    for m in (four_bar(1, 2, 1, 2, 0.7), four_bar(1, 2, 1, 2, 0.7, side=-1), slider_crank(1, 1)):
        motion, other = m.solve(samples), m.solve(samples, method="global", coordinates=family)
        assert other.ok.all()
        assert_agree(motion, other)
        assert distinct(motion, other)[0].max() < 1e-10


@pytest.mark.full
def test_a_sample_at_a_change_point_is_singular_and_keeps_its_position():
    """The Jacobian is singular there, so there are no rates; the topological method has those of the smooth motion."""
    m = four_bar(1, 2, 1, 2, 0.5)
    angles = np.linspace(0, 2 * np.pi, 73)
    motion = m.solve(drivers={"motor": (angles, np.ones(73), np.zeros(73))})
    assert motion.ok.all()
    flat = [0, 36, 72]
    for method, family in COMBINATIONS:
        other = m.solve(drivers={"motor": (angles, np.ones(73), np.zeros(73))}, method=method, coordinates=family)
        np.testing.assert_array_equal(np.flatnonzero(~other.ok), flat)
        assert (other.status[flat] == sk.Status.SINGULAR).all() and (other.failed_group[flat] == 1).all()
        assert "sample 0: singular at group 2, RRR (coupler + rocker)" in other.report
        np.testing.assert_allclose(other.position("C"), motion.position("C"), atol=1e-9)
        for rate in (other.velocity("C"), other.acceleration("C"), other.K("C")):
            assert np.isnan(rate[flat]).all() and np.isfinite(rate[other.ok]).all()
        lost = {failure.sample for failure in other.statistics.failures if failure.outcome is sk.Outcome.SINGULAR_POSE}
        assert lost == set(flat)


@pytest.mark.parametrize("samples", few([25, 37, 49]))
@pytest.mark.parametrize("family", few(FAMILIES, 3))
def test_samples_at_change_points_do_not_stop_the_motion(family, samples):
    """For any continuation points: none lies on a singular pose, as no step leads on from it."""
    angles = 0.5 * np.pi + np.linspace(0, 2 * np.pi, samples)
    drivers = {"motor": (angles, np.ones(samples), np.zeros(samples))}
    # The bars are in line at 0 and pi; crank and rod of the same length coincide where the crank is upright.
    for m, to_flat in ((four_bar(1, 2, 1, 2, 0.5, side=-1), np.sin), (slider_crank(1, 1), np.cos)):
        flat = np.abs(to_flat(angles)) < 1e-12
        motion, other = m.solve(drivers=drivers), m.solve(drivers=drivers, method="global", coordinates=family)
        assert motion.ok.all() and flat.sum() >= 2
        np.testing.assert_array_equal(other.status, np.where(flat, sk.Status.SINGULAR, sk.Status.OK))
        np.testing.assert_allclose(other.position("C"), motion.position("C"), atol=1e-13)
        assert {failure.outcome for failure in other.statistics.failures} == {sk.Outcome.SINGULAR_POSE}


@pytest.mark.parametrize("miss", few([1e-2, 1e-4, 1e-6, 1e-7], 1))
def test_a_near_miss_is_not_jumped_over(miss):
    """A bar a little too long: the branches do not meet, and the motion stays on its branch."""
    m = four_bar(1, 2, 1 + miss, 2, 0.7)
    motion = m.solve(181)
    assert motion.ok.all()
    for family in FAMILIES:
        other = m.solve(181, method="global", coordinates=family)
        assert other.ok.all()
        assert distinct(motion, other)[0].max() < 1e-9


def test_a_gap_is_not_jumped_over():
    """A bar a little too short: narrow gaps at 180 and 360 degrees, in which no method has a pose."""
    m = four_bar(1, 2, 1 - 1e-4, 2, 0.7)
    motion = m.solve(361)
    angles = np.degrees(motion.drivers["motor"][0][~motion.ok])
    np.testing.assert_allclose(angles, [179.1, 180.1, 360.1], atol=0.1)
    for method, family in COMBINATIONS[::3]:
        other = m.solve(361, method=method, coordinates=family)
        np.testing.assert_array_equal(other.status, motion.status)
        assert_agree(motion, other)


@pytest.mark.parametrize(("method", "family"), few(COMBINATIONS, 1, 5))
def test_out_of_reach_is_reported_with_group_and_rows(method, family):
    m = four_bar(2, 1.5, 1.2, 2, 0.3)
    motion = m.solve(61)
    other = m.solve(61, method=method, coordinates=family)
    reached = np.flatnonzero(~motion.ok)[0]
    assert other.ok[:reached].all() and not other.ok[reached]
    assert other.status[reached] == sk.Status.OUT_OF_REACH
    assert "out of reach at group 2, RRR (coupler + rocker)" in other.report
    failure = other.statistics.failures[0]
    assert failure.sample == reached and failure.outcome is sk.Outcome.NO_SOLUTION
    assert {"coupler", "rocker"} & set(failure.links) and failure.rows
    assert np.isnan(other.position("C")[reached]).all()
    with pytest.raises(sk.PoseError):
        m.solve(61, method=method, coordinates=family, strict=True)


def test_beyond_a_gap_the_motion_is_resumed():
    """A rocker driven back and forth beyond its limit."""
    m = four_bar(2, 1.5, 1.2, 2, 0.3)
    angles = 0.3 + 1.2 * np.sin(np.linspace(0, np.pi, 31))
    motion = m.solve(drivers={"motor": angles})
    assert 0 < motion.ok.sum() < 31 and motion.ok[-1]
    for method, family in COMBINATIONS:
        other = m.solve(drivers={"motor": angles}, method=method, coordinates=family)
        np.testing.assert_array_equal(other.status, motion.status)
        assert distinct(motion, other)[0].max() < 1e-10


def test_redundant_joints_are_satisfied_by_independent_rows():
    """Three cranks on one bar, through both change points."""
    m = three_cranks()
    motion = m.solve(61)
    for method, family in COMBINATIONS:
        other = m.solve(61, method=method, coordinates=family)
        assert other.ok.all()
        assert_agree(motion, other)


def test_redundant_joints_that_contradict_are_refused():
    m = three_cranks()
    data = m.source_dict
    data["points"] = {**data["points"], "F": [4.5, 1.2]}
    with pytest.raises(sk.StructureError):
        sk.Mechanism.from_dict(data).solve(5, method="global")


# --- drivers --------------------------------------------------------------------------------------------------


def test_a_full_turn_between_moving_links_passes_both_singular_forms():
    """The angle between crank and coupler makes a whole turn: dot and cross rows alternate."""
    m = four_bar(1, 3, 2.5, 3, 0.7)
    data = {**m.source_dict, "drivers": {"motor": {"joint": "B", "links": ["crank", "coupler"], "speed": 1.0}}}
    m = sk.Mechanism.from_dict(data)
    motion = m.solve(181)
    for method in METHODS:
        other = m.solve(181, method=method, coordinates="fully-cartesian")
        assert_agree(motion, other)
        np.testing.assert_array_equal(other.status, motion.status)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_guiding_constraint_by_cubic_splines(family):
    """S1 eq. 84: a point guided along a path given by splines in x and y, by two slides at right angles."""
    t = np.linspace(0, 1, 9)
    path_x, path_y = 0.3 * np.sin(2 * t), 0.2 * np.cos(3 * t) - 0.2
    m = guided(t, path_x, path_y)
    motion, other = m.solve(41), m.solve(41, method="global", coordinates=family)
    assert motion.ok.all() and other.ok.all()
    assert_agree(motion, other)
    np.testing.assert_allclose(other.position("P")[::5, 0], 1 + path_x, atol=1e-12)
    np.testing.assert_allclose(other.position("P")[::5, 1], 1 + path_y, atol=1e-12)


def guided(t, x, y):
    return sk.Mechanism(
        points={"P": [1, 1], "Q": [1, 1], "A": [0, 0], "B": [0.4, 1.3]},
        links={"ground": ["A"], "frame": ["Q"], "cart": ["P"], "led": ["P", "B"], "bar": ["A", "B"]},
        joints={
            "along": {"type": "prismatic", "links": ["frame", "ground"], "axis": [1, 0], "at": "Q"},
            "across": {"type": "prismatic", "links": ["frame", "cart"], "axis": [0, 1], "at": "P"},
        },
        drivers={
            "x": {"joint": "along", "table": np.stack((t, x), axis=1).tolist()},
            "y": {"joint": "across", "table": np.stack((t, y), axis=1).tolist()},
        },
    )


def test_missing_rates_are_nan_and_missing_values_a_status():
    m = four_bar(1, 3, 2.5, 3, 0.7)
    other = m.solve(drivers={"motor": np.linspace(0.7, 1.5, 9)}, method="global-sparse")
    assert other.ok.all() and np.isnan(other.velocity("C")).all() and np.isfinite(other.position("C")).all()
    table = {"motor": {"joint": "A", "table": [[0, 0.7], [1, 1.0], [2, 1.5], [3, 2.0]]}}
    led = sk.Mechanism.from_dict({**m.source_dict, "drivers": table})
    t = np.linspace(1, 4, 7)
    motion, other = led.solve(t=t), led.solve(t=t, method="global")
    assert sk.Status.NO_INPUT in motion.status
    np.testing.assert_array_equal(other.status, motion.status)


def test_one_sample_and_coarse_samples():
    m = four_bar(1, 3, 2.5, 3, 0.7)
    for samples in (1, 2, 5):
        assert_agree(m.solve(samples), m.solve(samples, method="global"))


# --- K, L and jerk --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["five_bar_two_drivers", "excavator", "tipper_hoist", "whitworth_shaper"])
def test_velocity_coefficients_of_a_global_motion(name):
    m = sk.load(path(name))
    motion, other = m.solve(13), m.solve(13, method="global", coordinates="relative")
    for link in m.topology.moving_links:
        if link in m.points:
            continue
        np.testing.assert_allclose(other.K(link), motion.K(link), atol=1e-9 * max(1, np.abs(motion.K(link)).max()))
        np.testing.assert_allclose(other.L(link), motion.L(link), atol=1e-9 * max(1, np.abs(motion.L(link)).max()))


@pytest.mark.parametrize("name", few(["five_bar_two_drivers", "excavator", "jansen_leg", "whitworth_shaper"]))
@pytest.mark.parametrize("family", ["natural", "relative"])
def test_jerk_of_a_global_motion(name, family):
    """Third rates are computed group by group from the frames that the global method has found."""
    m = sk.load(path(name))
    motion, other = m.solve(13), m.solve(13, method="global-sparse", coordinates=family)
    turning = np.stack([motion.angular_jerk(link) for link in m.topology.moving_links])
    again = np.stack([other.angular_jerk(link) for link in m.topology.moving_links])
    np.testing.assert_allclose(again, turning, atol=1e-9 * np.abs(turning).max())
    paths, again = (np.stack([x.jerk(point) for point in m.points]) for x in (motion, other))
    assert np.abs(paths).max() > 0
    np.testing.assert_allclose(again, paths, atol=1e-9 * np.abs(paths).max())


# --- statistics, bad input, ratios -----------------------------------------------------------------------------


def test_statistics():
    m = four_bar(1, 3, 2.5, 3, 0.7)
    motion = m.solve(361, method="global", coordinates="reference-point")
    s = motion.statistics
    assert s.coordinates.family == "reference-point" and s.q.shape == (9, 361) and s.iterations.shape == (361,)
    assert s.iterations.min() >= 1 and s.iterations.max() <= 3
    assert s.stations < 60 and s.failures == ()
    assert (s.condition > 1).all() and (s.smallest_singular_value > 0).all()
    assert m.solve(3).statistics is None


def test_bad_input():
    m = four_bar(1, 3, 2.5, 3, 0.7)
    with pytest.raises(sk.InputError, match="'globl' is unknown"):
        m.solve(3, method="globl")
    with pytest.raises(sk.InputError, match="'naturel' is unknown"):
        m.solve(3, method="global", coordinates="naturel")
    with pytest.raises(sk.InputError, match="method 'topological' has no coordinates"):
        m.solve(3, coordinates="natural")
    free = sk.Mechanism.from_dict({**m.source_dict, "drivers": {}})
    with pytest.raises(sk.StructureError):
        free.solve(t=[0.0], method="global")


def test_the_scalable_four_bar():
    m = scalable(40)
    motion = m.solve(61)
    for method in METHODS:
        assert_agree(motion, m.solve(61, method=method))


def test_large_systems_are_not_examined(monkeypatch):
    """Newton failures are examined with full matrices; where these would take minutes, a message says so."""
    m = sk.load(path("triple_rocker"))
    (driver,) = m.drivers
    values = np.linspace(m.drivers[driver].start, m.limits(driver).upper.value + 0.1, 40)
    known = m.solve(drivers={driver: values}, method="global")
    monkeypatch.setattr(between, "LARGE", 1)
    motion = m.solve(drivers={driver: values}, method="global")
    np.testing.assert_array_equal(motion.ok, known.ok)
    assert {failure.outcome for failure in motion.statistics.failures} == {sk.Outcome.NOT_EXAMINED}
    # The groups, which say where a motion goes on, know that it does not.
    assert (motion.status[~motion.ok] == sk.Status.OUT_OF_REACH).all() and not motion.ok.all()
