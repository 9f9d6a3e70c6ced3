"""Operations on whole rows of numbers. The text becomes part of the compiled module.

Of large systems plain Python has NumPy's in their place, see `multipliers.whole`.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


def put(out: Any, at: int, values: Any, start: int, count: int) -> None:
    """Write `count` numbers from a start into others from a place on."""
    for k in range(count):
        out[at + k] = values[start + k]


def add(out: Any, at: int, factor: float, values: Any, count: int) -> None:
    """Add a multiple of the first numbers to others from a place on."""
    for k in range(count):
        out[at + k] += factor * values[k]


def fill(out: Any, value: float) -> None:
    """Write one number everywhere."""
    for k in range(len(out)):
        out[k] = value


def add_product(out: Any, factor: float, row: Any, column: Any, entry: Any, values: Any, start: int) -> None:
    """Add a multiple of a matrix, given by its entries, times numbers from a start on."""
    for e in range(len(row)):
        out[row[e]] += factor * entry[e] * values[start + column[e]]


def are_all_finite(values: Any) -> bool:
    """Return whether all numbers are finite."""
    total = 0.0
    for k in range(len(values)):
        total += 0.0 * values[k]
    return isfinite(total)


def largest_gap(mem: ConstrainedMemory) -> float:
    """Return the largest residual of a row, relative to its unit."""
    phi, unit, gap = mem.phi, mem.unit_row, 0.0
    for r in range(mem.m):
        gap = max(gap, abs(phi[r]) / unit[r])
    return gap


def leave_moments(place: Any, load: Any) -> None:
    """Leave of forces on directions only their moments: components that would stretch a direction are dropped."""
    for k in range(2, len(load), 4):
        ux, uy = place[k], place[k + 1]
        moment = (ux * load[k + 1] - uy * load[k]) / (ux * ux + uy * uy)
        load[k], load[k + 1] = -moment * uy, moment * ux
