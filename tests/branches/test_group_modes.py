"""All modes of a group: published cases, numbers of modes of every shape, and completeness by other methods."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from cases import few
from hypothesis import given, settings
from hypothesis import strategies as st
from trusses import FOUR_RING, SEVEN, TRIAD, closed, legs, truss

from structkin.branches.homotopy import NotEnumeratedError, modes_of
from structkin.branches.homotopy.homotopies import ParameterHomotopy, ProductHomotopy
from structkin.branches.homotopy.modes import equations_of
from structkin.branches.homotopy.path_tracking import follow
from structkin.branches.homotopy.reality import real_modes
from structkin.branches.homotopy.solutions import at_ends, by_parameters, solutions
from structkin.branches.homotopy.start_solutions import starts_of
from structkin.groups import General, Rows
from structkin.rows.affine import Affine, Frame
from structkin.rows.row import Row

SIDES = (17.04, 20.84, 16.54)
PIVOTS = (0j, 15.91 + 0j, 10j)
REACH = (14.98, 15.38, 12.0)
ANGLES = (-56.55, -2.71, 14.06, 33.56, 57.41, 122.21)


def corners():
    a, b, c = SIDES
    turn = np.arccos((a * a + b * b - c * c) / (2 * a * b))
    return 0j, complex(a), complex(b * np.exp(1j * turn))


def vector(z):
    return np.array([[z.real], [z.imag]])


def by_products(chart, seed=0):
    """Follow all C(2k, k) paths from products of linear forms: a second method, without a start of this shape."""
    homotopy = ProductHomotopy(*chart.forms, chart.shape.products, seed)
    return at_ends(follow(homotopy, *homotopy.starts()), None)


def published():
    """The triad with six real modes as four links, and the same as one platform on three driven lengths."""
    p = corners()
    links = [Frame(Affine.slot(2 * k), Affine.slot(2 * k + 1)) for k in range(4)]
    gaps = [links[0].point(p[k]) - links[k + 1].point(complex(REACH[k])) for k in range(3)]
    gaps += [links[k + 1].point(0j) - Affine.slot(8 + k) for k in range(3)]
    pins = tuple(Row.part(gap, axis) for gap in gaps for axis in (0, 1))
    four = Rows(4, 3, pins, (1.0,) * 12, size=20.0)
    h = tuple(vector(A) for A in PIVOTS)
    return (General(four), h), (on_lengths(p, 20.0), (*h, *(reach**2 / 2 for reach in REACH)))


def on_lengths(corners, size):
    """A platform on three driven lengths."""
    link = Frame(Affine.slot(0), Affine.slot(1))
    legs = [link.point(complex(corner)) - Affine.slot(2 + k) for k, corner in enumerate(corners)]
    forms = tuple(Row.half_square(leg) + Row.sum_of({k: -1.0}) for k, leg in enumerate(legs))
    return General(Rows(1, 3, forms, (size,) * 3, scalars=(0, 1, 2), scalar_sizes=(size**2,) * 3, size=size))


@pytest.mark.parametrize("case", [0, 1], ids=["four links", "three lengths"])
def test_published_triad_has_six_real_modes(case):
    form, h = published()[case]
    modes = modes_of(form, h)
    assert len(modes) == modes.complex == 6
    assert np.degrees(np.angle(modes.directions[:, 0])) == pytest.approx(ANGLES, abs=0.006)
    assert modes.certified.all() and not modes.endless
    tips = modes.origins[:, :1] + modes.directions[:, :1] * np.array(corners())
    assert np.max(np.abs(np.abs(tips - PIVOTS) - REACH)) <= 1e-12 * 20
    assert modes.gap == np.inf


def test_sines_and_cosines_agree_with_the_published_triad():
    """A second method without complex numbers: scan the platform angle for sign changes, then bisect."""

    def third(angle):
        p = np.array(corners()) * np.exp(1j * angle)
        q = p - PIVOTS
        # Pivots moved back by the platform: circles about -q, of radius reach; the first two meet in two points.
        a, b = -q[0], -q[1]
        d = abs(b - a)
        x = (REACH[0] ** 2 - REACH[1] ** 2 + d * d) / (2 * d)
        y2 = REACH[0] ** 2 - x * x
        if y2 < 0:
            return np.array([np.nan, np.nan])
        z = a + (b - a) / d * (x + 1j * np.sqrt(y2) * np.array([1, -1]))
        return np.abs(z + q[2]) - REACH[2]

    angles = np.linspace(-np.pi, np.pi, 20_001)
    values = np.array([third(angle) for angle in angles])
    roots = [
        angles[k] for s in (0, 1) for k in np.flatnonzero(values[1:, s] * values[:-1, s] < 0) if abs(values[k, s]) < 1
    ]
    assert np.degrees(sorted(roots)) == pytest.approx(ANGLES, abs=0.05)


# --- numbers of modes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "count"), [(TRIAD, 6), (FOUR_RING, 6)], ids=["triad", "class IV order 2"])
def test_five_link_truss_has_six(shape, count):
    form, h, _, _ = closed(*shape, 1)
    chart, _ = equations_of(form, h)
    assert len(starts_of(chart.shape)) == count


@pytest.mark.parametrize("count", SEVEN)
@pytest.mark.parametrize("ground", few([0, 3], 1))
def test_seven_link_trusses_have_18_14_and_16(count, ground):
    form, h, _, u = closed(*truss(SEVEN[count], ground), 3)
    chart, _ = equations_of(form, h)
    assert len(starts_of(chart.shape)) == count
    modes = modes_of(form, h)
    assert modes.total == modes.complex == count and modes.lost == 0
    assert len(modes) % 2 == count % 2 and modes.certified.all()
    # The pose that defined the dimensions is among them.
    assert np.min(np.max(np.abs(modes.directions - u), axis=1)) < 1e-9
    # A homotopy with Bezout's number of paths, from a start independent of the shape.
    again = real_modes(form, h, chart, by_products(chart, seed=7))
    assert again.complex == count
    assert np.max(np.abs(again.directions - modes.directions)) < 1e-9


@pytest.mark.slow
def test_rhombic_group_of_class_iv_order_4_has_56():
    """Wohlhart's count for the group of four ternary links in a ring on four legs, a truss of nine links."""
    ring = [("R", k, (k + 1) % 4) for k in range(4)]
    joints = [*ring, *(("R", k, 4 + k) for k in range(4)), *(("R", 4 + k, -1) for k in range(4))]
    form, h, _, _ = closed(8, joints, 1)
    chart, _ = equations_of(form, h)
    assert len(starts_of(chart.shape)) == 56


