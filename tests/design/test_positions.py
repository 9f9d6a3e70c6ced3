"""Linkages through positions: what is returned was solved, and carries the body through them in order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from cases import few
from four_bars_at_random import positions_of_a_four_bar

import structkin as sk
from structkin.design.candidates import Candidate
from structkin.design.dyads import Displacements
from structkin.design.positions import BETWEEN, KINDS, _mechanism, candidates, closed_until, loops, through


def check(found: Candidate, positions: np.ndarray, within: float) -> None:
    """By the global method, from one position to the next: the body is in each of them."""
    A, B = (complex(*found.mechanism.points[name]) for name in "AB")
    angles = np.angle(B - A) + found.turns
    motion = found.mechanism.solve(drivers={"motor": angles}, method="global")
    assert motion.ok.all()
    assert np.abs(motion.position("P") - positions[:, :2]).max() < within
    turned = motion.angle("body") - positions[:, 2]
    assert np.abs(np.exp(1j * (turned - turned[0])) - 1).max() < within
    assert (np.diff(found.turns) > 0).all() or (np.diff(found.turns) < 0).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", few(range(3), 1, 1))
def test_linkages_go_through_their_positions(seed: int, n: int) -> None:
    _, positions = positions_of_a_four_bar(seed, n, 1.5)
    found = through(positions, (), (), KINDS, 5, 0)
    assert found and not found[0].defects
    for one in found:
        if not one.defects:
            check(one, positions, 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_three_positions_with_given_pivots_give_the_four_bar_that_made_them(seed: int) -> None:
    (A, D, _, C), positions = positions_of_a_four_bar(seed, 3, 1.5)
    found = through(positions, (A, D), (), KINDS, 5, 0)
    crank = next(one for one in found if np.allclose(one.mechanism.points["A"], (A.real, A.imag)))
    assert len(found) == 2 and np.allclose(crank.mechanism.points["C"], (C.real, C.imag))


@pytest.mark.parametrize("seed", few(range(3), 1))
def test_many_positions_give_the_four_bar_and_those_that_miss_say_by_how_much(seed: int) -> None:
    _, positions = positions_of_a_four_bar(seed + 1, 8, 1.5)
    found = through(positions, (), (), KINDS, 5, 0)
    check(found[0], positions, 1e-9)
    for one in found:
        if not one.defects:
            check(one, positions, 1.5 * one.error + 1e-9)


def test_positions_on_two_branches_are_named() -> None:
    """Both assembly modes of one four-bar at the same crank angles: its own dyads fit, but no motion gets there."""
    places = []
    for mode, angle in ((1, 0.6), (1, 0.9), (-1, 1.2), (1, 1.5), (-1, 1.8)):
        B = np.exp(1j * angle)
        far = abs(3 - B)
        turn = np.angle(3 - B) + mode * np.arccos((3**2 + far**2 - 2.5**2) / (2 * 3 * far))
        places.append((B.real, B.imag, turn))
    found = through(np.array(places), (), (), KINDS, 9, 0)
    own = [one for one in found if np.allclose(one.mechanism.points["A"], (0, 0), atol=1e-6)]
    assert own and all(any("taken apart" in defect for defect in one.defects) for one in own)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("seed", few(range(4), 1, 1))
def test_one_given_pivot_or_pin_is_completed_by_another_dyad(seed: int, n: int) -> None:
    """A single one left no pair of dyads: nothing was found."""
    (A, D, B, _), positions = positions_of_a_four_bar(seed, n, 1.5)
    for pivots, pins in (((A,), ()), ((D,), ()), ((), (B,))):
        found = through(positions, pivots, pins, KINDS, 5, 0)
        assert len(found) == 5 and not found[0].defects
        for one in found:
            places = [complex(*place) for place in one.mechanism.points.values()]
            assert min(abs(place - (*pivots, *pins)[0]) for place in places) < 1e-9
            if not one.defects:
                check(one, positions, 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_given_pivot_and_a_given_pin_are_both_kept(seed: int) -> None:
    (A, _, _, C), positions = positions_of_a_four_bar(seed, 3, 1.5)
    for one in through(positions, (A,), (C,), KINDS, 5, 0):
        places = [complex(*place) for place in one.mechanism.points.values()]
        assert all(min(abs(place - given) for place in places) < 1e-9 for given in (A, C))


@pytest.mark.parametrize("seed", few(range(6), 2))
def test_a_linkage_is_moved_to_its_dead_centre_and_not_beyond(seed: int) -> None:
    """Where the triangle of the other dyad opens, by lengths alone, the motion ends, and no time is spent behind it."""
    _, positions = positions_of_a_four_bar(seed, 3, 1.5)
    positions = positions - [*positions[0, :2], 0.0]
    moved = Displacements.of(positions)
    free = candidates(moved, (), (), seed)[1]
    some = [*free[:6], *(one for one in free if one.kind != "RR")][:12]
    ended = 0
    for loop in loops(moved, permutations(some, 2)):
        angles = np.linspace(*loop.angles[[0, -1]], 49)
        # A sample is also ended by an opening that lies between it and the one before.
        until = -(-closed_until(loop, np.linspace(angles[0], angles[-1], 48 * 200 + 1)) // 200)
        assert closed_until(loop, angles) >= until
        motion = _mechanism(loop, positions).solve(drivers={"motor": angles})
        assert motion.ok[:until].all() and not motion.ok[until : until + 1].any()
        ended += until < len(angles)
    assert ended


def test_the_position_behind_which_the_motion_ends_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rocker that drives: in the second of three positions it is beyond its dead centre, and not moved there."""
    moved, solve = [], sk.Mechanism.solve
    monkeypatch.setattr(
        sk.Mechanism, "solve", lambda m, **by: moved.append(len(by["drivers"]["motor"])) or solve(m, **by)
    )
    hatch = [(0, 0, 0), (0.25, 0.3, np.radians(40)), (0.7, 0.35, np.radians(85))]
    last = sk.synthesise_positions(hatch, pivots=[(0.73, 0.06), (-0.06, 0.54)])[1]
    assert moved == [2 * BETWEEN + 1, 1]
    assert last.defects == ("The motion ends behind position 1: the linkage would have to be taken apart.",)
    A, B, C, D = (complex(*last.mechanism.points[name]) for name in "ABCD")
    angles = np.angle(B - A) + np.linspace(0, last.turns[1], 25)
    motion = last.mechanism.solve(drivers={"motor": angles}, method="global")
    ends = np.flatnonzero(~motion.ok)[0]
    far, longest = np.abs(D - A - abs(B - A) * np.exp(1j * angles)), abs(C - B) + abs(D - C)
    assert 0 < ends < 25 and far[ends - 1] < longest < far[ends]


