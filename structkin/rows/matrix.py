"""Constant matrices applied over lanes: full where they are small, sparse where they are large."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Sizes up to which a full matrix takes less time than a sparse one, which costs some calls: one lane, and many.
FULL_ONE, FULL_MANY = 8192, 2048


class Matrix:
    """A matrix given by its entries, those of one place summed; `matrix @ x` takes x (width, n).

    SciPy is imported for large ones only: small jobs do not wait for it.
    """

    def __init__(self, factors: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> None:
        """Take the entries."""
        self.shape = shape
        self._factors = np.asarray(factors, np.float64)
        self._rows, self._columns = np.asarray(rows, np.intp), np.asarray(columns, np.intp)

    @classmethod
    def summing(cls, groups: Any, count: int) -> Matrix:
        """Return the matrix (count, terms) that sums terms by their group."""
        return cls(np.ones(len(groups)), groups, np.arange(len(groups)), (count, len(groups)))

    @cached_property
    def full(self) -> Floats:
        """The matrix as an array."""
        matrix = np.zeros(self.shape)
        np.add.at(matrix, (self._rows, self._columns), self._factors)
        return matrix

    @cached_property
    def sparse(self) -> csr_array:
        """The matrix as compressed rows."""
        from scipy.sparse import csr_array

        return csr_array((self._factors, (self._rows, self._columns)), shape=self.shape)

    def __matmul__(self, x: Any) -> Any:
        """Return the product (rows, n) with x (width, n)."""
        small = self.shape[0] * self.shape[1] <= (FULL_ONE if x.shape[1] == 1 else FULL_MANY)
        return (self.full if small else self.sparse) @ x


def summing(groups: Any, count: int) -> csr_array:
    """Return the sparse matrix (count, terms) that sums terms by their group."""
    return Matrix.summing(groups, count).sparse
