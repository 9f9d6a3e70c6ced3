"""Strongly connected components: the smallest sets of vertices that must be solved together, and their order.

A vertex depends on the other end of every row it owns. With independent rows the components of that
digraph are the Assur groups (Servatius, Shai, Whiteley 2010, "Combinatorial characterization of the Assur
graphs from engineering"; Shai, Sljoka, Whiteley 2013, "Directed graphs, decompositions, and spatial
linkages"), and this is the fine part of the Dulmage-Mendelsohn decomposition. networkx finds the components of its
condensation, the order and the levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from structkin.structure.joint_rows import GROUND
from structkin.types import Ints

if TYPE_CHECKING:
    import networkx as nx

#: Number of vertices from which SciPy finds the components: a networkx graph of these takes seconds.
LARGE = 20_000


def digraph(n: int, before: Ints, after: Ints) -> nx.DiGraph:
    """Return the digraph of 0 ... n - 1 with an edge from each `before` (e,) to the `after` (e,) that depends on it."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(before.tolist(), after.tolist(), strict=True))
    return graph


def components(n: int, owner: Ints, ends: Ints) -> Ints:
    """Return the component (n,) of each vertex, numbered so that a component depends on smaller ones only.

    >>> ends = np.array([[-1, 0], [0, 1], [1, 2], [1, 2]])
    >>> components(3, np.array([0, 1, 1, 2]), ends).tolist()
    [0, 1, 1]
    """
    import networkx as nx

    owned = np.flatnonzero(owner >= 0)
    after = owner[owned]
    before = np.where(ends[owned, 0] == after, ends[owned, 1], ends[owned, 0])
    inner = before != GROUND
    before, after = before[inner], after[inner]
    if n >= LARGE:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = coo_array((np.ones(len(after), dtype=np.int8), (after, before)), shape=(n, n))
        component = connected_components(graph, connection="strong")[1].astype(np.int64)
        # SciPy numbers components in the order in which Pearce's algorithm completes them, but does not promise it
        if (component[before] <= component[after]).all():
            return component
    whole = nx.condensation(digraph(n, before, after))
    component = np.empty(n, dtype=np.int64)
    for number, block in enumerate(nx.topological_sort(whole)):
        component[list(whole.nodes[block]["members"])] = number
    return component


def solve_order(graph: nx.DiGraph, key: Ints) -> Ints:
    """Return the blocks in an order in which each follows those it depends on, the smallest ready key first.

    `key` (k,) are the blocks' keys, all different.

    >>> solve_order(digraph(3, np.array([2]), np.array([0])), np.array([1, 2, 3])).tolist()
    [1, 2, 0]
    """
    import networkx as nx

    order = nx.lexicographical_topological_sort(graph, key=key.tolist().__getitem__)
    return np.fromiter(order, dtype=np.int64, count=len(key))


def levels(graph: nx.DiGraph) -> Ints:
    """Return the length of the longest path to each block (k,).

    >>> levels(digraph(3, np.array([0, 1]), np.array([1, 2]))).tolist()
    [0, 1, 2]
    """
    import networkx as nx

    level = np.empty(len(graph), dtype=np.int64)
    for number, blocks in enumerate(nx.topological_generations(graph)):
        level[blocks] = number
    return level
