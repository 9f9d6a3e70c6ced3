"""The recursive scheme (S4) against Lagrange's equations of products of exponentials, and against SymPy mechanics."""

import numpy as np
import pytest
from exponentials import lagrange, random_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, SpatialModel
from structkin.symbolic import recursive
from structkin.symbolic.recursive import Recursive


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_m_and_c_are_those_of_lagrange(seed):
    model = random_tree(seed)
    scheme = Recursive(model)
    f = len(scheme.coordinates)
    q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, f))
    M, C = scheme.mass(q, qd)
    expected_M, expected_C = lagrange(model, list(scheme.coordinates), q, qd)
    size = np.abs(expected_M).max(initial=1)
    assert np.abs(M - expected_M).max(initial=0) <= 1e-12 * size
    assert np.abs(C - expected_C).max(initial=0) <= 1e-11 * (size + np.abs(expected_C).max(initial=0))
    assert np.array_equal(M, M.T)
    if f:
        assert np.linalg.eigvalsh(M)[0] > 0
        tau = scheme.inverse(q, qd, qdd)
        assert np.allclose(scheme.forward(q, qd, tau), qdd, atol=1e-12 * np.linalg.cond(M))


@pytest.mark.compiled  # there is nothing to compare with, otherwise
@pytest.mark.parametrize("seed", range(3))
def test_the_source_runs_without_numba(seed, monkeypatch):
    model = random_tree(seed)
    scheme, plain = Recursive(model), Recursive(model)
    q, qd = np.random.default_rng(seed).normal(size=(2, len(scheme.coordinates)))
    M, C = scheme.mass(q, qd)
    for name in ("place", "move", "columns", "efforts", "masses"):
        monkeypatch.setattr(f"structkin.symbolic.recursive.{name}", getattr(recursive, name).py_func)
    plain_M, plain_C = plain.mass(q, qd)
    assert np.allclose(M, plain_M, rtol=1e-13, atol=1e-13)
    assert np.allclose(C, plain_C, rtol=1e-13, atol=1e-12)


def test_a_double_pendulum_in_space_is_that_of_sympy_mechanics():
    import sympy as sp
    import sympy.physics.mechanics as me

    q, u = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    numbers = {"m": (1.3, 0.7), "I": ((0.2, 0.3, 0.4), (0.15, 0.05, 0.18))}
    A, B = me.ReferenceFrame("A"), me.ReferenceFrame("B")
    A.orient_axis(N, N.x, q[0])
    B.orient_axis(A, A.y, q[1])
    knee, cA = O.locatenew("K", -sp.Rational(1) * A.z), O.locatenew("cA", 0.1 * A.y - 0.5 * A.z)
    cB = knee.locatenew("cB", 0.2 * B.x + 0.1 * B.y - 0.4 * B.z)
    frames = ((A, cA), (B, cB))
    A.set_ang_vel(N, u[0] * N.x)
    B.set_ang_vel(A, u[1] * A.y)
    for point, frame in ((knee, A), (cA, A)):
        point.v2pt_theory(O, N, frame)
    cB.v2pt_theory(knee, N, B)
    rigid = [
        me.RigidBody(str(k), c, frame, numbers["m"][k], (me.inertia(frame, *numbers["I"][k]), c))
        for k, (frame, c) in enumerate(frames)
    ]
    forces = [(c, -9.81 * numbers["m"][k] * N.z) for k, (_, c) in enumerate(frames)]
    kane = me.KanesMethod(N, q, u, kd_eqs=[a.diff() - b for a, b in zip(q, u, strict=True)])
    kane.kanes_equations(rigid, forces)
    given_state = dict(zip([*q, *u], (0.7, -1.1, 2.0, 1.5), strict=True))
    M = np.array(kane.mass_matrix.subs(given_state), dtype=float)
    forcing = np.array(kane.forcing.subs(given_state), dtype=float).ravel()

    x, y = np.eye(3)[:2]
    bodies = {
        "A": Body("A", 1.3, np.array([0, 0.1, -0.5]), np.diag(numbers["I"][0])),
        "B": Body("B", 0.7, np.array([0.2, 0.1, -1.4]), np.diag(numbers["I"][1])),
    }
    joints = {
        "O": SpatialJoint("O", "revolute", ("ground", "A"), np.zeros(3), x, y),
        "K": SpatialJoint("K", "revolute", ("A", "B"), np.array([0, 0, -1.0]), y, x),
    }
    scheme = Recursive(SpatialModel("double pendulum", bodies, joints, gravity=np.array([0, 0, -9.81])))
    ours, C = scheme.mass(np.array([0.7, -1.1]), np.array([2.0, 1.5]))
    assert np.allclose(ours, M, atol=1e-13)
    assert np.allclose(-C, forcing, atol=1e-13)
