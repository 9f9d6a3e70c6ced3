"""K and L checked twice: against the motion they describe, and against differences of poses and of K."""

import numpy as np
import pytest
from cases import few
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_mechanisms import build

import structkin as sk
from structkin.bench.mechanism import scalable_four_bar
from structkin.examples import names, path
from structkin.kernels import choice
from structkin.solve import compile_plan
from structkin.solve import compiled_run as running
from structkin.solve.coefficients import Coefficients
from structkin.solve.derivatives import Rows


def parts(m):
    return [name for name in (*m.points, *m.topology.moving_links) if not (name in m.points and name in m.links)]


def rates(motion, name):
    if name in motion.mechanism.links:
        return motion.omega(name), motion.alpha(name)
    return motion.velocity(name), motion.acceleration(name)


def assert_describes_the_motion(motion):
    """v = K z', a = K z'' + z'^T L z', and the contracted form is the last term."""
    m, ok = motion.mechanism, motion.ok
    z = np.stack([motion.drivers[id] for id in m.drivers], axis=-1)[:, ok]
    for name in parts(m):
        K, L = motion.K(name)[ok], motion.L(name)[ok]
        v, a = (x[ok] for x in rates(motion, name))
        bend = np.einsum("n...ij,ni,nj->n...", L, z[1], z[1])
        # The floor is for parts at rest apart from rounding. A driver may turn or be a length, and so may a part.
        unit = max(motion.size, 1, 1 / motion.size)
        size_v = np.einsum("n...i,ni->n...", np.abs(K), np.abs(z[1])).max(initial=0.0)
        size_v += 0.1 * np.abs(z[1]).max() * unit
        size_a = np.einsum("n...ij,ni,nj->n...", np.abs(L), np.abs(z[1]), np.abs(z[1])).max(initial=0.0)
        size_a += np.einsum("n...i,ni->n...", np.abs(K), np.abs(z[2])).max(initial=0.0) + size_v
        size_a += 0.1 * np.abs(z[2]).max() * unit
        assert np.abs(np.einsum("n...i,ni->n...", K, z[1]) - v).max(initial=0.0) < 1e-11 * size_v
        assert np.abs(np.einsum("n...i,ni->n...", K, z[2]) + bend - a).max(initial=0.0) < 1e-10 * size_a
        assert np.abs(motion.convective(name)[ok] - bend).max(initial=0.0) < 1e-10 * size_a
        np.testing.assert_array_equal(L, np.swapaxes(L, -1, -2))


@pytest.mark.parametrize("name", names())
def test_examples(name):
    assert_describes_the_motion(sk.load(path(name)).solve(25))


#: Sixth-order central difference: weights of the values at -3h .. 3h.
WEIGHTS = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60


def differences(m, z, driver, step):
    """Return poses around the coordinates z (f,), moved along one driver by multiples of the step."""
    values = {id: np.full(7, x) for id, x in zip(m.drivers, z, strict=True)}
    values[driver] = values[driver] + step * np.arange(-3, 4)
    return m.solve(drivers=values)


@pytest.mark.parametrize(
    "name", ["jansen_leg", "stephenson_iii_triad", "excavator", "five_bar_two_drivers", "tipper_hoist"]
)
def test_examples_against_differences(name):
    m = sk.load(path(name))
    motion = m.solve(9)
    z = np.stack([motion.drivers[id][0] for id in m.drivers], axis=-1)
    for sample in (2, 5):
        for i, driver in enumerate(m.drivers):
            step = 6e-4 * (1.0 if m.drivers[driver].kind == "angle" else motion.size)
            around = differences(m, z[sample], driver, step)
            assert around.ok.all()
            for part in parts(m):
                place = around.angle(part) if part in m.links else around.position(part)
                slope = np.tensordot(WEIGHTS, place, 1) / step
                scale = max(np.abs(motion.K(part)).max(), 1e-3 * motion.size)
                assert np.abs(motion.K(part)[sample, ..., i] - slope).max() < 1e-8 * scale
                bend = np.tensordot(WEIGHTS, around.K(part), 1) / step
                scale = max(np.abs(motion.L(part)).max(), scale)
                assert np.abs(motion.L(part)[sample, ..., i, :] - bend).max() < 1e-7 * scale


# A ram of a few millimetres, and links that do not turn.
@pytest.mark.full
@example(seed=2861, elements=2)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 5))
def test_random_mechanisms(seed, elements):
    motion = build(seed, elements).mechanism().solve(7)
    # a law may lie entirely out of reach
    if motion.ok.any():
        assert_describes_the_motion(motion)


def test_singular_and_unreached_samples_have_no_coefficients():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(181)
    assert np.isnan(motion.K("C")[~motion.ok]).all() and np.isfinite(motion.L("C")[motion.ok]).all()
    assert np.isfinite(motion.K("B")).all()


def test_an_unknown_name_is_reported():
    motion = sk.load(path("crank_rocker")).solve(3)
    with pytest.raises(sk.InputError, match="did you mean 'coupler'"):
        motion.K("copler")


