"""The comparison of methods on the scalable four-bar: every method finds the same motion; no time is asserted."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from structkin.bench.measure import measure
from structkin.bench.mechanism import SPEEDS, scalable_four_bar
from structkin.bench.methods import METHODS
from structkin.bench.report import Comparison
from structkin.bench.shares import OPERATIONS, shares
from structkin.bench.tensors import Chain
from structkin.cli.app import app


@pytest.mark.parametrize("seed", [None, 3])
def test_the_published_mechanism(seed):
    m = scalable_four_bar(17, seed=seed)
    motion = m.solve(721, duration=4 * np.pi)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    assert m.structure().mobility == 1 and [group.kind for group in m.structure().groups] == ["driven R"] + ["RRR"] * 17
    if seed is None:
        np.testing.assert_allclose(
            motion.position("C17"), motion.position("C1") + np.array([16 * 6.0, 0.0]), atol=1e-10
        )


@pytest.mark.parametrize("drivers", [1, 2, 4])
def test_method_iii_with_tensors(drivers):
    m = scalable_four_bar(6, drivers, seed=1)
    t = np.linspace(0.0, 7.0, 40)
    motion = m.solve(t=t)
    assert motion.ok.all()
    chain = Chain.of(m, 6)
    z = np.stack([motion.drivers[id] for id in m.drives], axis=1)
    z[2] = np.linspace(0.1, 0.4, drivers)[:, None]
    motion = m.solve(drivers={id: tuple(z[:, i]) for i, id in enumerate(m.drives)})
    arrays = chain.empty(len(t))
    chain.run(arrays, z, numba=False, block=16)
    x, v, w, K, L = (array[-1] for array in arrays)
    np.testing.assert_allclose(x.T, motion.position("C6"), atol=1e-11)
    np.testing.assert_allclose(
        v.T, np.stack((motion.omega("coupler6"), motion.omega("rocker6"), *motion.velocity("C6").T), 1), atol=1e-11
    )
    np.testing.assert_allclose(
        w.T, np.stack((motion.alpha("coupler6"), motion.alpha("rocker6"), *motion.acceleration("C6").T), 1), atol=1e-10
    )
    np.testing.assert_allclose(np.moveaxis(K[2:], -1, 0), motion.K("C6"), atol=1e-11)
    np.testing.assert_allclose(np.moveaxis(L[2:], -1, 0), motion.L("C6"), atol=1e-10)
    np.testing.assert_allclose(np.moveaxis(L[1], -1, 0), motion.L("rocker6"), atol=1e-10)


def test_speeds_of_the_drivers_differ():
    assert len(set(SPEEDS)) == len(SPEEDS)


def test_all_methods_find_the_same_motion():
    m = scalable_four_bar(5, 2)
    found = [measure(method, m, "numpy", 100) for method in METHODS]
    motion = m.solve(t=np.radians(np.arange(100.0)))
    parts = motion.position("C5"), motion.velocity("C5"), motion.acceleration("C5")
    for one in found:
        assert one.checksum == pytest.approx(np.mean(parts), abs=1e-10)
        assert one.constraints == 12 and one.drivers == 2 and one.best > 0 and one.floor > 0


def test_pieces_of_a_long_motion_add_up(monkeypatch):
    m = scalable_four_bar(5)
    whole = measure(METHODS[0], m, "numpy", 700)
    monkeypatch.setattr("structkin.bench.measure.PIECE", 5 * 128)
    assert measure(METHODS[0], m, "numpy", 700).checksum == pytest.approx(whole.checksum, rel=1e-13)


def test_shares_are_parts_of_the_whole():
    found = shares(scalable_four_bar(4))
    assert tuple(found) == OPERATIONS and sum(found.values()) == pytest.approx(1.0)


def test_a_tiny_run(tmp_path: Path):
    line = ["bench", "scalable-four-bar", "--dyads", "2", "--dyads", "6", "--turns", "1", "--engine", "numpy"]
    result = CliRunner().invoke(app, [*line, "--to", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    assert "times II" in result.output and "time ~ dyads^" in result.output
    with (tmp_path / "new" / "scalable_four_bar.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    motions = [row for row in rows if row["part"] == "motion"]
    assert len(motions) == 2 * 2 * len(METHODS)
    assert all(float(row["ratio"]) > 0 for row in rows)
    assert all((tmp_path / "new" / name).stat().st_size > 5000 for name in ("times.png", "shares.png"))


def test_bad_options():
    assert CliRunner().invoke(app, ["bench", "scalable-four-bar", "--dyads", "0"]).exception is not None


def test_nothing_measured_has_no_crossings():
    assert Comparison().crossings("as published") == [] and Comparison().exponents() == []
