"""Writing the compiled module of the equations with multipliers."""

from __future__ import annotations

from functools import cache

from structkin.dynamics import forces
from structkin.dynamics.compiled import laws_at, loads_at, masses_at
from structkin.dynamics.compiled.source import module_source
from structkin.dynamics.multipliers.compiled import equations_at, factors_at, frames_at, parts_at, rows_at
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


@cache
def constrained_source() -> str:
    """Return the source of the module."""
    parts = (laws_at, frames_at, forces, loads_at, masses_at, rows_at, factors_at, parts_at, equations_at)
    return module_source(ConstrainedMemory, parts)
