"""The text of the equations with multipliers, compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import isfunction
from pathlib import Path
from typing import Any

from structkin.dynamics import load_formulas
from structkin.dynamics.compiled import curves_at, laws_at, loads_at
from structkin.dynamics.compiled.source import memory_texts
from structkin.dynamics.multipliers import whole
from structkin.dynamics.multipliers.compiled import equations_at, factors_at, frames_at, memory, rows_at, whole_at
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.kernels.text import Text
from structkin.model import formula_at


def _memory_texts() -> Iterator[str]:
    yield from memory_texts()
    yield Path(memory.__file__).read_text(encoding="utf-8")


_PARTS = (
    load_formulas, formula_at, laws_at, frames_at, curves_at, loads_at, whole_at, rows_at, factors_at, equations_at,
)  # fmt: skip
CONSTRAINED = Text("multipliers", "equations with multipliers", _PARTS, reads=_memory_texts)

#: Functions of the text that plain Python replaces by methods of `Multipliers`: always, and by arrays.
_OWN = ("factor", "solve", "find_seconds", "part", "solve_parts", "apply_functions")
_BY_ARRAYS = ("find_frames", "add_frames", "find_rows", "find_masses", "find_gamma", "weigh_seconds")
_WHOLE = tuple(
    name for name, one in vars(whole).items() if isfunction(one) and one.__module__ == whole.__name__ and name[0] != "_"
)


@cache
def compiled_functions() -> Mapping[str, Any]:
    """Return the compiled functions; they are compiled at the first call on this machine."""
    from structkin.dynamics.compiled.native_memory import Functions

    return Functions(CONSTRAINED, ConstrainedMemory)


@cache
def plain_functions(*, by_arrays: bool) -> dict[str, Any]:
    """Return the functions as plain Python, number by number or by arrays."""
    names = CONSTRAINED.plain()
    names.update({name: _method(name) for name in (*_OWN, *(_BY_ARRAYS if by_arrays else ()))})
    if by_arrays:
        names.update({name: getattr(whole, name) for name in _WHOLE})
    return names


def _method(name: str) -> Callable[..., Any]:
    return lambda mem, *args: getattr(mem.own, name)(mem, *args)
