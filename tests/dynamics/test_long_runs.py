"""Long simulations: the joints stay closed however many steps are taken."""

from __future__ import annotations

import numpy as np
import pytest
from flat import crank_rocker, rocker_speed, windows

import structkin as sk


@pytest.mark.slow
@pytest.mark.parametrize("case", ["crank", "rocker", "windows"])
def test_the_joints_stay_closed_for_a_million_steps(case):
    """Also where the rocker's coordinate passes dead points, and where a window passes flat poses."""
    m = windows(1) if case == "windows" else crank_rocker(case, None, 9.0 if case == "crank" else rocker_speed())
    found = m.simulate(np.linspace(0, 100, 1001), integrator="rk4", step=1e-4, max_steps=2_000_000)
    assert not found.stopped and found.integration.steps >= 1_000_000
    assert found.violation.max() <= 1e-12
    assert np.max(np.abs(found.energy - found.energy[0])) < 1e-6 * np.max(found.kinetic_energy)


def flywheel(**motor: int) -> sk.Mechanism:
    """A slider-crank whose crank alone has mass, and a pendulum beside it."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.3, 0.4), "C": (2, 0), "E": (5, 0), "F": (5, -1)},
        links={
            "ground": ["A", "E"],
            "crank": {"points": ["A", "B"], "mass": 1, "center": (0, 0), "inertia": 2},
            "rod": ["B", "C"],
            "piston": ["C"],
            "pendulum": {"points": ["E", "F"], "point_masses": {"F": 1}},
        },
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": (1, 0)}},
        drivers={"motor": {"joint": "A", **motor}, "swing": {"joint": "E"}},
        initial={"swing": {"speed": 0.01}, **({} if motor else {"motor": {"speed": 100}})},
    )


@pytest.mark.parametrize(
    ("integrator", "motor"),
    [
        ("LSODA", {}), ("LSODA", {"speed": 100}), ("milne", {}),
        *(
            pytest.param(name, motor, marks=pytest.mark.full)
            for name in ("DOP853", "RK45") for motor in ({}, {"speed": 100})
        ),
    ],
    ids=str,
)  # fmt: skip
def test_a_flywheel_turns_on(integrator: str, motor: dict[str, int]) -> None:
    """Nothing limits the error of steps of any length, but from farther than 300 rad away no pose was found."""
    s = flywheel(**motor).simulate(10.0, samples=2, integrator=integrator)
    assert not s.stopped
    assert s.turn("crank")[-1] == pytest.approx(1000, abs=1e-8)
    assert s.turn("pendulum")[-1] == pytest.approx(0.1, abs=1e-8)
    x = 0.5 * np.cos(1000 + np.arctan2(0.4, 0.3))
    y = 0.5 * np.sin(1000 + np.arctan2(0.4, 0.3))
    assert s.position("C")[-1] == pytest.approx([x + np.sqrt(1.7**2 + 0.4**2 - y**2), 0], abs=1e-8)
