"""Long simulations: the joints stay closed however many steps are taken; an end that is too far is told early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few
from flat import crank_rocker, rocker_speed, windows

import structkin as sk
from structkin.dynamics.reduced.reduced_equations import Reduced


@pytest.mark.slow
@pytest.mark.parametrize("case", ["crank", "rocker", "windows"])
def test_the_joints_stay_closed_for_a_million_steps(case):
    """Also where the rocker's coordinate passes dead points, and where a window passes flat poses."""
    m = windows(1) if case == "windows" else crank_rocker(case, None, 9.0 if case == "crank" else rocker_speed())
    found = m.simulate(np.linspace(0, 100, 1001), integrator="rk4", step=1e-4, max_steps=2_000_000)
    assert not found.stopped and found.integration.steps >= 1_000_000
    assert found.violation.max() <= 1e-12
    assert np.max(np.abs(found.energy - found.energy[0])) < 1e-6 * np.max(found.kinetic_energy)


def swinging(**damper: float) -> sk.Mechanism:
    """A rod of 1 kg on a pin, with a damper or without."""
    loads = {"damper": {"type": "torsion", "links": ["ground", "rod"], **damper}} if damper else {}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": (0, -9.81), **loads},
    )


@pytest.mark.parametrize("end", few([1e6, 1e9, 1e12], 1))
def test_a_run_that_never_comes_to_its_end_is_told_early(end) -> None:
    """It took a million steps, eight minutes, for one sample; a thousandfold end was called a rate without bound."""
    found = swinging().simulate(end, samples=11, integrator="LSODA", engine="python")
    assert found.integration.steps == 2000 and len(found.t) == 1
    reached, needed = float(found.stopped.split()[2]), float(found.stopped.split(" some ")[1].split()[0])
    assert needed == pytest.approx((end - reached) / reached * 2000, rel=0.5)
    assert "steps like the first 2,000, and max_steps is 1,000,000; let it end earlier" in found.stopped
    # Samples that were reached are kept.
    times = [0.0, 1.0, 2.0, end]
    kept = swinging().simulate(times, integrator="LSODA", engine="python")
    assert list(kept.t) == times[:3] and kept.stopped


def test_a_run_that_comes_to_rest_goes_on_to_a_far_end() -> None:
    """Its first steps alone would take more than 10^10 of them."""
    found = swinging(damping=2.0).simulate(1e9, samples=11, integrator="Radau", engine="python")
    assert not found.stopped and found.integration.steps < 2000
    assert abs(found.drivers["swing"][0][-1] + np.pi / 2) < 1e-6


@pytest.mark.full
@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "milne", "Radau", "BDF"])
@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_all_integrators_tell_early(integrator, formulation) -> None:
    found = swinging().simulate(1e9, samples=11, integrator=integrator, formulation=formulation, engine="python")
    assert found.integration.steps == 2000 and "max_steps is 1,000,000" in found.stopped


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


def test_a_group_with_a_redundant_row_is_solved_by_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wedge lift whose table sinks by its weight: its rows have no determinant whose sign could tell a fold."""
    count, care = 0, Reduced._come_with_care

    def counted(self: Reduced, t: float, y: Any) -> Any:
        nonlocal count
        count += 1
        return care(self, t, y)

    monkeypatch.setattr(Reduced, "_come_with_care", counted)
    turn = np.radians(15)
    m = sk.Mechanism(
        points={"P": (0, 0), "Q": (0.1, 0.05)},
        links={"ground": [], "wedge": {"points": ["P"], "mass": 2}, "table": {"points": ["Q"], "mass": 10}},
        joints={
            "floor": {"type": "prismatic", "links": ["ground", "wedge"], "at": "P", "axis": (1, 0)},
            "face": {"type": "prismatic", "links": ["wedge", "table"], "at": "Q", "axis": (np.cos(turn), np.sin(turn))},
            "mast": {"type": "prismatic", "links": ["ground", "table"], "at": "Q", "axis": (0, 1)},
        },
        drivers={"screw": {"joint": "floor"}},
        forces={"gravity": (0, -9.81)},
    )
    s = m.simulate(1.0, samples=5)
    # Of the wedge and the table, which moves tan(15 deg) times as far.
    rate = 10 * 9.81 * np.tan(turn) / (2 + 10 * np.tan(turn) ** 2)
    assert s.drivers["screw"][0] == pytest.approx(0.5 * rate * s.t**2, abs=1e-9)
    assert count < 0.1 * s.integration.evaluations


@pytest.mark.full
def test_radau_goes_on_where_the_angle_of_a_rotor_changes_nothing() -> None:
    """Its differences took ever larger steps, by ten at each Jacobian: after 308 of them the angle was NaN."""
    mechanism = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 0)},
        links={
            "ground": ["A", "C"],
            "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "rotor": {"points": ["C"], "mass": 2, "center": (3, 0), "inertia": 0.3},
        },
        drivers={"swing": {"joint": "A"}, "spin": {"links": ["ground", "rotor"]}},
        forces={"gravity": (0, -9.81)},
    )
    found = mechanism.simulate(340.0, samples=3, integrator="Radau", rtol=1e-3)
    assert not found.stopped and found.ok.all()
    assert found.angle("rotor") == pytest.approx(0.0)
