"""What `solve` promises: forms of the call, limits, statuses and angles, on mechanisms with closed formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin import InputError, PoseError, Status, StructureError


def four_bar(
    a: float = 1.0, b: float = 3.0, c: float = 2.5, d: float = 3.5, *, start: float = 1.0, side: int = 1, **motor: Any
):
    """Crank a, coupler b, rocker c and frame d, drawn at the crank angle `start` with C on one side of B-D."""
    B = a * np.exp(1j * start)
    C = third_corner(B, complex(d), b, c, side)
    if not motor:
        motor = {"speed": 2 * np.pi}
    return sk.Mechanism(
        "four-bar",
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (d, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths={"A-B": a, "B-C": b, "D-C": c, "A-D": d},
        drivers={"motor": {"joint": "A", **motor}},
    )


def third_corner(P: Any, Q: Any, p: float, q: float, side: int) -> Any:
    """The corner at the distances p and q from P and Q, left (+1) or right of P-Q; NaN out of reach."""
    W = Q - P
    with np.errstate(invalid="ignore", divide="ignore"):
        x = (p * p - q * q + np.abs(W) ** 2) / (2 * np.abs(W))
        return P + (x + side * 1j * np.sqrt(p * p - x * x)) * W / np.abs(W)


def path(motion: Any, point: str, order: str = "position") -> Any:
    return getattr(motion, order)(point) @ [1, 1j]


ONE = four_bar()
#: A mechanism with a group that is solved by continuation: a platform on three legs, one of them driven.
TRIAD = sk.Mechanism(
    "stephenson",
    points={
        "A": (0, 0), "B": (0.3, 0.4), "C": (1.5, 1.5), "D": (2.5, 1.4), "E": (2, 2.2),
        "F": (2.6, 0.1), "G": (1.8, 3.5),
    },
    links={
        "ground": ["A", "F", "G"], "crank": ["A", "B"], "leg": ["B", "C"], "plate": ["C", "D", "E"],
        "right": ["D", "F"], "top": ["E", "G"],
    },
    drivers={"motor": {"joint": "A", "law": "0.9273 + 0.4*sin(2*pi*t)"}},
    duration=1.0,
)  # fmt: skip

EVERY = pytest.mark.parametrize("mechanism", [ONE, TRIAD], ids=["closed", "tracked"])
ORDERS = ("position", "velocity", "acceleration")


# --- forms of the call ---------------------------------------------------------------------------------------------


@EVERY
def test_times_samples_and_driver_values_are_the_same_motion(mechanism):
    a = mechanism.solve(samples=25, duration=1.0)
    assert a.ok.all()
    np.testing.assert_allclose(a.t, np.linspace(0, 1, 25))
    b = mechanism.solve(t=a.t)
    z, rate, second = a.drivers["motor"]
    c = mechanism.solve(drivers={"motor": (z, rate, second)})
    assert np.isnan(c.t).all()
    for order in ORDERS:
        for point in mechanism.points:
            wanted = path(a, point, order)
            scale = np.max(np.abs(wanted)) + 1e-300
            for other in (b, c):
                np.testing.assert_allclose(path(other, point, order), wanted, rtol=0, atol=1e-12 * scale)


@EVERY
def test_values_without_rates_have_positions_only(mechanism):
    full = mechanism.solve(samples=7, duration=1.0)
    z, rate, second = full.drivers["motor"]
    positions = mechanism.solve(drivers={"motor": z})
    assert positions.ok.all()
    np.testing.assert_allclose(path(positions, "C"), path(full, "C"), atol=1e-12)
    assert np.isnan(path(positions, "C", "velocity")).all()
    rates = mechanism.solve(drivers={"motor": (z, rate)})
    np.testing.assert_allclose(path(rates, "C", "velocity"), path(full, "C", "velocity"), atol=1e-11)
    assert np.isnan(path(rates, "C", "acceleration")).all()
    assert np.isfinite(path(rates, "A", "acceleration")).all()
    # rates are linear in those of the driver, accelerations quadratic
    doubled = mechanism.solve(drivers={"motor": (z, 2 * rate, 4 * second)})
    np.testing.assert_allclose(path(doubled, "C", "velocity"), 2 * path(full, "C", "velocity"), atol=1e-11)
    np.testing.assert_allclose(path(doubled, "C", "acceleration"), 4 * path(full, "C", "acceleration"), atol=1e-9)


@EVERY
def test_one_sample_and_any_order_of_times(mechanism):
    times = np.array([0.6, 0.1, 0.85, 0.1])
    together = path(mechanism.solve(t=times), "C")
    for k, time in enumerate(times):
        alone = mechanism.solve(t=time)
        assert len(alone) == 1
        assert abs(path(alone, "C")[0] - together[k]) <= 1e-12
    np.testing.assert_allclose(together, path(mechanism.solve(t=np.sort(times)), "C")[[2, 0, 3, 0]], atol=1e-12)


def test_the_default_is_one_turn_with_both_ends():
    motion = ONE.solve()
    assert len(motion) == 361
    assert motion.t[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(motion.position("C")[0], motion.position("C")[-1], atol=1e-12)


def test_two_drivers_one_by_value_one_by_law():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 0.5)},
        links={"ground": ["A"], "arm": ["A", "B"], "hand": ["B", "C"]},
        drivers={"shoulder": {"joint": "A", "speed": 2.0}, "elbow": {"joint": "B"}},
    )
    t = np.linspace(0, 1, 5)
    elbow = np.array([0.1, 0.2, 0.4, 0.3, 0.0])
    motion = m.solve(t=t, drivers={"elbow": elbow})
    hand = np.exp(1j * (2 * t + elbow)) * abs(1 + 0.5j)
    np.testing.assert_allclose(path(motion, "C"), np.exp(2j * t) + hand, atol=1e-14)
    assert np.isnan(path(motion, "C", "velocity")).all()
    np.testing.assert_allclose(path(motion, "B", "velocity"), 2j * np.exp(2j * t), atol=1e-14)


@pytest.mark.parametrize(
    "options",
    [
        {"drivers": {"motr": [0.0]}},
        {"drivers": {"motor": [0.0, np.nan]}},
        {"drivers": {"motor": []}},
        {"drivers": {"motor": ([0.0], [0.0, 1.0])}},
        {"drivers": {"motor": np.zeros((2, 2))}},
        {"drivers": {"motor": "fast"}},
        {"drivers": {"motor": [0.0, 1.0]}, "t": [0.0, 1.0, 2.0]},
        {"samples": 0},
        {"samples": -3},
        {"t": [0.0, np.inf]},
        {"t": []},
        {"duration": -1.0},
        {"method": "magic"},
    ],
    ids=str,
)
def test_calls_that_do_not_fit_are_refused(options):
    with pytest.raises(InputError):
        ONE.solve(**options)


# --- reach ----------------------------------------------------------------------------------------------------

lengths = st.floats(0.5, 4.0)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(a=lengths, b=lengths, c=lengths, d=lengths, start=st.floats(0, 2 * np.pi), side=st.sampled_from([1, -1]))
def test_a_four_bar_reaches_exactly_the_range_of_its_formula(a, b, c, d, start, side):
    def clearance(theta: Any) -> Any:
        span = np.abs(d - a * np.exp(1j * theta))
        return np.minimum(b + c - span, span - abs(b - c))

    assume(clearance(start) > 1e-2)
    # a change point (Grashof's sum is equal) touches the limit without a gap
    s = sorted((a, b, c, d))
    assume(abs(s[0] + s[3] - s[1] - s[2]) > 1e-3)
    theta = np.linspace(0, 2 * np.pi, 361)
    motion = four_bar(a, b, c, d, start=start, side=side).solve(drivers={"motor": (theta, np.ones(361), np.zeros(361))})
    clear = clearance(theta)
    sure = np.abs(clear) > 1e-9
    assert np.array_equal(motion.ok[sure], clear[sure] > 0)
    assert np.all(motion.status[sure & (clear < 0)] == Status.OUT_OF_REACH)
    assert np.array_equal(motion.failed_group >= 0, ~motion.ok)
    B = a * np.exp(1j * theta)
    np.testing.assert_allclose(path(motion, "B"), B, atol=1e-13)
    assert np.isfinite(path(motion, "B", "acceleration")).all()
    C = third_corner(B, d, b, c, side)
    good = motion.ok & (clear > 1e-6)
    assert np.max(np.abs(path(motion, "C") - C)[good] * np.sqrt(clear[good])) <= 1e-13
    for order in ORDERS:
        assert np.isnan(path(motion, "C", order)[~motion.ok]).all()
    assert np.isnan(motion.angle("coupler")[~motion.ok]).all()
    # closed velocity formulas: w_b b sin(b - c) = -w_a a sin(a - c), and so on
    beta, gamma = np.angle(C - B)[good], np.angle(C - d)[good]
    wb = -a * np.sin(theta[good] - gamma) / (b * np.sin(beta - gamma))
    wc = a * np.sin(theta[good] - beta) / (c * np.sin(gamma - beta))
    np.testing.assert_allclose(motion.omega("coupler")[good], wb, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(motion.omega("rocker")[good], wc, rtol=1e-7, atol=1e-9)


NON_GRASHOF = {"a": 2.0, "b": 1.5, "c": 1.2, "d": 3.0}


def test_out_of_reach_names_its_group_and_gaps_are_reported():
    motion = four_bar(**NON_GRASHOF, start=0.3).solve()
    assert 0 < motion.ok.sum() < 361
    bad = ~motion.ok
    assert set(np.unique(motion.failed_group)) == {-1, 1}
    assert "RRR" in motion.group_name(1)
    assert "coupler" in motion.group_name(1)
    assert "rocker" in motion.group_name(1)
    assert f"{motion.ok.sum()} of 361" in motion.report
    assert "out of reach" in motion.report
    runs = list(motion.outcomes())
    assert sum(part.stop - part.start for part, _, _ in runs) == 361
    assert all((status == Status.OK) == (not bad[part].any()) for part, status, _ in runs)


def test_strict_raises_at_the_first_bad_sample():
    m = four_bar(**NON_GRASHOF, start=0.3)
    first = int(np.flatnonzero(~m.solve().ok)[0])
    with pytest.raises(PoseError) as caught:
        m.solve(strict=True)
    assert caught.value.sample == first
    assert "RRR" in str(caught.value)
    assert ONE.solve(strict=True).ok.all()


def test_the_first_group_that_fails_is_named_and_others_are_solved():
    """Two dyads on one crank: one is out of reach first, its dependents have no numbers, the other is still solved."""
    m = sk.Mechanism(
        points={
            "A": (0, 0), "B": (1, 0), "C": (2.2, 0.9), "D": (2.5, 0),
            "E": (3, 2), "F": (4, 1), "G": (0.5, 2), "H": (0, 2.5),
        },
        links={
            "ground": ["A", "D", "F", "H"], "crank": ["A", "B"], "b1": ["B", "C"], "b2": ["C", "D"],
            "e1": ["C", "E"], "e2": ["E", "F"], "g1": ["B", "G"], "g2": ["G", "H"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve()
    failed = motion.structure.group_of("b1").index
    stuck = motion.failed_group == failed
    assert stuck.any()
    assert np.isnan(motion.position("E")[stuck]).all()
    other = motion.structure.group_of("g1")
    reach = np.abs(path(motion, "B") - 2.5j)
    can = (reach < abs(0.5j - 0.5) + abs(0.5 + 2j - 1)) & (reach > abs(abs(-0.5 + 2j) - abs(0.5 - 0.5j)))
    assert np.array_equal(np.isfinite(motion.position("G")[:, 0]), can)
    assert failed != other.index


def test_a_slider_crank_with_a_short_rod_stops_at_its_limit():
    """|offset - r sin| <= l, exactly."""
    r, l, e = 1.0, 0.8, 0.1
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (1 + np.sqrt(l * l - e * e), e)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    theta = np.linspace(0, 2 * np.pi, 721)
    motion = m.solve(drivers={"motor": theta})
    reach = l - np.abs(e - r * np.sin(theta))
    assert np.array_equal(motion.ok[np.abs(reach) > 1e-9], reach[np.abs(reach) > 1e-9] > 0)
    x = np.cos(theta) + np.sqrt(np.where(reach > 0, l * l - (e - r * np.sin(theta)) ** 2, np.nan))
    np.testing.assert_allclose(path(motion, "C")[motion.ok], (x + 1j * e)[motion.ok], atol=1e-8)
    np.testing.assert_allclose(motion.travel("guide")[motion.ok], (x - m.points["C"][0])[motion.ok], atol=1e-8)


def test_a_limit_position_is_singular_with_a_pose_and_no_rates():
    m = four_bar(2.0, 1.0, 1.0, 3.0, start=0.5)
    limit = np.arccos((4 + 9 - 4) / 12)  # |BD| = b + c
    motion = m.solve(drivers={"motor": (np.array([0.4, limit, 1.2]), np.ones(3), np.zeros(3))})
    assert motion.status.tolist() == [Status.OK, Status.SINGULAR, Status.OUT_OF_REACH]
    assert motion.failed_group.tolist() == [-1, 1, 1]
    assert abs(path(motion, "C")[1] - (path(motion, "B")[1] + 3) / 2) < 1e-7
    assert np.isnan(path(motion, "C", "velocity")[1])
    assert np.isfinite(path(motion, "B", "velocity")).all()
    with pytest.raises(PoseError) as caught:
        m.solve(drivers={"motor": np.array([0.4, limit])}, strict=True)
    assert caught.value.sample == 1


def test_a_distance_driver_cannot_be_negative():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "F": (0.2, 0.9)},
        links={"ground": ["A", "F"], "arm": ["A", "B"]},
        drivers={"ram": {"between": ["F", "B"]}},
    )
    motion = m.solve(drivers={"ram": [1.0, -1.0, 1.0]})
    assert motion.ok.tolist() == [True, False, True]
    assert motion.status[1] == Status.OUT_OF_REACH
    assert np.isnan(motion.angle("arm")[1])


def test_guides_that_become_parallel_have_no_pose_beyond():
    """A Rapson slide whose guide turns: the pin goes to infinity at a right angle and does not come back."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (1, 0.5)},
        links={"ground": ["A"], "arm": ["A", "B"], "block": ["C"], "tiller": ["C"]},
        joints={
            "rail": {"type": "prismatic", "links": ["block", "ground"], "axis": [0, 1]},
            "sleeve": {"type": "prismatic", "links": ["tiller", "arm"], "axis": [1, 0]},
        },
        drivers={"motor": {"joint": "A"}},
    )
    theta = np.array([0.0, 1.2, 2.0, 4.0, 6.0, 2 * np.pi])
    motion = m.solve(drivers={"motor": (theta, np.ones(6), np.zeros(6))})
    assert motion.ok.tolist() == [True, True, False, False, True, True]
    good = theta[motion.ok]
    # C is on x = 1, and 0.5 to the left of the arm's line
    np.testing.assert_allclose(path(motion, "C")[motion.ok], 1 + 1j * (np.tan(good) + 0.5 / np.cos(good)), atol=1e-13)
    assert np.all(motion.status[2:4] == Status.OUT_OF_REACH)
    for order in ORDERS:
        assert np.isnan(path(motion, "C", order)[~motion.ok]).all()


