"""Functions compiled with Numba where it is installed; the same source runs without it, slowly.

The modules that use this are imported when they are first needed: Numba takes a while to import.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return the function compiled with Numba, or the function itself if Numba is not installed."""
    if importlib.util.find_spec("numba") is None:
        return function
    from numba import njit

    return cast(Function, njit(cache=True, error_model="numpy")(function))
