"""Functions compiled with Numba where it is installed; the same source runs without it, slowly.

The modules that use this are imported when they are first needed: Numba takes a while to import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from structkin.compiled import kept

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return the function compiled with Numba, or the function itself if Numba is not installed."""
    return kept(function, error_model="numpy", no_cfunc_wrapper=True)
