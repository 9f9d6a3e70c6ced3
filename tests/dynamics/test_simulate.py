"""Forward dynamics: published motions, energy, and inverse dynamics that recovers the efforts."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest
from cases import blocks
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import released
from random_mechanisms import Menu
from scipy.interpolate import PchipInterpolator
from swinging import pendulum, swinging_four_bar

import structkin as sk
from structkin.examples import path

#: IFToMM/LIM benchmark A01, a planar simple pendulum: 1 kg on a massless rod of 1 m, g = 9.81, at rest at (-1, 0).
#: Official solution (M. Gonzalez, Univ. A Coruna, 2005): x, y every half second, accurate to 5e-7.
A01 = """
-1.000000e+00 0.000000e+00
-3.910490e-01 -9.203700e-01
9.862920e-01 -1.650110e-01
8.841320e-01 -4.672370e-01
-7.935660e-01 -6.084840e-01
-9.963340e-01 -8.554390e-02
1.766520e-01 -9.842730e-01
9.999140e-01 -1.314200e-02
5.775640e-01 -8.163460e-01
-9.632930e-01 -2.684520e-01
-9.423050e-01 -3.347540e-01
6.652930e-01 -7.465830e-01
9.994980e-01 -3.169650e-02
"""


def test_the_official_pendulum() -> None:
    expected = np.array([row.split() for row in A01.strip().splitlines()], dtype=float)
    t = 0.5 * np.arange(len(expected))
    r = pendulum().simulate(t, rtol=1e-11, atol=1e-12)
    assert r.ok.all() and not r.stopped
    assert np.max(np.abs(r.position("B") - expected)) < 1e-6
    assert np.max(np.abs(r.energy - r.energy[0])) < 1e-8


def test_a_pendulum_with_inertia_as_computed_by_adams() -> None:
    """Revolute_Case01 of Project Chrono's validation (MSC ADAMS): m = 1 kg 2 m from the pin, I = 0.1, g = 9.80665."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (4, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "mass": 1, "center": (2, 0), "inertia": 0.1}},
        forces={"gravity": (0, -9.80665)},
        drivers={"swing": {"joint": "A"}},
    )
    r = m.simulate([0, 0.1])
    found = np.column_stack((
        r.position(2 + 0j, "rod"), r.velocity(2 + 0j, "rod"), r.acceleration(2 + 0j, "rod"),
        -r.omega("rod"), -r.alpha("rod"), r.forces().reaction("A", "ground"),
    ))  # fmt: skip
    expected = [
        [2, 0, 0, 0, 0, -9.56746, 0, 4.78373, 0, -0.239187],
        [1.99943, -0.0478318, -0.0228802, -0.956418, -0.686254, -9.55106, 0.478346, 4.78213, 0.686254, -0.255592],
    ]
    # the last printed angular acceleration is itself inaccurate: we take that at rest times the cosine of the angle
    expected[1][7] = 4.78373 * np.cos(np.arctan2(0.0478318, 1.99943))
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_a_double_pendulum() -> None:
    """Marghitu & Dupac, Advanced Dynamics (2012), program E6.4: two uniform rods, as printed, coarsely integrated."""
    rod = {"shape": "rod", "mass": 1}
    s = np.sqrt(0.5)
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (s, -s), "C": (2 * s, -2 * s)},
        links={"ground": ["A"], "one": {"points": ["A", "B"], **rod}, "two": {"points": ["B", "C"], **rod}},
        forces={"gravity": (0, -9.8)},
        drivers={"q1": {"joint": "A"}, "elbow": {"joint": "B"}},
    )
    r = m.simulate([0.0, 1.0])
    assert r.angle("one")[1] == pytest.approx(-2.1833, abs=2e-3)
    assert r.omega("one")[1] == pytest.approx(-1.5597, abs=2e-2)
    assert r.angle("two")[1] == pytest.approx(-2.3810, abs=2e-3)
    assert r.omega("two")[1] == pytest.approx(0.0933, abs=2e-2)
    assert abs(r.energy[1] - r.energy[0]) < 1e-7


def squeezer() -> sk.Mechanism:
    data = sk.load(path("andrews_squeezer")).source_dict
    return sk.Mechanism.from_dict({**data, "drivers": {"motor": {"joint": "O", "torque": 0.033}}})


