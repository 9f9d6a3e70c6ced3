"""Masses of rows. The text of this module becomes part of the compiled ones.

Centres of mass and directions of links are sums of rows. In a chain each sum has one term more than the one before:
only what a sum adds to a former one is kept, so that a chain of n links costs n operations, not n^2.
"""

from __future__ import annotations

from typing import Any

from structkin.dynamics.compiled.memory import LoadMemory


def weigh(mem: LoadMemory, rows: Any, out: Any) -> None:
    """Write W times numbers of all rows, where W = S^T M S, S are the sums, and M their masses."""
    former, ptr, row, factor = mem.mass_former, mem.mass_ptr, mem.mass_row, mem.mass_factor
    mass, sums = mem.mass, mem.mass_sums
    count = len(former)
    for k in range(count):
        x = y = 0.0
        if former[k] >= 0:
            x, y = sums[former[k]][0], sums[former[k]][1]
        for j in range(ptr[k], ptr[k + 1]):
            a, b = rows[row[j]], rows[row[j] + 1]
            x += factor[j][0] * a - factor[j][1] * b
            y += factor[j][1] * a + factor[j][0] * b
        sums[k][0], sums[k][1] = x, y
    for k in range(count):
        sums[k][0], sums[k][1] = mass[k] * sums[k][0], mass[k] * sums[k][1]
    for r in range(len(out)):
        out[r] = 0.0
    for k in range(count - 1, -1, -1):
        x, y = sums[k][0], sums[k][1]
        for j in range(ptr[k], ptr[k + 1]):
            out[row[j]] += factor[j][0] * x + factor[j][1] * y
            out[row[j] + 1] += factor[j][0] * y - factor[j][1] * x
        if former[k] >= 0:
            sums[former[k]][0] += x
            sums[former[k]][1] += y
