"""Simulation from a pose, part by part: its energies and its start, the pointer that pulls, and what it needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.dynamics.start import pose_of
from structkin.errors import InputError, StructkinError
from structkin.examples import path
from structkin.studio.driving import Driving
from structkin.studio.free_run import FreeRun, Pull, let_go

PENDULUM: dict[str, Any] = {
    "points": {"A": [0, 0], "B": [0.1, 0]},
    "links": {"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 2}}},
    "drivers": {"swing": {"joint": "A", "speed": 3}},
    "forces": {"gravity": [0, -9.81]},
}


def begun(data: dict[str, Any], angle: float = -0.5) -> tuple[Driving, FreeRun]:
    driving = Driving(sk.Mechanism.from_dict(data))
    driving.turn("swing", angle, 60)
    return driving, FreeRun(let_go(driving), pose_of(driving.motion, 0))


def test_a_pendulum_that_is_let_go_swings_from_rest_in_its_pose_part_by_part():
    driving, run = begun(PENDULUM)
    parts = []
    for k in range(7, 12):
        found = run.go_on(k)
        assert (found["part"], found["after"]) == (k, None if k == 7 else k - 1) and not found["stopped"]
        parts.append(run.parts[k])
    t, angle, omega = (
        np.concatenate([of(one) for one in parts])
        for of in (lambda one: one.t, lambda one: one.drivers["swing"][0], lambda one: one.omega("rod"))
    )
    assert angle[0] == pytest.approx(-0.5) and omega[0] == 0 and t[-1] == pytest.approx(1.25)
    # its speed by the energy over all parts, and no farther than the same height on the other side
    speed = np.sqrt(np.maximum(2 * 9.81 / 0.1 * (-np.sin(angle) + math.sin(-0.5)), 0))
    assert np.abs(omega) == pytest.approx(speed, abs=2e-2)
    assert np.min(angle) == pytest.approx(-math.pi + 0.5, abs=1e-2)
    # the same as a simulation in one piece
    whole = let_go(driving).simulate(t[: 2 * 16].reshape(2, 16)[:, :15].ravel())
    assert np.concatenate([angle[:15], angle[16:31]]) == pytest.approx(whole.drivers["swing"][0], abs=1e-3)
    back = Driving(driving.mechanism.posed(pose_of(parts[2], 5)), driving.own)
    assert back.values["swing"] == pytest.approx(parts[2].drivers["swing"][0][5])
    assert back.mechanism.drivers["swing"].law is not None
    assert set(run.parts) == {10, 11}


def test_parts_go_on_where_one_would_end_at_a_dead_centre():
    """The cylinder of the excavator's bucket passes one at t = 1.75 s; the motion is one, of constant energy."""
    start = let_go(Driving(sk.load(path("excavator"))))
    run, parts = FreeRun(start, pose_of(Driving(start).motion, 0)), []
    while not parts or parts[-1].t[-1] < 2.2:
        run.go_on(len(parts))
        parts.append(run.parts[len(parts)])
    whole = start.simulate(np.concatenate([one.t[:-1] for one in parts]))
    for point in ("T", "M"):
        assert np.concatenate([one.position(point)[:-1] for one in parts]) == pytest.approx(
            whole.position(point), abs=1e-3 * start.size
        )
    energy = np.concatenate([one.energy for one in parts])
    assert energy == pytest.approx(energy[0], abs=1e-5 * parts[-1].kinetic_energy.max())


def test_it_rests_at_a_dead_centre_of_its_driver():
    """A crank hangs down, braked: the slide under it, which is the driver, tells no more how far it has to go."""

    def crank(joint: str) -> sk.Mechanism:
        x, y = 0.4 * math.sin(0.01), -0.4 * math.cos(0.01)
        return sk.Mechanism(
            points={"A": (0, 0), "B": (x, y), "C": (0, y - math.sqrt(1 - x * x))},
            links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": {"points": ["C"], "mass": 2},
                   "disc": {"points": ["A"], "inertia": 1.0, "mass": 1.0}},
            joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "at": "C", "axis": [0, 1]},
                    "key": {"type": "fastened", "links": ["crank", "disc"]}},
            drivers={"feed": {"joint": joint}},
            forces={"gravity": [0, -9.81],
                    "brake": {"type": "torsion", "links": ["ground", "crank"], "damping": 6}},
        )  # fmt: skip

    start = crank("guide")
    run, parts = FreeRun(start, pose_of(Driving(start).motion, 0)), []
    for k in range(20):
        assert not run.go_on(k)["stopped"]
        parts.append(run.parts[k])
    t = np.concatenate([one.t[:-1] for one in parts])
    good = crank("A").simulate(t)
    assert np.concatenate([one.angle("crank")[:-1] for one in parts]) == pytest.approx(good.angle("crank"), abs=1e-6)
    assert parts[-1].drivers["feed"][0] == pytest.approx(-0.4 - 1 - start.places["C"].imag, abs=1e-9)
    assert abs(parts[-1].angle("crank")[-1] + math.pi / 2) < 1e-5


def test_the_pointer_pulls_by_a_spring_until_it_lets_go():
    """The energy of the pendulum and the spring falls by the damper alone; without the pointer it stays."""
    still = {**PENDULUM, "forces": {}}
    _, run = begun(still, 0.0)
    to = 0.1 * np.exp(0.6j)
    run.go_on(0, Pull("rod", 0.1 + 0j, complex(to)))
    first = run.parts[0]
    apart = np.hypot(*(first.position("B") - (to.real, to.imag)).T)
    stiffness = 10 * 9.81 * 2 / 0.1
    energy = 0.5 * 2 * (0.1 * first.omega("rod")) ** 2 + 0.5 * stiffness * apart**2
    assert np.all(np.diff(energy) < 1e-9) and energy[-1] < energy[0] and first.omega("rod")[-1] > 0.1
    for k in range(1, 30):
        run.go_on(k, Pull("rod", 0.1 + 0j, complex(to)))
    assert run.parts[29].drivers["swing"][0][-1] == pytest.approx(0.6, abs=1e-2)
    run.go_on(30, Pull("rod", 0.1 + 0j, 0.1j))
    run.go_on(31)
    after = run.parts[31].omega("rod")
    assert after[0] == pytest.approx(run.parts[30].omega("rod")[-1]) and after == pytest.approx(after[0])
    with pytest.raises(InputError, match="is not a moving link"):
        run.go_on(32, Pull("ground", 0j, 0j))


def test_what_cannot_be_simulated_is_said():
    massless = {**PENDULUM, "links": {"ground": ["A"], "rod": ["A", "B"]}}
    with pytest.raises(InputError, match="needs masses"):
        let_go(Driving(sk.Mechanism.from_dict(massless)))
    _, run = begun(PENDULUM)
    run.wanted = lambda: False
    with pytest.raises(StructkinError, match="takes too long"):
        run.go_on(0)
