"""Whether two structures are the same but for the names: isomorphism, and a fingerprint to sort many by.

A topology becomes a graph of typed vertices: links (the ground apart), joints by kind, drivers by kind. A joint is
a vertex and not an edge, so that a multiple joint is one thing; revolute joints on one pin are one vertex. What
the decomposition does not see makes no difference here either: names, the order of all lists, the sense of a
driver, and the joint beside which an angle driver sits.

Colours are refined as by Weisfeiler and Leman (1968), "The reduction of a graph to canonical form": a vertex takes
the colours of its neighbours into its own until no more are told apart. Equal graphs have equal colours; that
sorts out nearly all others, and leaves little to the search for the mapping: VF2, Cordella, Foggia, Sansone,
Vento (2004), "A (sub)graph isomorphism algorithm for matching large graphs", IEEE PAMI 26.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from structkin.model.topology import Topology, pin_of
from structkin.structure.result import KinematicStructure

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

#: Rounds of refinement: more are wanted only by long symmetric chains, whose rest is left to the search.
MOST_ROUNDS = 64


def isomorphic(
    a: KinematicStructure | Topology | Mechanism,
    b: KinematicStructure | Topology | Mechanism,
    *,
    with_drivers: bool = True,
    with_ground: bool = True,
) -> dict[str, str] | None:
    """Return the links of `b` by those of `a` if both are the same but for the names, else None.

    Without drivers the mechanisms are compared before anything drives them; without the ground as kinematic chains,
    whichever link is held: then the inversions of a chain are the same. Of several mappings, as of a symmetric
    mechanism, one is returned.

    >>> from structkin.model.topology import Joint
    >>> def four_bar(ground):
    ...     pairs = {"A": "01", "B": "12", "C": "23", "D": "30"}
    ...     return Topology(tuple("0123"), ground, tuple(Joint(id, "R", tuple(pair)) for id, pair in pairs.items()))
    >>> isomorphic(four_bar("0"), four_bar("1"))["0"]
    '1'
    """
    first, second = (_graph_of(topology_of(one), with_drivers, with_ground) for one in (a, b))
    if sorted(first.labels) != sorted(second.labels) or first.size != second.size:
        return None
    colours = first.colours(), second.colours()
    if Counter(colours[0]) != Counter(colours[1]):
        return None
    found = _match(first, second, colours)
    if found is None:
        return None
    return {link: second.links[found[number]] for number, link in enumerate(first.links)}


def fingerprint(
    one: KinematicStructure | Topology | Mechanism, *, with_drivers: bool = True, with_ground: bool = True
) -> str:
    """Return 32 hexadecimal digits, equal for all that is `isomorphic`; the same on every machine and in every run.

    Different fingerprints prove different structures. Equal ones nearly do: ask `isomorphic` for the proof.
    """
    graph = _graph_of(topology_of(one), with_drivers, with_ground)
    counted = sorted(Counter(graph.colours()).items())
    return blake2b(repr(counted).encode(), digest_size=16).hexdigest()


def topology_of(one: KinematicStructure | Topology | Mechanism) -> Topology:
    """Return the topology of a structure or mechanism; a topology as it is."""
    return one if isinstance(one, Topology) else one.topology


@dataclass
class _Graph:
    """Vertices by number, the links first in the user's order; `near` holds the neighbours of each."""

    links: tuple[str, ...]
    labels: list[str]
    near: list[list[int]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(map(len, self.near))

    def add(self, label: str) -> int:
        self.labels.append(label)
        self.near.append([])
        return len(self.labels) - 1

    def join(self, a: int, b: int) -> None:
        if b in self.near[a]:  # a pin that holds a link twice: told from one that holds it once
            again = self.add("again")
            self._tie(a, again)
            a = again
        self._tie(a, b)

    def _tie(self, a: int, b: int) -> None:
        self.near[a].append(b)
        self.near[b].append(a)

    def colours(self) -> list[bytes]:
        """Return a colour for each vertex, refined until no more are told apart."""
        colours = [_mixed(label.encode()) for label in self.labels]
        count = len(set(colours))
        for _ in range(MOST_ROUNDS):
            finer = [
                _mixed(own, *sorted([colours[other] for other in near]))
                for own, near in zip(colours, self.near, strict=True)
            ]
            colours, before, count = finer, count, len(set(finer))
            if count == before:
                break
        return colours


def _mixed(*parts: bytes) -> bytes:
    return blake2b(b"".join(parts), digest_size=16).digest()


def _graph_of(topology: Topology, with_drivers: bool, with_ground: bool) -> _Graph:
    fixed = topology.ground if with_ground else None
    graph = _Graph(topology.links, [])
    vertex = {link: graph.add("ground" if link == fixed else "link") for link in topology.links}
    for pin in _pins(topology):
        vertex.update(dict.fromkeys((f"@{id}" for id in pin), graph.add("R")))
    slides: dict[str, int] = {}
    for joint in topology.joints:
        home = vertex[f"@{joint.id}"] if joint.kind == "R" else graph.add(joint.kind)
        slides[joint.id] = home
        for end in joint.links:
            if vertex[end] != home:
                graph.join(home, vertex[end])
    for driver in topology.drivers if with_drivers else ():
        home = graph.add(driver.kind)
        ends = [vertex[end] for end in driver.links]
        if driver.kind == "slide" and driver.joint is not None:
            ends = [slides[driver.joint]]
        for end in ends:
            graph.join(home, end)
    return graph


def _pins(topology: Topology) -> list[list[str]]:
    """Return the revolute joints by pin: those attached to each other share one."""
    pin = {joint.id: [joint.id] for joint in topology.joints if joint.kind == "R"}
    for joint in topology.joints:
        for end in joint.links if joint.kind == "R" else ():
            other = pin_of(end)
            if other is not None and pin[other] is not pin[joint.id]:
                pin[joint.id] += pin[other]
                pin.update(dict.fromkeys(pin[other], pin[joint.id]))
    return list({id(ids): ids for ids in pin.values()}.values())


def _match(a: _Graph, b: _Graph, colours: tuple[list[bytes], list[bytes]]) -> dict[int, int] | None:
    """Return the vertices of `b` by those of `a`, colours and edges agreeing."""
    import networkx as nx

    if len(set(colours[0])) == len(colours[0]):
        # nothing is symmetric: the colours are the mapping
        place = {colour: number for number, colour in enumerate(colours[1])}
        found = {number: place[colour] for number, colour in enumerate(colours[0])}
        same = all({found[other] for other in near} == set(b.near[found[k]]) for k, near in enumerate(a.near))
        return found if same else None
    graphs = []
    for one, colour in zip((a, b), colours, strict=True):
        graph = nx.Graph()
        graph.add_nodes_from((number, {"colour": own}) for number, own in enumerate(colour))
        graph.add_edges_from((number, other) for number, near in enumerate(one.near) for other in near)
        graphs.append(graph)
    return nx.vf2pp_isomorphism(*graphs, node_label="colour")
