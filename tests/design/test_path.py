"""Paths: published cases, known four-bars found again, given pivots, and wishes out of reach."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from cases import few
from known import drawn, known

import structkin as sk
from structkin.design.any_topology import AnyLinkage
from structkin.design.arguments import usable

#: Cabrera, Simon & Prado, Mech. Mach. Theory 37 (2002), case 1.
LINE = [(20, 20), (20, 25), (20, 30), (20, 35), (20, 40), (20, 45)]
#: Kunjur & Krishnamurty, Mech. Mach. Theory 32 (1997); Cabrera et al. (2002), case 2: at 30, 45, ..., 90 deg.
FIVE = [(3, 3), (2.759, 3.363), (2.372, 3.663), (1.89, 3.862), (1.355, 3.943)]
#: Kunjur & Krishnamurty (1997): every 20 deg.
EIGHTEEN = [
    (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0, 0.5), (0, 0.4),
    (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0),
]  # fmt: skip


def squares(candidate):
    """Return the sum of squares of the distances in the motion by another method, at the candidate's turns."""
    motion = candidate.mechanism.solve(t=np.abs(candidate.turns), method="global")
    assert motion.ok.all()
    return float(((motion.position(candidate.point) - candidate.points) ** 2).sum())


def assert_sound(found):
    """Check every candidate by a solution of its whole motion."""
    assert len(found)
    for one in found:
        assert one.mechanism.solve().ok.all() and one.transmission >= np.radians(1)
        steps = np.diff(one.turns) * np.sign(one.turns[-1])
        assert (steps > -1e-12).all() and abs(one.turns[-1]) < 2 * np.pi
        np.testing.assert_allclose(squares(one), (one.distances**2).sum(), rtol=1e-6, atol=1e-18)
    size = np.ptp(found[0].points, axis=0).max()
    order = [max(one.rms, 1e-9 * size) for one in found]
    assert order == sorted(order)


def test_numbers_of_single_precision_are_compared_without_a_warning():
    assert usable(np.array([1, np.inf], np.float32)).tolist() == [True, False]


@pytest.mark.full
def test_six_points_on_a_line():
    found = sk.synthesise(path=LINE, kinds=["four-bar"], count=3)
    assert_sound(found)
    assert squares(found[0]) <= 1e-20 and found.notes == ()


@pytest.mark.full
def test_five_points_at_given_crank_angles():
    angles = np.radians([30, 45, 60, 75, 90])
    found = sk.synthesise(path=FIVE, timing=angles, kinds=["four-bar"], count=2)
    assert_sound(found)
    assert squares(found[0]) <= 6.9e-5
    np.testing.assert_allclose(np.abs(found[0].turns), angles - angles[0], atol=1e-12)


@pytest.mark.full
def test_five_points_with_the_pivot_of_the_source():
    """The source has the crank's pivot at the origin, too, and the second one on the x axis: 6.8e-5 there."""
    found = sk.synthesise(path=FIVE, timing=np.radians([30, 45, 60, 75, 90]), pivots=[(0, 0)], kinds=["four-bar"])
    assert squares(found[0]) <= 6.9e-5
    assert min(np.hypot(*found[0].mechanism.points[name]) for name in "AD") < 1e-12


def test_eighteen_points_every_20_degrees():
    found = sk.synthesise(path=EIGHTEEN, timing=np.radians(20 * np.arange(18)), kinds=["four-bar"], count=2, unit="cm")
    assert_sound(found)
    assert squares(found[0]) <= 9.1e-3
    assert f"the best is {100 * found[0].error:.3g} cm away" in found.notes[0]
    assert "met only by chance" in found.notes[0]


SEEDS = [(seed, closed) for closed in (True, False) for seed in range(50)]


@pytest.mark.parametrize("seed, closed", few([(8, True), (4, False)], 1))
def test_a_known_four_bar_is_found_again(seed, closed):
    target = known(seed, closed)
    found = sk.synthesise(path=target.points, closed=closed, kinds=["four-bar"])
    assert_sound(found)
    assert found[0].error <= 1e-6 * np.ptp(target.points, axis=0).max()
    lengths = [target.ground, target.coupler, *sorted((target.crank, target.rocker))]  # whichever of them is driven
    own = [
        [one.lengths["ground"], one.lengths["coupler"], *sorted((one.lengths["crank"], one.lengths["rocker"]))]
        for one in found
    ]
    assert not closed or np.abs(np.array(own) - lengths).max(axis=1).min() < 1e-6