def test_andrews_initial_accelerations_and_multipliers() -> None:
    """IVP Test Set, problem andrews: consistent initial values."""
    r = squeezer().simulate([0, 1e-6])
    assert r.alpha("K1")[0] == pytest.approx(14222.4439199541138705911625887, rel=1e-11)
    assert r.alpha("K2")[0] - r.alpha("K1")[0] == pytest.approx(-10666.8329399655854029433719415, rel=1e-11)
    # the first loop is cut between K2 and K3 at E; the other two loops carry nothing yet
    forces = r.forces()
    multipliers = 98.5668703962410896057654982170, -6.12268834425566265503114393122
    np.testing.assert_allclose(np.abs(forces.reaction("E", "K3")[0]), np.abs(multipliers), rtol=1e-10)
    np.testing.assert_allclose(forces.reaction("E", "K4")[0], 0, atol=1e-9)


@pytest.mark.slow
def test_andrews_squeezer_converges() -> None:
    """To t = 0.03 s; the test set's published angle is 15.8 in three digits; energy and tolerances are the checks."""
    t = np.linspace(0, 0.03, 31)
    coarse, fine = (squeezer().simulate(t, rtol=tol, atol=tol) for tol in (1e-10, 1e-12))
    assert fine.angle("K1")[-1] == pytest.approx(15.8, abs=0.05)
    for link in ("K1", "K3", "K6"):
        np.testing.assert_allclose(coarse.angle(link), fine.angle(link), atol=1e-7)
    work = 0.033 * (fine.angle("K1") - fine.angle("K1")[0])
    assert np.max(np.abs(fine.energy - fine.energy[0] - work)) < 1e-9 * np.max(fine.kinetic_energy)


def test_a_mass_on_a_spring_is_a_cosine() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0)},
        links={"ground": ["A"], "block": {"points": ["B"], "mass": 3}},
        joints={"guide": {"type": "prismatic", "links": ["block", "ground"], "axis": [1, 0]}},
        drivers={"travel": {"joint": "guide", "force": "6"}},
        forces={"spring": {"type": "spring", "between": ["A", "B"], "stiffness": 12, "free_length": 2}},
        initial={"travel": {"value": 0.3, "speed": 1}},
    )
    t = np.linspace(0, 3, 13)
    for options in ({}, {"integrator": "rk4", "step": 0.01}, {"integrator": "LSODA"}):
        x = m.simulate(t, **options).travel("guide")
        np.testing.assert_allclose(x, 0.5 - 0.2 * np.cos(2 * t) + 0.5 * np.sin(2 * t), atol=3e-8)


def test_friction_stops_a_sliding_block() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0)},
        links={"ground": ["A"], "block": {"points": ["B"], "mass": 2}},
        joints={"guide": {"type": "prismatic", "links": ["block", "ground"], "axis": [1, 0]}},
        drivers={"travel": {"joint": "guide"}},
        forces={"rub": {"type": "friction", "joint": "guide", "limit": 6, "transition": 1e-3}},
        initial={"travel": {"speed": 3}},
    )
    r = m.simulate([0, 0.5, 0.9, 1.5], rtol=1e-7, integrator="Radau")
    np.testing.assert_allclose(r.travel("guide"), [0, 1.125, 1.485, 1.5], atol=1e-3)
    assert abs(r.velocity("B")[-1, 0]) < 1e-6


def five_bar() -> sk.Mechanism:
    """A five-bar with springs and dampers: one crank turns by a law, the other is free and has a torque."""
    rod = {"shape": "rod", "density": 4}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.1, 0.35), "C": (0.5, 0.6), "D": (0.9, 0.3), "E": (1, 0)},
        links={
            "ground": ["A", "E"],
            "left": {"points": ["A", "B"], **rod},
            "up": {"points": ["B", "C"], **rod},
            "down": {"points": ["C", "D"], **rod},
            "right": {"points": ["E", "D"], **rod},
        },
        drivers={"crank": {"joint": "A", "law": "1.3 + 0.3*sin(5*t)"}, "free": {"joint": "E", "torque": "3*cos(4*t)"}},
        forces={
            "gravity": [0, -9.81],
            "spring": {"type": "spring", "between": ["B", "D"], "stiffness": 200, "damping": 3},
            "coil": {"type": "torsion", "joint": "E", "stiffness": 40, "damping": 0.2},
        },
    )


