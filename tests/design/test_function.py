"""Function generation against Freudenstein's equation and its published numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.design.function import Angles, freudenstein, generators

#: Recomputed from Freudenstein's equation with Chebyshev's spacing: function, interval, ranges of crank and rocker
#: [deg]; K1, K2, K3; largest structural error [deg]. The first is the example of Freudenstein (1955).
PUBLISHED = [
    (math.log10, (1, 2), (30, 90), (60, 150),
     (0.33958650988467537, 0.11334894573143126, 0.7941602341151809), 0.0712702),
    (lambda x: x**1.5, (1, 4), (30, 120), (90, 180),
     (-0.5882474122831907, -0.44968070503248186, 0.12403490868460239), 0.8314766),
    (lambda x: math.sin(math.radians(x)), (0, 90), (90, 210), (90, 150),
     (2.4008179124110987, 1.8038844490684363, 1.010814349818662), 0.4383162),
]  # fmt: skip


@pytest.mark.parametrize(("function", "interval", "crank", "rocker", "K", "error"), PUBLISHED)
def test_three_points_give_the_published_four_bar(function, interval, crank, rocker, K, error) -> None:
    wish = Angles.of(function, interval, tuple(np.radians(crank)), tuple(np.radians(rocker)), 3)
    assert freudenstein(wish.phi, wish.psi) == pytest.approx(K, rel=1e-9)
    (found,) = generators(wish, 5)
    assert not found.defects and np.degrees(found.error) == pytest.approx(error, rel=2e-3)  # both are sampled
    B = found.mechanism.points["B"]
    assert math.hypot(*B) == pytest.approx(1 / abs(K[0]))


@pytest.mark.parametrize("points", few([4, 5, 6, 12], 1))
@pytest.mark.parametrize(("function", "interval", "crank", "rocker", "K", "error"), few(PUBLISHED, 1))
def test_more_points_are_closer(function, interval, crank, rocker, K, error, points) -> None:
    wish = Angles.of(function, interval, tuple(np.radians(crank)), tuple(np.radians(rocker)), points)
    found = generators(wish, 5)[0]
    assert not found.defects and np.degrees(found.error) < error / 1.5
    # Freudenstein's equation with the lengths found holds in the precision points where these are exact.
    if points <= 5:
        A, B, C, D = (complex(*found.mechanism.points[name]) for name in "ABCD")
        psi = np.angle(C - D) + wish.psi - wish.psi[0]
        phi = np.angle(B - A) + wish.phi - wish.phi[0]
        a, b, c = abs(B - A), abs(C - B), abs(C - D)
        gap = np.cos(psi) / a - np.cos(phi) / c + (a**2 - b**2 + c**2 + 1) / (2 * a * c) - np.cos(phi - psi)
        assert np.abs(gap).max() < 1e-9


def test_a_four_bar_that_generates_its_own_function_is_found_again() -> None:
    a, b, c = 0.4, 1.2, 0.9
    phi = np.linspace(0.3, 1.5, 5)
    B = a * np.exp(1j * phi)
    far = np.abs(1 - B)
    psi = np.angle(B - 1) - np.arccos((c**2 + far**2 - b**2) / (2 * c * far))
    turns = np.stack((phi, psi)) - [[0.7], [0.2]]  # the angles from which they count are not told
    found = generators(Angles(*turns, *turns), 3)
    lengths = [
        [abs(complex(*one.mechanism.points["B"])), abs(complex(*one.mechanism.points["C"]) - 1)] for one in found
    ]
    assert min(abs(one[0] - a) + abs(one[1] - c) for one in lengths) < 1e-7


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (lambda x: 1 / x, {}, r"function: has no value at x = 0: .*division by zero"),
        (lambda x: "a", {}, "function: has no value at x = "),
        (lambda x: x * (1 - x), {}, "function: has the same value at both ends"),
        (math.exp, {"points": 2, "count": 0, "interval": (1, 1)}, r"(?s)3 errors.*interval: .*points: .*count: "),
        (math.exp, {"input": (0, 400)}, "input: is a whole turn or more"),
    ],
)
def test_wrong_wishes_are_listed(function, options, words) -> None:
    wish = {"interval": (0, 1), "input": (0.5, 1), "output": (1, 2)}
    with pytest.raises(sk.InputError, match=words):
        sk.synthesise_function(function, **{**wish, **options})


def test_wrong_positions_are_listed() -> None:
    with pytest.raises(sk.InputError, match=r"positions: position 1 repeats position 0") as error:
        sk.synthesise_positions([(0, 0, 0), (0, 0, 2 * np.pi)], pivots=[(0, 0, 0)], kinds=["triangle"], count=0)
    assert [problem.key for problem in error.value.problems] == ["positions", "pivots", "kinds", "count"]
    with pytest.raises(sk.InputError, match="pivots: cannot be chosen for 4 positions"):
        sk.synthesise_positions([(k, k**2, 0.3 * k) for k in range(4)], pivots=[(0, 0)])