# --- angles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [1.0, -2.5])
def test_angles_are_continuous_over_many_turns(speed):
    m = four_bar(speed=speed)
    t = np.linspace(0, 20 / abs(speed), 400)
    motion = m.solve(t=t)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle("crank"), 1.0 + speed * t, atol=1e-12)
    rocker = motion.angle("rocker")
    assert np.max(np.abs(np.diff(rocker))) < 0.2
    assert np.ptp(rocker) < np.pi
    np.testing.assert_allclose(np.exp(1j * rocker) * 2.5, path(motion, "C") - 3.5, atol=1e-12)


def test_coarse_samples_of_a_constant_speed_still_count_the_turns():
    t = np.arange(8) * 1.0
    motion = four_bar(speed=5.0).solve(t=t)
    np.testing.assert_allclose(motion.angle("crank"), 1.0 + 5.0 * t, atol=1e-12)


def test_the_first_angle_is_within_half_a_turn():
    for start in (-3.0, -0.5, 2.0, 3.1):
        motion = four_bar(start=start).solve(samples=3)
        assert -np.pi < motion.angle("crank")[0] <= np.pi
        assert np.exp(1j * motion.angle("crank")[0]) == pytest.approx(np.exp(1j * start))


def test_ground_and_links_of_one_point_have_the_angle_zero():
    m = sk.Mechanism(
        points={"A": (0, 0), "P": (3, 1)},
        links={"ground": ["A"], "block": ["P"]},
        joints={"g": {"type": "prismatic", "links": ["block", "ground"], "axis": [3, 4]}},
        drivers={"push": {"joint": "g", "speed": 5.0}},
    )
    motion = m.solve(t=[0.0, 1.0, 2.0])
    assert motion.angle("ground").tolist() == [0, 0, 0]
    assert motion.angle("block").tolist() == [0, 0, 0]
    np.testing.assert_allclose(path(motion, "P"), [3 + 1j, 6 + 5j, 9 + 9j])


