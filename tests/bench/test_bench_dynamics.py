"""`structkin bench dynamics`: the measurements, and the report on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from structkin.bench.dynamics import measured_runs
from structkin.bench.dynamics.cases import chain, four_bar, four_bars, windows
from structkin.bench.dynamics.measured_runs import PEERS, Case, Pace, SimulationRun, at_target, compare, paces
from structkin.bench.dynamics.simulation_tables import DynamicsComparison, draw, pace_lines, table_lines


def test_the_mechanisms_are_as_described():
    assert four_bar().structure().mobility == 1 and len(windows(3).links) == 8
    assert len(four_bars(4).links) == 10 and len(four_bars(4).drivers) == 1
    assert len(chain(5).drivers) == 5
    for m in (four_bar(), windows(2), four_bars(2), chain(2)):
        assert all(link.mass and link.inertia for link in m.links.values() if link.name != "ground")


@pytest.mark.full
@pytest.mark.compiled
def test_errors_of_structkin_shrink_with_the_step():
    case = Case("four-bar", four_bar(), ("crank", "B"), 1e-4, {"rk4": (8e-3, 4e-3), "DOP853": (1e-8,)}, {})
    found = list(compare(case, "compiled"))
    assert [one.method for one in found] == ["rk4", "rk4", "DOP853"]
    assert found[0].error > 10 * found[1].error > 0 and found[2].error < 1e-4
    assert at_target(found, 1e-4)["structkin (compiled)"].error <= 1e-4


@pytest.mark.full
@pytest.mark.compiled
def test_paces_report_the_measurements(monkeypatch):
    monkeypatch.setattr(measured_runs, "STEPS", {"reduced": 100})
    few, many = paces({"dyads": (5, 60)}, "compiled")
    # Which of them takes longer is left to the benchmark: a test on a busy machine cannot decide.
    assert (few.mobility, many.size) == (1, 60) and min(few.seconds, many.seconds) > 0


def test_the_report_compares_at_the_target():
    case = Case("four-bar", four_bar(), ("crank", "B"), 1e-6, {}, {})
    ours = SimulationRun("four-bar", "structkin (compiled)", "rk4", 1e-3, 0.1, 5e-7, 1e-6, 4000)
    coarse = replace(ours, setting=1e-2, seconds=0.01, error=1e-3)
    other = SimulationRun("four-bar", "exudyn", "generalized-alpha", 1e-4, 2.0, 9e-7, np.nan, np.nan)
    far = SimulationRun("four-bar", "mujoco", "RK4", 1e-3, 0.2, 1e-3, np.nan, np.nan)
    growth = [Pace("dyads", "reduced", n, 1, 1e-6 * n) for n in (10, 30, 100, 300)]
    found = DynamicsComparison([case], [ours, coarse, other, far], growth)
    assert found.verdicts() == [
        "four-bar, error <= 1e-06 m: structkin rk4 0.1 s, exudyn generalized-alpha 2 s: 1/20 of the time",
        "four-bar: mujoco does not reach 1e-06 m with these settings",
    ]
    assert found.exponents() == ["dyads, reduced: a step costs ~ N^1.00 from N = 30 to 300"]
    assert len(table_lines(found.runs)) == 5 and len(pace_lines(growth)) == 5
    assert table_lines(found.runs)[3][-2:] == ("", "")
    assert len(draw(found).axes) == 2


@pytest.mark.parametrize("program", PEERS)
def test_other_programs_find_the_same_motion(program):
    pytest.importorskip(program)
    t = np.linspace(0, 1, 11)
    for m, tip in ((four_bar(), ("crank", "B")), (windows(2), ("crank0", "B0"))):
        exact = m.simulate(t).position(tip[1])
        found = PEERS[program][1](m.simulate([0, 1e-9]), tip, t, 1e-3)
        assert np.max(np.abs(found.tip - exact)) < 1e-3
