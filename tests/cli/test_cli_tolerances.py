"""`structkin tolerances FILE`: what it prints and writes, its units, and every mistake in a file at once."""

from __future__ import annotations

import csv
import json

import pytest
from crank_rocker_text import CRANK_ROCKER
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app

FILE = f"""
samples = 25
variants = 128
seed = 2
{CRANK_ROCKER}[tolerances]
"lengths.A-B" = 0.05
"lengths.B-C" = [-0.1, "0.02 cm"]
"points.D.x" = {{ sigma = 0.02 }}
"drivers.motor.speed" = "0.5 rad/s"
[clearances]
B = "20 um"
[measures]
swing = "range.angle.rocker"
"""


def run(file, text, *words):
    file.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["tolerances", str(file), *map(str, words)])


def test_numbers_of_a_file_are_in_its_units(tmp_path):
    mechanism = sk.Mechanism.from_dict(
        {
            "points": {"A": (0, 0), "B": (0.02, 0.03464), "C": (0.1339, 0.0725), "D": (0.1, 0)},
            "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
            "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}},
        }
    )
    found = run(tmp_path / "a.toml", FILE.replace('"drivers.motor.speed" = "0.5 rad/s"\n', ""), "--json")
    assert found.exit_code == 0, found.output
    own = mechanism.tolerances(
        {"lengths.A-B": 5e-5, "lengths.B-C": (-1e-4, 2e-4), "points.D.x": {"sigma": 2e-5}},
        {"swing": "range.angle.rocker"}, clearances={"B": 2e-5}, samples=25, variants=128, seed=2,
    )  # fmt: skip
    data = json.loads(found.output)["measures"]["swing"]
    for what in ("nominal", "sigma", "drawn_sigma"):
        assert data[what] == pytest.approx(getattr(own["swing"], what).tolist(), rel=1e-9)
    assert data["worst"][0] == pytest.approx(own["swing"].worst[0].tolist(), rel=1e-9)


def test_what_is_written(tmp_path):
    found = run(tmp_path / "a.toml", FILE, "--csv", tmp_path / "a.csv", "--plot", tmp_path / "a.png")
    assert found.exit_code == 0, found.output
    assert "swing = 73.2776 deg" in found.output and "[deg]" in found.output and "Tighten" in found.output
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert row["measure"] == "swing" and row["unit"] == "deg" and (tmp_path / "a.png").stat().st_size > 1000


def test_a_pose_and_lost_variants(tmp_path):
    """At a pose there is one number; a tolerance that tears the loop apart loses variants: exit code 1."""
    text = FILE
    for old, new in (
        ("samples = 25\n", ""),
        ("range.angle.rocker", "angle.rocker"),
        ('"drivers.motor.speed" = "0.5 rad/s"\n', ""),
        ("[clearances]", "[at]\nmotor = 90\n[clearances]"),
    ):
        text = text.replace(old, new)
    found = run(tmp_path / "a.toml", text, "--json")
    assert found.exit_code == 0, found.output
    assert len(json.loads(found.output)["measures"]["swing"]["nominal"]) == 1
    torn = run(tmp_path / "b.toml", FILE.replace('"lengths.A-B" = 0.05', '"lengths.A-B" = 35'))
    assert torn.exit_code == 1 and "variants do not pass all samples" in torn.output


def test_every_mistake_is_listed(tmp_path):
    text = """
    plans = 1
    distribution = "gauss"
    variants = -1
    duration = "3 mm"
    at = { engine = 3 }
    tolerances = { "lengths.A-X" = 0.1, "lengths.A-B" = "3 kg", "drivers.motor.speed" = "1 mm" }
    clearances = { B = "x" }
    measures = 3
    """ + FILE[FILE.index("[mechanism]") : FILE.index("[tolerances]")]
    found = str(run(tmp_path / "a.toml", text).exception)
    for key in ("plans", "distribution", "variants", "duration", "measures", "tolerances.lengths.A-X",
                "tolerances.lengths.A-B", "tolerances.drivers.motor.speed", "clearances.B", "at.engine"):  # fmt: skip
        assert f"- {key}: " in found, (key, found)
    # names of another section too, in the same round
    wrong = (
        FILE.replace("lengths.B-C", "lengths.A-X").replace("range.angle", "range.z").replace('B = "20 um"', "Q = 0.02")
    )
    found = str(run(tmp_path / "a.toml", wrong).exception)
    assert all(f"- {key}: " in found for key in ("tolerances.lengths.A-X", "clearances.Q", "measures.swing"))
    assert "- mechanism: is missing" in str(run(tmp_path / "a.toml", "samples = 3\n").exception)
    empty = str(run(tmp_path / "a.toml", FILE[: FILE.index("[tolerances]")]).exception)
    assert "- measures: there are none" in empty and "- tolerances: there are none" in empty


def test_more_variants_than_a_study_may_have_are_listed_with_all_else(tmp_path):
    many = FILE.replace("variants = 128", f"variants = {10**12}")
    said = "variants: 1,000,000,000,000 are more than tolerances may have; at most 100,000,000"
    for text, keys in (
        (many.replace("seed = 2", "seed = 2\nplans = 1"), ["plans", "variants"]),
        (many.replace("= 0.05", "= -0.05"), ["tolerances.lengths.A-B", "variants"]),
    ):
        error = run(tmp_path / "a.toml", text).exception
        assert isinstance(error, sk.InputError) and said in map(str, error.problems)
        assert [problem.key for problem in error.problems] == keys


@pytest.mark.parametrize(
    "old, new, said",
    [
        (
            '"lengths.A-B" = 0.05',
            '"lengths.A-B" = 50',
            "tolerances.lengths.A-B: the length 39.9991 mm less 50 mm",
        ),
        ('"lengths.A-B" = 0.05', '"lengths.C-B" = 0.05', "tolerances.lengths.B-C: is named twice"),
        ('"20 um"', "-0.02", "clearances.B: expected a clearance greater than zero, found -0.02 mm"),
    ],
)
def test_what_the_numbers_mean_is_told_by_keys_and_in_units_of_the_file(tmp_path, old, new, said):
    error = run(tmp_path / "a.toml", FILE.replace(old, new)).exception
    assert isinstance(error, sk.InputError) and str(error).startswith(str(tmp_path / "a.toml"))
    assert any(str(problem).startswith(said) for problem in error.problems), error