def test_inverse_dynamics_returns_what_was_applied() -> None:
    r = five_bar().simulate(np.linspace(0, 0.6, 7))
    assert r.free == ("free",) and not r.stopped
    forces = r.forces()
    np.testing.assert_allclose(forces.driver("free"), 3 * np.cos(4 * r.t), atol=1e-9)
    np.testing.assert_allclose(forces.driver("crank"), r.efforts["crank"], atol=1e-9)
    assert np.max(r.violation) < 1e-14
    # the numbers are consistent: differences of the angle give its rate
    near = five_bar().simulate(np.array([0, 0.3 - 1e-4, 0.3, 0.3 + 1e-4]), rtol=1e-12, atol=1e-13)
    step = (near.angle("right")[3] - near.angle("right")[1]) / 2e-4
    assert step == pytest.approx(near.omega("right")[2], rel=1e-6)


def test_energy_of_a_swinging_four_bar() -> None:
    m = swinging_four_bar()
    fine = m.simulate(np.linspace(0, 1, 6))
    assert not fine.stopped and np.ptp(fine.angle("crank")) > 0.3
    assert np.ptp(fine.energy) < 1e-8
    errors = [np.ptp(m.simulate([0, 0.5], integrator="rk4", step=h).energy) for h in (0.025, 0.0125)]
    assert np.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.full
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_against_newton_and_euler(seed: int) -> None:
    """Free coordinates get the accelerations at which inverse dynamics, by another method, finds no effort."""
    efforts_come_back(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(1000)))
def test_many_random_mechanisms(seeds: range) -> None:
    for seed in seeds:
        efforts_come_back(seed)


def efforts_come_back(seed: int, menu: Menu | None = None) -> None:
    m = released(seed, menu=menu)
    free = [id for id, drive in m.drivers.items() if drive.law is None]
    try:
        r = m.simulate([0, 1e-5], integrator="euler", step=1e-5)
    except sk.InputError as error:
        # a law may begin outside what the sketch can reach
        assert {problem.key for problem in error.problems} == {"initial"}, error
        return
    forces = r.forces()
    scale = max(1.0, np.max(np.abs(forces.unknowns)))
    for id in m.drivers:
        np.testing.assert_allclose(forces.driver(id) / scale, r.efforts[id] / scale, atol=1e-9)
    for id in free:
        np.testing.assert_allclose(r.efforts[id] / scale, (1.5 + r.t) / scale, atol=1e-9)
    assert np.max(r.violation) < 1e-11


def test_redundant_joints_move_as_one() -> None:
    """A table on three parallel cranks is a pendulum of the cranks' length: theta'' = -g sin(theta) / l."""
    beam = {"points": ["P", "Q", "R"], "mass": 6, "center": [2, -1], "inertia": 1}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (4, 0), "P": (0.6, -0.8), "Q": (2.6, -0.8), "R": (4.6, -0.8)},
        links={"ground": ["A", "B", "C"], "one": ["A", "P"], "two": ["B", "Q"], "three": ["C", "R"], "beam": beam},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
    )
    r = m.simulate([0, 0.2, 0.4])
    theta = r.angle("one") + np.pi / 2
    np.testing.assert_allclose(r.alpha("one"), -9.81 * np.sin(theta), rtol=1e-10)
    np.testing.assert_allclose(r.omega("one") ** 2, 2 * 9.81 * (np.cos(theta) - np.cos(theta[0])), atol=1e-7)
    assert not r.forces().unique("Q")


# --- how it begins and ends ---------------------------------------------------------------------------------


def test_missing_drivers_are_chosen() -> None:
    data = five_bar().source_dict
    del data["drivers"]
    r = sk.Mechanism.from_dict(data).simulate([0, 0.01])
    assert len(r.free) == 2 and all(id.endswith(" free") for id in r.free)
    kept = sk.Mechanism.from_dict({**data, "drivers": {"hand": {"joint": "E"}}})
    assert kept.simulate([0, 0.01]).free[0] == "hand"


def test_it_stops_where_a_law_leads_out_of_reach_and_keeps_its_results() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.1, 0.1), "C": (0.4, 0.25), "D": (0.5, 0), "E": (0.1, -0.2)},
        links={
            "ground": ["A", "D"], "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 2}, "rocker": ["C", "D"],
            "hung": {"points": ["C", "E"], "shape": "rod", "mass": 1},
        },
        drivers={"crank": {"joint": "A", "law": "pi/4 + 3*t"}, "swing": {"links": ["ground", "hung"]}},
        forces={"gravity": [0, -9.81]},
    )  # fmt: skip
    r = m.simulate(2.0, samples=101, rtol=1e-7)
    assert 10 < len(r) < 101 and r.ok.all()
    assert "singular" in r.stopped or "out of reach" in r.stopped
    assert r.t[-1] <= float(r.stopped.split()[2]) < r.t[-1] + 0.03
    for name, step in (("rk2", 2e-3), ("abm4", 2e-3), ("gear4", 2e-3)):
        fixed = m.simulate(2.0, samples=101, integrator=name, step=step)
        assert fixed.stopped and len(fixed) > 10


