"""Time ratios: compared with closed forms and with the driver's angles at the ends."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path
from structkin.solve.motion.swing import ratio_slopes


def test_a_crank_rocker_and_an_offset_slider_crank():
    m = sk.load(path("crank_rocker"))
    swing, form = m.solve().swing("rocker"), m.four_bars()[0]
    assert swing.ratio == pytest.approx(form.time_ratio, abs=1e-8)
    assert swing.high - swing.low == pytest.approx(form.swing, abs=1e-9)
    m = sk.load(path("slider_crank_offset"))
    swing, form = m.solve().swing("guide"), m.slider_cranks()[0]
    assert swing.ratio == pytest.approx(form.time_ratio, abs=1e-8)
    assert swing.high - swing.low == pytest.approx(form.stroke, rel=1e-9)
    assert m.solve().swing("piston") == swing
    assert swing.forth + swing.back == pytest.approx(0.5) and swing.rest == 0


@pytest.mark.parametrize("samples", [37, 361])
@pytest.mark.parametrize(
    "lengths",
    # The first from a trial, which had 1.1e-4 of the ratio at 361 samples: near its ends this rocker turns fast.
    [(1.517777, 1.820367, 1.54872, 1.791084), (1.464171, 1.593530, 1.707885, 1.686680), (0.4, 1.1, 0.9, 1.2)],
)
def test_ends_at_which_a_rocker_turns_back_fast(lengths, samples):
    """At its ends crank and coupler lie on one line: the angles between these positions are the cosine rule's."""
    a, b, c, d = lengths
    B = a * np.exp(1j)
    W = d - B
    along = (abs(W) ** 2 + b * b - c * c) / (2 * abs(W))
    C = B + (along + 1j * np.sqrt(b * b - along**2)) * W / abs(W)
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (d, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 2.0}},
    )

    crank, rocker = (
        abs(np.diff([np.arccos((d * d + p * p - q * q) / (2 * d * p)) for p, q in ends]))[0]
        for ends in ([(b + a, c), (b - a, c)], [(c, b + a), (c, b - a)])
    )
    found = m.solve(samples).swing("rocker")
    assert found.ratio == pytest.approx((np.pi + crank) / (np.pi - crank), rel=1e-9)
    assert found.high - found.low == pytest.approx(rocker, abs=1e-9)


def test_an_output_that_turns_back_several_times():
    """The time of each direction is the sum over its strokes, as found from samples a thousand times denser."""
    m = sk.load(path("five_bar_two_drivers"))
    swing = m.solve().swing("left_rod")
    rate = m.solve(samples=20001).omega("left_rod")[:-1]
    assert np.count_nonzero(np.diff(np.sign(rate))) > 2
    assert swing.forth / (swing.forth + swing.back) == pytest.approx(np.mean(rate > 0), abs=2e-4)


@pytest.mark.parametrize("samples", [9, 61, 100, 361])
def test_an_output_that_rests(samples):
    """Two dwells of 30 of 360 degrees, which begin and end between samples: a lever, and a follower with other laws."""
    swing = sk.load(path("cam_lever_press")).solve(samples).swing("lever")
    assert swing.rest == pytest.approx(1 / 6, abs=3e-5) and swing.ratio == pytest.approx(1.0, abs=1e-4)
    forth, back, rest = follower([("cycloidal", 2.0, 0.02), ("dwell", 0.7, None), ("3-4-5", 3.0, 0.0)], samples)
    assert (forth, back) == pytest.approx((2.0, 3.0), abs=1e-5) and rest == pytest.approx(2 * np.pi - 5, abs=1e-5)


@pytest.mark.parametrize("samples", [9, 100])
def test_an_output_that_turns_back_gently_does_not_rest(samples):
    """With this law the acceleration is zero where the follower turns back, in the middle and where the cycle ends."""
    forth, back, rest = follower([("4-5-6-7", 2.0, 0.02), ("4-5-6-7", 2 * np.pi - 2, 0.0)], samples)
    assert (forth, back) == pytest.approx((2.0, 2 * np.pi - 2), abs=1e-4) and rest == 0


