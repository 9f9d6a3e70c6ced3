"""Discriminants of general groups: real, zero only where modes meet, and complete compared with a dense scan."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few
from hypothesis import given, settings
from hypothesis import strategies as st
from trusses import FOUR_RING, SEVEN, TRIAD, closed, legs, truss

from structkin.branches.circuits.seeds import Discriminant, Sign, samples
from structkin.branches.homotopy.modes import modes_of
from structkin.groups import General, Rows
from structkin.groups.triad import recognised
from structkin.rows.affine import Affine, Frame
from structkin.rows.row import Row

SHAPES = {
    "triad": TRIAD,
    "class IV order 2": FOUR_RING,
    "RR-RP-PR": legs("RR", "RP", "PR"),
    "RP-RP-RP": legs("RP", "RP", "RP"),
    "RR-PR-PP": legs("RR", "PR", "PP"),
}


def moved(form, h, seed):
    """Inputs as functions of one parameter: points move on closed curves, directions turn."""
    rng = np.random.default_rng(seed)
    offsets = [rng.normal(size=2) * 0.3 for _ in h]

    def at(s):
        result = []
        for value, offset, unit in zip(h, offsets, form.rows.unit, strict=True):
            if unit:
                turn = offset[0] * np.sin(s)
                c, d = np.cos(turn), np.sin(turn)
                result.append(np.stack((c * value[0] - d * value[1], d * value[0] + c * value[1])))
            else:
                result.append(value + offset[:, None] * np.stack((np.sin(s), np.cos(s))))
        return tuple(result)

    return at


def check_line(shape, seed, step=0.02):
    """Wherever the number of modes changes in a scan, there is a sample with each number."""
    form, h, _, _ = closed(*shape, seed)
    line, discriminant = moved(form, h, seed), Discriminant(closed(*shape, seed)[0])
    edges = np.linspace(0.1, 0.1 + np.pi, 4)
    found = samples(lambda s: discriminant.of(line(s)), edges)
    scan = np.arange(edges[0], edges[-1], step)
    values = discriminant.of(line(scan))
    assert (values.count >= 0).mean() > 0.98
    counts = {float(s): len(modes_of(form, line(np.array([s])))) for s in found}
    places = np.append(edges[0], 0.5 * (found[1:] + found[:-1]))
    for s, count in zip(scan, values.count, strict=True):
        if count >= 0:
            # One of the samples next to a change lies in its interval.
            k = int(np.searchsorted(found, s))
            near = [counts[float(x)] for x in found[max(k - 1, 0) : k + 1]]
            assert count in near, (s, count, near, places)


@pytest.mark.parametrize("name", few(SHAPES))
def test_number_of_modes_changes_only_at_zeros(name):
    check_line(SHAPES[name], 3)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 10**6))
def test_number_of_modes_changes_only_at_zeros_of_many(name, seed):
    check_line(SHAPES[name], seed, step=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("count", SEVEN)
def test_number_of_modes_of_seven_links_changes_only_at_zeros(count):
    check_line(truss(SEVEN[count], 0), 5, step=0.02)


@pytest.mark.parametrize("name", ["triad", "RR-RP-PR"])
def test_two_methods(name):
    """Solutions by closed forms and homotopies give the same zeros: the same sign, and a constant factor on a line."""
    form, h, _, _ = closed(*SHAPES[name], 4)
    line = moved(form, h, 4)
    discriminant, s = Discriminant(form), np.linspace(0.2, 3, 40)
    half = np.array([discriminant.parameters(tuple(x[:, [k]] for x in line(s))) for k in range(len(s))])
    one, other = discriminant.by_closed_form(half), discriminant.by_homotopy(half)
    assert one is not None
    signs = [[np.sign(np.prod(factors / np.abs(factors)).real) for factors, _ in method] for method in (one, other)]
    np.testing.assert_array_equal(*signs)
    assert [count for _, count in one] == [count for _, count in other]
    for factors, _ in one:
        product = np.prod(factors / np.abs(factors))
        assert abs(product.imag) < 1e-6


@pytest.mark.parametrize("line_leg", few([None, "PR", "RP"]))
def test_triads_over_lanes_agree_with_the_elimination_of_each(line_leg):
    """A platform on three legs as the general group writes it: as many modes, and zeros between the same samples."""
    rng = np.random.default_rng(5)
    link = Frame(Affine.slot(0), Affine.slot(1))
    corners = [complex(*rng.normal(size=2)) for _ in range(3)]
    legs = [link.point(corner) - Affine.slot(2 + k) for k, corner in enumerate(corners)]
    pivots = tuple(rng.normal(size=(2, 1)) for _ in range(3))
    forms = [Row.half_square(leg) + Row.sum_of({k: -1.0}) for k, leg in enumerate(legs)]
    if line_leg:
        # The corner is the second point of a line on the known link, the first of one on the leg.
        along = (link.direction if line_leg == "RP" else Affine.slot(5)) * np.exp(0.4j)
        forms[2] = Row.cross(along, legs[2] * (-1 if line_leg == "RP" else 1)).plus(-0.1)
    rows = Rows(
        1, 4, tuple(forms), (2.0, 2.0, 1.0 if line_leg else 2.0), (False, False, False, True), (0, 1, 2), (4.0,) * 3,
        size=2.0,
    )  # fmt: skip
    form, s = General(rows), np.linspace(0.0, 2 * np.pi, 100)
    turn = np.stack((np.cos(s), np.sin(s)))
    h = (pivots[0] + 0.4 * turn, *pivots[1:], turn, 1.0, 1.5, 2.0)
    found, discriminant = recognised(rows), Discriminant(form)
    assert found is not None and found.kind.legs == ("RR", "RR", line_leg or "RR")
    O, U = found.kind.poses(found.inputs(h))
    for k in range(6):
        residual = np.max(np.abs(form.residual(h, (O[:, k], U[:, k]))), axis=0)
        assert np.max(residual) < 1e-9
    over_lanes = discriminant.of(h)
    one_lane = [tuple(x[:, [k]] if np.shape(x)[-1:] == s.shape else x for x in h) for k in range(len(s))]
    each = discriminant.by_closed_form(np.array([discriminant.parameters(lane) for lane in one_lane]))
    assert each is not None
    np.testing.assert_array_equal(over_lanes.count, [count for _, count in each])
    assert len(set(over_lanes.count)) > 1
    signs = np.array([np.sign(np.prod(factors / np.abs(factors)).real) for factors, _ in each])
    assert len(set(over_lanes.sign * signs)) == 1


def test_narrow_pairs_of_zeros_are_found():
    """Two zeros 1e-7 apart, of a function that spans 20 powers of ten."""

    def function(x):
        value = np.exp(46 * x) * ((x - 0.3) ** 2 - (0.5e-7) ** 2) * (x - 0.8)
        return Sign(np.log(np.abs(value)), np.sign(value), np.zeros(len(x), int))

    found = samples(function, np.array([0.0, 1.0]))
    assert np.min(np.abs(found - 0.3)) < 0.5e-7
    assert np.any(found < 0.29) and np.any((found > 0.31) & (found < 0.79)) and np.any(found > 0.81)
