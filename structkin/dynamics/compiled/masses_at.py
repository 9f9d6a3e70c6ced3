"""Masses of rows. The text of this module becomes part of the compiled ones."""

from __future__ import annotations

from typing import Any

from structkin.dynamics.compiled.memory import LoadMemory


def weigh(mem: LoadMemory, rows: Any, out: Any) -> None:
    """Write W times numbers of all rows."""
    ptr, row, mass = mem.mass_ptr, mem.mass_row, mem.mass
    for r in range(out.shape[0]):
        total = 0.0
        for k in range(ptr[r], ptr[r + 1]):
            total += mass[k] * rows[row[k]]
        out[r] = total
