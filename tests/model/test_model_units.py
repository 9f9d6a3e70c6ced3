"""Units and quantities with their unit."""

from __future__ import annotations

import math

import pytest

from structkin.model.flaw import Flaw
from structkin.model.units import FILE_UNITS, QUANTITIES, Units, unit


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("60 rpm", "angular speed", 2 * math.pi),
        ("360 deg/s", "angular speed", 2 * math.pi),
        ("1 rev/min", "angular speed", math.pi / 30),
        ("-2.5e1 rad/s", "angular speed", -25),
        ("10 mm/s", "speed", 0.01),
        ("10mm/s", "speed", 0.01),
        ("6 m/min", "speed", 0.1),
        ("12 deg", "angle", math.radians(12)),
        ("180°", "angle", math.pi),
        ("1 in", "length", 0.0254),
        ("5 µm", "length", 5e-6),
        ("250 g", "mass", 0.25),
        ("3 N/mm", "stiffness", 3000),
        ("2 N s/m", "damping", 2),
        ("2 N*s/m", "damping", 2),
        ("2 kg/s", "damping", 2),
        ("9.81 m/s^2", "acceleration", 9.81),
        ("9.81 m/s²", "acceleration", 9.81),
        ("981 cm/s**2", "acceleration", 9.81),
        ("4 kg m^2", "inertia", 4),
        ("4e4 kg cm2", "inertia", 4),
        ("1 h", "time", 3600),
        (".5 m", "length", 0.5),
    ],
)
def test_quantities_with_their_unit(value: str, kind: str, expected: float) -> None:
    assert Units("mm", "deg", "g").quantity(value, kind) == pytest.approx(expected, rel=1e-14)


def test_bare_numbers_are_in_the_units_of_the_file() -> None:
    units = Units("mm", "deg", "g")
    assert [units.quantity(2, kind) for kind in ("length", "mass")] == [2e-3, 2e-3]
    assert units.quantity(180, "angle") == pytest.approx(math.pi)


@pytest.mark.parametrize("kind", sorted(set(QUANTITIES) - set(FILE_UNITS)))
def test_bare_numbers_of_other_kinds_are_in_si(kind: str) -> None:
    assert Units("mm", "deg", "g").quantity(2, kind) == 2


@pytest.mark.parametrize("kind", QUANTITIES)
def test_the_example_of_each_kind_is_of_that_kind(kind: str) -> None:
    assert Units().quantity(QUANTITIES[kind][1], kind) > 0


@pytest.mark.parametrize("text", ["", "mm", "1 mm mm", "1/s", "5 rpm", "1 mm//s", "1 /mm", "1 mm/", "0x1 mm", "inf mm"])
def test_what_is_not_a_length(text: str) -> None:
    with pytest.raises(Flaw):
        Units().quantity(text, "length")


def test_a_frequency_is_not_an_angular_speed() -> None:
    with pytest.raises(Flaw, match="is not an angular speed"):
        Units().quantity("5 1/s", "angular speed")


@pytest.mark.parametrize("name", ["rps", "Hz"])
def test_usual_units_of_angular_speed_are_named_instead_of_a_wrong_guess(name: str) -> None:
    with pytest.raises(Flaw) as caught:
        Units().quantity(f"10 {name}", "angular speed")
    assert caught.value.hint == "known for angular speed: rpm, rev/s, deg/s, rad/s"
    for text in ("RPM", "dge/s"):
        with pytest.raises(Flaw) as caught:
            Units().quantity(f"10 {text}", "angular speed")
        assert caught.value.hint.startswith("did you mean")


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        ("3 kgF", "force", "did you mean 'kgf'?"),
        ("3 Kg", "force", "known for force: N, kN, mN, lbf, kgf"),
        ("3 kNmm", "moment", "did you mean 'kNm'?"),
        ("3 psi", "stiffness", 'such as "3 N/mm"'),
        ("3 N/mn", "stiffness", "did you mean 'mN'?"),
    ],
)
def test_only_units_that_fit_are_suggested(text: str, kind: str, hint: str) -> None:
    with pytest.raises(Flaw) as caught:
        Units().quantity(text, kind)
    assert caught.value.hint == hint


def test_products_and_quotients() -> None:
    assert unit("kNm") == unit("kN m") and unit("kgf") == (9.80665, unit("N")[1])
    assert unit("N m/mm^2/s") == (pytest.approx(1e6), (0, 1, -3, 0))
