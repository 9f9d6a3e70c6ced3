"""What plain Python does by NumPy for large systems: operations of `equations_at`, and turns of all links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structkin.types import Floats, Indices

#: The arrays of `ConstrainedMemory` that are wholes here; the others are lists.
PARTS = (
    *("X", "theta", "map", "map_row", "map_column", "M", "A", "A_row", "A_column", "phi", "nu", "gamma", "asked"),
    *("on_frames", "weight", "force", "right", "near", "part_right", "chosen", "unit_q", "unit_row"),
    *("drawn", "held", "turns", "turn_rates", "new_turns"),
)


def put(out: Floats, at: int, values: Floats, start: int, count: int) -> None:
    """Write `count` numbers from a start into others from a place on."""
    out[at : at + count] = values[start : start + count]


def add(out: Floats, at: int, factor: float, values: Floats, count: int) -> None:
    """Add a multiple of the first numbers to others from a place on."""
    out[at : at + count] += factor * values[:count]


def fill(out: Floats, value: float) -> None:
    """Write one number everywhere."""
    out[:] = value


def add_product(
    out: Floats, factor: float, row: Indices, column: Indices, entry: Floats, values: Floats, start: int
) -> None:
    """Add a multiple of a matrix, given by its entries, times numbers from a start on."""
    out += factor * np.bincount(row, entry[: len(row)] * values[start:][column], len(out))


def are_all_finite(values: Sequence[float]) -> bool:
    """Return whether all numbers are finite."""
    return not len(values) or bool(np.isfinite(values).all())


def largest_gap(mem: Any) -> float:
    """Return the largest residual of a row, relative to its unit."""
    return float(np.max(np.abs(mem.phi) / mem.unit_row, initial=0.0))


def leave_moments(place: Floats, load: Floats) -> None:
    """Leave of forces on directions only their moments: components that would stretch a direction are dropped."""
    (ux, uy), (fx, fy) = place.reshape(-1, 4).T[2:], load.reshape(-1, 4).T[2:]
    moment = (ux * fy - uy * fx) / (ux * ux + uy * uy)
    fx[:], fy[:] = -moment * uy, moment * ux


def find_turns(mem: Any, t: float) -> None:
    """Write the turns of the links at the frames of a time."""
    ux, uy = mem.X[0].reshape(-1, 4).T[2:]
    turn, near = np.arctan2(uy, ux) - mem.drawn, mem.theta + mem.held
    expected = mem.turns + 0.5 * (mem.turn_rates + _spins(mem.X)) * (t - mem.clock)
    near = np.where(np.isnan(near), expected, near)
    mem.new_turns[:] = turn + 2 * np.pi * np.round((near - turn) / (2 * np.pi))


def count_turns(mem: Any) -> None:
    """Continue the count from the turns of now."""
    mem.turns[:], mem.turn_rates[:] = mem.new_turns, _spins(mem.X)


def _spins(X: Floats) -> Floats:
    (ux, uy), (vx, vy) = (part.reshape(-1, 4).T[2:] for part in X[:2])
    return np.asarray((ux * vy - uy * vx) / (ux * ux + uy * uy))