#: Legs of a triad (exterior, interior), and its number of modes.
COUNTS = {
    ("RR", "RR", "RR"): 6, ("RR", "RR", "RP"): 6, ("RR", "RR", "PR"): 6, ("RR", "RP", "PR"): 6,
    ("RR", "RP", "RP"): 4, ("RR", "PR", "PR"): 4, ("RP", "RP", "PR"): 4, ("RP", "PR", "PR"): 4,
    ("RP", "RP", "RP"): 2, ("PR", "PR", "PR"): 2,
    ("RR", "RR", "PP"): 2, ("RR", "RP", "PP"): 2, ("RR", "PR", "PP"): 2,
    ("RP", "RP", "PP"): 1, ("RP", "PR", "PP"): 1, ("PR", "PR", "PP"): 1,
}  # fmt: skip


def test_every_triad_is_counted():
    kinds = combinations_with_replacement(("RR", "RP", "PR", "PP"), 3)
    assert set(COUNTS) == {kind for kind in kinds if kind.count("PP") < 2}


@pytest.mark.parametrize("kinds", few(map(pytest.param, COUNTS), 3, 5), ids="-".join)
def test_triads_of_every_kind_by_three_methods(kinds):
    form, h, _, u = closed(*legs(*kinds), 1)
    chart, parameters = equations_of(form, h)
    closed_form = real_modes(form, h, chart, solutions(chart, parameters))
    assert closed_form.complex == COUNTS[kinds] == len(starts_of(chart.shape))
    assert closed_form.certified.all()
    assert np.min(np.max(np.abs(closed_form.directions - u), axis=1)) < 1e-9
    for found in (by_parameters(chart, parameters), by_products(chart)):
        modes = real_modes(form, h, chart, found)
        assert modes.complex == COUNTS[kinds]
        assert np.max(np.abs(modes.directions - closed_form.directions)) < 1e-9


# --- completeness ---------------------------------------------------------------------------------------------


@cache
def by_many_starts(shape, seed, starts=3000):
    """All real modes that Newton's method finds from random starts."""
    form, h, _, _ = closed(*shape, seed)
    rng = np.random.default_rng(seed)
    m = form.rows.links
    wide = tuple(np.broadcast_to(x, (2, starts)) for x in h)
    with np.errstate(all="ignore"):
        _, theta, step = form.newton(
            wide, rng.normal(size=(m, 2, starts)) * 2, rng.uniform(-np.pi, np.pi, (m, starts)), iterations=60
        )
    directions = np.exp(1j * theta[:, step < 1e-8]).T
    found: list[np.ndarray] = []
    for u in directions:
        if all(np.max(np.abs(u - other)) > 1e-6 for other in found):
            found.append(u)
    return form, h, found


