"""What variants cost: the command, and the memory of a study."""

from __future__ import annotations

import csv
import tracemalloc

import pytest
from typer.testing import CliRunner

from structkin.bench.variants import MEASURES, SAMPLES, six_bar
from structkin.cli import app
from structkin.solve.study import study


def test_the_command(tmp_path):
    words = ["bench", "variants", "--variants", "200", "--workers", "1", "--csv", str(tmp_path / "variants.csv")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((tmp_path / "variants.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["way"] for row in rows] == ["one mechanism", "all kept", "a point kept", "a study of five measures"]
    assert all(float(row["nanoseconds"]) > 0 for row in rows) and int(rows[1]["poses"]) == 200 * 73


@pytest.mark.full
def test_a_study_needs_memory_for_one_chunk():
    """The motions of all variants would take 350 MB."""
    m, bounds = six_bar()
    tracemalloc.start()
    study(m, bounds, plan="random", variants=20_000, samples=SAMPLES, measures=MEASURES)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
