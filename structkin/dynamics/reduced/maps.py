"""Affine expressions of slots as one matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan
from structkin.rows.affine import Affine

Floats = NDArray[np.float64]


class SlotMap:
    """b expressions as one matrix: values (b, 2) and rates (b, 2, k)."""

    def __init__(self, plan: Plan, expressions: Sequence[Affine]) -> None:
        """Write the matrix."""
        self._matrix = np.zeros((len(expressions), 2, plan.offsets[-1]))
        self._const = np.array([(one.const.real, one.const.imag) for one in expressions]).reshape(-1, 2)
        for row, expression in enumerate(expressions):
            for slot, factor in expression.terms:
                k = plan.rows(slot).start
                self._matrix[row, :, k] += factor.real, factor.imag
                self._matrix[row, :, k + 1] += -factor.imag, factor.real

    def value(self, slots: Floats) -> Floats:
        """Return the values (b, 2) at slots (rows,)."""
        return np.asarray(self._matrix @ slots + self._const)

    def rate(self, slots: Floats) -> Floats:
        """Return the rates (b, 2, k) for rates of the slots (rows, k)."""
        return np.asarray(self._matrix @ slots)
