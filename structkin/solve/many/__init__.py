"""Many dimension sets of one mechanism, solved in one call."""

from structkin.solve.many.motions import Motions

__all__ = ["Motions"]
