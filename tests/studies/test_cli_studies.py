"""`structkin studies` writes its tables and pictures, and tells mistakes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from structkin.cli import main


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["structkin", "studies", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    return int(caught.value.code or 0), said.out, said.err


def test_baumgarte(monkeypatch, capsys, tmp_path: Path) -> None:
    code, out, _ = run(monkeypatch, capsys, "baumgarte", "--to", str(tmp_path / "new"))
    assert code == 0
    assert "0.9997" in out and "0.57" in out
    written = {path.name for path in (tmp_path / "new").iterdir()}
    assert written == {
        "baumgarte_response.png", "baumgarte_stability.png", "baumgarte_table_1.csv", "baumgarte_steps.csv"
    }  # fmt: skip


def test_gait(monkeypatch, capsys, tmp_path: Path) -> None:
    code, out, _ = run(monkeypatch, capsys, "gait", "--to", str(tmp_path))
    assert code == 0
    assert "right knee" in out
    assert {path.name for path in tmp_path.iterdir()} == {"gait.png", "gait_moments.csv"}
    assert len((tmp_path / "gait_moments.csv").read_text().splitlines()) == 202


def test_mistakes(monkeypatch, capsys, tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("t,hip_x\n0,1\n")
    code, _, err = run(monkeypatch, capsys, "gait", "--markers", str(tmp_path / "walk.csv"))
    assert code == 2
    assert "hip_y: there is no such column" in err and "mt5_y" in err
    code, _, err = run(monkeypatch, capsys, "gait", "--cutoff", "99")
    assert code == 2 and "99 Hz" in err
    (tmp_path / "taken").write_text("")
    code, _, err = run(monkeypatch, capsys, "baumgarte", "--to", str(tmp_path / "taken"))
    assert code == 2 and "name a folder" in err
