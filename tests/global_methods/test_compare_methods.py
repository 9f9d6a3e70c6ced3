"""`m.compare()` and `structkin compare`: agreement and disagreement are reported in words, numbers and exit codes."""

import gc
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from commands import structkin
from coordinate_samples import FAMILIES, four_bar

import structkin as sk
from structkin.bench.clock import fastest
from structkin.examples import path
from structkin.global_methods import measure as measuring
from structkin.global_methods import methods
from structkin.global_methods.compare import regularity
from structkin.global_methods.linear import Dense
from structkin.global_methods.measure import measure_each
from structkin.global_methods.scaled import Scaled


def test_the_methods_agree_on_a_four_bar():
    found = four_bar(1, 3, 2.5, 3, 0.7).compare(37)
    assert found.agrees and found.samples == found.regular == 37
    assert [(run.method, run.coordinates) for run in found.runs[:3]] == [
        ("topological", None), ("topological-kl", None), ("global", "natural"),
    ]  # fmt: skip
    assert len(found.runs) == 2 + 3 * 4
    for run in found.runs:
        assert run.seconds > 0 and run.wall_seconds > 0 and run.timed >= 3 and run.ok == 37 and run.most_iterations <= 3
        assert run.position < 1e-12 and run.acceleration < 1e-11
    assert json.loads(json.dumps(found.to_dict()))["runs"][2]["n"] == 4


@pytest.mark.usefixtures("timed_once")
def test_disagreement_is_reported(monkeypatch):
    """A method that solved another mechanism: in other poses, or out of reach where the first is not."""
    m, solve = four_bar(2, 2, 2.2, 2, 0.7), methods.solve
    for other, gap, lost in ((four_bar(2, 2, 2.2 + 1e-4, 2, 0.7), 1e-5, 0), (four_bar(2, 1.5, 1.2, 2, 0.7), 0.1, 50)):

        def another(one, *args, method, other=other, **more):
            return solve(other if method == "global" else one, *args, method=method, **more)

        monkeypatch.setattr(methods, "solve", another)
        found = m.compare(181, methods=["global"], coordinates=["natural"])
        assert not found.agrees
        assert found.runs[1].status_differences >= lost and found.runs[1].position > gap


@pytest.mark.full
def test_a_change_point_that_a_global_method_calls_singular_is_not_a_disagreement():
    """All bars in line at a sample: a global method gives no rates there, but the position of the smooth motion."""
    m = four_bar(1, 2, 1, 2, 0.5)
    drivers = {"motor": {"joint": "A", "law": "pi*t"}}
    m = sk.Mechanism.from_dict({**m.source_dict, "drivers": drivers, "duration": 2.0})
    found = m.compare(73, methods=["global-triangular"])
    assert found.agrees and found.regular < 73
    assert [run.ok for run in found.runs] == [73, 70, 70, 70, 70]
    assert all(run.status_differences == 0 and run.position < 1e-10 for run in found.runs)


def test_unknown_names_are_all_reported():
    with pytest.raises(sk.InputError) as error:
        four_bar(1, 3, 2.5, 3, 0.7).compare(0, methods=["globl"], coordinates=["naturel"], duration=-1.0)
    assert [problem.key for problem in error.value.problems] == ["methods", "coordinates", "samples", "duration"]
    run = structkin(
        "compare", path("crank_rocker"), "--samples", 0, "--duration", -1, "--method", "globl", "--coordinates", "x"
    )
    assert run.returncode == 2
    assert all(word in run.stderr for word in ("samples", "duration", "'globl' is unknown", "'x' is unknown"))


def test_a_mechanism_without_a_default_range_is_compared_over_a_duration():
    data = four_bar(1, 3, 2.5, 3, 0.7).source_dict
    data["drivers"] = {"motor": {"joint": "A", "law": "0.7 + 0.4*sin(t)"}}
    m = sk.Mechanism.from_dict(data)
    found = m.compare(5, methods=["global"], coordinates=["natural"], duration=10)
    assert found.agrees and found.samples == 5
    with pytest.raises(sk.InputError) as error:
        m.compare(0)
    assert [problem.key for problem in error.value.problems] == ["samples", "duration"]


