"""Affine expressions of slots as one matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.rows.affine import Affine
from structkin.types import Floats


class SlotMap:
    """b expressions as one matrix: values (b, 2) and rates (b, 2, k)."""

    def __init__(self, offsets: Sequence[int], expressions: Sequence[Affine]) -> None:
        """Write the matrix; `offsets` are the first rows of the slots, then the number of rows."""
        self.matrix = np.zeros((len(expressions), 2, offsets[-1]))
        self._const = np.array([(one.const.real, one.const.imag) for one in expressions]).reshape(-1, 2)
        for row, expression in enumerate(expressions):
            for slot, factor in expression.terms:
                k = offsets[slot]
                self.matrix[row, :, k] += factor.real, factor.imag
                self.matrix[row, :, k + 1] += -factor.imag, factor.real

    def value(self, slots: Floats) -> Floats:
        """Return the values (b, 2) at slots (rows,)."""
        return np.asarray(self.matrix @ slots + self._const)

    def rate(self, slots: Floats) -> Floats:
        """Return the rates (b, 2) or (b, 2, k) for rates of the slots (rows,) or (rows, k)."""
        return np.asarray(self.matrix @ slots)

    def series(self, slots: Floats) -> list[list[complex]]:
        """Return values and rates as complex numbers, of each expression; slots (rows, orders) with their rates."""
        found = self.matrix @ slots
        found[:, :, 0] += self._const
        numbers: list[list[complex]] = (found[:, 0] + 1j * found[:, 1]).tolist()
        return numbers
