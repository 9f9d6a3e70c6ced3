"""Rows that are quadratic in their variables, evaluated over lanes by sparse products.

In points and directions every lower pair is at most quadratic: Phi = x^T Q x / 2 + b x + c. So the entries of the
Jacobian are affine in x, Phi_x = Q x + b, and the right-hand side of the accelerations is -x'^T Q x'. With the
pattern of Phi_x fixed, one sparse product updates all its entries in all lanes, without a loop over joints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from structkin.numerical_tolerances import ROUNDING_OF_ONE
from structkin.rows.affine import Affine
from structkin.rows.lane_matrix import Matrix
from structkin.rows.row import Row
from structkin.types import Floats


class Quadric:
    """A row in its real variables: `square[i, j]` (i <= j), `linear[i]` and the constant.

    Slot k is the variables 2 k and 2 k + 1; numbers follow after the `slots`.
    """

    def __init__(self, row: Row, slots: int) -> None:
        """Multiply the products out."""
        self.square: dict[tuple[int, int], float] = defaultdict(float)
        self.linear: dict[int, float] = defaultdict(float)
        self.constant = row.constant
        for number, factor in row.numbers:
            self.linear[2 * slots + number] += factor
        for w, a, b in row.products:
            self._multiply(a, b * w)

    def _multiply(self, a: Affine, b: Affine) -> None:
        """Add Re(conj(a) b)."""
        self.constant += (a.const.conjugate() * b.const).real
        for vector, other in ((a, b.const), (b, a.const)):
            for slot, factor in vector.terms if other else ():
                # Re(conj(f s) o): the x component of conj(o) f s, by the two rows of S0's matrix C (eq. 5).
                part = factor * other.conjugate()
                self.linear[2 * slot] += part.real
                self.linear[2 * slot + 1] -= part.imag
        for i, f in a.terms:
            for j, g in b.terms:
                # conj(s_i) s_j = (dot) + i (cross) of the two slots.
                w = f.conjugate() * g
                self._add(2 * i, 2 * j, w.real)
                self._add(2 * i + 1, 2 * j + 1, w.real)
                self._add(2 * i, 2 * j + 1, -w.imag)
                self._add(2 * i + 1, 2 * j, w.imag)

    def _add(self, i: int, j: int, factor: float) -> None:
        self.square[min(i, j), max(i, j)] += factor

    def clean(self, units: Floats) -> None:
        """Drop terms that are rounding errors of cancellation.

        `units` (variables,) are the scales of the variables: factors of squares and of linear terms have different
        units, so terms are compared by their contribution to the row.
        """
        square = {(i, j): abs(x) * units[i] * units[j] for (i, j), x in self.square.items()}
        linear = {i: abs(x) * units[i] for i, x in self.linear.items()}
        least = ROUNDING_OF_ONE * max((*square.values(), *linear.values()), default=0.0)
        self.square = {key: x for key, x in self.square.items() if square[key] > least}
        self.linear = {key: x for key, x in self.linear.items() if linear[key] > least}


class Quadrics:
    """Quadratic rows as arrays: entry e of Phi_x is in row `rows[e]` and column `columns[e]`, row by row."""

    def __init__(self, written: Sequence[Row], units: Floats, slots: int) -> None:
        """Take the rows in variables of these sizes (width,), vectors in the first `slots`."""
        rows: list[int] = []
        columns: list[int] = []
        base: list[float] = []
        entry: list[int] = []
        other: list[int] = []
        factors: list[float] = []
        quadrics = [Quadric(row, slots) for row in written]
        for number, row in enumerate(quadrics):
            row.clean(units)
            used = sorted({*row.linear, *(i for pair in row.square for i in pair)})
            place = {column: len(rows) + k for k, column in enumerate(used)}
            rows += [number] * len(used)
            columns += used
            base += [row.linear.get(column, 0.0) for column in used]
            for (i, j), factor in row.square.items():
                entry += [place[i], place[j]]
                other += [j, i]
                factors += [factor, factor]
        self._squares = np.array(entry, np.intp), np.array(other, np.intp), np.array(factors, float)
        self.rows, self.columns = np.array(rows, np.intp), np.array(columns, np.intp)
        self._base, self._constant = np.array(base)[:, None], np.array([row.constant for row in quadrics])[:, None]
        #: From x to the squares' part of Phi_x, and from entries to their sums.
        self._square = Matrix(factors, entry, other, (len(rows), len(units)))
        self._gather = Matrix.summing(self.rows, len(written))

    def arrays(self) -> dict[str, Any]:
        """Return the data of the rows for compiled code: entries of Phi_x, their squares' parts, constants."""
        (entry, other, factor), base = self._squares, self._base[:, 0]
        parts = {"entry_base": base, "square_entry": entry, "square_other": other, "square": factor}
        return {**parts, "row_constant": self._constant[:, 0]}

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        return self._square @ x + self._base

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x, from the entries of Phi_x there."""
        sums = self._gather @ ((jacobian + self._base) * x[self.columns])
        sums *= 0.5
        sums += self._constant
        return sums

    def second_derivative(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative v^T Q w (count, n) along v and w (width, n), the same at every x."""
        return self._gather @ ((self._square @ v) * w[self.columns])

    def third(self, x: Any, v: Any) -> Any:
        """Return the third derivative, which is zero."""
        return np.zeros((len(self._constant), v.shape[1]))
