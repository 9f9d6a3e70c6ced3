"""Limits against closed formulas, against dense scans that would find a missed one, and by two searches."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st
from random_mechanisms import DYADS, build, driven_p, driven_r, ram_r, triad

import structkin as sk
from structkin.branches.limits.follow import follow
from structkin.branches.limits.next_stop import next_stop
from structkin.branches.limits.plan_equations import System
from structkin.branches.limits.poses import Poses
from structkin.branches.limits.reach import Reach
from structkin.branches.limits.search import Swept
from structkin.examples import path
from structkin.solve.engine import Lanes, sweep

TURN = 2 * math.pi
seeds = st.integers(0, 2**31 - 1)
quiet = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.explicit, Phase.generate],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}


def four_bar(crank, coupler, rocker, ground, start=None):
    """A four-bar drawn at the crank angle `start`, or at the first trial angle that clearly closes; else None."""
    for z in np.linspace(0.1, 0.1 + TURN, 400) if start is None else [start]:
        B = crank * np.exp(1j * z)
        span = abs(ground - B)
        along = (span**2 + coupler**2 - rocker**2) / (2 * span)
        if coupler**2 - along**2 > 0.01 * coupler**2:
            break
    else:
        return None
    C = B + (ground - B) / span * complex(along, math.sqrt(coupler**2 - along**2))
    return sk.Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (ground, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": crank, "B-C": coupler, "C-D": rocker},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def swept(mechanism, driver):
    """Return plan, the pose of the sketch, and the sweep of the driver; None where the sketch cannot be reached."""
    call = Swept(mechanism, driver, None, None)
    motion = mechanism.solve(drivers={id: np.array([value]) for id, value in call.held.items()})
    return (motion.plan, motion.lanes.x[0, :, 0], call, motion) if motion.ok[0] else None


# --- closed formulas ------------------------------------------------------------------------------------------

length = st.floats(0.3, 3.0)


@settings(max_examples=30, **quiet)
@given(length, length, length, length)
def test_four_bars_stop_where_the_cosine_rule_predicts(crank, coupler, rocker, ground):
    exact = []
    for diagonal in (coupler + rocker, abs(coupler - rocker)):
        cosine = (crank**2 + ground**2 - diagonal**2) / (2 * crank * ground)
        assume(abs(abs(cosine) - 1) > 1e-3)
        if abs(cosine) < 1:
            exact += [math.acos(cosine), TURN - math.acos(cosine)]
    mechanism = four_bar(crank, coupler, rocker, ground)
    assume(mechanism is not None)
    found = mechanism.limits()
    ends = sorted(end.value % TURN for item in found.intervals for end in (item.low, item.high) if end is not None)
    np.testing.assert_allclose(ends, sorted(exact), rtol=0, atol=1e-12)
    assert found.turns_fully == (not exact)
    if exact:
        assert found.lower.value <= found.start <= found.upper.value
        for end in (found.lower, found.upper):
            assert min(abs(math.remainder(end.value - x, TURN)) for x in exact) < 1e-12


@settings(max_examples=50, **quiet)
@given(length, length, st.floats(-1.5, 1.5))
def test_slider_cranks_stop_where_the_rod_is_square_to_the_guide(crank, rod, offset):
    # r sin z - e = +-l
    exact = []
    for sign in (1, -1):
        sine = (offset + sign * rod) / crank
        assume(abs(abs(sine) - 1) > 1e-3)
        if abs(sine) < 1:
            exact += [math.asin(sine) % TURN, (math.pi - math.asin(sine)) % TURN]
    good = [z for z in np.linspace(0, TURN, 200) if abs(crank * math.sin(z) - offset) < 0.95 * rod]
    assume(bool(good))
    z = good[0]
    A = crank * np.exp(1j * z)
    B = complex(A.real + math.sqrt(rod**2 - (A.imag - offset) ** 2), offset)
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (A.real, A.imag), "B": (B.real, B.imag)},
        links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
        lengths={"O-A": crank, "A-B": rod},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"motor": {"joint": "O", "speed": 1}},
    )
    found = m.limits()
    ends = [end for item in found.intervals for end in (item.low, item.high) if end is not None]
    np.testing.assert_allclose(sorted(end.value % TURN for end in ends), sorted(exact), rtol=0, atol=1e-12)
    assert all((end.kind, end.why) == ("square", "rod perpendicular to the guide of piston") for end in ends)


def test_stretched_and_folded_are_distinguished():
    found = four_bar(1.0, 3.0, 1.2, 2.5).limits()
    kinds = {round(math.cos(end.value), 9): end.kind for end in (found.lower, found.upper)}
    assert kinds == {round((1 + 2.5**2 - 1.8**2) / 5, 9): "folded"}
    found = four_bar(2.0, 1.5, 2.5, 3.2).limits()
    assert found.upper.kind == "stretched" and found.upper.group == 1
    assert found.place(found.upper) == "group 2, RRR (coupler + rocker): coupler and rocker in line, stretched"


def test_a_narrow_gap_is_found_and_a_touch_is_a_change_point():
    """The crank nearly turns fully: gaps down to 0.02 deg, far narrower than any sampling."""
    crank, coupler, rocker = 2.0, 3.0, 2.5
    for gap in (1e-3, 1e-6, 1e-7):
        ground = coupler + rocker - crank + gap
        found = four_bar(crank, coupler, rocker, ground, 1.0).limits()
        (interval,) = found.intervals
        missing = ground + crank - coupler - rocker
        half = 2 * math.asin(math.sqrt(missing * (2 * (coupler + rocker) + missing) / (4 * crank * ground)))
        assert interval.low.value + math.pi == pytest.approx(half, rel=1e-6, abs=1e-15)
        assert TURN - interval.width == pytest.approx(2 * half, rel=1e-6)
    # What is below 1e-8 of the size may be rounding.
    doubtful = four_bar(crank, coupler, rocker, coupler + rocker - crank + 1e-9, 1.0).limits()
    assert doubtful.upper.kind == "uncertified" and doubtful.upper.value == pytest.approx(math.pi)
    found = four_bar(crank, coupler, rocker, coupler + rocker - crank, 1.0).limits()
    assert found.turns_fully
    # It is back in its first assembly mode after two turns.
    passed = [(point.kind, round(point.value / math.pi, 9)) for point in found.change_points]
    assert passed == [("stretched", 1.0), ("stretched", 3.0)]


# --- dense scans ----------------------------------------------------------------------------------------------


def check_against_a_scan(mechanism, driver, lanes=20_000):
    """Every reported interval closes, every place outside does not, every end is singular; return how many ends."""
    begun = swept(mechanism, driver)
    if begun is None or begun[0].tracked:
        return 0
    plan, _, call, _ = begun
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    poses = Poses(plan, call.path)
    feasible = Reach(poses, call.whole).feasible(modes)
    low, high = call.whole or (0.0, TURN)
    z = np.linspace(low, high, lanes)
    values = {id: np.full(lanes, held) for id, held in call.held.items()} | {driver: z}
    solved = Lanes.empty(plan, lanes, orders=1)
    sweep(plan, solved, {id: x[None] for id, x in values.items()}, lambda k: plan.steps[k].mode)
    inside, near = np.zeros(lanes, bool), np.zeros(lanes, bool)
    for interval in feasible:
        if interval.low is None:
            inside[:] = True
            continue
        for turn in (0.0, -TURN) if call.whole is None else (0.0,):
            inside |= (z > interval.low.p + turn) & (z < interval.high.p + turn)
            for end in interval.ends:
                near |= np.abs(z - end.p - turn) < 1e-7 * (high - low)
    assert (inside == (solved.status == 0))[~near].all()
    ends = [end for interval in feasible for end in interval.ends if end.kind != "range"]
    for end in ends:
        for k in end.steps:
            discriminant, slope = (
                float(poses.discriminant(k, np.array([end.p]), modes, end.steps)[0]),
                _slope(poses, k, end, modes),
            )
            assert abs(discriminant) < 1e-13 + 1e-14 * slope * (high - low) or (
                end.kind == "change" and abs(discriminant) < 1e-10
            )
    for one, two in pairwise(feasible):
        assert one.high.p <= two.low.p + 1e-9
    return len(ends)


def _slope(poses, step, end, modes):
    z = end.p + np.array([-1e-7, 1e-7])
    return float(np.ptp(np.nan_to_num(poses.discriminant(step, z, modes, end.steps)))) / 2e-7


def dyadic(seed, elements=2):
    case = build(seed, elements, menu=DYADS, first=(driven_r, driven_r, driven_p, ram_r))
    mechanism = case.mechanism()
    return mechanism, next(iter(mechanism.drivers))


@settings(max_examples=10, **quiet)
@given(seeds)
def test_nothing_is_missed_on_random_six_bars(seed):
    check_against_a_scan(*dyadic(seed))


def test_a_group_that_fails_shortly_before_another_goes_to_infinity():
    """The discriminant of the last group changes sign in the last piece before the guides become parallel."""
    assert check_against_a_scan(*dyadic(7854, 4)) == 2


@pytest.mark.slow
@settings(max_examples=3000, **quiet)
@given(seeds, st.integers(1, 5))
def test_nothing_is_missed_on_many_random_mechanisms(seed, elements):
    check_against_a_scan(*dyadic(seed, elements), lanes=100_000)


# --- two searches ---------------------------------------------------------------------------------------------


def check_two_searches(mechanism, driver):
    """The discriminants of the groups, and the curve of poses of all equations at once, end at the same value."""
    begun = swept(mechanism, driver)
    if begun is None or begun[0].tracked:
        return
    plan, rows, call, motion = begun
    system = System(plan, call.path, motion.size, rows)
    reach = Reach(Poses(plan, call.path), call.whole)
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    for direction in (-1, 1):
        stop = next_stop(reach, modes, call.start, direction)
        assume(stop is not None and not stop.passed)
        fold = follow(system, system.pack(rows, call.start), direction, call.whole)
        assume(fold is None or not fold.lost)
        if stop.end is None:
            assert fold is None
            continue
        assert fold is not None
        accuracy = 1e-6 if fold.far else 1e-11
        assert fold.p == pytest.approx(stop.end.p, rel=accuracy, abs=accuracy * (motion.size if call.whole else 1))
        assert (fold.step is None) == (stop.end.kind == "range")
        # Several groups may be singular at once: a guide on each of two rods that become collinear.
        assert fold.step is None or plan.steps[fold.step].group in {plan.steps[k].group for k in stop.end.steps}


# The curve of poses turns back at a limit, and another begins just beyond it: that gap was once jumped over.
@pytest.mark.full
@example(9002223, 4)
@settings(max_examples=10, **quiet)
@given(seeds, st.just(2))
def test_discriminants_and_continuation_agree(seed, elements):
    check_two_searches(*dyadic(seed, elements))


@pytest.mark.full
def test_the_square_of_a_length_is_not_taken_for_a_distance():
    plan, rows, call, motion = swept(*dyadic(763, 4))
    system = System(plan, call.path, motion.size, rows)
    for direction, end in zip((-1, 1), call.whole, strict=True):
        fold = follow(system, system.pack(rows, call.start), direction, call.whole)
        assert (fold.p, fold.step, fold.far) == (end, None, False)


@pytest.mark.slow
@settings(max_examples=1000, **quiet)
@given(seeds, st.integers(1, 4))
def test_discriminants_and_continuation_agree_on_many(seed, elements):
    check_two_searches(*dyadic(seed, elements))


def check_triad(seed):
    case = build(seed, 1, menu=(triad,), first=(driven_r,))
    mechanism = case.mechanism()
    driver = next(iter(case.groups[0].drivers))
    found = mechanism.limits(driver)
    plan = swept(mechanism, driver)[0]
    assume(plan.tracked)
    for end, sign in ((found.lower, -1), (found.upper, 1)):
        if end is None or end.kind == "lost":
            continue
        assert end.kind == "singular" and end.group == 1
        held = {id: drive.start for id, drive in mechanism.drivers.items()}
        # A path from the sketch to just before the end closes, beyond it not. Singular values fall like a square root.
        sizes = []
        for gap in (1e-4, 1e-6):
            values = np.linspace(found.start, end.value - sign * gap, 20)
            motion = mechanism.solve(drivers={id: values if id == driver else np.full(20, x) for id, x in held.items()})
            assert motion.ok.all()
            step = next(step for step in plan.steps if hasattr(step.kind, "rows"))
            h = [_slot(motion, operand) for operand in step.inputs]
            phi = [motion.lanes.x[0, plan.rows(slot)][:, -1:] for slot in step.outputs]
            sizes.append(float(step.kind.smallest_singular_value(h, phi)[0]))
        assert sizes[1] < 0.2 * sizes[0]
        values = np.linspace(found.start, end.value + sign * 1e-6, 20)
        motion = mechanism.solve(drivers={id: values if id == driver else np.full(20, x) for id, x in held.items()})
        assert not motion.ok[-1] and motion.ok[:-1].all()


def _slot(motion, operand):
    if hasattr(operand, "index"):
        rows = motion.plan.rows(operand.index)
        return motion.lanes.x[0, rows][:, -1:] if rows.stop - rows.start == 2 else motion.lanes.x[0, rows.start, -1:]
    return operand if isinstance(operand, float) else np.array([[operand.real], [operand.imag]])


# The contours around samples near the fold once closed in another assembly.
@example(seed=6802900)
@example(seed=112188)
@settings(max_examples=1, **quiet)
@given(seeds)
def test_triads_end_at_a_fold(seed):
    check_triad(seed)


@pytest.mark.slow
@settings(max_examples=300, **quiet)
@given(seeds)
def test_many_triads_end_at_a_fold(seed):
    check_triad(seed)


# --- sweeps ---------------------------------------------------------------------------------------------------


def test_a_crank_that_cannot_turn_fully_is_swept_through_exactly_its_reach():
    mechanism = four_bar(2.0, 1.5, 2.5, 3.2)
    angles = np.linspace(0, TURN, 3601)
    motion = mechanism.solve(drivers={"motor": angles})
    inside = np.zeros(len(angles), bool)
    for item in mechanism.limits().intervals:
        for turn in (-TURN, 0.0, TURN):
            inside |= (angles > item.low.value + turn) & (angles < item.high.value + turn)
    assert (motion.ok == inside).all() and 0 < inside.sum() < len(angles)
    assert (motion.failed_group[~inside] == 1).all()
    assert motion.residual()[inside].max() < 1e-12
    exact = math.acos((2.0**2 + 3.2**2 - 4.0**2) / (2 * 2.0 * 3.2))
    leaves, resumes = motion.limits
    assert not leaves.resumes and resumes.resumes
    assert leaves.drivers["motor"] == pytest.approx(exact, abs=1e-12)
    assert resumes.drivers["motor"] == pytest.approx(TURN - exact, abs=1e-12)
    assert f"motor stops at {exact:.7g} rad: coupler and rocker in line, stretched" in motion.report


def test_a_sweep_by_a_law_says_when_it_stops():
    mechanism = four_bar(2.0, 1.5, 2.5, 3.2, 1.0)
    data = mechanism.source_dict
    data["drivers"] = {"motor": {"joint": "A", "law": "1 + sin(t)"}}
    motion = sk.Mechanism.from_dict(data).solve(samples=50, duration=3.0)
    exact = math.acos((2.0**2 + 3.2**2 - 4.0**2) / (2 * 2.0 * 3.2))
    assert [item.t for item in motion.limits] == pytest.approx(
        [math.asin(exact - 1), math.pi - math.asin(exact - 1)], abs=1e-12
    )


def test_a_general_group_says_where_it_stops():
    hoist = sk.load("examples/tipper_hoist.toml")
    found = hoist.limits()
    motion = hoist.solve(drivers={"cylinder": np.linspace(found.start, found.upper.value + 0.05, 40)})
    (stop,) = motion.limits
    assert stop.drivers["cylinder"] == pytest.approx(found.upper.value, rel=1e-12)
    assert "cylinder stops at 1528.993 mm: body, plate and link in a singular position" in motion.report


# --- change points, ranges, calls -----------------------------------------------------------------------------


def parallelogram():
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def test_a_parallelogram_turns_through_its_two_flat_poses():
    found = parallelogram().limits()
    assert found.turns_fully and found.width == math.inf
    assert sorted(round(point.value / math.pi, 12) for point in found.change_points) == [1.0, 2.0]
    assert all(point.change_point for point in found.change_points)
    assert "motor turns fully" in found.report and "passes a change point at 3.141593 rad" in found.report


def test_guides_that_become_parallel_and_lengths_that_vanish():
    found = sk.load("examples/rapson_slide.toml").limits()
    assert [(end.kind, round(end.value, 12)) for end in (found.lower, found.upper)] == [
        ("parallel", 0.0),
        ("parallel", round(math.pi, 12)),
    ]
    press = sk.load("examples/toggle_press.toml").limits()
    assert (press.lower.kind, press.upper.kind) == ("stretched", "folded") and press.lower.group == 0


def test_the_other_drivers_are_held_and_a_range_bounds_the_search():
    five = sk.load("examples/five_bar_two_drivers.toml")
    with pytest.raises(sk.InputError, match="the mechanism has 2 drivers"):
        five.limits()
    assert five.limits("left_motor").turns_fully
    found = five.limits("left_motor", drivers={"right_motor": 0.0}, range=(-1.0, 3.0))
    assert found.upper.value <= 3.0
    hoist = sk.load("examples/tipper_hoist.toml").limits(range=(0.92, 1.3))
    assert (hoist.lower.value, hoist.upper.value, hoist.upper.kind) == (0.92, 1.3, "range")


def test_every_problem_of_a_call_is_reported():
    with pytest.raises(sk.InputError) as error:
        parallelogram().limits("moter", drivers={"x": 1, "motor": math.nan}, range=(3, 1))
    assert [problem.key for problem in error.value.problems] == ["driver", "drivers.x", "drivers.motor", "range"]
    with pytest.raises(sk.InputError, match="starts outside it"):
        parallelogram().limits(range=(3, 4))


def test_a_sketch_out_of_reach_is_reported():
    m = four_bar(2.0, 1.5, 2.5, 3.2).limits(drivers={"motor": math.pi})
    assert not m.turns_fully and m.width == 0 and "out of reach at group 2" in m.report


def test_plain_data_is_in_the_units_of_the_file():
    data = sk.load("examples/tipper_hoist.toml").limits().to_dict()
    assert data["unit"] == "mm" and data["upper"]["value"] == pytest.approx(1528.993, abs=1e-3)
    assert data["intervals"][0]["low"]["kind"] == "singular" and data["failure"] is None


def test_a_driver_of_a_rack_is_followed_beyond_half_a_turn():
    """The rods of the steering are stretched at a rack travel of radius times angle, on either side."""
    found = sk.load(path("rack_and_pinion")).limits()
    assert found.lower.value == pytest.approx(-found.upper.value, abs=1e-12)
    m = sk.load(path("rack_and_pinion"))
    inside, outside = (m.solve(drivers={"column": np.linspace(0, found.upper.value + d, 41)}) for d in (-1e-6, 1e-6))
    assert inside.ok.all() and outside.ok[:-1].all() and not outside.ok[-1]


def test_gears_repeat_after_several_turns_of_the_driver():
    found = sk.load(path("geared_five_bar")).limits()
    assert found.turns_fully and [item.turns for item in found.intervals] == [2]
    assert found.intervals[0].width == pytest.approx(4 * math.pi)
    train = sk.load(path("planetary_train")).limits()
    assert train.turns_fully and train.intervals[0].turns == 21
    assert sk.load(path("geneva")).limits().intervals[0].turns == 4


def geared_rod(length):
    """A five-bar of two cranks geared 1 : -3, with a rod of length `length` on each."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2.2, 2), "D": (4, 0.7), "E": (4, 0)},
        links={"ground": ["A", "E"], "one": ["A", "B"], "up": ["B", "C"], "down": ["C", "D"], "two": ["E", "D"]},
        lengths={"B-C": length, "C-D": length},
        joints={"mesh": {"type": "gear", "links": ["one", "two"], "ratio": -3}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


@pytest.mark.parametrize("length", [1.7, 2.0, 2.4])
def test_limits_of_geared_cranks_over_all_their_turns(length):
    """|B - D| <= 2 length, the second crank at -1/3 of the first's angle: intervals over three turns, by a scan."""
    m = geared_rod(length)
    found = m.limits()
    z = np.linspace(0, 3 * TURN, 30_001)
    start = m.drivers["motor"].start
    D = 4 + 0.7j * np.exp(-1j * (z - start) / 3)
    span = np.abs(np.exp(1j * z) - D)
    inside = np.zeros(len(z), bool)
    for item in found.intervals:
        assert item.turns == 3
        if item.low is None:
            inside[:] = True
            continue
        for turn in (-3 * TURN, 0.0, 3 * TURN):
            inside |= (z > item.low.value + turn) & (z < item.high.value + turn)
        for end in (item.low, item.high):
            place = 4 + 0.7j * np.exp(-1j * (end.value - start) / 3)
            assert abs(np.exp(1j * end.value) - place) == pytest.approx(2 * length, abs=1e-12)
    clear = np.abs(span - 2 * length) > 1e-3
    assert (inside == (span < 2 * length))[clear].all() and inside.sum() > 0
    circuits = m.circuits()
    assert all(branch.turns == 3 for branch in circuits.branches) and len(circuits.branches) == 2 * len(found.intervals)
    assert circuits.home is not None


def test_a_cylinder_that_rests_at_the_end_of_its_stroke_does_not_stop_the_others():
    """Files of Linkage are often drawn with an actuator at its shortest."""
    m = sk.Mechanism(
        "Two",
        points={"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (4, 0), "E": (4, 2)},
        links={"ground": ["A", "C", "E"], "crank": ["A", "B"], "lever": ["C", "D"]},
        drivers={"motor": {"joint": "A"}, "ram": {"between": ["E", "D"], "stroke": [2.0, 2.5]}},
    )
    assert m.limits("motor").turns_fully
    ram = m.limits("ram")
    assert ram.lower is not None and ram.lower.value == pytest.approx(2.0, abs=1e-12) and not ram.failure


def guided_bars():
    """Four bars, each guided by two pins in its slot and pushed by a separate crank, drawn at different angles."""
    points, links, joints, ground = {}, {}, {}, []
    for k in range(4):
        for name, at in {"O": 0, "Q": 1 + 1j, "R": 5 + 0.2j, "S": 12 + 0.2j, "A": 7 + 0.2j, "B": 9 + 0.2j}.items():
            place = 20 * k + np.exp(0.7j * k) * at
            points[f"{name}{k}"] = (place.real, place.imag)
        links |= {f"crank{k}": [f"O{k}", f"Q{k}"], f"rod{k}": [f"Q{k}", f"R{k}"], f"bar{k}": [f"R{k}", f"S{k}"]}
        ends = [f"R{k}", f"S{k}"]
        for pin in (f"A{k}", f"B{k}"):
            joints[f"slot of {pin}"] = {
                "type": "pin-in-slot", "pin": pin, "slot": f"bar{k}", "along": ends, "ends": ends
            }  # fmt: skip
        ground += [f"O{k}", f"A{k}", f"B{k}"]
    drivers = {f"motor{k}": {"joint": f"O{k}"} for k in range(4)}
    return sk.Mechanism("guided bars", points=points, links={"ground": ground, **links}, joints=joints, drivers=drivers)


def test_strokes_at_rest_are_not_searched_for_their_ends():
    """The slope of a stroke at rest is rounding error; searching each sign change once used most of the budget."""
    found = guided_bars().limits("motor0", budget=500)
    assert found.turns_fully