# --- what drivers mean ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("links", [["block", "ground"], ["ground", "block"]])
def test_travel_is_that_of_the_link_that_is_not_the_ground(links):
    m = sk.Mechanism(
        points={"A": (0, 0), "P": (3, 1)},
        links={"ground": ["A"], "block": ["P"]},
        joints={"g": {"type": "prismatic", "links": links, "axis": [0, 2]}},
        drivers={"push": {"joint": "g", "law": "0.5*t"}},
    )
    motion = m.solve(t=[0.0, 1.0])
    np.testing.assert_allclose(path(motion, "P"), [3 + 1j, 3 + 1.5j])
    np.testing.assert_allclose(motion.travel("g"), [0, 0.5], atol=1e-15)


@pytest.mark.parametrize(("links", "sign"), [(["arm", "block"], 1), (["block", "arm"], -1)])
@pytest.mark.parametrize("line", [{"axis": [1, 0]}, {"along": ["A", "B"]}])
def test_travel_between_moving_links_is_that_of_the_second(links, sign, line):
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "P": (1, 0.3)},
        links={"ground": ["A"], "arm": ["A", "B"], "block": ["P"]},
        joints={"g": {"type": "prismatic", "links": links, **line}},
        drivers={"motor": {"joint": "A", "speed": 1.0}, "push": {"joint": "g", "speed": 0.2}},
    )
    t = np.linspace(0, 2, 5)
    motion = m.solve(t=t)
    np.testing.assert_allclose(path(motion, "P"), np.exp(1j * t) * (1 + 0.3j + sign * 0.2 * t), atol=1e-14)
    np.testing.assert_allclose(motion.angle("block"), t, atol=1e-14)