def test_a_motion_that_blows_up_ends_with_a_message() -> None:
    m = pendulum(initial={"swing": {"speed": 1}})

    def runaway(t: Any, state: sk.Motion) -> Any:
        return [sk.Moment("rod", 50 * state.omega("rod") ** 2)]

    r = m.simulate(1.0, samples=101, loads=[runaway])
    assert r.stopped.startswith("t = 0.0") and 1 < len(r) < 10
    short = pendulum().simulate(10.0, max_steps=5)
    assert "5 steps taken" in short.stopped


def test_bad_calls_are_reported_all_at_once() -> None:
    with pytest.raises(sk.InputError) as caught:
        pendulum().simulate([0, 2, 1], formulation="reduce", integrator="rk5", rtol=-1, samples=1)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["formulation", "integrator", "rtol", "samples", "t"]
    assert "did you mean 'reduced'" in str(caught.value)
    for options, message in (
        ({"t": [0, 2, 1]}, "t: the time 1 s does not come after 2 s"),
        ({"t": -1}, "t: -1 is not a positive time"),
        ({}, "t: no end is given"),
        ({"t": "now"}, "t: 'now' is not a number or an array"),
        ({"t": [0, 1], "samples": 5}, "samples: cannot be combined"),
        (
            {"t": 1, "samples": 10**10},
            "samples: 10,000,000,000 output times would take 152,588 GiB of memory; at most 16 GiB",
        ),
        ({"t": np.arange(2e6)}, "t: 2,000,000 output times would take 31 GiB of memory"),
        ({"t": 1, "integrator": "rk4"}, "step: rk4 needs a fixed step"),
        ({"t": 1, "step": 0.1}, "step: DOP853 chooses its own steps"),
        ({"t": 1, "integrator": "rk4", "step": 0}, "step: 0 is not a positive time"),
    ):
        with pytest.raises(sk.InputError, match=message):
            pendulum().simulate(**options)


def test_what_cannot_begin() -> None:
    driven = five_bar().source_dict
    driven["drivers"]["free"] = {"joint": "E", "speed": 1}
    light = {"points": {"A": [0, 0], "B": [1, 0]}, "links": {"ground": ["A"], "rod": ["A", "B"]}}
    swing = {"drivers": {"swing": {"joint": "A"}}}
    far = five_bar().source_dict
    far["initial"] = {"free": {"value": -1.6}}
    for data, message in (
        (driven, "drivers: every driver has a law"),
        ({**light, **swing}, "drivers.swing: the free coordinate moves no mass"),
        (far, "initial: the start has no regular pose"),
    ):
        with pytest.raises(sk.InputError, match=message):
            sk.Mechanism.from_dict(data).simulate(1.0)


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("integrator", ["euler", "rk4", "abm4"])
def test_a_fixed_step_at_which_the_energy_jumps_is_reported(integrator, engine):
    """A pendulum that falls from the side: at a step of 0.4 s no power explains the change of its energy."""
    times = np.linspace(0, 8, 11)
    found = pendulum().simulate(times, integrator=integrator, step=0.4, engine=engine)
    assert "a step of 0.4 s is too large here: the energy jumps" in found.stopped and len(found) < len(times)
    assert not pendulum().simulate(times[:3], integrator=integrator, step=1e-3, engine=engine).stopped


def test_a_driver_that_leads_out_of_reach_is_named() -> None:
    """The actuator at E and G is stretched until C lies between them; then it is at its longest."""
    m = sk.Mechanism(
        points={"C": (0, 0), "E": (-1, 0), "G": (0, 1)},
        links={"ground": ["C", "E"], "arm": {"points": ["C", "G"], "mass": 1, "inertia": 1, "center": (0.5, 0)},
               "load": {"points": ["G"], "mass": 1, "center": (0.5, 0), "inertia": 1}},
        drivers={"crowd": {"between": ["E", "G"], "law": "sqrt(2) + t"}, "swing": {"joint": "G"}},
    )  # fmt: skip
    r = m.simulate(1.0, samples=11)
    assert r.stopped.startswith("t = 0.5857") and "crowd" in r.stopped