@pytest.mark.slow
def test_random_four_bars_are_found_again():
    """In 95 % of the cases, to 1e-6 of the size, in a median of 10 s of processor time; all figures are printed."""
    seconds, far = [], []
    for seed, closed in SEEDS:
        target = known(seed, closed)
        began = time.process_time()
        found = sk.synthesise(path=target.points, closed=closed, kinds=["four-bar"])
        seconds.append(time.process_time() - began)
        far.append(found[0].error / np.ptp(target.points, axis=0).max() if found else np.inf)
        print(f"seed {seed}, {'closed' if closed else 'open'}: {far[-1]:.1e} of the size, {seconds[-1]:.1f} s")
    print(f"{np.mean(np.array(far) <= 1e-6):.0%} to 1e-6, median {np.median(seconds):.1f} s")
    assert np.mean(np.array(far) <= 1e-6) >= 0.95 and np.median(seconds) <= 10


def test_cognates_draw_the_same_curve():
    """By the law of cosines over the whole turn, against each other."""
    found = sk.synthesise(path=known(8, True).points, closed=True, kinds=["four-bar"])
    best = [one for one in found if one.error < 1e-9]
    assert len(best) >= 2 and any(one.cognate for one in best)
    curves = []
    for one in best:
        A, B, C, D, P = (complex(*one.mechanism.points[name]) for name in "ABCDP")
        turned, unit = np.angle(D - A), (C - B) / abs(C - B)
        side = np.sign(((D - B).conjugate() * (C - B)).imag)
        angles = np.angle(B - A) - turned + np.sign(one.turns[-1]) * np.linspace(0, 2 * np.pi, 3000)
        lengths = abs(D - A), abs(B - A), abs(C - B), abs(C - D)
        curves.append(A + np.exp(1j * turned) * drawn(angles, *lengths, (P - B) / unit, side))
    for other in curves[1:]:
        apart = np.abs(curves[0][::100, None] - other).min(axis=1).max()
        assert apart < np.abs(np.diff(other)).max()  # no farther than the samples are apart


@pytest.mark.parametrize("closed", few([True, False], 1))
@pytest.mark.parametrize("count", few([2, 1], 1))
def test_given_pivots_are_kept(closed, count):
    target = known(8, closed)
    free = sk.synthesise(path=target.points, closed=closed, kinds=["four-bar"], count=1)[0].mechanism
    pivots = [free.points["D"], free.points["A"]][:count]
    found = sk.synthesise(path=target.points, closed=closed, pivots=pivots, kinds=["four-bar"])
    assert found[0].error < 1e-6
    for one in found:
        own = [one.mechanism.points[name] for name in "AD"]
        assert all(min(np.hypot(*(place - at)) for at in own) < 1e-8 for place in pivots)


@pytest.mark.full
def test_noise_is_not_exceeded():
    target = known(8, True)
    size = np.ptp(target.points, axis=0).max()
    noise = 0.01 * size * np.random.default_rng(1).normal(size=(64, 2))
    found = sk.synthesise(path=target.points + noise, closed=True, kinds=["four-bar"], count=1)
    assert found[0].rms <= np.sqrt(np.mean((noise**2).sum(axis=1)))


@pytest.mark.full
def test_a_slider_crank_is_found_again():
    """An ellipse is drawn by any point of the rod of an isosceles slider-crank (Cardan)."""
    angle = np.linspace(0.3, 1.2, 9)
    points = np.stack((0.3 * np.cos(angle), 0.1 * np.sin(angle)), axis=1)
    found = sk.synthesise(path=points, kinds=["slider-crank"], count=2)
    assert_sound(found)
    assert found[0].error < 1e-9 and found[0].mechanism.slider_cranks()


@pytest.mark.full
def test_a_wish_out_of_reach_says_how_far_it_is():
    square = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    found = sk.synthesise(path=square, closed=True, count=2)
    assert_sound(found)
    assert f"{found[0].error:.3g} m away" in found.notes[0]


