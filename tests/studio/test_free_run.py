"""Simulation from a pose: its energies and its start, and what it needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.errors import InputError, StructkinError
from structkin.studio.driving import Driving
from structkin.studio.free_run import free_run, let_go, pose_of

PENDULUM: dict[str, Any] = {
    "points": {"A": [0, 0], "B": [0.1, 0]},
    "links": {"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 2}}},
    "drivers": {"swing": {"joint": "A", "speed": 3}},
    "forces": {"gravity": [0, -9.81]},
}


def test_a_pendulum_that_is_let_go_swings_from_rest_in_its_pose():
    driving = Driving(sk.Mechanism.from_dict(PENDULUM))
    driving.turn("swing", -0.5)
    run = free_run(let_go(driving))
    angle = run.drivers["swing"][0]
    assert angle[0] == pytest.approx(-0.5) and run.omega("rod")[0] == 0
    # its speed by the energy, and no farther than the same height on the other side
    speed = np.sqrt(np.maximum(2 * 9.81 / 0.1 * (-np.sin(angle) + math.sin(-0.5)), 0))
    assert np.abs(run.omega("rod")) == pytest.approx(speed, abs=2e-2)
    assert np.min(angle) == pytest.approx(-math.pi + 0.5, abs=1e-2)
    back = Driving(driving.mechanism.posed(pose_of(run, 100)), driving.own)
    assert back.values["swing"] == pytest.approx(angle[100]) and back.mechanism.drivers["swing"].law is not None


def test_what_cannot_be_simulated_is_said():
    massless = {**PENDULUM, "links": {"ground": ["A"], "rod": ["A", "B"]}}
    with pytest.raises(InputError, match="needs masses"):
        let_go(Driving(sk.Mechanism.from_dict(massless)))
    with pytest.raises(StructkinError, match="takes too long"):
        free_run(let_go(Driving(sk.Mechanism.from_dict(PENDULUM))), lambda: False)