@pytest.mark.parametrize("width", [3e-5, 1e-3])
@pytest.mark.parametrize("end", [1.0, 100.0])
def test_a_short_blow_in_a_table_is_not_passed_over(width: float, end: float) -> None:
    """A blow of 1 N s at 1 m turns a rod of 1 kg m^2 at 1 rad/s, however long the simulation lasts."""
    blow = [[0, 0], [0.5, 0], [0.5 + width, 1 / width], [0.5 + 2 * width, 0], [100, 0]]
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}},
        drivers={"swing": {"joint": "A"}},
        forces={"f": {"type": "force", "at": "B", "frame": "local", "direction": [0, 1], "table": blow}},
    )
    assert m.simulate([0, 0.7 * end, end]).drivers["swing"][1, -1] == pytest.approx(1, abs=1e-5)


def pushed(times: Any, forces: Any) -> sk.Mechanism:
    """A cart of 2 kg, pushed along its guide by a table of forces."""
    rows = np.stack((times, forces), axis=1).tolist()
    return sk.Mechanism(
        points={"A": (0, 0), "C": (0.1, 0)}, drivers={"slide": {"joint": "guide"}},
        links={"ground": ["A"], "cart": {"points": ["C"], "mass": 2}},
        joints={"guide": {"type": "prismatic", "links": ["cart", "ground"], "at": "C", "axis": [1, 0]}},
        forces={"push": {"type": "force", "at": "C", "direction": [1, 0], "table": rows}},
    )  # fmt: skip


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "Radau"])
def test_no_step_passes_over_the_rows_of_a_table(integrator: str) -> None:
    """The twice integrated cubics; steps over rows were 3e-8 off, with five times as many evaluations."""
    times, forces = np.linspace(0, 1, 11), np.array([0, 0, 5, 0, -3, 8, 0, 0, 2, 0, 0])
    run = pushed(times, forces).simulate(times, rtol=1e-9, integrator=integrator)
    exact = PchipInterpolator(times, forces).antiderivative(2)(times) / 2
    np.testing.assert_allclose(run.position("C")[:, 0], 0.1 + exact, atol=1e-11)
    assert integrator != "DOP853" or run.integration.evaluations < 300


def test_steps_pass_over_the_rows_of_a_dense_smooth_table() -> None:
    t = np.linspace(0, 1, 2001)
    run = pushed(t, np.sin(6 * t)).simulate(t[::200], rtol=1e-9)
    np.testing.assert_allclose(run.position("C")[:, 0], 0.1 + (t / 12 - np.sin(6 * t) / 72)[::200], atol=1e-8)
    assert run.integration.steps < 100


def test_drivers_with_laws_move_freely_where_they_are_named_in_free():
    """They start with the value and the speed of their laws, as an equal mechanism without laws does."""
    m = sk.load(path("andrews_squeezer"))
    freed = m.simulate(0.02, samples=9, free="motor")
    data = m.source_dict
    data["drivers"] = {"motor": {"joint": "O"}}
    start = m.drivers["motor"].law(np.zeros(1))
    data["initial"] = {"motor": {"value": f"{float(start[0][0])!r} rad", "speed": f"{float(start[1][0])!r} rad/s"}}
    own = sk.Mechanism.from_dict(data).simulate(0.02, samples=9)
    assert freed.free == ("motor",)
    assert freed.drivers["motor"].tolist() == own.drivers["motor"].tolist()
    # A mechanism that has been freed is saved and pickled as such.
    assert pickle.loads(pickle.dumps(freed.mechanism)).drivers["motor"].law is None


def test_the_start_of_a_freed_driver_is_that_of_its_law_at_the_first_time():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)}, drivers={"motor": {"joint": "A", "law": "t**2"}},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
    )  # fmt: skip
    r = m.simulate([1.5, 2.0], free=["motor"])
    # Nothing accelerates it: 1.5^2 + 3 (t - 1.5).
    np.testing.assert_allclose(r.angle("arm") - r.angle("arm")[0], [0.0, 1.5], atol=1e-9)
    assert r.drivers["motor"][0].tolist() == pytest.approx([2.25, 3.75])


