"""The group order as linear algebra: a matrix of fixed pattern, permuted to block triangular form.

Matching rows with columns and taking the strongly connected components of the resulting graph gives the fine
Dulmage-Mendelsohn form: small square blocks on the diagonal, nothing above them. For the constraints of a mechanism
the blocks are its structural groups or parts of them, in their solve order; a dyad in natural coordinates is a block of
2 x 2. A forward sweep over the blocks applies Phi_q^-1, a reverse sweep Phi_q^-T (S2's matrix S, eq. 6), in all lanes
at once and in O(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.structure.orient import orient
from structkin.types import Floats, Indices, Ints


@dataclass(frozen=True)
class Block:
    """A diagonal block: its rows and columns, the entries on its diagonal and those left of it.

    `diagonal` are (entry, row, column) within the block; `left` (entry, row within the block, column of the matrix).
    """

    rows: Indices
    columns: Indices
    diagonal: tuple[Indices, Indices, Indices]
    left: tuple[Indices, Indices, Indices]

    def dense(self, entries: Floats) -> Floats:
        """Return the diagonal block (lanes, b, b)."""
        b = len(self.rows)
        matrix = np.zeros((entries.shape[1], b, b), entries.dtype)
        entry, row, column = self.diagonal
        matrix[:, row, column] = entries[entry].T
        return matrix


@dataclass(frozen=True)
class Blocks:
    """The diagonal blocks of a square pattern in solve order; None where no matching is perfect."""

    n: int
    blocks: tuple[Block, ...]

    @classmethod
    def find(cls, rows: Indices, columns: Indices, n: int) -> Blocks | None:
        """Permute a square pattern; None where it is structurally singular."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        column_of = _matching(rows, columns, n)
        if column_of is None:
            return None
        # Unknown c, found from its own row, needs the other unknowns of that row.
        needs = csr_array((np.ones(len(rows)), (column_of[rows], columns)), shape=(n, n))
        count, label = connected_components(needs, directed=True, connection="strong")
        of_row, of_column = np.asarray(label[column_of[rows]], np.intp), np.asarray(label[columns], np.intp)
        order = _in_order(of_row, of_column, count)
        place = np.empty(count, np.intp)
        place[order] = np.arange(count)
        block_of_column, block_of_row = place[label], place[label[column_of]]
        return cls(n, tuple(_blocks(rows, columns, block_of_row, block_of_column, count)))

    @property
    def largest(self) -> int:
        """The number of rows of the largest block."""
        return max((len(block.rows) for block in self.blocks), default=0)

    @cached_property
    def tables(self) -> tuple[Ints, ...]:
        """The blocks as flat tables: what the sweeps of `structkin.global_methods.sweep_kernels` read."""
        blocks = self.blocks

        def ends(counts: list[int]) -> Ints:
            return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

        def flat(parts: list[Indices]) -> Ints:
            return np.concatenate([np.zeros(0), *parts]).astype(np.int64)

        sizes = [len(block.rows) for block in blocks]
        return (
            ends(sizes), flat([block.rows for block in blocks]), flat([block.columns for block in blocks]),
            ends([len(block.diagonal[0]) for block in blocks]), flat([block.diagonal[0] for block in blocks]),
            flat([block.diagonal[1] * b + block.diagonal[2] for block, b in zip(blocks, sizes, strict=True)]),
            ends([len(block.left[0]) for block in blocks]), flat([block.left[0] for block in blocks]),
            flat([block.rows[block.left[1]] for block in blocks]), flat([block.left[2] for block in blocks]),
            ends([b * b for b in sizes]),
        )  # fmt: skip

    @cached_property
    def _by_size(self) -> list[tuple[Indices, int, Indices, Indices, Indices, Indices]]:
        """The diagonal entries of blocks of one size: blocks, size, entry, block among these, row, column."""
        found = []
        sizes = np.array([len(block.rows) for block in self.blocks])
        for size in np.unique(sizes).tolist():
            which = np.flatnonzero(sizes == size)
            inside = [self.blocks[k].diagonal for k in which]
            number = np.repeat(np.arange(len(which)), [len(entry) for entry, _, _ in inside])
            entry, row, column = (np.concatenate(part) for part in zip(*inside, strict=True))
            found.append((which, size, entry, number, row, column))
        return found

    def branch(self, entries: Floats) -> tuple[Floats, Indices, Floats]:
        """Return the branch that poses are on, the weakest block in each lane, and its smallest singular value.

        The branch is the signs of the determinants of the blocks (blocks, lanes).
        """
        determinants, least = (np.empty((len(self.blocks), entries.shape[1])) for _ in range(2))
        for which, size, entry, number, row, column in self._by_size:
            if size == 1:
                matrices = entries[entry].T[:, :, None, None]
            else:
                matrices = np.zeros((entries.shape[1], len(which), size, size))
                matrices[:, number, row, column] = entries[entry].T
            determinant, sigma = _singular(matrices)
            determinants[which], least[which] = determinant.T, sigma.T
        return np.sign(determinants), least.argmin(axis=0), least.min(axis=0)

    def least(self, block: int, entries: Floats) -> float:
        """Return the smallest singular value of a block of one pose."""
        return float(_singular(self.blocks[block].dense(entries)[:, None])[1][0, 0])


