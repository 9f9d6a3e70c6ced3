"""Symbolic solution of a linear system: branch-free elimination that is stable for all numbers.

Pivots cannot be chosen in formulas written before the numbers are known. Pins give coefficients of 1 and -1: these are
eliminated first, without growth. The remaining few rows of lengths and directions are brought to triangular form by
Givens rotations (Golub, Van Loan, Matrix Computations, 5.1.8), which need no pivoting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.kernels.symbols import Symbol, Term


@dataclass(frozen=True)
class _Unit:
    """A pivot +1 or -1 of a row and column; `others` are (row, factor) from which its right side is subtracted."""

    row: int
    column: int
    pivot: float
    others: tuple[tuple[int, Term], ...]


@dataclass(frozen=True)
class _Rotation:
    """Rows a and b become c a + s b and c b - s a."""

    a: int
    b: int
    c: Term
    s: Term


class Elimination:
    """A square matrix, rows as {column: term}, brought to triangular form; `solve` takes right sides.

    `diagonal` are (column, term) of the triangle left by rotations; `signed` the terms that may be negative, whose
    product has the sign of the determinant up to a constant sign.

    >>> from structkin.kernels.symbols import Graph
    >>> graph = Graph()
    >>> a, b = graph.load("a"), graph.load("b")
    >>> found = Elimination([{0: 1.0, 1: a}, {0: b}])
    >>> graph.lines(found.solve([0.0, a]))[:2]
    ['t2 = b * a', 't4 = a / t2']
    """

    def __init__(self, rows: Sequence[Mapping[int, Term]]) -> None:
        """Eliminate; `ValueError` if the matrix is structurally singular."""
        self._rows = [dict(row) for row in rows]
        self._steps: list[_Unit | _Rotation] = []
        #: Rows and columns in the order in which they were eliminated.
        self._order: list[tuple[int, int]] = []
        self.diagonal: list[tuple[int, Term]] = []
        self.signed: list[Term] = []
        self._left = set(range(len(rows)))
        while (unit := self._unit_pivot()) is not None:
            self._take(*unit)
        columns = {column for row in self._left for column in self._rows[row]}
        while columns:
            # A column with few entries first: it needs few rotations.
            column = min(columns, key=lambda c: (len(self._holding(c)), c))
            columns.remove(column)
            self._rotate(column)
        if self._left:
            raise ValueError("a row is left without a column")

    def _holding(self, column: int) -> list[int]:
        return [row for row in sorted(self._left) if column in self._rows[row]]

    def _unit_pivot(self) -> tuple[int, int] | None:
        """Return row and column of a unit coefficient whose elimination changes the fewest entries."""
        units = [
            (len(self._holding(column)) * len(self._rows[row]), row, column)
            for row in sorted(self._left)
            for column, term in self._rows[row].items()
            if not isinstance(term, Symbol) and abs(term) == 1.0
        ]
        return min(units)[1:] if units else None

    def _take(self, row: int, column: int) -> None:
        pivot = float(self._rows[row][column])
        self._left.remove(row)
        others = []
        for other in self._holding(column):
            factor = self._rows[other].pop(column) * pivot
            others.append((other, factor))
            for at, term in self._rows[row].items():
                if at != column:
                    self._put(other, at, self._rows[other].get(at, 0.0) - factor * term)
        self._steps.append(_Unit(row, column, pivot, tuple(others)))
        self._order.append((row, column))

    def _put(self, row: int, column: int, term: Term) -> None:
        if not isinstance(term, Symbol) and term == 0:
            self._rows[row].pop(column, None)
        else:
            self._rows[row][column] = term

    def _rotate(self, column: int) -> None:
        holding = self._holding(column)
        if not holding:
            raise ValueError("a column is empty")
        # The row with the fewest entries keeps the rotations short.
        first, *rest = sorted(holding, key=lambda row: (len(self._rows[row]), row))
        for other in rest:
            a, b = self._rows[first][column], self._rows[other].pop(column)
            size = np.sqrt(a * a + b * b)
            inverse = 1.0 / size
            c, s = a * inverse, b * inverse
            self._steps.append(_Rotation(first, other, c, s))
            for at in sorted((set(self._rows[first]) | set(self._rows[other])) - {column}):
                x, y = self._rows[first].get(at, 0.0), self._rows[other].get(at, 0.0)
                self._put(first, at, c * x + s * y)
                self._put(other, at, c * y - s * x)
            self._rows[first][column] = size
        self.diagonal.append((column, self._rows[first][column]))
        if not rest:
            self.signed.append(self._rows[first][column])
        self._left.remove(first)
        self._order.append((first, column))

    def solve(self, right: Sequence[Term]) -> list[Term]:
        """Return the solution for one right side."""
        right = list(right)
        for step in self._steps:
            if isinstance(step, _Unit):
                for other, factor in step.others:
                    right[other] = right[other] - factor * right[step.row]
            else:
                x, y = right[step.a], right[step.b]
                right[step.a], right[step.b] = step.c * x + step.s * y, step.c * y - step.s * x
        found: list[Term] = [0.0] * len(right)
        for row, column in reversed(self._order):
            rest = right[row]
            for at, term in self._rows[row].items():
                if at != column:
                    rest = rest - term * found[at]
            pivot = self._rows[row][column]
            found[column] = rest * pivot if not isinstance(pivot, Symbol) and abs(pivot) == 1 else rest / pivot
        return found
