"""`structkin studies` writes its tables and pictures, and reports bad input."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from structkin.cli import main
from structkin.studies import cartesian
from structkin.studies.synthetic_gait import synthetic_markers


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["structkin", "studies", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    return int(caught.value.code or 0), said.out, said.err


@pytest.mark.slow  # command-line.md draws it, too
def test_baumgarte(monkeypatch, capsys, tmp_path: Path) -> None:
    code, out, _ = run(monkeypatch, capsys, "baumgarte", "--to", str(tmp_path / "new"))
    assert code == 0
    assert "0.9997" in out and "0.57" in out
    written = {path.name for path in (tmp_path / "new").iterdir()}
    assert written == {
        "baumgarte_response.png", "baumgarte_mapping.png", "baumgarte_stability.png", "baumgarte_table_1.csv",
        "baumgarte_steps.csv",
    }  # fmt: skip


@pytest.mark.full
def test_newton(monkeypatch, capsys, tmp_path: Path) -> None:
    code, out, _ = run(monkeypatch, capsys, "newton", "--quick", "--to", str(tmp_path))
    assert code == 0 and "no solution nearby" in out and "inflection point" in out
    assert {path.name for path in tmp_path.iterdir()} == {"newton.png", "newton.csv"}


def test_gait(monkeypatch, capsys, tmp_path: Path) -> None:
    code, out, _ = run(monkeypatch, capsys, "gait", "--to", str(tmp_path))
    assert code == 0
    assert "right knee" in out
    assert {path.name for path in tmp_path.iterdir()} == {"gait.png", "gait_guides.png", "gait_moments.csv"}
    assert len((tmp_path / "gait_moments.csv").read_text().splitlines()) == 202


@pytest.mark.full
def test_gait_drift_of_measured_markers(monkeypatch, capsys, tmp_path: Path) -> None:
    made = synthetic_markers(seed=5)
    heads = ["t", *(f"{name}_{axis}" for name in made.places for axis in "xy")]
    rows = np.column_stack((made.t, *(100 * place for place in made.places.values())))
    np.savetxt(tmp_path / "walk.csv", rows, fmt="%.4f", delimiter=",", header=",".join(heads), comments="")
    words = ("--quick", "--markers", str(tmp_path / "walk.csv"), "--unit", "cm", "--to", str(tmp_path))
    code, out, err = run(monkeypatch, capsys, "gait-drift", *words)
    assert code == 0, err
    assert "1 % too slow" in out
    assert {"gait_courses.png", "gait_drift.png", "gait_drift.csv"} < {path.name for path in tmp_path.iterdir()}


@pytest.mark.full
def test_a_quick_slider_crank_draws_courses_and_maps(monkeypatch, capsys, tmp_path: Path) -> None:
    """One gain and one step once gave plots of one dot and maps of one cell."""
    monkeypatch.setattr(cartesian, "DURATION", 0.2)
    code, out, err = run(monkeypatch, capsys, "slider-crank", "--quick", "--to", str(tmp_path))
    assert code == 0, err
    assert "2430" in out and "most iterations per step" in out
    lines = {path.stem: path.read_text().splitlines()[1:] for path in tmp_path.glob("*.csv")}
    tried = {name: {tuple(line.split(",")[:3]) for line in rows} for name, rows in lines.items()}
    assert len(tried["cartesian_slider_crank"]) >= 3
    for name in ("cartesian_tolerances", "cartesian_map"):
        gains, steps, tolerances = (set(column) for column in zip(*tried[name], strict=True))
        rows = len(steps) * len(tolerances)
        assert len(gains) > 1 and rows > 1 and len(tried[name]) == len(gains) * rows
    pictures = {"cartesian_slider_crank.png", "cartesian_tolerances.png", "cartesian_map.png"}
    assert pictures == {path.name for path in tmp_path.glob("*.png")}


def test_bad_input(monkeypatch, capsys, tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("t,hip_x\n0,1\n")
    code, _, err = run(monkeypatch, capsys, "gait", "--markers", str(tmp_path / "walk.csv"))
    assert code == 2
    assert "hip_y: there is no such column" in err and "mt5_y" in err
    code, _, err = run(monkeypatch, capsys, "gait", "--cutoff", "99")
    assert code == 2 and "99 Hz" in err
    (tmp_path / "taken").write_text("")
    code, _, err = run(monkeypatch, capsys, "baumgarte", "--to", str(tmp_path / "taken"))
    assert code == 2 and "name a folder" in err
