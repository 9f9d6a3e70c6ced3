"""Layout of a small graph: reproducible, with few crossings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import networkx as nx
import numpy as np

from structkin.numerical_tolerances import VISIBLE

Places = dict[str, complex]


def spread(graph: nx.Graph, bottom: str, start: Mapping[str, complex] | None = None) -> Places:
    """Return a place for each node: neighbours about 1 apart, the node `bottom` lowest.

    Several initial layouts are relaxed to least stress, and the result with the fewest crossings is returned. `start`
    is one more initial layout, such as the places of the links in a sketch.

    >>> places = spread(nx.cycle_graph(["g", "a", "b", "c"]), "g")
    >>> min(places, key=lambda node: places[node].imag), round(abs(places["a"] - places["g"]), 2)
    ('g', 1.0)
    """
    nodes = list(graph.nodes)
    if len(nodes) == 1:
        return {nodes[0]: 0j}
    whole = nx.Graph(graph)
    for part in nx.connected_components(graph):
        if bottom not in part:  # keep disconnected parts near
            whole.add_edge(bottom, min(part, key=nodes.index))
    best: Places = {}
    least = np.inf
    for initial in _initial_layouts(whole, start):
        found = _relax(whole, initial)
        cost = 10.0 * crossings(graph, found) + _crowding(graph, found)
        if cost < least - VISIBLE:
            best, least = found, cost
    return _upright(whole, best, bottom)


def crossings(graph: nx.Graph, places: Mapping[str, complex]) -> int:
    """Return how many pairs of edges cross."""
    count = 0
    for (a, b), (c, d) in combinations(graph.edges, 2):
        if len({a, b, c, d}) == 4:
            p, q, r, s = (places[node] for node in (a, b, c, d))
            count += _left(p, q, r) * _left(p, q, s) < 0 and _left(r, s, p) * _left(r, s, q) < 0
    return count


def _left(a: complex, b: complex, c: complex) -> float:
    return ((b - a).conjugate() * (c - a)).imag


def _initial_layouts(graph: nx.Graph, start: Mapping[str, complex] | None) -> Iterator[Mapping[str, complex]]:
    yield _complex(nx.circular_layout(graph))
    # networkx iterates over sets of nodes here, and the order of sets of strings differs between processes.
    numbered = nx.convert_node_labels_to_integers(graph)
    planar, _ = nx.check_planarity(numbered)
    if planar:
        places = nx.planar_layout(numbered)
        yield _complex({node: places[k] for k, node in enumerate(graph.nodes)})
    if start is not None:
        yield start


def _complex(places: Mapping[str, Iterable[float]]) -> Places:
    return {node: complex(*xy) for node, xy in places.items()}


def _relax(graph: nx.Graph, start: Mapping[str, complex]) -> Places:
    """Return places whose distances come nearest to the number of edges between the nodes.

    The stress sum (|z_i - z_j| - d_ij)^2 / d_ij^2 of Kamada and Kawai (1989) is reduced by majorisation, as in Gansner,
    Koren, North (2005), "Graph drawing by stress majorization": each step solves V z' = B(z) z.
    """
    nodes = list(graph.nodes)
    d = np.array(nx.floyd_warshall_numpy(graph, nodelist=nodes, weight=None))
    weights = np.where(d > 0, 1 / np.maximum(d, 1) ** 2, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    # shift the nodes a little: two in the same place would have no direction in which to separate
    z = np.array([start[node] + 1e-3 * np.exp(1j * k) for k, node in enumerate(nodes)])
    for _ in range(400):
        apart = np.abs(z[:, None] - z)
        pull = weights * d / np.where(apart > 0, apart, 1.0)
        new = inverse @ (pull.sum(axis=1) * z - pull @ z)
        done = np.max(np.abs(new - z)) < 1e-5
        z = new
        if done:
            break
    return dict(zip(nodes, z.tolist(), strict=True))


def _crowding(graph: nx.Graph, places: Mapping[str, complex]) -> float:
    """Return a cost for nodes near each other or near edges that are not theirs."""
    cost = 0.0
    typical = float(np.mean([abs(places[a] - places[b]) for a, b in graph.edges] or [1.0])) or 1.0
    for node in graph.nodes:
        for a, b in graph.edges:
            if node not in (a, b):
                cost += max(0.0, 0.35 - distance_to(places[node], places[a], places[b]) / typical)
    for a, b in combinations(graph.nodes, 2):
        cost += 5 * max(0.0, 0.5 - abs(places[a] - places[b]) / typical)
    return cost


def distance_to(place: complex, a: complex, b: complex) -> float:
    """Return the distance of a place from the edge a-b."""
    edge = b - a
    share = min(max(((place - a) * edge.conjugate()).real / abs(edge) ** 2, 0.0), 1.0) if edge else 0.0
    return abs(place - a - share * edge)


def _upright(graph: nx.Graph, places: Places, bottom: str) -> Places:
    """Rotate the layout so that `bottom` is lowest, and scale it so that edges are about 1 long."""
    centre = sum(places.values(), 0j) / len(places)
    down = places[bottom] - centre
    turn = -1j / (down / abs(down)) if abs(down) > VISIBLE else 1.0
    lengths = [abs(places[a] - places[b]) for a, b in graph.edges]
    size = float(np.median(lengths)) if lengths else 1.0
    return {node: (place - centre) * turn / (size or 1.0) for node, place in places.items()}
