"""`structkin study FILE`: what it prints and writes, and every mistake in a file at once."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.solve.study.store import FINISHED, finished_in
from structkin.solve.study.study_file import read_study

STUDY = """
mechanism = "four_bar.toml"
plan = "grid"
samples = 37
duration = "0.5 s"
[parameters]
"lengths.B-C" = [110, 120]
"lengths.C-D" = ["7 cm", "80 mm", 200]
[measures]
swing = "range.angle.rocker"
[best]
measure = "swing"
count = 2
"""


def run(*words):
    return CliRunner().invoke(app, ["study", *map(str, words)])


@pytest.fixture
def study(tmp_path):
    (tmp_path / "four_bar.toml").write_text(path("crank_rocker").read_text(encoding="utf-8"), encoding="utf-8")
    file = tmp_path / "study.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


def test_a_study_of_a_file(study, tmp_path):
    options = [("--csv", "a.csv"), ("--plot", "a.png"), ("--best", "b.svg"), ("--to", "a.zarr")]
    found = run(study, *[str(tmp_path / word) if k else word for pair in options for k, word in enumerate(pair)])
    assert found.exit_code == 0, found.output
    assert "6 variants: " in found.output and "best by swing" in found.output and "kept: " in found.output
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["lengths.C-D"]) for row in rows] == [0.07, 0.08, 0.2] * 2
    data = sk.load(path("crank_rocker")).source_dict
    for row in rows:
        data["lengths"].update({pair: f"{row[f'lengths.{pair}']} m" for pair in ("B-C", "C-D")})
        one = sk.Mechanism.from_dict(data).solve(samples=37, duration=0.5)
        assert row["status"] == sk.Status(one.status[~one.ok][0] if not one.ok.all() else 0).words
        if one.ok.all():
            assert float(row["swing"]) == pytest.approx(np.ptp(one.angle("rocker")), abs=1e-12)
        else:
            assert row["swing"] == ""
    assert (tmp_path / "a.png").stat().st_size > 1000 and "variant" in (tmp_path / "b.svg").read_text(encoding="utf-8")
    again = run(study, "--to", tmp_path / "a.zarr", "--json")
    assert again.stderr == "continues: 6 of 6 variants are there\n"
    best = json.loads(again.stdout)["best"]
    least = sorted((float(row["swing"]), int(row["variant"])) for row in rows if row["swing"])[:2]
    assert [(one["swing"], one["variant"]) for one in best] == least
    study.write_text(STUDY.replace("[110, 120]", "[110, 121]"), encoding="utf-8")
    other = run(study, "--to", tmp_path / "a.zarr")
    assert isinstance(other.exception, sk.InputError) and "another study: parameters differs" in str(other.exception)
    assert not other.stderr  # it does not go on


def test_without_a_measure_that_chooses_the_first_variants_are_shown(study):
    study.write_text(STUDY[: STUDY.index("[best]")], encoding="utf-8")
    found = run(study)
    assert found.exit_code == 0, found.output
    assert "the first 6" in found.output and found.output.count("\u2502") >= 6 * 2


def test_every_mistake_in_a_file_is_listed(study):
    study.write_text(
        STUDY.replace('"grid"', '"gird"').replace("37", "0").replace("0.5 s", "-1 s").replace("7 cm", "7 kg")
        .replace("rocker", "rokcer").replace("count = 2", 'count = 0\ncolour = "red"\nlargest = 1')
        .replace('"lengths.B-C" = [110, 120]', '"lengths.B-D" = [1, 2]\n"links.crank.mass" = 3\n"points.D.x" = [9, 8]')
        + "[extra]\n",
        encoding="utf-8",
    )  # fmt: skip
    with pytest.raises(sk.InputError) as error:
        read_study(study)
    assert sorted(problem.key for problem in error.value.problems) == sorted([
        "extra", "plan", "samples", "duration", "best.count", "best.colour", "best.largest", "parameters.lengths.B-D",
        "parameters.links.crank.mass", "parameters.lengths.C-D", "parameters.points.D.x", "measures.swing",
    ])  # fmt: skip
    for text, keys in (
        ("seed = 0", ["mechanism", "parameters", "measures"]),
        ('mechanism = "no.toml"\nparameters = 3\nmeasures = 4\nbest = 5', ["mechanism", "measures", "best"]),
        ("mechanism = 3\nmeasures = {}\nparameters = {}", ["mechanism"]),
    ):
        study.write_text(text, encoding="utf-8")
        with pytest.raises(sk.InputError) as error:
            read_study(study)
        assert [problem.key for problem in error.value.problems] == keys


def test_a_key_that_lacks_its_quotes_is_said(study):
    study.write_text(STUDY.replace('"lengths.B-C" =', "points.D.x ="), encoding="utf-8")
    with pytest.raises(sk.InputError, match=r'parameters\.points: .*; write its key in quotes: "points\.D\.x" = '):
        read_study(study)


def test_a_length_below_zero_is_found_before_anything_runs(study):
    study.write_text(STUDY.replace("[110, 120]", "[-110, 120]"), encoding="utf-8")
    with pytest.raises(sk.InputError, match=r"parameters.lengths.B-C: expected a length greater than zero, found -110"):
        read_study(study)


def test_a_heading_is_no_formula(study, tmp_path):
    study.write_text(STUDY.replace("swing", '"=1+1"', 1).replace('measure = "swing"', 'measure = "=1+1"'))
    assert run(study, "--csv", tmp_path / "a.csv").exit_code == 0
    assert next(csv.reader((tmp_path / "a.csv").read_text().splitlines()))[-1] == "'=1+1"


def test_best_needs_a_measure(study, tmp_path):
    study.write_text(STUDY.partition("[best]")[0], encoding="utf-8")
    found = run(study, "--best", tmp_path / "b.png")
    assert isinstance(found.exception, sk.InputError) and "add [best] with a measure" in str(found.exception)


def test_where_no_variant_has_a_value_the_table_counts_what_became_of_them(study, tmp_path):
    """All was written but the picture, then came an error that names a table, which was never printed."""
    study.write_text(STUDY.replace('["7 cm", "80 mm", 200]', "[400]"), encoding="utf-8")
    found = run(study, "--csv", tmp_path / "a.csv", "--best", tmp_path / "b.png")
    assert found.exit_code == 1 and "2 variants: 2 out of reach" in found.stdout
    assert found.stderr == "--best draws nothing: no variant has a value of 'swing'\n"
    assert (tmp_path / "a.csv").exists() and not (tmp_path / "b.png").exists()


@pytest.mark.parametrize("measure", ["path.C", "y.C"])
def test_a_measure_at_every_sample_chooses_nothing_which_is_known_before_anything_runs(study, tmp_path, measure):
    text = STUDY.replace("[best]", f'all = "{measure}"\n[best]').replace('measure = "swing"', 'measure = "all"')
    study.write_text(text, encoding="utf-8")
    words = r"best\.measure: the text 'all' is not one number for each variant; known: swing$"
    with pytest.raises(sk.InputError, match=words):
        read_study(study)


def test_how_much_of_a_study_is_there_counts_finished_chunks(study, tmp_path):
    """The last chunk is smaller; one whose note is missing is not there, though its rows are."""
    text = STUDY.replace('"grid"', '"sobol"').replace("samples = 37", "samples = 37\nvariants = 250")
    text = text.replace('["7 cm", "80 mm", 200]', "[70, 80]")
    study.write_text(text, encoding="utf-8")
    store = tmp_path / "a.zarr"
    assert "continues" not in run(study, "--to", store).stderr
    notes = sorted((store / FINISHED / "c").iterdir(), key=lambda note: int(note.name))
    size = -(-250 // len(notes))
    assert finished_in(store) == (250, 250) and len(notes) > 1 and 250 % size
    notes[0].unlink()
    assert finished_in(store) == (250 - size, 250)
    assert f"continues: {250 - size} of 250 variants are there" in run(study, "--to", store).stderr


def test_more_variants_than_a_study_may_have_are_listed_with_all_else(study):
    text = STUDY.replace('"grid"', '"sobol"\nvariants = 1_000_000_000\ncolour = 1')
    study.write_text(text, encoding="utf-8")
    with pytest.raises(sk.InputError) as error:
        read_study(study)
    assert [problem.key for problem in error.value.problems] == ["colour", "parameters.lengths.C-D", "variants"]
    assert "1,000,000,000 are more than a study may have; at most 100,000,000" in str(error.value)


def test_every_wrong_value_of_a_parameter_is_listed(study):
    """Only the first one was, and an empty list was called a list."""
    study.write_text(STUDY.replace("110, 120", '110, "3 kg", true, -1').replace('"7 cm", "80 mm", 200', ""), "utf-8")
    with pytest.raises(sk.InputError) as error:
        read_study(study)
    wrong = [(problem.key, problem.message) for problem in error.value.problems]
    assert wrong == [
        ("parameters.lengths.B-C", "'3 kg' is not a length"),
        ("parameters.lengths.B-C", "expected a number, found true"),
        ("parameters.lengths.B-C", "expected a length greater than zero, found -1"),
        ("parameters.lengths.C-D", "expected a list of numbers, found an empty list"),
    ]
