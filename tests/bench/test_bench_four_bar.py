"""The comparison of methods on the scalable four-bar: every method finds the same motion; no time is asserted."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from typer.testing import CliRunner

from structkin.bench import mechanism, tables
from structkin.bench.compared_methods import METHODS
from structkin.bench.comparison import MethodComparison
from structkin.bench.comparison_report import report
from structkin.bench.global_runs import GlobalRun
from structkin.bench.measure import crossing, measure, values
from structkin.bench.mechanism import SPEEDS, scalable_four_bar
from structkin.bench.pictures import draw_times
from structkin.bench.shares import METHODS as SHARED
from structkin.bench.shares import OPERATIONS, shares
from structkin.bench.tensors import Chain
from structkin.cli import app
from structkin.errors import InputError


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
    z = np.stack([motion.drivers[id] for id in m.drivers], axis=1)
    z[2] = np.linspace(0.1, 0.4, drivers)[:, None]
    motion = m.solve(drivers={id: tuple(z[:, i]) for i, id in enumerate(m.drivers)})
    arrays = chain.empty(len(t))
    chain.run(arrays, z, compiled=False, block=16)
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
    found = [measure(method, m, "python", 100) for method in METHODS]
    motion = m.solve(t=np.radians(np.arange(100.0)))
    parts = motion.position("C5"), motion.velocity("C5"), motion.acceleration("C5")
    for one in found:
        assert one.checksum == pytest.approx(np.mean(parts), abs=1e-10)
        assert one.constraints == 12 and one.drivers == 2 and one.best > 0 and one.floor > 0


def test_parts_of_a_long_motion_add_up(monkeypatch):
    m = scalable_four_bar(5)
    whole = measure(METHODS[0], m, "python", 700)
    monkeypatch.setattr("structkin.bench.measure.PIECE", 5 * 128)
    monkeypatch.setattr("structkin.bench.measure.WHOLE", 1)
    assert measure(METHODS[0], m, "python", 700).checksum == pytest.approx(whole.checksum, rel=1e-13)


def test_patience_leaves_the_rest_out(monkeypatch):
    monkeypatch.setattr("structkin.bench.measure.PIECE", 5 * 360)
    monkeypatch.setattr("structkin.bench.measure.WHOLE", 1)
    one = measure(METHODS[0], scalable_four_bar(5), "python", 3600, patience=1e-9)
    assert one.solved == 360 and one.samples == 3600 and one.seconds < one.best * 5
    assert one.extrapolated and one.row("motion")["extrapolated"] and tables.marked(one).endswith("*")
    comparison = MethodComparison(motions=[replace(one, family="as published")])
    assert tables.LEGEND in list(report(comparison)) and f"| {tables.marked(one)} |" in "\n".join(report(comparison))
    labels = [text.get_text() for text in draw_times(comparison, "as published").legends[0].get_texts()]
    assert any("extrapolated" in label for label in labels)


@pytest.mark.parametrize("method", few(METHODS[3:], 1), ids=lambda method: method.name)
def test_global_methods_relative_to_their_bare_calls(method):
    """Measurements exist and are finite; `structkin bench` reports their values."""
    m = scalable_four_bar(3)
    one = measure(method, m, "python", 720, runs=1)
    assert one.bare > 0 and np.isfinite(one.over_bare) and 1 <= one.iterations <= one.most <= 3
    run = method.prepare(m, 100, "python")
    assert isinstance(run, GlobalRun) and np.isfinite(run(values(1, 0, 100))).all() and run.bare(values(1, 0, 100)) > 0


@pytest.mark.parametrize("method", SHARED)
def test_shares_are_parts_of_the_whole(method):
    found = shares(scalable_four_bar(4), method, runs=1)
    assert tuple(found) == OPERATIONS and sum(found.values()) == pytest.approx(1.0)
    assert all(part >= 0 for part in found.values()) and (found["K and L"] > 0) == (method == "III")
    # A closed form needs no solve for q; the rates are solved apart, in every method.
    assert (found["solve for q"] > 0) == (method not in ("II", "III"))
    assert found["solve for q'"] > 0 and found["solve for q''"] > 0


def tiny(*more: object) -> Any:
    line = ["bench", "scalable-four-bar", "--dyads", "2", "--dyads", "6", "--turns", "1", "--engine", "python"]
    return CliRunner().invoke(app, [*line, "--quick", *map(str, more)])


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "scalable_four_bar.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.full
def test_a_tiny_run(tmp_path: Path):
    result = tiny("--to", tmp_path / "new")
    assert result.exit_code == 0, result.output
    for part in (
        "III, NumPy : II",
        "time ~ dyads^",
        "| IV-b, NumPy |",
        "relative to the bare calls | 2 | 6 |",
        "copying [ns]",
        "| operation | method | paper | here, 2 dyads | here, 6 dyads |",
        "| other | II | 42 |",
    ):
        assert part in result.output
    found = rows(tmp_path / "new")
    assert sum(row["part"] == "motion" for row in found) == 2 * 2 * len(METHODS)
    assert {row["part"] for row in found} == {"motion", "same work", "short", "drivers"}
    assert all(float(row["ratio"]) > 0 for row in found)
    names = ("times_as_published.png", "times_as_published_by_dyads.png", "times_unequal_lengths.png",
             "times_unequal_lengths_by_dyads.png", "shares.png", "shares_by_size.png")  # fmt: skip
    assert all((tmp_path / "new" / name).stat().st_size > 5000 for name in names)
    assert "# The methods on the scalable four-bar" in (tmp_path / "new" / "report.md").read_text()


@pytest.mark.full
def test_a_run_that_is_stopped_keeps_what_it_has(tmp_path: Path, monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("structkin.bench.shares.shares", stop)
    result = tiny("--to", tmp_path)
    assert result.exit_code == 1 and "stopped" in result.output
    assert len(rows(tmp_path)) == 2 * len(METHODS)
    assert (tmp_path / "times_as_published.png").exists() and (tmp_path / "report.md").exists()


def test_every_problem_of_a_call(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("")
    line = [
        "--dyads",
        "0",
        "--turns",
        "-1",
        "--patience",
        "0",
        "--engine",
        "fast",
        "--engine",
        "auto",
        "--to",
        str(file),
    ]
    error = CliRunner().invoke(app, ["bench", "scalable-four-bar", *line]).exception
    assert isinstance(error, InputError)
    keys = [problem.key for problem in error.problems]
    assert keys == ["--engine", "--engine", "--dyads", "--turns", "--patience", "--to"]


def test_parts_for_global_methods_are_long(monkeypatch):
    """Tracking of the first turn is not measured over a turn or two: a long motion tracks only once."""
    monkeypatch.setattr("structkin.bench.measure.PIECE", 360)
    monkeypatch.setattr("structkin.bench.measure.LONG_PIECE", 720)
    one = measure(METHODS[-1], scalable_four_bar(1), "python", 1080, runs=1, patience=1e-9)
    assert one.solved == 720


@pytest.mark.full
@pytest.mark.compiled
def test_two_threads_are_reported_next_to_one(tmp_path: Path):
    line = ["bench", "scalable-four-bar", "--dyads", "17", "--turns", "1", "--engine", "compiled", "--quick"]
    result = CliRunner().invoke(app, [*line, "--to", str(tmp_path)])
    assert result.exit_code == 0 and "one thread : two" in result.output
    assert [row["threads"] for row in rows(tmp_path) if row["part"] == "threads"] == ["1", "2"]


def test_uneven_runs_have_no_crossing():
    """Two leads changed hands twice, or a larger mechanism was faster: such runs cannot tell where curves cross."""
    sizes, slow = [4.0, 8.0, 18.0, 36.0], [2.0, 3.0, 4.0, 5.0]
    assert crossing(sizes, slow, [1.0, 2.0, 5.0, 9.0]) == pytest.approx(
        8 * (18 / 8) ** (math.log(1.5) / math.log(1.5 * 1.25))
    )
    assert crossing(sizes, slow, [1.0, 4.0, 3.5, 9.0]) is None
    assert crossing(sizes, [2.0, 3.0, 2.5, 5.0], [1.0, 2.0, 5.0, 9.0]) is None
    assert crossing(sizes, slow, [9.0, 9.5, 10.0, 11.0]) is None


def test_nothing_measured_has_no_crossings():
    assert MethodComparison().crossings("as published") == [] and MethodComparison().exponents() == []


def test_unequal_lengths_of_a_long_chain_are_found_in_few_draws(monkeypatch):
    """A thousand dyads took 184,192 draws, most of them the last two hundred; the swing of a dyad fills its range."""
    draws = []
    position = mechanism.RRR.position
    monkeypatch.setattr(mechanism.RRR, "position", lambda *args: draws.append(1) or position(*args))
    scalable_four_bar(800, seed=1)
    assert len(draws) < 40 * 800
