"""Calls without an end are told before they begin, or as soon as it shows; long ones that have an end go through."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import structkin as sk
from structkin.budget import DEFAULT, charge, grant, metered, metering, new_meter
from structkin.errors import Problem
from structkin.examples import path


def example(name, **sections):
    """An example whose sections have other entries."""
    data = sk.load(path(name)).source_dict
    for section, entries in sections.items():
        data[section] = {**data.get(section, {}), **entries} if isinstance(entries, dict) else entries
    return sk.Mechanism.from_dict(data)


def crank_rocker(law, duration=None):
    more = {} if duration is None else {"duration": duration}
    return example("crank_rocker", drivers={"motor": {"joint": "A", "law": law}}, **more)


ENDLESS = [
    ("95*sin(2*pi*t)", 1e6),
    ("80000000.0*sin(2*pi*t)", 1.0),
    ("6.28*t", 1e12),
    ("exp(1000*t)", 1.0),
    ("exp(1000*t)", 0.1),
]


@pytest.mark.parametrize(("law", "duration"), ENDLESS)
@pytest.mark.parametrize("method", ["topological", "global-triangular"])
def test_a_way_of_too_many_poses_is_told_by_its_driver_before_it_is_walked(law, duration, method):
    mechanism = crank_rocker(law, duration)
    tracemalloc.start()
    try:
        with pytest.raises(sk.InputError) as found:
            mechanism.solve(method=method)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    (problem,) = found.value.problems
    assert problem.key == "drivers.motor" and law in problem.message and "GiB" in problem.message
    assert "shorter range" in problem.hint and "budget=None" in problem.hint


def test_values_that_were_given_are_named_like_laws():
    mechanism = sk.load(path("planetary_train"))
    with pytest.raises(sk.InputError, match=r"drivers.motor: its input moves it 1.59e"):
        mechanism.solve(drivers={"motor": [0.0, 1e9]})
    with pytest.raises(sk.InputError, match=r'drivers.motor: its speed "60 rpm" moves it'):
        mechanism.solve(duration=1e9)


def test_a_driver_on_another_joint_ends_where_its_guides_are_parallel():
    """The rudder of Rapson's slide moved from A to B: the pose runs off to infinity at 90 degrees, in 600,000 steps."""
    mechanism = example("rapson_slide", drivers={"rudder": {"joint": "B", "law": "90 + 35*sin(2*pi*t/10)"}})
    meter = new_meter(DEFAULT)
    spent = []
    with metering(meter), metered(DEFAULT, lambda: Problem("", ""), report=spent.append):
        motion = mechanism.solve(13)
    # From 5 to 10 s the tiller leans to the side of the sketch; at both ends it is parallel to the guide.
    inside = np.array([90 + 35 * math.sin(2 * math.pi * t / 10) < 90 - 1e-9 for t in motion.t])
    assert (motion.ok == inside).all() and inside.sum() == 5
    assert set(motion.status[~inside]) == {sk.Status.OUT_OF_REACH}
    assert motion.residual()[inside].max() < 1e-12
    for method in ("global", "global-sparse"):
        assert (mechanism.solve(13, method=method).ok == inside).all()


def test_steps_that_samples_do_not_explain_end_a_walk():
    mechanism = example("rapson_slide", drivers={"rudder": {"joint": "B", "law": "90 + 35*sin(2*pi*t/10)"}})
    with pytest.raises(sk.InputError, match="far more steps than usual") as found:
        mechanism.solve(13, budget=10)
    (problem,) = found.value.problems
    assert problem.key == "drivers.rudder" and '"90 + 35*sin(2*pi*t/10)"' in problem.message
    assert (mechanism.solve(13, budget=None).status == mechanism.solve(13).status).all()