@pytest.mark.parametrize("links", [["ground", "crank"], ["crank", "ground"]])
def test_an_angle_driver_is_the_second_angle_minus_the_first(links):
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "links": links, "law": "0.3 + t"}},
    )
    t = np.array([0.0, 1.0])
    sign = 1 if links[0] == "ground" else -1
    np.testing.assert_allclose(m.solve(t=t).angle("crank"), sign * (0.3 + t), atol=1e-14)


def test_exact_lengths_override_the_sketch():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (15.2, 0), "C": (42.3, 30.29), "D": (45.72, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": 15, "B-C": 40, "C-D": 30},
        drivers={"motor": {"joint": "A", "speed": "60 rpm"}},
    )
    motion = m.solve()
    assert motion.ok.all()
    A, B, C, D = (path(motion, p) for p in "ABCD")
    for one, two, length in ((A, B, 15), (B, C, 40), (C, D, 30)):
        np.testing.assert_allclose(np.abs(two - one), length, atol=1e-12)


# --- what cannot be solved ------------------------------------------------------------------------------------


def test_a_structure_without_drivers_is_solved_as_drawn():
    m = sk.Mechanism(
        points={"A": (0, 0), "C": (1, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "a": ["A", "C"], "b": ["C", "D"]},
        lengths={"A-C": 1.5, "C-D": 1.5},
    )
    motion = m.solve()
    assert motion.ok.all()
    assert len(motion) >= 1
    np.testing.assert_allclose(path(motion, "C"), 1 + 1j * np.sqrt(1.25), atol=1e-14)
    assert np.max(np.abs(path(motion, "C", "velocity"))) == 0
    assert np.max(np.abs(path(motion, "C", "acceleration"))) == 0


@pytest.mark.parametrize("y", [0.0, 1e-9])
def test_a_dyad_drawn_aligned_is_refused(y):
    with pytest.raises(InputError) as caught:
        sk.Mechanism(
            points={"A": (0, 0), "B": (1, 0), "C": (3, y), "D": (5, 0)},
            links={"ground": ["A", "D"], "crank": ["A", "B"], "b": ["B", "C"], "c": ["C", "D"]},
            drivers={"motor": {"joint": "A", "speed": 1.0}},
        ).solve()
    assert "points.C" in str(caught.value)
    assert not isinstance(caught.value, StructureError)


def test_a_rod_drawn_square_to_its_guide_is_refused():
    with pytest.raises(InputError):
        sk.Mechanism(
            points={"A": (0, 0), "B": (1, 0), "C": (1, 2)},
            links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
            joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "axis": [1, 0]}},
            drivers={"motor": {"joint": "A", "speed": 1.0}},
        ).solve()


