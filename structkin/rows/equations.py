"""All rows of a mechanism as arrays: quadratic rows, trigonometric rows and curves behind one interface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from structkin.rows.curves import Curve, Curves
from structkin.rows.lane_matrix import Matrix
from structkin.rows.quadrics import Quadrics
from structkin.rows.row import Row
from structkin.rows.trig_rows import TrigRow, TrigRows
from structkin.types import Floats, Indices

#: The forms of a row.
Form = Row | TrigRow | Curve


class Equations:
    """Rows of several forms; entry e of Phi_x is in row `rows[e]` and column `columns[e]`, form by form."""

    def __init__(self, forms: Sequence[Form], units: Floats, numbers: int = 0) -> None:
        """Take the rows in variables of these sizes (width,), the last `numbers` of which are numbers."""
        self.count, slots = len(forms), (len(units) - numbers) // 2
        self._parts: list[tuple[Any, Indices, slice]] = []
        rows, columns = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        first = 0
        for kind, make in ((Row, Quadrics), (TrigRow, TrigRows), (Curve, Curves)):
            mine = np.array([k for k, form in enumerate(forms) if isinstance(form, kind)], np.intp)
            if not len(mine):
                continue
            part: Any = make([forms[k] for k in mine], units, slots)
            self._parts.append((part, mine, slice(first, first + len(part.rows))))
            rows.append(mine[part.rows])
            columns.append(part.columns)
            first += len(part.rows)
        self.rows, self.columns = np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _gather(self) -> Matrix:
        return Matrix.summing(self.rows, self.count)

    def arrays(self) -> dict[str, Any] | None:
        """Return the data of the rows, for compiled code; None where some are curves."""
        found: dict[str, Any] = {"entry_row": self.rows, "entry_column": self.columns}
        constants = np.zeros(self.count)
        for part, mine, entries in self._parts:
            if isinstance(part, Curves):
                return None
            found |= part.arrays()
            if isinstance(part, Quadrics):
                constants[mine] = found["row_constant"]
            else:
                found |= {"trig": mine, "trig_ptr": entries.start + found["trig_ptr"]}
        return {**found, "row_constant": constants}

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        if len(self._parts) == 1:
            return self._parts[0][0].jacobian(x)
        return np.concatenate([x[:0], *(part.jacobian(x) for part, _, _ in self._parts)])

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x, from the entries of Phi_x there."""
        return self._spread(x, [part.phi(x, jacobian[entries]) for part, _, entries in self._parts])

    def times(self, jacobian: Any, v: Any) -> Any:
        """Return Phi_x v (count, n)."""
        return self._gather @ (jacobian * v[self.columns])

    def second_derivative(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative (count, n) along v and w (width, n) at x."""
        return self._spread(x, [part.second_derivative(x, v, w) for part, _, _ in self._parts])

    def third(self, x: Any, v: Any) -> Any:
        """Return the third derivative (count, n) along v (width, n) at x."""
        return self._spread(x, [part.third(x, v) for part, _, _ in self._parts])

    def _spread(self, x: Any, found: list[Any]) -> Any:
        if len(found) == 1:
            return found[0]
        out = np.zeros((self.count, x.shape[1]), np.result_type(float, *found))
        for (_, mine, _), values in zip(self._parts, found, strict=True):
            out[mine] = values
        return out