def _matching(rows: Indices, columns: Indices, n: int) -> Indices | None:
    """Return the column (n,) that is matched with each row; None where no matching is perfect.

    It is an orientation of the entries as edges between rows and columns: a column owns one of its entries, a row all
    its entries except one, which is its match. (SciPy's `maximum_bipartite_matching` may take exponential time.)
    """
    entries = np.bincount(rows, minlength=n)
    capacity = np.concatenate((np.ones(n, np.int64), entries - 1))
    if (entries == 0).any():
        return None
    owner = orient(capacity, np.stack((columns, n + rows), axis=1), np.ones(len(rows), np.bool_)).owner
    if (owner < 0).any():
        return None
    column_of = np.empty(n, np.intp)
    column_of[rows[owner < n]] = columns[owner < n]
    return column_of


def _determinants(matrices: Floats) -> Any:
    """Return the determinants of matrices (lanes, blocks, b, b)."""
    if matrices.shape[-1] == 1:
        return matrices[..., 0, 0]
    if matrices.shape[-1] > 2:
        return np.linalg.det(matrices)
    return matrices[..., 0, 0] * matrices[..., 1, 1] - matrices[..., 0, 1] * matrices[..., 1, 0]


def _singular(matrices: Floats) -> tuple[Any, Any]:
    """Return the determinants and the smallest singular values of matrices (lanes, blocks, b, b).

    With two rows the squared singular values have the sum of all squares as sum and det^2 as product.
    """
    determinants = _determinants(matrices)
    if matrices.shape[-1] == 1:
        return determinants, np.abs(determinants)
    if matrices.shape[-1] > 2:
        return determinants, np.linalg.svd(matrices, compute_uv=False)[..., -1]
    half, det = 0.5 * np.einsum("...ij,...ij", matrices, matrices), np.abs(determinants)
    largest = half + np.sqrt(np.maximum((half - det) * (half + det), 0.0))
    return determinants, det / np.sqrt(np.where(largest > 0, largest, 1.0))


def _in_order(needing: Indices, needed: Indices, count: int) -> list[int]:
    """Return the components in an order in which each comes after those it needs (Kahn's algorithm)."""
    edges = {(int(a), int(b)) for a, b in zip(needing, needed, strict=True) if a != b}
    users: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for a, b in edges:
        users[b].append(a)
        waits[a] += 1
    ready = sorted((k for k in range(count) if not waits[k]), reverse=True)
    order = []
    while ready:
        k = ready.pop()
        order.append(k)
        for user in sorted(users[k], reverse=True):
            waits[user] -= 1
            if not waits[user]:
                ready.append(user)
    return order


def _blocks(
    rows: Indices, columns: Indices, block_of_row: Indices, block_of_column: Indices, count: int
) -> list[Block]:
    """Sort the entries into their blocks."""

    def members(block_of: Indices) -> tuple[list[Indices], Indices]:
        order = np.argsort(block_of, kind="stable")
        ends = np.searchsorted(block_of[order], np.arange(count + 1))
        local = np.empty(len(block_of), np.intp)
        local[order] = np.arange(len(order)) - ends[block_of[order]]
        return [order[a:b] for a, b in pairwise(ends.tolist())], local

    row_sets, row_local = members(block_of_row)
    column_sets, column_local = members(block_of_column)
    owner = block_of_row[rows]
    inside = block_of_column[columns] == owner
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(count + 1))
    found = []
    for k in range(count):
        here = order[ends[k] : ends[k + 1]]
        on, off = here[inside[here]], here[~inside[here]]
        found.append(
            Block(
                row_sets[k],
                column_sets[k],
                (on, row_local[rows[on]], column_local[columns[on]]),
                (off, row_local[rows[off]], columns[off]),
            )
        )
    return found
