"""K, L and jerk against a reference in extended precision: examples, random mechanisms, poses near a limit."""

from dataclasses import replace

import numpy as np
import pytest
from cases import few
from high_precision import PRECISE, errors
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_mechanisms import DYADS, build

import structkin as sk
from structkin.examples import names, path
from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.solve.derivatives import Derivatives, quadratic, third

pytestmark = pytest.mark.skipif(not PRECISE, reason="long double has no more digits than double here")

EPS = np.finfo(float).eps
#: Near a limit K, L and jerk grow as 1 / sigma_min^p, p = 1, 3 and 5, each being a rate of the previous one.
SIZES = (1, 3, 5)
#: Relative errors against the exact motion grow like eps / sigma_min^2: rounded inputs move a pose by eps / sigma_min,
#: and a pose moved so far has a sigma_min, and with it a K, that differs by eps / sigma_min^2.
POWER = 2


#: Closer than this to the next piece of a law [rad], rounding decides on which side a sample lies.
JUMP = 1e-9


def off_the_jumps(mechanism, motion):
    """Samples where no law of a cam changes its piece and no Geneva pin enters or leaves: there the jerk may jump."""
    good = motion.ok.copy()
    for id, cam in mechanism.joints.of(Cam).items():
        offset = (motion.cam(id).angle[:, None] - cam.law.function.breaks + np.pi) % (2 * np.pi) - np.pi
        good &= np.min(np.abs(offset), axis=1) > JUMP
    for id, wheel in mechanism.joints.of(Geneva).items():
        angle = (motion.geneva(id).angle + np.pi) % (2 * np.pi) - np.pi
        good &= np.abs(np.abs(angle) - wheel.law.half) > JUMP
    return good


def assert_precise(mechanism, motion, factor=100.0):
    samples = np.flatnonzero(off_the_jumps(mechanism, motion))
    if not len(samples):
        return 0
    found, sigma = errors(mechanism, motion, samples)
    assert np.all(found <= factor * EPS / sigma**POWER)
    assert np.all(found[:, sigma > 1e-2] < 1e-9)
    return len(samples)


@pytest.mark.parametrize("name", few(names(), 8))
def test_examples(name):
    m = sk.load(path(name))
    assert assert_precise(m, m.solve(13))


@settings(max_examples=7, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 5))
def test_random_mechanisms(seed, elements):
    m = build(seed, elements).mechanism()
    assert_precise(m, m.solve(7))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(20))
def test_many_random_mechanisms(batch, record_property):
    mobilities = set()
    samples = 0
    for seed in range(150 * batch, 150 * (batch + 1)):
        m = build(10**6 + seed, 1 + seed % 5).mechanism()
        mobilities.add(len(m.drivers))
        samples += assert_precise(m, m.solve(5))
    record_property("samples", samples)
    assert mobilities == {1, 2, 3, 4}


def test_digits_are_lost_near_a_limit_with_the_singular_value():
    m = near_a_limit()
    motion = m.solve(9, duration=8)
    found, sigma = errors(m, motion, np.arange(9))
    assert sigma[-1] < 1e-4 and motion.ok.all()
    assert np.all(found <= 100 * EPS / sigma**POWER)
    # The power is real: digits are indeed lost.
    assert np.all(found[:, -1] > 1e-3 * EPS / sigma[-1] ** POWER)


