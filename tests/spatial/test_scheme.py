"""The scheme on bodies whose motion is known: first order, momenta conserved, rotations orthonormal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj

from structkin.spatial import small_steps
from tests.spatial.models import DOWN, O, X, Y, Z, body, chain, joint, model, single, spinning

INERTIA, RATES = np.array([1.0, 2.0, 3.0]), (1.72, 0.0, 1.0)


def jacobi(t):
    """Return the rates of a free body in its axes, starting at RATES, by Jacobi's functions (Landau, par. 37)."""
    (a, b, c), (p, _, r) = INERTIA, RATES
    energy, momentum = a * p**2 + c * r**2, (a * p) ** 2 + (c * r) ** 2
    low, high = energy * c - momentum, momentum - energy * a
    frequency = np.sqrt((c - b) * high / (a * b * c))
    sn, cn, dn, _ = ellipj(frequency * t, (b - a) * low / ((c - b) * high))
    sizes = np.sqrt([low / (a * (c - a)), low / (b * (c - b)), high / (c * (c - a))])
    return (sizes[:, None] * [cn, sn, dn]).T


def test_a_wing_nut_flips_as_by_jacobis_functions_at_first_order():
    """S3, eqs. 7-11 (rebuilt): errors of omega(t), of the energy and of |L| are halved with the step, three times."""
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
        motion = small_steps(spinning(INERTIA, RATES), 20.0, step)
        rotation, spin = motion.rotation("body"), motion.angular_velocity("body")
        own = np.einsum("nji,nj->ni", rotation, spin)
        size = np.linalg.norm(own * INERTIA, axis=1)
        assert np.ptp(np.sign(own[:, 0])) == 2  # it flips over
        errors.append([abs(own - jacobi(motion.t)).max(), *(abs(x / x[0] - 1).max() for x in (motion.energy, size))])
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert orders == pytest.approx(np.ones((3, 3)), abs=0.02)
    assert max(errors[-1]) < 1e-3


def heavy_top(tilt=0.6, spin=200.0):
    """Return a symmetric top that precesses steadily, its rate of precession, and the direction of its axis (3,)."""
    mass, reach, across, along = 0.5, 0.1, 0.004, 0.001
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    turn = np.column_stack([np.cross(Y, axis), Y, axis])
    inertia = turn @ np.diag([across, across, along]) @ turn.T
    # A p^2 cos(tilt) - C w p + m g l = 0 with A about the fixed point; w is the spin about the axis
    a, b, c = (across + mass * reach**2) * np.cos(tilt), -along * spin, mass * 9.81 * reach
    rate = (-b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    rates = rate * Z + (spin - rate * np.cos(tilt)) * axis
    hold = joint("O", "spherical", "ground", "top", O, X, Y, rates=tuple(rates))
    return single(body("top", mass, reach * axis, inertia, tip=axis), [hold], gravity=DOWN), rate, axis


def test_a_heavy_top_precesses_as_by_the_closed_formula():
    errors = []
    for step in (4e-6, 2e-6, 1e-6):
        top, rate, axis = heavy_top()
        motion = small_steps(top, 1.0, step)
        tip = motion.position("top.tip")
        angle = rate * motion.t
        right = np.column_stack([axis[0] * np.cos(angle), axis[0] * np.sin(angle), axis[2] + 0 * angle])
        errors.append(abs(tip - right).max())
    assert errors[2] < 1e-3
    assert np.divide(errors[:2], errors[1:]) == pytest.approx([2, 2], abs=0.1)


def test_momenta_are_conserved_while_joints_are_open():
    """Forces and reactions act at one point: the elements change neither momentum."""
    floating = chain(3, gravity=O)
    joints = [one for one in floating.joints.values() if one.name != "j0"]
    pushed = joint("f", "free", "ground", "b0", O, X, Y, rates=(0.3, 0.1, 0.2, 1.0, 2.0, -1.0))
    motion = small_steps(model(list(floating.bodies.values()), [pushed, *joints]), 0.5, 1e-5)
    linear, angular = np.zeros((2, len(motion.t), 3))
    for one in floating.bodies.values():
        v, r = motion.velocity(one.name), motion.rotation(one.name)
        linear += one.mass * v
        angular += one.mass * np.cross(motion.position(one.name), v)
        angular += np.einsum("nij,jk,nlk,nl->ni", r, one.inertia, r, motion.angular_velocity(one.name))
    assert motion.closure.max() > 0
    assert abs(linear - linear[0]).max() < 1e-11
    # Euler's equations for the angular velocity are of first order: |L| of each body changes with the step
    assert abs(angular - angular[0]).max() < 2e-4


def test_states_of_points_are_exact():
    """S3, eqs. 12-17: the velocity of a point is the derivative of its position, its acceleration of its velocity."""
    motion = small_steps(chain(2), 0.2, 1e-5, record=1)
    place, speed, rate = (read("b1.tip") for read in (motion.position, motion.velocity, motion.acceleration))
    h = motion.step
    assert abs((place[2:] - place[:-2]) / (2 * h) - speed[1:-1]).max() < 2e-4
    smooth = slice(2000, -1)  # the joints have stopped vibrating
    assert abs((speed[2:] - speed[:-2]) / (2 * h) - rate[1:-1])[smooth].max() < 2e-3
    spin = motion.angular_velocity("b1")
    assert abs((spin[2:] - spin[:-2]) / (2 * h) - motion.angular_acceleration("b1")[1:-1])[smooth].max() < 2e-3


def test_accelerations_that_joints_do_not_hold_yet_are_not_given():
    """At time 0 a hinged body would fall freely; a free body does."""
    hung, free = body("hung", tip=X), body("free", center=Y)
    whole = model([hung, free], [joint("J", "revolute", "ground", "hung", -X)], gravity=DOWN)
    motion = small_steps(whole, 0.01, 1e-5, record=100)
    for read in (motion.acceleration, motion.angular_acceleration):
        known = np.isfinite(read("hung")).all(axis=1)
        assert not known[0] and known[1:].all() and np.isfinite(read("free")).all()
    assert motion.acceleration("free")[0].tolist() == DOWN.tolist()
    assert np.isfinite(motion.energy).all() and motion.status == "ok"


@pytest.mark.parametrize("steps", [200_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_rotations_stay_orthonormal(steps):
    motion = small_steps(spinning(INERTIA, (30.0, 20.0, -40.0)), steps * 1e-6, 1e-6, budget=None, record=steps // 200)
    r = motion.rotation("body")
    assert abs(r @ r.swapaxes(1, 2) - np.eye(3)).max() < 1e-14
