"""Joints as penalty elements: constrained and free directions, coordinates, loads and stops."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.model.laws import ConstantSpeed
from structkin.multibody.joint import KINDS
from structkin.multibody.model import Force, JointLoad, Sensor, Spring, Stop, Torque
from structkin.spatial import small_steps
from structkin.spatial.loop_arrays import turn
from tests.spatial.models import DOWN, O, X, Y, Z, body, chain, joint, single

INERTIA = (0.5, 0.6, 0.7)
FORCE, TORQUE = np.array([3.0, 4.0, 5.0]), np.array([0.3, 0.4, 0.5])
FREE = {  # translations along and rotations about x, y, z; the axis is z
    "fixed": ("", ""), "revolute": ("", "z"), "prismatic": ("z", ""), "cylindrical": ("z", "z"),
    "universal": ("", "xz"), "planar": ("xy", "z"), "spherical": ("", "xyz"), "free": ("xyz", "xyz"),
}  # fmt: skip


def constant(values):
    return tuple(ConstantSpeed(float(value), 0.0) for value in values)


@pytest.mark.parametrize("kind", FREE)
def test_a_joint_holds_some_directions_and_leaves_the_others_free(kind):
    loads = [Force("f", "b", O, constant(FORCE)), Torque("t", "b", constant(TORQUE))]
    held = single(body("b", 2.0, O, INERTIA), [joint("J", kind, "ground", "b")], loads)
    k, duration = 1e6, 0.2
    motion = small_steps(held, duration, 1e-4, stiffness=k)
    shifts, turns = ([axis in free for axis in "xyz"] for free in FREE[kind])
    place, speed, spin = (read("b")[-1] for read in (motion.position, motion.velocity, motion.angular_velocity))
    assert place[np.logical_not(shifts)] == pytest.approx((FORCE / k)[np.logical_not(shifts)], rel=1e-6)
    assert speed[shifts] == pytest.approx((FORCE / 2.0 * duration)[shifts], rel=1e-9)
    # large rotations are coupled: 0.1 s^2 of these torques
    assert spin[turns] == pytest.approx((TORQUE / INERTIA * duration)[turns], rel=0.02)
    assert abs(spin[np.logical_not(turns)]).max(initial=0) < 1e-2 * (sum(turns) > 1) + 2e-6


def test_a_screw_moves_by_its_pitch():
    pitch = 0.1
    loads = [Force("f", "b", O, constant(FORCE)), Torque("t", "b", constant(TORQUE))]
    screw = joint("J", "screw", "ground", "b", pitch=pitch)
    motion = small_steps(single(body("b", 2.0, O, INERTIA), [screw], loads), 6.0, 1e-4)
    rate = (TORQUE[2] + pitch * FORCE[2]) / (INERTIA[2] + 2.0 * pitch**2)
    assert motion.angular_velocity("b")[-1, 2] == pytest.approx(rate * 6.0, rel=1e-6)
    assert motion.position("b")[-1, 2] == pytest.approx(pitch * rate * 18.0, rel=1e-4)  # four turns
    assert motion.closure.max() < 1e-5


@pytest.mark.parametrize("kind", ["universal", "spherical", "planar", "cylindrical", "free"])
def test_an_effort_works_on_its_coordinate_only(kind):
    """Its work is effort times travel of the coordinate; the rate is the derivative of the coordinate."""
    f = len(KINDS[kind](X, Y, Z, 0.0))
    rates = tuple(0.5 + 0.3 * k for k in range(f))
    held = joint("J", kind, "ground", "b", (0.1, 0.2, 0.3), X, Y, rates=rates)
    for number in range(f):
        loads = [JointLoad("effort", "J", number, effort=ConstantSpeed(0.7, 0.0))]
        sensors = [Sensor("q", "angle", ("J",)), Sensor("rate", "rate", ("J",))]
        motion = small_steps(single(body("b", 2.0, O, INERTIA), [held], loads, sensors), 0.4, 2e-5)
        q, rate = motion.sensors["q"], motion.sensors["rate"]
        assert q[0] == pytest.approx(np.zeros(f)) and rate[0] == pytest.approx(rates)
        work = motion.energy - motion.energy[0]
        assert abs(work - 0.7 * q[:, number]).max() < 2e-4
        h = 2 * (motion.t[1] - motion.t[0])
        assert abs((q[2:] - q[:-2]) / h - rate[1:-1]).max() < 2e-3
        if kind == "spherical":
            x, y, z = q[-1]
            assert turn(X, x) @ turn(Y, y) @ turn(Z, z) == pytest.approx(motion.rotation("b")[-1], abs=1e-9)


def test_angles_count_whole_turns_for_springs_and_stops():
    wheel = body("b", 1.0, O, INERTIA)
    hinge = joint("J", "revolute", "ground", "b", rates=(40.0,))
    stop = Stop("s", "J", -np.inf, 14.0, 1e4, 2.0)
    coil = JointLoad("c", "J", 0, 1.0, 0.0, 3.0)
    motion = small_steps(single(wheel, [hinge], [stop, coil], [Sensor("q", "angle", ("J",))]), 0.6, 1e-5)
    q = motion.sensors["q"]
    assert 14.0 < q.max() < 14.5 and q[-1] < 10
    first = q < 14.0
    moving = motion.t < motion.t[np.argmin(first)]
    frequency = np.sqrt(1 / INERTIA[2])
    right = 3 - 3 * np.cos(frequency * motion.t) + 40 / frequency * np.sin(frequency * motion.t)
    assert q[moving] == pytest.approx(right[moving], abs=1e-3)


def test_a_spring_carries_nothing_after_its_force_limit_was_exceeded():
    ball = body("b", 1.0, (0, 0, -1.0), INERTIA)
    spring = Spring("s", ("ground", "b"), (O, np.array([0, 0, -1.0])), 100.0, 0.0, 1.0, breaks_at=15.0)
    motion = small_steps(single(ball, (), [spring], gravity=DOWN), 1.0, 1e-5)
    # z = -1 - m g (1 - cos 10 t) / k until the stretch is 0.15 m
    when = np.arccos(1 - 15 / 9.81) / 10
    assert motion.breaks == {"s": pytest.approx(when, abs=1e-4)}
    speed, left = -0.981 * np.sin(10 * when), 1.0 - when
    assert motion.position("b")[-1, 2] == pytest.approx(-1.15 + speed * left - 9.81 * left**2 / 2, abs=1e-4)


def test_user_functions_act_as_loads_do():
    import numba

    def push(t, position, rotation, velocity, spin, force, torque):
        for i in range(3):
            force[0, i] += 2.0 * rotation[0, i, 0] - 0.3 * velocity[0, i]

    fixed = joint("J", "free", "ground", "b", rates=(0, 0, 0, 1.0, 2.0, 3.0))
    free = single(body("b", 2.0, (0.1, 0, 0), (0.5, 0.9, 0.7)), [fixed])
    plain, compiled = (small_steps(free, 0.02, 1e-5, user=one) for one in (push, numba.njit(push)))
    assert plain.records == pytest.approx(compiled.records, rel=1e-12, abs=1e-14)
    follower = Force("f", "b", np.array([0.1, 0, 0]), constant((2.0, 0, 0)), follows=True)
    loaded = small_steps(single(free.bodies["b"], [fixed], [follower]), 0.02, 1e-5)
    assert loaded.velocity("b")[-1] == pytest.approx(plain.velocity("b")[-1], abs=1e-3)


def test_softer_joints_open_in_proportion():
    opened = [small_steps(chain(2), 0.3, 2e-5, stiffness=k).closure[-1] for k in (1e5, 2e5, 4e5)]
    assert np.divide(opened[:-1], opened[1:]) == pytest.approx([2, 2], rel=0.05)


def test_a_start_pose_is_composed_from_its_joints():
    """Inwards or outwards, coordinates and rates give the same bodies."""
    states = []
    for pair, sign in ((("ground", "a"), 1), (("a", "ground"), -1)):
        one = joint("J", "screw", *pair, (0.2, 0.1, 0), Z, X, pitch=0.2, start=(0.5 * sign,), rates=(2.0 * sign,))
        two = joint("K", "universal", "a", "b", (1.0, 0, 0), Y, Z, start=(0.3, -0.4), rates=(1.0, 3.0))
        bodies = [body("a", 1.0, (0.5, 0, 0)), body("b", 1.0, (1.5, 0, 0))]
        from tests.spatial.models import model

        motion = small_steps(model(bodies, [one, two]), 1e-4, 1e-5, record=1)
        states.append(motion.records[0, :, :18])
        assert motion.position("a")[0] == pytest.approx(
            [0.2 + 0.3 * np.cos(0.5) + 0.1 * np.sin(0.5), 0.1 + 0.3 * np.sin(0.5) - 0.1 * np.cos(0.5), 0.1]
        )
        moved = (motion.position("b")[1] - motion.position("b")[0]) / 1e-5
        assert moved == pytest.approx(motion.velocity("b")[1], abs=1e-9)
    assert states[0] == pytest.approx(states[1], abs=1e-12)