def _links_with(drivers: dict[str, Any]) -> sk.Mechanism:
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers=drivers,
    )


def test_missing_and_superfluous_drivers_are_structure_errors():
    with pytest.raises(StructureError):
        _links_with({}).solve()
    with pytest.raises(StructureError):
        _links_with({"one": {"joint": "A", "speed": 1.0}, "two": {"joint": "D", "speed": 1.0}}).solve(t=[0.0])


def test_a_driver_without_law_needs_values():
    m = _links_with({"motor": {"joint": "A"}})
    with pytest.raises(InputError) as caught:
        m.solve()
    assert "motor" in str(caught.value)
    assert m.solve(drivers={"motor": [np.pi / 4]}).ok.all()


def test_unknown_points_and_links_are_refused():
    motion = ONE.solve(samples=2)
    for ask in (
        lambda: motion.position("Z"),
        lambda: motion.angle("cranc"),
        lambda: motion.position("C", link="crank"),
        lambda: motion.position(1j),
        lambda: motion.travel("A"),
    ):
        with pytest.raises(InputError):
            ask()


def test_any_place_on_a_link():
    motion = ONE.solve(samples=13)
    B, C = path(motion, "B"), path(motion, "C")
    np.testing.assert_allclose(
        motion.position(1 + 2j, link="coupler") @ [1, 1j], B + (C - B) / 3 * (1 + 2j), atol=1e-13
    )
    np.testing.assert_allclose(
        motion.velocity(1 + 2j, link="coupler") @ [1, 1j],
        path(motion, "B", "velocity") + 1j * motion.omega("coupler") * (C - B) / 3 * (1 + 2j),
        atol=1e-12,
    )


