"""The evaluator of rows against the same rows written out with complex numbers, and against complex steps."""

import numpy as np
import pytest

from structkin.rows.affine import Affine
from structkin.rows.curves import Curve
from structkin.rows.equations import Equations
from structkin.rows.relations import DrivenAngle
from structkin.rows.row import Row
from structkin.rows.trig_rows import TrigRow

SLOTS, TURNS, LANES = 4, 2, 5
WIDTH = 2 * SLOTS + TURNS
TINY = 1e-30


def affine(rng: np.random.Generator) -> Affine:
    factors = rng.normal(size=(SLOTS + 1, 2)) @ (1, 1j)
    return Affine(factors[0], tuple((k, factors[k + 1]) for k in rng.permutation(SLOTS)[:2].tolist()))


def written(seed: int):
    """Rows of every form, and their values as functions of complex slots and of turns."""
    rng = np.random.default_rng(seed)
    a, b, c = (affine(rng) for _ in range(3))
    e, f = rng.normal(size=2)
    at = Row.sum_of({0: 1.5, 1: -0.5})

    def turn(t):
        return 1.5 * t[0] - 0.5 * t[1]

    return [
        (Row.part(a, 0), lambda z, t: a.at(z).real),
        (Row.part(a, 1).times(e).plus(f), lambda z, t: e * a.at(z).imag + f),
        (Row.dot(a, b).plus(e) + at, lambda z, t: (a.at(z).conj() * b.at(z)).real + e + turn(t)),
        (Row.cross(a, b), lambda z, t: (a.at(z).conj() * b.at(z)).imag),
        (Row.half_square(a), lambda z, t: 0.5 * abs(a.at(z)) ** 2),
        (TrigRow.tie(a, at), lambda z, t: (a.at(z).conj() * np.exp(1j * turn(t))).imag),
        (TrigRow.along(a, e, at)[0], lambda z, t: (a.at(z) - e * np.exp(1j * turn(t))).real),
        (TrigRow.along(a, e, at)[1], lambda z, t: (a.at(z) - e * np.exp(1j * turn(t))).imag),
        (Curve.of(DrivenAngle(), a, b, c), lambda z, t: ((a.at(z) * b.at(z)).conj() * c.at(z)).imag),
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("repeats", [1, 12], ids=["few rows", "many rows: sparse"])
def test_rows_have_the_written_values(seed, repeats):
    rows = [item for k in range(repeats) for item in written(seed + 100 * k)]
    system = Equations([form for form, _ in rows], np.ones(WIDTH), TURNS)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(WIDTH, LANES))
    z, t = x[0 : 2 * SLOTS : 2] + 1j * x[1 : 2 * SLOTS : 2], x[2 * SLOTS :]
    found = system.phi(x, system.jacobian(x))
    np.testing.assert_allclose(found, [np.broadcast_to(said(z, t), LANES) for _, said in rows], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lanes", [1, LANES])
def test_derivatives_up_to_the_third_are_complex_steps(seed, lanes):
    system = Equations([form for form, _ in written(seed)], np.ones(WIDTH), TURNS)
    x, v, w = np.random.default_rng(seed + 50).normal(size=(3, WIDTH, lanes))
    moved = x + 1j * TINY * v
    first = system.times(system.jacobian(x), v)
    np.testing.assert_allclose(first, system.phi(moved, system.jacobian(moved)).imag / TINY, rtol=1e-12, atol=1e-12)
    second = system.times(system.jacobian(moved), w).imag / TINY
    np.testing.assert_allclose(system.second_derivative(x, v, w), second, rtol=1e-12, atol=1e-12)
    third = system.second_derivative(moved, v, v).imag / TINY
    np.testing.assert_allclose(system.third(x, v), np.broadcast_to(third, system.third(x, v).shape), atol=1e-10)
