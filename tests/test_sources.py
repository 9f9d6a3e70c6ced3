"""The index of the sources: every command of its tables runs, and every row has one or says why not."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from structkin.cli import main
from structkin.examples import names, path, scalable_four_bar, spatial

PAGE = Path(__file__).parents[1] / "docs" / "sources.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.count(" | ") == 3 and not line.startswith("| figure")
]
COMMANDS = list(dict.fromkeys(row[1].strip("`") for row in ROWS if row[1] != "none"))
#: Those that take more than a few seconds.
LONG = re.compile("studies (pendulum|slider-crank|small-steps|gait)|^structkin (bench|compare|spatial)")


def test_the_index_has_rows_of_every_source():
    assert len(ROWS) > 35 and len(COMMANDS) > 15
    assert all(row[1] == "none" or re.fullmatch("`structkin [^`]+`", row[1]) for row in ROWS)
    assert all(row[2] == "not done" and row[3] for row in ROWS if row[1] == "none")


#: Commands of another page, which `test_docs.py` runs.
ELSEWHERE = {
    line.removeprefix("$ ")
    for page in PAGE.parent.glob("*.md")
    for line in page.read_text(encoding="utf-8").splitlines()
}


def marks(command: str) -> list[pytest.MarkDecorator]:
    if not LONG.search(command):
        return []
    return [pytest.mark.slow if command in ELSEWHERE else pytest.mark.full]


@pytest.mark.usefixtures("timed_once")
@pytest.mark.parametrize("command", [pytest.param(one, marks=marks(one)) for one in COMMANDS])
def test_its_commands_run(command, tmp_path, monkeypatch):
    for name in {*names(), *spatial.names()}:
        source = path(name) if name in names() else spatial.path(name)
        if f"{name}.toml" in command:
            (tmp_path / source.name).write_bytes(source.read_bytes())
    if "scalable_four_bar.toml" in command:
        scalable_four_bar().save(tmp_path / "scalable_four_bar.toml")
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
