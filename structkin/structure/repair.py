"""Where the count differs from the rank: which equations are redundant, and which links can still move.

Both questions are answered by elimination from the most dependent blocks towards the ground. Rows of full-rank blocks
are not passed on, so only the suspect rows propagate, and only to the blocks that feed them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np

from structkin.structure.eliminate import PRIME, Pivot, Sparse, add_multiple, eliminate, null_basis, solve_back
from structkin.structure.joint_rows import GROUND, Rows
from structkin.types import Flags, Ints


def column(vertex: int, k: int) -> int:
    """Return the number of the k-th column of a vertex."""
    return 3 * vertex + k


class System:
    """The matrix of a topology at one geometry, row by row, sparse."""

    def __init__(self, rows: Rows, values: Ints) -> None:
        """Store the coefficients (m, 3) of `structkin.structure.certificate.coefficients`."""
        self._rows = rows
        self._values = values

    def ends(self, row: int) -> list[int]:
        """Return the two ends of a row."""
        ends: list[int] = self._rows.ends[row].tolist()
        return ends

    def entries(self, row: int) -> Sparse:
        """Return the entries of a row by column; the ground has none."""
        entries: Sparse = {}
        values: list[int] = self._values[row].tolist()
        for vertex, sign in zip(self.ends(row), (1, -1), strict=True):
            if vertex != GROUND:
                for k in range(self._capacity(vertex)):
                    value = values[k] * sign % PRIME
                    if value:
                        entries[column(vertex, k)] = value
        return entries

    def columns(self, vertices: Iterable[int]) -> list[int]:
        """Return all columns of some vertices."""
        return [column(v, k) for v in vertices for k in range(self._capacity(v))]

    def _capacity(self, vertex: int) -> int:
        return 3 if vertex < self._rows.n_bodies else 2


def redundancies(
    rows: Rows,
    values: Ints,
    owner: Ints,
    block: Ints,
    suspect: Flags,
    active: Flags,
    priority: Ints,
) -> dict[int, list[int]]:
    """Return the redundant rows, each with the rows of its circuit (including itself), ascending.

    The remaining rows are the basis that prefers a small `priority` (m,): a row is redundant if and only if it follows
    from rows of smaller priority. Its circuit is the set of remaining rows from which it follows.

    `suspect` (blocks,) marks the blocks of deficient rank; active rows without an owner are suspect, too.
    """
    system = System(rows, values)
    chosen = _involved(system, owner, block, suspect, np.flatnonzero(active & (owner < 0)).tolist())
    if not chosen:
        return {}
    # dependencies are null vectors of the transpose: one unknown per row, one line per column
    lines: dict[int, Sparse] = {}
    for r in chosen:
        for c, value in system.entries(r).items():
            lines.setdefault(c, {})[r] = value
    pivots, _ = eliminate(list(lines.values()), frozenset(chosen))
    bound = {r for r, _ in pivots}
    return _circuits(null_basis(pivots, [r for r in chosen if r not in bound]), priority.tolist())


def _involved(system: System, owner: Ints, block: Ints, suspect: Flags, unmatched: Sequence[int]) -> list[int]:
    """Return rows that contain all dependencies; an empty list if there are no dependencies.

    Eliminate from the suspect blocks and the unmatched rows towards the ground: what a block cannot absorb is passed to
    the blocks that feed it.
    """
    members = _members(block)
    owned = _owned_by_block(owner, block)
    arrivals: dict[int, list[Sparse]] = {b: [] for b in np.flatnonzero(suspect).tolist()}
    heap = [-b for b in arrivals]
    heapq.heapify(heap)

    def send(line: Sparse) -> bool:
        if not line:
            return True
        target = max(int(block[c // 3]) for c in line)
        if target not in arrivals:
            arrivals[target] = []
            heapq.heappush(heap, -target)
        arrivals[target].append(line)
        return False

    vanished = [send(system.entries(r)) for r in unmatched]
    chosen = list(unmatched)
    while heap:  # blocks with larger numbers depend on smaller ones: remainders are passed downwards only
        b = -heapq.heappop(heap)
        own_rows = owned.get(b, [])
        lines = [system.entries(r) for r in own_rows]
        columns = frozenset(system.columns(members[b]))
        _, rest = eliminate(lines + arrivals[b], columns, late=len(lines))
        vanished += [send(line) for line in rest]
        chosen += own_rows
    return sorted(chosen) if any(vanished) else []


def _circuits(dependencies: list[Sparse], priority: list[int]) -> dict[int, list[int]]:
    """Bring dependencies to reduced echelon form, leading with the row of largest priority number.

    The last row of any dependency follows from the others: it is not in the preferred basis. In reduced form each
    dependency contains one dropped row and remaining rows: its fundamental circuit.
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


def free_motion(rows: Rows, values: Ints, owner: Ints, block: Ints, loose: Flags) -> Ints:
    """Return one random motion (n, 3) that all owned rows allow: the twist of each vertex, modulo PRIME.

    The rows are independent. Vertices that are not `loose` do not move; a vertex at rest in a random motion is at rest
    in all motions (except with probability 1 / PRIME).
    """
    system = System(rows, values)
    moving = np.flatnonzero(loose)
    own = set(system.columns(moving.tolist()))
    members = _members(block)
    owned = _owned_by_block(owner, block)
    pivots: list[Pivot] = []
    arrivals: dict[int, list[Sparse]] = {}
    for b in np.unique(block[moving])[::-1].tolist():
        lines = [{c: value for c, value in system.entries(r).items() if c in own} for r in owned.get(b, ())]
        late = len(lines)
        taken, rest = eliminate(lines + arrivals.pop(b, []), frozenset(system.columns(members[b])), late)
        pivots += taken
        for line in rest:
            if line:
                arrivals.setdefault(max(int(block[c // 3]) for c in line), []).append(line)
    bound = {c for c, _ in pivots}
    draw = np.random.default_rng([0, 19_70])
    motion: Sparse = {c: int(draw.integers(1, PRIME)) for c in sorted(own) if c not in bound}
    solve_back(pivots, motion)
    result = np.zeros((rows.n_vertices, 3), dtype=np.int64)
    for c, value in motion.items():
        result[c // 3, c % 3] = value
    return result


def _members(block: Ints) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for vertex, b in enumerate(block.tolist()):
        members.setdefault(b, []).append(vertex)
    return members


def _owned_by_block(owner: Ints, block: Ints) -> dict[int, list[int]]:
    owned: dict[int, list[int]] = {}
    for r in np.flatnonzero(owner >= 0).tolist():
        owned.setdefault(int(block[owner[r]]), []).append(r)
    return owned