def test_samples_outside_a_table_have_no_input():
    m = _links_with({"motor": {"joint": "A", "table": [[0, 0.7], [1, 0.8], [2, 1.0], [3, 1.1]]}})
    inside = m.solve(samples=4)
    np.testing.assert_allclose(inside.t, [0, 1, 2, 3])
    np.testing.assert_allclose(inside.angle("crank"), [0.7, 0.8, 1.0, 1.1])
    motion = m.solve(t=[-1.0, 1.0, 4.0])
    assert motion.ok.tolist() == [False, True, False]
    assert motion.status[0] == Status.NO_INPUT
    assert np.isnan(motion.position("C")[[0, 2]]).all()
    assert np.isfinite(motion.acceleration("C")[1]).all()


# --- change points --------------------------------------------------------------------------------------------

STEPS = pytest.mark.parametrize("samples", [37, 100, 361, 400])


def mirrored(Z: Any, P: Any, Q: Any) -> Any:
    """Z mirrored in the line through P and Q."""
    W = (Q - P) / np.abs(Q - P)
    return P + W * np.conj((Z - P) / W)


@STEPS
@pytest.mark.parametrize("crossed", [False, True])
def test_a_parallelogram_keeps_its_kind_through_the_flat_poses(samples, crossed):
    """Drawn as a parallelogram, it stays one; drawn crossed, it stays crossed."""
    B, D = 0.6 + 0.8j, 2 + 0j
    C = mirrored(B + 2, B, D) if crossed else B + 2
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(samples=samples)
    flat = motion.status == Status.SINGULAR
    assert np.all(motion.ok | flat)
    assert flat.sum() <= 2
    B = path(motion, "B")
    wanted = mirrored(B + 2, B, 2) if crossed else B + 2
    np.testing.assert_allclose(path(motion, "C")[motion.ok], wanted[motion.ok], atol=1e-9)
    np.testing.assert_allclose(path(motion, "C"), wanted, atol=1e-6)
    if not crossed:
        np.testing.assert_allclose(motion.omega("rocker")[motion.ok], 1.0, atol=1e-6)
        np.testing.assert_allclose(motion.omega("coupler")[motion.ok], 0.0, atol=1e-6)