@pytest.mark.parametrize("count", few([5, 2, 3, 4, 7], 1))
def test_linkages_are_found_wherever_the_positions_are(count: int) -> None:
    """Far from the origin four positions had no linkage without defects, and seven were missed by centimetres."""
    _, positions = positions_of_a_four_bar(1, count, 1.5)
    here = sk.synthesise_positions(positions, kinds=["four-bar"], count=3)
    for away in (0.5, 100.0, 1e4):
        moved = positions + np.array([away, -2.0 * away, 0.0])
        there = sk.synthesise_positions(moved, kinds=["four-bar"], count=3)
        assert [one.defects for one in there] == [one.defects for one in here]
        for one, other in zip(there, here, strict=True):
            # Where positions are only met nearly, they are searched to some digits.
            assert one.error < 1.0001 * other.error + 1e-12 * away
            assert one.extent == pytest.approx(other.extent, rel=1e-4)
            at = one.mechanism.solve(drivers={"motor": one.mechanism.drivers["motor"].start + one.turns})
            assert np.abs(at.position("P") - moved[:, :2]).max() < 1.0001 * other.error + 1e-11 * away


@pytest.mark.parametrize("n", [2, 4, 5, 7])
@pytest.mark.parametrize("kind", ["slider-crank", "inverted slider-crank"])
def test_sliders_are_found_for_two_positions_and_for_more_than_three(kind: str, n: int) -> None:
    """The positions are those of a rod in closed form: its end is on the x axis, or it slides through a fixed pin."""
    B = 0.1 * np.exp(1j * np.linspace(0.3, 1.8, n))
    end = np.sqrt(0.3**2 - B.imag**2) + B.real if kind == "slider-crank" else 0.35
    positions = np.stack((B.real, B.imag, np.angle(end - B)), axis=1)
    found = sk.synthesise_positions(positions, kinds=[kind], count=3)
    assert found and not found[0].defects and not found.notes
    check(found[0], positions, 1e-9)
