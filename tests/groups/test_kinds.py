"""One test, the whole catalogue: every kind in `KINDS` meets its own residual, differences and complex steps."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structkin.groups import KINDS, kind

LANES = 7


def draw_inputs(form, rng, complex_=False):
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
    """Random rates of the inputs; those of unit vectors are square to them."""
    rates = []
    for name, value in zip(form.inputs, h, strict=True):
        if name[0] in "DEF" and name[0].isupper():
            rates.append(np.stack((-value[1], value[0])) * rng.uniform(-1, 1, LANES))
        else:
            rates.append(rng.uniform(-1, 1, np.shape(value)))
    return tuple(rates)


def pose(form, h, mode):
    margin = form.margin(h)
    root = None if margin is None else mode * np.sqrt(margin)
    return form.position(h, root)


def reachable(form, rng):
    """Inputs whose lanes are all within reach and away from the limit."""
    for _ in range(200):
        h = draw_inputs(form, rng)
        margin = form.margin(h)
        if margin is None or np.all(margin > 0.05):
            return h
    return None


cases = pytest.mark.parametrize("form", KINDS, ids=lambda form: form.name)
seeds = st.integers(0, 2**32 - 1)


@cases
@settings(max_examples=40, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_position_meets_the_residual_in_its_mode(form, seed, mode):
    rng = np.random.default_rng(seed)
    h = reachable(form, rng)
    assume(h is not None)
    phi = pose(form, h, mode)
    for row in form.residual(h, phi):
        assert np.max(np.abs(row)) < 1e-12
    if form.modes > 1:
        assert np.all(np.sign(form.side(h, phi)) == mode)
        np.testing.assert_allclose(form.side(h, phi) ** 2, form.margin(h), rtol=1e-9)


@cases
@settings(max_examples=40, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_velocity_is_the_complex_step_of_the_position(form, seed, mode):
    rng = np.random.default_rng(seed)
    h = reachable(form, rng)
    assume(h is not None)
    dh = draw_rates(form, h, rng)
    tiny = 1e-30
    stepped = tuple(x + 1j * tiny * d for x, d in zip(h, dh, strict=True))
    expected = pose(form, stepped, mode)
    found = form.linear(h, pose(form, h, mode), dh, (0.0,) * 4)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.imag / tiny, rtol=1e-9, atol=1e-9)


@cases
@settings(max_examples=40, deadline=None)
@given(seed=seeds, mode=st.sampled_from((1, -1)))
def test_second_derivative_is_the_complex_step_of_the_velocity(form, seed, mode):
    """The mixed second derivative along v and w, for inputs whose own mixed derivative is given too."""
    rng = np.random.default_rng(seed)
    h = reachable(form, rng)
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
def test_a_limit_position_has_zero_margin(form):
    at_limit = {
        "RRR": ([0, 0], [3, 0], 0.5, 2.0),
        "RRP": ([0, 2], 2.0, [0, 0], [1, 0], 0.0),
        "RPR": ([0, 0], [0, 2], 2.0, 3.0),
        "PRP": ([0, 0], [1, 0], 1.0, [0, 5], [1, 0], 2.0),
        "RPP": ([0, 0], [1, 0], 1.0, [0, 5], [-1, 0], 2.0),
    }
    if form.name not in at_limit:
        assert form.margin(draw_inputs(form, np.random.default_rng(1))) is None
        return
    h = tuple(np.array([[float(x[0])], [float(x[1])]]) if isinstance(x, list) else x for x in at_limit[form.name])
    assert abs(float(np.ravel(form.margin(h))[0])) < 1e-15


@pytest.mark.parametrize(
    ("name", "h"),
    [
        ("RRR", ([0, 0], [4, 0], 0.5, 2.0)),
        ("RRR", ([0, 0], [0.5, 0], 0.5, 2.0)),
        ("RRP", ([0, 2], 1.5, [0, 0], [1, 0], 0.0)),
        ("RPR", ([0, 0], [0, 2], 2.5, 3.0)),
    ],
)
def test_out_of_reach_has_negative_margin(name, h):
    h = tuple(np.array([[float(x[0])], [float(x[1])]]) if isinstance(x, list) else x for x in h)
    assert float(np.ravel(kind(name).margin(h))[0]) < 0


def test_names_and_aliases_are_unique_and_found():
    names = [name for form in KINDS for name in (form.name, *form.aliases)]
    assert len(names) == len(set(names))
    assert kind("1R").name == "driven R" and kind("3R").name == "RRR"
    with pytest.raises(KeyError, match="known: driven R"):
        kind("RRX")
