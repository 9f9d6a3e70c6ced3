"""The loop over small steps, compiled by Numba: forces, accelerations, motion of all bodies (S3, eqs. 1-11).

Vectors are tuples of three numbers: nothing is allocated in the loop. Row 0 of the arrays of bodies is the ground; its
inverse masses are zero. Body axes are the principal axes of inertia here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, sin, sqrt
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from structkin.compiled import kept
from structkin.spatial.vectors import (
    STATE,
    C,
    V,
    Vector,
    W,
    X,
    add,
    apply,
    at,
    combined,
    cross,
    dot,
    in_body,
    minus,
    part,
    relative,
    turned,
)
from structkin.types import Floats, Ints

Function = TypeVar("Function", bound=Callable[..., Any])

#: What a coordinate is read from and acts on.
SHIFT, TURN, FIRST_OF_TWO, SECOND_OF_TWO, FIRST, SECOND, THIRD, SCREW = range(8)
#: Every so many steps the rotations are made orthonormal again (a power of two).
TIDY = 256
#: Below this square of an angle [rad^2] the factors of the rotation come from series.
SMALL_ANGLE = 0.01


class Machine(NamedTuple):
    """Everything that acts in a model, in flat arrays (see `structkin.spatial.loop_arrays`)."""

    masses: Floats
    gravity: Floats
    joint_bodies: NDArray[np.uint32]
    joints: Floats
    coordinate_of: Ints
    coordinates: Floats
    spring_bodies: NDArray[np.uint32]
    springs: Floats
    force_of: Ints
    forces: Floats
    torque_of: Ints


class Memory(NamedTuple):
    """What changes: states, forces and torques, accelerations; angles counted; steps at which springs broke."""

    state: Floats
    load: Floats
    rate: Floats
    turned: Floats
    broke_at: Ints


def _compiled(function: Function) -> Function:
    """Return a function that is compiled once on a machine, if a folder can be written."""
    return kept(function, nogil=True, error_model="numpy", fastmath={"contract"})


@part
def _joint(machine: Machine, memory: Memory, j: int) -> None:
    """Add what the penalty element of a joint exerts on its two bodies.

    The potential is k_p |gap across a|^2 / 2 + k_a (gap along a)^2 / 2 + sum of w_i (1 - cos of the angle between the
    axes i of both triads) + k_x (a of one body . b of the other)^2 / 2; dampers act on the rates of the same.
    """
    state, load, row = memory.state, memory.load, machine.joints
    a, b = machine.joint_bodies[j, 0], machine.joint_bodies[j, 1]
    arm_a, arm_b, gap, speed = relative(state, a, b, at(row, j, 0), at(row, j, 3))
    axis = turned(state, a, at(row, j, 6))
    force = combined(-row[j, 24], gap, -row[j, 26], speed)
    along = (row[j, 24] - row[j, 25]) * dot(axis, gap) + (row[j, 26] - row[j, 27]) * dot(axis, speed)
    force = combined(1.0, force, along, axis)
    torque = (0.0, 0.0, 0.0)
    tilt, twist, across = row[j, 28], row[j, 29], row[j, 32]
    if tilt + twist + across != 0.0:
        spin = minus(at(state, b, W), at(state, a, W))
        if across != 0.0:
            other = turned(state, b, at(row, j, 18))
            normal = cross(other, axis)
            torque = combined(-across * dot(axis, other) - row[j, 33] * dot(normal, spin), normal, 0.0, normal)
        else:
            torque = combined(tilt, cross(turned(state, b, at(row, j, 9)), axis), -row[j, 30], spin)
            torque = combined(1.0, torque, (row[j, 30] - row[j, 31]) * dot(axis, spin), axis)
            if twist != 0.0:
                for k in (0, 3):
                    one = turned(state, a, at(row, j, 12 + k))
                    other = turned(state, b, at(row, j, 18 + k))
                    torque = combined(1.0, torque, twist, cross(other, one))
    apply(load, b, arm_b, 1.0, force, torque)
    apply(load, a, arm_a, -1.0, force, torque)


@part
def _coordinate(machine: Machine, memory: Memory, k: int, laws: Floats, step: int) -> None:
    """Read a coordinate of a joint, counting whole turns, and add what its spring, damper, law and stop exert."""
    state, load, row = memory.state, memory.load, machine.joints
    j, kind, law = machine.coordinate_of[k, 0], machine.coordinate_of[k, 1], machine.coordinate_of[k, 2]
    own = machine.coordinates
    a, b = machine.joint_bodies[j, 0], machine.joint_bodies[j, 1]
    arm_a, arm_b, gap, speed = relative(state, a, b, at(row, j, 0), at(row, j, 3))
    spin = minus(at(state, b, W), at(state, a, W))
    axis = turned(state, a, at(row, j, 6))
    a_second, a_third = turned(state, a, at(row, j, 12)), turned(state, a, at(row, j, 15))
    b_axis = turned(state, b, at(row, j, 9))
    b_second, b_third = turned(state, b, at(row, j, 18)), turned(state, b, at(row, j, 21))
    if kind == SHIFT:
        axis = turned(state, a, at(own, k, 0))
        q, rate = dot(axis, gap), dot(axis, speed)
    else:
        # the torque of an effort does no work on the other coordinates: `axis` belongs to the dual basis
        if kind == SECOND_OF_TWO:
            q, axis = atan2(dot(axis, b_third), dot(axis, b_axis)), b_second
        elif kind == FIRST:
            q = atan2(-dot(a_second, b_third), dot(a_third, b_third))
            node = cross(b_third, axis)
            axis = combined(1.0 / dot(node, node), cross(node, b_third), 0.0, node)
        elif kind == SECOND:
            q = atan2(dot(axis, b_third), sqrt(dot(axis, b_axis) ** 2 + dot(axis, b_second) ** 2))
            node = cross(b_third, axis)
            axis = combined(1.0 / sqrt(dot(node, node)), node, 0.0, node)
        elif kind == THIRD:
            q = atan2(-dot(axis, b_second), dot(axis, b_axis))
            node = cross(b_third, axis)
            axis = combined(1.0 / dot(node, node), cross(axis, node), 0.0, node)
        else:
            q = atan2(dot(b_second, a_third), dot(b_second, a_second))
        rate = dot(axis, spin)
        q += 2.0 * np.pi * np.floor((memory.turned[k, 0] - q) / (2.0 * np.pi) + 0.5)
    memory.turned[k, 0] = q
    memory.turned[k, 1] = rate
    if kind == SCREW:
        pitch = own[k, 9]
        pull = -own[k, 3] * (dot(axis, gap) - pitch * q) - own[k, 4] * (dot(axis, speed) - pitch * rate)
        effort = -pitch * pull
        force = combined(pull, axis, 0.0, axis)
        torque = combined(effort, axis, 0.0, axis)
    else:
        effort = -own[k, 3] * (q - own[k, 5]) - own[k, 4] * rate
        if law >= 0:
            effort += laws[step, law]
        if q < own[k, 6]:
            effort += max(0.0, own[k, 8] * (own[k, 6] - q) - own[k, 9] * rate)
        elif q > own[k, 7]:
            effort += min(0.0, own[k, 8] * (own[k, 7] - q) - own[k, 9] * rate)
        if effort == 0.0:
            return
        shifts = 1.0 if kind == SHIFT else 0.0
        force = combined(shifts * effort, axis, 0.0, axis)
        torque = combined((1.0 - shifts) * effort, axis, 0.0, axis)
    apply(load, b, arm_b, 1.0, force, torque)
    apply(load, a, arm_a, -1.0, force, torque)


@part
def _spring(machine: Machine, memory: Memory, k: int, step: int) -> None:
    """Add the pull of a spring between two points, unless it broke."""
    state, row = memory.state, machine.springs
    a, b = machine.spring_bodies[k, 0], machine.spring_bodies[k, 1]
    arm_a, arm_b = turned(state, a, at(row, k, 0)), turned(state, b, at(row, k, 3))
    span = minus(combined(1.0, at(state, b, X), 1.0, arm_b), combined(1.0, at(state, a, X), 1.0, arm_a))
    of_b = combined(1.0, at(state, b, V), 1.0, cross(at(state, b, W), arm_b))
    of_a = combined(1.0, at(state, a, V), 1.0, cross(at(state, a, W), arm_a))
    length = sqrt(dot(span, span))
    if length == 0.0 or memory.broke_at[k] >= 0:
        return
    pull = row[k, 6] * (length - row[k, 8]) + row[k, 7] * dot(span, minus(of_b, of_a)) / length
    if pull > row[k, 9]:
        memory.broke_at[k] = step
        return
    force = combined(-pull / length, span, 0.0, span)
    none = (0.0, 0.0, 0.0)
    apply(memory.load, b, arm_b, 1.0, force, none)
    apply(memory.load, a, arm_a, -1.0, force, none)


@_compiled
def add_loads(machine: Machine, memory: Memory, laws: Floats, step: int, row: int) -> None:
    """Set the resultants of all forces and torques on every body (S3, eqs. 2-3), from the state and a row of laws."""
    state, load = memory.state, memory.load
    for i in range(len(load)):
        for k in range(6):
            load[i, k] = 0.0
    for j in range(len(machine.joints)):
        _joint(machine, memory, j)
    for k in range(len(machine.coordinates)):
        _coordinate(machine, memory, k, laws, row)
    for k in range(len(machine.springs)):
        _spring(machine, memory, k, step)
    none = (0.0, 0.0, 0.0)
    for k in range(len(machine.forces)):
        of = machine.force_of
        body, follows = of[k, 0], of[k, 4] != 0
        force = (laws[row, of[k, 1]], laws[row, of[k, 2]], laws[row, of[k, 3]])
        if follows:
            force = turned(state, body, _turned_back(machine, body, force))
        apply(load, body, turned(state, body, at(machine.forces, k, 0)), 1.0, force, none)
    for k in range(len(machine.torque_of)):
        of = machine.torque_of
        body, follows = of[k, 0], of[k, 4] != 0
        torque = (laws[row, of[k, 1]], laws[row, of[k, 2]], laws[row, of[k, 3]])
        if follows:
            torque = turned(state, body, _turned_back(machine, body, torque))
        add(load, body, 3, 1.0, torque)


@part
def _turned_back(machine: Machine, i: int, a: Vector) -> Vector:
    """Return a vector of drawn axes in principal axes."""
    m = machine.masses
    return (
        m[i, 7] * a[0] + m[i, 10] * a[1] + m[i, 13] * a[2],
        m[i, 8] * a[0] + m[i, 11] * a[1] + m[i, 14] * a[2],
        m[i, 9] * a[0] + m[i, 12] * a[1] + m[i, 15] * a[2],
    )


@_compiled
def accelerate(machine: Machine, memory: Memory) -> None:
    """Set the accelerations of every body by Newton's and Euler's equations (S3, eqs. 4 and 7)."""
    state, load, rate, mass = memory.state, memory.load, memory.rate, machine.masses
    gravity = (machine.gravity[0], machine.gravity[1], machine.gravity[2])
    for i in range(1, len(state)):
        a = combined(mass[i, 0], at(load, i, 0), 1.0, gravity)
        m, w = in_body(state, i, at(load, i, 3)), in_body(state, i, at(state, i, W))
        own = (
            mass[i, 4] * (m[0] + (mass[i, 2] - mass[i, 3]) * w[1] * w[2]),
            mass[i, 5] * (m[1] + (mass[i, 3] - mass[i, 1]) * w[2] * w[0]),
            mass[i, 6] * (m[2] + (mass[i, 1] - mass[i, 2]) * w[0] * w[1]),
        )
        alpha = turned(state, i, own)
        for k in range(3):
            rate[i, k] = a[k]
            rate[i, 3 + k] = alpha[k]


@_compiled
def move(memory: Memory, dt: float) -> None:
    """Advance every body by one step (S3, eqs. 5-6 and 8-11)."""
    state, rate = memory.state, memory.rate
    for i in range(1, len(state)):
        for k in range(3):
            state[i, V + k] += dt * rate[i, k]
            state[i, X + k] += dt * state[i, V + k]
            state[i, W + k] += dt * rate[i, 3 + k]
        # eqs. 9-10 with the factors sin(theta)/theta and (1 - cos theta)/theta^2: no axis is needed at rest
        p, q, r = dt * state[i, W], dt * state[i, W + 1], dt * state[i, W + 2]
        s = p * p + q * q + r * r
        if s < SMALL_ANGLE:
            f = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0))))
            g = 0.5 - s / 24.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0))))
        else:
            angle = sqrt(s)
            f, g = sin(angle) / angle, 2.0 * (sin(0.5 * angle) / angle) ** 2
        c = 1.0 - g * s
        for k in range(C, C + 3):
            x, y, z = state[i, k], state[i, k + 3], state[i, k + 6]
            h = g * (p * x + q * y + r * z)
            state[i, k] = c * x + h * p + f * (q * z - r * y)
            state[i, k + 3] = c * y + h * q + f * (r * x - p * z)
            state[i, k + 6] = c * z + h * r + f * (p * y - q * x)


@_compiled
def tidy(memory: Memory) -> None:
    """Make every rotation orthonormal to rounding: one step of Newton's method for its polar factor."""
    state = memory.state
    for i in range(1, len(state)):
        a, b, c = at(state, i, C), at(state, i, C + 3), at(state, i, C + 6)
        aa, bb, cc = dot(a, a), dot(b, b), dot(c, c)
        ab, bc, ca = dot(a, b), dot(b, c), dot(c, a)
        for k in range(3):
            state[i, C + k] = a[k] - 0.5 * ((aa - 1.0) * a[k] + ab * b[k] + ca * c[k])
            state[i, C + 3 + k] = b[k] - 0.5 * (ab * a[k] + (bb - 1.0) * b[k] + bc * c[k])
            state[i, C + 6 + k] = c[k] - 0.5 * (ca * a[k] + bc * b[k] + (cc - 1.0) * c[k])


