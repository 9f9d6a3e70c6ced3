"""`structkin check`: when a motion that does not close after its range would close."""

import pytest
from typer.testing import CliRunner

from structkin.cli import app
from structkin.examples import path


def checked(file):
    run = CliRunner().invoke(app, ["check", str(file)])
    assert run.exit_code == 0
    return run.stdout


def geared(tmp_path, old, new):
    """The geared five-bar with one entry of its file replaced: the second crank turns half as fast as the motor."""
    whole = path("geared_five_bar").read_text(encoding="utf-8")
    assert old in whole
    file = tmp_path / "geared.toml"
    file.write_text(whole.replace(old, new), encoding="utf-8")
    return file


def test_a_motion_that_does_not_close(tmp_path):
    said = checked(geared(tmp_path, "duration = 2", "duration = 1"))
    assert "the motion does not close after 1 turn of motor: left_rod" in said
    assert "it closes after 2 turns, in 2 s" in said


@pytest.mark.parametrize("name", ["geared_five_bar", "crank_rocker"])
def test_a_motion_that_closes(name):
    assert "does not close" not in checked(path(name))


def test_without_constant_speed_only_the_turns_are_known(tmp_path):
    """At 90 t^2 deg, the turn of the first 2 s takes longer than the next: two turns take 2.83 s, not 4 s."""
    said = checked(geared(tmp_path, 'speed = "60 rpm"', 'law = "90*t*t"'))
    assert "it closes after 2 turns\n" in said