@pytest.mark.full
def test_no_link_is_longer_than_allowed():
    """Without a limit, the best linkages for this path have links fifty times as long."""
    phase = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    foot = np.column_stack((0.2 * np.cos(phase), 0.05 * np.sin(phase) + 0.02 * np.cos(2 * phase)))
    found = sk.synthesise(path=foot, closed=True, longest=0.6, kinds=["four-bar"], count=3)
    assert_sound(found)
    assert found[0].error < 0.01 * 0.4
    good = sk.synthesise(path=foot, closed=True, longest=0.6, transmission=np.radians(55), kinds=["four-bar"], count=3)
    assert min(one.transmission for one in good) >= np.radians(55) > found[0].transmission
    assert max(max(one.lengths.values()) for one in found) < 1.01 * 0.6


@pytest.mark.parametrize(("lengths", "least"), few([((0.06, 0.35, 0.3, 0.45), 60), ((0.05, 0.35, 0.35, 0.5), 75)]))
def test_a_large_transmission_angle_is_a_wish_that_can_be_met(lengths, least):
    """The path is that of a four-bar whose angle is larger: by the law of cosines at least 73.3 and 76.4 degrees."""
    crank, coupler, rocker, ground = lengths
    B = crank * np.exp(2j * np.pi * np.arange(24) / 24)
    D = ground - B
    along = (abs(D) ** 2 + coupler**2 - rocker**2) / (2 * abs(D))
    C = B + (along + 1j * np.sqrt(coupler**2 - along**2)) * D / abs(D)
    P = B + (0.2 + 0.2j) * (C - B) / coupler
    path = np.column_stack((P.real, P.imag))
    found = sk.synthesise(path=path, closed=True, transmission=np.radians(least), kinds=["four-bar"], count=3)
    assert found[0].error < 1e-6 * np.ptp(path) and found[0].transmission > np.radians(least)


@pytest.mark.parametrize("kind", few(["four-bar", "slider-crank", "Watt II", "geared five-bar"]))
def test_no_link_reaches_farther_than_allowed_to_the_point_that_it_carries(kind, monkeypatch):
    """The best four-bars for this egg would have couplers of three times this length."""
    monkeypatch.setattr(AnyLinkage, "stages", ((120, 20), (40, 40)))
    t = np.arange(32) * 2 * np.pi / 32
    egg = np.column_stack((0.02 * np.cos(t) + 0.006 * np.cos(2 * t), 0.01 * np.sin(t)))
    found = sk.synthesise(path=egg, closed=True, longest=0.2, kinds=[kind], count=6)
    assert_sound(found)
    for one in found:
        data = one.mechanism.source_dict
        places = {name: complex(*place) for name, place in data["points"].items()}
        apart = [abs(places[a] - places[b]) for link in data["links"].values() for a in link for b in link]
        assert max(apart) < 1.01 * 0.2
    assert found[0].error < 0.02 * 0.04


@pytest.mark.full
def test_ground_pivots_lie_in_their_region():
    """Without a region, most pivots of the best linkages for this arc lie outside it."""
    arc = [(0, 0), (1, 0.2), (2, 0.2), (3, 0)]
    region = [(4, -3), (-1, -0.5)]
    free = sk.synthesise(path=arc, kinds=["four-bar"], count=6)
    kept = sk.synthesise(path=arc, kinds=["four-bar"], count=6, region=region)
    assert_sound(kept)
    assert kept[0].error < 1e-9

    def pivots(found: sk.Candidates) -> np.ndarray:
        return np.array([one.mechanism.points[name] for one in found for name in "AD"])

    def inside(places: np.ndarray, aside: float) -> np.ndarray:
        return ((places >= [-1 - aside, -3 - aside]) & (places <= [4 + aside, -0.5 + aside])).all(axis=1)

    assert inside(pivots(kept), 0.03).all() and not inside(pivots(free), 0.03).all()


