"""The rank certificate: are the equations of each block independent at random geometry?

An orientation only counts equations, and counting is fooled: two links that share two floating pins have a
perfect orientation and yet one equation too many. If the rows of every block have full rank on the block's
own columns, the whole triangular system has, and the decomposition is proven.
"""

from __future__ import annotations

import numpy as np

from structkin.structure.eliminate import eliminate
from structkin.structure.geometry import PRIME
from structkin.structure.rows import GROUND, BoolArray, IntArray, Rows

#: Above so many columns a block is eliminated as a sparse matrix.
DENSE = 120
#: Entries of one batch of dense blocks.
BATCH = 4_000_000


def deficient_blocks(rows: Rows, values: IntArray, owner: IntArray, block: IntArray) -> BoolArray:
    """Return for each block (k,) whether its owned rows are dependent on the block's own columns.

    `values` (m, 3) are the coefficients, `owner` (m,) and `block` (n,) the orientation and its components.
    """
    count = int(block.max()) + 1 if len(block) else 0
    width = np.bincount(block, weights=rows.capacity, minlength=count).astype(np.int64)
    order = np.argsort(block, kind="stable")
    before = np.cumsum(rows.capacity[order]) - rows.capacity[order]
    first_column = np.cumsum(width) - width
    offset = np.empty(len(block), dtype=np.int64)
    offset[order] = before - first_column[block[order]]

    owned = np.flatnonzero(owner >= 0)
    home = block[owner[owned]]
    by_block = np.argsort(home, kind="stable")
    owned, home = owned[by_block], home[by_block]
    height = np.bincount(home, minlength=count)
    first_row = np.cumsum(height) - height

    result = np.zeros(count, dtype=np.bool_)
    shape = width * (int(height.max(initial=0)) + 1) + height
    for size in np.unique(shape[height > 0]):
        members = np.flatnonzero(shape == size)
        h, w = int(height[members[0]]), int(width[members[0]])
        if w > DENSE:
            for member in members:
                chosen = owned[first_row[member] : first_row[member] + h]
                lines = [_entries(rows, values, r, block, int(member), offset) for r in chosen.tolist()]
                result[member] = len(eliminate(lines, range(w))[0]) < h
            continue
        step = max(1, BATCH // (h * w))
        for at in range(0, len(members), step):
            part = members[at : at + step]
            chosen = owned[(first_row[part][:, None] + np.arange(h)).ravel()]
            matrix = np.zeros((len(part) * h, w), dtype=np.int64)
            for side, sign in ((0, 1), (1, -1)):
                vertex = rows.ends[chosen, side]
                inside = (vertex != GROUND) & (block[vertex] == np.repeat(part, h))
                for k in range(3):
                    fits = np.flatnonzero(inside & (rows.capacity[vertex] > k))
                    matrix[fits, offset[vertex[fits]] + k] = sign * values[chosen[fits], k] % PRIME
            result[part] = batched_rank(matrix.reshape(len(part), h, w)) < h
    return result


def _entries(rows: Rows, values: IntArray, row: int, block: IntArray, member: int, offset: IntArray) -> dict[int, int]:
    entries: dict[int, int] = {}
    for side, sign in ((0, 1), (1, -1)):
        vertex = int(rows.ends[row, side])
        if vertex != GROUND and block[vertex] == member:
            for k in range(int(rows.capacity[vertex])):
                value = sign * int(values[row, k]) % PRIME
                if value:
                    entries[int(offset[vertex]) + k] = value
    return entries


def batched_rank(matrices: IntArray) -> IntArray:
    """Return the rank (b,) modulo PRIME of each matrix (b, h, w), whose entries are overwritten.

    Elimination without division, all matrices in step: row := pivot * row - entry * pivot row.

    >>> batched_rank(np.array([[[1, 2], [2, 4]], [[0, 1], [1, 0]]])).tolist()
    [1, 2]
    """
    count, height, width = matrices.shape
    rank = np.zeros(count, dtype=np.int64)
    index = np.arange(height)
    for column in range(width):
        candidate = (matrices[:, :, column] != 0) & (index >= rank[:, None])
        live = np.flatnonzero(candidate.any(axis=1))
        if not len(live):
            continue
        chosen = candidate[live].argmax(axis=1)
        at = rank[live]
        pivot = matrices[live, chosen, column:]
        matrices[live, chosen, column:] = matrices[live, at, column:]
        matrices[live, at, column:] = pivot
        part = matrices[live, :, column:]
        reduced = (part * pivot[:, None, :1] - part[:, :, :1] * pivot[:, None, :]) % PRIME
        below = index > at[:, None]
        matrices[live, :, column:] = np.where(below[:, :, None], reduced, part)
        rank[live] += 1
    return rank
