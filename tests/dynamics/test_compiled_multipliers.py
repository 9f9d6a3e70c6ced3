"""The compiled equations with multipliers: the same numbers as with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flat import windows, windows_angle
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import released
from swinging import table_on_cranks
from test_compiled import four_bar
from test_contacts import pair
from test_identical_results import released as example

import structkin as sk
from structkin.dynamics.multipliers.consistent_start import global_start
from structkin.dynamics.multipliers.multiplier_equations import Multipliers
from structkin.dynamics.multipliers.stabilisation import Feedback, Partitioning, Projection
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.global_methods.families import FAMILIES

pytestmark = pytest.mark.compiled


def close(found: Any, expected: Any, scale: Any = 1.0, atol: float = 1e-9) -> None:
    size = max(1.0, float(np.max(np.abs(np.asarray(expected) / scale), initial=0.0)))
    np.testing.assert_allclose(found / scale / size, expected / scale / size, atol=atol)


def agree(m: sk.Mechanism) -> int:
    """Compare all numbers near a start, with the joints slightly open; return how many were compiled."""
    found = 0
    for family in FAMILIES:
        for stabilisation in (Projection(), Feedback(5.0, 7.0), Partitioning()):
            try:
                begun = [global_start(m, family, stabilisation, (), 0.0, formulation="multipliers") for _ in range(2)]
            except sk.InputError:
                return 0
            (plain, y), (fast, _) = begun
            plain(0.0, y)
            fast.compile(0.0, y)
            if not fast.is_compiled:
                continue
            found, c = found + 1, plain.coordinates
            y = y + 1e-3 * np.random.default_rng(0).normal(size=len(y)) * np.tile(c.column_units, 2)
            try:
                expected = plain(0.1, y)
            except NoPoseError:  # at this time the laws ask for what these coordinates do not reach
                with pytest.raises(NoPoseError):
                    fast(0.1, y)
                continue
            close(fast(0.1, y)[c.n :], expected[c.n :], c.column_units)
            close(fast.project(0.1, y), plain.project(0.1, y), np.tile(c.column_units, 2))
            before = fast(0.1, y)
            one, other = fast.recorded(0.1, y), plain.recorded(0.1, y)
            assert np.array_equal(fast(0.1, y), before)
            for name in ("q", "v", "a", "multipliers", "turns", "z", "effort", "kinetic", "power"):
                close(np.array(getattr(one, name)), np.array(getattr(other, name)))
            for order in range(3):
                close(one.X[order], other.X[order])
            fast.accept(0.1, y)
            plain.accept(0.1, y)
            assert fast.constraint_violation(0.1, y) == plain.constraint_violation(0.1, y)
    return found


@settings(max_examples=1, deadline=None, derandomize=True, database=None)  # each compiles its kinds of steps
@given(st.integers(0, 10**6))
def test_random_mechanisms_match_numpy(seed: int) -> None:
    agree(released(seed))


@pytest.mark.full
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_more_random_mechanisms_match_numpy(seed: int) -> None:
    agree(released(seed))


@pytest.mark.slow
def test_many_random_mechanisms_match_numpy() -> None:
    assert sum(agree(released(seed)) for seed in range(300)) > 1000


@pytest.mark.parametrize("name", ["geared_five_bar", "rolling_lift_bridge", "platform_3rrr", "rapson_slide"])
def test_counted_turns_several_loops_and_slots(name: str) -> None:
    assert agree(example(name)) == 12


# --- runs ---------------------------------------------------------------------------------------------------


def both(m: sk.Mechanism, t: Any, **options: Any) -> tuple[sk.Simulation, sk.Simulation]:
    """The same simulation with both engines; the compiled one runs twice and repeats itself to the last digit."""
    call = {"t": t, "formulation": "multipliers", **options}
    plain, fast, again = (m.simulate(engine=engine, **call) for engine in ("python", "compiled", "compiled"))
    np.testing.assert_array_equal(fast.q, again.q)
    np.testing.assert_array_equal(fast.multipliers, again.multipliers)
    assert fast.integration.evaluations == again.integration.evaluations
    return plain, fast


@pytest.mark.parametrize("name", ["euler", "rk4", "abm4", "gear4"])
@pytest.mark.parametrize("family", ["natural", "relative"])
def test_runs_at_a_fixed_step(name: str, family: str) -> None:
    plain, fast = both(four_bar(), [0, 0.1, 0.2], integrator=name, step=0.02, coordinates=family)
    np.testing.assert_allclose(fast.q, plain.q, atol=1e-9)
    np.testing.assert_allclose(fast.multipliers, plain.multipliers, atol=1e-8)
    assert fast.integration.steps == plain.integration.steps


@pytest.mark.parametrize(
    "options", [{}, {"stabilisation": "baumgarte", "alpha": 5, "beta": 5}, {"integrator": "LSODA", "rtol": 1e-9}]
)
def test_adaptive_runs(options: dict[str, Any]) -> None:
    plain, fast = both(four_bar(), [0, 0.3, 0.6], **{"rtol": 1e-8, "coordinates": "reference-point", **options})
    assert np.max(np.abs(fast.position("C") - plain.position("C"))) < 1e-9
    np.testing.assert_allclose(fast.angle("rocker"), plain.angle("rocker"), atol=1e-9)


def test_redundant_joints() -> None:
    plain, fast = both(table_on_cranks(), [0, 0.2, 0.4])
    assert fast.redundant == 1
    np.testing.assert_allclose(fast.multipliers, plain.multipliers, atol=1e-7)


def test_through_change_points() -> None:
    """The NumPy equations take over at the change point, and the compiled ones continue beyond it."""
    t = np.linspace(0, 1.5, 16)
    r = windows(2).simulate(t, formulation="multipliers", integrator="rk4", step=5e-3, engine="compiled")
    np.testing.assert_allclose(np.unwrap(r.angle("crank1")), windows_angle(2, t), atol=2e-7)


def test_a_pin_that_bounces_in_its_bore() -> None:
    m = pair(True, restitution=0.6, friction=0.2, transition=0.01)
    plain, fast = both(m, np.linspace(0, 0.3, 7))
    for point in ("P", "Q"):
        np.testing.assert_allclose(fast.velocity(point), plain.velocity(point), atol=1e-6)
    np.testing.assert_allclose(fast.impacts["hit"], plain.impacts["hit"], rtol=1e-6)
    assert np.ptp(plain.velocity("P")[:, 0]) > 1


# --- the choice ---------------------------------------------------------------------------------------------


def test_what_has_no_compiled_form_runs_with_numpy() -> None:
    def push(t: Any, state: sk.Motion) -> Any:
        return [sk.Force("C", (1.0, 0.0))]

    plain, fast = both(four_bar(), [0, 0.02], loads=[push])
    np.testing.assert_array_equal(fast.q, plain.q)


def test_numba_is_refused_where_only_numpy_evaluates_the_equations() -> None:
    augmented = {"formulation": "multipliers", "stabilisation": "augmented", "alpha": 5, "beta": 5}
    others = [{"formulation": "multipliers-sparse"}, {"formulation": "multipliers-sweeps"}]
    for options in (augmented, *others):
        with pytest.raises(sk.InputError, match=r"engine: '.*' has no compiled form"):
            four_bar().simulate([0, 0.02], engine="compiled", **options)
        assert not four_bar().simulate([0, 0.02], engine="python", **options).stopped


def test_the_engine_is_chosen_from_the_estimated_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile(equations: Multipliers, t: float, y: Any) -> None:
        raise RuntimeError("compiled")

    monkeypatch.setattr(Multipliers, "compile", compile)
    call: dict[str, Any] = {"formulation": "multipliers", "integrator": "rk4"}
    four_bar().simulate([0, 0.01], step=1e-3, **call)
    four_bar().simulate([0, 0.01], step=1e-6, max_steps=2, **call)
    with pytest.raises(RuntimeError, match="compiled"):
        four_bar().simulate([0, 0.01], step=1e-6, **call)
