"""What general groups cost: the mechanisms are as described, and every pose of the turn is found."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from structkin.bench.groups import costs, platforms
from structkin.cli import app


@pytest.mark.parametrize(("count", "groups"), [(1, 3), (2, 1), (4, 1), (9, 1)])
def test_the_groups_turn_fully_and_close(count, groups):
    m = platforms(count, groups)
    found = m.structure().groups
    assert [len(group.links) for group in found] == [1] + [2 * count + 2] * groups
    motion = m.solve(181)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    # a full turn ends where it began, on the same branch
    for link in m.links:
        if link != "crank":
            np.testing.assert_allclose(motion.angle(link)[-1], motion.angle(link)[0], atol=1e-12)


@pytest.mark.full
def test_what_is_measured():
    *short, dyad, triad, six = costs("python", (2,), 2, short=(1, 2))
    assert [(one.kind, one.samples) for one in short] == [("dyad RRR", 360), ("triad 3-RR", 360)]
    assert dyad.dyads == 1.0 and dyad.against_cube == 1.0
    assert triad.links == 4 and triad.nanoseconds > 0 and triad.against_cube == pytest.approx(triad.dyads / 8)
    assert six.links == 6 and six.kind == "2 platforms"


def test_the_command(tmp_path):
    line = ["bench", "groups", "--quick", "--turns", "1", "--engine", "python", "--csv", str(tmp_path / "groups.csv")]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    assert "triad 3-RR" in result.output
    with (tmp_path / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["dyad RRR", "triad 3-RR", "2 platforms", "4 platforms"]
    assert CliRunner().invoke(app, ["bench", "groups", "--engine", "fortran"]).exception is not None
