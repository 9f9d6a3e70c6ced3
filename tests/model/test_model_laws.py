"""Driver laws and tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from structkin import Mechanism, load
from structkin.model.laws import ConstantSpeed, TableLaw
from structkin.model.tables import read_table

BAR: dict[str, Any] = {
    "units": {"length": "mm", "angle": "deg"},
    "points": {"A": [0, 0], "B": [0, 10]},
    "links": {"ground": ["A"], "bar": ["A", "B"]},
}


def law(**entry: Any) -> Any:
    return Mechanism.from_dict({**BAR, "drivers": {"m": {"joint": "A", **entry}}}).drivers["m"].law


def test_a_speed_starts_from_the_sketch() -> None:
    found = law(speed="60 rpm")
    assert found == ConstantSpeed(math.pi / 2, 2 * math.pi)
    value, rate, second = found(np.array([0.0, 0.25]))
    np.testing.assert_allclose(value, [math.pi / 2, math.pi])
    assert rate.tolist() == [2 * math.pi] * 2
    assert second.tolist() == [0, 0]
    assert found.third(np.array([0.0, 0.25])).tolist() == [0, 0]
    assert found.span is None


def test_a_bare_speed_is_in_si() -> None:
    assert law(speed=2).speed == 2


def test_a_law_is_in_the_unit_of_the_file() -> None:
    found = law(law="90 + 180*t")
    assert found.speed == pytest.approx(math.pi)
    np.testing.assert_allclose(found(np.array([0.0, 1.0]))[0], [math.pi / 2, 3 * math.pi / 2])
    assert law(law=45)(np.zeros(1))[0] == pytest.approx(math.pi / 4)
    assert law(law="sin(t)").speed is None


def test_a_driver_without_law_is_free() -> None:
    assert law() is None


def test_a_table_reproduces_a_cubic_with_its_rates() -> None:
    t = np.linspace(0, 2, 9)
    found = law(table=[[x, 10 * x**3 - x] for x in t])
    at = np.linspace(0, 2, 31)
    value, rate, second = (np.degrees(x) for x in found(at))
    np.testing.assert_allclose(value, 10 * at**3 - at, atol=1e-11)
    np.testing.assert_allclose(rate, 30 * at**2 - 1, atol=1e-10)
    np.testing.assert_allclose(second, 60 * at, atol=1e-9)
    np.testing.assert_allclose(np.degrees(found.third(at)), 60, atol=1e-8)
    assert found.span == (0, 2)


def test_outside_its_table_a_law_is_not_a_number() -> None:
    assert np.isnan(TableLaw((0, 1, 2), (0, 1, 0))(np.array([2.1]))[0])


@pytest.mark.parametrize(
    "text",
    [
        "0,0\n1,10\n2,0\n",
        "t [s],angle\n0,0\n1,10\n2,0",
        "# note\n0;0\n\n1;10 # top\n2;0\n",
        "0\t0\n1\t10\n2\t0\n",
        "0 0\n1  10\n2 0",
    ],
)
def test_csv_next_to_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "lift.csv").write_text(text)
    assert read_table("laws/lift.csv", tmp_path) == [(0, 0), (1, 10), (2, 0)]
    (tmp_path / "m.toml").write_text(
        """
        units = { length = "mm" }
        points = { A = [0, 0], B = [10, 0], C = [0, 5] }
        links = { ground = ["A", "C"], bar = ["A", "B"] }
        drivers = { ram = { between = ["C", "B"], csv = "laws/lift.csv" } }
        """
    )
    found = load(tmp_path / "m.toml").drivers["ram"].law
    assert found == TableLaw((0.0, 1.0, 2.0), (0.0, 0.01, 0.0))