@pytest.mark.parametrize("seed", few(range(3), 1, 1))
@pytest.mark.parametrize("shape", [TRIAD, FOUR_RING], ids=["triad", "class IV order 2"])
def test_newton_from_many_starts_finds_no_other_mode(shape, seed):
    form, h, found = by_many_starts((shape[0], tuple(shape[1])), seed)
    modes = modes_of(form, h)
    assert len(found) == len(modes)
    for u in found:
        assert np.min(np.max(np.abs(modes.directions - u), axis=1)) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("count", SEVEN)
def test_newton_from_many_starts_finds_no_other_mode_of_seven_links(count):
    links, joints = truss(SEVEN[count], 0)
    form, h, found = by_many_starts((links, tuple(joints)), 5, 6000)
    modes = modes_of(form, h)
    assert found
    for u in found:
        assert np.min(np.max(np.abs(modes.directions - u), axis=1)) < 1e-7


kinds_of_legs = st.lists(st.sampled_from(["RR", "RP", "PR"]), min_size=3, max_size=3)


@settings(max_examples=20, deadline=None)
@given(kinds_of_legs, st.integers(0, 10**6))
def test_random_triads_find_their_pose(kinds, seed):
    check_random_triad(kinds, seed)


@pytest.mark.parametrize(("kinds", "seed"), [(("RP", "RP", "PR"), 787407), (("PR", "RP", "RP"), 973058)])
def test_a_real_mode_thousands_of_sizes_away_is_found(kinds, seed):
    check_random_triad(kinds, seed)
    form, h, _, _ = closed(*legs(*kinds), seed)
    assert len(modes_of(form, h)) == 4


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(kinds_of_legs, st.integers(0, 10**6))
def test_many_random_triads_find_their_pose(kinds, seed):
    check_random_triad(kinds, seed)


def check_random_triad(kinds, seed):
    form, h, _, u = closed(*legs(*kinds), seed)
    modes = modes_of(form, h)
    assert modes.complex == COUNTS[tuple(sorted(kinds, key=("RR", "RP", "PR").index))]
    assert (modes.complex - len(modes)) % 2 == 0
    assert np.min(np.max(np.abs(modes.directions - u), axis=1)) < 1e-6


# --- special cases --------------------------------------------------------------------------------------------


def platform_on_lengths(corners, pivots, reach):
    return on_lengths(corners, 1.0), (*(vector(complex(A)) for A in pivots), *(r * r / 2 for r in reach))


def test_equal_parallel_legs_move():
    """A platform congruent to the pivots' triangle, on equal legs, translates on a circle: infinitely many poses."""
    triangle = (0, 1, 0.3 + 0.8j)
    modes = modes_of(*platform_on_lengths(triangle, triangle, (0.7, 0.7, 0.7)))
    assert modes.endless


def test_a_double_mode_is_reported_and_not_certified():
    """Legs whose lines meet in one point: two modes meet."""
    centre, corners = 0.4 + 0.9j, np.array([0, 1, 0.3 + 0.8j])
    pivots = centre + (corners - centre) * np.array([2.1, 1.7, -1.5])
    modes = modes_of(*platform_on_lengths(corners, pivots, np.abs(pivots - corners)))
    (k,) = np.flatnonzero(np.abs(modes.directions[:, 0] - 1) < 1e-6)
    assert modes.multiplicity[k] == 2 and not modes.certified[k] and np.isnan(modes.alpha[k])
    assert not modes.endless
    others = np.arange(len(modes)) != k
    assert modes.certified[others].all() and (modes.multiplicity[others] == 1).all()


def test_out_of_reach_reports_the_distance():
    """A leg a little too short: the two modes that met have become slightly complex."""
    centre, corners = 0.4 + 0.9j, np.array([0, 1, 0.3 + 0.8j])
    pivots = centre + (corners - centre) * np.array([2.1, 1.7, -1.5])
    reach = np.abs(pivots - corners)
    counts, gaps = [], []
    for change in (-1e-4, 1e-4):
        modes = modes_of(*platform_on_lengths(corners, pivots, reach + np.array((0, 0, change))))
        counts.append(len(modes))
        gaps.append(modes.gap)
    assert abs(counts[0] - counts[1]) == 2
    assert 1e-4 < gaps[int(np.argmin(counts))] < 0.1


def test_collinear_pivots_and_corners():
    """Special, but regular: pivots in a line and corners in a line; the count stays six or falls by pairs."""
    modes = modes_of(*platform_on_lengths((0, 0.5, 1), (0, 0.7, 1.6), (1.0, 0.9, 1.1)))
    assert len(modes) >= 2 and modes.certified.all()
    # The mirror image of a mode in the line of the pivots is also a mode.
    angles = np.angle(modes.directions[:, 0])
    assert np.max(np.abs(angles + angles[::-1])) < 1e-9


def test_unknown_rows_are_refused():
    form, h = published()[0]
    rows = replace(form.rows, angles=(0,), angle_numbers=(0,))
    with pytest.raises(NotEnumeratedError, match="gears"):
        modes_of(General(rows), h)


