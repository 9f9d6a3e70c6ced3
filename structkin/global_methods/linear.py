"""Linear systems of one pattern over lanes: dense by LAPACK, sparse by SuperLU, block triangular by sweeps.

A factorisation serves all right-hand sides of its lane: velocity and acceleration share one (S1 sec. 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from structkin.blas import one_thread_for
from structkin.global_methods.sweeps import CompiledSweeps, Sweeps, invert_lanes
from structkin.global_methods.triangular import Blocks
from structkin.groups.solve_lanes import solve_lanes
from structkin.types import Floats, Indices

#: Up to this size, inverting all lanes in one NumPy call is faster than LAPACK's factorisation lane by lane.
SMALL = 24


class Factors(Protocol):
    """Factorised matrices, one per lane."""

    def solve(self, right: Floats) -> Floats:
        """Solve for right-hand sides (n, lanes); NaN where a matrix is singular."""

    def solve_transposed(self, right: Floats) -> Floats:
        """Solve with the transposed matrices."""


class LinearSolver(Protocol):
    """Solves with square matrices of one pattern, given by their entries (entries, lanes)."""

    def factor(self, entries: Floats) -> Factors:
        """Factorise every lane."""

    def step(self, entries: Floats, right: Floats) -> Floats:
        """Solve once (n, lanes)."""


class Dense:
    """Full matrices; small ones in one call over all lanes, larger ones by an LU factorisation each."""

    def __init__(self, rows: Indices, columns: Indices, n: int) -> None:
        """Take the pattern."""
        self._rows, self._columns, self._n = rows, columns, n

    def _full(self, entries: Floats) -> Floats:
        matrices = np.zeros((entries.shape[1], self._n, self._n), entries.dtype)
        matrices[:, self._rows, self._columns] = entries.T
        return matrices

    def factor(self, entries: Floats) -> Factors:
        """Factorise every lane."""
        matrices = self._full(entries)
        if self._n <= SMALL:
            return _Inverses(invert_lanes(matrices))
        with one_thread_for(self._n):
            return _DenseLU(matrices)

    def step(self, entries: Floats, right: Floats) -> Floats:
        """Solve once."""
        with one_thread_for(self._n):
            return solve_lanes(self._full(entries), right.T).T


class _Inverses:
    def __init__(self, inverses: Floats) -> None:
        self._inverses = inverses

    def solve(self, right: Floats) -> Floats:
        return np.asarray((self._inverses @ right.T[..., None])[..., 0].T)

    def solve_transposed(self, right: Floats) -> Floats:
        return np.asarray((np.swapaxes(self._inverses, 1, 2) @ right.T[..., None])[..., 0].T)


class _DenseLU:
    """LAPACK's getrf per lane; a matrix in C order is its transpose for LAPACK, so nothing is copied."""

    def __init__(self, matrices: Floats) -> None:
        from scipy.linalg.lapack import dgetrf

        self._lanes = [dgetrf(matrix.T, overwrite_a=1)[:2] for matrix in matrices]

    def _solve(self, right: Floats, trans: int) -> Floats:
        from scipy.linalg.lapack import dgetrs

        columns = np.array(right.T, order="C")  # a copy: the argument is not changed
        with one_thread_for(len(right)):
            for (lu, pivots), column in zip(self._lanes, columns, strict=True):
                column[:] = dgetrs(lu, pivots, column, trans=trans, overwrite_b=1)[0]
        columns[~np.isfinite(columns)] = np.nan
        return columns.T

    def solve(self, right: Floats) -> Floats:
        return self._solve(right, 1)

    def solve_transposed(self, right: Floats) -> Floats:
        return self._solve(right, 0)


class Sparse:
    """SuperLU, with the columns ordered once by COLAMD for all lanes."""

    def __init__(self, rows: Indices, columns: Indices, n: int) -> None:
        """Sort the pattern into compressed columns."""
        self._rows, self._columns, self._n = rows, columns, n
        self._order: Indices | None = None

    def _arrange(self, entries: Floats) -> None:
        """Order the columns by the first matrix."""
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        shape = (self._n, self._n)
        first = csc_matrix((entries[:, 0], (self._rows, self._columns)), shape=shape)
        self._order = np.asarray(splu(first, permc_spec="COLAMD").perm_c, np.intp)
        columns = self._order[self._columns]
        self._sorted = np.lexsort((self._rows, columns))
        pointers = np.searchsorted(columns[self._sorted], np.arange(self._n + 1)).astype(np.int32)
        indices = self._rows[self._sorted].astype(np.int32)
        self._template = csc_matrix((np.ones(len(indices)), indices, pointers), shape=shape)
        self._template.has_canonical_format = True

    def factor(self, entries: Floats) -> Factors:
        """Factorise every lane; one that is exactly singular gives NaN."""
        from scipy.sparse.linalg import splu

        if self._order is None:
            try:
                self._arrange(entries)
            except RuntimeError:  # this one is singular: let another give the order
                return _SparseLU([None] * entries.shape[1], np.arange(self._n))
        assert self._order is not None
        lanes: list[Any] = []
        matrix = self._template
        for values in np.ascontiguousarray(entries[self._sorted].T):
            matrix.data = values
            try:
                lanes.append(splu(matrix, permc_spec="NATURAL"))
            except RuntimeError:
                lanes.append(None)
        return _SparseLU(lanes, self._order)

    def step(self, entries: Floats, right: Floats) -> Floats:
        """Solve once."""
        return self.factor(entries).solve(right)


class _SparseLU:
    def __init__(self, lanes: list[Any], order: Indices) -> None:
        self._lanes, self._order = lanes, order

    def _solve(self, right: Floats, trans: str) -> Floats:
        columns = np.array(right.T, order="C")  # a copy: the argument is not changed
        for lane, lu in enumerate(self._lanes):
            columns[lane] = np.nan if lu is None else lu.solve(columns[lane], trans)
        return columns.T

    def solve(self, right: Floats) -> Floats:
        return self._solve(right, "N")[self._order]

    def solve_transposed(self, right: Floats) -> Floats:
        permuted = np.empty_like(right)
        permuted[self._order] = right
        return self._solve(permuted, "T")


class Triangular:
    """The same matrices permuted to the group order, solved by sweeps over all lanes.

    The sweeps are NumPy's, or compiled by Numba where `compiled` is set.
    """

    def __init__(self, rows: Indices, columns: Indices, n: int) -> None:
        """Permute the pattern; raises `ValueError` where it is structurally singular."""
        found = Blocks.find(rows, columns, n)
        if found is None:
            raise ValueError("the pattern is structurally singular")
        self._blocks, self.compiled = found, False

    def factor(self, entries: Floats) -> Factors:
        """Factorise the diagonal blocks in all lanes."""
        compiled = self.compiled and not np.iscomplexobj(entries)
        return (CompiledSweeps if compiled else Sweeps)(self._blocks, entries)

    def step(self, entries: Floats, right: Floats) -> Floats:
        """Solve once."""
        return self.factor(entries).solve(right)


SOLVERS: Mapping[str, Callable[[Indices, Indices, int], LinearSolver]] = {
    "global": Dense,
    "global-sparse": Sparse,
    "global-triangular": Triangular,
}