@pytest.mark.usefixtures("timed_once")
def test_command_line(tmp_path):
    run = structkin("compare", path("crank_rocker"), "--samples", 25, "--coordinates", "natural", "--json")
    assert run.returncode == 0, run.stderr
    data = json.loads(run.stdout)
    assert data["samples"] == 25 and [r["method"] for r in data["runs"]][-1] == "global-triangular"
    assert all(r["agrees"] for r in data["runs"])
    assert structkin("compare", path("crank_rocker"), "--method", "fast").returncode == 2
    assert structkin("compare", tmp_path / "none.toml").returncode == 2
    file = tmp_path / "out_of_reach.json"
    file.write_text(json.dumps(four_bar(2, 1.5, 1.2, 2, 0.3).source_dict))
    short = structkin("compare", file, "--samples", 25, "--method", "global", "--coordinates", "relative")
    assert short.returncode == 1 and "25 samples, all methods agree" in short.stdout


class Clock:
    """A clock that stands still but for `spend`: what runs on it takes the time that the test says."""

    def __init__(self):
        self.processor = self.wall = 0.0

    def spend(self, processor, wall):
        self.processor, self.wall = self.processor + processor, self.wall + wall

    def process_time(self):
        return self.processor

    def perf_counter(self):
        return self.wall


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(measuring, "time", found)
    return found


def runs_of(clock, *costs):
    """A run that takes these processor times [s] in turn, and the last for ever; twice as long by the wall clock."""
    left = list(costs)

    def run(report):
        if report is not None:
            report(0.5)
        cost = left.pop(0) if len(left) > 1 else left[0]
        clock.spend(cost, 2 * cost)
        return "result"

    return run


def measure(run, patience, memory=False):
    return measure_each(["it"], lambda _, report: run(report), None, patience=patience, memory=memory)["it"]


def test_the_first_run_never_counts_however_long_it_takes(clock):
    found = measure(runs_of(clock, 5.0, 0.2, 0.1, 0.4, 0.1, 0.3), patience=30.0)
    assert found.processor == pytest.approx((0.2, 0.1, 0.4, 0.1, 0.3))
    assert found.wall == pytest.approx((0.4, 0.2, 0.8, 0.2, 0.6))
    assert found.seconds == pytest.approx(0.2) and found.spread == pytest.approx(1.5)
    assert found.result == "result" and found.peak is None


def test_short_runs_are_repeated_and_long_ones_only_while_patience_lasts(clock):
    assert len(measure(runs_of(clock, 1e-3), patience=None).processor) == 7
    assert len(measure(runs_of(clock, 0.035), patience=None).processor) == 6
    assert len(measure(runs_of(clock, 100.0), patience=None).processor) == 5
    before = clock.wall
    assert len(measure(runs_of(clock, 10.0), patience=30.0).processor) == 2
    assert clock.wall - before == pytest.approx(60.0)


def test_what_slows_the_computer_down_meanwhile_slows_all_choices_alike(clock):
    """One after the other, most runs of the second would be slow: the ratio would be eight."""

    def run(choice, _):
        slow = 4 if clock.wall > 0.75 else 1
        clock.spend(0.1 * slow * choice, 0.1 * slow * choice)
        return choice

    found = measure_each([1, 2], run, None, patience=None, memory=False)
    assert found[2].seconds / found[1].seconds == pytest.approx(2)


def test_a_run_on_a_clock_of_coarse_ticks_has_no_spread(clock):
    found = measure(runs_of(clock, 0.0), patience=None)
    assert found.seconds == found.spread == 0.0 and len(found.processor) == 7


def test_all_that_is_in_the_process_is_not_visited_before_each_run(clock):
    """To collect all garbage took 60 of the 72 s of a comparison, in a process where a suite of tests was loaded."""
    generations = []
    gc.disable()
    gc.callbacks.append(lambda phase, info: generations.append(info["generation"]))
    try:
        measure(runs_of(clock, 1e-3), patience=None)
        fastest(list, 3)
    finally:
        gc.callbacks.pop()
        gc.enable()
    assert generations and max(generations) == 1


def test_tracing_memory_is_given_up_when_patience_is_spent(clock):
    def slow(report):
        kept = bytearray(1_000_000)
        if tracemalloc.is_tracing():
            clock.spend(10.0, 10.0)
        if report is not None:
            report(0.5)
        return len(kept)

    assert measure(slow, patience=30.0, memory=True).peak >= 1_000_000
    assert measure(slow, patience=5.0, memory=True).peak is None
    assert not tracemalloc.is_tracing()


def test_memory_is_traced_on_request_only():
    found = four_bar(1, 3, 2.5, 3, 0.7).compare(5, methods=["topological-kl"])
    assert [run.peak_bytes for run in found.runs] == [None, None]
    run = structkin("compare", path("crank_rocker"), "--samples", 5, "--method", "topological-kl")
    traced = structkin("compare", path("crank_rocker"), "--samples", 5, "--method", "topological-kl", "--memory")
    assert "MiB" not in run.stdout and "MiB" in traced.stdout


