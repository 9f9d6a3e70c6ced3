"""What many linkages cost: every linkage that turns fully is solved at all angles."""

from __future__ import annotations

import csv

from typer.testing import CliRunner

from structkin.cli import app


def test_the_command(tmp_path):
    result = CliRunner().invoke(app, ["bench", "linkages", "--quick", "--csv", str(tmp_path / "linkages.csv")])
    assert result.exit_code == 0, result.output
    with (tmp_path / "linkages.csv").open(encoding="utf-8") as file:
        scattered, turning = csv.DictReader(file)
    assert float(turning["closed"]) == 1 and 0 < float(scattered["closed"]) < 1
    assert float(turning["a_second"]) > 0 and float(turning["nanoseconds"]) > 0
