"""Integrators at a fixed step have their stated order; those for stiff motions are named where they are needed."""

from __future__ import annotations

import numpy as np
import pytest
from cases import blocks, few

import structkin as sk
from structkin.dynamics import simulation_run
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


def pushed(damping: float) -> sk.Mechanism:
    """A slider of 1 g between a spring of 1 N/m, 0.5 m too long, and a damper."""
    return sk.Mechanism(
        "Slider",
        points={"A": (0, 0), "P": (1, 0)},
        links={"ground": ["A"], "slider": {"points": ["P"], "mass": 1e-3}},
        joints={"guide": {"type": "prismatic", "links": ["ground", "slider"], "at": "P", "axis": [1, 0]}},
        drivers={"x": {"joint": "guide"}},
        forces={"spring": {"type": "spring", "between": ["A", "P"], "stiffness": 1, "free_length": 1.5,
                           "damping": damping}},
    )  # fmt: skip


def test_a_run_of_very_short_steps_names_the_integrators_for_stiff_motions(monkeypatch, caplog) -> None:
    """A damper of 100 N s/m stops 1 g within 1e-5 s; then the spring moves it at 1 N / 100 N s/m, in 100 s."""
    monkeypatch.setattr(simulation_run, "CRAWLING", 100)
    stiff = pushed(100.0)
    slow = stiff.simulate(10.0, samples=11, max_steps=250, engine="python")
    assert len(slow.notes) == 1 and slow.notes[0].startswith("DOP853 took 100 steps for ")
    assert "LSODA" in slow.notes[0] and [record.message for record in caplog.records] == [*slow.notes]
    caplog.clear()

    fast = stiff.simulate(10.0, samples=11, integrator="LSODA", engine="python")
    assert not fast.notes and not fast.stopped and fast.integration.steps < 1000
    assert fast.drivers["x"][0][-1] == pytest.approx(0.5 * (1 - np.exp(-0.1)), rel=1e-4)
    smooth = pushed(0.0).simulate(2.0, samples=361, engine="python")
    assert smooth.integration.steps > 100 and not smooth.notes and not caplog.records


def blow(rng: np.random.Generator) -> tuple[object, float]:
    """Return a law or a table of a short blow within 2 s, and its impulse [N s]."""
    w = float(10 ** rng.uniform(-3.2, -1.3))
    t = float(rng.uniform(0.05, 1.9 - w))
    on = f"max(0, sign(t - {t}))*max(0, sign({t + w} - t))"
    laws = [
        (f"100*sin(pi*(t - {t})/{w})*{on}", 200 * w / np.pi),
        (f"100*max(0, 1 - abs(t - {t + w / 2})/{w / 2})", 50 * w),
        (f"100*max(0, 1 - ((t - {t + w / 2})/{w / 2})**2)", 200 * w / 3),
        (f"100*exp(-((t - {t})/{w / 4})**2)", 25 * w * np.sqrt(np.pi)),
        (f"100*{on}", 100 * w),
        ([[0, 0], [t, 0], [t + w / 2, 100], [t + w, 0], [2, 0]], 50 * w),
    ]
    return laws[rng.integers(len(laws))]


@pytest.mark.parametrize("seeds", few(blocks(range(400), 20), 1, 3))
def test_a_short_blow_on_a_body_at_rest_is_not_passed_over(seeds: range) -> None:
    """Steps grow without bound where nothing moves: one of 10 to 100 runs passed over a blow that begins smoothly."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        law, impulse = blow(rng)
        m = sk.Mechanism(
            points={"A": (0, 0)}, links={"ground": [], "cart": {"points": ["A"], "mass": 2}},
            joints={"guide": {"type": "prismatic", "links": ["cart", "ground"], "at": "A", "axis": (1, 0)}},
            drivers={"x": {"joint": "guide", "force": law}},
        )  # fmt: skip
        integrator = ["DOP853", "RK45", "Radau", "LSODA", "BDF"][rng.integers(5)]
        speed = m.simulate(2, samples=5, integrator=integrator).drivers["x"][1, -1]
        assert speed == pytest.approx(impulse / 2, rel=1e-5), (seed, integrator, law)
