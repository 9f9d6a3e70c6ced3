"""Phi, its Jacobian, nu and gamma in every family: by complex steps, and at poses solved by another method."""

import itertools

import numpy as np
import pytest
from cases import few
from coordinate_samples import (
    EXAMPLES,
    FAMILIES,
    SLOTS,
    build,
    circular_slot,
    dense,
    eccentric,
    frames_of,
    scalable,
    slider_crank,
    three_cranks,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.examples import path

STEP = 1e-30


def at_random(coordinates, mechanism, lanes=4, seed=0):
    """Coordinates near the sketch that need not satisfy the rows, with random values and rates."""
    rng = np.random.default_rng(seed)

    def draw(count):
        return rng.uniform(-1, 1, (count, lanes))

    q = coordinates.start() + 0.3 * draw(coordinates.n) * coordinates.column_units[:, None]
    start = np.array([[mechanism.drivers[id].start] for id in coordinates.drivers]).reshape(-1, 1)
    f = len(coordinates.drivers)
    z = start + draw(f)
    # Differences should not span the angles where dot and cross rows alternate.
    z += np.where(np.abs(np.cos(2 * z)) < 0.1, 0.15, 0.0)
    return q, draw(coordinates.n), z, draw(f), draw(f)


#: Central differences of the sixth order.
PLACES, WEIGHTS = (-3, -2, -1, 1, 2, 3), (-1 / 60, 9 / 60, -45 / 60, 45 / 60, -9 / 60, 1 / 60)


def by_complex_steps(coordinates, q, z):
    """The Jacobian (lanes, m, n) by complex steps of Phi."""
    J = np.empty((q.shape[1], coordinates.m, coordinates.n))
    for k in range(coordinates.n):
        moved = q.astype(complex)
        moved[k] += 1j * STEP
        J[:, :, k] = coordinates.phi(moved, z).imag.T / STEP
    return J


def assert_derivatives(coordinates, mechanism, seed=0):
    """The Jacobian is the derivative of Phi; -nu and -gamma are its time derivatives, with zero accelerations.

    Relative coordinates leave out entries that vanish where Phi does: they are at most as large as Phi.
    """
    q, v, z, dz, ddz = at_random(coordinates, mechanism, seed=seed)
    units = coordinates.row_units[:, None]
    phi, entries = coordinates.evaluate(q, z)
    gap = np.abs(dense(coordinates, entries) - by_complex_steps(coordinates, q, z)) / units
    written = np.zeros((coordinates.m, coordinates.n), bool)
    written[coordinates.pattern] = True
    assert gap[:, written].max() < 1e-12
    if coordinates.family == "relative":
        assert gap.max() <= 2 * np.abs(phi / units).max()
    else:
        assert gap.max() < 1e-12
    by_time = coordinates.phi(q + 0j, z + 1j * STEP * dz).imag / STEP
    np.testing.assert_allclose(coordinates.nu(z, dz), -by_time, atol=1e-12 * units.max())

    def rate(t):
        """Phi' at the time t on q + t v, z + t z' + t^2 z'' / 2, by a complex step along the rates."""
        rates = v, dz + t * ddz
        return coordinates.phi(q + t * v + 1j * STEP * rates[0], z + t * dz + t * t / 2 * ddz + 1j * STEP * rates[1])

    step = 1e-5  # small, so that a step hardly ever crosses a joint of cam pieces
    second = sum(w * rate(k * step).imag for k, w in zip(PLACES, WEIGHTS, strict=True)) / STEP / step
    gap = (coordinates.gamma(q, v, z, dz, ddz) + second) / units
    assert np.abs(gap).max() < 1e-7 * max(1.0, np.abs(second / units).max())


def assert_frames(coordinates, mechanism):
    """`frame_map` is the derivative of `frames`, the rates follow from it, and `from_frames` inverts it."""
    q, v, *_ = at_random(coordinates, mechanism)
    rows, columns, entries = coordinates.frame_map(q)
    matrices = np.zeros((q.shape[1], 4 * len(coordinates.links), coordinates.n))
    np.add.at(matrices, (slice(None), rows, columns), entries.T)
    along = coordinates.frames(q + 1j * STEP * v).imag / STEP
    np.testing.assert_allclose(np.einsum("nij,jn->in", matrices, v), along, atol=1e-11)
    np.testing.assert_allclose(coordinates.frame_rates(q, v), along, atol=1e-11)
    rate = coordinates.frame_rates(q + 1j * STEP * v, v.astype(complex)).imag / STEP
    np.testing.assert_allclose(coordinates.frame_seconds(q, v, 0 * v), rate, atol=1e-10)


@pytest.mark.parametrize(("name", "family"), few(itertools.product(EXAMPLES, FAMILIES), 44))
def test_derivatives_of_the_examples(name, family):
    m = sk.load(path(name))
    coordinates = m.constraints(family)
    assert_derivatives(coordinates, m)
    assert_frames(coordinates, m)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("where", SLOTS)
def test_circular_slots(where, family):
    m = circular_slot(where)
    coordinates = m.constraints(family)
    assert_derivatives(coordinates, m)
    assert_frames(coordinates, m)
    assert_rows_hold(m, family)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), family=st.sampled_from(FAMILIES))
def test_derivatives_of_random_mechanisms(seed, family):
    m = build(seed).mechanism()
    assert_derivatives(m.constraints(family), m, seed)


