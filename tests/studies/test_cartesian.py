"""The benchmarks of fully Cartesian coordinates: references by two methods, and the effect of the gains."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import structkin as sk
from structkin.dynamics.multipliers.consistent_start import global_start
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.studies.baumgarte import response
from structkin.studies.cartesian import (
    FULL,
    PENDULUM,
    PENDULUM_TIMES,
    QUICK,
    TOLERANCE,
    Extent,
    Work,
    pendulum,
    pendulum_agreement,
    pendulum_angle,
    slider_crank,
    slider_crank_angle,
    trial,
    work,
    work_rows,
)
from structkin.studies.drift import drift


def test_the_pendulum_s_closed_form_is_the_published_path() -> None:
    angle = pendulum_angle(PENDULUM_TIMES)
    assert np.column_stack((np.sin(angle), -np.cos(angle))) == pytest.approx(PENDULUM, abs=6e-7)


def test_the_slider_crank_s_reference_against_the_reduced_equations() -> None:
    """Up to the first pose in which both rods point the same way."""
    case = slider_crank()
    times = np.linspace(0, 0.2, 21)
    r = case.mechanism.simulate(times, rtol=1e-11, atol=1e-12)
    assert r.position("B") == pytest.approx(case.path(times), abs=1e-9)


def test_energy_of_the_slider_crank_s_reference() -> None:
    t = np.linspace(0, 10, 20001)
    a = slider_crank_angle(t)
    rate = np.gradient(a, t, edge_order=2)
    energy = 0.5 * rate**2 * (2 / 3 + 2 * np.sin(a) ** 2) + 9.81 * np.sin(a)
    assert np.ptp(energy[2:-2]) < 5e-4
    assert (a[-1] - np.pi / 2) / np.pi > 10  # through more than ten singular poses


def test_the_pendulum_agrees_with_published_data() -> None:
    found = pendulum_agreement()
    assert [len(one.means) for one in found.limits] == [20, 20]  # the start is given, so it is left out
    for limits, correlation in zip(found.limits, found.correlation, strict=True):
        assert abs(limits.bias) < 1e-5 and max(map(abs, limits.limits)) < 3e-5
        assert correlation.consistency > 0.999999 and correlation.agreement > 0.999999


def test_gains_and_steps_decide_about_the_slider_crank() -> None:
    """Without feedback the joints separate at a coarse step, or the branch is lost; with it neither happens."""
    case = slider_crank()
    times = np.linspace(0, 6, 121)
    good, none = trial(case, 50, 0.01, times), trial(case, 0, 0.01, times)
    assert good.right and good.worst < 5e-3
    assert not none.right


def test_the_work_is_that_of_the_simulation() -> None:
    case = pendulum()
    took, found = work(case, 50), trial(case, 50, times=np.array([0.0, 5.0, 10.0])).simulation
    assert took.steps == found.integration.steps
    assert 1 < took.most < 100 and took.evaluations > took.steps
    assert took.runs == 1 and took.seconds > 0


def test_the_printed_tables_are_compared_with_ours() -> None:
    for case, steps, iterations in ((pendulum(), "1416", "27"), (slider_crank(), "2430", "45")):
        head, *rows = work_rows(case, {0.0: Work(618, 1271, 6, 0.3, 1), 50.0: Work(1413, 2409, 13, 0.4, 10)})
        assert len(head) == 5 and all(len(row) == 5 for row in rows)
        table = {row[0]: row[1:] for row in rows}
        assert table["steps"] == ("not stated", steps, "618", "1413")
        assert table["most iterations per step"] == ("12", iterations, "6 evaluations", "13 evaluations")


@pytest.mark.parametrize("extent", [FULL, QUICK])
def test_trials_are_drawn_as_lines_and_maps(extent: Extent) -> None:
    assert {0, 50} < set(extent.gains) and set(extent.near) <= set(extent.gains)
    assert TOLERANCE in extent.tolerances
    assert min(map(len, (extent.near, extent.tolerances, extent.mapped, extent.steps))) > 1


@pytest.mark.parametrize(("alpha", "beta"), [(5.0, 3.0), (5.0, 5.0), (2.0, 9.0)])
def test_the_error_of_a_joint_decays_as_the_response_predicts(alpha: float, beta: float) -> None:
    """Phi'' + 2 alpha Phi' + beta^2 Phi = 0 holds in the whole motion, while the pendulum swings."""
    case = pendulum()
    family = "fully-cartesian"
    equations, y = global_start(case.mechanism, family, Feedback(alpha, beta), (), 0.0, formulation="multipliers")
    n = equations.coordinates.n
    y[n:] += 1e-2 * np.random.default_rng(2).normal(size=n)
    c, free = equations.coordinates, np.zeros((0, 1))
    rate = np.zeros(c.m)
    np.add.at(rate, c.pattern[0], c.jacobian(y[:n, None], free)[:, 0] * y[n:][c.pattern[1]])
    times = np.linspace(0, 1, 11)
    found = solve_ivp(equations, (0, 1), y, "DOP853", times, rtol=1e-11, atol=1e-13)
    for t, state in zip(times, found.y.T, strict=True):
        expected = rate * response(alpha, beta, [t])[0]
        assert c.phi(state[:n, None], free)[:, 0] == pytest.approx(expected, abs=1e-9)


def test_guides_drift_too_and_gains_hold_them() -> None:
    """A driven crank: nothing is free, but its angle is still integrated."""
    crank = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"motor": {"joint": "A", "law": "sin(3*t)"}},
        duration=2.0,
    )
    free, held = (drift(crank, ["B"], gain, step=0.02, misses=0.01) for gain in (0.0, 10.0))
    assert free.worst > 1e-2
    assert np.max(np.abs(held.gaps["B"][-1])) < 1e-4
    fits = drift(crank, ["B"], 0.0, step=0.02)
    assert fits.worst < 1e-3
    # the tracked point of a link is its centre of mass, here halfway to B
    both = drift(crank, ["B", "crank"], 0.0, step=0.02, misses=0.01)
    assert both.true["crank"] == pytest.approx(both.true["B"] / 2, abs=1e-12)
    assert both.gaps["crank"] == pytest.approx(both.gaps["B"] / 2, abs=1e-12)
    assert both.paths["B"] == pytest.approx(both.true["B"] + free.gaps["B"], abs=1e-12)
