"""Derivatives of limits by dimensions: against formulas by complex steps, and limits of changed mechanisms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin import design
from structkin.examples import path
from structkin.solve.sensitivity.parameters import read_parameters, varied

#: Weights of differences of order eight.
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
LENGTHS = {"a": 2.0, "b": 1.5, "c": 2.5, "d": 3.0}


def four_bar(coupler: float = 1.5) -> sk.Mechanism:
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"B-C": coupler, "C-D": 2.5},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def slider_crank(**sections: object) -> sk.Mechanism:
    """A crank of 2 on a rod of 1.2 whose slider is 0.5 above the crank's pivot: it stops at asin(1.7 / 2)."""
    x = 2 * np.cos(0.6) + np.sqrt(1.2**2 - (0.5 - 2 * np.sin(0.6)) ** 2)
    return sk.Mechanism(
        points={"A": (0, 0), "B": (2 * np.cos(0.6), 2 * np.sin(0.6)), "C": (x, 0.5)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "block": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["block", "ground"], "at": "C", "axis": [1, 0], **sections}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def test_limits_can_be_kept_in_a_set() -> None:
    found = four_bar().limits(drivers={})
    assert found in {found}


@pytest.mark.parametrize("key, name", [("a", "lengths.A-B"), ("b", "lengths.B-C"), ("c", "lengths.C-D")])
def test_limits_of_a_four_bar_agree_with_their_formula(key: str, name: str) -> None:
    """Stretched on both sides: |D - B| = b + c."""

    def upper(p: dict[str, complex]) -> complex:
        return np.arccos((p["a"] ** 2 + p["d"] ** 2 - (p["b"] + p["c"]) ** 2) / (2 * p["a"] * p["d"]))

    found = four_bar().limits()
    assert found.upper.kind == "stretched" and abs(found.upper.value - upper(LENGTHS)) < 1e-12
    by = upper({**LENGTHS, key: LENGTHS[key] + 1e-30j}).imag / 1e-30
    assert np.abs(found.sensitivity(to=[name])[:, 0] - [-by, by]).max() < 1e-11


@pytest.mark.parametrize(
    "key, name", [("a", "lengths.A-B"), ("b", "lengths.B-C"), ("e", "points.C.y"), ("y", "points.A.y")]
)
def test_limits_of_a_slider_crank_agree_with_their_formula(key: str, name: str) -> None:
    """The rod is perpendicular to the guide: a sin z - e = b; a point of the sketch moves lengths with it."""
    found = slider_crank().limits()
    assert found.upper.kind == "square" and abs(np.sin(found.upper.value) - 1.7 / 2) < 1e-12
    a, b, e = 2.0, 1.2, 0.5

    def upper(da: complex, db: complex, de: complex) -> float:
        return np.arcsin((b + db + e + de) / (a + da)).imag

    h = 1e-30j
    B, C = (complex(*slider_crank().points[name]) for name in "BC")
    changes = {
        "a": (h, 0, 0), "b": (0, h, 0),
        "e": (0, h * (C - B).imag / b, h),  # the rod becomes longer, the guide higher
        "y": (-h * B.imag / a, 0, -h),  # the crank becomes shorter, the guide lower above its pivot
    }  # fmt: skip
    by = upper(*changes[key]) / 1e-30
    assert abs(found.sensitivity(to=[name])[1, 0] - by) < 1e-11


def by_differences(m: sk.Mechanism, driver: str, names: list[str], **options: object) -> np.ndarray:
    """The derivatives (2, p) from limits of changed mechanisms; lengths that are named are held."""
    parameters = read_parameters(m, names)
    held = {one: one.value for one in parameters if one.section == "lengths"}
    columns = []
    for one in parameters:
        h, total = 2e-3 * one.reach, np.zeros(2)
        for k, weight in WEIGHTS.items():
            for side in (1, -1):
                other = varied(m, {**held, one: one.value + side * k * h}).limits(driver, **options)
                total += side * weight / h * np.array([other.lower.value, other.upper.value])
        columns.append(total)
    return np.stack(columns, axis=1)


@pytest.mark.parametrize(
    "name, driver, names",
    [
        ("tipper_hoist", "cylinder", ["points.D.x"]),  # a triad
        pytest.param("tipper_hoist", "cylinder", ["points.A.y", "lengths.A-B"], marks=pytest.mark.full),
        # The two other drivers are held as the sketch has them.
        pytest.param("platform_3rpr", "left", ["points.A1.x", "points.B2.y"], marks=pytest.mark.full),
    ],
)
def test_limits_of_general_groups_agree_with_differences(name: str, driver: str, names: list[str]) -> None:
    m = sk.load(path(name))
    wanted = by_differences(m, driver, names)
    assert np.abs(m.limits(driver).sensitivity(to=names) - wanted).max() < 1e-9 * max(1, np.abs(wanted).max())


def test_the_end_of_a_stroke_moves_with_dimensions() -> None:
    m = slider_crank(stroke=[-0.3, 0.2])
    names = ["lengths.A-B", "points.A.x", "lengths.B-C"]
    found = m.limits()
    assert {found.lower.kind, found.upper.kind} == {"stroke"}
    assert np.abs(found.sensitivity(to=names) - by_differences(m, "motor", names)).max() < 1e-9


def test_a_driver_that_turns_fully_has_no_derivatives_and_names_are_checked() -> None:
    assert np.isnan(sk.load(path("watt_six_bar")).limits().sensitivity(to=["lengths.A-B"])).all()
    by = four_bar().limits(range=(1.5, 1.6)).sensitivity(to=["lengths.A-B"])
    assert np.isnan(by).all()
    with pytest.raises(sk.InputError, match=r"lengths\.A-X"):
        four_bar().limits().sensitivity(to=["lengths.A-X"])


def test_the_range_of_a_driver_is_a_wish_and_a_limit() -> None:
    """A range of 235 degrees: the formula of the stretched limit says for which coupler."""
    m, bounds, given = four_bar(1.7), {"lengths.B-C": (1.6, 2.2)}, {"motor": [1.5, 1.6]}
    best = m.optimise(bounds, design.driver_range("motor", np.radians(235)), drivers=given)
    b = np.sqrt(4 + 9 - 12 * np.cos(np.radians(235 / 2))) - 2.5
    assert abs(best.values["lengths.B-C"] - b) < 1e-7
    limit = design.driver_range("motor").between(low=np.radians(250))

    def coupler(motion: sk.Motion) -> np.ndarray:
        return np.array([np.linalg.norm(motion.position("C")[0] - motion.position("B")[0])])

    shortest = design.Measure("the coupler", coupler, lambda motion, names: np.ones((1, 1)))
    held = m.optimise(bounds, shortest, limits=[limit], drivers=given)
    b = np.sqrt(4 + 9 - 12 * np.cos(np.radians(250 / 2))) - 2.5
    # Limits are met to 1e-6 of their size.
    assert held.met and abs(held.values["lengths.B-C"] - b) < 4e-6
    # A crank that turns fully has more than any range, and none that could be wished.
    turning, bounds = sk.load(path("crank_rocker")), {"lengths.A-B": (0.02, 0.06)}
    best = turning.optimise(bounds, design.stroke("rocker", 0.7), limits=[limit], samples=25)
    assert best.met and best.mechanism.limits().turns_fully
    with pytest.raises(sk.InputError, match="has no end at the start"):
        turning.optimise(bounds, design.driver_range("motor"), samples=3)


@pytest.mark.parametrize("with_gear", [False, True])
def test_slopes_are_those_at_the_origin_wherever_it_is_drawn(with_gear: bool) -> None:
    """Ten sizes from the origin they were those of other numbers: without a word, and optimise called them zero."""

    def at(away: float) -> sk.Mechanism:
        x, y = away, -2.0 * away
        data: dict[str, Any] = {
            "points": {"A": [x, y], "B": [x + 0.4, y + 0.6], "C": [x + 1.5, y + 1.2], "D": [x + 1.9, y]},
            "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
            "drivers": {"motor": {"joint": "A", "speed": 1.0}},
        }
        if with_gear:  # variants are built one by one
            data["points"] |= {"E": [x + 2.5, y], "F": [x + 2.6, y + 0.1]}
            data["links"] |= {"ground": ["A", "D", "E"], "wheel": ["E", "F"]}
            data["joints"] = {"mesh": {"type": "gear", "links": ["rocker", "wheel"], "teeth": [20, 40]}}
        return sk.Mechanism.from_dict(data)

    names = ["lengths.A-B", "lengths.B-C", "points.D.x", "points.A.y"]
    wanted = at(0.0).limits().sensitivity(to=names)
    assert np.abs(wanted).max() > 0.1
    for away in (3.0, 30.0, 3e3, 3e5):
        assert at(away).limits().sensitivity(to=names) == pytest.approx(wanted, abs=1e-9 + 1e-10 * away)
