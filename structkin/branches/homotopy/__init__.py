"""From the equations of a general group and its inputs to all its modes, real and complex, with certificates."""

from structkin.branches.homotopy.modes import modes_of
from structkin.branches.homotopy.reality import Modes
from structkin.branches.homotopy.solutions import NotEnumeratedError

__all__ = ["Modes", "NotEnumeratedError", "modes_of"]
