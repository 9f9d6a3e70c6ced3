"""Equations with multipliers: their accelerations, multipliers and motions by other roads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import loaded

import structkin as sk
from structkin.coordinates import FAMILIES

FORMULATIONS = ("multipliers", "multipliers-sparse")


def pendulum() -> sk.Mechanism:
    return sk.Mechanism(
        "Pendulum",
        points={"A": (0, 0), "B": (-1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}},
        forces={"gravity": (0, -9.81)},
        drivers={"swing": {"joint": "A"}},
    )


def released(seed: int) -> sk.Mechanism:
    """A random mechanism with some of its drivers free, with efforts of their own."""
    data = loaded(seed).source_dict
    rng = np.random.default_rng([seed, 3])
    ids = list(data["drivers"])
    for id in [id for id in ids if rng.random() < 0.6] or ids[:1]:
        entry = data["drivers"][id]
        for key in ("speed", "law", "table", "csv"):
            entry.pop(key, None)
        angle = "between" not in entry and entry.get("joint") not in data.get("joints", {})
        entry["torque" if angle else "force"] = "1.5 + t"
        data.setdefault("initial", {})[id] = {"speed": float(rng.uniform(-0.1, 0.1))}
    return sk.Mechanism.from_dict(data)


def agree_with_reduced(seed: int, families: Any, formulations: Any = FORMULATIONS) -> None:
    m = released(seed)
    call: dict[str, Any] = {"t": [0, 1e-5], "integrator": "euler", "step": 1e-5}
    try:
        r = sk.simulate(m, **call)
    except sk.InputError as error:
        # a law may begin beside what the sketch reaches
        assert {problem.key for problem in error.problems} == {"initial"}, error
        return
    force = max(1.0, np.max(np.abs(r.forces().unknowns)))
    for family in families:
        for formulation in formulations:
            g = sk.simulate(m, formulation=formulation, coordinates=family, **call)
            for one, other, size in (
                ([g.alpha(x)[0] for x in m.links], [r.alpha(x)[0] for x in m.links], 1.0),
                ([g.acceleration(x)[0] for x in m.points], [r.acceleration(x)[0] for x in m.points], 1.0),
                ([g.drivers[x][:, 0] for x in m.drives], [r.drivers[x][:, 0] for x in m.drives], 1.0),
                ([g.efforts[x][0] for x in m.drives], [r.efforts[x][0] for x in m.drives], force),
            ):
                scale = max(size, np.max(np.abs(other)))
                np.testing.assert_allclose(np.array(one) / scale, np.array(other) / scale, atol=1e-9)


@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_as_by_the_reduced_equations(seed: int) -> None:
    """Accelerations, driver efforts and the free coordinates with their rates, in all families."""
    agree_with_reduced(seed, FAMILIES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000))
def test_many_random_mechanisms(seed: int) -> None:
    agree_with_reduced(seed, FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "stabilisation",
    [{}, {"stabilisation": "baumgarte", "alpha": 5, "beta": 5}, {"stabilisation": "augmented", "alpha": 5, "beta": 5}],
)
def test_a_pendulum_as_by_the_reduced_equations(family: str, stabilisation: dict[str, Any]) -> None:
    exact = sk.simulate(pendulum(), 1.0, samples=5, rtol=1e-11, atol=1e-12)
    call: dict[str, Any] = {"samples": 5, "rtol": 1e-10, "atol": 1e-11, "coordinates": family, **stabilisation}
    r = sk.simulate(pendulum(), 1.0, formulation="multipliers", **call)
    assert not r.stopped and r.ok.all()
    assert np.max(np.abs(r.position("B") - exact.position("B"))) < 1e-8
    np.testing.assert_allclose(r.angle("rod"), exact.angle("rod"), atol=1e-8)
    np.testing.assert_allclose(r.forces().reaction("A", "rod"), exact.forces().reaction("A", "rod"), atol=1e-6)
    assert np.ptp(r.energy) < 1e-7
