"""Minimal coordinates (S4): equations of motion of trees in space, explicit or recursive, with loops in closed form."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations_of_motion import equations as equations
    from structkin.symbolic.explicit.own import ExplicitLoop as ExplicitLoop
    from structkin.symbolic.integration import simulate as simulate
    from structkin.symbolic.motion import TreeMotion as TreeMotion
    from structkin.symbolic.recursive import Recursive as Recursive

# Loaded when first used: SymPy, Numba and SciPy's integrators take a while to import.
_MODULES = {
    "Recursive": "recursive",
    "TreeMotion": "motion",
    "simulate": "integration",
    "ExplicitLoop": "explicit.own",
    "equations": "explicit.equations_of_motion",
}


def __getattr__(name: str) -> Any:
    """Return a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
