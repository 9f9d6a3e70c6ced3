"""Milne's error estimate: the tolerance controls the error, and the step is halved and doubled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_integrators import exact, rate

from structkin.dynamics.integrators.milne import ABM4Milne


def go(f: Any, y: Any, end: float, tol: float) -> tuple[ABM4Milne, float]:
    solver, between = ABM4Milne(f, 0.0, y, end, rtol=tol, atol=tol), 0.0
    while solver.status == "running":
        message = solver.step()
        assert message is None, message
        if f is rate:
            t = 0.37 * solver.t_old + 0.63 * solver.t
            between = max(between, np.max(np.abs(solver.dense_output()(t) - exact(t))))
    return solver, between


def test_the_error_follows_the_tolerance_with_two_evaluations_a_step() -> None:
    errors = []
    for tol in (1e-5, 1e-7, 1e-9):
        solver, between = go(rate, exact(0.0), 6.0, tol)
        errors.append(np.max(np.abs(solver.y - exact(6.0))))
        # the tolerance applies to each step
        assert solver.t == 6.0 and max(errors[-1], between) < solver.nfev / 2 * tol
        assert solver.doublings > 0
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def orbit(t: float, y: Any) -> Any:
    r = np.hypot(y[0], y[1]) ** 3
    return np.array([y[2], y[3], -y[0] / r, -y[1] / r])


def test_an_orbit_needs_small_steps_near_its_centre_and_large_ones_far_from_it() -> None:
    """Kepler's ellipse of eccentricity 0.7 closes after 2 pi."""
    y = np.array([0.3, 0, 0, np.sqrt(1.7 / 0.3)])
    solver, _ = go(orbit, y, 2 * np.pi, 1e-9)
    assert np.max(np.abs(solver.y - y)) < 1e-5
    assert solver.halvings >= 3 and solver.doublings >= 3
    # two evaluations a step, and eleven for each of the few restarts
    assert solver.nfev < 2.4 * 650


def test_where_no_step_is_small_enough() -> None:
    solver = ABM4Milne(lambda t, y: 1 / (1 - t) ** 2 + 0 * y, 0.0, np.array([0.0]), 2.0, rtol=1e-8, atol=1e-8)
    message = None
    for _ in range(5000):
        message = solver.step()
        if solver.status != "running":
            break
    assert solver.status == "failed" and "step" in str(message)
    assert solver.t == pytest.approx(1.0, abs=1e-3)