def near_a_limit():
    """A four-bar near cos(limit) = (a^2 + d^2 - (b + c)^2) / (2 a d); the law approaches it by one digit per second."""
    a, b, c, d = np.sqrt(10), np.sqrt(5), np.sqrt(10), 5.0
    limit = float(np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d)))
    return sk.Mechanism(
        points={"A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "law": f"{limit!r} - 10**(-1 - t)"}},
    )


def columns_at(motion, id, dtype):
    """Return K, L and jerk of all slots along one driver, by arithmetic of this type at the rounded pose."""
    plan = motion.plan
    derivatives = Derivatives(plan, replace(motion.lanes, x=motion.lanes.x[:1].astype(dtype)))
    seeds = [{}, {}, {}]
    for item in plan.drivers:
        if item.driver == id and item.angular:
            E = derivatives.lanes.x[0, plan.rows(item.register)]
            for seed, value in zip(seeds, (item.sign * _across(E), -E, -item.sign * _across(E)), strict=True):
                seed[item.register] = value
        elif item.driver == id:
            seeds[0][item.register] = np.full(len(motion), item.sign, dtype)
    K = derivatives.solve(seeds[0])
    L = derivatives.solve(seeds[1], quadratic(K, K))
    return K, L, derivatives.solve(seeds[2], third(K, L))


def _across(E):
    return np.stack((-E[1], E[0]))


def relative_errors(motion, id):
    """Return errors (3, n) of K, L, jerk along a driver, relative to the largest slot up to there, and these (3, n)."""
    rounded, exact = (columns_at(motion, id, dtype) for dtype in (np.float64, np.longdouble))
    found, sizes = [], []
    for one, other in zip(rounded, exact, strict=True):
        pairs = [(np.atleast_2d(one[slot]), np.atleast_2d(value)) for slot, value in other.items()]
        shape = (1, len(motion))
        gaps = [np.broadcast_to(np.abs(a - b), (len(b), len(motion))) for a, b in pairs] or [np.zeros(shape)]
        values = [np.broadcast_to(np.abs(b), (len(b), len(motion))) for _, b in pairs] or [np.ones(shape)]
        sizes.append(np.concatenate(values).max(axis=0))
        found.append(np.concatenate(gaps).max(axis=0))
    # A value that is zero apart from rounding, like the jerk of a slide, is measured against its terms: those of L are
    # K's by the driver's unit, a radian or the mechanism's size.
    unit = 1.0 if motion.mechanism.drivers[id].kind == "angle" else motion.size
    units = unit ** np.arange(3.0)[:, None]
    sizes = np.maximum.accumulate(np.array(sizes, float) * units, axis=0) / units
    return np.array(found, float) / np.where(sizes > 0, sizes, 1), sizes


def test_at_the_rounded_pose_one_power_of_the_singular_value_is_lost():
    """Relative errors <= c eps / sigma_min there: the linear systems of K, L and jerk have that condition.

    So error <= c eps / sigma_min^p holds with p = 1 for K of the computed pose, and with a margin for L (3) and
    jerk (5). Against the exact motion it holds for L and jerk (a relative error of eps / sigma_min^2), but no solver in
    double precision can hold it for K: the nearest doubles to the exact pose have a K that is off by so much.
    """
    motion = near_a_limit().solve(9, duration=8)
    _, sigma = errors(motion.mechanism, motion, np.arange(9))
    found, sizes = relative_errors(motion, "motor")
    assert np.all(found <= 10 * EPS / sigma)
    for size, power in zip(sizes, SIZES, strict=True):
        scaled = (size * sigma**power)[2:]
        assert np.ptp(scaled) < 0.1 * scaled.max()


# The second rate of a distance is zero, its terms are of 1 / size: they were once compared with K, which has no unit.
@pytest.mark.full
@example(seed=904, elements=1)
@example(seed=71667, elements=1)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 4))
def test_random_poses_lose_no_more_at_the_rounded_pose(seed, elements):
    motion = build(seed, elements, menu=DYADS).mechanism().solve(7)
    good = np.flatnonzero(motion.ok)
    if motion.plan.tracked or motion.lanes.around is not None or not len(good):
        return
    _, sigma = errors(motion.mechanism, motion, good)
    for id in motion.mechanism.drivers:
        found, _ = relative_errors(motion, id)
        assert np.all(found[:, good] <= 100 * EPS / sigma)