@part
def _advance(
    machine: Machine, memory: Memory, step: int, total: int, dt: float, every: int, records: Floats, readings: Floats
) -> None:
    """Accelerate, record states, accelerations and coordinates if it is time, and move unless it is the end."""
    accelerate(machine, memory)
    if step % every == 0 or step == total:
        r = (step + every - 1) // every
        for i in range(1, len(memory.state)):
            for k in range(STATE):
                records[r, i - 1, k] = memory.state[i, k]
            for k in range(6):
                records[r, i - 1, STATE + k] = memory.rate[i, k]
        for i in range(len(memory.turned)):
            readings[r, i, 0] = memory.turned[i, 0]
            readings[r, i, 1] = memory.turned[i, 1]
    if step < total:
        move(memory, dt)
        if step % TIDY == TIDY - 1:
            tidy(memory)


@_compiled
def run(
    machine: Machine,
    memory: Memory,
    laws: Floats,
    first: int,
    last: int,
    total: int,
    dt: float,
    every: int,
    records: Floats,
    readings: Floats,
) -> None:
    """Take the steps `first` to `last` - 1 of `total`, and record every so many; step `total` is only recorded."""
    for step in range(first, last):
        add_loads(machine, memory, laws, step, min(step - first, len(laws) - 1))
        _advance(machine, memory, step, total, dt, every, records, readings)


