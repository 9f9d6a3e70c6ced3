"""Affine expressions of slots as one matrix, and turns of links that no driver determines, counted from pose to pose.

A direction leaves whole turns open. From one pose to the next a link turns by far less than half a turn, so the turn at
a pose is the one nearest to that at the pose before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.groups import Turn
from structkin.plan.plan import Plan
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


# --- turns ------------------------------------------------------------------------------------------------------------

#: Largest turn [rad] from one pose to the next; above it the step between them is halved.
LONGEST = 1.5


class Counted:
    """The turns since the sketch of links with these `directions`, whose angles in the `sketch` are (k,) [rad]."""

    def __init__(self, plan: Plan, directions: Sequence[Affine], sketch: Floats) -> None:
        """Prepare the map from slots to directions."""
        self._directions, self._sketch = SlotMap(plan.offsets, directions), sketch
        turning = [step.outputs[0] for step in plan.steps if isinstance(step.kind, Turn)]
        self._scalars = np.array([plan.rows(slot).start for slot in turning], np.intp)
        self.any = bool(len(directions) or turning)

    def turns(self, x: Floats, near: Floats) -> Floats:
        """Return the turns (k,) at slots (rows,) that are nearest to given ones."""
        U = self._directions.value(x)
        turns = np.arctan2(U[:, 1], U[:, 0]) - self._sketch
        return np.asarray(turns + 2 * np.pi * np.round((near - turns) / (2 * np.pi)))

    def far(self, x: Floats, y: Floats) -> bool:
        """Return whether a link turns too far between two poses to be sure of its turns."""
        U, V = self._directions.value(x), self._directions.value(y)
        apart = np.max(np.abs((y - x)[self._scalars]), initial=0.0)
        return bool(apart > LONGEST or np.min(np.sum(U * V, axis=1), initial=1.0) < np.cos(LONGEST))
