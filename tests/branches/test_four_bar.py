"""Types of four-bars and slider-cranks against the limits found from the groups, and against motions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_limits import four_bar, quiet

import structkin as sk
from structkin.branches.four_bar import FourBar, SliderCrank

length = st.floats(0.3, 3.0)


@settings(max_examples=15, **quiet)
@given(length, length, length, length)
def test_types_agree_with_the_limits(crank, coupler, rocker, ground):
    mechanism = four_bar(crank, coupler, rocker, ground)
    assume(mechanism is not None)
    (bars,) = mechanism.four_bars()
    assume(abs(bars.excess) > 1e-3)
    assert bars.lengths == pytest.approx((ground, crank, coupler, rocker))
    found = mechanism.limits()
    assert bars.input_turns == found.turns_fully
    assert bars.input_turns == (bars.type in ("crank-rocker", "double crank"))
    values = sorted({round(abs(math.remainder(end.value, 2 * math.pi)), 9) for item in found.intervals
                     for end in (item.low, item.high) if end is not None})  # fmt: skip
    assert values == pytest.approx(sorted(bars.input_limits), abs=1e-8)


@pytest.mark.parametrize(
    ("lengths", "type_", "barker"),
    [
        ((4.0, 1.0, 3.5, 3.0), "crank-rocker", "GCRR"),
        ((1.0, 3.0, 3.5, 4.0), "double crank", "GCCC"),
        ((4.0, 3.0, 1.0, 3.5), "double rocker", "GRCR"),
        ((4.0, 3.0, 3.5, 1.0), "rocker-crank", "GRRC"),
        ((4.0, 2.0, 2.2, 2.4), "triple rocker", "RRR1"),
        ((2.0, 2.2, 2.4, 4.0), "triple rocker", "RRR4"),
        ((2.0, 1.0, 2.0, 1.0), "change point", "S2X"),
        ((1.0, 1.0, 1.0, 1.0), "change point", "S3X"),
        ((3.0, 1.0, 2.5, 1.5), "change point", "SCRR"),
    ],
)
def test_types_by_their_lengths(lengths, type_, barker):
    bars = FourBar(("a", "b", "c"), ("A", "B", "C", "D"), lengths)
    assert (bars.type, bars.barker) == (type_, barker)
    # Lengths alone decide whether a bar turns fully relative to its neighbour; the scale does not matter.
    scaled = FourBar(bars.links, bars.joints, tuple(1e-3 * x for x in lengths))
    assert (scaled.type, scaled.barker) == (type_, barker)


@pytest.mark.parametrize("output", [1.0, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)])
def test_an_input_that_turns_fully_through_change_points_has_no_limits(output):
    for lengths in [(1.0, 1.0, 1.0, output), (output, 1.0, 1.0, 1.0), (2.0, 1.0, 2.0, output)]:
        bars = FourBar(("a", "b", "c"), ("A", "B", "C", "D"), lengths)
        assert bars.input_turns and bars.input_limits == ()
    # A kite that folds over its ground: coupler and output stretched, the law of cosines gives 2 asin(1 / 2).
    (angle,) = FourBar(("a", "b", "c"), ("A", "B", "C", "D"), (2.0, 2.0, 1.0, output)).input_limits
    assert angle == pytest.approx(math.pi / 3)


def short(file_lengths):
    ground, crank, coupler, rocker = file_lengths
    return sk.Mechanism(
        units={"length": "mm"},
        points={"A": (0, 0), "B": (0, crank), "C": (ground, rocker), "D": (ground, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"B-C": coupler},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


@pytest.mark.parametrize(
    ("lengths", "longest", "others"),
    [((45.0, 15.0, 10.0, 12.0), "45 mm", "37 mm"), ((13.0, 10.0, 60.0, 12.0), "60 mm", "35 mm")],
)
def test_a_four_bar_with_a_bar_that_is_too_long_has_no_type(lengths, longest, others):
    mechanism = short(lengths)
    (bars,) = mechanism.four_bars()
    said = f"cannot be assembled: the longest link, {longest}, exceeds the sum of the others, {others}"
    assert bars.words == f"crank-coupler-rocker: {said}"
    assert (bars.type, bars.barker) == ("cannot be assembled", "")
    assert not (bars.can_be_assembled or bars.input_turns or bars.input_limits)
    assert not mechanism.solve().ok.any() and said in mechanism.assemblies().report
    assert FourBar(bars.links, bars.joints, (37.0, 15.0, 10.0, 12.0)).can_be_assembled  # in one line


def test_a_slider_crank_that_does_not_reach_its_guide():
    mechanism = sk.Mechanism(
        points={"O": (0, 0), "A": (0, 0.1), "B": (0.1, 0.5)},
        links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "slider": ["B"]},
        lengths={"A-B": 0.2},
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )
    (loop,) = mechanism.slider_cranks()
    said = "cannot be assembled: the offset, 0.5 m, exceeds crank and rod together, 0.3 m"
    assert loop.words == f"crank-rod-slider: {said}" and not (loop.can_be_assembled or loop.crank_turns)
    assert said in mechanism.assemblies().report


def test_a_crank_rocker_swings_as_far_as_its_motion():
    motion = sk.load("examples/crank_rocker.toml").solve(samples=7201)
    (bars,) = motion.mechanism.four_bars()
    rocker, crank = motion.angle("rocker"), motion.drivers["motor"][0]
    assert bars.swing == pytest.approx(np.ptp(rocker), rel=1e-5)
    forth = abs(crank[np.argmax(rocker)] - crank[np.argmin(rocker)])
    slow, fast = max(forth, 2 * math.pi - forth), min(forth, 2 * math.pi - forth)
    assert bars.time_ratio == pytest.approx(slow / fast, rel=2e-3)
    angle = motion.transmission_angle("C")
    assert bars.transmission_angles == pytest.approx((angle.min(), angle.max()), rel=1e-5)


def test_a_slider_crank_has_the_stroke_of_its_motion():
    motion = sk.load("examples/slider_crank_offset.toml").solve(samples=7201)
    (loop,) = motion.mechanism.slider_cranks()
    travel, crank = motion.travel(loop.joints[3]), next(iter(motion.drivers.values()))[0]
    assert loop.stroke == pytest.approx(np.ptp(travel), rel=1e-6)
    forth = abs(crank[np.argmax(travel)] - crank[np.argmin(travel)])
    assert loop.time_ratio == pytest.approx(max(forth, 2 * math.pi - forth) / min(forth, 2 * math.pi - forth), rel=2e-3)
    assert not loop.is_in_line and loop.crank_turns
    assert not SliderCrank(("a", "b", "c"), ("A", "B", "C", "g"), 2.0, 1.0, 0.1).crank_turns


def test_loops_are_found_in_larger_mechanisms():
    assert next(bars.links for bars in sk.load("examples/watt_six_bar.toml").four_bars())[0] == "crank"
    engine = sk.load("examples/v_engine.toml")
    assert {loop.links[0] for loop in engine.slider_cranks()} == {"crank"} and len(engine.slider_cranks()) == 2
    assert sk.load("examples/scotch_yoke.toml").four_bars() == ()


# --- transmission angle and mechanical advantage --------------------------------------------------------------


def test_transmission_angles_of_every_dyad():
    engine = sk.load("examples/slider_crank_offset.toml").solve(samples=91)
    rod = engine.angle("rod")
    np.testing.assert_allclose(engine.transmission_angle("rod"), np.arcsin(np.abs(np.cos(rod))), atol=1e-9)
    shaper = sk.load("examples/whitworth_shaper.toml").solve(samples=91)
    assert shaper.transmission_angle("lever") == pytest.approx(np.full(91, math.pi / 2), abs=1e-6)  # no offset
    yoke = sk.load("examples/scotch_yoke.toml").solve(samples=9)
    assert yoke.transmission_angle(1) == pytest.approx(np.full(9, math.pi / 2))
    with pytest.raises(sk.InputError, match="is not a dyad"):
        engine.transmission_angle("crank")
    with pytest.raises(sk.InputError, match="not a group, link or inner joint; did you mean 'rod'"):
        engine.transmission_angle("rood")
    with pytest.raises(sk.InputError, match="A: is not a group, link or inner joint; known: C, rod, "):
        engine.transmission_angle("A")
    with pytest.raises(sk.InputError, match="not a group, link or inner joint"):
        engine.transmission_angle(7)


def test_power_in_is_power_out():
    for name, outputs in (("crank_rocker", ["rocker", "P"]), ("whitworth_shaper", ["lever"])):
        motion = sk.load(f"examples/{name}.toml").solve(samples=50)
        for output in outputs:
            if output not in (*motion.mechanism.links, *motion.mechanism.points):
                continue
            advantage = motion.mechanical_advantage(output)
            speed = next(iter(motion.drivers.values()))[1]
            out = motion.omega(output) if output in motion.mechanism.links else np.hypot(*motion.velocity(output).T)
            sign = 1 if output in motion.mechanism.links else np.sign(speed)
            np.testing.assert_allclose(advantage * out * sign, speed, rtol=1e-9)
    motion = sk.load("examples/slider_crank_offset.toml").solve(samples=3601)
    guide = motion.mechanism.slider_cranks()[0].joints[3]
    slope = np.gradient(motion.travel(guide), next(iter(motion.drivers.values()))[0])
    inside = slice(5, -5)
    np.testing.assert_allclose(1 / motion.mechanical_advantage(guide)[inside], slope[inside], atol=1e-5 * motion.size)
    with pytest.raises(sk.InputError, match="2 drivers"):
        sk.load("examples/five_bar_two_drivers.toml").solve(samples=3).mechanical_advantage("left_rod")


def test_the_advantage_over_a_link_at_rest_is_infinite():
    press = sk.load("examples/cam_roller_follower.toml").solve(samples=361)
    lift, slope = press.mechanical_advantage("guide"), press.cam("contact").cam.lift(press.cam("contact").angle, 1)
    resting = np.abs(slope) < 1e-13 * press.size
    assert resting.sum() > 100 and np.isinf(lift[resting]).all()
    np.testing.assert_allclose(lift[~resting], 1 / slope[~resting], rtol=1e-9)
    # A rocker in its dead centre, where crank and coupler are in line: K is zero apart from rounding.
    m = sk.load("examples/crank_rocker.toml")
    lengths = {
        name: abs(np.subtract(*(complex(link.local[p]) for p in link.points[:2]))) for name, link in m.links.items()
    }
    a, b, c, d = (lengths[name] for name in ("crank", "coupler", "rocker", "ground"))
    for reach in (b + a, b - a):
        angle = np.arccos((reach**2 + d**2 - c**2) / (2 * reach * d)) + (np.pi if reach < b else 0.0)
        assert np.isinf(m.solve(drivers={"motor": [angle]}).mechanical_advantage("rocker")).all()
