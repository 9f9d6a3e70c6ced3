"""A family of coordinates as a system to solve: rows and columns made comparable, and independent rows chosen.

Rows and columns are scaled by their units, so that a step of 1 is a turn of a radian or a displacement of the
mechanism's size, and the smallest singular value of the scaled Jacobian measures how near a singular pose is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.blas import one_thread_for
from structkin.checked import unchecked
from structkin.global_methods.families.system import Coordinates
from structkin.global_methods.linear import LinearSolver
from structkin.global_methods.triangular import Blocks
from structkin.types import Floats, Indices

#: Makes the linear solver of a pattern: rows, columns, number of unknowns.
SolverMaker = Callable[[Indices, Indices, int], LinearSolver]

#: Most numbers in full matrices that are formed together.
NUMBERS = 1_000_000


@dataclass(frozen=True)
class Scaled:
    """A family of coordinates with its rows and columns scaled, and the rows that are solved.

    Where joints are redundant there are more rows than coordinates; `chosen` are independent ones.
    """

    coordinates: Coordinates
    make_solver: SolverMaker
    chosen: Indices | None = None

    @cached_property
    def _evaluate(self) -> Callable[..., tuple[Any, Any]]:
        return unchecked(self.coordinates.evaluate)

    @cached_property
    def _jacobian(self) -> Callable[..., Any]:
        return unchecked(self.coordinates.jacobian)

    @cached_property
    def nu(self) -> Callable[..., Any]:
        """The right-hand side of the velocities, of all rows."""
        return unchecked(self.coordinates.nu)

    @cached_property
    def gamma(self) -> Callable[..., Any]:
        """The right-hand side of the accelerations, of all rows."""
        return unchecked(self.coordinates.gamma)

    @cached_property
    def _scale(self) -> Floats:
        rows, columns = self.coordinates.pattern
        return (self.coordinates.column_units[columns] / self.coordinates.row_units[rows])[:, None]

    @cached_property
    def _row_units(self) -> Floats:
        return self.coordinates.row_units[:, None]

    @cached_property
    def column_units(self) -> Floats:
        """The size (n, 1) of a change of each coordinate."""
        return self.coordinates.column_units[:, None]

    @cached_property
    def _kept(self) -> Indices | None:
        """The entries in chosen rows."""
        return None if self.chosen is None else np.flatnonzero(np.isin(self.coordinates.pattern[0], self.chosen))

    @cached_property
    def pattern(self) -> tuple[Indices, Indices]:
        """Rows and columns of the square matrix that is solved."""
        rows, columns = self.coordinates.pattern
        if self.chosen is None or self._kept is None:
            return rows, columns
        renumber = np.full(self.coordinates.m, -1, np.intp)
        renumber[self.chosen] = np.arange(len(self.chosen))
        return renumber[rows[self._kept]], columns[self._kept]

    @cached_property
    def solver(self) -> LinearSolver:
        """The linear solver for this pattern; its ordering is found once."""
        return self.make_solver(*self.pattern, self.coordinates.n)

    @cached_property
    def blocks(self) -> Blocks | None:
        """The pattern in block triangular form."""
        return Blocks.find(*self.pattern, self.coordinates.n)

    @property
    def redundant(self) -> bool:
        """Whether there are more rows than coordinates."""
        return self.coordinates.m > self.coordinates.n

    def all_rows(self, q: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return Phi (m, lanes) and the entries of all rows, scaled."""
        phi, entries = self._evaluate(q, z)
        return phi / self._row_units, entries * self._scale

    def system(self, q: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return Phi and the entries of the square system, scaled."""
        phi, entries = self.all_rows(q, z)
        return self.right(phi, scaled=True), entries if self._kept is None else entries[self._kept]

    def jacobian(self, q: Floats, z: Floats) -> Floats:
        """Return the entries of the square system, scaled."""
        entries = self._jacobian(q, z) * self._scale
        return np.asarray(entries if self._kept is None else entries[self._kept])

    def right(self, rows: Floats, *, scaled: bool = False) -> Floats:
        """Return right-hand sides of the square system from those of all rows."""
        if not scaled:
            rows = rows / self._row_units
        return np.asarray(rows if self.chosen is None else rows[self.chosen])

    def change(self, step: Floats) -> Floats:
        """Return a scaled step in the coordinates' own units."""
        return np.asarray(step * self.column_units)

    def choose(self, q: Floats, z: Floats) -> Scaled:
        """Return the system; of redundant rows, those chosen at a pose by a rank-revealing QR factorisation."""
        if not self.redundant:
            return self
        from scipy.linalg import qr

        _, entries = self.all_rows(q, z)
        order = qr(self.full(entries[:, 0]).T, mode="r", pivoting=True)[1]
        chosen = np.sort(order[: self.coordinates.n]).astype(np.intp)
        if self.chosen is not None and np.array_equal(chosen, self.chosen):
            return self
        return Scaled(self.coordinates, self.make_solver, chosen)

    def full(self, entries: Floats) -> Floats:
        """Return the scaled Jacobian (m, n) of one lane from the entries of all rows."""
        matrix = np.zeros((self.coordinates.m, self.coordinates.n))
        matrix[self.coordinates.pattern] = entries
        return matrix

    def gap(self, q: Floats, z: Floats) -> Floats:
        """Return the largest scaled residual of any row (lanes,)."""
        return np.asarray(np.max(np.abs(self.all_rows(q, z)[0]), axis=0))

    def smallest_singular_value(self, q: Floats, z: Floats) -> Floats:
        """Return the smallest singular value of the scaled Jacobian (lanes,); NaN where there is no pose."""
        return self.least(self.all_rows(q, z)[1])

    def least(self, entries: Floats) -> Floats:
        """Return the smallest singular values (lanes,) of matrices (m, n) with these entries; NaN where one has NaN."""
        sigma = np.full(entries.shape[1], np.nan)
        good = np.flatnonzero(np.isfinite(entries).all(axis=0))
        together = max(1, NUMBERS // (self.coordinates.m * self.coordinates.n or 1))
        for start in range(0, len(good), together):
            lanes = good[start : start + together]
            matrices = np.zeros((len(lanes), self.coordinates.m, self.coordinates.n))
            matrices[:, *self.coordinates.pattern] = entries[:, lanes].T
            with one_thread_for(self.coordinates.n):
                sigma[lanes] = np.linalg.svd(matrices, compute_uv=False)[:, -1]
        return sigma
