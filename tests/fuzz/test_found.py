"""Faults that damaged files revealed, one by one: each was once a traceback or a warning."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path


def crank(**driver):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", **driver}},
    )


def moved(name, point, place):
    """An example with one point moved."""
    data = sk.load(path(name)).source_dict
    data["points"][point] = place
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize("law", ["t/0", "t/(1-1)", "t/(2-2*1)", "1 + 3/0"])
def test_a_formula_that_divides_by_zero_is_refused(law):
    with pytest.raises(sk.InputError, match=r"drivers.motor.law: .*(divides by zero|not a finite number)"):
        crank(law=law)


@pytest.mark.parametrize("law", ["1/(t-t)", "1/(0*t)", "t/1e-320"])
def test_a_formula_without_a_finite_speed_has_no_cycle(law):
    with pytest.raises(sk.InputError, match="duration: no full cycle is known: motor"):
        crank(law=law).solve()


def test_a_cycle_beyond_the_range_of_numbers_is_refused():
    with pytest.raises(sk.InputError, match="duration: a full cycle at 1e-310 rad/s takes too long"):
        crank(speed=1e-310).solve()


@pytest.mark.parametrize(
    "table",
    [[[0, 0], [1e-310, 1], [2e-310, 2]], [[0, 0], [1e-17, 1], [1, 2]], [[1, 0], [1 + 1e-15, 1], [3, 2], [4, 0]]],
)
def test_times_of_a_table_that_are_too_close_are_refused(table):
    with pytest.raises(sk.InputError, match=r"drivers.motor.table: row 2: the time .* after the previous row"):
        crank(table=table)


@pytest.mark.parametrize("place", ["A = [{}, 0]", 'A = [0, 0]\nB = "{}"\n[lengths]\n"A-B" = {}'])
def test_an_integer_of_thousands_of_digits_is_refused(place, tmp_path):
    file = tmp_path / "long.toml"
    file.write_text("[points]\n" + place.replace("{}", "9" * 5000))
    with pytest.raises(sk.InputError, match=r"the TOML contains a number that cannot be read; .*4300 digits"):
        sk.load(file)


def test_a_point_at_1e21_has_a_report():
    """No driver moved far enough to be named."""
    motion = moved("platform_3rpr", "A3", [1e21, 10]).solve(13)
    assert not motion.ok.any()
    assert "out of reach at group 1" in motion.report


def test_limits_of_a_press_with_a_point_at_1e21_give_no_warning():
    assert moved("toggle_press", "E", [-550, 1e21]).limits("cylinder").failure


def test_limits_of_an_excavator_with_a_distant_joint_find_an_end_to_rounding():
    """At an end with two zero discriminants, one of them had the same sign at both ends of its bracket.

    Rounding tells which of the two is named.
    """
    found = moved("excavator", "G", [1e9, 1.7]).limits("arm_cylinder")
    assert {found.lower.kind, found.upper.kind} <= {"folded", "stretched"}


def test_a_slot_of_very_unequal_segments_is_refused():
    """Seed 18375: one segment of 1e30 mm; the motion was followed for 50 s, then a search tree failed."""
    data = sk.load(path("garage_door")).source_dict
    data["joints"]["track"]["segments"][2]["length"] = 1e30
    with pytest.raises(
        sk.InputError, match=r"segments\[1\]: the segment is 250 mm long, the longest of the slot 1e\+30 mm"
    ):
        sk.Mechanism.from_dict(data)


def test_a_pin_of_a_curved_slot_may_be_anywhere():
    slot = sk.load(path("garage_door")).joints["track"]
    nowhere, far = slot.curve.foot(np.array([np.nan, 1e200]), 0.0)
    assert np.isnan(nowhere) and not np.isnan(far)


@pytest.mark.full
def test_limits_of_a_crank_that_turns_thousands_of_times_end_with_the_budget():
    """Seed 19766, 1e30 teeth: limits every few millidegrees were found at no charge, so that the search had no end."""
    data = sk.load(path("geared_five_bar")).source_dict
    data["points"]["C"] = [-1, 24.768326548234942]
    data["joints"]["mesh"]["teeth"] = [100_000, 40]
    m = sk.Mechanism.from_dict(data)
    with pytest.raises(sk.InputError, match="takes more steps than the budget allows"):
        m.limits("motor", budget=500)
    assert "out of reach" in m.solve(13).report


@pytest.mark.parametrize("samples", [1, 2, 13])
def test_a_structure_without_drivers_stays_as_it_is_drawn(samples):
    """Random edits of the tipper hoist: with nothing that moves, the way to the next sample could not be made."""
    points = {"A": (0, 0), "B": (1490, 140), "C": (1730, -190), "D": (440, -190), "F": (1110, -200), "G": (2010, 60)}
    links = {"ground": ["A", "D", "F"], "body": ["A", "B", "G"], "plate": ["B", "C", "G"], "link": ["D", "C"]}
    motion = sk.Mechanism(points=points, links=links, units={"length": "mm"}).solve(samples)
    assert motion.ok.all()
    for name in "BCG":
        assert motion.position(name) == pytest.approx(np.tile(np.array(points[name]) / 1e3, (samples, 1)), rel=1e-12)


@pytest.mark.parametrize("far", [1e11, 1e14, 1e26, 1e30])
def test_a_link_far_longer_than_others_of_its_general_group_is_refused(far):
    """Seed 13400, a link of 1e27 m: rounding was followed for 14 s, and some samples counted as ok."""
    m = moved("stephenson_iii_triad", "B", [25, far])
    with pytest.raises(
        sk.InputError, match=r"links.rod: the link is .* long, and .*; the ratio must be at least 1e-08"
    ):
        m.solve(13, budget=10)


def test_a_geneva_wheel_whose_pin_is_its_shaft_is_refused():
    """Random edits, seed 1012: the pin merged with the wheel's shaft was a division by zero."""
    data = sk.load(path("geneva")).source_dict
    data["points"] = {"A": [0, 0], "P": [-41.78, 7.37]}
    data["links"] = {"ground": ["P"], "crank": ["P", "A"], "wheel": ["P"]}
    with pytest.raises(sk.InputError, match="shafts of crank and wheel coincide"):
        sk.Mechanism.from_dict(data)
