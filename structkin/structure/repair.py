"""Where the count is not the rank: which equations repeat others, and what still moves.

Both questions are answered by elimination from the most dependent blocks towards the ground. A block of full
rank keeps its rows to itself, so only the suspect rows travel, and only over the blocks that feed them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from functools import cached_property
from typing import cast

import numpy as np

from structkin.structure.eliminate import Line, Sparse, add_multiple, eliminate, solve_back
from structkin.structure.geometry import PRIME
from structkin.structure.rows import GROUND, BoolArray, IntArray, Rows


def column(vertex: int, k: int) -> int:
    """Return the number of the k-th column of a vertex."""
    return 3 * vertex + k


class System:
    """The matrix of a topology at one geometry, row by row, sparse."""

    def __init__(self, rows: Rows, values: IntArray) -> None:
        """Take the coefficients (m, 3) of `structkin.structure.geometry.coefficients`."""
        self._rows = rows
        self._values = values

    @cached_property
    def capacity(self) -> list[int]:
        """Columns of each vertex."""
        return cast(list[int], self._rows.capacity.tolist())

    @cached_property
    def ends(self) -> list[list[int]]:
        """The two ends of each row."""
        return cast(list[list[int]], self._rows.ends.tolist())

    @cached_property
    def values(self) -> list[list[int]]:
        """The coefficients of each row."""
        return cast(list[list[int]], self._values.tolist())

    def entries(self, row: int) -> Sparse:
        """Return the entries of a row by column; the ground has none."""
        entries: Sparse = {}
        for vertex, sign in zip(self.ends[row], (1, -1), strict=True):
            if vertex != GROUND:
                for k in range(self.capacity[vertex]):
                    value = self.values[row][k] * sign % PRIME
                    if value:
                        entries[column(vertex, k)] = value
        return entries

    def columns(self, vertices: Iterable[int]) -> list[int]:
        """Return all columns of some vertices."""
        return [column(v, k) for v in vertices for k in range(self.capacity[v])]


def redundancies(
    rows: Rows,
    values: IntArray,
    owner: IntArray,
    block: IntArray,
    suspect: BoolArray,
    active: BoolArray,
    priority: IntArray,
) -> dict[int, list[int]]:
    """Return the redundant rows, each with the rows of its circuit (itself included), ascending.

    The rows that stay are the basis which prefers a small `priority` (m,): a row is redundant exactly if it
    follows from rows of smaller priority. Its circuit is what it shares its equation with among those that stay.

    `suspect` (blocks,) marks the blocks of deficient rank; active rows without an owner are suspects too.
    """
    system = System(rows, values)
    members = _members(block)
    owned = _owned_by_block(owner, block)
    arrivals: dict[int, list[Line]] = {}
    heap: list[int] = []

    def send(line: Line) -> None:
        target = max(int(block[c // 3]) for c in line.entries)
        if target not in arrivals:
            arrivals[target] = []
            heapq.heappush(heap, -target)
        arrivals[target].append(line)

    found: list[Sparse] = []
    for b in np.flatnonzero(suspect).tolist():
        arrivals[b] = []
        heapq.heappush(heap, -b)
    for r in np.flatnonzero(active & (owner < 0)).tolist():
        line = Line(system.entries(r), {r: 1})
        if line.entries:
            send(line)
        else:
            found.append(line.origin)
    while heap:  # blocks of larger number depend on smaller ones: residues travel downwards only
        b = -heapq.heappop(heap)
        lines = [Line(system.entries(r), {r: 1}) for r in owned.get(b, ())]
        rest = eliminate(lines + arrivals[b], frozenset(system.columns(members[b])))[1]
        for line in rest:
            if line.entries:
                send(line)
            else:
                found.append(line.origin)
    return _circuits(found, priority.tolist())


def _circuits(dependencies: list[Sparse], priority: list[int]) -> dict[int, list[int]]:
    """Bring dependencies to reduced echelon form, leading with the row of largest priority number.

    The last row of any dependency follows from the others: it is not in the preferred basis. In reduced
    form each dependency holds one dropped row and rows that stay: its fundamental circuit.
    """
    reduced: dict[int, Sparse] = {}
    for vector in dependencies:
        current = dict(vector)
        for row in [r for r in current if r in reduced]:
            if row in current:
                add_multiple(current, -current[row] % PRIME, reduced[row])
        if not current:
            continue
        lead = max(current, key=lambda r: priority[r])
        scale = pow(current[lead], -1, PRIME)
        current = {r: value * scale % PRIME for r, value in current.items()}
        for other in reduced.values():
            if lead in other:
                add_multiple(other, -other[lead] % PRIME, current)
        reduced[lead] = current
    return {row: sorted(reduced[row]) for row in sorted(reduced)}


def free_motion(
    rows: Rows, values: IntArray, owner: IntArray, block: IntArray, loose: BoolArray, seed: int = 0
) -> IntArray:
    """Return one random motion (n, 3) that all owned rows allow: the twist of each vertex, modulo PRIME.

    The rows are independent. Vertices that are not `loose` stand still; a vertex that stands still in a
    random motion stands still in all of them (but for a chance of 1 / PRIME).
    """
    system = System(rows, values)
    moving = np.flatnonzero(loose)
    own = set(system.columns(moving.tolist()))
    members = _members(block)
    owned = _owned_by_block(owner, block)
    pivots: list[tuple[int, Line]] = []
    arrivals: dict[int, list[Line]] = {}
    for b in np.unique(block[moving])[::-1].tolist():
        lines = [
            Line({c: value for c, value in system.entries(r).items() if c in own}) for r in owned.get(b, ())
        ] + arrivals.pop(b, [])
        taken, rest = eliminate(lines, frozenset(system.columns(members[b])))
        pivots += taken
        for line in rest:
            if line.entries:
                arrivals.setdefault(max(int(block[c // 3]) for c in line.entries), []).append(line)
    bound = {c for c, _ in pivots}
    draw = np.random.default_rng([seed, 19_70])
    motion: Sparse = {c: int(draw.integers(1, PRIME)) for c in sorted(own) if c not in bound}
    solve_back(pivots, motion)
    result = np.zeros((rows.n_vertices, 3), dtype=np.int64)
    for c, value in motion.items():
        result[c // 3, c % 3] = value
    return result


def _members(block: IntArray) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for vertex, b in enumerate(block.tolist()):
        members.setdefault(b, []).append(vertex)
    return members


def _owned_by_block(owner: IntArray, block: IntArray) -> dict[int, list[int]]:
    owned: dict[int, list[int]] = {}
    for r in np.flatnonzero(owner >= 0).tolist():
        owned.setdefault(int(block[owner[r]]), []).append(r)
    return owned
