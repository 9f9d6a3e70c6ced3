"""Lifts between dwells, during which nothing else moves: no step of an integrator passes over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few
from scipy.integrate import solve_ivp

import structkin as sk

METHODS: list[dict[str, Any]] = [
    {}, {"integrator": "LSODA"}, {"integrator": "RK45"}, {"integrator": "Radau"}, {"integrator": "milne"},
    {"formulation": "multipliers"},
]  # fmt: skip

#: Half the width of the cam's hump [rad], and its lift [m].
HALF, LIFT = 0.005, 0.1


def lift_of_the_cam(angle: float) -> float:
    """A cycloidal rise and return behind half a turn."""
    u = min(abs((angle - np.pi) / HALF - 1.0), 1.0)
    return LIFT * (1 - u + np.sin(2 * np.pi * u) / (2 * np.pi))


def swung_by(lift: Any, begin: float, end: float, times: Any) -> Any:
    """Where a mass of 1 kg on a spring of 100 N/m is, whose other end is lifted and let down from `begin` to `end`."""
    y, v = solve_ivp(
        lambda t, y: [y[1], 100 * (lift(t) - y[0])], (begin, end), [0.0, 0.0], "DOP853",
        rtol=1e-10, atol=1e-14, max_step=(end - begin) / 50,
    ).y[:, -1]  # fmt: skip
    since = 10 * (times - end)
    return np.where(times <= begin, 0.0, y * np.cos(since) + v / 10 * np.sin(since))


#: A mass above the follower, at rest: it is at M.
LIFTED: dict[str, Any] = {
    "gm": {"type": "prismatic", "links": ["ground", "mass"], "at": "M", "axis": (0, 1)},
    "gf": {"type": "prismatic", "links": ["ground", "follower"], "at": "Q", "axis": (0, 1)},
}


@pytest.mark.parametrize("method", few(METHODS, 3), ids=str)
@pytest.mark.parametrize(("law_of_the_motor", "power"), [("2*pi*t", 1), ("3*pi*t**6", 6)])
def test_a_short_lift_of_a_cam_moves_a_mass_on_a_spring(
    law_of_the_motor: str, power: int, method: dict[str, Any]
) -> None:
    """The cam turns steadily, or ever faster from rest."""
    law = [
        {"motion": "dwell", "over": np.pi}, {"motion": "cycloidal", "over": HALF, "to": LIFT},
        {"motion": "cycloidal", "over": HALF, "to": 0}, {"motion": "dwell", "over": np.pi - 2 * HALF},
    ]  # fmt: skip
    m = sk.Mechanism(
        points={"A": (0, 0), "Q": (0, 0.9), "M": (0, 1.9)},
        links={"ground": ["A"], "disc": ["A"], "follower": ["Q"], "mass": {"points": ["M"], "mass": 1}},
        joints={"contact": {"type": "cam", "cam": "disc", "follower": "follower", "at": "Q", "radius": 0.1, "law": law},
                **LIFTED},
        drivers={"motor": {"joint": "A", "law": law_of_the_motor}, "hangs": {"joint": "gm"}},
        forces={"spring": {"type": "spring", "between": ["Q", "M"], "stiffness": 100}},
    )  # fmt: skip
    times = np.linspace(0.0, 1.0, 11)
    turned = 2 * np.pi if power == 1 else 3 * np.pi
    begin, end = ((angle / turned) ** (1 / power) for angle in (np.pi, np.pi + 2 * HALF))
    expected = swung_by(lambda t: lift_of_the_cam(turned * t**power), begin, end, times)
    assert np.ptp(expected) > 1e-4
    r = m.simulate(times, **method)
    assert not r.stopped
    np.testing.assert_allclose(r.drivers["hangs"][0], expected, atol=1e-8)


@pytest.mark.parametrize("method", few(METHODS[:4], 2), ids=str)
def test_bends_between_straight_parts_of_a_slot_move_a_mass_on_a_spring(method: dict[str, Any]) -> None:
    """A plate with a slot: a line, a rise of two arcs, a fall of two arcs, a line; it is drawn past the follower."""
    radius, bend = 0.05, np.radians(40)
    wide, high = radius * np.sin(bend), radius * (1 - np.cos(bend))

    def lift(t: float) -> float:
        x = min(max(t - 0.5, 0.0), 4 * wide)
        x = min(x, 4 * wide - x)
        return (
            radius - np.sqrt(radius**2 - x**2)
            if x < wide
            else 2 * high - radius + np.sqrt(radius**2 - (2 * wide - x) ** 2)
        )

    arcs = [{"turn": turn * bend, "radius": radius} for turn in (1, -2, 1)]
    m = sk.Mechanism(
        points={"C": (0, -1), "Q": (0.5, 0), "M": (0.5, 1)},
        links={"ground": [], "plate": ["C"], "follower": ["Q"], "mass": {"points": ["M"], "mass": 1}},
        joints={"gp": {"type": "prismatic", "links": ["ground", "plate"], "at": "C", "axis": (-1, 0)},
                "slot": {"type": "pin-in-slot", "pin": "Q", "slot": "plate", "start": (0, 0), "axis": (1, 0),
                         "segments": [{"length": 1}, *arcs, {"length": 3}]},
                **LIFTED},
        drivers={"draws": {"joint": "gp", "speed": 1}, "hangs": {"joint": "gm"}},
        forces={"spring": {"type": "spring", "between": ["Q", "M"], "stiffness": 100}},
    )  # fmt: skip
    times = np.linspace(0.0, 2.0, 9)
    expected = swung_by(lift, 0.5, 0.5 + 4 * wide, times)
    assert np.ptp(expected) > 1e-2
    r = m.simulate(times, **method)
    assert not r.stopped
    np.testing.assert_allclose(r.drivers["hangs"][0], expected, atol=1e-7)