def follower(law, samples):
    """Return the cam angles over which a follower of a cam with this law and a dwell rises, falls and rests."""
    entries = [{"motion": motion, "over": over} | ({} if to is None else {"to": to}) for motion, over, to in law]
    left = 2 * np.pi - sum(over for _, over, _ in law)
    m = sk.Mechanism(
        points={"A": (0, 0), "Q": (0.005, 0.05)},
        links={"ground": ["A"], "disc": ["A"], "lifter": ["Q"]},
        joints={
            "guide": {"type": "prismatic", "links": ["lifter", "ground"], "axis": (0, 1)},
            "contact": {
                "type": "cam", "cam": "disc", "follower": "lifter", "at": "Q", "radius": 0.01,
                "law": entries + ([{"motion": "dwell", "over": left}] if left > 1e-12 else []),
            },
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    swing = m.solve(samples).swing("lifter")
    return swing.forth, swing.back, swing.rest


@pytest.mark.parametrize(
    ("name", "output", "why"),
    [
        ("jansen_leg", "crank", "never turns back"),
        ("jansen_leg", "fot", "did you mean 'foot'"),
        ("crank_rocker", "ground", "neither a moving link nor a joint that slides"),
    ],
)
def test_what_has_no_time_ratio(name, output, why):
    with pytest.raises(sk.InputError, match=why):
        sk.load(path(name)).solve().swing(output)


def test_a_part_of_a_cycle_or_no_times():
    m = sk.load(path("crank_rocker"))
    with pytest.raises(sk.InputError, match="whole cycle"):
        m.solve(duration=0.4).swing("rocker")
    with pytest.raises(sk.InputError, match="no times that grow"):
        m.solve(drivers={"motor": np.linspace(0, 6, 5)}).swing("rocker")
    with pytest.raises(sk.InputError, match="fewer than three samples"):
        m.solve(2).swing("rocker")


def uniform(rise: float, rest: float = 0.0) -> sk.Mechanism:
    """A cam whose follower rises and falls at constant speeds, after each of which it may rest."""
    data = sk.load(path("cam_roller_follower")).source_dict
    parts = [("uniform", rise, 25), ("dwell", rest, None), ("uniform", 360 - rise - 2 * rest, 0), ("dwell", rest, None)]
    data["joints"]["contact"]["law"] = [
        {"motion": motion, "over": over} | ({} if to is None else {"to": to}) for motion, over, to in parts if over
    ]
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize("samples", [37, 100, 361])
@pytest.mark.parametrize(("rise", "rest"), [(180, 0), (120, 0), (150, 30)])
def test_a_follower_whose_rate_jumps_where_the_cycle_begins(rise, rest, samples):
    """It was refused: its rate at the last sample is that before the jump, or after it, as times are rounded."""
    found = uniform(rise, rest).solve(samples).swing("follower")
    fall = 360 - rise - 2 * rest
    assert found.forth == pytest.approx(rise / 360, abs=1e-6) and found.back == pytest.approx(fall / 360, abs=1e-6)
    assert found.rest == pytest.approx(2 * rest / 360, abs=1e-6)
    assert found.ratio == pytest.approx(max(rise / fall, fall / rise), rel=1e-5)


def test_a_part_of_a_cycle_is_refused_though_the_output_is_back():
    """Over the middle of its stroke a slider passes each place twice, with opposite rates; the crank is elsewhere."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1)}, links={"ground": ["A"], "arm": ["A", "B"]},
        drivers={"motor": {"joint": "A", "law": "sin(t)"}}, duration=np.pi,
    )  # fmt: skip
    with pytest.raises(sk.InputError, match="does not come back to where it began"):
        m.solve(101).swing("arm")
    x, y = np.cos(np.pi / 3), np.sin(np.pi / 3)
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (x, y), "C": (x + np.sqrt(9 - y * y), 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=4 * np.pi / 3,
    )  # fmt: skip
    assert m.solve(duration=2 * np.pi).swing("piston").ratio == pytest.approx(1, abs=1e-9)
    with pytest.raises(sk.InputError, match="does not come back to where it began"):
        m.solve(101).swing("piston")


def test_slopes_of_a_ratio_whose_rate_jumps_are_refused():
    m = uniform(120)
    with pytest.raises(sk.InputError, match="its rate jumps where it turns back"):
        ratio_slopes(m.solve(361), "follower", ["points.Q.y"])


@pytest.mark.parametrize("samples", [73, 100])
@pytest.mark.parametrize("sketch", [0.0, np.pi, 1.0])
def test_slopes_of_a_ratio_count_the_dead_centre_at_which_a_cycle_begins(sketch, samples):
    """Between the dead centres of an offset slider-crank are pi +- d, d = asin(e / (l - r)) - asin(e / (l + r))."""
    r, l, e = 0.05, 0.25, 0.084
    crank = r * np.exp(1j * (sketch + np.arcsin(e / (l + r) if sketch != np.pi else e / (l - r))))
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (crank.real, crank.imag),
                "C": (crank.real + np.sqrt(l * l - (e - crank.imag) ** 2), e)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "ram": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0]}},
        lengths={"A-B": r, "B-C": l}, drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(samples)
    far, near = np.arcsin(e / (l + r)), np.arcsin(e / (l - r))
    d, per_far, per_near = near - far, -e / (l + r) ** 2 / np.cos(far), -e / (l - r) ** 2 / np.cos(near)
    by_d = 2 * np.pi / (np.pi - d) ** 2
    assert motion.swing("ram").ratio == pytest.approx((np.pi + d) / (np.pi - d), abs=1e-9)
    wanted = [by_d * (-per_near - per_far), by_d * (per_near - per_far)]
    assert ratio_slopes(motion, "ram", ["lengths.A-B", "lengths.B-C"]) == pytest.approx(wanted, rel=1e-7)
    assert len(motion.swing("ram").turns) == 2
