"""Flat poses: simulations pass through them, and forces are NaN where no digits are left. User loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cases import few
from flat import ROD, slider_crank, slider_crank_angle, windows, windows_angle

import structkin as sk
from structkin.dynamics.start import start


def parallelogram(**motor):
    return sk.Mechanism(
        "Parallelogram",
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 2},
            "rocker": {"points": ["D", "C"], "shape": "rod", "mass": 1},
        },
        drivers={"motor": {"joint": "A", **motor}},
        forces={"gravity": (0, -9.81)},
    )


def test_forces_at_the_flat_pose_are_those_of_virtual_work():
    """The reactions grow without bound towards it and are NaN there; the torque is 3 g cos(theta)."""
    motion = parallelogram(speed=1.0).solve(9)
    forces = motion.forces()
    flat = np.abs(np.sin(motion.angle("crank"))) < 1e-9
    assert flat.any() and motion.ok.all()
    assert np.isnan(forces.reaction("B", "crank")[flat]).all()
    expected = 3 * 9.81 * np.cos(motion.angle("crank"))
    assert forces.driver("motor") == pytest.approx(expected, abs=1e-6)


def on_circle(angle):
    return np.stack((np.cos(angle), np.sin(angle)), axis=1)


@pytest.mark.full
def test_windows_agree_with_the_official_solution():
    """Forty windows of the IFToMM benchmark A02 over 4 s: five flat crossings of forty parallelograms at once."""
    t, *given = np.loadtxt(Path(__file__).parents[1] / "data" / "windows_40.csv", delimiter=",", skiprows=2)[::4].T
    found = windows(40).simulate(t, rtol=1e-7, atol=1e-8)
    assert not found.stopped
    assert found.position("B0") == pytest.approx(np.stack(given, axis=1), abs=1e-5)
    assert found.violation.max() < 1e-13


@pytest.mark.parametrize("count", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_windows_follow_the_equation_of_one_crank_through_twenty_flat_poses(count):
    t = np.linspace(0, 20, 101)
    angle = windows_angle(count, t)
    found = windows(count).simulate(t, rtol=5e-13, atol=5e-13)
    assert not found.stopped and abs(angle[-1] - angle[0]) > 20 * np.pi
    assert found.drivers["motor"][0] == pytest.approx(angle, abs=1e-8)
    assert found.position(f"B{count}") - [count, 0] == pytest.approx(on_circle(angle), abs=1e-8)


@pytest.mark.parametrize("angle_0", [0.0, 1e-13, -1e-5])
def test_a_simulation_may_begin_at_a_flat_pose(angle_0):
    """Its first stages are on the flat pose, or closer than rounding can resolve."""
    m = sk.Mechanism.from_dict({**windows(2).source_dict, "initial": {"motor": {"value": angle_0, "speed": -5}}})
    t = np.linspace(0, 1, 21)
    found = m.simulate(t, rtol=1e-11, atol=1e-12)
    angle = windows_angle(2, t, -5.0, angle_0)
    assert not found.stopped and found.position("B2") - [2, 0] == pytest.approx(on_circle(angle), abs=1e-9)


def test_a_stage_exactly_on_the_flat_pose_and_steps_back_over_it():
    """Trial steps cross the flat pose and come back: the accelerations are those of one smooth motion."""
    equations = start(windows(5), 0.0, ())
    a, ((tip, _),) = 9.81 * (3 + 5) / (2 + 5), equations.plan.pins["B5"].terms
    for angle in (1.0, 0.2, -0.2, 0.0, 0.3, 0.01, 0.0, -0.01, -1.0, -3.0, -np.pi, -3.2, -3.1, -np.pi, -4.0, -2.9):
        instant = equations.at(0.0, np.array([angle, -2.0]))
        assert instant.z[0, 2] == pytest.approx(-a * np.cos(angle), abs=1e-9)
        rates = -2 * np.array([-np.sin(angle), np.cos(angle)])
        assert instant.x[1, equations.plan.rows(tip), 0] == pytest.approx(rates, abs=1e-11)


@pytest.mark.parametrize("coordinate", ["crank", pytest.param("slide", marks=pytest.mark.slow)])
def test_the_slider_crank_with_equal_rods_runs_ten_seconds_through_its_change_points(coordinate):
    """With the slider as coordinate eleven of them, and eleven dead points, where it turns back."""
    t = np.linspace(0, 10, 201)
    angle = slider_crank_angle(t)
    found = slider_crank(coordinate).simulate(t, rtol=1e-12, atol=1e-12)
    assert not found.stopped and angle[-1] > 11 * np.pi
    assert found.position("C")[:, 0] == pytest.approx(2 * np.cos(angle), abs=1e-8)
    assert found.position("B") == pytest.approx(on_circle(angle), abs=1e-8)


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("law", [None, "0.7*t"])
def test_a_parallelogram_on_an_arm_that_swings_or_is_driven(law, engine):
    """Two coordinates: the smooth motion keeps the coupler parallel to the arm, and the power balances."""
    turn = {"joint": "O"} if law is None else {"joint": "O", "law": law}
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (1, 0), "D": (3, 0), "B": (1.5, 1), "C": (3.5, 1)},
        links={
            "ground": ["O"],
            "arm": {"points": ["O", "A", "D"], "mass": 2, "center": [1.5, 0.2], "inertia": 0.7},
            "crank": {"points": ["A", "B"], **ROD},
            "coupler": {"points": ["B", "C"], **ROD},
            "rocker": {"points": ["D", "C"], **ROD},
        },
        drivers={"turn": turn, "motor": {"links": ["arm", "crank"]}},
        forces={"gravity": (0, -9.81)},
        initial={"motor": {"speed": 6}},
    )
    found = m.simulate(np.linspace(0, 2, 41), rtol=1e-10, atol=1e-10, engine=engine)
    assert not found.stopped and np.ptp(found.drivers["motor"][0]) > 2 * np.pi
    assert found.angle("coupler") == pytest.approx(found.angle("arm"), abs=1e-10)
    assert found.alpha("rocker") == pytest.approx(found.alpha("crank"), abs=1e-8)
    if law is None:
        assert np.max(np.abs(found.energy - found.energy[0])) < 1e-8 * abs(found.energy).max()


def parallel_triad(coordinate, speed):
    """A plate on two parallel legs, moved by a rod from a crank: driven at the crank, a triad that closes flat."""
    return sk.Mechanism(
        points={
            "A": (0, 0), "D": (2, 0), "B": (0.2, 0.9), "C": (2.2, 0.9), "P": (1.2, 1.9), "E": (1.2, 1.3),
            "F": (2.2, 2.0),
        },
        links={
            "ground": ["A", "D", "E"],
            "left": {"points": ["A", "B"], **ROD},
            "right": {"points": ["D", "C"], **ROD},
            "plate": {"points": ["B", "C", "P"], "mass": 2, "center": [1.2, 1.3], "inertia": 0.4},
            "crank": {"points": ["E", "F"], **ROD},
            "rod": {"points": ["F", "P"], **ROD},
        },
        drivers={coordinate: {"links": ["ground", coordinate]}},
        forces={"gravity": (0, -9.81)},
        initial={coordinate: {"speed": speed}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("crank", "speed"), few([(0.7 * np.exp(-0.8j), 3.0), (1.4 * np.exp(2j), -3.0), (2 * np.exp(1j), 5)], 1)
)
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_coupler_that_moves_by_itself_stays_level_through_steep_flat_poses(crank, speed, engine):
    """By the angle at its moving pin the root of the dyad goes through zero so steeply that steps pass over it."""
    m = sk.Mechanism(
        points={"A": (0, 0), "D": (1.1, 0), "B": (crank.real, crank.imag), "C": (crank.real + 1.1, crank.imag)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 1},
            "rocker": {"points": ["D", "C"], "shape": "rod", "mass": 1},
        },
        drivers={"motor": {"joint": "B", "torque": 0}},
        initial={"motor": {"speed": speed}},
    )
    found = m.simulate(3.0, samples=31, engine=engine)
    # without loads a parallelogram turns steadily
    assert np.abs(found.omega("crank")) == pytest.approx(abs(speed), abs=1e-6)
    assert found.position("C") - found.position("B") == pytest.approx(np.tile((1.1, 0), (31, 1)), abs=1e-9)


def test_a_triad_goes_through_its_change_points():
    """Two flat poses of a group without a closed form, against a leg as coordinate, which leaves only dyads."""
    m = parallel_triad("crank", 7.0)
    leg = m.solve(drivers={"crank": ([m.drivers["crank"].start], [7.0])}).omega("left")[0]
    t = np.linspace(0, 1, 21)
    found = m.simulate(t, rtol=1e-11, atol=1e-11)
    good = parallel_triad("left", float(leg)).simulate(t, rtol=1e-11, atol=1e-11)
    assert not found.stopped and np.ptp(good.drivers["left"][0]) > 2 * np.pi
    assert np.ptp(found.angle("plate")) < 1e-11
    assert found.position("P") == pytest.approx(good.position("P"), abs=1e-8)


def test_what_a_simulation_reports_near_a_flat_pose():
    """K, L and jerk of the smooth motion; forces where they are determined, and NaN where they are not."""
    m = sk.Mechanism.from_dict({**windows(3).source_dict, "initial": {"motor": {"value": 0.0, "speed": -5}}})
    found = m.simulate([0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.1], rtol=1e-11, atol=1e-12)
    angle = found.drivers["motor"][0]
    across = np.stack((-np.sin(angle), np.cos(angle)), axis=1)
    assert found.ok.all()
    assert found.K("B3")[..., 0] == pytest.approx(across, abs=1e-10)
    assert found.L("B3")[..., 0, 0] == pytest.approx(-on_circle(angle), abs=1e-8)
    assert found.omega("bar2") == pytest.approx(np.zeros(6), abs=1e-10)
    forces = found.forces()
    assert np.isnan(forces.reaction("B1", "bar0")[0]).all()
    assert forces.driver("motor")[[0, 3, 4, 5]] == pytest.approx(np.zeros(4), abs=1e-6)


def test_a_simulation_keeps_its_loads():
    pendulum = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"swing": {"joint": "A"}},
    )
    found = pendulum.simulate(t=1.0, samples=5, loads=[lambda t, state: [sk.Force("B", (0.0, 5.0))]])
    assert found.forces().driver("swing") == pytest.approx(np.zeros(5), abs=1e-6)
    assert np.max(np.abs(found.forces(loads=[]).driver("swing"))) > 1