@pytest.mark.parametrize(("name", "family"), few(itertools.product(EXAMPLES, FAMILIES), 44))
def test_rows_hold_on_solved_poses(name, family):
    assert_rows_hold(sk.load(path(name)), family)


def turn_of(motion, link):
    """How far a link has turned since the sketch, including whole turns."""
    angle, start = motion.angle(link), motion.mechanism.links[link].direction
    return motion._frames.scalar(motion.plan.turns[link]) if link in motion.plan.turns else angle - np.angle(start)


def assert_rows_hold(m, family):
    """Solutions of the topological method satisfy the rows, their rates and second rates."""
    motion = m.solve(25)
    coordinates = m.constraints(family)
    assert coordinates.n == len(coordinates.names) and coordinates.m == len(coordinates.rows) >= coordinates.n
    assert coordinates.m == coordinates.n or m.structure().over
    X, dX, ddX = (frames_of(coordinates, motion, order) for order in range(3))
    turns = {link: turn_of(motion, link) for link in coordinates.turned}
    q = coordinates.from_frames(X, turns)
    np.testing.assert_allclose(coordinates.turns(q), [*turns.values()] or np.zeros((0, len(motion))), atol=1e-9)
    np.testing.assert_allclose(coordinates.frames(q), X, atol=1e-12 * max(motion.size, 1))
    z, dz, ddz = (np.stack([motion.drivers[id][k] for id in coordinates.drivers]) for k in range(3))
    phi, entries = coordinates.evaluate(q, z)
    units = coordinates.row_units[:, None]
    assert np.abs(phi / units).max() < 1e-12
    assert np.abs((dense(coordinates, entries) - by_complex_steps(coordinates, q, z)) / units).max() < 1e-11
    J = dense(coordinates, entries)
    inverse = np.linalg.pinv(J)
    v = np.einsum("nij,jn->in", inverse, coordinates.nu(z, dz))
    a = np.einsum("nij,jn->in", inverse, coordinates.gamma(q, v, z, dz, ddz))
    np.testing.assert_allclose(coordinates.frame_rates(q, v), dX, atol=1e-10 * np.abs(dX).max())
    np.testing.assert_allclose(coordinates.frame_seconds(q, v, a), ddX, atol=1e-10 * np.abs(ddX).max())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", ["garage_door", "geneva", "cam_lever_press", "profile cam", "spline"])
def test_no_samples_have_no_rows_to_reshape(case, family):
    """Where no sample remains, arrays of rows by relations have no columns: they could not be reshaped."""
    if case == "profile cam":
        m = eccentric("roller", "translating")
    elif case == "spline":
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (0.3, 0.4), "C": (1.5, 0.2)},
            links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"]},
            joints={
                "slot": {
                    "type": "pin-in-slot", "pin": "C", "slot": "ground",
                    "through": [(0.5, 0.3), (1, 0.1), (1.5, 0.2), (2, 0.3), (2.5, 0.1)],
                }
            },
            drivers={"motor": {"joint": "A", "speed": 1}},
        )  # fmt: skip
    else:
        m = sk.load(path(case))
    c = m.constraints(family)
    q, z = np.zeros((c.n, 0)), np.zeros((len(m.drivers), 0))
    rows = len(c.rows)
    for found in (c.phi(q, z), c.nu(z, z), c.gamma(q, q, z, z, z)):
        assert found.shape == (rows, 0)
    assert c.jacobian(q, z).shape == (len(c.pattern[0]), 0)


@pytest.mark.full
@pytest.mark.parametrize("family", few(FAMILIES, 1, 0))
def test_a_range_out_of_reach_of_a_slot_of_segments(family):
    """The samples that stop take their lanes with them, until none is left."""
    m = sk.load(path("garage_door"))
    [driver] = m.drivers
    r = m.solve(drivers={driver: [m.drivers[driver].start + 1e3]}, method="global", coordinates=family)
    assert not r.ok.any()


def test_counts_of_the_scalable_four_bar():
    """S2 sec. 4, method I: m = 2 k + 2 rows; and the sizes of the other families."""
    m = scalable(17)
    assert m.constraints("natural").m == 36
    assert m.constraints("reference-point").n == 3 * 35
    assert m.constraints("fully-cartesian").n == 4 * 35
    assert m.constraints("relative").n == 35


def test_redundant_joints_add_rows():
    coordinates = three_cranks().constraints("reference-point")
    assert coordinates.m == coordinates.n + 1


def test_without_drivers_only_joints_are_left():
    m = slider_crank(1, 2)
    for family in FAMILIES:
        free, driven = m.constraints(family, drivers=[]), m.constraints(family)
        assert free.n == driven.n
        assert free.m == free.n - 1
        q = free.start() + 0.1
        none = np.zeros((0, 1))
        assert free.phi(q, none).shape == (free.m, 1)
        assert not free.nu(none, none).any()


def test_loops_alone_give_rows_in_relative_coordinates():
    """A cut loop depends only on its joints: the second dyad does not involve the first crank's loop."""
    coordinates = scalable(3).constraints("relative")
    per_row = np.bincount(coordinates.pattern[0])
    assert per_row.max() <= 6 + 1


def test_all_problems_are_reported():
    m = slider_crank(1, 2)
    with pytest.raises(sk.InputError) as error:
        m.constraints("naturel", drivers=["mtor"])
    assert len(error.value.problems) == 2
    assert "natural" in error.value.problems[0].hint and "motor" in error.value.problems[1].hint
