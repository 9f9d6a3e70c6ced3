"""A kinematic chain in the plane without crossings: which loops are inside, and the order of the joints around each.

Links and joints are the vertices of a graph, with an edge from each link to each of its joints. Where it is planar, its
faces are the loops of links; a link is a plate, with its joints in the order of the edges around it. One face is
outside. A chain that is not planar is drawn without as few of its binary links as possible, which then cross others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import networkx as nx
import numpy as np

from structkin.types import Ints

#: Joints by their numbers, anticlockwise around a link or a loop.
Ring = tuple[int, ...]
#: Orders of the edges from which embeddings are made: a chain that falls apart at two joints or links has several.
ORDERS = 6


@dataclass(frozen=True)
class Embedding:
    """The joints around each link that is drawn (`plates`), around each loop inside, and around the outside."""

    plates: tuple[Ring, ...]
    loops: tuple[Ring, ...]
    outside: Ring

    @property
    def sides(self) -> Ints:
        """The pairs of joints (s, 2) that are next to each other on a link."""
        around = (pairwise((*ring, ring[0])) for ring in self.plates if len(ring) > 1)
        pairs = {(min(pair), max(pair)) for ring in around for pair in ring}
        return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def embeddings(links: Sequence[Sequence[int]], without: int | None) -> Iterator[Embedding]:
    """Yield embeddings, given the joints of each link; those around the link `without`, not drawn, are outside."""
    every = range(len(links))
    for crossing in _crossings(links, without):
        for plane in _planes(links, [k for k in every if k not in crossing]):
            around = [links[k] if k in crossing else [*plane.neighbors_cw_order(_vertex(k))][::-1] for k in every]
            plates = tuple(tuple(around[k]) for k in every if k != without)
            # networkx goes clockwise around the faces inside, and anticlockwise around the one outside
            faces = _faces(plane)
            rings = [tuple(vertex for vertex in face if vertex >= 0) for face in faces]
            if without is None:
                for outer, ring in enumerate(rings):
                    inside = [other for k, other in enumerate(rings) if k != outer]
                    yield Embedding(plates, _loops(inside), tuple(dict.fromkeys(ring)))
            else:
                inside = [ring for ring, face in zip(rings, faces, strict=True) if _vertex(without) not in face]
                yield Embedding(plates, _loops(inside), tuple(around[without][::-1]))


def _vertex(link: int) -> int:
    """Return the vertex of a link; joints are 0 and up. Sets of integers have the same order in every process."""
    return -1 - link


def _crossings(links: Sequence[Sequence[int]], without: int | None) -> list[tuple[int, ...]]:
    """Return each choice of the fewest binary links without which a chain is planar."""
    binary = [k for k, joints in enumerate(links) if len(joints) == 2 and k != without]
    for count in range(len(binary) + 1):
        rests = {some: [k for k in range(len(links)) if k not in some] for some in combinations(binary, count)}
        if found := [some for some, rest in rests.items() if nx.is_planar(_graph(links, rest))]:
            return found
    return []


def _planes(links: Sequence[Sequence[int]], kept: Sequence[int]) -> Iterator[nx.PlanarEmbedding]:
    """Yield embeddings of these links that differ by their faces."""
    random = np.random.default_rng(0)
    seen = set()
    for number in range(ORDERS):
        order = random.permutation(kept).tolist() if number else kept
        plane = nx.check_planarity(_graph(links, order))[1]
        shape = frozenset(map(frozenset, _faces(plane)))
        if shape not in seen:
            seen.add(shape)
            yield plane


def _graph(links: Sequence[Sequence[int]], order: Sequence[int]) -> nx.Graph:
    return nx.Graph((_vertex(link), joint) for link in order for joint in links[link])


def _faces(plane: nx.PlanarEmbedding) -> list[list[int]]:
    seen: set[tuple[int, int]] = set()
    return [plane.traverse_face(*edge, seen) for edge in plane.edges if edge not in seen]


def _loops(rings: Sequence[Ring]) -> tuple[Ring, ...]:
    """Return the loops, anticlockwise; a ring that passes a joint twice is none."""
    return tuple(ring[::-1] for ring in rings if len(set(ring)) == len(ring) > 2)
