"""The explicit scheme (S4, equations 2 to 9) against the recursive scheme and against SymPy mechanics."""

import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics as me
from cases import few
from exponentials import random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from spatial_models import X, Y, Z, body, cart_pole, chain, joint, spatial

from structkin.errors import InputError
from structkin.symbolic import equations
from structkin.symbolic.recursive import Recursive


def agree(found, scheme, states, tolerance=1e-12):
    for q, qd in states:
        M, C = scheme.mass(q, qd)
        own_M, own_h, own_f = found(0.0, q, qd)
        size = np.abs(M).max(initial=1) * (1 + qd @ qd)
        assert np.abs(own_M - M).max(initial=0) <= tolerance * size
        assert np.abs(own_h - own_f - C).max(initial=0) <= tolerance * (size + np.abs(C).max(initial=0))


def states(f, seed, count=3):
    return np.random.default_rng(seed).uniform(-2, 2, (count, 2, f))


@pytest.mark.full
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_m_and_h_are_those_of_the_recursive_scheme(seed):
    model = random_tree(seed, sizes=(1, 3))
    scheme = Recursive(model)
    f = len(scheme.coordinates)
    if f == 0:
        with pytest.raises(InputError, match="nothing can move"):
            equations(model)
        return
    found = equations(model, shared=True)
    assert found.coordinates == tuple(scheme.coordinates)
    agree(found.function(), scheme, states(f, seed))


@pytest.mark.parametrize(
    "kinds", few(["cylindrical revolute", "screw universal", "planar", "spherical", "fixed screw"], 1)
)
@pytest.mark.parametrize("backwards", few([False, True], 1, 0))
def test_explicit_expressions_are_the_same(kinds, backwards):
    pairs = [("ground", "b1"), ("b1", "b2")]
    joints = [
        joint(f"J{k}", *(pair[::-1] if backwards else pair), [0.1 * k, 0.2, 0.3], (Z, X)[k], kind, pitch=0.2)
        for k, (kind, pair) in enumerate(zip(kinds.split(), pairs, strict=False))
    ]
    bodies = [body(f"b{k + 1}", 1 + k, [0.3, 0, k], np.diag([0.1, 0.2, 0.3])) for k in range(len(joints))]
    model = spatial(kinds, bodies, joints, gravity=np.array([0, -6.0, -8.0]))
    scheme = Recursive(model)
    agree(equations(model, shared=False).function(), scheme, states(len(scheme.coordinates), 7))


@pytest.mark.parametrize("axis", few([X, Y, Z, np.array([0.6, 0, 0.8])], 1, 1), ids=["x", "y", "z", "oblique"])
@pytest.mark.parametrize("shared", few([True, False], 1))
def test_plane_chains_about_any_axis(axis, shared):
    model = chain(4, axis)
    agree(equations(model, shared=shared).function(), Recursive(model), states(4, 1))


def test_numbers_and_symbols_give_the_same():
    for model in (chain(3), cart_pole(), chain(2, X, Y)):
        q, qd = states(len(model.joints), 2, 1)[0]
        for one, two in zip(
            equations(model).function()(0.3, q, qd), equations(model, numbers=True).function()(0.3, q, qd), strict=True
        ):
            assert np.allclose(one, two, rtol=1e-13, atol=1e-13)


def test_a_pendulum_reads_as_in_a_textbook():
    rod = body("rod", 2.0, [0, -0.5, 0], np.zeros((3, 3)))
    model = spatial("pendulum", [rod], [joint("A", "ground", "rod", [0, 0, 0])])
    found = equations(model)
    m, l, g = sp.symbols("m_rod l_rod g", positive=True, real=True)
    assert [found.M[0], found.h[0], found.f[0]] == [m * l**2, 0, -m * g * l * sp.sin(found.q[0])]
    text = found.latex(document=False)
    assert text.count(r"m_{\mathrm{rod}} \, l_{\mathrm{rod}}^{2} \, \ddot{q}_{\mathrm{A}} + ") == 1
    assert r"+ m_{\mathrm{rod}} \, g \, l_{\mathrm{rod}} \, \sin{\left(q_{\mathrm{A}} \right)} = 0" in text


