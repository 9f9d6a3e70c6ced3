"""Integrators at a fixed step have their stated order."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.dynamics.integrators.methods import FIXED


def rate(t: float, y: np.ndarray) -> np.ndarray:
    """A nonlinear, forced system with the solution (sin t, cos t, 1 / (1 + t))."""
    u, v, w = y
    return np.array([v, -u + (w - 1 / (1 + t)) * v, -(w**2) + (u**2 + v**2 - 1) * w])


def exact(t: float) -> np.ndarray:
    return np.array([np.sin(t), np.cos(t), 1 / (1 + t)])


@pytest.mark.parametrize("name", FIXED)
def test_measured_order(name: str) -> None:
    errors = []
    for steps in (100, 200, 400):
        method, y, h = FIXED[name](), exact(0.0), 2.0 / steps
        for k in range(steps):
            y = method.step(rate, k * h, y, h)
        errors.append(np.max(np.abs(y - exact(2.0))))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert method.order == {"euler": 1, "rk2": 2, "rk4": 4, "abm4": 4, "gear4": 4}[name]
    assert orders == pytest.approx(np.full(2, method.order), abs=0.25)


def test_gear_takes_steps_at_which_explicit_methods_are_unstable() -> None:
    """y' = -1000 (y - cos t) - sin t: explicit methods are unstable at this step."""

    def stiff(t: float, y: np.ndarray) -> np.ndarray:
        return -1000 * (y - np.cos(t)) - np.sin(t)

    method, y, t = FIXED["gear4"](), np.array([1.0]), 0.0
    for _ in range(3):  # the start-up by RK4 is unstable: the error it leaves must be damped out
        y, t = method.step(stiff, t, y, 0.003), t + 0.003
    for _ in range(200):
        y, t = method.step(stiff, t, y, 0.003), t + 0.003
    assert y[0] == pytest.approx(np.cos(t), abs=1e-10)
    explicit, z = FIXED["rk4"](), np.array([1.0])
    for k in range(60):
        z = explicit.step(stiff, k * 0.003, z, 0.003)
    assert abs(z[0] - np.cos(0.18)) > 1e-3


def test_a_changed_step_restarts_the_method() -> None:
    for name in ("abm4", "gear4"):
        method, y, t = FIXED[name](), exact(0.0), 0.0
        for h in [0.01] * 30 + [0.005] * 40 + [0.02] * 20:
            y, t = method.step(rate, t, y, h), t + h
        assert np.max(np.abs(y - exact(t))) < 1e-6
