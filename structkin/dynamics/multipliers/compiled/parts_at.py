"""Coordinate partitioning, see `multipliers.partitioning`. The text becomes part of the compiled module."""

from __future__ import annotations

from math import isfinite
from typing import Any

from structkin.dynamics.multipliers.compiled.factors_at import eliminate, substitute
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.partitioning import LOST as SINGULAR


def part(mem: ConstrainedMemory) -> bool:
    """Factorise [Phi_q; E_u] of a pose, scaled; False at a change point."""
    n, kept, chosen, unit = mem.n, mem.kept, mem.chosen, mem.unit_q
    matrix, A, right = mem.parted.reshape(n, n), mem.A.reshape(-1, n), mem.part_right
    m = kept.shape[0]
    for k in range(m):
        for j in range(n):
            matrix[k, j] = A[kept[k], j] * unit[j] / mem.unit_row[kept[k]]
    matrix[m:] = 0.0
    for k in range(chosen.shape[0]):
        matrix[m + k, chosen[k]] = 1.0
    if not eliminate(matrix, mem.part_pivots):
        return False
    right[:] = mem.part_signs
    substitute(matrix, mem.part_pivots, right)
    size = 0.0
    for k in range(n):
        size = max(size, abs(right[k]))
        if not isfinite(right[k]):
            return False
    if mem.least == 0.0 or size < mem.least:
        mem.least = size
    return bool(size < SINGULAR * mem.least)


def solve_parts(mem: ConstrainedMemory, asked: Any, sign: float) -> float:
    """Write the solution for all rows, the chosen coordinates given in `part_right`; return its size, scaled."""
    n, kept, right, unit = mem.n, mem.kept, mem.part_right, mem.unit_q
    for k in range(kept.shape[0]):
        right[k] = sign * asked[kept[k]] / mem.unit_row[kept[k]]
    substitute(mem.parted.reshape(n, n), mem.part_pivots, right)
    size = 0.0
    for k in range(n):
        size = max(size, abs(right[k]))
        right[k] *= unit[k]
    return size
