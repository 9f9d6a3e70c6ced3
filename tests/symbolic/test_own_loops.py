"""Loops solved by formulas of one's own: S4's interface, against multipliers and the package's own formulas."""

import numpy as np
import pytest
import sympy as sp
from spatial_models import Z, body, four_bar, joint, spatial

from structkin.errors import InputError
from structkin.symbolic import ExplicitLoop, equations

A, B, C, D = (0.0, 0.0), (0.3, 0.4), (1.3, 0.4), (1.0, 0.0)


def parallelogram():
    bars = [("crank", A, B), ("coupler", B, C), ("rocker", C, D)]
    bodies = [body(n, 1 + k, [*np.add(p, q) / 2, 0], 0.1 * np.eye(3)) for k, (n, p, q) in enumerate(bars)]
    joints = [
        joint("A", "ground", "crank", [*A, 0]), joint("B", "crank", "coupler", [*B, 0]),
        joint("D", "ground", "rocker", [*D, 0]), joint("C", "coupler", "rocker", [*C, 0], cut=True),
    ]  # fmt: skip
    return spatial("parallelogram", bodies, joints)


LOOP = ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (-u[0], u[0]))


def by_multipliers(model, q, qd, names):
    """Return the accelerations of some joints by all coordinates and multipliers."""
    full = equations(model)
    order = [full.coordinates.index(c) for c in names]
    M, h, f, W, Phi, gamma = full.function()(0.0, q, qd)
    assert np.abs(Phi).max() < 1e-12 and np.abs(W.T @ qd).max() < 1e-12
    system = np.block([[M, -W], [W.T, np.zeros((W.shape[1],) * 2)]])
    return np.linalg.lstsq(system, np.concatenate([f - h, gamma]), rcond=None)[0][order]


@pytest.mark.parametrize("given", [{}, {"B_vu": lambda u, v: [[-1], [1]], "b": lambda u, v, ud, vd: (0, 0)}])
def test_a_parallelogram_by_its_own_formula(given):
    model = parallelogram()
    loop = ExplicitLoop(LOOP.cut, LOOP.u, LOOP.v, LOOP.H, **given)
    found = equations(model, loops="explicit", solved=[loop])
    assert found.coordinates == (("A", 0),) and not found.W.cols
    M, h, f = found.function()(0.0, [0.4], [1.3])
    q, qd = np.array([{"A": 1, "B": -1, "D": 1}[j] for j, _ in equations(model).coordinates]) * [[0.4], [1.3]]
    assert (f - h)[0] / M[0, 0] == pytest.approx(by_multipliers(model, q, qd, found.coordinates)[0], rel=1e-11)


def test_a_loop_in_space_by_its_own_formula():
    """A parallelogram whose rod hangs in ball joints is a loop in space; it moves as the one on pins."""
    model = parallelogram()
    ends = {name: one for name, one in model.joints.items() if name in "AD"}
    ball = [
        joint("B", "crank", "coupler", [*B, 0], Z, "universal"),
        joint("C", "coupler", "rocker", [*C, 0], Z, "spherical", cut=True),
    ]
    space = spatial("balls", model.bodies.values(), [*ends.values(), *ball])
    with pytest.raises(InputError, match="loops in space have no closed form"):
        equations(space, loops="explicit")
    loop = ExplicitLoop("C", ["A"], [("B", 0), "D", ("B", 1)], lambda u: (-u[0], u[0], 0))
    found = equations(space, loops="explicit", solved=[loop])
    M, h, f = found.function()(0.0, [0.4], [1.3])
    planar = equations(model, loops="explicit", solved=[LOOP]).function()(0.0, [0.4], [1.3])
    assert (f - h)[0] / M[0, 0] == pytest.approx((planar[2] - planar[1])[0] / planar[0][0, 0], rel=1e-11)


@pytest.mark.parametrize(
    "loop, words",
    [
        (ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (u[0], u[0])), "H does not close it: off by"),
        (ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (0.1 - u[0], u[0])), "where u is"),
        (ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (sp.sqrt(-1 - u[0]), u[0])), "H gives"),
        (ExplicitLoop("C", ["A"], ["B", "D"], LOOP.H, B_vu=lambda u, v: [[1], [1]]), "B_vu does not close it"),
        (ExplicitLoop("C", ["A"], ["B", "D"], LOOP.H, b=lambda u, v, ud, vd: (ud[0], 0)), "b does not close it"),
        (ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (u[0],)), r"H has the shape \(1, 1\), not \(2, 1\)"),
        (ExplicitLoop("C", ["A"], ["B", "D"], lambda u: (sp.Symbol("l") * u[0], u[0])), "H has the symbol l"),
        (ExplicitLoop("C", [], ["A", "B", "D"], lambda u: (0, 0, 0)), "the joints cut leave 2 equations, and 3"),
        (ExplicitLoop("X", ["A"], ["B", "E"], LOOP.H), "X: no joint at which a loop is cut"),
        (ExplicitLoop("C", ["A"], ["A", "D"], LOOP.H), "A, 0: is named twice"),
    ],
)  # fmt: skip
def test_formulas_that_do_not_close_the_loop_are_refused(loop, words):
    with pytest.raises(InputError, match=words):
        equations(parallelogram(), loops="explicit", solved=[loop])


def test_solved_needs_dependent_coordinates_and_loops():
    with pytest.raises(InputError, match='solved: needs dependent coordinates; add loops="explicit"'):
        equations(four_bar(), solved=[LOOP])
    with pytest.raises(InputError, match="solved: expected a list of explicit loops, found 'C'"):
        equations(four_bar(), loops="auto", solved="C")
