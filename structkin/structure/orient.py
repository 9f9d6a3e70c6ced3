"""Which vertex owns which equation: a maximum orientation of the rows.

Each row is owned by one of its two ends; a vertex owns at most `capacity` rows. A body is never expanded into three
columns, which keeps the search small and the result in terms of bodies.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from structkin.structure.joint_rows import GROUND
from structkin.types import Flags, Ints

#: Number of rows from which they are sorted first, which needs SciPy.
LARGE = 100_000
#: Maximum number of depth-first phases before phases of shortest paths, which bound the work.
PHASES = 200
#: A phase that serves a smaller fraction of the waiting rows is followed by more thorough ones.
LITTLE = 0.02


@dataclass(frozen=True)
class Orientation:
    """`owner` (m,): vertex or -1 (unmatched, or not active); `loose` (n,): vertices that can reach spare capacity."""

    owner: Ints
    loose: Flags


def orient(capacity: Ints, ends: Ints, active: Flags) -> Orientation:
    """Return an orientation that leaves as few active rows as possible without an owner.

    First forced choices (sufficient for most mechanisms), then guesses at the frontier of settled vertices, then
    augmenting paths: depth first while that is fast, then in phases of shortest paths as in Dinic's algorithm,
    O(m sqrt m) at worst.

    >>> ends = np.array([[-1, 0], [-1, 0], [-1, 0], [0, 1], [0, 1]])
    >>> result = orient(np.array([3, 3]), ends, np.ones(5, dtype=bool))
    >>> result.owner.tolist(), result.loose.tolist()
    ([0, 0, 0, 1, 1], [False, True])
    """
    number = np.arange(len(capacity)) if len(ends) < LARGE else _from_the_ground(len(capacity), ends)
    near = number[ends]
    near[ends == GROUND] = GROUND
    rows = np.arange(len(ends)) if len(ends) < LARGE else np.lexsort(np.sort(near, axis=1).T)
    room = np.empty_like(capacity)
    room[number] = capacity
    state = _State(room, near[rows], active[rows])
    state.settle()
    state.augment()
    owner = np.empty(len(ends), dtype=np.int64)
    owner[rows] = state.owner
    vertex = np.append(np.argsort(number), -1)  # the last entry is for no owner
    return Orientation(vertex[owner], np.array(state.distance, dtype=np.int64)[number] >= 0)


def _from_the_ground(n: int, ends: Ints) -> Ints:
    """Return a number (n,) for each vertex in breadth-first order from the ground.

    Neighbours in the mechanism are then close in memory, and guesses are better: this halves the time.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    graph = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0] + 1, ends[:, 1] + 1)), shape=(n + 1, n + 1))
    order = breadth_first_order(graph.tocsr(), 0, directed=False, return_predecessors=False)[1:] - 1
    number = np.full(n, -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    apart = np.flatnonzero(number < 0)
    number[apart] = np.arange(len(order), n)
    return number


class _State:
    def __init__(self, capacity: Ints, ends: Ints, active: Flags) -> None:
        n = len(capacity)
        self.n = n
        self.free: list[int] = capacity.tolist()
        self.first: list[int] = ends[:, 0].tolist()
        self.second: list[int] = ends[:, 1].tolist()
        self.owner = [-1] * len(ends)
        live = np.flatnonzero(active)
        at = ends[live].ravel()
        row = np.repeat(live, 2)
        keep = at != GROUND
        at, row = at[keep], row[keep]
        order = np.argsort(at, kind="stable")
        self.row: list[int] = row[order].tolist()
        starts = np.searchsorted(at[order], np.arange(n + 1))
        self.start: list[int] = starts.tolist()
        self.live: list[int] = live.tolist()
        self.distance = [-1] * n

    def settle(self) -> None:
        """Assign rows to owners: forced ones at once, else one guess at a time, nearest to settled vertices."""
        first, second, free, owner, start, row = (
            self.first,
            self.second,
            self.free,
            self.owner,
            self.start,
            self.row,
        )
        open_rows = [start[v + 1] - start[v] for v in range(self.n)]
        undecided = [False] * len(owner)
        most = max(free, default=0) + 1  # more room than any vertex has
        for r in self.live:
            undecided[r] = True
        frontier: deque[int] = deque()
        # A vertex is examined when it is full (its rows go elsewhere) or can take all its remaining rows.
        todo: deque[int] = deque(v for v in range(self.n) if open_rows[v] <= free[v])

        def give(r: int, v: int) -> None:
            undecided[r] = False
            owner[r] = v
            free[v] -= 1
            for end in (first[r], second[r]):
                if end != GROUND:
                    open_rows[end] -= 1
                    if open_rows[end] and (free[end] == 0 or open_rows[end] <= free[end]):
                        todo.append(end)
            if free[v]:
                frontier.append(v)

        def propagate() -> None:
            while todo:
                v = todo.popleft()
                if not open_rows[v]:
                    continue
                for r in row[start[v] : start[v + 1]]:
                    if not undecided[r]:
                        continue
                    if free[v]:
                        if open_rows[v] > free[v]:
                            break
                        give(r, v)
                        continue
                    other = second[r] if first[r] == v else first[r]
                    if other != GROUND and free[other]:
                        give(r, other)

        for r in self.live:
            if undecided[r]:
                v = second[r] if first[r] == GROUND else first[r] if second[r] == GROUND else GROUND
                if v != GROUND and free[v]:
                    give(r, v)
        propagate()
        seed = 0
        while True:
            if frontier:
                v = frontier.popleft()
            elif seed < self.n:
                v = seed
                seed += 1
            else:
                return
            if not free[v] or not open_rows[v]:
                continue
            # towards the vertex with least room and most open rows: it is more likely to be known before v than after
            best, least = -1, (most, 0)
            for r in row[start[v] : start[v + 1]]:
                if undecided[r]:
                    other = second[r] if first[r] == v else first[r]
                    if free[other] <= least[0] and (free[other], -open_rows[other]) < least:
                        best, least = r, (free[other], -open_rows[other])
            give(best, v)
            propagate()

    def augment(self) -> None:
        """Move rows along paths from full to free vertices until no path is left."""
        waiting = [r for r in self.live if self.owner[r] < 0]
        forth = self.row
        back = [r for a, b in pairwise(self.start) for r in forth[a:b][::-1]] if waiting else []
        thorough = False
        for phase in range(PHASES):
            left = self._search(waiting, back if phase % 2 else forth, thorough)
            given = len(waiting) - len(left)
            if not thorough and given < LITTLE * len(waiting):
                self._measure()
                left, thorough = self._reachable(left), True
            waiting = left
            if not given:
                break
        self._measure()
        while waiting := self._reachable(waiting):
            pointer = self.start[:-1].copy()
            waiting = [r for r in waiting if not self._push(r, pointer)]
            self._measure()

    def _reachable(self, waiting: list[int]) -> list[int]:
        first, second, distance = self.first, self.second, [*self.distance, -1]  # the last is the ground's
        return [r for r in waiting if distance[first[r]] >= 0 or distance[second[r]] >= 0]

    def _search(self, waiting: list[int], row: list[int], thorough: bool) -> list[int]:
        """Assign rows along any paths, and return the rows left; if none is assigned, there is no path.

        Depth first with lookahead; no vertex is visited twice, except those of a path found if `thorough`: Pothen, Fan
        (1990), "Computing the block triangular form of a sparse matrix", ACM TOMS 16. `row` lists the rows at each
        vertex, in alternating order from phase to phase: Duff, Kaya, Ucar (2011), "Design, implementation, and
        analysis of maximum transversal algorithms", ACM TOMS 38.
        """
        first, second, owner, free, start = self.first, self.second, self.owner, self.free, self.start
        seen = [False] * self.n
        left = []
        for r in waiting:
            for source in (first[r], second[r]):
                if source == GROUND or seen[source]:
                    continue
                seen[source] = True
                path, moves, ahead = [source], [r], [start[source]]
                while path:
                    v = path[-1]
                    if free[v]:
                        free[v] -= 1
                        for vertex, moved in zip(path, moves, strict=True):
                            owner[moved] = vertex
                            seen[vertex] = not thorough
                        break
                    step = taken = -1
                    at, end = ahead[-1], start[v + 1]
                    if at == start[v]:
                        for k in range(at, end):
                            c = row[k]
                            if owner[c] == v:
                                z = second[c] if first[c] == v else first[c]
                                if z != GROUND and free[z] and not seen[z]:
                                    step, taken = z, c
                                    break
                    while step < 0 and at < end:
                        c = row[at]
                        at += 1
                        if owner[c] == v:
                            z = second[c] if first[c] == v else first[c]
                            if z != GROUND and not seen[z]:
                                step, taken = z, c
                    ahead[-1] = at
                    if step < 0:
                        path.pop()
                        moves.pop()
                        ahead.pop()
                    else:
                        seen[step] = True
                        path.append(step)
                        moves.append(taken)
                        ahead.append(start[step])
                if path:
                    break
            else:
                left.append(r)
        return left

    def _measure(self) -> None:
        """Set `distance`: moves from each vertex to the nearest one with spare capacity, -1 if none."""
        first, second, owner, start, row = self.first, self.second, self.owner, self.start, self.row
        distance = [-1] * self.n
        queue = [v for v in range(self.n) if self.free[v]]
        for v in queue:
            distance[v] = 0
        for v in queue:  # grows during the loop
            for r in row[start[v] : start[v + 1]]:
                w = owner[r]
                if w >= 0 and w != v and distance[w] < 0 and v in (first[r], second[r]):
                    distance[w] = distance[v] + 1
                    queue.append(w)
        self.distance = distance

    def _push(self, r: int, pointer: list[int]) -> bool:
        """Give row r an owner by moving rows along a path of decreasing distance; False if there is no path."""
        first, second, owner, distance = self.first, self.second, self.owner, self.distance
        for source in (first[r], second[r]):
            if source == GROUND or distance[source] < 0:
                continue
            vertices, moves = [source], [r]
            while vertices:
                v = vertices[-1]
                if self.free[v] and distance[v] == 0:
                    self.free[v] -= 1
                    for vertex, moved in zip(vertices, moves, strict=True):
                        owner[moved] = vertex
                    return True
                step = -1
                while pointer[v] < self.start[v + 1]:
                    candidate = self.row[pointer[v]]
                    if owner[candidate] == v:
                        z = second[candidate] if first[candidate] == v else first[candidate]
                        if z != GROUND and distance[z] == distance[v] - 1:
                            step = z
                            break
                    pointer[v] += 1
                if step < 0:
                    vertices.pop()
                    moves.pop()
                    if vertices:
                        pointer[vertices[-1]] += 1
                else:
                    moves.append(self.row[pointer[v]])
                    vertices.append(step)
        return False
