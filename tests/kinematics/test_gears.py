"""Gears, racks, belts and rolling: textbook formulas, and random geared mechanisms before every judge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, DYADS, GEARED, build
from test_coefficients import assert_describes_the_motion
from test_random_mechanisms import check_motion, check_structure, check_there_and_back, check_walk, quiet

seeds = st.integers(0, 2**31 - 1)
MIXED = (*GEARED, *GEARED, *DYADS, *DRIVEN)


# --- random mechanisms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("element", sorted({*GEARED}, key=lambda f: f.__name__))
def test_every_element_on_driven_links(element):
    seen = 0
    for seed in range(8):
        case = build(3000 + seed, 3, menu=(element, element, *DRIVEN))
        check_structure(case)
        check_motion(case)
        seen += any(
            joint["type"] in ("gear", "belt", "rack", "rolling") for joint in case.data.get("joints", {}).values()
        )
    assert seen >= 1


@settings(max_examples=40, **quiet)
@given(seed=seeds, elements=st.integers(1, 5))
def test_random_geared_mechanisms(seed, elements):
    case = build(seed, elements, menu=MIXED)
    check_structure(case)
    check_motion(case)
    assert_describes_the_motion(case.mechanism().solve(7))


@settings(max_examples=15, **quiet)
@given(seed=seeds)
def test_walks_from_the_sketch_lead_to_the_same_pose(seed):
    check_walk(build(seed, 3, menu=MIXED))


@settings(max_examples=20, **quiet)
@given(seed=seeds)
def test_driven_out_and_back_nothing_has_changed(seed):
    check_there_and_back(build(seed, 3, menu=MIXED))


@pytest.mark.slow
def test_thousands_of_random_geared_mechanisms():
    for seed in range(3000):
        case = build(seed, 1 + seed % 5, menu=MIXED)
        check_structure(case)
        check_motion(case)
        assert_describes_the_motion(case.mechanism().solve(7))
