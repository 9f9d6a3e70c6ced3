"""Endless calls are refused before they begin, or as soon as this is known; long finite ones complete."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest

import structkin as sk
from structkin.budget import DEFAULT, charge, grant, metered, metering, new_meter, too_far
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
    ("6.28*t + 0.1*sin(t)", 1e12),
    ("6.28*t", 1e12),
    ("exp(1000*t)", 1.0),
    ("exp(1000*t)", 0.1),
]


@pytest.mark.parametrize(("law", "duration"), ENDLESS)
@pytest.mark.parametrize("method", ["topological", "global-triangular"])
def test_a_path_of_too_many_poses_is_refused_with_its_driver_before_it_is_followed(law, duration, method):
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


def test_turning_points_found_in_part_do_not_hide_how_far_a_law_moves():
    """Twenty million periods between thirteen samples (seed 14740 of the damaged files, which took 70 s)."""
    law = "1150 - 213*cos(2*pi*t/1e-6)"
    mechanism = example("tipper_hoist", drivers={"cylinder": {"between": ["F", "G"], "law": law}})
    with pytest.raises(sk.InputError, match=r"moves it 5.4e\+06 times its size, which takes 2.7e\+08 poses"):
        mechanism.solve(13)


def test_given_values_are_named_like_laws():
    mechanism = sk.load(path("planetary_train"))
    with pytest.raises(sk.InputError, match=r"drivers.motor: its input moves it 1.59e"):
        mechanism.solve(drivers={"motor": [0.0, 1e9]})
    with pytest.raises(sk.InputError, match=r'drivers.motor: its speed "60 rpm" moves it'):
        mechanism.solve(duration=1e9)


@pytest.mark.full
def test_a_driver_on_another_joint_ends_where_its_guides_are_parallel():
    """The rudder of Rapson's slide moved from A to B: the pose goes to infinity at 90 degrees, in 600,000 steps."""
    mechanism = example("rapson_slide", drivers={"rudder": {"joint": "B", "law": "90 + 35*sin(2*pi*t/10)"}})
    meter = new_meter(DEFAULT)
    spent = []
    with metering(meter), metered(DEFAULT, lambda: Problem("", ""), report=spent.append):
        motion = mechanism.solve(13)
    # From 5 to 10 s the tiller is on the side of the sketch; at both ends it is parallel to the guide.
    inside = np.array([90 + 35 * math.sin(2 * math.pi * t / 10) < 90 - 1e-9 for t in motion.t])
    assert (motion.ok == inside).all() and inside.sum() == 5
    assert set(motion.status[~inside]) == {sk.Status.OUT_OF_REACH}
    assert motion.residual()[inside].max() < 1e-12
    for method in ("global", "global-sparse"):
        assert (mechanism.solve(13, method=method).ok == inside).all()


def test_unexpectedly_many_steps_end_a_path():
    mechanism = example("rapson_slide", drivers={"rudder": {"joint": "B", "law": "90 + 35*sin(2*pi*t/10)"}})
    with pytest.raises(sk.InputError, match="far more steps than usual") as found:
        mechanism.solve(13, budget=10)
    (problem,) = found.value.problems
    assert problem.key == "drivers.rudder" and '"90 + 35*sin(2*pi*t/10)"' in problem.message
    assert (mechanism.solve(13, budget=None).status == mechanism.solve(13).status).all()


def test_limits_circuits_and_assemblies_end_with_their_budget(monkeypatch):
    # Curves of circuits are counted in separate steps.
    monkeypatch.setattr("structkin.branches.circuits.followed.EACH", 0)
    mechanism = sk.load(path("stephenson_iii_triad"))
    with pytest.raises(sk.InputError, match=r"drivers.motor: .* more steps than the budget allows; give a range"):
        mechanism.limits(budget=50)
    with pytest.raises(sk.InputError, match="more steps than the budget"):
        mechanism.circuits(budget=50)
    found = mechanism.assemblies(budget=0.5)
    for _ in range(2):
        # It stays so: a result not found is not taken to be absent.
        with pytest.raises(sk.InputError, match="0 assemblies found"):
            list(found)
    steps = []
    assert mechanism.limits(budget=None, progress=steps.append).turns_fully
    assert steps == sorted(steps) and steps[-1] > 50
    # A range of thousands of turns: a minute and a half, and then the motion was reported as lost.
    with pytest.raises(sk.InputError, match="a shorter range"):
        mechanism.limits(range=(-1e4, 1e4))


def test_events_in_a_report_end_with_their_budget(monkeypatch):
    """Events between samples are searched only within a budget; without them the report is still given."""
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
        with pytest.raises(sk.InputError, match=r"budget: .* is not a (positive number of steps|number)"):
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


# --- long calls that are finite --------------------------------------------------------------------------------


def test_a_thousand_turns_of_a_triad_complete():
    mechanism = sk.load(path("stephenson_iii_triad"))
    turn = mechanism.solve(2).t[-1]
    motion = mechanism.solve(37, duration=1000 * turn)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle(motion.mechanism.topology.moving_links[0])[-1], 2000 * np.pi, rtol=1e-3)


@pytest.mark.slow
def test_long_calls_complete():
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


@pytest.mark.full
def test_the_command_line_has_the_budget():
    file = path("stephenson_iii_triad")
    run = structkin("solve", file, "--duration", "1e12")
    assert run.returncode == 2 and "drivers.motor" in run.stderr and "--budget none" in run.stderr
    run = structkin("limits", file, "--budget", "20")
    assert run.returncode == 2 and "more steps than the budget" in run.stderr
    assert structkin("limits", file, "--budget", "none").returncode == 0
    run = structkin("limits", file, "--budget", "much")
    assert run.returncode == 2 and "'much' is not a number of steps" in run.stderr


@pytest.mark.parametrize("number", [float, np.float64])
def test_a_way_of_more_steps_than_numbers_reach_is_said_without_a_warning(number):
    with warnings.catch_warnings(action="error"):
        said = too_far(number(0), number(1e308), number(1e-5), number(0), 2000, 1e6)
    assert said == "the way to 1e+308 s would take some 1e+300 steps like the first 2,000"