@part
def _drawn(machine: Machine, memory: Memory, rotation: Floats) -> None:
    """Set the rotations (n, 3, 3) from the drawn pose."""
    for i in range(1, len(memory.state)):
        for k in range(3):
            row = at(memory.state, i, C + 3 * k)
            for m in range(3):
                rotation[i - 1, k, m] = dot(row, at(machine.masses, i, 7 + 3 * m))


def loop_with(user: Callable[..., None]) -> Callable[..., None]:
    """Return `run` with a function of the user in every step: compiled if the function is, else in Python."""

    def loop(
        machine: Machine,
        memory: Memory,
        laws: Floats,
        first: int,
        last: int,
        total: int,
        dt: float,
        every: int,
        records: Floats,
        readings: Floats,
    ) -> None:
        state, load = memory.state[1:], memory.load[1:]
        rotation = np.empty((len(state), 3, 3))
        for step in range(first, last):
            add_loads(machine, memory, laws, step, min(step - first, len(laws) - 1))
            _drawn(machine, memory, rotation)
            x, v, w = state[:, 0:3], state[:, 3:6], state[:, 15:18]
            user(step * dt, x, rotation, v, w, load[:, 0:3], load[:, 3:6])
            _advance(machine, memory, step, total, dt, every, records, readings)

    if not hasattr(user, "py_func"):
        return loop
    return cast(Callable[..., None], njit(nogil=True, error_model="numpy")(loop))
