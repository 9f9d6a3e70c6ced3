"""Rows that are quadratic in their variables, written once and evaluated over lanes by sparse products.

In points and directions every joint is at most quadratic: Phi = x^T Q x / 2 + b x + c. So the entries of the
Jacobian are affine in x, Phi_x = Q x + b, and the right-hand side of the accelerations is -x'^T Q x'. With the
pattern of Phi_x fixed, one sparse product refreshes all its entries in all lanes; no loop runs over joints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.rows.affine import Affine
from structkin.rows.matrix import Matrix

Floats = NDArray[np.float64]

#: Terms below this part of the largest of a row are what rounding left of others that cancel.
NOTHING = 1e-14


@dataclass
class Quadric:
    """One row while it is written: `square[i, j]` (i <= j), `linear[i]` and the constant."""

    square: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    linear: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    constant: float = 0.0

    @classmethod
    def part(cls, vector: Affine, axis: int) -> Quadric:
        """Return the x (0) or y (1) component of a vector as a row."""
        row = cls(constant=vector.const.imag if axis else vector.const.real)
        for slot, factor in vector.terms:
            # x: (re, -im), y: (im, re), the two rows of S0's matrix C (eq. 5).
            row.linear[2 * slot] += factor.imag if axis else factor.real
            row.linear[2 * slot + 1] += factor.real if axis else -factor.imag
        return row

    @classmethod
    def dot(cls, a: Affine, b: Affine) -> Quadric:
        """Return a . b, the real part of conj(a) b."""
        return cls._product(a, b * 1)

    @classmethod
    def cross(cls, a: Affine, b: Affine) -> Quadric:
        """Return a x b, the imaginary part of conj(a) b: the real part of conj(a) (-i b)."""
        return cls._product(a, b * -1j)

    @classmethod
    def _product(cls, a: Affine, b: Affine) -> Quadric:
        row = cls(constant=(a.const.conjugate() * b.const).real)
        for vector, other in ((a, b.const), (b, a.const)):
            if other:
                # Re(conj(f s) o) is linear in s.
                part = cls.part(vector * other.conjugate(), 0)
                for column, factor in part.linear.items():
                    row.linear[column] += factor
        for i, f in a.terms:
            for j, g in b.terms:
                # conj(s_i) s_j = (dot) + i (cross) of the two slots.
                w = f.conjugate() * g
                row._add(2 * i, 2 * j, w.real)
                row._add(2 * i + 1, 2 * j + 1, w.real)
                row._add(2 * i, 2 * j + 1, -w.imag)
                row._add(2 * i + 1, 2 * j, w.imag)
        return row

    def _add(self, i: int, j: int, factor: float) -> None:
        self.square[min(i, j), max(i, j)] += factor

    def plus(self, constant: float) -> Quadric:
        """Return the row with a constant added."""
        return Quadric(self.square, self.linear, self.constant + constant)

    def times(self, factor: float) -> Quadric:
        """Return the row multiplied by a number."""
        square = {key: factor * x for key, x in self.square.items()}
        return Quadric(square, {key: factor * x for key, x in self.linear.items()}, factor * self.constant)

    def with_terms(self, terms: Mapping[int, float]) -> Quadric:
        """Return the row with linear terms added, by column."""
        columns = {*self.linear, *terms}
        linear = {column: self.linear.get(column, 0.0) + terms.get(column, 0.0) for column in columns}
        return Quadric(self.square, linear, self.constant)

    def cleaned(self, units: Floats) -> Quadric:
        """Return the row without the terms that rounding left where others cancelled.

        `units` (variables,) are the sizes of the variables: a factor of a square and one of a linear term have units of
        their own, and are compared by what each adds to the row.
        """
        square = {(i, j): abs(x) * units[i] * units[j] for (i, j), x in self.square.items()}
        linear = {i: abs(x) * units[i] for i, x in self.linear.items()}
        least = NOTHING * max((*square.values(), *linear.values()), default=0.0)
        return Quadric(
            {key: x for key, x in self.square.items() if square[key] > least},
            {key: x for key, x in self.linear.items() if linear[key] > least},
            self.constant,
        )


class Quadrics:
    """Quadratic rows as arrays: entry e of Phi_x is in row `rows[e]` and column `columns[e]`, row by row."""

    def __init__(self, written: list[Quadric], width: int) -> None:
        """Take the rows in `width` variables."""
        rows: list[int] = []
        columns: list[int] = []
        base: list[float] = []
        entry: list[int] = []
        other: list[int] = []
        factors: list[float] = []
        for number, row in enumerate(written):
            used = sorted({*row.linear, *(i for pair in row.square for i in pair)})
            place = {column: len(rows) + k for k, column in enumerate(used)}
            rows += [number] * len(used)
            columns += used
            base += [row.linear.get(column, 0.0) for column in used]
            for (i, j), factor in row.square.items():
                entry += [place[i], place[j]]
                other += [j, i]
                factors += [factor, factor]
        self.rows, self.columns = np.array(rows, np.intp), np.array(columns, np.intp)
        self._base, self._constant = np.array(base)[:, None], np.array([row.constant for row in written])[:, None]
        #: From x to the squares' part of Phi_x, and from entries to their sums.
        self._square = Matrix(factors, entry, other, (len(rows), width))
        self._gather = Matrix.summing(self.rows, len(written))

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        return self._square @ x + self._base

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x, from the entries of Phi_x there."""
        sums = self._gather @ ((jacobian + self._base) * x[self.columns])
        sums *= 0.5
        sums += self._constant
        return sums

    def bend(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative v^T Q w (count, n) along v and w (width, n), the same at every x."""
        return self._gather @ ((self._square @ v) * w[self.columns])

    def third(self, x: Any, v: Any) -> Any:
        """Return the third derivative, which is zero."""
        return np.zeros((len(self._constant), v.shape[1]))