@STEPS
def test_a_slider_crank_with_equal_rods_passes_through_the_middle(samples):
    """x = 2 cos(theta), negative as well: not the spurious swing about the crank's axis."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.8, 0.6), "C": (1.6, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(samples=samples)
    assert (~motion.ok).sum() <= 2
    theta = np.arctan2(0.6, 0.8) + motion.t
    np.testing.assert_allclose(path(motion, "C"), 2 * np.cos(theta), atol=1e-6)
    np.testing.assert_allclose(path(motion, "C", "velocity")[motion.ok], -2 * np.sin(theta)[motion.ok], atol=1e-6)


@STEPS
def test_a_four_bar_that_nearly_folds_keeps_its_side(samples):
    """One per cent off the parallelogram there is no change point: the closed formula of one side holds."""
    motion = four_bar(1.0, 2.0, 1.01, 2.0, speed=1.0).solve(samples=samples)
    B = path(motion, "B")
    wanted = third_corner(B, 2.0, 2.0, 1.01, 1)
    span = np.abs(B - 2)
    clear = np.minimum(3.01 - span, span - 0.99)
    assert np.array_equal(motion.ok, clear > 0)
    np.testing.assert_allclose(path(motion, "C")[motion.ok], wanted[motion.ok], atol=1e-9)
