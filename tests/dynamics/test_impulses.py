"""Drivers whose speed jumps strike what moves freely: all methods give the state behind the impulse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk

FAMILIES = "natural", "fully-cartesian", "reference-point", "relative"
METHODS: list[dict[str, Any]] = [
    {}, {"engine": "compiled"}, {"integrator": "LSODA"}, {"integrator": "Radau"}, {"integrator": "milne"},
    *({"formulation": "multipliers", "coordinates": family} for family in FAMILIES),
    *({"formulation": "multipliers", "stabilisation": how} for how in ("none", "projection", "partitioning")),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("law", few(["min(2*t, 1)", "max(0, 3*(t - 0.4)) - 1.3*t"], 1))
def test_the_rod_on_an_arm_that_stops_keeps_its_angular_momentum_about_the_pin(
    law: str, method: dict[str, Any]
) -> None:
    """The impulse acts at B: I_B dw = -m (c x dv_B); without gravity nothing else changes the rate of the arm."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (1, -0.5)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 5, "center": (0.5, 0), "inertia": 0.4},
               "rod": {"points": ["B", "C"], "shape": "rod", "mass": 1}},
        drivers={"motor": {"joint": "A", "law": law}, "swing": {"joint": "B"}}, initial={"rod": {"omega": 0}},
    )  # fmt: skip
    kink = 0.5 if law[1] == "i" else 0.4
    r = m.simulate([0.0, kink * (1 - 1e-9), kink * (1 + 1e-9), 1.0], **method)
    assert not r.stopped and not r.notes
    before, after = r.omega("rod")[1:3]
    B, C = r.position("B")[1], r.position("C")[1]
    jump = (r.velocity("B")[2] - r.velocity("B")[1]) * 1.0
    c = (C - B) / 2
    assert after - before == pytest.approx(-(c[0] * jump[1] - c[1] * jump[0]) / (0.25 / 3), rel=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_cart_that_starts_at_once_leaves_its_bob_behind(method: dict[str, Any]) -> None:
    """As the same cart in 10 ms, nearly; the bob hangs still at first, and so swings back at dx / l."""

    def swung(law: str, **how: Any) -> Any:
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (0, -1)},
            links={"ground": [], "cart": {"points": ["A"], "mass": 2},
                   "bob": {"points": ["A", "B"], "mass": 1, "center": (0, -1), "inertia": 0}},
            joints={"guide": {"type": "prismatic", "links": ["cart", "ground"], "at": "A", "axis": (1, 0)}},
            drivers={"x": {"joint": "guide", "law": law}, "swing": {"joint": "A"}}, forces={"gravity": (0, -9.81)},
        )  # fmt: skip
        return m.simulate([0.0, 0.5 + 1e-9, 1.0, 2.0], **how)

    r, smooth = swung("max(0, t - 0.5)", **method), swung("0.005*log(exp((t - 0.5)/0.005) + 1)", max_steps=10**6)
    assert r.omega("bob")[1] == pytest.approx(-1, abs=1e-6)
    np.testing.assert_allclose(r.angle("bob")[2:], smooth.angle("bob")[2:], atol=2e-3)


@pytest.mark.parametrize("law", few(["min(2*t, 1)", "abs(sin(2*pi*t))", "max(1, 2*t)", "abs(t - 0.5)"], 2))
def test_an_output_at_a_corner_is_that_behind_it_whatever_the_formulation(law: str) -> None:
    """It mixed rates of drivers behind it with free ones before; a motion that began there was another for each."""
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (0.5, 0.1), "B": (1.2, 0.4)},
        links={"ground": ["O"], "arm": {"points": ["O", "A"], "mass": 2, "center": (0.3, 0.2), "inertia": 0.2},
               "two": {"points": ["A", "B"], "mass": 1, "center": (0.9, 0.2), "inertia": 0.1}},
        drivers={"m": {"joint": "O", "law": law}, "e": {"joint": "A"}},
        forces={"gravity": (0, -9.8)}, initial={"e": {"speed": 3}},
    )  # fmt: skip
    ends = []
    for method in ({}, *({"formulation": "multipliers", "coordinates": family} for family in FAMILIES)):
        passed = m.simulate([0.0, 0.5, 0.5 + 1e-9, 0.7], **method)
        assert passed.omega("two")[1] == pytest.approx(passed.omega("two")[2], abs=1e-6)
        assert passed.kinetic_energy[1] == pytest.approx(passed.kinetic_energy[2], abs=1e-6)
        if "sin" not in law:  # its corner is behind the end, by rounding
            ended = m.simulate([0.0, 0.3, 0.5], **method)
            assert ended.omega("two")[-1] == pytest.approx(passed.omega("two")[1], abs=1e-6)
        begun = m.simulate([0.5, 0.6, 0.9], **method)
        assert begun.omega("arm")[0] == pytest.approx(passed.omega("arm")[2], abs=1e-9)
        assert begun.omega("two")[0] - begun.omega("arm")[0] == pytest.approx(3)
        ends.append(begun.angle("two")[-1])
    ends.append(m.simulate([0.5, 0.6, 0.9], integrator="rk4", step=1e-3).angle("two")[-1])
    np.testing.assert_allclose(ends, ends[0], atol=1e-6)


def test_what_knows_no_impulses_is_refused() -> None:
    def cart(law: str) -> sk.Mechanism:
        return sk.Mechanism(
            points={"A": (0, 0), "B": (0, -1)},
            links={"ground": [], "cart": ["A"], "bob": {"points": ["A", "B"], "mass": 1, "center": (0, -1)}},
            joints={"guide": {"type": "prismatic", "links": ["cart", "ground"], "at": "A", "axis": (1, 0)}},
            drivers={"x": {"joint": "guide", "law": law}, "swing": {"joint": "A"}},
        )  # fmt: skip

    with pytest.raises(sk.InputError, match=r"drivers.x: its speed jumps by 1 m/s at t = 0.5 s"):
        cart("max(0, t - 0.5)").simulate(1.0, integrator="rk4", step=1e-3)
    with pytest.raises(sk.InputError, match=r"drivers.x: jumps by 0.2 m at t = 0.5 s"):
        cart("0.1*sign(t - 0.5)").simulate(1.0)
    assert not cart("tanh(1000*(t - 0.5))").simulate(1.0, samples=3).stopped


def test_a_cam_that_strikes_is_noted() -> None:
    def cam(motion: str) -> sk.Mechanism:
        law = [{"motion": "dwell", "over": np.pi / 2}, {"motion": motion, "over": np.pi / 2, "to": 0.03},
               {"motion": motion, "over": np.pi, "to": 0}]  # fmt: skip
        return sk.Mechanism(
            points={"A": (0, 0), "Q": (0, 0.06)},
            links={"ground": ["A"], "disc": {"points": ["A"], "mass": 1, "inertia": 0.001},
                   "follower": {"points": ["Q"], "mass": 0.5}},
            joints={"c": {"type": "cam", "cam": "disc", "follower": "follower", "at": "Q", "radius": 0.01, "law": law},
                    "guide": {"type": "prismatic", "links": ["follower", "ground"], "at": "Q", "axis": (0, 1)}},
            drivers={"x": {"joint": "A"}}, initial={"x": {"speed": 10}},
        )  # fmt: skip

    assert any("joints.c: the follower's speed jumps" in note for note in cam("uniform").simulate(0.1).notes)
    for motion in ("harmonic", "cycloidal", "3-4-5", "modified trapezoid"):
        assert not any("speed jumps" in note for note in cam(motion).simulate(0.1).notes)
