"""Nine points on a coupler curve: published real solutions, a four-bar found again, what is refused."""

from __future__ import annotations

import time

import numpy as np
import pytest
from known import drawn

import structkin as sk

#: Problem 3 of Wampler, Morgan & Sommese, J. Mech. Design 114 (1992); 64 of its 1442 curves are real, as certified by
#: alphaCertified (netlib, TOMS 921, FourBar).
NINE = [(0.25, 0), (0.52, 0.1), (0.8, 0.7), (1.2, 1), (1.4, 1.3), (1.1, 1.48), (0.7, 1.4), (0.2, 1), (0.02, 0.4)]


def pivots(one):
    """Return the three pivots of a four-bar and its cognates, in an order of their own."""
    A, B, C, D, P = (complex(*one.mechanism.points[name]) for name in "ABCDP")
    third = A + (P - B) / (C - B) * (D - A)
    return np.array(sorted((A, D, third), key=lambda z: (z.real, z.imag)))


def apart(one):
    """Return how far the points are from the curve, of both modes, by the law of cosines at the crank angles."""
    A, B, C, D, P = (complex(*one.mechanism.points[name]) for name in "ABCDP")
    line = np.exp(1j * np.angle(D - A))
    angles = np.angle((B - A) / line) + one.turns
    lengths = abs(D - A), abs(B - A), abs(C - B), abs(C - D)
    tracer = (P - B) / (C - B) * abs(C - B)
    wanted = one.points[:, 0] + 1j * one.points[:, 1]
    both = [np.abs(A + line * drawn(angles, *lengths, tracer, side) - wanted) for side in (-1, 1)]
    return np.min(both, axis=0).max()


def assert_distinct_and_exact(found):
    every = [pivots(one) for one in found]
    for one, own in zip(found, every, strict=True):
        assert one.error < 1e-10 and apart(one) < 1e-10
        assert sum(np.abs(own - other).max() < 1e-6 * (1 + np.abs(own).max()) for other in every) == 1


def test_twenty_of_the_published_curves_are_found():
    found = sk.synthesise_nine_points(NINE, count=20)
    assert len(found) == 20
    assert_distinct_and_exact(found)
    order = [len(one.defects) for one in found]
    assert order == sorted(order)
    for one in found[:3]:
        if not one.defects:
            motor = one.mechanism.drivers["motor"].start + one.turns
            motion = one.mechanism.solve(drivers={"motor": motor}, method="global")
            assert motion.ok.all() and np.abs(motion.position("P") - NINE).max() < 1e-10


@pytest.mark.slow
def test_nearly_all_of_the_published_curves_are_found_and_no_others():
    """In less than 15 minutes of processor time; how many, and the time, are printed."""
    began = time.process_time()
    found = sk.synthesise_nine_points(NINE, budget=None)
    seconds = time.process_time() - began
    print(f"{len(found)} curves, at most {max(one.error for one in found):.0e} away, in {seconds:.0f} s")
    assert 55 <= len(found) <= 64 and seconds <= 900
    assert_distinct_and_exact(found)


@pytest.mark.full
def test_a_four_bar_that_drew_the_points_is_among_those_found():
    lengths, tracer = (4.0, 1.0, 3.0, 2.5), 1.3 + 0.8j
    places = drawn(0.4 + np.linspace(0, 5.5, 9), *lengths, tracer, 1)
    found = sk.synthesise_nine_points(np.stack((places.real, places.imag), axis=1), budget=25_000)
    assert_distinct_and_exact(found)
    third = tracer / lengths[2] * lengths[0]
    own = np.array(sorted((0j, 4 + 0j, third), key=lambda z: (z.real, z.imag)))
    assert min(np.abs(pivots(one) - own).max() for one in found) < 1e-6
    assert not found[0].defects


def test_nine_points_far_from_the_origin():
    """Micrometres apart, half a metre away: all lengths are those of the points, not of their distance."""
    small = 1e-6
    found = sk.synthesise_nine_points(small * np.array(NINE) + [0.5, -0.3], count=3)
    assert len(found) == 3
    for one in found:
        assert apart(one) < 1e-5 * small and one.error < 1e-5 * small


def test_a_spent_budget_is_said():
    found = sk.synthesise_nine_points(NINE, budget=10)
    assert len(found) == 0 and "budget of 10 steps is spent" in found.notes[0]


def test_everything_wrong_is_listed():
    for points, words in (
        (NINE[:8], r"the shape \(8, 2\), not"),
        ([*NINE[:8], NINE[0]], "point 8 repeats point 0"),
        ([*NINE[:8], (np.nan, 0)], "point 8 is not finite"),
    ):
        with pytest.raises(sk.InputError, match=words) as caught:
            sk.synthesise_nine_points(points, count=0, seed=-1)
        assert len(caught.value.problems) == 3
    with pytest.raises(sk.InputError, match="point 3 repeats point 0") as caught:
        sk.synthesise_nine_points([*[NINE[0]] * 4, *NINE[4:]])
    assert len(caught.value.problems) == 3
