"""Flat poses and loads of the user: where forces have no digits left they are not numbers, and simulations stop."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk


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


def test_forces_at_the_flat_pose_are_not_numbers():
    """The reactions grow without bound towards it; beside it the torque is that of virtual work, 3 g cos(theta)."""
    motion = parallelogram(speed=1.0).solve(9)
    forces = motion.forces()
    flat = np.abs(np.sin(motion.angle("crank"))) < 1e-9
    assert flat.any() and motion.ok.all()
    assert np.isnan(forces.driver("motor")[flat]).all()
    expected = 3 * 9.81 * np.cos(motion.angle("crank"))
    assert forces.driver("motor")[~flat] == pytest.approx(expected[~flat], abs=1e-6)


@pytest.mark.parametrize("integrator", ["DOP853", "rk4"])
def test_a_simulation_stops_at_the_flat_pose(integrator):
    m = sk.Mechanism.from_dict({**parallelogram().source_dict, "initial": {"motor": {"speed": 3}}})
    found = sk.simulate(m, t=0.8, samples=9, integrator=integrator, step=1e-4 if integrator == "rk4" else None)
    assert ("singular" if integrator == "DOP853" else "energy jumps") in found.stopped and found.t[-1] < 0.8
    assert np.max(np.abs(found.energy - found.energy[0])) < 1e-5 * abs(found.energy[0])


def test_a_simulation_keeps_the_loads_that_it_had():
    pendulum = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"swing": {"joint": "A"}},
    )
    found = sk.simulate(pendulum, t=1.0, samples=5, loads=[lambda t, state: [sk.Force("B", (0.0, 5.0))]])
    assert found.forces().driver("swing") == pytest.approx(np.zeros(5), abs=1e-6)
    assert np.max(np.abs(found.forces(loads=[]).driver("swing"))) > 1
