"""Loads at a state: forces and torques on the bodies of a tree, efforts on its coordinates, energy and power."""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

from structkin.symbolic.recursive import Bodies, Work
from structkin.symbolic.vectors import (
    Vector,
    compiled,
    cross,
    dot,
    get,
    minus,
    plus,
    put_sum,
    times,
    turned,
    turned_back,
)
from structkin.types import Floats, Ints


class Loads(NamedTuple):
    """Loads as arrays: entries of the tree (n for the ground), points from the entry's joint in its axes.

    `values` are the components of forces, then of torques, then the efforts of joint loads, at the time looked at.
    `whole` is 1 for a spring, 0 once it is broken; `pull` what each spring would pull with [N],
    NaN where that has no direction.
    """

    force_body: Ints
    force_point: Floats
    force_follows: Ints
    torque_body: Ints
    torque_follows: Ints
    spring_bodies: Ints
    spring_points: Floats
    spring_numbers: Floats  # stiffness, damping, length
    whole: Floats
    pull: Floats
    joint_coordinate: Ints
    joint_numbers: Floats  # stiffness, damping, rest
    stop_coordinate: Ints
    stop_numbers: Floats  # lower, upper, stiffness, damping
    values: Floats


@compiled
def point_at(w: Work, i: int, point: Vector) -> tuple[Vector, Vector]:
    """Return position and velocity of a point of entry i, in ground axes."""
    velocity = plus(get(w.velocity, i), cross(get(w.omega, i), point))
    return plus(get(w.place, i), turned(w.frame, i, point)), turned(w.frame, i, velocity)


@compiled
def push(w: Work, i: int, point: Vector, force: Vector) -> None:
    """Add a force in body axes at a point of entry i."""
    put_sum(w.force, i, force)
    put_sum(w.torque, i, cross(point, force))


@compiled
def apply(w: Work, loads: Loads, q: Floats, qd: Floats, tau: Floats) -> tuple[float, float]:
    """Set the loads on the bodies and tau (f,); return the energy of springs [J] and the power of all else [W]."""
    w.force[:] = 0.0
    w.torque[:] = 0.0
    tau[:] = 0.0
    energy, power = 0.0, 0.0
    n_force, n_torque = loads.force_body.size, loads.torque_body.size
    for k in range(n_force):
        i, point = loads.force_body[k], get(loads.force_point, k)
        force = (loads.values[3 * k], loads.values[3 * k + 1], loads.values[3 * k + 2])
        if not loads.force_follows[k]:
            force = turned_back(w.frame, i, force)
        push(w, i, point, force)
        power += dot(force, plus(get(w.velocity, i), cross(get(w.omega, i), point)))
    for k in range(n_torque):
        i, at = loads.torque_body[k], 3 * (n_force + k)
        torque = (loads.values[at], loads.values[at + 1], loads.values[at + 2])
        if not loads.torque_follows[k]:
            torque = turned_back(w.frame, i, torque)
        put_sum(w.torque, i, torque)
        power += dot(torque, get(w.omega, i))
    for k in range(loads.whole.size):
        i, j = loads.spring_bodies[k, 0], loads.spring_bodies[k, 1]
        first, second = get(loads.spring_points[k], 0), get(loads.spring_points[k], 1)
        (x1, v1), (x2, v2) = point_at(w, i, first), point_at(w, j, second)
        gap, passing = minus(x2, x1), minus(v2, v1)
        length, stiffness, damping = sqrt(dot(gap, gap)), loads.spring_numbers[k, 0], loads.spring_numbers[k, 1]
        # Where its ends meet, a damper alone acts along their velocity, as just before and after. Any other force has
        # no direction there.
        along = passing if length == 0.0 and stiffness * loads.spring_numbers[k, 2] == 0.0 else gap
        span = sqrt(dot(along, along))
        direction = times(1.0 / span, along) if span > 0.0 else (0.0, 0.0, 0.0)
        rate, stretch = dot(direction, passing), length - loads.spring_numbers[k, 2]
        pull = stiffness * stretch + damping * rate
        if length == 0.0 and stiffness * loads.spring_numbers[k, 2] != 0.0:
            pull = nan
        loads.pull[k] = pull
        if loads.whole[k] > 0.0:
            push(w, i, first, turned_back(w.frame, i, times(pull, direction)))
            push(w, j, second, turned_back(w.frame, j, times(-pull, direction)))
            energy += 0.5 * stiffness * stretch * stretch
            power -= damping * rate * rate
    for k in range(loads.joint_coordinate.size):
        i = loads.joint_coordinate[k]
        stiffness, damping, stretch = loads.joint_numbers[k, 0], loads.joint_numbers[k, 1], q[i]
        stretch -= loads.joint_numbers[k, 2]
        effort = loads.values[3 * (n_force + n_torque) + k] - damping * qd[i]
        tau[i] += effort - stiffness * stretch
        energy += 0.5 * stiffness * stretch * stretch
        power += effort * qd[i]
    for k in range(loads.stop_coordinate.size):
        i, stiffness, damping = loads.stop_coordinate[k], loads.stop_numbers[k, 2], loads.stop_numbers[k, 3]
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            depth = sign * (q[i] - loads.stop_numbers[k, side])
            if depth > 0.0:
                pressed = max(0.0, stiffness * depth + damping * sign * qd[i])
                tau[i] -= sign * pressed
                energy += 0.5 * stiffness * depth * depth
                power -= (pressed - stiffness * depth) * sign * qd[i]
    return energy, power


@compiled
def mechanical(b: Bodies, w: Work) -> float:
    """Return the kinetic energy and that of gravity [J] of bodies that are placed and move."""
    n = b.parent.size
    upwards, total = get(w.alpha, n), 0.0
    for i in range(n):
        if b.inert[i]:
            l, omega = get(b.center, i), get(w.omega, i)
            velocity = plus(get(w.velocity, i), cross(omega, l))
            height = dot(upwards, plus(get(w.place, i), turned(w.frame, i, l)))
            total += 0.5 * dot(omega, turned(b.inertia, i, omega))
            total += b.mass[i] * (0.5 * dot(velocity, velocity) + height)
    return total
