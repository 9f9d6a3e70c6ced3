"""Strongly connected components: the smallest sets of vertices that must be solved together.

A vertex depends on the other end of every row it owns. With independent rows the components of that
digraph are the Assur groups (Servatius, Shai, Whiteley 2010, "Combinatorial characterization of the Assur
graphs from engineering"; Shai, Sljoka, Whiteley 2013, "Directed graphs, decompositions, and spatial
linkages"), and this is the fine part of the Dulmage-Mendelsohn decomposition.
"""

from __future__ import annotations

import heapq

import numpy as np

from structkin.structure.rows import GROUND, IntArray


def components(n: int, owner: IntArray, ends: IntArray) -> IntArray:
    """Return the component (n,) of each vertex, numbered so that a component depends on smaller ones only.

    Tarjan's algorithm with its own stack, so that a chain of any length is no deeper than any other.

    >>> ends = np.array([[-1, 0], [0, 1], [1, 2], [1, 2]])
    >>> components(3, np.array([0, 1, 1, 2]), ends).tolist()
    [0, 1, 1]
    """
    start, heads = _dependencies(n, owner, ends)
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


def _dependencies(n: int, owner: IntArray, ends: IntArray) -> tuple[list[int], list[int]]:
    """Return the digraph owner -> other end, ground left out, as compressed rows."""
    owned = np.flatnonzero(owner >= 0)
    tail = owner[owned]
    head = np.where(ends[owned, 0] == tail, ends[owned, 1], ends[owned, 0])
    keep = head != GROUND
    tail, head = tail[keep], head[keep]
    order = np.lexsort((head, tail))
    return np.searchsorted(tail[order], np.arange(n + 1)).tolist(), head[order].tolist()


def solve_order(depends_on: dict[int, set[int]], key: dict[int, int]) -> list[int]:
    """Return the blocks so that each comes after those it depends on; among the ready ones the smallest key first.

    >>> solve_order({7: set(), 5: {7}, 6: set()}, {5: 1, 6: 2, 7: 3})
    [6, 7, 5]
    """
    waiting = {block: len(needs) for block, needs in depends_on.items()}
    followers: dict[int, list[int]] = {block: [] for block in depends_on}
    for block, needs in depends_on.items():
        for need in needs:
            followers[need].append(block)
    ready = [(key[block], block) for block, count in waiting.items() if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        _, block = heapq.heappop(ready)
        order.append(block)
        for follower in followers[block]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, (key[follower], follower))
    return order
