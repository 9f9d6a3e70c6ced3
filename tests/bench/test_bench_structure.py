"""`structkin bench structure` runs and reports what it should; no time is asserted."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from structkin.bench.decomposition import FAMILIES, STEPS, exponent, measure
from structkin.cli import app
from structkin.errors import InputError


def test_a_tiny_run(tmp_path: Path) -> None:
    file = tmp_path / "bench.csv"
    result = CliRunner().invoke(app, ["bench", "structure", "--links", "30", "--links", "60", "--csv", str(file)])
    assert result.exit_code == 0, result.output
    assert "certificate" in result.output
    assert "not solvable" not in result.output
    with file.open(newline="") as table:
        lines = list(csv.DictReader(table))
    assert [line["family"] for line in lines] == [family for family in FAMILIES for _ in range(2)]
    assert [(line["links"], line["groups"]) for line in lines[:2]] == [("30", "15"), ("60", "30")]
    assert all(line["solvable"] == "True" for line in lines)
    for line in lines:
        assert sum(float(line[step]) for step in STEPS) <= float(line["total"]) + 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_one_measurement(family: str) -> None:
    small, large = measure(family, 50), measure(family, 100)
    assert small.links <= 50 < large.links <= 100
    assert large.solvable
    assert math.isfinite(large.objects)
    assert math.isfinite(exponent(small, large))


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        ("structure --links 1e20", ["--links: more than 10,000,000 are not measured; give fewer"]),
        ("structure --links nan --links inf --links 3 --seed -1", [
            "--links: nan links make no four-bar; give 4 or more",
            "--links: 3 links make no four-bar; give 4 or more",
            "--links: more than 10,000,000 are not measured; give fewer",
            "--seed: -1 is negative; give 0 or more",
        ]),
        (f"groups --turns {10**30}", ["--turns: more than 10,000 are not measured; give fewer"]),
        (f"variants --variants {10**30}", ["--variants: more than 1,000,000 are not measured; give fewer"]),
        (f"scalable-four-bar --dyads {10**30} --turns {10**30}", [
            "--dyads: more than 10,000 are not measured; give fewer",
            "--turns: more than 10,000 are not measured; give fewer",
        ]),
    ],
)  # fmt: skip
def test_counts_that_could_not_be_measured_are_refused(words: str, problems: list[str]) -> None:
    error = CliRunner().invoke(app, ["bench", *words.split()]).exception
    assert isinstance(error, InputError) and list(map(str, error.problems)) == problems