def test_jerk_of_a_crank_and_of_a_law():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "law": "t**3"}},
    )
    motion = m.solve(t=[0.0, 0.5, 1.0])
    t = motion.t
    np.testing.assert_allclose(motion.angular_jerk("crank"), 6, atol=1e-12)
    z, w, a, j = t**3, 3 * t**2, 6 * t, 6.0
    third = 2 * (1j * j - 3 * w * a - 1j * w**3) * np.exp(1j * z)
    np.testing.assert_allclose(motion.jerk("B"), np.stack((third.real, third.imag), axis=1), atol=1e-12)


def test_driver_values_take_third_rates():
    m = sk.load(path("crank_rocker"))
    by_law = m.solve(5)
    z, rate, zero = by_law.drivers["motor"][0], by_law.drivers["motor"][1], np.zeros(5)
    for values in ((z, rate), (z, rate, zero)):
        assert np.isnan(m.solve(drivers={"motor": values}).jerk("C")).all()
    given = m.solve(drivers={"motor": (z, rate, zero, zero)})
    np.testing.assert_allclose(given.jerk("C"), by_law.jerk("C"), rtol=1e-9)
    np.testing.assert_allclose(given.angular_jerk("rocker"), by_law.angular_jerk("rocker"), rtol=1e-9)


def test_poses_out_of_reach_have_no_jerk():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(181)
    assert np.isnan(motion.jerk("C")[~motion.ok]).all() and np.isfinite(motion.jerk("C")[motion.ok]).all()
    assert np.isfinite(motion.jerk("B")).all() and np.isfinite(motion.angular_jerk("crank")).all()


def robot(count):
    """A chain of driven links, and as many separate cranks."""
    points, links, drivers = {"P0": (0, 0)}, {"ground": ["P0"]}, {}
    for i in range(count):
        points[f"P{i + 1}"] = (i + 1, 0.3 * (i % 2))
        links[f"arm{i}"] = [f"P{i}", f"P{i + 1}"]
        drivers[f"joint{i}"] = {"joint": f"P{i}", "speed": 0.1 * (i + 1)}
        points |= {f"A{i}": (i, 9), f"B{i}": (i, 10)}
        links["ground"].append(f"A{i}")
        links[f"crank{i}"] = [f"A{i}", f"B{i}"]
        drivers[f"motor{i}"] = {"joint": f"A{i}", "speed": 1.0}
    return sk.Mechanism(points=points, links=links, drivers=drivers, duration=1)


def test_columns_of_drivers_that_do_not_move_a_point_are_not_solved_for():
    motion = robot(25).solve(11)
    assert motion.drivers_of("crank3") == ("motor3",)
    assert motion.drivers_of("P2") == ("joint0", "joint1")
    K, L = motion.K("B3"), motion.L("B3")
    assert K.shape == (11, 2, 50) and L.shape == (11, 2, 50, 50)
    only = motion.K("B3", drivers="motor3")
    np.testing.assert_array_equal(K[..., 7], only[..., 0])
    assert np.count_nonzero(np.abs(K).sum(axis=(0, 1))) == 1 and np.count_nonzero(L.any(axis=(0, 1))) == 1
    np.testing.assert_allclose(only[..., 0], motion.velocity("B3"), atol=1e-15)
    held = [slot for column in motion._coefficients.slots._columns.values() for slot in column]
    # K and L of one crank: a few slots, not 50 or 2500 times all of them.
    assert len(held) < 60
    with pytest.raises(sk.InputError, match="did you mean 'motor3'"):
        motion.K("B3", drivers=["motr3"])


def test_a_long_chain_agrees_with_its_velocity():
    motion = robot(25).solve(11)
    rates = np.stack([motion.drivers[id][1] for id in motion.mechanism.drivers])
    K, L = motion.K("P25"), motion.L("P25")
    np.testing.assert_allclose(np.einsum("nci,in->nc", K, rates), motion.velocity("P25"), rtol=1e-12)
    bend = np.einsum("ncij,in,jn->nc", L, rates, rates)
    np.testing.assert_allclose(bend, motion.acceleration("P25"), rtol=1e-11)
