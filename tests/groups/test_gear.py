"""Unwrapped angles: geared links and the general group with gear rows, against complex steps and differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.groups import RG, General, Turn
from structkin.plan import compile as compiling
from structkin.plan.plan import Register

seeds = st.integers(0, 2**32 - 1)
TINY, LANES = 1e-30, 5
#: Sixth-order central difference.
WEIGHTS, STEP = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60, 3e-3


def draw(rng, values):
    return tuple(rng.uniform(-1, 1, np.broadcast_shapes(np.shape(x), (LANES,))) for x in values)


def along(base, direction, amount):
    return tuple(a + amount * b for a, b in zip(base, direction, strict=True))


def first(form, h, phi, dh, dphi):
    """The derivative of the residual along a direction, by a complex step."""
    rows = form.residual(along(h, dh, 1j * TINY), along(phi, dphi, 1j * TINY))
    return np.array([np.broadcast_to(np.imag(row) / TINY, row.shape).reshape(-1, LANES) for row in rows])


def flat(rows):
    return np.array([np.broadcast_to(row, (*np.shape(row)[:-1], LANES)).reshape(-1, LANES) for row in rows])


def check_relation(form, h, phi, rng):
    """linear, convective and cubic terms agree with the residual along any directions."""
    assert np.max(np.abs(flat(form.residual(h, phi)))) < 1e-12
    dh = draw(rng, h)
    g = tuple(rng.uniform(-1, 1, np.shape(row)) for row in form.residual(h, phi))
    dphi = form.linear(h, phi, dh, g)
    np.testing.assert_allclose(first(form, h, phi, dh, dphi), flat(g), atol=1e-11)
    v, w = ((draw(rng, h), draw(rng, phi)) for _ in range(2))
    parts = STEP * np.arange(-3, 4)
    found = sum(
        a * first(form, along(h, v[0], s), along(phi, v[1], s), *w) for a, s in zip(WEIGHTS, parts, strict=True)
    )
    np.testing.assert_allclose(flat(form.convective(h, phi, *v, *w)), -found / STEP, atol=1e-9)
    np.testing.assert_allclose(flat(form.convective(h, phi, *w, *v)), -found / STEP, atol=1e-9)
    third = sum(
        a * flat(form.convective(along(h, v[0], s), along(phi, v[1], s), *v, *v))
        for a, s in zip(WEIGHTS, parts, strict=True)
    )
    np.testing.assert_allclose(flat(form.cubic(h, phi, *v)), third / STEP, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_a_geared_link(seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 7, LANES)
    h = (np.stack((np.cos(angle), np.sin(angle))), rng.uniform(-20, 20, LANES))
    check_relation(RG(), h, RG().position(h, None), rng)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_the_unwrapped_angle_of_a_vector(seed):
    rng = np.random.default_rng(seed)
    form, turn = Turn(complex(*rng.uniform(-2, 2, 2))), rng.uniform(-30, 30, LANES)
    z = form.reference * np.exp(1j * turn) * rng.uniform(0.5, 2, LANES)
    h = (np.stack((z.real, z.imag)),)
    (found,) = phi = form.position(h, turn + rng.uniform(-1, 1, LANES))
    np.testing.assert_allclose(found, turn, atol=1e-12)
    check_relation(form, h, phi, rng)
    dh = draw(rng, h)
    (stepped,) = form.position(along(h, dh, 1j * TINY), turn)
    np.testing.assert_allclose(form.linear(h, phi, dh, (0.0,))[0], stepped.imag / TINY, atol=1e-11)


def test_an_angle_is_unwrapped_over_many_turns_and_takes_the_shorter_step_over_gaps():
    turn = np.linspace(0.3, 40.0, 100)
    found, unclear = Turn(2 + 0j).follow(np.stack((np.cos(turn), np.sin(turn))))
    np.testing.assert_allclose(found, turn, atol=1e-12)
    assert not unclear.any()
    held = np.stack((np.cos(turn), np.sin(turn)))
    held[:, 50] = np.nan
    found, _ = Turn(1 + 0j).follow(held)
    assert np.isnan(found[50])
    np.testing.assert_allclose(np.delete(found, 50), np.delete(turn, 50), atol=1e-12)


def test_a_step_of_ambiguous_sense_is_flagged():
    turn = np.array([0.0, 0.1, 3.0, 3.1])
    assert Turn(1 + 0j).follow(np.stack((np.cos(turn), np.sin(turn))))[1].tolist() == [False, False, True, True]


FIVE_BAR = sk.Mechanism(
    points={"A": (0, 0), "B": (0.1, 0.2), "C": (0.35, 0.45), "D": (0.5, 0.15), "E": (0.4, 0)},
    links={"ground": ["A", "E"], "c1": ["A", "B"], "l1": ["B", "C"], "l2": ["C", "D"], "c2": ["D", "E"]},
    joints={"mesh": {"type": "gear", "links": ["c1", "c2"], "ratio": -2.3}},
    drivers={"motor": {"links": ["c1", "l1"], "law": "-0.3217505543966422+0.4*sin(t)"}},
    duration=6.3,
)
CAR = sk.Mechanism(
    points={"P": (-5, 0), "Q": (5, 0), "C": (0, 1), "E": (0.5, 1), "A": (-2, 2), "B": (-1.8, 2.5)},
    links={"ground": ["P", "Q", "A"], "wheel": ["C", "E"], "crank": ["A", "B"], "rod": ["B", "E"]},
    joints={"roll": {"type": "rolling", "links": ["wheel", "ground"], "radius": 1, "along": ["P", "Q"]}},
    drivers={"motor": {"joint": "A", "speed": 1}},
)


@pytest.mark.parametrize("mechanism", [FIVE_BAR, CAR])
def test_the_general_group_with_gears(mechanism):
    motion = mechanism.solve(LANES)
    assert motion.ok.all()
    (step,) = (step for step in motion.plan.steps if isinstance(step.kind, General))
    assert step.kind.rows.angles

    def value(operand):
        if not isinstance(operand, Register):
            return operand if isinstance(operand, float) else np.array([[operand.real], [operand.imag]])
        rows = motion.lanes.x[0][motion.plan.rows(operand.index)]
        return rows if len(rows) == 2 else rows[0]

    h, phi = tuple(map(value, step.inputs)), tuple(value(Register(slot)) for slot in step.outputs)
    check_relation(step.kind, h, phi, np.random.default_rng(7))


def wheel(roll):
    return sk.Mechanism(
        points={"C": (2, 1), "E": (2, 0), "P": (-5, 0), "Q": (5, 0), "A": (0, 1), "B": (0.3, 1.4), "O": (2.2, -0.9)},
        links={"ground": ["P", "Q", "A", "O"], "wheel": ["C", "E"], "crank": ["A", "B"], "rod": ["B", "C"]},
        joints={"roll": {"type": "rolling", **roll}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


@pytest.mark.parametrize(
    "roll",
    [
        {"links": ["wheel", "ground"], "radius": 1, "along": ["P", "Q"]},
        {"links": ["wheel", "ground"], "centers": ["C", "O"], "radii": [0.7, 1.2]},
        {"links": ["ground", "wheel"], "centers": ["O", "C"], "radii": [1.2, 0.7]},
    ],
)
def test_wheels_on_a_rod_agree_with_the_general_group(roll, monkeypatch):
    closed = wheel(roll).solve(40)
    monkeypatch.setattr(compiling, "solve_rolling", lambda *_: None)
    general = wheel(roll).solve(40)
    assert closed.ok.all() and general.ok.all()
    assert not any(isinstance(step.kind, General) for step in closed.plan.steps)
    for read in ("position", "velocity", "acceleration", "K", "L"):
        np.testing.assert_allclose(getattr(closed, read)("E"), getattr(general, read)("E"), atol=1e-12)
    np.testing.assert_allclose(closed.angle("wheel"), general.angle("wheel"), atol=1e-12)


def train():
    return sk.Mechanism(
        points={"O": (0, 0), "P": (0.3, 0), "Q": (0.4, 0.1)},
        links={"ground": ["O"], "sun": ["O"], "arm": ["O", "P"], "planet": ["P", "Q"]},
        joints={
            "sun_planet": {"type": "gear", "links": ["sun", "planet"], "teeth": [20, 13]},
            "planet_ring": {"type": "gear", "links": ["planet", "ground"], "teeth": [13, 46], "internal": True},
        },
        drivers={"motor": {"links": ["ground", "sun"], "law": "30*sin(t)"}},
        duration=6,
    )


def test_closed_forms_agree_with_the_general_group(monkeypatch):
    closed = train().solve(50)
    monkeypatch.setattr(compiling, "solve_geared", lambda *_: None)
    # a new mechanism: each keeps its plan
    general = train().solve(50)
    assert general.plan.tracked and not closed.plan.tracked
    for read in ("position", "velocity", "acceleration", "K", "L"):
        a, b = (getattr(motion, read)("Q") for motion in (closed, general))
        np.testing.assert_allclose(a, b, atol=1e-11 * max(1, np.abs(a).max()))
