"""Where the joints of a kinematic chain lie in a picture: plates that do not overlap, near to regular polygons.

From an embedding in the plane, the joints around the outside are placed on a circle, and each of the others in the
middle of its neighbours (Tutte, "How to draw a graph", Proc. London Math. Soc. 13, 1963). Then every plate and every
loop inside is drawn towards a regular polygon: each polygon is turned and scaled to fit the joints best, and the joints
are moved to what all polygons ask for, again and again (local and global steps, as in Sorkine, Alexa, "As-rigid-as-
possible surface modeling", Symp. Geometry Processing 2007); joints that are too near repel each other. What is still
crowded is refined by least squares: joints keep off the sides of other links, and plates stay convex. The best of
several embeddings is returned.

The embedding says which loops are inside, and the order of the joints around each, without crossings. Links and joints
are the vertices of a graph, with an edge from each link to each of its joints. Where it is planar, its faces are the
loops of links; a link is a plate, with its joints in the order of the edges around it. One face is outside. A chain
that is not planar is drawn without as few of its binary links as possible, which then cross others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

import networkx as nx
import numpy as np
from scipy.optimize import least_squares
from scipy.sparse.csgraph import shortest_path

from structkin.model.topology import Topology
from structkin.numerical_tolerances import NUDGE, ROUNDING, VISIBLE
from structkin.types import Complexes, Floats, Ints

# --- an embedding in the plane -------------------------------------------------------------------------------------

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


# --- places --------------------------------------------------------------------------------------------------------

#: Sides of plates are 1 long at least; at most so long while polygons are fitted, and when the layout is refined.
LONGER, LONGEST = 2.0, 2.4
#: The weights of a loop beside a plate, and of joints that repel each other: neighbours up to `APART`, others to twice.
LOOP, REPEL, APART = 0.2, 0.1, 0.9
#: Steps of fitting, until no joint moves by more than this.
STEPS, STILL = 150, 1e-4
#: Joints keep this distance from sides that are not theirs; the sine of the turn at the corners of plates is as large.
GAP, CORNER = 0.6, 0.5
#: The weights of the shapes of plates and loops when a layout is refined.
PLATE_SHAPE, LOOP_SHAPE = 0.15, 0.1
#: The most embeddings that are fitted.
EMBEDDINGS = 100
#: The cost of a layout that needs no refinement, and of one that needs no other try.
CLEAR, GOOD = 0.3, 0.1
#: Layouts that are refined as they are, and then after a shake of this size; the steps of each refinement.
REFINED, SHAKEN, SHAKE, EVALUATIONS = 3, 12, 0.4, 25


def layout(topology: Topology, *, with_ground: bool = True) -> dict[str, complex]:
    """Return a place for each joint of a connected chain of revolute joints; sides of links are 1 to 2.4 long.

    The ground is lowest. Without it, what remains is drawn with its outer joints outside: a structural group.

    >>> square = Topology.from_adjacency([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> [f"{place:.1f}" for place in layout(square).values()]
    ['-1.0-1.0j', '1.0-1.0j', '-1.0+1.0j', '1.0+1.0j']
    """
    number = {joint.id: k for k, joint in enumerate(topology.joints)}
    links = [[number[joint.id] for joint in topology.joints if link in joint.links] for link in topology.links]
    ground = topology.links.index(topology.ground)
    places = _best(links, None if with_ground else ground)
    places -= places.mean()
    down = places[links[ground]].mean()
    turn = -1j * abs(down) / down if abs(down) > VISIBLE else 1.0
    return dict(zip(number, (places * turn).tolist(), strict=True))


def _best(links: Sequence[Sequence[int]], without: int | None) -> Complexes:
    """Return the layout of least cost, of all embeddings, each fitted; refined where that cost is too high."""
    count = 1 + max(joint for joints in links for joint in joints)
    drawn = [_Drawing(embedding, count) for embedding in islice(embeddings(links, without), EMBEDDINGS)]
    found = [(drawing, drawing.fitted()) for drawing in drawn]
    found.sort(key=lambda one: one[0].cost(one[1]))
    drawing, best = found[0]
    least = drawing.cost(best)
    if least < CLEAR:
        return best
    random = np.random.default_rng(0)
    for number in range(REFINED + SHAKEN):
        drawing, start = found[number % min(REFINED, len(found))]
        shake = SHAKE * random.standard_normal((2, count)) if number >= REFINED else np.zeros((2, count))
        places = drawing.refined(start + shake[0] + 1j * shake[1])
        if (cost := drawing.cost(places)) < least:
            least, best = cost, places
        if least < GOOD:
            break
    return best


class _Drawing:
    """An embedding, and how far joints at some places are from a good picture of it.

    `sides` (s, 2) are the pairs of joints next to each other on a link. `shape` (f, n) has the regular polygon of each
    link and loop at its joints, with sides of length 1, and 0 at others.
    """

    def __init__(self, embedding: Embedding, count: int) -> None:
        plates = [ring for ring in embedding.plates if len(ring) > 1]
        self.outside, self.count = list(embedding.outside), count
        self.sides, self.loops = embedding.sides, embedding.loops
        self.plates = [ring for ring in plates if len(ring) > 2]
        rings = (*plates, *self.loops)
        self.shape = np.zeros((len(rings), count), complex)
        for polygon, ring in zip(self.shape, rings, strict=True):
            turned = np.exp(2j * np.pi * np.arange(len(ring)) / len(ring))
            polygon[list(ring)] = turned / abs(turned[1] - 1)
        self.member = self.shape != 0
        self.square = (np.abs(self.shape) ** 2).sum(axis=1)
        kinds = [int(len(ring) > 2) for ring in plates] + [2] * len(self.loops)  # a bar, a plate, a loop
        self.weight = np.array([1.0, 1.0, LOOP])[kinds]
        self.keep = np.array([0.0, PLATE_SHAPE, LOOP_SHAPE])[kinds]
        self.foreign = (self.sides[:, :, None] != np.arange(count)).all(axis=1)
        self.apart = (self.sides[:, None, :, None] != self.sides[None, :, None, :]).all(axis=(2, 3))

    def fitted(self) -> Complexes:
        """Return places (n,) at which plates and loops are near to regular polygons."""
        n = self.count
        joined = np.zeros((n, n))
        joined[tuple(self.sides.T)] = 1
        joined += joined.T
        wanted = APART * np.minimum(shortest_path(joined, unweighted=True), 2)
        repel = np.where(np.eye(n, dtype=bool), 0, REPEL)
        # what all polygons ask for is least squares with the same matrix in every step
        sizes = self.member.sum(axis=1)
        matrix = np.diag(self.weight @ self.member + repel.sum(axis=1)) - repel
        matrix -= (self.member.T * (self.weight / sizes)) @ self.member
        inverse = np.linalg.pinv(matrix)
        places = self._circle(joined)
        for _ in range(STEPS):
            fit = self.shape.conj() @ places / self.square
            size = np.maximum(np.abs(fit), ROUNDING)
            fit *= np.clip(size, 1, LONGER) / size
            distance = np.abs(places[:, None] - places)
            push = repel * np.maximum(wanted / np.where(distance > 0, distance, 1), 1)
            asked = self.shape.T @ (self.weight * fit) + push.sum(axis=1) * places - push @ places
            before, places = places, inverse @ asked
            if np.max(np.abs(places - before)) < STILL:
                break
        return places

    def _circle(self, joined: Floats) -> Complexes:
        """Return the joints outside on a circle, each of the others in the middle of those it is `joined` to."""
        outside = np.array(self.outside, np.int64)
        inside = np.setdiff1d(np.arange(self.count), outside)
        places = np.zeros(self.count, complex)
        places[outside] = 2 * np.exp(2j * np.pi * np.arange(len(outside)) / len(outside))
        middle = np.diag(joined.sum(axis=1)) - joined
        pulled = joined[np.ix_(inside, outside)] @ places[outside]
        places[inside] = np.linalg.pinv(middle[np.ix_(inside, inside)]) @ pulled
        places += 0.05 * np.exp(1j * np.arange(self.count) ** 2)  # none in one place
        return places

    def refined(self, places: Complexes) -> Complexes:
        """Return places with less cost."""
        n, step = self.count, NUDGE
        steps = step * np.concatenate((np.eye(n), 1j * np.eye(n)))

        def jacobian(x: Floats) -> Floats:
            z: Complexes = (x[:n] + 1j * x[n:])[None]
            rates: Floats = (self._residuals(z + steps) - self._residuals(z)) / step
            return rates.T

        def residuals(x: Floats) -> Floats:
            z: Complexes = (x[:n] + 1j * x[n:])[None]
            wrong: Floats = self._residuals(z)[0]
            return wrong

        x = least_squares(residuals, np.concatenate((places.real, places.imag)), jacobian, max_nfev=EVALUATIONS).x
        found: Complexes = x[:n] + 1j * x[n:]
        return found

    def cost(self, places: Complexes) -> float:
        """Return what is wrong with a layout: half the sum of squares, and the number of crossings."""
        a, b = places[self.sides].T
        left = np.sign(_cross((b - a)[:, None], places - a[:, None]))
        across = left[:, self.sides[:, 0]] * left[:, self.sides[:, 1]] < 0
        crossings = np.count_nonzero(across & across.T & self.apart) / 2
        return float(0.5 * (self._residuals(places[None]) ** 2).sum() + crossings)

    def _residuals(self, places: Complexes) -> Floats:
        """Return what is wrong with layouts (k, n) as numbers (k, r): lengths, distances, corners and shapes."""
        a, b = places[:, self.sides[:, 0]], places[:, self.sides[:, 1]]
        length = np.abs(b - a)
        along, to = (b - a)[:, :, None], places[:, None, :] - a[:, :, None]
        share = np.clip((to * along.conj()).real / np.abs(along) ** 2, 0, 1)
        distance = np.abs(to - share * along)[:, self.foreign]
        wrong = [length - np.clip(length, 1, LONGEST), 2 * np.maximum(0, GAP - distance)]
        wrong += [2 * np.maximum(0, CORNER - _turns(places[:, list(ring)])) for ring in self.plates]
        wrong += [np.maximum(0, -_turns(places[:, list(ring)])) for ring in self.loops]
        fit = places @ self.shape.conj().T / self.square
        middle = places @ self.member.T / self.member.sum(axis=1)
        off = places[:, None, :] - middle[:, :, None] - fit[:, :, None] * self.shape
        off *= (self.keep / np.maximum(np.abs(fit), 0.3))[:, :, None]
        shapes = off[:, self.member]
        return np.concatenate((*wrong, shapes.real, shapes.imag), axis=1)


def _cross(a: Complexes, b: Complexes) -> Floats:
    return (a.conj() * b).imag


def _turns(corners: Complexes) -> Floats:
    """Return the sine of the turn at each corner of polygons (k, m), positive to the left."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    return _cross(side, after) / np.abs(side) / np.abs(after)
