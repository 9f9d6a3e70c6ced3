"""Tests of the check: the whole-system equations against differences and a closed formula."""

from __future__ import annotations

import numpy as np
import pytest
from random_mechanisms import build
from whole_system import Jet, Pose, WholeSystem, solve_whole

import structkin as sk


@pytest.mark.parametrize("seed", range(8))
def test_jacobian_and_convective_term_against_differences(seed):
    case = build(seed, 3)
    system = WholeSystem(case.mechanism())
    rng = np.random.default_rng(seed)
    q = system.sketch() + 0.01 * system._unit * rng.uniform(-1, 1, (3 * len(system.moving), 1))
    z = np.zeros((len(system.drivers), 1))
    J = system.jacobian(q)[0]
    assert J.shape == (q.size, q.size)
    h = 1e-6
    for k in range(q.size):
        step = np.zeros_like(q)
        step[k] = h * system._unit[k, 0]
        difference = (system.values(q + step, z) - system.values(q - step, z))[:, 0] / (2 * h)
        np.testing.assert_allclose(J[:, k], difference, atol=1e-8)
    v = rng.uniform(-1, 1, q.shape) * system._unit
    second = [row.dd / unit for row, unit, _ in system.rows(Pose(system, q, v))]
    ahead, behind = (system.jacobian(q + s * h * v)[0] @ (v / system._unit) for s in (1, -1))
    np.testing.assert_allclose(np.ravel(np.broadcast_arrays(*second)), ((ahead - behind) / (2 * h)).ravel(), atol=1e-7)


def test_the_sketch_of_every_random_mechanism_closes():
    for seed in range(10):
        mechanism = build(seed, 4).mechanism()
        system = WholeSystem(mechanism)
        start = np.array([[mechanism.drivers[id].start] for id in system.drivers])
        assert np.max(np.abs(system.values(system.sketch(), start))) < 1e-14


def test_slider_crank_by_its_formula():
    r, l, w = 1.0, 3.0, 2.0
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (np.sqrt(8), 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": w}},
    )
    motion = m.solve(samples=17)
    whole = solve_whole(m, motion)
    assert whole.converged.all()
    theta = np.pi / 2 + w * motion.t
    s, c = np.sin(theta), np.cos(theta)
    root = np.sqrt(l * l - r * r * s * s)
    row = whole.system.column["piston"]
    np.testing.assert_allclose(whole.q[row], r * c + root, atol=1e-13)
    np.testing.assert_allclose(whole.qd[row], w * (-r * s - r * r * s * c / root), atol=1e-13)
    bend = (c * c - s * s) / root + r * r * s * s * c * c / root**3
    np.testing.assert_allclose(whole.qdd[row], w * w * (-r * c - r * r * bend), atol=1e-12)


def test_a_limit_ends_the_path():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (2.4, 0.8), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    system = WholeSystem(m)
    assert system.follow(system.sketch(), np.linspace(0, 0.5, 20)[:, None]) is not None
    assert system.follow(system.sketch(), np.linspace(0, 1.5, 60)[:, None]) is None


def test_jets_multiply_and_take_roots():
    x = Jet(2.0, 1.0, 0.0)
    cube = x * x * x
    assert (cube.f, cube.d, cube.dd) == (8.0, 12.0, 12.0)
    root = (x * x).sqrt()
    assert (root.f, root.d, root.dd) == pytest.approx((2.0, 1.0, 0.0))
    s, c = x.sin(), x.cos()
    one = s * s + c * c
    assert (one.f, one.d, one.dd) == pytest.approx((1.0, 0.0, 0.0))
