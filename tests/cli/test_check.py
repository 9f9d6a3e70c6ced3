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


def test_a_load_whose_table_ends_before_the_run_is_named(tmp_path):
    """The gas of the engine is known for two turns: over five turns, forces and a simulation of it end there."""
    whole = path("one_cylinder_engine").read_text(encoding="utf-8")
    file, freed = tmp_path / "engine.toml", tmp_path / "freed.toml"
    file.write_text(whole.replace("duration = 0.04", "duration = 0.1"), encoding="utf-8")
    driven, free = 'law = "90 + 18000*t"', '[initial]\nmotor = { value = 90, speed = "3000 rpm" }'
    freed.write_text(file.read_text(encoding="utf-8").replace(f", {driven} }}", f" }}\n{free}"), encoding="utf-8")
    hint = "its table covers 0 s to 0.04 s: give it rows for the whole run, or let the run end there"
    for one in (file, freed):
        assert f"note: forces.gas: has no value at some times of the run, 0 s to 0.1 s; {hint}\n" in checked(one)
    assert "forces.gas" not in checked(path("one_cylinder_engine"))
    stopped = " ".join(CliRunner().invoke(app, ["simulate", str(freed), "--samples", "5"]).output.split())
    assert "stopped at t = 0.04 s: forces.gas: has no value" in stopped and hint in stopped
    refused = str(CliRunner().invoke(app, ["forces", str(file)]).exception)
    assert "forces.gas: has no value at t = 0.0402778 s" in refused and hint in refused
