"""Vectors of three numbers as tuples, and rows of arrays of them: small functions that a compiler inlines.

They are compiled with Numba where it is installed; the same source runs without it, slowly. The modules that use this
are imported when they are first needed: Numba takes a while to import.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin
from typing import Any, TypeVar

from structkin.compiled import kept
from structkin.types import Floats

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return the function compiled with Numba, or the function itself if Numba is not installed."""
    return kept(function, error_model="numpy", no_cfunc_wrapper=True)


Vector = tuple[float, float, float]


@compiled
def get(rows: Floats, i: int) -> Vector:
    """Return row i of rows (n, 3)."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@compiled
def put(rows: Floats, i: int, v: Vector) -> None:
    """Set row i of rows (n, 3)."""
    rows[i, 0] = v[0]
    rows[i, 1] = v[1]
    rows[i, 2] = v[2]


@compiled
def put_sum(rows: Floats, i: int, v: Vector) -> None:
    """Add to row i of rows (n, 3)."""
    rows[i, 0] += v[0]
    rows[i, 1] += v[1]
    rows[i, 2] += v[2]


@compiled
def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def times(s: float, a: Vector) -> Vector:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


@compiled
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b, that is a~ b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def turned(R: Floats, i: int, v: Vector) -> Vector:
    """Return R_i v for R (n, 3, 3)."""
    return (
        R[i, 0, 0] * v[0] + R[i, 0, 1] * v[1] + R[i, 0, 2] * v[2],
        R[i, 1, 0] * v[0] + R[i, 1, 1] * v[1] + R[i, 1, 2] * v[2],
        R[i, 2, 0] * v[0] + R[i, 2, 1] * v[1] + R[i, 2, 2] * v[2],
    )


@compiled
def turned_back(R: Floats, i: int, v: Vector) -> Vector:
    """Return R_i^T v for R (n, 3, 3)."""
    return (
        R[i, 0, 0] * v[0] + R[i, 1, 0] * v[1] + R[i, 2, 0] * v[2],
        R[i, 0, 1] * v[0] + R[i, 1, 1] * v[1] + R[i, 2, 1] * v[2],
        R[i, 0, 2] * v[0] + R[i, 1, 2] * v[1] + R[i, 2, 2] * v[2],
    )


@compiled
def put_rotation(R: Floats, i: int, axis: Vector, angle: float) -> None:
    """Set R_i (n, 3, 3) to the rotation about a unit axis (Rodrigues): cos I + (1 - cos) a a^T + sin a~."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    d = 1.0 - c
    R[i, 0, 0] = c + d * x * x
    R[i, 0, 1] = d * x * y - s * z
    R[i, 0, 2] = d * x * z + s * y
    R[i, 1, 0] = d * x * y + s * z
    R[i, 1, 1] = c + d * y * y
    R[i, 1, 2] = d * y * z - s * x
    R[i, 2, 0] = d * x * z - s * y
    R[i, 2, 1] = d * y * z + s * x
    R[i, 2, 2] = c + d * z * z
