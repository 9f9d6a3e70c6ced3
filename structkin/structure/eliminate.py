"""Sparse Gaussian elimination modulo a prime, with a record of where each row came from."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from structkin.structure.geometry import PRIME

#: A sparse vector of residues.
Sparse = dict[int, int]


@dataclass(slots=True)
class Line:
    """A row under elimination: its entries by column and, by original row, the combination it is made of."""

    entries: Sparse
    origin: Sparse = field(default_factory=dict)


def add_multiple(target: Sparse, factor: int, source: Sparse) -> None:
    """Add `factor` times `source` to `target`, dropping what cancels.

    >>> v = {1: 5}
    >>> add_multiple(v, PRIME - 5, {1: 1, 2: 1})
    >>> v == {2: PRIME - 5}
    True
    """
    for key, value in source.items():
        new = (target.get(key, 0) + factor * value) % PRIME
        if new:
            target[key] = new
        else:
            target.pop(key, None)


def eliminate(lines: Sequence[Line], own: Collection[int]) -> tuple[list[tuple[int, Line]], list[Line]]:
    """Eliminate the columns `own` from `lines`, changing them in place.

    Returns the pivots (column, line) in the order taken, and the lines that have nothing left on the own
    columns. A pivot's line holds no column pivoted before it, so that solving backwards needs no more.
    Pivots are taken where they fill in least (Markowitz): a short line, and on it a short column.

    >>> a, b = Line({0: 1, 1: 2}), Line({0: 2, 1: 4, 9: 1})
    >>> pivots, rest = eliminate([a, b], {0, 1})
    >>> [column for column, _ in pivots], rest[0].entries
    ([0], {9: 1})
    """
    where: dict[int, set[int]] = {}
    length = [0] * len(lines)
    for i, line in enumerate(lines):
        for column in line.entries:
            if column in own:
                where.setdefault(column, set()).add(i)
                length[i] += 1
    heap = [(count, i) for i, count in enumerate(length) if count]
    heapq.heapify(heap)
    pivots: list[tuple[int, Line]] = []
    used = [False] * len(lines)
    while heap:
        count, i = heapq.heappop(heap)
        if used[i] or count != length[i] or not count:
            continue
        pivot = lines[i]
        column = min((c for c in pivot.entries if c in where), key=lambda c: (len(where[c]), c))
        used[i] = True
        for c in pivot.entries:
            if c in where:
                where[c].discard(i)
        inverse = pow(pivot.entries[column], -1, PRIME)
        for j in sorted(where[column]):
            _reduce(lines[j], j, pivot, column, inverse, where, length)
            heapq.heappush(heap, (length[j], j))
        del where[column]
        pivots.append((column, pivot))
    return pivots, [line for i, line in enumerate(lines) if not used[i]]


def _reduce(
    line: Line, j: int, pivot: Line, column: int, inverse: int, where: dict[int, set[int]], length: list[int]
) -> None:
    entries = line.entries
    factor = -entries[column] * inverse % PRIME
    for c, value in pivot.entries.items():
        old = entries.get(c, 0)
        new = (old + factor * value) % PRIME
        if new:
            entries[c] = new
            if not old and c in where:
                where[c].add(j)
                length[j] += 1
        elif old:
            del entries[c]
            if c in where:
                length[j] -= 1
                if c != column:
                    where[c].discard(j)
    add_multiple(line.origin, factor, pivot.origin)


def solve_back(pivots: Sequence[tuple[int, Line]], values: Sparse) -> None:
    """Complete `values`, which holds the free columns, to a null vector of the pivots' lines.

    >>> x = {1: 1}
    >>> solve_back([(0, Line({0: 1, 1: 2}))], x)
    >>> x[0] == PRIME - 2
    True
    """
    for column, line in reversed(pivots):
        total = sum(value * values.get(c, 0) for c, value in line.entries.items() if c != column)
        values[column] = -total * pow(line.entries[column], -1, PRIME) % PRIME
