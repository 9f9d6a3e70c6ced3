"""Points and directions as matrices over the slots of a plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.affine import Affine
from structkin.kinematics.plan import Plan

Floats = NDArray[np.float64]


class Map:
    """Affine expressions of slots as one matrix: values (b, 2) and rates (b, 2, k)."""

    def __init__(self, plan: Plan, expressions: Sequence[Affine]) -> None:
        """Write the factors of all expressions."""
        self._matrix = np.zeros((len(expressions), 2, plan.offsets[-1]))
        self._const = np.array([(one.const.real, one.const.imag) for one in expressions]).reshape(-1, 2)
        for row, expression in enumerate(expressions):
            for slot, factor in expression.terms:
                k = plan.rows(slot).start
                self._matrix[row, :, k] += factor.real, factor.imag
                self._matrix[row, :, k + 1] += -factor.imag, factor.real

    def value(self, slots: Floats) -> Floats:
        """Return the points or directions (b, 2) at slots (rows,)."""
        return np.asarray(self._matrix @ slots + self._const)

    def rate(self, slots: Floats) -> Floats:
        """Return their rates (b, 2, k) for rates (rows, k) of the slots."""
        return np.asarray(self._matrix @ slots)
