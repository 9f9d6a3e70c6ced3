"""What many linkages cost: every linkage that turns fully is solved at all angles."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from structkin.cli import app

sys.path.insert(0, str(Path(__file__).parent))


def test_the_command(tmp_path):
    result = CliRunner().invoke(app, ["bench", "linkages", "--quick", "--csv", str(tmp_path / "linkages.csv")])
    assert result.exit_code == 0, result.output
    with (tmp_path / "linkages.csv").open(encoding="utf-8") as file:
        scattered, turning, guided = csv.DictReader(file)
    assert float(turning["closed"]) == float(guided["closed"]) == 1 and 0 < float(scattered["closed"]) < 1
    assert float(turning["a_second"]) > 0 and float(turning["nanoseconds"]) > 0 and float(guided["sliders"]) > 0


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("joints", [5, 20])
def test_structure_digits_and_certificates_cost_less_than_the_bare_loop_once_more(joints):
    """Promised: 1.5; measured: 1.5 to 1.1. A guard with twice that bound, as in `test_guards`."""
    from bare_linkages import compare

    bare, own, away = compare(joints, turning=True, rounds=5)
    assert away < 1e-6 and own < 3 * bare
