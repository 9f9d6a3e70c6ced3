"""Constant matrices applied over lanes: dense if small, sparse if large."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.rows.affine import Affine
from structkin.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


#: Sizes up to which a dense matrix is faster than a sparse one: for one lane, and for many.
FULL_ONE, FULL_MANY = 8192, 2048
#: BLAS divides larger products (rows x width x columns) among threads, which wait for each other where other processes
#: run: one of a matrix (32, 14) and 256 complex columns then took 14 ms in place of 0.03.
ALONE, COLUMNS = 1 << 17, 64


class Matrix:
    """A matrix given by its entries, duplicates summed; `matrix @ x` takes x (width, n) or (width,).

    SciPy is imported only for large matrices, so that small jobs do not wait for it.
    """

    def __init__(self, factors: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> None:
        """Take the entries."""
        self.shape = shape
        self.factors = np.asarray(factors, np.float64)
        self.rows, self.columns = np.asarray(rows, np.intp), np.asarray(columns, np.intp)

    @classmethod
    def summing(cls, groups: Any, count: int) -> Matrix:
        """Return the matrix (count, terms) that sums terms by their group."""
        return cls(np.ones(len(groups)), groups, np.arange(len(groups)), (count, len(groups)))

    @classmethod
    def of(cls, sparse: Any) -> Matrix:
        """Return a SciPy sparse matrix as a `Matrix`."""
        entries = sparse.tocoo()
        return cls(entries.data, entries.row, entries.col, entries.shape)

    @property
    def transposed(self) -> Matrix:
        """The transpose."""
        return Matrix(self.factors, self.columns, self.rows, self.shape[::-1])

    @cached_property
    def full(self) -> Floats:
        """The matrix as an array."""
        matrix = np.zeros(self.shape)
        np.add.at(matrix, (self.rows, self.columns), self.factors)
        return matrix

    @cached_property
    def sparse(self) -> csr_array:
        """The matrix as compressed rows."""
        from scipy.sparse import csr_array

        return csr_array((self.factors, (self.rows, self.columns)), shape=self.shape)

    def __matmul__(self, x: Any) -> Any:
        """Return the product (rows, n) with x (width, n), or (rows,) with x (width,)."""
        small = self.shape[0] * self.shape[1] <= (FULL_ONE if x.size == x.shape[0] else FULL_MANY)
        return _product(self.full, x) if small else self.sparse @ x


def _product(full: Floats, x: Any) -> Any:
    """Return the product of a small matrix with x, on one thread."""
    if x.ndim == 2 and x.dtype == np.complex128:
        return _product(full, np.ascontiguousarray(x).view(np.float64)).view(np.complex128)
    step = max(COLUMNS, ALONE // max(full.size, 1) // COLUMNS * COLUMNS)
    if x.ndim < 2 or x.shape[1] <= step:
        return full @ x
    found = np.empty((len(full), x.shape[1]), np.result_type(full, x))
    for first in range(0, x.shape[1], step):
        np.matmul(full, x[:, first : first + step], out=found[:, first : first + step])
    return found


def affine_map(vectors: Sequence[Affine], width: int) -> tuple[Matrix, Floats]:
    """Return vectors, affine in slots, as a matrix on the slots' components (width,), and their constants.

    >>> matrix, constant = affine_map([Affine.slot(0) * 1j + Affine(2 + 0j)], 2)
    >>> (matrix @ np.array([3.0, 4.0]) + constant).tolist()
    [-2.0, 3.0]
    """
    entries = [
        entry
        for row, vector in enumerate(vectors)
        for slot, f in vector.terms
        for entry in (
            (2 * row, 2 * slot, f.real),
            (2 * row, 2 * slot + 1, -f.imag),
            (2 * row + 1, 2 * slot, f.imag),
            (2 * row + 1, 2 * slot + 1, f.real),
        )
        if entry[2]
    ]
    rows, columns, factors = zip(*entries, strict=True) if entries else ((), (), ())
    matrix = Matrix(factors, rows, columns, (2 * len(vectors), width))
    return matrix, np.array([part for vector in vectors for part in (vector.const.real, vector.const.imag)])


def summing(groups: Any, count: int) -> csr_array:
    """Return the sparse matrix (count, terms) that sums terms by their group."""
    return Matrix.summing(groups, count).sparse
