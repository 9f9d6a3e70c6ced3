"""One test, the whole catalogue: every kind in `KINDS` agrees with its residual, differences and complex steps."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structkin.groups import KINDS, RRR, kind
from structkin.groups.kind import dot, times, turned

LANES = 7


def draw_inputs(form, rng):
    """Random inputs of a kind: vectors (2, n), unit where the name is a direction, scalars (n,)."""
    values = []
    for name in form.inputs:
        if name.islower() or name[0].islower():
            values.append(rng.uniform(0.5, 3.0, LANES))
        elif name[0] in "DEF":
            angle = rng.uniform(0, 2 * np.pi, LANES)
            values.append(np.stack((np.cos(angle), np.sin(angle))))
        else:
            values.append(rng.uniform(-2, 2, (2, LANES)))
    return tuple(values)


def draw_rates(form, h, rng):
    """Random rates of the inputs; those of unit vectors are perpendicular to them."""
    rates = []
    for name, value in zip(form.inputs, h, strict=True):
        if name[0] in "DEF" and name[0].isupper():
            rates.append(np.stack((-value[1], value[0])) * rng.uniform(-1, 1, LANES))
        else:
            rates.append(rng.uniform(-1, 1, np.shape(value)))
    return tuple(rates)


def pose(form, h, mode):
    """The pose in a mode, +1 or -1; for a kind with more modes, the mode of a nearby pose."""
    if form.modes > 2:
        return form.position(h, mode)
    discriminant = form.discriminant(h)
    root = None if discriminant is None else mode * np.sqrt(discriminant)
    return form.position(h, root)


def drawn_where(form, rng, wanted):
    """Inputs whose lanes all have a given sign of discriminant, drawn lane by lane; None where there is none."""
    h = draw_inputs(form, rng)
    if form.discriminant(h) is None:
        return None
    for _ in range(500):
        bad = ~wanted(np.broadcast_to(form.discriminant(h), LANES))
        if not bad.any():
            return h
        h = tuple(np.where(bad, new, old) for old, new in zip(h, draw_inputs(form, rng), strict=True))
    return None


def reachable(form, rng, mode):
    """Inputs whose lanes are all within reach and away from the limit, and the mode in the form that `pose` takes."""
    if form.modes > 2:
        return drawn_about(form, rng)
    return within(form, rng), mode


def drawn_about(form, rng):
    """Inputs of a kind with scalars that are levels, drawn around a regular pose, and the pose."""
    while True:
        h = draw_inputs(form, rng)
        phi = tuple(
            np.stack((np.cos(x[0]), np.sin(x[0]))) if k else x for k, x in enumerate(rng.uniform(-2, 2, (2, 2, LANES)))
        )
        levels = iter(form.residual(h, phi))
        h = tuple(x + next(levels) if np.ndim(x) == 1 else x for x in h)
        if np.min(np.abs(form.mode_indicator(h, phi))) > 0.02:
            return h, phi


def within(form, rng):
    """Inputs whose lanes are all within reach and away from the limit; None where none are drawn."""
    if form.discriminant(draw_inputs(form, rng)) is None:
        return draw_inputs(form, rng)
    return drawn_where(form, rng, lambda discriminant: discriminant > 0.05)


cases = pytest.mark.parametrize("form", KINDS, ids=lambda form: form.name)
seeds = st.integers(0, 2**32 - 1)


@cases
@settings(max_examples=12, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_position_satisfies_the_residual_in_its_mode(form, seed, mode):
    rng = np.random.default_rng(seed)
    h, mode = reachable(form, rng, mode)
    assume(h is not None)
    phi = pose(form, h, mode)
    for row in form.residual(h, phi):
        assert np.max(np.abs(row)) < 1e-12
    if form.modes == 2:
        assert np.all(np.sign(form.mode_indicator(h, phi)) == mode)
        np.testing.assert_allclose(form.mode_indicator(h, phi) ** 2, form.discriminant(h), rtol=1e-9)


@cases
@settings(max_examples=12, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_velocity_is_the_complex_step_of_the_position(form, seed, mode):
    rng = np.random.default_rng(seed)
    h, mode = reachable(form, rng, mode)
    assume(h is not None)
    dh = draw_rates(form, h, rng)
    tiny = 1e-30
    stepped = tuple(x + 1j * tiny * d for x, d in zip(h, dh, strict=True))
    expected = pose(form, stepped, mode)
    found = form.linear(h, pose(form, h, mode), dh, (0.0,) * 4)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.imag / tiny, rtol=1e-9, atol=1e-9)


@cases
@settings(max_examples=12, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_second_derivative_is_the_complex_step_of_the_velocity(form, seed, mode):
    """The mixed second derivative along v and w, for inputs with a given mixed derivative."""
    rng = np.random.default_rng(seed)
    h, mode = reachable(form, rng, mode)
    assume(h is not None)
    v, w = draw_rates(form, h, rng), draw_rates(form, h, rng)
    vw = tuple(rng.uniform(-1, 1, np.shape(x)) for x in h)
    phi = pose(form, h, mode)
    v_phi, w_phi = (form.linear(h, phi, d, (0.0,) * 4) for d in (v, w))
    found = form.linear(h, phi, vw, form.convective(h, phi, v, v_phi, w, w_phi))
    tiny = 1e-30
    h_stepped = tuple(x + 1j * tiny * d for x, d in zip(h, w, strict=True))
    v_stepped = tuple(x + 1j * tiny * d for x, d in zip(v, vw, strict=True))
    expected = form.linear(h_stepped, pose(form, h_stepped, mode), v_stepped, (0.0,) * 4)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.imag / tiny, rtol=1e-8, atol=1e-8)


@cases
@settings(max_examples=8, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_third_derivative_is_the_complex_step_of_the_second(form, seed, mode):
    """Along one direction: 3 (d2 Phi)(v, a) + (d3 Phi)(v, v, v), the latter zero for kinds without `cubic`."""
    rng = np.random.default_rng(seed)
    h, mode = reachable(form, rng, mode)
    assume(h is not None)
    v, a, j = draw_rates(form, h, rng), *(tuple(rng.uniform(-1, 1, np.shape(x)) for x in h) for _ in range(2))

    def second(h, v, a):
        phi = pose(form, h, mode)
        dphi = form.linear(h, phi, v, (0.0,) * 4)
        return phi, dphi, form.linear(h, phi, a, form.convective(h, phi, v, dphi, v, dphi))

    phi, dphi, ddphi = second(h, v, a)
    bend = tuple(3 * x for x in form.convective(h, phi, v, dphi, a, ddphi))
    if hasattr(form, "cubic"):
        bend = tuple(x + y for x, y in zip(bend, form.cubic(h, phi, v, dphi), strict=True))
    found = form.linear(h, phi, j, bend)
    tiny = 1e-30
    moved = [tuple(x + 1j * tiny * d for x, d in zip(x, dx, strict=True)) for x, dx in ((h, v), (v, a), (a, j))]
    for one, other in zip(found, second(*moved)[2], strict=True):
        np.testing.assert_allclose(one, other.imag / tiny, rtol=1e-7, atol=1e-7)


def rows_of(form, h, phi):
    """Return the unknowns (k, n) in one array, and the residual as a function of them with its Jacobian (n, r, k)."""
    widths = [2 if np.ndim(x) == 2 else 1 for x in phi]
    flat = np.concatenate([np.broadcast_to(x, (w, LANES)) for x, w in zip(phi, widths, strict=True)])

    def split(y):
        return np.split(y, np.cumsum(widths)[:-1])

    def rows(y):
        values = form.residual(h, tuple(part if w == 2 else part[0] for part, w in zip(split(y), widths, strict=True)))
        return np.concatenate([np.broadcast_to(np.atleast_2d(x), (len(np.atleast_2d(x)), LANES)) for x in values])

    def jacobian(y):
        units = np.eye(len(y))[:, :, None]
        return np.moveaxis(np.stack([rows(y + 1e-30j * unit).imag / 1e-30 for unit in units], axis=1), -1, 0)

    return flat, rows, jacobian, split


def by_newton(form, h, phi):
    """Solve the residual by Newton's method with a complex-step Jacobian: an independent method."""
    y, rows, jacobian, split = rows_of(form, h, phi)
    for _ in range(12):
        y = y - np.linalg.solve(jacobian(y), rows(y).T[..., None])[..., 0].T
    return split(y)


