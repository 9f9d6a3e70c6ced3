"""Factors of the systems of `multipliers.kkt` and `multipliers.partitioning`, both scaled, as compiled code.

The text becomes part of the compiled module. Plain Python has its own of `factor`, `solve`, `part` and `solve_parts`,
by LAPACK, SuperLU or sweeps.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.kkt import LOST
from structkin.dynamics.multipliers.partitioning import LOST as SINGULAR
from structkin.numerical_tolerances import LEAST_POSITIVE


def factor(mem: ConstrainedMemory) -> bool:
    """Factorise [M A^T; A 0] of a pose; False where its rows, or the chosen ones, are no longer independent."""
    n, unit, M, right, signs = mem.n, mem.unit_q, mem.M, mem.right, mem.signs
    K = mem.K.reshape(len(right), -1)
    K[:] = 0.0
    rows, columns, size = mem.M_row, mem.M_column, mem.size
    for e in range(len(M)):
        i, j = rows[e], columns[e]
        K[i, j] = M[e] * unit[i] * unit[j] / size
    enter(mem, K, n)
    for k in range(n, len(K)):
        for j in range(n):
            K[j, k] = K[k, j]
    if not eliminate(K, mem.pivots):
        return False
    # Gaps of 1 in all rows are closed by displacements of about 1 / strength.
    right[:n] = 0.0
    right[n:] = signs
    substitute(K, mem.pivots, right)
    strength = min(1.0, 1.0 / max(LEAST_POSITIVE, size_of(right, n)))
    mem.strength = max(mem.strength, strength)
    return bool(strength > LOST * mem.strength)


def enter(mem: ConstrainedMemory, matrix: Any, first: int) -> None:
    """Write the rows of A that are solved, scaled, into a matrix of zeros, from row `first` on."""
    A, row, column, unit, unit_row, place = mem.A, mem.A_row, mem.A_column, mem.unit_q, mem.unit_row, mem.kept_place
    for e in range(len(A)):
        r, j = row[e], column[e]
        if place[r] >= 0:
            matrix[first + place[r], j] = A[e] * unit[j] / unit_row[r]


def solve(mem: ConstrainedMemory, force: Any, asked: Any) -> None:
    """Write x of M x + A^T lambda = f (n,), A x = g (m,) into `right`, and lambda behind it, scaled."""
    n, kept, unit, right = mem.n, mem.kept, mem.unit_q, mem.right
    for i in range(n):
        right[i] = force[i] * unit[i] / mem.size
    for k in range(len(kept)):
        right[n + k] = asked[kept[k]] / mem.unit_row[kept[k]]
    substitute(mem.K.reshape(len(right), -1), mem.pivots, right)
    for i in range(n):
        right[i] *= unit[i]


def part(mem: ConstrainedMemory) -> bool:
    """Factorise [Phi_q; E_u] of a pose, for the chosen coordinates u; False at a change point."""
    n, chosen, right = mem.n, mem.chosen, mem.part_right
    matrix = mem.parted.reshape(n, n)
    matrix[:] = 0.0
    enter(mem, matrix, 0)
    for k in range(len(chosen)):
        matrix[n - len(chosen) + k, chosen[k]] = 1.0
    if not eliminate(matrix, mem.part_pivots):
        return False
    right[:] = mem.part_signs
    substitute(matrix, mem.part_pivots, right)
    size = size_of(right, n)
    mem.least = min(mem.least, size)
    return bool(size < SINGULAR * mem.least)


def solve_parts(mem: ConstrainedMemory, asked: Any, sign: float, near: Any) -> float:
    """Write the solution for all rows, the chosen coordinates given in `part_right`; return its size, scaled.

    Where the rows depend on each other, which is not solved here, it is the solution nearest to `near`.
    """
    n, kept, right, unit = mem.n, mem.kept, mem.part_right, mem.unit_q
    for k in range(len(kept)):
        right[k] = sign * asked[kept[k]] / mem.unit_row[kept[k]]
    substitute(mem.parted.reshape(n, n), mem.part_pivots, right)
    size = size_of(right, n)
    for k in range(n):
        right[k] *= unit[k]
    return size


def size_of(values: Any, count: int) -> float:
    """Return the size of the largest of the first numbers; infinity where one is not finite."""
    size = 0.0
    for k in range(count):
        if not isfinite(values[k]):
            return inf
        size = max(size, abs(values[k]))
    return size


def eliminate(matrix: Any, pivots: Any) -> bool:
    """Replace a matrix by its factors L and U, with partial pivoting; False at a zero pivot. Zeros are skipped."""
    size = len(matrix)
    for c in range(size):
        pivot, most = c, abs(matrix[c, c])
        for r in range(c + 1, size):
            if abs(matrix[r, c]) > most:
                pivot, most = r, abs(matrix[r, c])
        if not most > 0.0:
            return False
        pivots[c] = pivot
        if pivot != c:
            for j in range(size):
                matrix[c, j], matrix[pivot, j] = matrix[pivot, j], matrix[c, j]
        for r in range(c + 1, size):
            if matrix[r, c] != 0.0:
                part = matrix[r, c] / matrix[c, c]
                matrix[r, c] = part
                for j in range(c + 1, size):
                    matrix[r, j] -= part * matrix[c, j]
    return True


def substitute(matrix: Any, pivots: Any, right: Any) -> None:
    """Replace a right-hand side by the solution, with the factors of `eliminate`."""
    size = len(matrix)
    for c in range(size):
        if pivots[c] != c:
            right[c], right[pivots[c]] = right[pivots[c]], right[c]
    for r in range(size):
        total = right[r]
        for j in range(r):
            total -= matrix[r, j] * right[j]
        right[r] = total
    for r in range(size - 1, -1, -1):
        total = right[r]
        for j in range(r + 1, size):
            total -= matrix[r, j] * right[j]
        right[r] = total / matrix[r, r]
