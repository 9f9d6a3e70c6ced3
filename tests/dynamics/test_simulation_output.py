"""Simulations as tables, files and pictures, and the command that writes them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin import show
from structkin.cli import main

SWING = """
title = "Swing"
units = { length = "mm", angle = "deg" }
[points]
A = [0, 0]
B = [1000, 0]
[links]
ground = ["A"]
bar = { points = ["A", "B"], shape = "rod", mass = 2 }
[drivers]
swing = { joint = "A", torque = "4 N m" }
[forces]
gravity = [0, -9.81]
"""


@pytest.fixture
def swing(tmp_path: Path) -> Path:
    file = tmp_path / "swing.toml"
    file.write_text(SWING)
    return file


def run(capsys: Any, monkeypatch: Any, *arguments: object) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["structkin", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_the_command_takes_formulations_and_draws_reactions(
    capsys: Any, monkeypatch: Any, tmp_path: Path, swing: Path
) -> None:
    one, two = tmp_path / "e.png", tmp_path / "r.png"
    chosen = "--formulation", "multipliers", "--coordinates", "fully-cartesian", "--stabilisation", "baumgarte"
    options = "--duration", 0.2, "--samples", 5, *chosen, "--alpha", 5, "--beta", 5
    code, out, _ = run(capsys, monkeypatch, "simulate", swing, *options, "--energies", one, "--reactions", two)
    assert code == 0 and "largest joint closure error" in out
    assert min(one.stat().st_size, two.stat().st_size) > 10_000
    code, _, err = run(capsys, monkeypatch, "simulate", swing, "--duration", 0.2, "--coordinates", "natural")
    assert code == 2 and "multipliers" in err
    code, _, err = run(capsys, monkeypatch, "simulate", swing)
    assert code == 2 and "--duration" in err


def test_the_command_writes_tables_and_pictures(capsys: Any, monkeypatch: Any, tmp_path: Path, swing: Path) -> None:
    table, one, two = tmp_path / "s.csv", tmp_path / "s.png", tmp_path / "e.png"
    options = "--duration", 0.2, "--samples", 5, "--csv", table, "--plot", one, "--energies", two
    code, out, _ = run(capsys, monkeypatch, "simulate", swing, *options)
    assert code == 0
    assert "free: swing" in out and "evaluations" in out
    assert min(one.stat().st_size, two.stat().st_size) > 10_000
    heads, units, *rows = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    r = sk.load(swing).simulate(0.2, samples=5)
    for head, unit, values in (
        ("swing.effort", "N m", r.efforts["swing"]),
        ("energy.total", "J", r.energy),
        ("B.x", "mm", r.position("B")[:, 0] * 1000),
    ):
        column = heads.index(head)
        assert units[column] == unit
        assert [float(row[column]) for row in rows] == pytest.approx(values.tolist(), rel=1e-14)


def test_json(capsys: Any, monkeypatch: Any, swing: Path) -> None:
    options = "--duration", 0.1, "--samples", 3, "--integrator", "rk4", "--step", 0.01, "--json"
    code, out, _ = run(capsys, monkeypatch, "simulate", swing, *options)
    data = json.loads(out)
    assert code == 0
    assert data["free"] == ["swing"] and data["stopped"] is None
    assert data["efforts"]["swing"] == [4.0] * 3
    assert data["integration"]["steps"] == 10
    # power in: the work of the torque, from the energy columns
    turned = (data["drivers"]["swing"]["value"][-1] - data["drivers"]["swing"]["value"][0]) * 3.141592653589793 / 180
    assert data["energy"]["total"][-1] - data["energy"]["total"][0] == pytest.approx(4 * turned, rel=1e-7)


def test_bad_calls_exit_with_2_and_an_early_stop_with_1(
    capsys: Any, monkeypatch: Any, tmp_path: Path, swing: Path
) -> None:
    code, _, err = run(capsys, monkeypatch, "simulate", swing)
    assert code == 2 and "no end is given" in err
    code, _, err = run(capsys, monkeypatch, "simulate", swing, "--duration", 1, "--integrator", "rk4")
    assert code == 2 and "fixed step" in err
    file = tmp_path / "ends.toml"
    file.write_text(
        'duration = 0.5\n[points]\nA=[0,0]\nB=[0.1,0.1]\n[links]\nground=["A"]\n'
        'crank={points=["A","B"],shape="rod",mass=1}\n[drivers]\nm={joint="A"}\n[forces]\n'
        'push={type="moment",on="crank",table=[[0,1],[0.1,1],[0.2,1],[0.3,1]]}\n'
    )
    options = "--samples", 11, "--integrator", "rk4", "--step", 0.005, "--energies", tmp_path / "a.png"
    code, out, _ = run(capsys, monkeypatch, "simulate", file, *options)
    assert code == 1
    assert "stopped at t = 0.3 s: forces.push: has no value at t = 0.3" in " ".join(out.replace("│", " ").split())


def test_the_panels_of_a_simulation(swing: Path) -> None:
    r = sk.load(swing).simulate(0.1, samples=3)
    figure = show.plot_simulation(r)  # a constant is written, not drawn
    assert [ax.get_ylabel() for ax in figure.axes] == ["angle [deg]", "energy [J]"]
    assert figure.get_suptitle().endswith(f"constant driver torque: swing {r.efforts['swing'][0]:.4g} N m")
    large = replace(r, efforts={"swing": r.efforts["swing"] + [2e4, 0, 0]})
    labels = [ax.get_ylabel() for ax in show.plot_simulation(large).axes]
    assert labels == ["angle [deg]", "driver torque [kN m]", "energy [J]"]
    plain = sk.Mechanism.from_dict({**sk.load(swing).source_dict, "drivers": {"swing": {"joint": "A"}}})
    figure = show.plot_simulation(plain.simulate(0.1, samples=3))
    assert [ax.get_ylabel() for ax in figure.axes] == ["angle [deg]", "energy [J]"]
    assert figure.get_suptitle().endswith("simulation")


def test_multipliers_in_tables(capsys: Any, monkeypatch: Any, tmp_path: Path, swing: Path) -> None:
    table = tmp_path / "s.csv"
    by = "--formulation", "multipliers-sparse", "--coordinates", "fully-cartesian"
    options = "--duration", 0.1, "--samples", 3, "--integrator", "rk4", "--step", 0.01
    gains = "--stabilisation", "baumgarte", "--gains", "stability"
    code, out, _ = run(capsys, monkeypatch, "simulate", swing, *by, *options, *gains, "--csv", table)
    assert code == 0 and "multipliers-sparse: 4 fully-cartesian coordinates, 3 constraints" in out
    heads, _, *rows = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    call = {"formulation": "multipliers-sparse", "coordinates": "fully-cartesian", "integrator": "rk4", "step": 0.01}
    r = sk.load(swing).simulate(0.1, samples=3, stabilisation="baumgarte", gains="stability", **call)
    column = heads.index("A (pin, y).multiplier")
    assert [float(row[column]) for row in rows] == pytest.approx(r.multipliers[:, 2].tolist(), rel=1e-12)
    code, out, _ = run(capsys, monkeypatch, "simulate", swing, *by, *options, "--json")
    data = json.loads(out)["constraints"]
    assert code == 0 and data["unique"] == {"A": True} and data["redundant"] == 0
    assert len(data["rows"]) == 3 and len(data["multipliers"]) == 3
    code, _, err = run(capsys, monkeypatch, "simulate", swing, "--alpha", 3)
    assert code == 2 and "alpha: the reduced formulation has no constraints to stabilise" in err


@pytest.mark.parametrize("samples", [3, 11, 101])
@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_the_time_at_which_a_stroke_ends_does_not_depend_on_the_samples(samples, formulation):
    """A weight falls half a metre from rest; thrown up, it turns back between the first samples, and falls on."""
    fall = sk.Mechanism(
        points={"A": (0, 0)}, links={"ground": [], "weight": {"points": ["A"], "mass": 1}},
        joints={"guide": {"type": "prismatic", "links": ["ground", "weight"], "axis": (0, 1), "stroke": [-0.5, 1]}},
        drivers={"z": {"joint": "guide"}}, forces={"gravity": (0, -9.81)},
    )  # fmt: skip
    for speed in (0.0, 3.0):
        r = fall.with_initial({"z": {"speed": speed}}).simulate(1.2, samples=samples, formulation=formulation)
        (passage,) = r.limits
        assert passage.t == pytest.approx((speed + np.sqrt(speed**2 + 2 * 9.81 * 0.5)) / 9.81, abs=1e-8)
        assert passage.drivers["z"] == pytest.approx(-0.5, abs=1e-9)
