"""Dyads for given positions: those of a known four-bar are among them, and all of them keep their lengths."""

from __future__ import annotations

import numpy as np
import pytest
from cases import blocks, few
from four_bars_at_random import positions_of_a_four_bar

from structkin.design import dyads
from structkin.design.dyads import Displacements, Dyad


def stretch(dyad: Dyad, positions: np.ndarray) -> float:
    """By how much a dyad would have to give way, from the positions themselves, relative to its size."""
    x, y, angle = positions.T
    pin = x + 1j * y + np.exp(1j * (angle - angle[0])) * (dyad.body - complex(x[0], y[0]))
    if dyad.kind == "RR":
        lengths = np.abs(pin - dyad.ground)
        return float(np.ptp(lengths) / (1 + lengths[0]))
    if dyad.kind == "PR":
        return float(np.abs((dyad.direction.conjugate() * (pin - pin[0])).imag).max() / (1 + abs(pin).max()))
    slot = dyad.direction * np.exp(1j * (angle - angle[0]))
    offsets = (slot.conjugate() * (dyad.ground - pin)).imag  # the fixed pin beside a line of the body
    return float(np.ptp(offsets) / (1 + abs(pin).max()))


@pytest.mark.parametrize(
    "seeds",
    [*few(blocks(range(40), 4)), *(pytest.param(some, marks=pytest.mark.slow) for some in blocks(range(40, 3000)))],
)
def test_five_positions_give_the_dyads_of_the_four_bar_that_made_them(seeds: range) -> None:
    for seed in seeds:
        (A, D, B, C), positions = positions_of_a_four_bar(seed, 5)
        found = dyads.five(Displacements.of(positions))
        assert 2 <= len(found) <= 4
        for ground, body in ((A, B), (D, C)):
            assert min(abs(one.ground - ground) + abs(one.body - body) for one in found) < 1e-6
        assert max(stretch(one, positions) for one in found) < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_three_positions_and_one_point_give_the_other(seed: int) -> None:
    (A, D, B, C), positions = positions_of_a_four_bar(seed, 3)
    moved = Displacements.of(positions)
    for ground, body in ((A, B), (D, C)):
        assert dyads.pin_of(moved, ground)[0].body == pytest.approx(body, abs=1e-9)
        assert dyads.pivot_of(moved, body)[0].ground == pytest.approx(ground, abs=1e-9)
    for one in (*dyads.guided(moved, np.exp(0.3j)), *dyads.slotted(moved, np.exp(0.3j))):
        assert stretch(one, positions) < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_four_positions_give_a_curve_and_one_straight_guide(seed: int) -> None:
    _, positions = positions_of_a_four_bar(seed, 4)
    moved = Displacements.of(positions)
    found = dyads.on_the_curve(moved, 31)
    assert len(found) >= 31  # a cubic has a real root on every line
    assert max(stretch(one, positions) for one in found) < 1e-9
    (guide,) = dyads.guided_through_four(moved)
    assert stretch(guide, positions) < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_many_positions_of_a_four_bar_give_its_dyads_again(seed: int) -> None:
    (A, D, B, C), positions = positions_of_a_four_bar(seed, 9)
    found = dyads.nearest(Displacements.of(positions))
    for ground, body in ((A, B), (D, C)):
        assert min(abs(one.ground - ground) + abs(one.body - body) for one in found) < 1e-7


def test_positions_without_a_turn_are_those_of_a_parallelogram() -> None:
    """Every point moves alike: each pin has the same radius, and three give a pivot."""
    angles = np.array([0.2, 0.9, 1.7])
    positions = np.stack((2 * np.cos(angles), 2 * np.sin(angles), np.zeros(3)), axis=1)
    moved = Displacements.of(positions)
    (crank,) = dyads.pivot_of(moved, 3 + 1j)
    start = complex(*positions[0, :2])
    assert crank.ground == pytest.approx(3 + 1j - start, abs=1e-12) and crank.length == pytest.approx(2)
    assert dyads.pin_of(moved, 5 + 0j)[0].body == pytest.approx(5 + start, abs=1e-12)


def test_five_positions_without_a_turn_have_parallel_cranks_on_a_circle_and_none_beside_it() -> None:
    angles = np.array([0.0, 0.4, 0.9, 1.3, 1.7])
    positions = np.stack((2 * np.cos(angles), 2 * np.sin(angles), np.zeros(5)), axis=1)
    found = dyads.five(Displacements.of(positions))
    assert len(found) > 1
    for one in found:
        assert one.body - one.ground == pytest.approx(2.0, abs=1e-12)
    positions[3, 0] += 1e-3
    assert dyads.five(Displacements.of(positions)) == []


def test_cranks_that_rounding_moves_by_more_than_the_last_digits_are_found() -> None:
    """Of some sets of positions the equations are ill-conditioned: Newton's steps do not fall to rounding."""
    rng, sets = np.random.default_rng(0), 0
    while sets < 150:
        D, (crank, coupler, rocker) = rng.uniform(0.5, 3), rng.uniform(0.3, 3, 3)
        B = crank * np.exp(1j * np.sort(rng.uniform(0, 2 * np.pi, 5)) * rng.uniform(0.2, 1))
        far = np.abs(D - B)
        along = (far**2 + coupler**2 - rocker**2) / (2 * far)
        if (coupler**2 - along**2 < 1e-6).any():
            continue
        C = B + (along + 1j * np.sqrt(coupler**2 - along**2)) * (D - B) / far
        angle = np.unwrap(np.angle(C - B))
        P = B + 0.3 * np.exp(1j * angle)
        found = dyads.five(Displacements.of(np.stack((P.real, P.imag, angle), axis=1)))
        assert len(found) in (2, 4)  # the complex ones come in pairs
        for ground, body in ((0, B[0]), (D, C[0])):
            assert min(abs(one.ground - ground) + abs(one.body - body) for one in found) < 1e-4
        sets += 1
