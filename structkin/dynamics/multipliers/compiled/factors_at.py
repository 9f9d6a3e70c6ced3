"""Factors of [M A^T; A 0], scaled as in `multipliers.kkt`. The text becomes part of the compiled module."""

from __future__ import annotations

from math import isfinite
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.kkt import LOST


def factor(mem: ConstrainedMemory) -> bool:
    """Factorise the system of a pose; False where its rows, or the chosen ones, are no longer independent."""
    n, kept, unit, unit_row, signs = mem.n, mem.kept, mem.unit_q, mem.unit_row, mem.signs
    size, right = n + kept.shape[0], mem.right
    K, M, A = mem.K.reshape(size, size), mem.M.reshape(n, n), mem.A.reshape(-1, n)
    if mem.tree != 0:
        find_masses(mem)
    for i in range(n):
        for j in range(n):
            K[i, j] = M[i, j] * unit[i] * unit[j] / mem.size
    for k in range(kept.shape[0]):
        row = kept[k]
        for j in range(n):
            value = A[row, j] * unit[j] / unit_row[row]
            K[n + k, j], K[j, n + k] = value, value
        for j in range(kept.shape[0]):
            K[n + k, n + j] = 0.0
    if not eliminate(K, mem.pivots):
        return False
    # Gaps of 1 in all rows are closed by displacements of about 1 / strength.
    right[:n] = 0.0
    right[n:] = signs
    substitute(K, mem.pivots, right)
    moves = 1e-300
    for i in range(n):
        if not isfinite(right[i]):
            return False
        moves = max(moves, abs(right[i]))
    strength = min(1.0, 1.0 / moves)
    mem.strength = max(mem.strength, strength)
    return bool(strength > LOST * mem.strength)


def find_masses(mem: ConstrainedMemory) -> None:
    """Write M = X_q^T M_X X_q."""
    M, terms, factor, change = mem.M.reshape(mem.n, mem.n), mem.mass_terms, mem.mass_term, mem.map
    M[:] = 0.0
    for k in range(factor.shape[0]):
        M[terms[k, 0], terms[k, 1]] += factor[k] * change[terms[k, 2]] * change[terms[k, 3]]


def solve(mem: ConstrainedMemory, force: Any, asked: Any) -> None:
    """Write x of M x + A^T lambda = f (n,), A x = g (m,) into the first n places of `right`."""
    n, kept, unit, right = mem.n, mem.kept, mem.unit_q, mem.right
    for i in range(n):
        right[i] = force[i] * unit[i] / mem.size
    for k in range(kept.shape[0]):
        right[n + k] = asked[kept[k]] / mem.unit_row[kept[k]]
    substitute(mem.K.reshape(right.shape[0], -1), mem.pivots, right)
    for i in range(n):
        right[i] *= unit[i]


def eliminate(matrix: Any, pivots: Any) -> bool:
    """Replace a matrix by its factors L and U, with partial pivoting; False at a zero pivot. Zeros are skipped."""
    size = matrix.shape[0]
    for c in range(size):
        pivot, largest = c, abs(matrix[c, c])
        for r in range(c + 1, size):
            if abs(matrix[r, c]) > largest:
                pivot, largest = r, abs(matrix[r, c])
        if not largest > 0.0:
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
    size = matrix.shape[0]
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