def test_columns_by_kernels_are_read_where_they_are():
    """All slots are computed at once; the view of a slot is made on demand, only for slots that a driver moves."""
    m = sk.load(path("five_bar_two_drivers"))
    plan = compile_plan(m)
    x = np.arange(3.0 * plan.offsets[-1]).reshape(-1, 3)
    for drivers in ((), *((id,) for id in m.drivers), tuple(m.drivers)):
        found = Rows(plan, x, drivers)
        moved = [slot for slot, by in enumerate(plan.movers) if by.issuperset(drivers)]
        assert [*found] == moved and len(found) == len(moved)
        for slot in range(len(plan.movers)):
            assert (found.get(slot) is not None) == (slot in found) == (slot in moved)
        assert all(np.shares_memory(value, x) for value in found.values())


# --- rates by K and L, block by block -----------------------------------------------------------------------


def assert_same_rates(m, engine, **how):
    """`topological-kl` gives the rates in time, with NaN in the same places."""
    motion, other = (m.solve(engine=engine, method=method, **how) for method in ("topological", "topological-kl"))
    np.testing.assert_array_equal(other.status, motion.status)
    for one, two in zip(motion.lanes.x, other.lanes.x, strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-11 * max(1.0, np.nanmax(np.abs(one))))
    return other


@pytest.mark.parametrize("engine", few(["python", "compiled"], 1))
@pytest.mark.parametrize("drivers", few([4, 1, 2], 1))
def test_rates_of_chains(drivers, engine, monkeypatch):
    m = scalable_four_bar(5, drivers, seed=1)
    monkeypatch.setattr(running, "BLOCKS", {True: 96, False: 96})
    monkeypatch.setattr(running, "SHARE", 1)
    monkeypatch.setattr(running, "NARROW", 100)
    monkeypatch.setattr(running, "TOGETHER", 500)
    monkeypatch.setenv("STRUCTKIN_THREADS", "3")
    monkeypatch.setattr(choice, "SMALL", 0)
    t = np.linspace(0, 1, 400)
    values = {id: (0.3 * t**2 * (k + 1), 0.6 * t * (k + 1), 0.6 * (k + 1) + 0 * t) for k, id in enumerate(m.drivers)}
    assert assert_same_rates(m, engine, drivers=values).ok.all()


@pytest.mark.parametrize("name", few(names(), 8))
def test_rates_of_examples(name, monkeypatch):
    monkeypatch.setattr(choice, "SMALL", 0)
    assert_same_rates(sk.load(path(name)), "python", samples=50)


def test_a_driver_without_rates_affects_only_what_it_moves(monkeypatch):
    monkeypatch.setattr(choice, "SMALL", 0)
    m = sk.load(path("excavator"))
    t = np.linspace(0, 0.1, 30)
    values = {id: (drive.start + 0.1 * t, 0.1 + 0 * t, 0 * t) for id, drive in m.drivers.items()}
    values["arm_cylinder"] = values["arm_cylinder"][0]
    assert np.isnan(assert_same_rates(m, "python", drivers=values).lanes.x[1]).any(axis=1).sum() > 0


@pytest.mark.parametrize("lengths", [(1.5, 1.0), (3.0, 1.0)])
def test_rates_where_poses_are_lost_or_flat(lengths, monkeypatch):
    """A crank that cannot turn fully, and a parallelogram with its change points."""
    monkeypatch.setattr(choice, "SMALL", 0)
    coupler, rocker = lengths
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2.5, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": 1.0, "B-C": coupler, "C-D": rocker},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    assert assert_same_rates(m, "python", samples=361).ok.all() == (coupler == 3.0)


def test_a_place_in_a_links_frame_has_coefficients_like_a_point():
    motion = sk.load(path("crank_rocker")).solve(samples=13)
    place = motion.mechanism.links["coupler"].local["P"]
    for of in (motion.K, motion.L):
        np.testing.assert_array_equal(of(place, link="coupler"), of("P"))
        np.testing.assert_array_equal(of("P", link="coupler"), of("P"))
        with pytest.raises(sk.InputError, match="needs its link"):
            of(place)


@pytest.mark.parametrize(
    "name", ["excavator", "platform_3rrr", "platform_3rpr", "planetary_train", "five_bar_two_drivers"]
)
def test_all_columns_at_once_are_those_of_single_solves(name):
    motion = sk.load(path(name)).solve(samples=40, engine="python")
    lanes = motion.lanes.take(np.arange(40))
    lanes.x[0, :, 7] = np.nan
    drivers = list(motion.mechanism.drivers)
    found = Coefficients(motion.plan, lanes)
    at_once, one_by_one = found.slots(drivers), np.zeros((len(drivers), *lanes.x.shape[1:]))
    for column, driver in zip(one_by_one, drivers, strict=True):
        for slot, value in found.column(driver).items():
            column[motion.plan.rows(slot)] = value
    assert np.isnan(at_once[..., 7]).any()
    np.testing.assert_allclose(at_once, one_by_one, rtol=1e-13, atol=1e-13 * np.nanmax(np.abs(one_by_one)))
