"""Loads and sensors on a joint that closes a loop: the loop is cut through a body, and the motion is the same."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks import X, Z, rod
from cases import few
from test_planar_agreement import FOUR_BAR, SLIDER_CRANK
from test_simulate_trees import law

import structkin as sk
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, JointLoad, Sensor, SpatialModel, Stop
from structkin.spatial import small_steps
from structkin.symbolic import simulate

ROADS = ("explicit", "multipliers")


def loop_in_space(kind: str) -> SpatialModel:
    """Return three rods: at rest on a pin, a ball and a joint of a kind; the pin at their end closes the loop."""
    corners = np.array([[0, 0, 0], [0.3, 0, 0], [0.4, 0.8, 0.1], [1.0, 0.2, 0.9]])
    names = ["crank", "coupler", "rocker"]
    bodies = {name: rod(name, *corners[k : k + 2]) for k, name in enumerate(names)}
    ends = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("rocker", "ground")}
    kinds = {"A": "revolute", "B": "spherical", "C": kind, "D": "spherical"}
    axis, second = np.array([0.48, 0.6, 0.64]), np.array([0.8, 0.0, -0.6])
    joints = {
        name: SpatialJoint(name, kinds[name], pair, at, *((Z, X) if name == "A" else (axis, second)), pitch=0.2)
        for (name, pair), at in zip(ends.items(), corners, strict=True)
    }
    return SpatialModel(kind, bodies, joints, gravity=-9.81 * Z)


def loaded(model: SpatialModel, joint: str) -> SpatialModel:
    """Return the model with all kinds of loads along each coordinate of a joint, and sensors of it."""
    loads: dict[str, Any] = {}
    for k in range(len(model.joints[joint].motions)):
        loads[f"J{k}"] = JointLoad(f"J{k}", joint, k, 3.0, 0.2, 0.1 * k - 0.1, law("2*sin(3*t)"))
        loads[f"S{k}"] = Stop(f"S{k}", joint, -0.01, 0.02, 40.0, 0.5, k)
    sensors = {quantity: Sensor(quantity, quantity, (joint,)) for quantity in ("angle", "rate")}
    return replace(model, loads=loads, sensors=sensors)


def cut_at(model: SpatialModel, joint: str) -> SpatialModel:
    joints = {name: replace(one, cut=name == joint) for name, one in model.joints.items()}
    return replace(model, joints=joints)


@pytest.mark.parametrize(
    "kind, loops",
    few(
        [
            *((kind, "explicit") for kind in ("revolute", "cylindrical", "screw", "universal", "planar")),
            *((kind, "multipliers") for kind in ("cylindrical", "screw")),
        ]
    ),
)
def test_it_does_not_matter_where_the_loop_is_cut(kind: str, loops: Any) -> None:
    model = loaded(loop_in_space(kind), "C")
    here, there = (simulate(cut_at(model, name), 0.2, 11, 1e-11, loops=loops) for name in ("C", "D"))
    assert here.status == there.status == "ok"
    assert len(here.q.T) > len(model.joints["C"].motions)
    assert np.abs(here.sensors["angle"]).max() > 0.02
    for name in model.sensors:
        assert np.abs(here.sensors[name] - there.sensors[name]).max() < 1e-8
    for name in model.bodies:
        assert np.abs(here.position(name) - there.position(name)).max() < 1e-8
    assert np.abs(here.energy - there.energy).max() < 1e-7
    assert np.ptp(here.energy - here.work) < 1e-6
    assert here.closure.max() < 1e-11


@pytest.mark.parametrize("loops", ROADS)
def test_every_joint_of_a_planar_loop_may_be_loaded(loops: Any) -> None:
    """A force along the guide and a torque on the crank are those of the planar simulation."""
    pushed = {
        **SLIDER_CRANK["forces"],
        "push": {"type": "force", "at": "C", "on": "piston", "law": ["8*sin(5*t)", "0"]},
    }
    t = np.linspace(0, 1, 21)
    planar = sk.Mechanism(**{**SLIDER_CRANK, "forces": pushed}).simulate(t, rtol=1e-12, atol=1e-13)
    model = sk.Mechanism(**SLIDER_CRANK).to_spatial()
    loads = {name: JointLoad(name, name) for name in model.joints}  # nothing acts, but every joint has a load
    sign = 1.0 if model.joints["slide"].bodies[1] == "piston" else -1.0
    loads["slide"] = JointLoad("slide", "slide", effort=law(f"{sign}*8*sin(5*t)"))
    motion = simulate(
        replace(model, loads=loads, sensors={"x": Sensor("x", "angle", ("slide",))}), 1.0, 21, 1e-12, loops=loops
    )
    assert motion.status == "ok"
    place = planar.position("C")[:, 0]
    assert np.abs(motion.sensors["x"] * sign - (place - place[0])).max() < 1e-10
    assert np.abs(motion.position("piston")[:, 0] - place).max() < 1e-10


@pytest.mark.compiled
def test_small_steps_read_and_load_the_same_coordinate() -> None:
    model = cut_at(loaded(loop_in_space("universal"), "C"), "C")
    motion, steps = simulate(model, 0.05, 6, 1e-10), small_steps(model, 0.05, 1e-6, record=10000)
    assert np.allclose(motion.t, steps.t)
    for name in model.sensors:
        assert np.abs(motion.sensors[name] - steps.sensors[name]).max() < 1e-3 * np.abs(motion.sensors[name]).max()


def test_a_sensor_counts_the_turns_of_a_joint_that_is_cut() -> None:
    data = {**FOUR_BAR, "initial": {"crank": {"speed": "30 rad/s"}}}
    model = sk.Mechanism(**data).to_spatial()
    sensors = {name: Sensor(name, "angle", (name,)) for name in model.joints}
    motion = simulate(cut_at(replace(model, sensors=sensors), "B"), 1.0, 101)
    turns = {name: round(float(motion.sensors[name][-1]) / (2 * np.pi)) for name in model.joints}
    assert abs(turns["A"]) > 2 and turns["A"] == -turns["B"] and turns["D"] == 0


@pytest.mark.parametrize("loops", ROADS)
@pytest.mark.parametrize("cut", [None, "thread", "nut", "guide"])
def test_a_screw_in_a_loop_travels_with_every_turn(loops: Any, cut: str | None) -> None:
    """A nut that coasts turns many times in a step of the integrator; the ram follows it, wherever the loop is cut."""
    ends = {"nut": ("ground", "nut"), "thread": ("nut", "ram"), "guide": ("ground", "ram")}
    kinds = {"nut": "revolute", "thread": "screw", "guide": "prismatic"}
    pitch = 0.02 / (2 * np.pi)
    rates = {"nut": 50.0, "thread": -50.0, "guide": -50.0 * pitch}
    joints = {
        name: SpatialJoint(name, kinds[name], pair, np.zeros(3), Z, X, pitch, rates=(rates[name],), cut=name == cut)
        for name, pair in ends.items()
    }
    bodies = {name: Body(name, 1.0, 0.1 * X, np.eye(3)) for name in ("nut", "ram")}
    motion = simulate(SpatialModel("jack", bodies, joints), 10.0, 11, loops=loops)
    assert motion.status == "ok" and motion.closure.max() < 1e-12
    assert motion.position("ram")[:, 2] == pytest.approx(rates["guide"] * motion.t, abs=1e-9)