@pytest.mark.parametrize(
    ("law", "at"),
    [
        ({"speed": "2 rad/s"}, 0.0),
        ({"law": "2.5 + 2*t - t**2"}, 0.25),
        ({"table": [[0, 1], [1, 1.5], [2, 3]]}, 0.5),
    ],
)
def test_a_four_bar_whose_motor_is_freed_moves_as_the_same_file_without_the_law(law: dict[str, Any], at: float) -> None:
    """It starts with the energy of the driven motion, which gravity conserves from then on."""
    own = swinging_four_bar()
    (motor,) = own.drivers
    driven = own.with_initial({}).with_drivers({motor: {"joint": "A", **law}})
    before = driven.solve(t=[at, at + 0.1])
    value, speed = (float(part[0]) for part in before.drivers[motor][:2])
    t = at + np.linspace(0, 1, 6)
    freed = driven.simulate(t, free=[motor])
    plain = own.with_initial({motor: {"value": f"{value!r} rad", "speed": f"{speed!r} rad/s"}}).simulate(t)
    assert freed.free == (motor,) and not freed.stopped and freed.efforts[motor].tolist() == [0.0] * 6
    for link in own.links:
        np.testing.assert_array_equal(freed.angle(link), plain.angle(link))
    assert freed.kinetic_energy[0] == pytest.approx(before.forces().kinetic_energy[0], rel=1e-9)
    np.testing.assert_allclose(freed.energy, freed.energy[0], atol=1e-7 * np.ptp(freed.potential_energy))


def test_names_in_free_that_are_no_drivers_or_have_no_law_are_listed():
    m = sk.load(path("five_bar_two_drivers"))
    data = m.source_dict
    left, right = m.drivers
    data["drivers"][left] = {"joint": m.drivers[left].joint}
    with pytest.raises(sk.InputError) as caught:
        sk.Mechanism.from_dict(data).simulate(1.0, free=[left, right, "wrong"])
    assert [problem.key for problem in caught.value.problems] == [f"free.{left}", "free.wrong"]


@pytest.mark.parametrize("step", [5e-324, 1e-300, 1e-16])
def test_a_step_below_the_rounding_of_time_is_refused(step):
    """There were more of them than a 64-bit number counts, or than a float holds."""
    with pytest.raises(sk.InputError, match=r"step: .* is finer than times are rounded; 5\.0e-16 s or more"):
        pendulum().simulate(0.5, samples=3, integrator="rk4", step=step)
    assert "steps taken" in pendulum().simulate(0.5, samples=3, integrator="rk4", step=1e-15, max_steps=10).stopped


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_a_fixed_step_that_never_comes_to_the_end_is_told_before(formulation):
    """It ran for a million steps, and then said that it had."""
    call = {"samples": 11, "integrator": "rk4", "formulation": formulation}
    began = time.process_time()
    with pytest.raises(sk.InputError, match=r"step: 1e-07 s would take 20,000,000 steps, and max_steps is 1,000,000; "
                                            r"2\.2e-06 s or more, or raise max_steps"):  # fmt: skip
        pendulum().simulate(2.0, step=1e-7, **call)
    assert time.process_time() - began < 5
    assert not pendulum().simulate(0.02, step=2.2e-3, **call).stopped
    # Steps divide the time between two outputs: where these are many, longer ones are named.
    with pytest.raises(sk.InputError, match=r"1\.6e-06 s or more, or raise max_steps"):
        pendulum().simulate(1.0, **{**call, "samples": 300_001}, step=1e-6)
    cut = pendulum().simulate(2.0, step=1e-7, max_steps=20, **call)  # who asks for fewer steps gets them
    assert "20 steps taken" in cut.stopped


def test_mistakes_in_free_are_listed_with_those_of_the_other_arguments():
    m = sk.load(path("crank_rocker"))
    late = m.with_drivers({"motor": {"joint": "A", "law": "sqrt(t - 1)"}})
    for call, keys in (
        (lambda: m.simulate(1.0, free=["moter"], rtol=-1.0, engine="fast"), {"free.moter", "rtol", "engine"}),
        (lambda: m.simulate(-1.0, free=["moter", "motor"]), {"free.moter", "t"}),
        (lambda: late.simulate([0.5, 2.0], free=["moter", "motor"], step=1.0), {"free.moter", "free.motor", "step"}),
        (lambda: m.compare(simulate=-1.0, free=["moter"], methods=["global"]), {"free.moter", "simulate", "methods"}),
        (lambda: m.compare(simulate=1.0, free=["moter"], patience=0), {"free.moter", "patience"}),
    ):
        with pytest.raises(sk.InputError) as caught:
            call()
        assert {problem.key for problem in caught.value.problems} == keys