def test_a_search_is_watched_and_ends_where_the_one_who_watches_ends_it():
    seen: list[sk.Candidates] = []
    points = [(0, 0), (1, 0.2), (2, 0.2), (3, 0)]
    found = sk.synthesise(path=points, kinds=["four-bar"], count=3, watch=seen.append)
    errors = [one[0].rms for one in seen if one]
    assert len(seen) > 1 and all(b < a + 1e-9 for a, b in pairwise(errors)) and found[0].rms < errors[0] + 1e-9

    class EnoughError(Exception):
        pass

    parts: list[float] = []

    def stop(part: float) -> None:
        parts.append(part)
        if len(parts) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        sk.synthesise(path=points, kinds=["four-bar"], seed=7, progress=stop)
    assert parts == [0.0] * 3


def test_two_pivots_leave_no_slider_crank():
    found = sk.synthesise(path=LINE, pivots=[(0, 0), (10, 0)], kinds=["slider-crank"])
    assert len(found) == 0 and "one ground pivot" in found.notes[0] and "No linkage" in found.notes[1]


def test_notes_are_in_the_unit_of_the_wish():
    given = {"path": 0.001 * np.array(LINE), "pivots": [(0, 0), (0.01, 0)], "kinds": ["slider-crank"]}
    for unit, words in ((None, "0.5 m"), ("mm", "500 mm"), ("in", "19.7 in")):
        assert f"no link longer than {words} and" in sk.synthesise(**given, unit=unit).notes[1]


def test_a_spent_budget_is_said():
    found = sk.synthesise(path=EIGHTEEN, timing=np.radians(20 * np.arange(18)), kinds=["four-bar"], budget=100)
    assert "budget of 100 steps is spent" in " ".join(found.notes)


@pytest.mark.full
def test_the_same_seed_gives_the_same():
    first, again = (sk.synthesise(path=FIVE, kinds=["four-bar"], count=1, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first[0].mechanism.points["B"], again[0].mechanism.points["B"])


BAD = {
    "no path": ({}, ["path: is missing"]),
    "two points": ({"path": LINE[:2]}, ["path: has 2 points"]),
    "not finite": ({"path": [*LINE[:3], (np.nan, 0)]}, ["path: point 3 is not finite"]),
    "repeated": ({"path": [*LINE[:3], LINE[2]]}, ["path: point 3 repeats point 2"]),
    "closed twice": ({"path": [(0, 0), (1, 0), (0, 1), (0, 0)], "closed": True}, ["last point repeats the first"]),
    "three columns": ({"path": np.zeros((5, 3))}, ["path: has the shape (5, 3)"]),
    "falling": ({"path": FIVE, "timing": [0, 1, 0.5, 2, 3]}, ["timing: does not rise from point 1 to point 2"]),
    "short": ({"path": FIVE, "timing": [0, 1]}, ["timing: has the shape (2,)"]),
    "in degrees": ({"path": FIVE, "timing": [30, 45, 60, 75, 90]}, ["more than one turn"]),
    "everything": (
        {
            "path": LINE[:2], "timing": [1, np.inf], "pivots": [(1, 1), (1, 1)], "kinds": ["six-bar"], "count": 0,
            "seed": -1, "longest": 0, "transmission": 2,
        },
        [
            *("path: has 2", "timing: is not", "pivots: are the same", "longest: 0", "kinds: 'six-bar'", "count: 0"),
            *("seed: -1", "transmission: 2"),
        ],
    ),
    "nothing": ({"path": LINE, "kinds": [], "pivots": [1, 2]}, ["kinds: names no kind", "pivots: have the shape (2,)"]),
    "a region of one place": ({"path": LINE, "region": [(0, 0), (0, 1)]}, ["region: has no width or no height"]),
    "a region without a pivot": (
        {"path": LINE, "region": [(0, 0), (1, 1)], "pivots": [(2, 0)]},
        ["region: does not hold a pivot"],
    ),
    "a region that is none": ({"path": LINE, "region": [0, np.nan, 1, 1]}, ["region: has the shape (4,)"]),
    "unit": ({"path": LINE, "unit": "inch"}, ["unit: 'inch' is not a unit of length"]),
    "budget": ({"path": LINE, "budget": -1}, ["budget: -1 is not a positive"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_everything_wrong_is_listed(case):
    given, words = BAD[case]
    with pytest.raises(sk.InputError) as caught:
        sk.synthesise(**given)
    assert len(caught.value.problems) == len(words) and all(word in str(caught.value) for word in words)
