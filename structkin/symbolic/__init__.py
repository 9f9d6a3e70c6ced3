"""Minimal coordinates (S4): equations of motion of trees in space, explicit or recursive, with loops in closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from structkin.multibody.model import SpatialModel

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations_of_motion import Equations
    from structkin.symbolic.explicit.own import ExplicitLoop as ExplicitLoop
    from structkin.symbolic.explicit.reduction import Drive
    from structkin.symbolic.integration import simulate as simulate
    from structkin.symbolic.motion import TreeMotion as TreeMotion
    from structkin.symbolic.recursive import Recursive as Recursive

# Loaded when first used: Numba and SciPy's integrators take a while to import.
_MODULES = {"Recursive": "recursive", "TreeMotion": "motion", "simulate": "integration", "ExplicitLoop": "explicit.own"}


def __getattr__(name: str) -> Any:
    """Return a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def equations(
    model: SpatialModel,
    *,
    numbers: bool = False,
    shared: bool | None = None,
    loops: str = "multipliers",
    independent: Sequence[str] = (),
    ratios: Mapping[str, tuple[str, float]] | None = None,
    solved: Sequence[ExplicitLoop] = (),
    drives: Mapping[str, Drive] | None = None,
) -> Equations:
    """Return the equations of motion of a model to read and to run; see `explicit.equations_of_motion`.

    Raises `InputError` if SymPy is not installed.
    """
    from structkin.symbolic.explicit.equations_of_motion import equations as derive

    return derive(
        model, numbers=numbers, shared=shared, loops=loops, independent=independent, ratios=ratios, solved=solved,
        drives=drives or {},
    )  # fmt: skip
