"""The kernels of a general group: the formulas of `group_rows` for Numba, and plain for NumPy or single lanes.

Compiled, they are kept in the same store as those of the closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import ModuleType

import numpy as np

from structkin.groups import Rows
from structkin.kernels.group_rows import Formulas, formulas
from structkin.kernels.group_source import numba_source, plain_source
from structkin.kernels.store import Kernel, plain
from structkin.numerical_tolerances import SINGULAR
from structkin.types import Floats

#: With more terms than this LAPACK's elimination is faster; more than COMPILED take a minute to compile.
MOST, COMPILED = 6000, 1000
#: How much larger the diagonal of a triangle may be than the smallest singular value.
MARGIN = 1000.0


@dataclass(frozen=True)
class GroupKernel:
    """The functions of a group, each kind written when it is first called; `terms` are the operations of a Newton step.

    If the determinant is larger than `regular_determinant`, the smallest singular value is not near zero.
    """

    formulas: Formulas
    terms: int
    regular_determinant = MARGIN * SINGULAR

    @cached_property
    def constants(self) -> Floats:
        """The constants that all functions take."""
        return np.array(self.formulas.constants)

    @cached_property
    def compiled(self) -> Kernel:
        """The functions as Numba compiles them."""
        return Kernel("Group", numba_source(self.formulas))

    @cached_property
    def numbers(self) -> ModuleType:
        """The functions of numbers, for single lanes."""
        return plain("Group", plain_source(self.formulas, "math"))

    @cached_property
    def arrays(self) -> ModuleType:
        """The functions of arrays (n,)."""
        return plain("Group", plain_source(self.formulas, "numpy"))


@lru_cache(maxsize=256)
def group_kernel(rows: Rows, known: tuple[complex | float | None, ...]) -> GroupKernel | None:
    """Return the kernels of a group; `known` holds the constants among its inputs, None for variable ones.

    Return None if it has no such formulas, or too many.
    """
    found = formulas(rows, known)
    terms = 0 if found is None else len(found.graph.below(found.corrected))
    return None if found is None or terms > MOST else GroupKernel(found, terms)