@pytest.mark.full
def test_memory_is_that_of_the_method_from_the_first_call():
    """Imports and caches of a process's first solution are no cost of a method, as a fresh process shows."""
    code = (
        "import json, sys, structkin as sk\n"
        "m = sk.load(sys.argv[1])\n"
        "calls = [m.compare(73, coordinates=['natural'], memory=True) for _ in range(2)]\n"
        "print(json.dumps([[run.peak_bytes for run in found.runs] for found in calls]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, path("crank_rocker")], check=True, capture_output=True, text=True, timeout=120
    )
    first, second = json.loads(run.stdout)
    assert len(first) == 5
    for a, b in zip(first, second, strict=True):
        assert a == pytest.approx(b, rel=0.25)


def test_a_method_that_takes_too_long_is_abandoned():
    parts = []
    found = four_bar(1, 3, 2.5, 3, 0.7).compare(
        37, methods=["global", "global-sparse"], coordinates=["natural", "relative"],
        patience=1e-9, progress=parts.append,
    )  # fmt: skip
    assert [run.method for run in found.runs] == ["topological"]
    assert len(found.abandoned) == 4 and ("global", "relative") in found.abandoned
    assert found.to_dict()["abandoned"][0] == {"method": "global", "coordinates": "natural"}
    assert found.agrees and parts[-1] == 1.0 and parts == sorted(parts)
    patient = four_bar(1, 3, 2.5, 3, 0.7).compare(37, methods=["global"], coordinates=["natural"], patience=None)
    assert not patient.abandoned and len(patient.runs) == 2
    for wrong in (0, -1.0, float("nan"), "1", True):
        with pytest.raises(sk.InputError, match="patience"):
            four_bar(1, 3, 2.5, 3, 0.7).compare(37, patience=wrong)
    result = structkin("compare", path("crank_rocker"), "--samples", 25, "--method", "global", "--patience", "1e-9")
    words = " ".join(result.stdout.split())
    assert result.returncode == 1 and "Abandoned after 1e-09 s: global (natural)" in words


def test_progress_is_reported_within_a_method():
    parts = []
    sk.load(path("crank_rocker")).compare(2001, methods=["global"], coordinates=["natural"], progress=parts.append
    )  # fmt: skip
    assert len(parts) > 10 and parts == sorted(parts) and sum(0.5 < part < 1 for part in parts) > 3


def test_units_and_names_are_not_read_as_markup(tmp_path):
    data = dict(four_bar(1, 3, 2.5, 3, 0.7).source_dict)
    file = tmp_path / "red.json"
    file.write_text(json.dumps({**data, "title": "[red]four-bar"}))
    run = structkin("compare", file, "--samples", 25, "--method", "topological-kl")
    assert "time [ms]" in run.stdout and "[red]four-bar" in run.stdout


def test_solve_takes_method_and_coordinates():
    file = path("slider_crank_offset")
    run = structkin("solve", file, "--samples", 9, "--method", "global", "--coordinates", "relative", "--json")
    plain = structkin("solve", file, "--samples", 9, "--json")
    assert run.returncode == plain.returncode == 0, run.stderr
    assert json.loads(run.stdout).keys() == json.loads(plain.stdout).keys()
    wrong = structkin("solve", file, "--coordinates", "relative")
    assert wrong.returncode == 2 and "has no coordinates" in wrong.stderr


def test_a_ram_that_is_short_relative_to_the_mechanism():
    """Its rows are small relative to the mechanism's size at every pose, but no pose is singular."""
    found = sk.load(path("excavator")).compare(13, methods=["global"], coordinates=["natural", "relative"])
    assert found.agrees and found.regular == found.samples == 13


@pytest.mark.parametrize("family", FAMILIES)
def test_regularity_is_judged_by_the_parts(family):
    """A distant point makes the mechanism large, but no pose singular."""
    table = four_bar(1, 3, 2.5, 3, 0.7).source_dict
    far = {**table, "points": {**table["points"], "F": (900.0, 0.0)}}
    far["links"] = {**table["links"], "ground": [*table["links"]["ground"], "F"]}
    sigmas = []
    for m in (sk.Mechanism.from_dict(table), sk.Mechanism.from_dict(far)):
        known = m.solve(37, method="global", coordinates=family).statistics
        scaled = Scaled(known.coordinates, Dense)
        sigmas.append((regularity(scaled, known.q, known.z), known.smallest_singular_value))
    (near, small), (same, shrunk) = sigmas
    np.testing.assert_allclose(same, near, rtol=0.2)
    assert near.min() > 0.05
    if family != "natural":  # there a pin on the ground is not a coordinate
        assert shrunk.max() < 0.05 * small.min()
