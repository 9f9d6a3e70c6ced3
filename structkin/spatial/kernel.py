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
from structkin.multibody.joint import Floats

Vector = tuple[float, float, float]
Function = TypeVar("Function", bound=Callable[..., Any])

#: Columns of the state of a body: position, velocity, rotation by rows, angular velocity; of its accelerations.
X, V, C, W, STATE = 0, 3, 6, 15, 18
#: What a coordinate is read from and acts on.
SHIFT, TURN, FIRST_OF_TWO, SECOND_OF_TWO, FIRST, SECOND, THIRD, SCREW = range(8)
#: Every so many steps the rotations are made orthonormal again (a power of two).
TIDY = 256
#: Below this square of an angle [rad^2] the factors of the rotation come from series.
SMALL_ANGLE = 0.01


class Machine(NamedTuple):
    """Everything that acts in a model, in flat arrays (see `structkin.spatial.packing`)."""

    masses: Floats
    gravity: Floats
    joint_bodies: NDArray[np.uint32]
    joints: Floats
    coordinate_of: NDArray[np.int64]
    coordinates: Floats
    spring_bodies: NDArray[np.uint32]
    springs: Floats
    force_of: NDArray[np.int64]
    forces: Floats
    torque_of: NDArray[np.int64]


class Memory(NamedTuple):
    """What changes: states, forces and torques, accelerations; angles counted; steps at which springs broke."""

    state: Floats
    load: Floats
    rate: Floats
    turned: Floats
    broke_at: NDArray[np.int64]


def _part(function: Function) -> Function:
    """Return a part of the functions below, compiled into them."""
    return cast(Function, njit(nogil=True, error_model="numpy", fastmath={"contract"})(function))


def _compiled(function: Function) -> Function:
    """Return a function that is compiled once on a machine, if a folder can be written."""
    return kept(function, nogil=True, error_model="numpy", fastmath={"contract"})


@_part
def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@_part
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_part
def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@_part
def _combined(p: float, a: Vector, q: float, b: Vector) -> Vector:
    return p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2]


@_part
def _at(rows: Floats, i: int, k: int) -> Vector:
    return rows[i, k], rows[i, k + 1], rows[i, k + 2]


@_part
def _add(rows: Floats, i: int, k: int, factor: float, a: Vector) -> None:
    rows[i, k] += factor * a[0]
    rows[i, k + 1] += factor * a[1]
    rows[i, k + 2] += factor * a[2]


@_part
def _turned(state: Floats, i: int, a: Vector) -> Vector:
    """Return a vector of body axes in ground axes."""
    return (
        state[i, C] * a[0] + state[i, C + 1] * a[1] + state[i, C + 2] * a[2],
        state[i, C + 3] * a[0] + state[i, C + 4] * a[1] + state[i, C + 5] * a[2],
        state[i, C + 6] * a[0] + state[i, C + 7] * a[1] + state[i, C + 8] * a[2],
    )


@_part
def _in_body(state: Floats, i: int, a: Vector) -> Vector:
    """Return a vector of ground axes in body axes."""
    return (
        state[i, C] * a[0] + state[i, C + 3] * a[1] + state[i, C + 6] * a[2],
        state[i, C + 1] * a[0] + state[i, C + 4] * a[1] + state[i, C + 7] * a[2],
        state[i, C + 2] * a[0] + state[i, C + 5] * a[1] + state[i, C + 8] * a[2],
    )


@_part
def _apply(load: Floats, i: int, arm: Vector, sign: float, force: Vector, torque: Vector) -> None:
    """Add a force at an arm from the centre of mass, and a torque, to a body (S3, eqs. 2-3)."""
    _add(load, i, 0, sign, force)
    moment = _cross(arm, force)
    _add(load, i, 3, sign, (moment[0] + torque[0], moment[1] + torque[1], moment[2] + torque[2]))