def kane(frame, q, u, bodies, loads=()):
    """Return (mass matrix, forcing) of Kane's method as functions of q and u."""
    method = me.KanesMethod(frame, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return sp.lambdify([q, u], [method.mass_matrix, method.forcing], "numpy")


def compare(model, reference, tolerance=1e-12):
    for shared in (False, True):
        found = equations(model, shared=shared).function()
        for q, qd in states(len(equations(model).q), 5):
            M, h, f = found(0.0, q, qd)
            mass, forcing = reference(q, qd)
            size = np.abs(mass).max() * (1 + qd @ qd) + np.abs(forcing).max()
            assert np.abs(M - mass).max() <= tolerance * size
            assert np.abs(f - h - np.ravel(forcing)).max() <= tolerance * size


def test_cart_pole_is_that_of_lagrange():
    t = me.dynamicsymbols._t
    x, p = me.dynamicsymbols("x p")
    m, M, l, g, J = 2.0, 1.0, 0.7, 9.81, 0.2
    kinetic = (
        M * x.diff() ** 2 + m * ((x - l * sp.sin(p)).diff(t) ** 2 + (l * sp.cos(p)).diff(t) ** 2) + J * p.diff() ** 2
    ) / 2
    method = me.LagrangesMethod(kinetic - m * g * l * sp.cos(p), [x, p])
    method.form_lagranges_equations()
    compare(cart_pole(), sp.lambdify([[x, p], [x.diff(), p.diff()]], [method.mass_matrix, method.forcing], "numpy"))


@pytest.mark.full
def test_a_spherical_top_is_that_of_kane():
    q, u = me.dynamicsymbols("q:3"), me.dynamicsymbols("u:3")
    N, B, O = me.ReferenceFrame("N"), me.ReferenceFrame("B"), me.Point("O")
    O.set_vel(N, 0)
    B.orient_body_fixed(N, q, "ZXY")
    B.set_ang_vel(N, B.ang_vel_in(N).subs({a.diff(): b for a, b in zip(q, u, strict=True)}))
    G = O.locatenew("G", 0.1 * B.x + 0.5 * B.z)
    G.v2pt_theory(O, N, B)
    inertia = me.inertia(B, 0.1, 0.2, 0.02)
    reference = kane(N, q, u, [me.RigidBody("top", G, B, 1.5, (inertia, G))], [(G, -1.5 * 9.81 * N.z)])
    top = body("top", 1.5, [0.1, 0, 0.5], np.diag([0.1, 0.2, 0.02]))
    model = spatial(
        "top", [top], [joint("O", "ground", "top", [0, 0, 0], Z, "spherical", X)], gravity=np.array([0, 0, -9.81])
    )
    compare(model, reference)


def test_a_double_pendulum_in_space_is_that_of_kane():
    q, u = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
    N, A, B, O = *(me.ReferenceFrame(n) for n in "NAB"), me.Point("O")
    O.set_vel(N, 0)
    A.orient_axis(N, N.x, q[0])
    B.orient_axis(A, A.y, q[1])
    A.set_ang_vel(N, u[0] * N.x)
    B.set_ang_vel(A, u[1] * A.y)
    one, tip = O.locatenew("one", -0.4 * A.z), O.locatenew("tip", -1.0 * A.z)
    two = tip.locatenew("two", 0.1 * B.x - 0.3 * B.z)
    for point, before, frame in ((one, O, A), (tip, O, A), (two, tip, B)):
        point.v2pt_theory(before, N, frame)
    bodies = [
        me.RigidBody("a", one, A, 1.3, (me.inertia(A, 0.2, 0.3, 0.4), one)),
        me.RigidBody("b", two, B, 0.7, (me.inertia(B, 0.15, 0.05, 0.18, 0.01), two)),
    ]
    reference = kane(N, q, u, bodies, [(p.masscenter, -p.mass * 9.81 * N.z) for p in bodies])
    skewed = np.array([[0.15, 0.01, 0], [0.01, 0.05, 0], [0, 0, 0.18]])
    model = spatial(
        "double",
        [body("a", 1.3, [0, 0, -0.4], np.diag([0.2, 0.3, 0.4])), body("b", 0.7, [0.1, 0, -1.3], skewed)],
        [joint("A", "ground", "a", [0, 0, 0], X), joint("B", "a", "b", [0, 0, -1.0], Y)],
        gravity=np.array([0, 0, -9.81]),
    )
    compare(model, reference)


def test_the_size_of_the_equations_grows_with_the_square_of_the_links():
    sizes = [len(equations(chain(n), shared=True).steps) for n in (6, 12)]
    assert sizes[1] < 4.5 * sizes[0]


def test_lengths_that_are_rounding_are_no_parameters():
    """In an oblique plane, points that are drawn in it are off it by some 1e-17 m."""
    n, u = np.array([1, 2, 2]) / 3, np.array([2, -2, 1]) / 3
    crank = 0.1 * np.cos(0.5) * u + 0.1 * np.sin(0.5) * np.cross(n, u)
    slider = (0.1 * np.cos(0.5) + np.sqrt(0.09 - (0.1 * np.sin(0.5)) ** 2)) * u
    places = {"crank": crank / 2, "rod": (crank + slider) / 2, "slider": slider}
    joints = [
        joint("A", "ground", "crank", [0, 0, 0], n, aside=u),
        joint("B", "crank", "rod", crank, n, aside=u),
        joint("C", "rod", "slider", slider, n, aside=u),
        joint("S", "ground", "slider", slider, u, "prismatic", aside=n),
    ]
    bodies = [body(name, 1.0, at, 0.1 * np.eye(3)) for name, at in places.items()]
    found = equations(spatial("oblique", bodies, joints), shared=True)
    assert min(abs(p.value) for p in found.parameters.values()) > 1e-3
