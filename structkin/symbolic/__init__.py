"""Minimal coordinates (S4): equations of motion of trees in space, explicit or recursive, with loops in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from structkin.errors import InputError, Problem
from structkin.multibody.model import SpatialModel

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations import Equations


def equations(model: SpatialModel, *, numbers: bool = False, shared: bool | None = None) -> Equations:
    """Return the equations of motion of a model to read and to run; see `structkin.symbolic.explicit.equations`.

    Raises `InputError` if SymPy is not installed.
    """
    try:
        from structkin.symbolic.explicit.equations import equations as derive
    except ModuleNotFoundError as error:
        if error.name not in ("sympy", "mpmath"):
            raise
        hint = "pip install 'structkin[symbolic]'"
        raise InputError([Problem("", "SymPy is not installed", hint)], model.name) from None
    return derive(model, numbers=numbers, shared=shared)
