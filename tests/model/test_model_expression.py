"""Formulas: exact rates by series, against the complex step and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.model.expression import CONSTANTS, Expression, parse
from structkin.model.flaw import Flaw
from structkin.model.formula_at import formula_at
from structkin.model.tape import CHOICES, FUNCTIONS

T = np.array([-1.3, -0.4, 0.2, 0.9, 2.1])
H = 1e-200

# each keeps its argument where the function is smooth: u is any smaller formula
SHAPES = [
    "({u}) + ({w})",
    "({u}) - ({w})",
    "({u})*({w})",
    "-({u})",
    "({u})/(2 + sin({w}))",
    "sin({u})",
    "cos({u})",
    "tan(sin({u}))",
    "asin(0.9*sin({u}))",
    "acos(0.9*cos({u}))",
    "atan({u})",
    "sinh(sin({u}))",
    "cosh(cos({u}))",
    "tanh({u})",
    "exp(sin({u}))",
    "log(2 + cos({u}))",
    "sqrt(1.5 + sin({u}))",
    "(2 + sin({u}))**0.7",
    "(2 + sin({u}))**cos({w})",
    "(sin({u}))**3",
    "2**sin({u})",
    "({u})**2",
    "({u})**0",
    "({u})**1",
]

LEAVES = ["t", "pi", "e", "1.5", "2*t", "-0.3*t", "t**2", "0"]


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda shape, u, w: shape.format(u=u, w=w), st.sampled_from(SHAPES), inner, inner)


FORMULAS = st.recursive(st.sampled_from(LEAVES), grow, max_leaves=5)


def small(a: Any, b: Any, scale: Any) -> None:
    assert np.all(np.abs(a - b) <= 1e-9 * (1 + np.abs(scale))), (a, b)


@pytest.mark.parametrize("text", [
    "abs(t - 1)", "abs(1 - t)", "min(t, 2 - t)", "min(2 - t, t)", "max(1, t)", "max(t, 1)", "abs(abs(t - 1) - t + 1)",
    "max((t - 1)**2, 0)",
])  # fmt: skip
def test_at_a_corner_rates_are_those_behind_it(text: str) -> None:
    formula = Expression(text)
    for found, behind in zip(formula(np.array([1.0])), formula(np.array([1.0 + 1e-12])), strict=True):
        np.testing.assert_allclose(found, behind, atol=1e-10)


@given(FORMULAS)
@settings(deadline=None, max_examples=100)
def test_rates_agree_with_the_complex_step(text: str) -> None:
    formula = Expression(text)
    value, rate, second = formula(T)
    if not np.all(np.abs(second) < 1e6):
        return  # towers of powers: no digits to compare
    stepped_value, stepped_rate, stepped_second = formula(T + 1j * H)
    small(np.real(stepped_value), value, value)
    small(np.imag(stepped_value) / H, rate, rate)
    small(np.imag(stepped_rate) / H, second, second)
    third = formula.third(T)
    if np.all(np.abs(third) < 1e6):
        small(np.imag(stepped_second) / H, third, third)


@given(st.sampled_from([s for s in SHAPES if "{w}" not in s]), st.floats(-2, 2))
@settings(deadline=None)
def test_rates_agree_with_differences(shape: str, t: float) -> None:
    formula = Expression(shape.format(u="1.1*t + 0.3"))
    h = 1e-4
    (before, _, _), (value, rate, second), (after, _, _) = (formula(np.array([t + step])) for step in (-h, 0, h))
    assert rate == pytest.approx((after - before) / (2 * h), abs=1e-5, rel=1e-5)
    assert second == pytest.approx((after - 2 * value + before) / h**2, abs=1e-4, rel=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_known_to_numpy(name: str) -> None:
    theirs = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}.get(name) or getattr(np, name)
    t = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(Expression(f"{name}(t)")(t)[0], theirs(t), rtol=1e-15)


def test_choices_take_the_rates_of_the_chosen_value() -> None:
    value, rate, second = Expression("max(min(t, 1, 5), t**2 - 2)")(np.array([0.5, 1.5, 3.0]))
    assert value.tolist() == [0.5, 1, 7]
    assert rate.tolist() == [1, 0, 6]
    assert second.tolist() == [0, 0, 2]
    assert Expression("max(min(t, 1, 5), t**3)").third(np.array([0.5, 1.5])).tolist() == [0, 6]
    assert set(CHOICES) == {"min", "max"}
    assert Expression("min(2, 1) + max(3, 4)")(np.array([0.0]))[0] == 5


def test_abs_and_sign() -> None:
    value, rate, second = Expression("abs(t) + sign(t)")(np.array([-2.0, 3.0]))
    assert value.tolist() == [1, 4]
    assert rate.tolist() == [-1, 1]
    assert second.tolist() == [0, 0]


def test_constants_do_not_spoil_rates() -> None:
    """sqrt(0) has an infinite slope, which times zero is NaN: it must not enter."""
    value, rate, second = Expression("t + sqrt(0) + 0**2 + abs(0)")(np.array([0.0, 1.0]))
    assert value.tolist() == [0, 1]
    assert rate.tolist() == [1, 1]
    assert second.tolist() == [0, 0]


def test_powers_at_zero() -> None:
    value, rate, second = Expression("t**2 + t**1 + t**0")(np.array([0.0]))
    assert (value[0], rate[0], second[0]) == (1, 1, 2)


def test_outside_its_domain_a_formula_is_not_a_number_and_does_not_warn() -> None:
    value, rate, _ = Expression("sqrt(t) + log(t)")(np.array([-1.0, 4.0]))
    assert np.isnan(value[0])
    assert rate[1] == 0.5


def test_a_constant_has_an_array_of_its_size() -> None:
    value, rate, second = Expression("2*pi")(np.zeros(3))
    assert value.shape == rate.shape == second.shape == (3,)
    assert not np.any(rate) and not np.any(second)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("2*pi*t", 2 * np.pi),
        ("-(t - 3)/4 + 2**2", -0.25),
        ("5", 0.0),
        ("sin(1)*t", np.sin(1)),
        ("+t", 1.0),
        ("t**2", None),
        ("t*t", None),
        ("1/t", None),
        ("sin(t)", None),
        ("t + t - 2*t", 0.0),
        ("abs(t)", None),
    ],
)
def test_slope_of_formulas_written_as_linear(text: str, slope: float | None) -> None:
    assert Expression(text).slope == (None if slope is None else pytest.approx(slope, abs=1e-15))


def test_constants_by_name() -> None:
    for name, value in CONSTANTS.items():
        assert Expression(name)(np.zeros(1))[0] == value


@pytest.mark.parametrize(
    ("text", "message"), [("2*sin(3*(t)", ": 1 closing bracket missing"), ("2*)t", " at character 3")]
)
def test_a_formula_with_a_wrong_bracket_is_refused(text: str, message: str) -> None:
    with pytest.raises(Flaw, match=f"is not a formula{message}"):
        parse(text)


def numbers(formula: Expression, t: float) -> list[float]:
    """The series at one time, by the text that compiled code runs."""
    tape = formula.tape
    return [float(part) for part in formula_at(tape, 0, len(tape), t, [[0.0] * 4 for _ in tape])]


@given(FORMULAS, st.floats(-3, 3))
@settings(deadline=None, max_examples=100)
def test_one_time_and_many_are_read_alike(text: str, t: float) -> None:
    formula = Expression(text)
    lanes = [float(part[0]) for part in (*formula(np.array([t])), formula.third(np.array([t])))]
    np.testing.assert_allclose(numbers(formula, t), lanes, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("text", [
    *(f"{name}({u})" for name in FUNCTIONS for u in ("t", "1/t", "800*t", "-t", "t - 3", "3 - t", "1e99*t**9")),
    "1/t", "t**0.5", "t**-1", "(t - 3)**0.5", "t**t", "(0*t)**0", "2**(5000*t)", "t**64*1e99", "min(1/t, t)",
])  # fmt: skip
@pytest.mark.parametrize("t", [0.0, 1.0, 2.0])
def test_outside_its_domain_a_formula_is_infinite_or_not_a_number_and_never_raises(text: str, t: float) -> None:
    """The value, as NumPy gives it; at the edge of a domain it exists though its rate is infinite."""
    formula = Expression(text)
    np.testing.assert_allclose(numbers(formula, t)[0], formula(np.array([t]))[0][0], rtol=1e-12)
