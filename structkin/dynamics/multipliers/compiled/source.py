"""Writing the module of the equations with multipliers, to be compiled and for plain Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isfunction
from typing import Any

from structkin.dynamics import forces
from structkin.dynamics.compiled import laws_at, loads_at, masses_at
from structkin.dynamics.compiled.source import module_source, plain_module
from structkin.dynamics.multipliers import whole
from structkin.dynamics.multipliers.compiled import equations_at, factors_at, frames_at, rows_at, whole_at
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory

_PARTS = (laws_at, frames_at, forces, loads_at, masses_at, whole_at, rows_at, factors_at, equations_at)

#: Functions of the text that plain Python replaces by methods of `Multipliers`: always, and by arrays.
_OWN = ("factor", "solve", "find_seconds", "part", "solve_parts", "apply_functions")
_BY_ARRAYS = ("find_frames", "add_frames", "find_rows", "find_masses", "find_gamma", "weigh_seconds")
_WHOLE = tuple(
    name for name, one in vars(whole).items() if isfunction(one) and one.__module__ == whole.__name__ and name[0] != "_"
)


@cache
def constrained_source() -> str:
    """Return the source of the module."""
    return module_source(ConstrainedMemory, _PARTS)


@cache
def plain_functions(*, by_arrays: bool) -> dict[str, Any]:
    """Return the functions as plain Python, number by number or by arrays."""
    names = plain_module(module_source(None, _PARTS))
    names.update({name: _method(name) for name in (*_OWN, *(_BY_ARRAYS if by_arrays else ()))})
    if by_arrays:
        names.update({name: getattr(whole, name) for name in _WHOLE})
    return names


def _method(name: str) -> Callable[..., Any]:
    return lambda mem, *args: getattr(mem.own, name)(mem, *args)
