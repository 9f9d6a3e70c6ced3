"""Many dimension sets of one mechanism, solved in one call."""

from structkin.solve.many.motions import Motions
from structkin.solve.many.solve_many import solve_many

__all__ = ["Motions", "solve_many"]