def test_limits_circuits_and_assemblies_end_with_their_budget(monkeypatch):
    # Curves of circuits come with steps of their own.
    monkeypatch.setattr("structkin.branches.circuits.followed.EACH", 0)
    mechanism = sk.load(path("stephenson_iii_triad"))
    with pytest.raises(sk.InputError, match=r"drivers.motor: .* more steps than the budget allows; give a range"):
        mechanism.limits(budget=50)
    with pytest.raises(sk.InputError, match="more steps than the budget"):
        mechanism.circuits(budget=50)
    found = mechanism.assemblies(budget=0.5)
    for _ in range(2):
        # It stays so: what is not found is not taken for what is not there.
        with pytest.raises(sk.InputError, match="0 assemblies found"):
            list(found)
    steps = []
    assert mechanism.limits(budget=None, progress=steps.append).turns_fully
    assert steps == sorted(steps) and steps[-1] > 50
    # A range of thousands of turns: a minute and a half, and then the motion was called lost.
    with pytest.raises(sk.InputError, match="a shorter range"):
        mechanism.limits(range=(-1e4, 1e4))


def test_a_report_is_given_up_with_its_budget(monkeypatch):
    """What a motion meets between its samples is looked for as far as a budget goes; the report stands without."""
    from structkin.branches.limits import passages

    mechanism = sk.load(path("stephenson_iii_triad"))
    start = mechanism.drivers["motor"].start
    broken = example("stephenson_iii_triad", lengths={}).solve(drivers={"motor": [start, np.inf][:1]})
    assert broken.report == "1 of 1 samples ok"
    rocker = example("crank_rocker", lengths={"A-B": 79}).solve(37)
    whole = rocker.report
    assert not rocker.ok.all() and "stops at" in whole
    monkeypatch.setattr(passages, "STEPS", 1e-3)
    again = example("crank_rocker", lengths={"A-B": 79}).solve(37)
    assert again.report.splitlines() == [line for line in whole.splitlines() if "sample" in line]


@pytest.mark.parametrize("budget", [0, -1, "many", True, math.nan])
def test_a_budget_is_a_positive_number_or_none(budget):
    mechanism = sk.load(path("crank_rocker"))
    for call in (mechanism.solve, mechanism.limits, mechanism.assemblies, mechanism.circuits):
        with pytest.raises(sk.InputError, match=r"budget: .* is not a positive number of steps"):
            call(budget=budget)


def test_a_call_inside_another_has_its_own_budget_unless_that_is_endless():
    def spent():
        return Problem("outer", "spent")

    with metered(10, spent):
        charge(9)
        with metered(10, spent):
            charge(9)
        grant(5)
        charge(5)
        with pytest.raises(sk.InputError), metered(3, spent):
            charge(4)
    with metered(None, spent), metered(1, spent):
        charge(1e9)
    charge(1e9)


# --- long calls that have an end -------------------------------------------------------------------------------


def test_a_thousand_turns_of_a_triad_go_through():
    mechanism = sk.load(path("stephenson_iii_triad"))
    turn = mechanism.solve(2).t[-1]
    motion = mechanism.solve(37, duration=1000 * turn)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle(motion.mechanism.topology.moving_links[0])[-1], 2000 * np.pi, rtol=1e-3)


@pytest.mark.slow
def test_long_calls_go_through():
    crank, triad = (sk.load(path(name)) for name in ("crank_rocker", "stephenson_iii_triad"))
    assert crank.solve(1_000_000).ok.all()
    assert triad.solve(1_000_000).ok.all()
    assert triad.solve(duration=10_000 * triad.solve(2).t[-1]).ok.all()
    assert sk.load(path("planetary_train")).solve(duration=3500).ok.all()
    assert crank.solve_many(13, lengths={"B-C": np.linspace(0.119, 0.121, 100_000)}).ok.all()
    assert triad.solve(duration=100 * triad.solve(2).t[-1], method="global").ok.all()


def structkin(*arguments):
    code = "from structkin.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=120
    )


def test_the_command_line_has_the_budget(tmp_path):
    file = path("stephenson_iii_triad")
    told = structkin("solve", file, "--duration", "1e12")
    assert told.returncode == 2 and "drivers.motor" in told.stderr and "--budget none" in told.stderr
    told = structkin("limits", file, "--budget", "20")
    assert told.returncode == 2 and "more steps than the budget" in told.stderr
    assert structkin("limits", file, "--budget", "none").returncode == 0
    told = structkin("limits", file, "--budget", "much")
    assert told.returncode == 2 and "'much' is not a number of steps" in told.stderr
