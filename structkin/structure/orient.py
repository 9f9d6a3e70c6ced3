"""Who owns which equation: a maximum orientation of the rows.

Each row is owned by one of its two ends, a vertex owns at most `capacity` rows. The rows stay whole: a
body is never expanded into three columns, which keeps the search small and the answer a matter of bodies.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from dataclasses import dataclass

import numpy as np

from structkin.structure.rows import GROUND, BoolArray, IntArray


#: A vertex of more open rows is taken for one that much hangs on, not for the middle of a group.
LARGEST_STAR = 0

#: So many searches in depth before those of shortest length, which bound the work.
PHASES = 20
import os; FEW=int(os.environ.get('FEW','8'))


@dataclass(frozen=True)
class Orientation:
    """`owner` (m,): vertex or -1 (unmatched, or not active); `loose` (n,): vertices that can reach spare capacity."""

    owner: IntArray
    loose: BoolArray


def orient(capacity: IntArray, ends: IntArray, active: BoolArray) -> Orientation:
    """Return an orientation that leaves as few active rows as possible without an owner.

    Forced choices first (they settle most mechanisms), then stars whose rows fill them, guesses where nothing is
    certain, then augmenting paths in phases of shortest length as in Dinic's algorithm: O(m sqrt m) at worst.

    >>> ends = np.array([[-1, 0], [-1, 0], [-1, 0], [0, 1], [0, 1]])
    >>> result = orient(np.array([3, 3]), ends, np.ones(5, dtype=bool))
    >>> result.owner.tolist(), result.loose.tolist()
    ([0, 0, 0, 1, 1], [False, True])
    """
    state = _State(capacity, ends, active)
    state.settle()
    state.augment()
    return Orientation(np.array(state.owner, dtype=np.int64), np.array(state.distance, dtype=np.int64) >= 0)


class _State:
    def __init__(self, capacity: IntArray, ends: IntArray, active: BoolArray) -> None:
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
        """Give rows to owners: forced ones at once, else one guess at a time, nearest to what is settled."""
        first, second, free, owner, start, row = (
            self.first,
            self.second,
            self.free,
            self.owner,
            self.start,
            self.row,
        )
        capacity = free.copy()
        open_rows = [start[v + 1] - start[v] for v in range(self.n)]
        undecided = [False] * len(owner)
        for r in self.live:
            undecided[r] = True
        frontier: deque[int] = deque()
        # A vertex is looked at when it is full (its rows go elsewhere) or can take all that is left of it.
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
        def close(z: int) -> bool:
            """Settle the star around z if its rows fill it: z and those neighbours that something holds already.

            No other row can then be theirs. Dyads, cylinders and triads are found so, whole.
            """
            rows: dict[int, list[int]] = {}
            for r in row[start[z] : start[z + 1]]:
                if undecided[r]:
                    u = second[r] if first[r] == z else first[r]
                    if free[u] < capacity[u]:
                        rows.setdefault(u, []).append(r)
            if sum(map(len, rows.values())) != free[z] + sum([free[u] for u in rows]):
                return False
            if any(len(shared) < free[u] for u, shared in rows.items()):
                return False
            for u, shared in rows.items():
                give_to_u = free[u]
                for r in shared[:give_to_u]:
                    give(r, u)
                for r in shared[give_to_u:]:
                    give(r, z)
            propagate()
            return True

        def close_near(v: int) -> None:
            if open_rows[v] > LARGEST_STAR:
                return
            around = {v: None}
            for r in row[start[v] : start[v + 1]]:
                if undecided[r]:
                    around[second[r] if first[r] == v else first[r]] = None
            for z in around:
                if open_rows[z] <= LARGEST_STAR and free[z] and close(z):
                    return

        guesses: deque[int] = deque()
        seed = 0
        while True:
            if frontier:
                v = frontier.popleft()
                if free[v] and open_rows[v]:
                    close_near(v)
                if free[v] and open_rows[v]:
                    guesses.append(v)
                continue
            if guesses:
                v = guesses.popleft()
            elif seed < self.n:
                v = seed
                seed += 1
            else:
                return
            if not free[v] or not open_rows[v]:
                continue
            # the row towards what is settled most: a vertex depends on it rather than on what hangs on itself
            best, least = -1, 4
            for r in row[start[v] : start[v + 1]]:
                if undecided[r]:
                    room = free[second[r] if first[r] == v else first[r]]
                    if room < least:
                        best, least = r, room
            give(best, v)
            propagate()

    def augment(self) -> None:
        """Move rows along paths from full vertices to free ones until no path is left."""
        waiting = [r for r in self.live if self.owner[r] < 0]
        self.back = [r for a, b in pairwise(self.start) for r in self.row[a:b][::-1]]
        for _ in range(PHASES):
            count = len(waiting)
            waiting = self._search(waiting)
            if len(waiting) == count:
                break
        self._measure()
        while len(waiting) < count:
            count = len(waiting)
            pointer = self.start[:-1].copy()
            waiting = [r for r in waiting if not self._push(r, pointer)]
            self._measure()

    def _search(self, waiting: list[int]) -> list[int]:
        """Give rows owners along any paths, no vertex on two of them, and return the rows left.

        Depth first with a look ahead: Pothen, Fan (1990), "Computing the block triangular form of a sparse matrix",
        ACM TOMS 16. A path is soon found where there are many, so that little is looked at.
        """
        first, second, owner, free, start, row = (
            self.first,
            self.second,
            self.owner,
            self.free,
            self.start,
            self.row,
        )
        seen = [False] * self.n
        left = []
        self.fair = not getattr(self, "fair", False)
        if self.fair:
            row = self.back
        self.k = getattr(self, "k", -1) + 1
        again = self.k >= FEW
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
                            seen[vertex] = not again
                        break
                    step = -1
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

    def _ends(self, r: int) -> tuple[int, int]:
        return self.first[r], self.second[r]

    def _measure(self) -> None:
        """Set `distance`: moves from each vertex to the nearest one with spare capacity, -1 if none."""
        first, second, owner, start, row = self.first, self.second, self.owner, self.start, self.row
        distance = [-1] * self.n
        queue = [v for v in range(self.n) if self.free[v]]
        for v in queue:
            distance[v] = 0
        for v in queue:  # grows while it is read
            for r in row[start[v] : start[v + 1]]:
                w = owner[r]
                if w >= 0 and w != v and distance[w] < 0 and v in (first[r], second[r]):
                    distance[w] = distance[v] + 1
                    queue.append(w)
        self.distance = distance

    def _push(self, r: int, pointer: list[int]) -> bool:
        """Give row r an owner by moving the rows on a path of falling distance; False if none is left."""
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
