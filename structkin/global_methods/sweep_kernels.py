"""The sweeps over diagonal blocks as loops over lanes, for Numba to compile; every function also runs as it stands.

`tables` is (at, rows, columns, on, on_entry, on_place, off, off_entry, off_row, off_column, kept) of a pattern:
block k has the rows `rows[at[k]:at[k + 1]]` and as many `columns`; its diagonal entries are `on[k]:on[k + 1]` of
`on_entry`, each at a place of the block in row order; those left of it are `off[k]:off[k + 1]` of `off_entry`, in a
row and a column of the matrix. `kept[k]` is where its factors begin: the inverse of a block of one or two rows, else L
and U of a factorisation with pivots, with the reciprocals of the pivots on the diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Lanes that are taken at once, so that what a sweep reads again is still in the cache.
CHUNK = 64


def factor(tables: Any, entries: Any, lu: Any, pivots: Any) -> None:
    """Factorise the diagonal blocks of all lanes into `lu` (factors, lanes) and `pivots` (rows, lanes)."""
    at, _, _, on, on_entry, on_place, _, _, _, _, kept = tables
    lanes = entries.shape[1]
    for low in range(0, lanes, CHUNK):
        high = min(low + CHUNK, lanes)
        for k in range(len(at) - 1):
            b, first = at[k + 1] - at[k], kept[k]
            lu[first : first + b * b, low:high] = 0.0
            for e in range(on[k], on[k + 1]):
                lu[first + on_place[e], low:high] = entries[on_entry[e], low:high]
            if b == 1:
                for l in range(low, high):
                    lu[first, l] = 1.0 / lu[first, l]
            elif b == 2:
                for l in range(low, high):
                    p, q, r, s = lu[first, l], lu[first + 1, l], lu[first + 2, l], lu[first + 3, l]
                    d = p * s - q * r
                    lu[first, l], lu[first + 1, l], lu[first + 2, l], lu[first + 3, l] = s / d, -q / d, -r / d, p / d
            else:
                for l in range(low, high):
                    _factor_one(lu[first : first + b * b, l], pivots[at[k] : at[k + 1], l], b)


def _factor_one(lu: Any, pivots: Any, b: int) -> None:
    """Factorise one block (b b,) with pivots; one that is exactly singular becomes NaN."""
    for j in range(b):
        best = j
        for i in range(j + 1, b):
            if abs(lu[b * i + j]) > abs(lu[b * best + j]):
                best = i
        pivots[j] = best
        for c in range(b):
            held = lu[b * j + c]
            lu[b * j + c] = lu[b * best + c]
            lu[b * best + c] = held
        inverse = np.nan if lu[b * j + j] == 0.0 else 1.0 / lu[b * j + j]
        lu[b * j + j] = inverse
        for i in range(j + 1, b):
            part = lu[b * i + j] * inverse
            lu[b * i + j] = part
            for c in range(j + 1, b):
                lu[b * i + c] -= part * lu[b * j + c]


def forward(tables: Any, entries: Any, lu: Any, pivots: Any, right: Any, x: Any) -> None:
    """Solve A x = right (n, lanes), block after block; `right` is used up."""
    at, rows, columns, _, _, _, off, off_entry, off_row, off_column, kept = tables
    lanes = right.shape[1]
    for low in range(0, lanes, CHUNK):
        high = min(low + CHUNK, lanes)
        for k in range(len(at) - 1):
            start, first = at[k], kept[k]
            b = at[k + 1] - start
            for e in range(off[k], off[k + 1]):
                entry, row, column = off_entry[e], off_row[e], off_column[e]
                for l in range(low, high):
                    right[row, l] -= entries[entry, l] * x[column, l]
            i, c = rows[start], columns[start]
            if b == 1:
                for l in range(low, high):
                    x[c, l] = lu[first, l] * right[i, l]
            elif b == 2:
                j, d = rows[start + 1], columns[start + 1]
                for l in range(low, high):
                    x[c, l] = lu[first, l] * right[i, l] + lu[first + 1, l] * right[j, l]
                    x[d, l] = lu[first + 2, l] * right[i, l] + lu[first + 3, l] * right[j, l]
            else:
                for l in range(low, high):
                    for p in range(b):
                        x[columns[start + p], l] = right[rows[start + p], l]
                    _forward_one(lu[first : first + b * b, l], pivots[start : start + b, l], x[:, l], columns, start, b)


def _forward_one(lu: Any, pivots: Any, x: Any, places: Any, start: int, b: int) -> None:
    for p in range(b):
        i, j = places[start + p], places[start + pivots[p]]
        held = x[i]
        x[i] = x[j]
        x[j] = held
    for p in range(b):
        for c in range(p):
            x[places[start + p]] -= lu[b * p + c] * x[places[start + c]]
    for p in range(b - 1, -1, -1):
        for c in range(p + 1, b):
            x[places[start + p]] -= lu[b * p + c] * x[places[start + c]]
        x[places[start + p]] *= lu[b * p + p]


def backward(tables: Any, entries: Any, lu: Any, pivots: Any, right: Any, y: Any) -> None:
    """Solve A^T y = right (n, lanes), the last block first; `right` is used up."""
    at, rows, columns, _, _, _, off, off_entry, off_row, off_column, kept = tables
    lanes = right.shape[1]
    for low in range(0, lanes, CHUNK):
        high = min(low + CHUNK, lanes)
        for k in range(len(at) - 2, -1, -1):
            start, first = at[k], kept[k]
            b = at[k + 1] - start
            i, c = rows[start], columns[start]
            if b == 1:
                for l in range(low, high):
                    y[i, l] = lu[first, l] * right[c, l]
            elif b == 2:
                j, d = rows[start + 1], columns[start + 1]
                for l in range(low, high):
                    y[i, l] = lu[first, l] * right[c, l] + lu[first + 2, l] * right[d, l]
                    y[j, l] = lu[first + 1, l] * right[c, l] + lu[first + 3, l] * right[d, l]
            else:
                for l in range(low, high):
                    for p in range(b):
                        y[rows[start + p], l] = right[columns[start + p], l]
                    _backward_one(lu[first : first + b * b, l], pivots[start : start + b, l], y[:, l], rows, start, b)
            for e in range(off[k], off[k + 1]):
                entry, row, column = off_entry[e], off_row[e], off_column[e]
                for l in range(low, high):
                    right[column, l] -= entries[entry, l] * y[row, l]


def _backward_one(lu: Any, pivots: Any, y: Any, places: Any, start: int, b: int) -> None:
    for p in range(b):
        for c in range(p):
            y[places[start + p]] -= lu[b * c + p] * y[places[start + c]]
        y[places[start + p]] *= lu[b * p + p]
    for p in range(b - 1, -1, -1):
        for c in range(p + 1, b):
            y[places[start + p]] -= lu[b * c + p] * y[places[start + c]]
    for p in range(b - 1, -1, -1):
        i, j = places[start + p], places[start + pivots[p]]
        held = y[i]
        y[i] = y[j]
        y[j] = held
