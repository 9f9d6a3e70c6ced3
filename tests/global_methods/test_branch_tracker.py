"""The tracker of a global method: what it reuses from Newton's method, and its curves."""

import numpy as np
import pytest
from cases import few
from coordinate_samples import FAMILIES, distinct, four_bar
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.bench.mechanism import scalable_four_bar
from structkin.global_methods import solver
from structkin.global_methods.curve import Curve, Pose, powers
from structkin.global_methods.linear import Dense, Sparse
from structkin.global_methods.newton import close, close_pose
from structkin.global_methods.scaled import Scaled

NUMBERS = st.lists(st.floats(-2.0, 2.0), min_size=6, max_size=6)


def scaled_four_bar(family="natural", make=Dense):
    return Scaled(four_bar(1, 3, 2.5, 3, 0.7).constraints(family), make)


@given(NUMBERS)
@settings(max_examples=30)
def test_a_quintic_is_reproduced(coefficients):
    """Value, slope and second derivative at both ends determine any polynomial of degree five."""
    p = np.polynomial.Polynomial(coefficients)

    class End:
        def __init__(self, z):
            self.z, self.q = np.array([[z]]), np.array([[p(z)]])
            self.K, self.bend = np.array([[p.deriv()(z)]]), np.array([[p.deriv(2)(z)]])

        def second(self, dz):
            return self.bend * dz**2

    z = np.linspace(0.2, 0.9, 8)[None]
    curve = Curve(End(0.3), End(0.8))
    np.testing.assert_allclose(curve.near(z, np.ones((1, 1)))[0], p(z[0]), atol=1e-10)
    np.testing.assert_allclose(powers(z[0]), z[0] ** np.arange(6)[:, None], rtol=1e-14)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("make", [Dense, Sparse])
def test_one_pose_alone_and_among_many(family, make):
    scaled = scaled_four_bar(family, make)
    z = np.array([[0.9]])
    one, many = close_pose(scaled, scaled.coordinates.start(), z, 20), close(scaled, scaled.coordinates.start(), z, 20)
    assert one is not None and one.iterations == many.iterations[0] and one.step < 1e-8
    np.testing.assert_allclose(one.q, many.q, rtol=1e-13, atol=1e-14)
    # The factors reused from Newton's method are those of the pose itself.
    taken, own = Pose(scaled, z, one.q, 1, one), Pose(scaled, z, one.q)
    np.testing.assert_array_equal(taken.signs, own.signs)
    assert taken.strength == pytest.approx(own.strength, rel=1e-6)
    np.testing.assert_allclose(taken.K, own.K, rtol=1e-6, atol=1e-9)


def test_no_pose_out_of_reach():
    scaled = Scaled(four_bar(2, 1.5, 1.2, 2, 0.3).constraints("natural"), Dense)
    assert close_pose(scaled, scaled.coordinates.start(), np.array([[1.5]])) is None


def test_the_sum_of_steps_bounds_the_departure():
    scaled = scaled_four_bar()
    z = 0.7 + np.linspace(-0.2, 0.2, 41)[None]
    start = np.repeat(close(scaled, scaled.coordinates.start(), np.array([[0.7]]), 20).q, 41, axis=1)
    found = close(scaled, start, z, 20)
    assert found.converged.all()
    gone = np.max(np.abs(found.q - start) / scaled.column_units, axis=0)
    assert (gone <= found.moved * (1 + 1e-12)).all() and found.moved.max() > 0.01


def test_a_pose_near_a_singular_one_gets_a_new_jacobian():
    """The Jacobian of the previous step is not accurate enough there."""
    scaled = Scaled(four_bar(1, 2, 1, 2, 0.5).constraints("natural"), Dense)
    z = np.array([[1e-3]])
    start = four_bar(1, 2, 1, 2, 1e-3).constraints("natural").start()
    found = close_pose(scaled, start, z, 30)
    assert found is not None
    pose = Pose(scaled, z, found.q, 1, found)
    assert pose.strength == Pose(scaled, z, found.q).strength < 0.05 and pose.factors is not found.factors


@pytest.mark.compiled
def test_continuation_points_by_compiled_sweeps(monkeypatch):
    """Long chains are tracked by the sweeps that solve their samples."""
    monkeypatch.setattr(solver, "FULL", 4)
    m = scalable_four_bar(6)
    motion = m.solve(100)
    for engine in ("python", "compiled"):
        found = m.solve(100, method="global-triangular", engine=engine)
        assert found.ok.all() and distinct(motion, found)[0].max() < 1e-10


@pytest.mark.parametrize("family", few(FAMILIES, 1, 1))
@pytest.mark.parametrize("start", [5.413, 5.9])
@pytest.mark.parametrize("narrow", [-22, -26])
def test_pins_that_pass_each_other_where_all_equations_are_singular(narrow, start, family):
    """The groups prove that the dyad becomes flat there, by its discriminant, and so changes its mode."""
    apart = 2.0**narrow
    m = four_bar(1.0, 1.5, 1.5 + apart, 1.0 + apart, start)
    z = start + np.linspace(0, 1.2 * 2 * np.pi, 5)
    for method in ("global", "global-triangular"):
        found = m.solve(drivers={"motor": z}, method=method, coordinates=family)
        B, C = (found.position(name) @ (1, 1j) for name in "BC")
        mode = np.sign(((C - B) * (1.0 + apart - B).conj()).imag)
        assert found.ok.all()
        np.testing.assert_array_equal(mode, mode[0] * (-1.0) ** (z // (2 * np.pi)))