@_part
def _relative(state: Floats, a: int, b: int, place_a: Vector, place_b: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the arms of the second point on both bodies, its gap from the first, its velocity as body a sees it.

    Force and reaction act at the second point: so both momenta are kept while the joint is open.
    """
    arm_b = _turned(state, b, place_b)
    arm_a = _minus(_combined(1.0, _at(state, b, X), 1.0, arm_b), _at(state, a, X))
    gap = _minus(arm_a, _turned(state, a, place_a))
    of_b = _combined(1.0, _at(state, b, V), 1.0, _cross(_at(state, b, W), arm_b))
    of_a = _combined(1.0, _at(state, a, V), 1.0, _cross(_at(state, a, W), arm_a))
    return arm_a, arm_b, gap, _minus(of_b, of_a)


@_part
def _joint(machine: Machine, memory: Memory, j: int) -> None:
    """Add what the penalty element of a joint exerts on its two bodies.

    The potential is k_p |gap across a|^2 / 2 + k_a (gap along a)^2 / 2 + sum of w_i (1 - cos of the angle between the
    axes i of both triads) + k_x (a of one body . b of the other)^2 / 2; dampers act on the rates of the same.
    """
    state, load, row = memory.state, memory.load, machine.joints
    a, b = machine.joint_bodies[j, 0], machine.joint_bodies[j, 1]
    arm_a, arm_b, gap, speed = _relative(state, a, b, _at(row, j, 0), _at(row, j, 3))
    axis = _turned(state, a, _at(row, j, 6))
    force = _combined(-row[j, 24], gap, -row[j, 26], speed)
    along = (row[j, 24] - row[j, 25]) * _dot(axis, gap) + (row[j, 26] - row[j, 27]) * _dot(axis, speed)
    force = _combined(1.0, force, along, axis)
    torque = (0.0, 0.0, 0.0)
    tilt, twist, cross = row[j, 28], row[j, 29], row[j, 32]
    if tilt + twist + cross != 0.0:
        spin = _minus(_at(state, b, W), _at(state, a, W))
        if cross != 0.0:
            other = _turned(state, b, _at(row, j, 18))
            normal = _cross(other, axis)
            torque = _combined(-cross * _dot(axis, other) - row[j, 33] * _dot(normal, spin), normal, 0.0, normal)
        else:
            torque = _combined(tilt, _cross(_turned(state, b, _at(row, j, 9)), axis), -row[j, 30], spin)
            torque = _combined(1.0, torque, (row[j, 30] - row[j, 31]) * _dot(axis, spin), axis)
            if twist != 0.0:
                for k in (0, 3):
                    one = _turned(state, a, _at(row, j, 12 + k))
                    other = _turned(state, b, _at(row, j, 18 + k))
                    torque = _combined(1.0, torque, twist, _cross(other, one))
    _apply(load, b, arm_b, 1.0, force, torque)
    _apply(load, a, arm_a, -1.0, force, torque)


@_part
def _coordinate(machine: Machine, memory: Memory, k: int, laws: Floats, step: int) -> None:
    """Read a coordinate of a joint, counting whole turns, and add what its spring, damper, law and stop exert."""
    state, load, row = memory.state, memory.load, machine.joints
    j, kind, law = machine.coordinate_of[k, 0], machine.coordinate_of[k, 1], machine.coordinate_of[k, 2]
    own = machine.coordinates
    a, b = machine.joint_bodies[j, 0], machine.joint_bodies[j, 1]
    arm_a, arm_b, gap, speed = _relative(state, a, b, _at(row, j, 0), _at(row, j, 3))
    spin = _minus(_at(state, b, W), _at(state, a, W))
    axis = _turned(state, a, _at(row, j, 6))
    a_second, a_third = _turned(state, a, _at(row, j, 12)), _turned(state, a, _at(row, j, 15))
    b_axis = _turned(state, b, _at(row, j, 9))
    b_second, b_third = _turned(state, b, _at(row, j, 18)), _turned(state, b, _at(row, j, 21))
    if kind == SHIFT:
        axis = _turned(state, a, _at(own, k, 0))
        q, rate = _dot(axis, gap), _dot(axis, speed)
    else:
        # the torque of an effort does no work on the other coordinates: `axis` belongs to the dual basis
        if kind == SECOND_OF_TWO:
            q, axis = atan2(_dot(axis, b_third), _dot(axis, b_axis)), b_second
        elif kind == FIRST:
            q = atan2(-_dot(a_second, b_third), _dot(a_third, b_third))
            node = _cross(b_third, axis)
            axis = _combined(1.0 / _dot(node, node), _cross(node, b_third), 0.0, node)
        elif kind == SECOND:
            q = atan2(_dot(axis, b_third), sqrt(_dot(axis, b_axis) ** 2 + _dot(axis, b_second) ** 2))
            node = _cross(b_third, axis)
            axis = _combined(1.0 / sqrt(_dot(node, node)), node, 0.0, node)
        elif kind == THIRD:
            q = atan2(-_dot(axis, b_second), _dot(axis, b_axis))
            node = _cross(b_third, axis)
            axis = _combined(1.0 / _dot(node, node), _cross(axis, node), 0.0, node)
        else:
            q = atan2(_dot(b_second, a_third), _dot(b_second, a_second))
        rate = _dot(axis, spin)
        q += 2.0 * np.pi * np.floor((memory.turned[k, 0] - q) / (2.0 * np.pi) + 0.5)
    memory.turned[k, 0] = q
    memory.turned[k, 1] = rate
    if kind == SCREW:
        pitch = own[k, 9]
        pull = -own[k, 3] * (_dot(axis, gap) - pitch * q) - own[k, 4] * (_dot(axis, speed) - pitch * rate)
        effort = -pitch * pull
        force = _combined(pull, axis, 0.0, axis)
        torque = _combined(effort, axis, 0.0, axis)
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
        force = _combined(shifts * effort, axis, 0.0, axis)
        torque = _combined((1.0 - shifts) * effort, axis, 0.0, axis)
    _apply(load, b, arm_b, 1.0, force, torque)
    _apply(load, a, arm_a, -1.0, force, torque)


@_part
def _spring(machine: Machine, memory: Memory, k: int, step: int) -> None:
    """Add the pull of a spring between two points, unless it broke."""
    state, row = memory.state, machine.springs
    a, b = machine.spring_bodies[k, 0], machine.spring_bodies[k, 1]
    arm_a, arm_b = _turned(state, a, _at(row, k, 0)), _turned(state, b, _at(row, k, 3))
    span = _minus(_combined(1.0, _at(state, b, X), 1.0, arm_b), _combined(1.0, _at(state, a, X), 1.0, arm_a))
    of_b = _combined(1.0, _at(state, b, V), 1.0, _cross(_at(state, b, W), arm_b))
    of_a = _combined(1.0, _at(state, a, V), 1.0, _cross(_at(state, a, W), arm_a))
    length = sqrt(_dot(span, span))
    if length == 0.0 or memory.broke_at[k] >= 0:
        return
    pull = row[k, 6] * (length - row[k, 8]) + row[k, 7] * _dot(span, _minus(of_b, of_a)) / length
    if pull > row[k, 9]:
        memory.broke_at[k] = step
        return
    force = _combined(-pull / length, span, 0.0, span)
    none = (0.0, 0.0, 0.0)
    _apply(memory.load, b, arm_b, 1.0, force, none)
    _apply(memory.load, a, arm_a, -1.0, force, none)


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
            force = _turned(state, body, _turned_back(machine, body, force))
        _apply(load, body, _turned(state, body, _at(machine.forces, k, 0)), 1.0, force, none)
    for k in range(len(machine.torque_of)):
        of = machine.torque_of
        body, follows = of[k, 0], of[k, 4] != 0
        torque = (laws[row, of[k, 1]], laws[row, of[k, 2]], laws[row, of[k, 3]])
        if follows:
            torque = _turned(state, body, _turned_back(machine, body, torque))
        _add(load, body, 3, 1.0, torque)


@_part
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
        a = _combined(mass[i, 0], _at(load, i, 0), 1.0, gravity)
        m, w = _in_body(state, i, _at(load, i, 3)), _in_body(state, i, _at(state, i, W))
        own = (
            mass[i, 4] * (m[0] + (mass[i, 2] - mass[i, 3]) * w[1] * w[2]),
            mass[i, 5] * (m[1] + (mass[i, 3] - mass[i, 1]) * w[2] * w[0]),
            mass[i, 6] * (m[2] + (mass[i, 1] - mass[i, 2]) * w[0] * w[1]),
        )
        alpha = _turned(state, i, own)
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
        a, b, c = _at(state, i, C), _at(state, i, C + 3), _at(state, i, C + 6)
        aa, bb, cc = _dot(a, a), _dot(b, b), _dot(c, c)
        ab, bc, ca = _dot(a, b), _dot(b, c), _dot(c, a)
        for k in range(3):
            state[i, C + k] = a[k] - 0.5 * ((aa - 1.0) * a[k] + ab * b[k] + ca * c[k])
            state[i, C + 3 + k] = b[k] - 0.5 * (ab * a[k] + (bb - 1.0) * b[k] + bc * c[k])
            state[i, C + 6 + k] = c[k] - 0.5 * (ca * a[k] + bc * b[k] + (cc - 1.0) * c[k])


@_part
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


@_part
def _drawn(machine: Machine, memory: Memory, rotation: Floats) -> None:
    """Set the rotations (n, 3, 3) from the drawn pose."""
    for i in range(1, len(memory.state)):
        for k in range(3):
            row = _at(memory.state, i, C + 3 * k)
            for m in range(3):
                rotation[i - 1, k, m] = _dot(row, _at(machine.masses, i, 7 + 3 * m))


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
