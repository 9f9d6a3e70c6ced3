"""Sparse Gaussian elimination modulo a prime."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence

#: 2^31 - 1: the product of two residues fits an int64.
PRIME = 2_147_483_647

#: A sparse vector of residues: a matrix row keyed by column, or a vector keyed by index.
Sparse = dict[int, int]

#: A column, and the line used to eliminate it from all later lines.
Pivot = tuple[int, Sparse]


def add_multiple(target: Sparse, factor: int, source: Sparse) -> None:
    """Add `factor` times `source` to `target`, dropping zeros.

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


def eliminate(
    lines: Sequence[Sparse], own: Collection[int], late: int | None = None
) -> tuple[list[Pivot], list[Sparse]]:
    """Eliminate the columns `own` from `lines`, changing them in place.

    Returns the pivots in the order used, and the lines with no entries left in these columns. A pivot line has no
    entries in columns eliminated before, so back substitution is possible. Pivots are chosen for least fill-in
    (Markowitz): a short line, and in it a short column. Lines from number `late` on become pivots only if no other
    is left.

    >>> pivots, rest = eliminate([{0: 1, 1: 2}, {0: 2, 1: 4, 9: 1}], {0, 1})
    >>> [column for column, _ in pivots], rest
    ([0], [{9: 1}])
    """
    where: dict[int, set[int]] = {}
    length = [0] * len(lines)
    for i, line in enumerate(lines):
        for column in line:
            if column in own:
                where.setdefault(column, set()).add(i)
                length[i] += 1
    last = len(lines) if late is None else late
    heap = [(i >= last, count, i) for i, count in enumerate(length) if count]
    heapq.heapify(heap)
    pivots: list[Pivot] = []
    used = [False] * len(lines)
    while heap:
        _, count, i = heapq.heappop(heap)
        if used[i] or count != length[i] or not count:
            continue
        pivot = lines[i]
        column = min((c for c in pivot if c in where), key=lambda c: (len(where[c]), c))
        used[i] = True
        for c in pivot:
            if c in where:
                where[c].discard(i)
        inverse = pow(pivot[column], -1, PRIME)
        for j in sorted(where[column]):
            _reduce(lines[j], j, pivot, column, inverse, where, length)
            heapq.heappush(heap, (j >= last, length[j], j))
        del where[column]
        pivots.append((column, pivot))
    return pivots, [line for i, line in enumerate(lines) if not used[i]]


def _reduce(
    line: Sparse, j: int, pivot: Sparse, column: int, inverse: int, where: dict[int, set[int]], length: list[int]
) -> None:
    factor = -line[column] * inverse % PRIME
    for c, value in pivot.items():
        old = line.get(c, 0)
        new = (old + factor * value) % PRIME
        if new:
            line[c] = new
            if not old and c in where:
                where[c].add(j)
                length[j] += 1
        elif old:
            del line[c]
            if c in where:
                length[j] -= 1
                if c != column:
                    where[c].discard(j)


def solve_back(pivots: Sequence[Pivot], values: Sparse) -> None:
    """Complete `values`, given for the free columns, to a null vector of the pivot lines.

    >>> x = {1: 1}
    >>> solve_back([(0, {0: 1, 1: 2})], x)
    >>> x[0] == PRIME - 2
    True
    """
    for column, line in reversed(pivots):
        values[column] = _solve_one(column, line, values)


def null_basis(pivots: Sequence[Pivot], free: Sequence[int]) -> list[Sparse]:
    """Return one null vector of the pivot lines for each free column, with 1 there and 0 in the other free ones.

    Only pivots reached by a vector are processed: many short vectors cost no more than one long one.

    >>> null_basis([(0, {0: 1, 2: 1}), (1, {1: 1, 3: 1})], [2, 3]) == [{2: 1, 0: PRIME - 1}, {3: 1, 1: PRIME - 1}]
    True
    """
    users: dict[int, list[int]] = {}
    for position, (column, line) in enumerate(pivots):
        for c in line:
            if c != column:
                users.setdefault(c, []).append(position)
    basis = []
    for start in free:
        values: Sparse = {start: 1}
        seen = set(users.get(start, ()))
        heap = [-position for position in seen]
        heapq.heapify(heap)
        while heap:  # from the last pivot to the first, as in solve_back
            column, line = pivots[-heapq.heappop(heap)]
            value = _solve_one(column, line, values)
            if value:
                values[column] = value
                for position in users.get(column, ()):
                    if position not in seen:
                        seen.add(position)
                        heapq.heappush(heap, -position)
        basis.append(values)
    return basis


def _solve_one(column: int, line: Sparse, values: Sparse) -> int:
    total = sum(value * values.get(c, 0) for c, value in line.items() if c != column)
    return -total * pow(line[column], -1, PRIME) % PRIME
