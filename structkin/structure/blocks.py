"""Strongly connected components: the smallest sets of vertices that must be solved together.

A vertex depends on the other end of every row it owns. With independent rows the components of that
digraph are the Assur groups (Servatius, Shai, Whiteley 2010, "Combinatorial characterization of the Assur
graphs from engineering"; Shai, Sljoka, Whiteley 2013, "Directed graphs, decompositions, and spatial
linkages"), and this is the fine part of the Dulmage-Mendelsohn decomposition.
"""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np

from structkin.structure.rows import GROUND, IntArray

#: Number of vertices from which loading SciPy pays off.
LARGE = 100_000


def components(n: int, owner: IntArray, ends: IntArray) -> IntArray:
    """Return the component (n,) of each vertex, numbered so that a component depends on smaller ones only.

    Tarjan's algorithm with an explicit stack, so that long chains do not exceed the recursion limit; SciPy for large
    graphs.

    >>> ends = np.array([[-1, 0], [0, 1], [1, 2], [1, 2]])
    >>> components(3, np.array([0, 1, 1, 2]), ends).tolist()
    [0, 1, 1]
    """
    start, heads = _dependencies(n, owner, ends)
    if n >= LARGE:
        component = _components_by_scipy(start, heads)
        if component is not None:
            return component
    return _components(start.tolist(), heads.tolist())


def _components_by_scipy(start: IntArray, heads: IntArray) -> IntArray | None:
    """Return the same by SciPy's compiled code; None if it does not number the components in our order."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(start) - 1
    graph = csr_array((np.ones(len(heads), dtype=np.int8), heads, start), shape=(n, n))
    label = connected_components(graph, connection="strong")[1].astype(np.int64)
    # SciPy numbers components in the order Pearce's algorithm completes them, but does not guarantee it
    tails = np.repeat(np.arange(n), np.diff(start))
    return label if (label[heads] <= label[tails]).all() else None


def _components(start: list[int], heads: list[int]) -> IntArray:
    n = len(start) - 1
    index = [-1] * n
    low = [0] * n
    component = [-1] * n
    pointer = start[:-1].copy()
    stack: list[int] = []
    count = found = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        path = [root]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        while path:
            v = path[-1]
            if pointer[v] < start[v + 1]:
                w = heads[pointer[v]]
                pointer[v] += 1
                if index[w] < 0:
                    index[w] = low[w] = count
                    count += 1
                    stack.append(w)
                    path.append(w)
                elif component[w] < 0 and index[w] < low[v]:
                    low[v] = index[w]
                continue
            path.pop()
            if path and low[v] < low[path[-1]]:
                low[path[-1]] = low[v]
            if low[v] == index[v]:
                while True:
                    w = stack.pop()
                    component[w] = found
                    if w == v:
                        break
                found += 1
    return np.array(component, dtype=np.int64)


def _dependencies(n: int, owner: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Return the digraph owner -> other end, without the ground, as compressed rows."""
    owned = np.flatnonzero(owner >= 0)
    tail = owner[owned]
    head = np.where(ends[owned, 0] == tail, ends[owned, 1], ends[owned, 0])
    keep = head != GROUND
    tail, head = tail[keep], head[keep]
    order = np.argsort(tail, kind="stable")
    return np.searchsorted(tail[order], np.arange(n + 1)), head[order]


def solve_order(before: IntArray, after: IntArray, key: IntArray) -> IntArray:
    """Return the blocks in an order in which each follows those it depends on, the smallest ready key first.

    Block `after[e]` depends on block `before[e]`; `key` (k,) are the blocks' keys, all different.

    >>> solve_order(np.array([2]), np.array([0]), np.array([1, 2, 3])).tolist()
    [1, 2, 0]
    """
    if (key[before] < key[after]).all():  # the user's order is a valid solve order, and takes precedence
        return np.argsort(key)
    count = len(key)
    waiting: list[int] = np.bincount(after, minlength=count).tolist()
    by_need = np.argsort(before, kind="stable")
    start: list[int] = np.searchsorted(before[by_need], np.arange(count + 1)).tolist()
    follower: list[int] = after[by_need].tolist()
    order = np.argsort(key)
    block_of: list[int] = order.tolist()
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    place: list[int] = rank.tolist()
    ready = [place[block] for block in range(count) if not waiting[block]]
    heapq.heapify(ready)
    result = []
    while ready:
        block = block_of[heapq.heappop(ready)]
        result.append(block)
        for other in follower[start[block] : start[block + 1]]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, place[other])
    return np.array(result, dtype=np.int64)


def levels(start: IntArray, need: IntArray) -> IntArray:
    """Return the length of the longest dependency path to each block (k,), given in solve order.

    >>> levels(np.array([0, 0, 1, 3]), np.array([0, 0, 1])).tolist()
    [0, 1, 2]
    """
    level: list[int] = []
    needs, at = need.tolist(), start.tolist()
    for a, b in pairwise(at):
        if b - a == 1:
            level.append(level[needs[a]] + 1)
        else:
            level.append(1 + max([level[k] for k in needs[a:b]], default=-1))
    return np.array(level, dtype=np.int64)