def test_too_many_loops_are_refused():
    ring = [("R", k, (k + 1) % 7) for k in range(7)]
    joints = [*ring, *(("R", k, 7 + k) for k in range(7)), *(("R", 7 + k, -1) for k in range(7))]
    form, h, _, _ = closed(14, joints, 1)
    with pytest.raises(NotEnumeratedError, match="7 coupled loops"):
        modes_of(form, h)


def special_platforms():
    """Platforms whose triangle is similar to that of the pivots, its mirror image, flat, or has coincident corners."""
    rng = np.random.default_rng(0)
    triangle = rng.normal(size=3) + 1j * rng.normal(size=3)
    equilateral = np.exp(2j * np.pi * np.arange(3) / 3)
    return {
        "similar": (0.6 * triangle * np.exp(0.3j), triangle, (0.9, 1.1, 1.3)),
        "congruent": (triangle, triangle, (0.7, 0.8, 0.9)),
        "mirror image": (0.7 * triangle.conj(), triangle, (0.9, 1.2, 1.0)),
        "equilateral on equal legs": (0.5 * equilateral, equilateral, (0.7, 0.7, 0.7)),
        "two corners in one": (np.array((0, 0, 0.8)), triangle, (1.6, 1.5, 1.4)),
        "two pivots in one": (0.5 * triangle, np.array((0, 0, 1.2)), (1.1, 1.0, 1.2)),
        "flat": (np.array((0, 0.5, 1.1)), np.array((0, 0.8, 1.7)), (1.1, 0.9, 1.0)),
    }


@pytest.mark.parametrize("name", few(special_platforms(), 3))
def test_special_platforms_by_four_methods(name):
    """Where solutions go to infinity or meet, all methods find the same real modes; Newton's finds no other."""
    form, h = platform_on_lengths(*special_platforms()[name])
    chart, parameters = equations_of(form, h)
    modes = modes_of(form, h)
    for found in (by_parameters(chart, parameters), by_products(chart)):
        other = real_modes(form, h, chart, found)
        assert len(other) == len(modes) and not other.endless
        assert np.max(np.abs(other.directions - modes.directions), initial=0.0) < 1e-9
    rng = np.random.default_rng(1)
    wide = tuple(np.broadcast_to(x, (*np.shape(x)[:-1], 1000)) for x in map(np.atleast_1d, h))
    with np.errstate(all="ignore"):
        _, theta, step = form.newton(
            wide, 2 * rng.normal(size=(1, 2, 1000)), rng.uniform(-np.pi, np.pi, (1, 1000)), iterations=60
        )
    found = {complex(*np.round((np.cos(a), np.sin(a)), 6)) for a in theta[0, step < 1e-8]}
    for u in found:
        assert np.min(np.abs(modes.directions[:, 0] - u)) < 1e-5
    assert all(min(abs(u - v) for v in found) < 1e-5 for u in modes.directions[modes.certified, 0])


# --- monodromy --------------------------------------------------------------------------------------------------


def by_monodromy(shape, loops, seed=5):
    """Solutions of a general group of one shape, found from a single one by continuation round parameter loops."""
    starts = starts_of(shape)
    rng = np.random.default_rng(seed)
    chart = np.linalg.qr(rng.normal(size=(2 * shape.links,) * 2))[0][: 2 * shape.links - shape.linear] + 0j

    def random():
        halves = rng.normal(size=(2, shape.parameters)) + 1j * rng.normal(size=(2, shape.parameters))
        return halves[0], halves[1]

    y, yb = starts.x[:1] @ chart.T, starts.xb[:1] @ chart.T
    for _ in range(loops):
        corners = [starts.parameters, random(), random(), starts.parameters]
        here, there = y, yb
        for a, b in pairwise(corners):
            one = np.ones((len(here), 1))
            homotopy = ParameterHomotopy(shape, a, b, chart)
            ends = follow(homotopy, np.concatenate((one, here), axis=1), np.concatenate((one, there), axis=1))
            here, there = ends.places
        for p, q in zip(here, there, strict=True):
            if np.min(np.linalg.norm(np.concatenate((y - p, yb - q), axis=1), axis=1)) > 1e-6:
                y, yb = np.concatenate((y, p[None])), np.concatenate((yb, q[None]))
    return y


def test_monodromy_finds_the_same_number_for_five_links():
    form, h, _, _ = closed(*TRIAD, 1)
    assert len(by_monodromy(equations_of(form, h)[0].shape, 6)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("count", SEVEN)
def test_monodromy_finds_the_same_number_for_seven_links(count):
    form, h, _, _ = closed(*truss(SEVEN[count], 0), 1)
    assert len(by_monodromy(equations_of(form, h)[0].shape, 14)) == count