@cases
@settings(max_examples=8, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_newtons_method_on_the_residual_finds_the_same_pose(form, seed, mode):
    rng = np.random.default_rng(seed)
    h, mode = reachable(form, rng, mode)
    assume(h is not None)
    phi = pose(form, h, mode)
    near = tuple(x + 1e-3 * rng.uniform(-1, 1, np.shape(x)) for x in phi)
    for found, wanted in zip(by_newton(form, h, near), phi, strict=True):
        np.testing.assert_allclose(found, np.atleast_2d(wanted), rtol=1e-9, atol=1e-9)


@cases
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_the_edge_of_reach_is_singular(form, seed):
    """Between inputs in and out of reach the discriminant passes zero: the modes coincide, the Jacobian is singular.

    Its smallest singular value falls with the root, or with the discriminant for kinds with one mode; the distance of
    the modes falls with the root, from sizes that grow without bound where pivots draw near.
    """
    if form.modes > 2:
        return  # below
    rng = np.random.default_rng(seed)
    inside, outside = (drawn_where(form, rng, wanted) for wanted in (lambda m: m > 0.05, lambda m: m < -0.05))
    if form.discriminant(draw_inputs(form, rng)) is None:
        return
    assert inside is not None and outside is not None

    def between(part):
        mixed = []
        for name, a, b in zip(form.inputs, inside, outside, strict=True):
            x = a + part * (b - a)
            mixed.append(x / np.sqrt(np.sum(x**2, axis=0)) if name[0] in "DEF" else x)
        return tuple(mixed)

    low, high = np.zeros(LANES), np.ones(LANES)
    for _ in range(60):
        middle = 0.5 * (low + high)
        closes = np.asarray(form.discriminant(between(middle))) > 0
        low, high = np.where(closes, middle, low), np.where(closes, high, middle)
    if form.modes == 2:
        edge = between(low)
        assert np.max(np.abs(form.clearance(edge, tuple(0.0 * x for x in edge)))) < 1e-12
    ends = np.abs([form.discriminant(inside), form.discriminant(outside)])
    assert np.max(np.abs(form.discriminant(between(low)))) < 1e-12 * (1.0 + np.max(ends))
    sizes, apart = [], []
    for back in (1e-4, 1e-6):
        h = between(np.maximum(low - back, 0.0))
        root = np.sqrt(form.discriminant(h))
        phi = form.position(h, root)
        flat, _, jacobian, _ = rows_of(form, h, phi)
        sigma = np.linalg.svd(jacobian(flat), compute_uv=False)[:, -1]
        sizes.append(sigma / (root if form.modes == 2 else root**2))
        if form.modes == 2:
            modes = zip(phi, form.position(h, -root), strict=True)
            apart.append(np.stack([np.max(np.abs(np.atleast_2d(one - other)), axis=0) / root for one, other in modes]))
    np.testing.assert_allclose(sizes[1], sizes[0], rtol=0.2)
    if apart:
        np.testing.assert_allclose(apart[1], apart[0], rtol=0.2, atol=1e-6 * np.max(apart[0]))


@pytest.mark.parametrize("form", [form for form in KINDS if form.modes == 2], ids=lambda form: form.name)
@settings(max_examples=20, deadline=None)
@given(seed=seeds, size=st.sampled_from((3.0, 1.0, 0.3, 0.1, 1e-3)))
def test_the_modes_do_not_meet_within_the_clearance(form, seed, size):
    rng = np.random.default_rng(seed)
    h = drawn_where(form, rng, lambda discriminant: discriminant > 0)
    dh = tuple(size * rng.uniform(-1, 1, np.shape(x)) for x in h)
    if seed % 2:
        # Straight to a pose in which the modes meet or beyond, where the bound is sharp.
        dh = tuple(b - a for a, b in zip(h, drawn_where(form, rng, lambda discriminant: discriminant < 0), strict=True))
        dh = tuple(size * x for x in dh)
    clear = form.clearance(h, dh) > 0
    for part in np.linspace(0, 1, 41):
        with np.errstate(invalid="ignore"):
            assert (form.discriminant(tuple(x + part * dx for x, dx in zip(h, dh, strict=True)))[clear] > 0).all()


@cases
def test_a_limit_position_has_zero_discriminant(form):
    at_limit = {
        "RRR": ([0, 0], [3, 0], 0.5, 2.0),
        "RRP": ([0, 2], 2.0, [0, 0], [1, 0], 0.0),
        "RPR": ([0, 0], [0, 2], 2.0, 3.0),
        "PRP": ([0, 0], [1, 0], 1.0, [0, 5], [1, 0], 2.0),
        "RPP": ([0, 0], [1, 0], 1.0, [0, 5], [-1, 0], 2.0),
    }
    if form.modes > 2:
        return  # below
    if form.name not in at_limit:
        assert form.discriminant(draw_inputs(form, np.random.default_rng(1))) is None
        return
    h = tuple(np.array([[float(x[0])], [float(x[1])]]) if isinstance(x, list) else x for x in at_limit[form.name])
    assert abs(float(np.ravel(form.discriminant(h))[0])) < 1e-15


@pytest.mark.parametrize(
    ("name", "h"),
    [
        ("RRR", ([0, 0], [4, 0], 0.5, 2.0)),
        ("RRR", ([0, 0], [0.5, 0], 0.5, 2.0)),
        ("RRP", ([0, 2], 1.5, [0, 0], [1, 0], 0.0)),
        ("RPR", ([0, 0], [0, 2], 2.5, 3.0)),
    ],
)
def test_out_of_reach_has_negative_discriminant(name, h):
    h = tuple(np.array([[float(x[0])], [float(x[1])]]) if isinstance(x, list) else x for x in h)
    assert float(np.ravel(kind(name).discriminant(h))[0]) < 0


many = pytest.mark.parametrize("form", [form for form in KINDS if form.modes > 2], ids=lambda form: form.name)


def broadcast_to_modes(h):
    """Inputs shaped to broadcast with poses (2, modes, n)."""
    return tuple(x[:, None] if np.ndim(x) == 2 else x for x in h)


@many
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_all_modes_are_found(form, seed):
    """The right number, each a solution, complex ones in conjugate pairs, the drawn one among them."""
    h, phi = drawn_about(form, np.random.default_rng(seed))
    found = form.poses(h)
    size = max(np.max(np.abs(x)) for x in found)
    assert found[0].shape == (2, form.modes, LANES)
    assert max(np.max(np.abs(row)) for row in form.residual(broadcast_to_modes(h), found)) < 1e-9 * size**2
    away = sum(np.abs(x - y[:, None]).sum(axis=0) for x, y in zip(found, phi, strict=True))
    assert np.max(np.min(away, axis=0)) < 1e-7
    flat = np.concatenate(found)
    gap = np.max(np.abs(flat[:, :, None] - flat[:, None].conj()), axis=0)
    assert np.max(np.min(gap, axis=1)) < 1e-6 * size


@pytest.mark.full
@many
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_modes_appear_and_vanish_in_pairs_where_the_discriminant_is_zero(form, seed):
    rng = np.random.default_rng(seed)
    one, other = (tuple(x[..., :1] for x in drawn_about(form, rng)[0]) for _ in range(2))
    part = np.linspace(0.0, 1.0, 2001)
    h = [a + part * (b - a) for a, b in zip(one, other, strict=True)]
    h = tuple(
        x / np.sqrt(np.sum(x**2, axis=0)) if name[0] in "DEF" else x for name, x in zip(form.inputs, h, strict=True)
    )
    imaginary = np.max(np.abs(np.concatenate(form.poses(h)).imag), axis=0)
    # Where two modes meet, both keep half their digits: they may look real or not. One at infinity is no number.
    clear = np.all((imaginary <= 1e-10) | (imaginary >= 1e-4), axis=0)
    real, sign = np.sum(imaginary < 1e-7, axis=0)[clear], np.sign(form.discriminant(h))[clear]
    assert set(np.unique(real)) <= {0, 2, 4, 6} and clear.mean() > 0.9
    assert np.array_equal(np.diff(real) % 4 == 2, np.diff(sign) != 0)


@many
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_a_pose_whose_lines_of_action_meet_is_singular(form, seed):
    """A leg acts along its link, or perpendicular to its guide; three concurrent lines leave the platform free."""
    rng = np.random.default_rng(seed)
    h, (O, U) = drawn_about(form, rng)
    meet, values = rng.uniform(-2, 2, (2, LANES)), dict(zip(form.inputs, h, strict=True))
    for k, leg in enumerate(form.legs, start=1):
        corner = O + times(U, values[f"P{k}"])
        if leg == "RR":
            values[f"A{k}"] = corner + rng.uniform(0.3, 1.5, LANES) * (meet - corner)
            continue
        across = turned((corner if leg == "PR" else values[f"A{k}"]) - meet)
        unit = across / np.sqrt(dot(across, across))
        values[f"D{k}"] = unit if leg == "PR" else times(unit, np.stack((U[0], -U[1])))
    h = tuple(values.values())
    levels = iter(form.residual(h, (O, U)))
    h = tuple(x + next(levels) if np.ndim(x) == 1 else x for x in h)
    assert np.max(np.abs(form.mode_indicator(h, (O, U)))) < 1e-12
    indicator = np.abs(form.mode_indicator(broadcast_to_modes(h), form.poses(h)))
    # Where two legs alone do not determine a mode, it is NaN.
    found = np.isfinite(indicator).all(axis=0)
    assert found.sum() >= LANES - 1
    assert np.max(np.abs(form.discriminant(h)[found])) < 1e-9 * np.max(indicator[:, found]) ** 6


@pytest.mark.parametrize("apart", [1e-12, 1e-8, 1e-4])
def test_a_dyad_closes_to_rounding_where_its_pins_nearly_coincide(apart):
    """Its two lengths differ by less than its pins are apart."""
    A, B = np.array([[0.3], [0.1]]), np.array([[0.3], [0.1]]) + apart * np.array([[0.6], [0.8]])
    h = (A, B, 0.5 * 0.7**2, 0.5 * (0.7 + 0.3 * apart) ** 2)
    phi = RRR().position(h, np.sqrt(RRR().discriminant(h)))
    assert np.max(np.abs(RRR().residual(h, phi))) < 1e-15


def test_names_and_aliases_are_unique_and_found():
    names = [name for form in KINDS for name in (form.name, *form.aliases)]
    assert len(names) == len(set(names))
    assert kind("1R").name == "driven R" and kind("3R").name == "RRR"
    with pytest.raises(KeyError, match="known: driven R"):
        kind("RRX")
