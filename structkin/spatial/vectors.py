"""Vectors of bodies in space, for the compiled loop: tuples of three numbers, and rows of the state.

Parts of the loop are compiled into it; nothing is allocated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from structkin.types import Floats

Vector = tuple[float, float, float]
Function = TypeVar("Function", bound=Callable[..., Any])

#: Columns of the state of a body: position, velocity, rotation by rows, angular velocity; of its accelerations.
X, V, C, W, STATE = 0, 3, 6, 15, 18


def part(function: Function) -> Function:
    """Return a part of the loop, compiled into the functions that call it."""
    return cast(Function, njit(nogil=True, error_model="numpy", fastmath={"contract"})(function))


@part
def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def dot(a: Vector, b: Vector) -> float:
    """Return the dot product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def minus(a: Vector, b: Vector) -> Vector:
    """Return a difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@part
def combined(p: float, a: Vector, q: float, b: Vector) -> Vector:
    """Return p a + q b."""
    return p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2]


@part
def at(rows: Floats, i: int, k: int) -> Vector:
    """Return three numbers of a row, from column k."""
    return rows[i, k], rows[i, k + 1], rows[i, k + 2]


@part
def add(rows: Floats, i: int, k: int, factor: float, a: Vector) -> None:
    """Add a multiple of a vector to a row, from column k."""
    rows[i, k] += factor * a[0]
    rows[i, k + 1] += factor * a[1]
    rows[i, k + 2] += factor * a[2]


@part
def turned(state: Floats, i: int, a: Vector) -> Vector:
    """Return a vector of body axes in ground axes."""
    return (
        state[i, C] * a[0] + state[i, C + 1] * a[1] + state[i, C + 2] * a[2],
        state[i, C + 3] * a[0] + state[i, C + 4] * a[1] + state[i, C + 5] * a[2],
        state[i, C + 6] * a[0] + state[i, C + 7] * a[1] + state[i, C + 8] * a[2],
    )


@part
def in_body(state: Floats, i: int, a: Vector) -> Vector:
    """Return a vector of ground axes in body axes."""
    return (
        state[i, C] * a[0] + state[i, C + 3] * a[1] + state[i, C + 6] * a[2],
        state[i, C + 1] * a[0] + state[i, C + 4] * a[1] + state[i, C + 7] * a[2],
        state[i, C + 2] * a[0] + state[i, C + 5] * a[1] + state[i, C + 8] * a[2],
    )


@part
def apply(load: Floats, i: int, arm: Vector, sign: float, force: Vector, torque: Vector) -> None:
    """Add a force at an arm from the centre of mass, and a torque, to a body (S3, eqs. 2-3)."""
    add(load, i, 0, sign, force)
    moment = cross(arm, force)
    add(load, i, 3, sign, (moment[0] + torque[0], moment[1] + torque[1], moment[2] + torque[2]))


@part
def relative(state: Floats, a: int, b: int, place_a: Vector, place_b: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the arms of the second point on both bodies, its gap from the first, its velocity as body a sees it.

    Force and reaction act at the second point: so both momenta are kept while the joint is open.
    """
    arm_b = turned(state, b, place_b)
    arm_a = minus(combined(1.0, at(state, b, X), 1.0, arm_b), at(state, a, X))
    gap = minus(arm_a, turned(state, a, place_a))
    of_b = combined(1.0, at(state, b, V), 1.0, cross(at(state, b, W), arm_b))
    of_a = combined(1.0, at(state, a, V), 1.0, cross(at(state, a, W), arm_a))
    return arm_a, arm_b, gap, minus(of_b, of_a)
