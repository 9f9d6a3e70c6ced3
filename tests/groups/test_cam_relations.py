"""Relations of cams: their derivatives against complex steps, up to the third, and the rows of the general group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.groups.cam import Lift, OfAngle, Turn
from structkin.groups.profile import ContactDistance
from structkin.joints.cam_laws import MOTIONS, CamLaw
from structkin.joints.splines import open_spline, spline
from structkin.rows.jet import Jet, angle, length, vector
from structkin.rows.periodic import Follow, GenevaLaw, Piecewise, angle_of
from structkin.rows.plane_curve import PlaneCurve
from structkin.rows.relations import ByLaw, DrivenAngle, FaceOnProfile, OnCurve, OnProfile, TurnByLaw, derivative

TINY = 1e-30
LANES = 9
seeds = st.integers(0, 2**32 - 1)


def law(rng):
    names = [name for name in MOTIONS if name != "dwell"]
    parts = rng.uniform(0.3, 1.0, 4)
    parts *= 2 * np.pi / parts.sum()
    lift = float(rng.uniform(0.2, 2.0))
    first, second = rng.choice(names, 2)
    return CamLaw([(first, parts[0], lift), ("dwell", parts[1]), (second, parts[2], 0.0), ("dwell", parts[3])])


def relation(name, rng):
    function = Follow(law(rng).function, *rng.uniform(0.5, 2.0, 2), int(rng.choice((-1, 1))), float(rng.uniform(0, 6)))
    angles = rng.uniform(0, 2 * np.pi, (2, LANES))
    directions = tuple(np.stack((np.cos(a), np.sin(a))) for a in angles)
    made = {
        "lift": (Lift(function), directions),
        "angle": (OfAngle(function), (rng.uniform(-9, 9, LANES),)),
        "geneva": (OfAngle(GenevaLaw(int(rng.integers(3, 9)))), (rng.uniform(-9, 9, LANES),)),
        "turn": (Turn(), (rng.uniform(-9, 9, LANES),)),
    }
    return made[name]


@pytest.mark.parametrize("name", ["lift", "angle", "geneva", "turn"])
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_three_derivatives_are_complex_steps(name, seed):
    rng = np.random.default_rng(seed)
    form, h = relation(name, rng)
    v, a, w = (tuple(rng.uniform(-1, 1, np.shape(x)) for x in h) for _ in range(3))
    step = tuple(x + 1j * TINY * d for x, d in zip(h, v, strict=True))
    (phi,) = form.position(h, None)
    assert not np.any(form.residual(h, (phi,))[0])
    (rate,) = form.linear(h, (phi,), v, (0.0,))
    np.testing.assert_allclose(rate, form.position(step, None)[0].imag / TINY, rtol=1e-12, atol=1e-12)
    # the second derivative along v and w, the rates of w along v being a
    (w_phi,) = form.linear(h, (phi,), w, (0.0,))
    found = form.linear(h, (phi,), a, form.convective(h, (phi,), v, (rate,), w, (w_phi,)))[0]
    w_step = tuple(x + 1j * TINY * d for x, d in zip(w, a, strict=True))
    expected = form.linear(step, form.position(step, None), w_step, (0.0,))[0].imag / TINY
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    # the third along v alone: the derivative of the second, with constant directions
    phi_step = form.position(step, None)
    rate_step = form.linear(step, phi_step, v, (0.0,))
    expected = form.convective(step, phi_step, v, rate_step, v, rate_step)[0].imag / TINY
    np.testing.assert_allclose(form.cubic(h, (phi,), v, (rate,))[0], expected, rtol=1e-10, atol=1e-10)


def star_shaped(rng):
    """A curve that does not bend back within twice its distance from the origin."""
    u = np.linspace(0.0, 2 * np.pi, 9)
    return PlaneCurve(open_spline(u, u - 3.0), open_spline(u, 0.1 * rng.uniform(-1, 1, 9)), closed=False)


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_rows_of_cams_are_complex_steps(seed):
    rng = np.random.default_rng(seed)
    function = law(rng).function
    rows = [
        (ByLaw(function), (4, 0, 3, 2)),
        (TurnByLaw(function), (4, 3, 3, 2)),
        (OnProfile(function), (0, 2)),
        (FaceOnProfile(function), (4, 0, 2)),
        (DrivenAngle(), (0, 2, 3)),
        (OnCurve(star_shaped(rng)), (0, 2)),
    ]
    X, u, v = rng.uniform(-1, 1, (3, 5, 2, LANES))
    zero = np.zeros_like(X)

    def all_rows(*parts):
        return np.stack([derivative(relation, *(part[list(which)] for part in parts)) for relation, which in rows])

    moved = X + 1j * TINY * u
    np.testing.assert_allclose(all_rows(X, u), all_rows(moved).imag / TINY, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(all_rows(X, u, v, zero), all_rows(moved, v).imag / TINY, rtol=1e-10, atol=1e-10)
    third = all_rows(X, u, v, zero, u, zero, zero, zero)
    np.testing.assert_allclose(third, all_rows(moved, v, u, zero).imag / TINY, rtol=1e-9, atol=1e-8)


def test_jets_of_angles_and_lengths_by_hand():
    """On a circle of radius 2 at constant speed the angle has the rates 3, 0, 0, and the length is constant."""
    r, w = 2.0, 3.0
    turn = [
        np.array([[r], [0.0]]),
        np.array([[0.0], [r * w]]),
        np.array([[-r * w**2], [0.0]]),
        np.array([[0.0], [-r * w**3]]),
    ]
    parts = [turn[bin(mask).count("1")] for mask in range(8)]
    assert np.allclose([float(np.ravel(part)[0]) for part in angle(vector(parts)).parts], [0, w, w, 0, w, 0, 0, 0])
    assert np.allclose([float(np.ravel(part)[0]) for part in length(vector(parts)).parts], [r, *[0] * 7])
    x = Jet((2.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert (x * x * x).parts[7] == 6.0
    assert (x * x * x).parts == x.of((8.0, 12.0, 12.0, 6.0)).parts


def test_an_angle_takes_complex_steps_in_every_quarter():
    z = np.exp(1j * np.linspace(-3.1, 3.1, 40))
    W = np.stack((z.real, z.imag)) + 1j * TINY * np.stack((-z.imag, z.real))
    np.testing.assert_allclose(angle_of(W).real, np.angle(z), atol=1e-15)
    np.testing.assert_allclose(angle_of(W).imag / TINY, 1.0, rtol=1e-14)


def test_a_spline_passes_through_its_values_from_any_start():
    rng = np.random.default_rng(5)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 17))
    values = rng.uniform(1, 2, 17)
    f = spline(angles, values)
    assert isinstance(f, Piecewise) and f.breaks[0] == 0.0
    np.testing.assert_allclose(f(angles), values, rtol=1e-13)
    # two continuous derivatives at every knot and over the turn
    for order in range(3):
        for at in (*angles, 0.0):
            left, right = f(at - 1e-9, order), f(at + 1e-9, order)
            assert abs(left - right) < 1e-5 * (1 + abs(left)), (order, at)
    shifted = spline(angles + 1.0, values)
    x = np.linspace(0, 6, 50)
    np.testing.assert_allclose(shifted(x + 1.0, 2), f(x, 2), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("radius", "flat"), [(0.0, False), (0.3, False), (0.0, True)])
def test_contacts_of_a_profile(radius, flat):
    """An eccentric circle: a roller's centre and a tangent are known, and complex steps give all derivatives."""
    r, e = 1.0, 0.3

    def circle(u, order=0):
        # R = e cos u + sqrt(r^2 - e^2 sin^2 u)
        c, s = e * np.cos(u), e * np.sin(u)
        q = np.sqrt(r * r - s * s)
        if order == 0:
            return c + q
        if order == 1:
            return -s - s * c / q
        if order == 2:
            return -c - (c * c - s * s) / q - (s * c) ** 2 / q**3
        if order == 3:
            return s + 4 * s * c / q - 3 * (c * c - s * s) * s * c / q**3 - 3 * (s * c) ** 3 / q**5
        cs, c2 = s * c, c * c - s * s
        return (
            c + 4 * c2 / q + 4 * cs * cs / q**3 - 3 * (-4 * cs * cs + c2 * c2) / q**3
            - 9 * c2 * cs * cs / q**5 - 9 * cs * cs * c2 / q**5 - 15 * cs**4 / q**7
        )  # fmt: skip

    tiny, u = 1e-30, np.linspace(0, 7, 23)
    for order in range(4):
        np.testing.assert_allclose(circle(u, order + 1), circle(u + 1j * tiny, order).imag / tiny, atol=1e-12)
    met = ContactDistance(circle, radius, flat)
    assert met.is_single_valued
    x = np.linspace(-7, 14, 101)
    expected = e * np.cos(x) + (r if flat else np.sqrt((r + radius) ** 2 - (e * np.sin(x)) ** 2))
    np.testing.assert_allclose(met(x), expected, rtol=1e-13)
    for order in range(3):
        np.testing.assert_allclose(met(x, order + 1), met(x + 1j * tiny, order).imag / tiny, atol=1e-11)
    # the point of contact: the direction from the circle's centre
    where = met.parameter(x)
    touch = circle(where) * np.exp(1j * where) - e
    outward = np.exp(1j * x) if flat else met(x) * np.exp(1j * x) - e
    np.testing.assert_allclose(np.abs(touch), r, rtol=1e-13)
    np.testing.assert_allclose((touch / outward).imag, 0, atol=1e-13)
