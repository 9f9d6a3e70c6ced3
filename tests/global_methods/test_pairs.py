"""Higher pairs in global methods: gears, belts, racks, rolling, cams, Geneva wheels, against the topological one."""

import numpy as np
import pytest
from cases import few
from coordinate_samples import (
    FAMILIES,
    KINDS,
    METHODS,
    MIXED,
    build,
    cam_file,
    distinct,
    eccentric,
    geneva,
    geneva_linkage,
    train,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_global_methods import assert_agree
from test_rows import assert_derivatives, assert_frames, assert_rows_hold

import structkin as sk

COMBINATIONS = [(method, family) for method in METHODS for family in FAMILIES]
seeds = st.integers(0, 2**31 - 1)


def assert_all(m, samples=25, combinations=COMBINATIONS, **given_):
    """Every method gives the motion of the topological one, its K and L, and its unwrapped angles."""
    motion = m.solve(samples, **given_)
    assert motion.ok.all()
    for method, family in combinations:
        other = m.solve(samples, **given_, method=method, coordinates=family)
        assert other.ok.all()
        assert_agree(motion, other)
        for link in m.topology.moving_links:
            np.testing.assert_allclose(other.angle(link), motion.angle(link), atol=1e-8)
            np.testing.assert_allclose(other.K(link), motion.K(link), atol=1e-8 * np.abs(motion.K(link)).max())
    return motion


# --- gears, belts, racks, rolling -----------------------------------------------------------------------------


@pytest.mark.full
@settings(max_examples=15, deadline=None)
@given(seed=seeds, elements=st.integers(1, 5), chosen=st.sampled_from(COMBINATIONS))
def test_random_geared_mechanisms(seed, elements, chosen):
    assert_geared(seed, elements, chosen)


@pytest.mark.parametrize(("seed", "elements"), few([(2020794986, 4), (952911210, 4)], 1))
def test_a_gear_on_a_link_between_two_known_pins(seed, elements):
    """Its angle comes from a combination of slots."""
    for chosen in COMBINATIONS[::5]:
        assert_geared(seed, elements, chosen)


def test_points_and_links_of_the_same_names_are_driven_by_two():
    """A distance between the points J5 and N5, and an angle between the links J5 and N5."""
    assert_geared(77014839, 4, COMBINATIONS[3])


def test_links_that_only_slide_at_a_steady_speed():
    """Their accelerations are zero, or 1e-37."""
    assert_geared(77006149, 2, COMBINATIONS[1])


def test_a_counted_link_that_shares_its_direction_with_a_block():
    """Rows count the turn of one of them; the lanes are filled from it."""
    assert_geared(860, 4, ("global", "natural"))


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(seed=seeds, elements=st.integers(1, 6), chosen=st.sampled_from(COMBINATIONS))
def test_many_random_geared_mechanisms(seed, elements, chosen):
    assert_geared(seed, elements, chosen)


def assert_geared(seed, elements, chosen):
    case = build(seed, elements, menu=MIXED)
    m = case.mechanism()
    assert_derivatives(m.constraints(chosen[1]), m, seed)
    motion = m.solve(25, duration=case.duration)
    if any(abs(z[0, 0] - m.drivers[id].start) > np.pi for id, z in motion.drivers.items()):
        return  # a law may begin whole turns from the sketch, where no path may lead
    other = m.solve(25, duration=case.duration, method=chosen[0], coordinates=chosen[1])
    position, _, acceleration = distinct(motion, other)
    both = motion.ok & other.ok
    clear = other.statistics.smallest_singular_value[both] > 1e-3
    assert position[clear].max(initial=0.0) < 1e-10
    assert acceleration[clear].max(initial=0.0) < 1e-7
    assert other.statistics.iterations.max() <= 3
    assert other.residual()[other.ok].max(initial=0.0) < 1e-10
    assert not motion.ok.all() or other.ok.all()
    for link in m.topology.moving_links if motion.ok.all() else ():
        np.testing.assert_allclose(other.angle(link), motion.angle(link), atol=1e-7)


@pytest.mark.parametrize("family", few(FAMILIES))
def test_whole_turns_count_for_any_spacing_of_samples(family):
    """A ratio is a real number: after three turns of the first gear the second is where the ratio puts it."""
    m, z = train(), np.array([0.0, 3.0, 19.0, 6.0, -25.0])
    motion = m.solve(drivers={"motor": z}, method="global", coordinates=family)
    turn = motion.angle("second") - 0.5 * np.pi
    np.testing.assert_allclose(turn, z / -0.37, atol=1e-9)
    assert motion.ok.all()


@pytest.mark.full
@pytest.mark.parametrize("family", few(["relative", "natural"], 1, 0))
def test_a_gap_is_not_bridged_by_a_pose_that_is_whole_turns_away(family):
    """When a driver returns after a turn its gears are elsewhere: only the unwrapped angle determines where."""
    data = train().source_dict
    data["points"] |= {"R": (2.2, 1.6)}
    data["links"] |= {"left": ["P", "R"], "right": ["Q", "R"]}
    m = sk.Mechanism.from_dict(data)
    z = 3.5 * np.sin(np.linspace(0, 10, 101))
    motion, other = m.solve(drivers={"motor": z}), m.solve(drivers={"motor": z}, method="global", coordinates=family)
    again = np.flatnonzero(~other.ok)[0]
    assert other.ok[again:].any() and not (other.ok & ~motion.ok).any()
    assert distinct(motion, other)[0].max() < 1e-10
    ahead = m.solve(drivers={"motor": 2 * z}, method="global", coordinates=family)
    assert distinct(m.solve(drivers={"motor": 2 * z}), ahead)[0].max() < 1e-10


@pytest.mark.parametrize("internal", few([False, True], 1))
def test_a_circle_that_rolls_on_a_moving_circle(internal):
    """Both circles move; the line of their centres is the carrier."""
    radii = [0.4, 1.5] if internal else [0.5, 1.0]
    reach = 1.1 if internal else 1.5
    m = sk.Mechanism(
        points={"O": (0, 0), "H": (0.6, 0), "C": (reach, 0), "D": (reach, 0.2), "S": (reach + 1.0, 1.2),
                "T": (reach + 0.6, 0.9)},
        links={"ground": ["O", "T"], "hub": ["O", "H"], "wheel": ["C", "D"], "rod": ["S", "C"], "arm": ["T", "S"]},
        joints={"roll": {"type": "rolling", "links": ["wheel", "hub"], "centers": ["C", "O"], "radii": radii,
                         "internal": internal}},
        drivers={"motor": {"joint": "O", "law": "2.5*sin(t)"}, "swing": {"joint": "T", "speed": 2.0}},
        duration=6.0,
    )  # fmt: skip
    assert_all(m, 41, COMBINATIONS[:8])
    for family in FAMILIES:
        c = m.constraints(family)
        assert_derivatives(c, m)
        assert_frames(c, m)
        assert_rows_hold(m, family)


# --- cams -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "contact"), few(KINDS, 1))
def test_cams_by_their_law(kind, contact):
    m = sk.Mechanism.from_dict(cam_file(kind, contact, np.random.default_rng(7)))
    for family in FAMILIES:
        assert_derivatives(m.constraints(family), m)
        assert_rows_hold(m, family)
    assert_all(m, 49, COMBINATIONS[::3])


# A method's angle of this cam is 1e-17 before the law's start, where its acceleration jumps.
@example(seed=1631110723, case=("oscillating", "flat"), chosen=("global", "fully-cartesian"))
@settings(max_examples=8, deadline=None)
@given(seed=seeds, case=st.sampled_from(KINDS), chosen=st.sampled_from(COMBINATIONS))
def test_random_cams(seed, case, chosen):
    m = sk.Mechanism.from_dict(cam_file(*case, np.random.default_rng(seed)))
    if m.solve(49).ok.all():
        assert_all(m, 49, [chosen])


@pytest.mark.parametrize(("kind", "contact"), few(KINDS, 1))
def test_cams_by_their_profile(kind, contact):
    m = eccentric(contact, kind)
    for family in ("natural", "relative"):
        assert_derivatives(m.constraints(family), m)
    assert_all(m, 25, COMBINATIONS[::7])


def test_a_cam_on_a_moving_carrier_that_drives_a_linkage():
    law = [{"motion": "cycloidal", "over": np.pi, "to": 0.25}, {"motion": "harmonic", "over": np.pi, "to": 0.0}]
    m = sk.Mechanism(
        points={"O": (-1, -1), "A": (0, 0), "M": (0.3, 0), "B": (2, 0), "Q": (0.2, 1.2), "C": (1.2, 1.6),
                "D": (2.9, 2.4), "E": (3.6, 0.7)},
        links={"ground": ["O"], "arm": ["O", "A", "B", "E"], "disc": ["A", "M"], "lever": ["B", "Q", "C"],
               "coupler": ["C", "D"], "rocker": ["E", "D"]},
        joints={"cam": {"type": "cam", "cam": "disc", "follower": "lever", "at": "Q", "radius": 0.2, "law": law}},
        drivers={"motor": {"joint": "A", "speed": 2.0}, "swing": {"joint": "O", "law": "0.785398 + 0.5*sin(t)"}},
        duration=6.0,
    )  # fmt: skip
    assert_all(m, 61, COMBINATIONS[::3])


# --- Geneva wheels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [3, 4, 6])
def test_geneva_wheels_count_their_steps(slots):
    m = geneva(slots, np.exp(0.7j))
    for family in FAMILIES:
        assert_rows_hold(m, family)
    motion = assert_all(m, 181, COMBINATIONS[::3], duration=14.0)
    assert np.ptp(motion.geneva("step").steps) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_a_geneva_wheel_that_begins_some_turns_away(family):
    m = geneva(5)
    z = np.linspace(15.0, 21.0, 50)
    motion = m.solve(drivers={"motor": z})
    other = m.solve(drivers={"motor": z}, method="global", coordinates=family)
    assert other.ok.all() and distinct(motion, other)[0].max() < 1e-12


def test_a_geneva_wheel_on_a_moving_carrier_drives_a_linkage():
    m = geneva_linkage()
    motion = m.solve(120, duration=2 * np.pi)
    for method, family in COMBINATIONS[::3]:
        other = m.solve(120, duration=2 * np.pi, method=method, coordinates=family)
        position, *_ = distinct(motion, other)
        assert position.max() < 1e-10 and (other.ok & motion.ok).sum() > 60


# --- the rows and coordinates ---------------------------------------------------------------------------------------


def test_unwrapped_angles_are_coordinates_only_where_needed():
    m = train()
    assert [m.constraints(family).n for family in FAMILIES] == [6, 6, 10, 2]
    assert m.constraints("natural").names == (
        "first.U.x", "first.U.y", "second.U.x", "second.U.y", "first.turn", "second.turn"
    )  # fmt: skip
    rows = [str(row) for row in m.constraints("natural").rows]
    assert "mesh (gear ratio)" in rows and "second (counted turn)" in rows
    assert eccentric("roller", "translating").constraints("natural").turned == ()


def test_frames_alone_do_not_determine_whole_turns():
    c = train().constraints("reference-point")
    q = c.start() + np.array([[0.0, 0, 0, 7.0, 0, 0]]).T
    assert c.turns(c.from_frames(c.frames(q)))[1, 0] == pytest.approx(7.0 - 2 * np.pi)
    again = c.from_frames(c.frames(q), {"second": np.array([7.0])})
    assert c.turns(again)[1, 0] == pytest.approx(7.0)
