"""Whether two structures are the same except for names: isomorphism, and a fingerprint for sorting.

A topology becomes a graph of typed vertices: links (with the ground distinguished), joints by kind, drivers by kind. A
joint is a vertex and not an edge, so that a multiple joint is one vertex; revolute joints on one pin are one vertex,
too. So is a point at which several slots, contacts or distances act. Whatever does not affect the decomposition is
ignored: names, the order of lists, the sense of a driver, and the joint that an angle driver names.

Colours are refined by the method of Weisfeiler and Leman (1968), "The reduction of a graph to canonical form": a
vertex's colour absorbs those of its neighbours until no further vertices are distinguished. If some remain alike, one
is singled out and tried against each similar vertex of the other graph, refining again (McKay, Piperno (2014),
"Practical graph isomorphism, II"). The VF2 search of networkx was tried: starting from the ground, to which everything
is connected, it tries all orders of a chain's pivots, and never finishes on a chain of a hundred dyads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from structkin.checked import checked
from structkin.model.topology import Topology, pin_of
from structkin.structure.result import KinematicStructure

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


@checked
def isomorphic(
    a: KinematicStructure | Topology | Mechanism,
    b: KinematicStructure | Topology | Mechanism,
    *,
    with_drivers: bool = True,
    with_ground: bool = True,
) -> dict[str, str] | None:
    """Return a mapping from the links of `a` to those of `b` if both are the same except for names, else None.

    `with_drivers=False` ignores drivers; `with_ground=False` compares kinematic chains regardless of the fixed link, so
    that the inversions of a chain are the same. If several mappings exist, as for a symmetric mechanism, one is
    returned.

    >>> from structkin.model.topology import Joint
    >>> def four_bar(ground):
    ...     pairs = {"A": "01", "B": "12", "C": "23", "D": "30"}
    ...     return Topology(tuple("0123"), ground, tuple(Joint(id, "R", tuple(pair)) for id, pair in pairs.items()))
    >>> isomorphic(four_bar("0"), four_bar("1"))["0"]
    '1'
    """
    first, second = (_graph_of(topology_of(one), with_drivers, with_ground) for one in (a, b))
    found = _match(first, second)
    if found is None:
        return None
    return {link: second.links[found[number]] for number, link in enumerate(first.links)}


@checked
def fingerprint(
    one: KinematicStructure | Topology | Mechanism, *, with_drivers: bool = True, with_ground: bool = True
) -> str:
    """Return 32 hexadecimal digits, equal for all `isomorphic` structures, on every machine and in every run.

    Different fingerprints prove different structures. Equal ones are strong evidence; `isomorphic` is the proof.
    """
    graph = _graph_of(topology_of(one), with_drivers, with_ground)
    colours = graph.refined()
    # the neighbours of each colour contain all the information of the refinement
    seen = Counter(graph.mixed(vertex, colours) for vertex in range(len(colours)))
    return blake2b(repr(sorted(seen.items())).encode(), digest_size=16).hexdigest()


def topology_of(one: KinematicStructure | Topology | Mechanism) -> Topology:
    """Return the topology of a structure or mechanism; a topology is returned unchanged."""
    return one if isinstance(one, Topology) else one.topology


@dataclass
class _Graph:
    """Vertices by number, the links first in the user's order; `near` holds the neighbours of each."""

    links: tuple[str, ...]
    labels: list[str] = field(default_factory=list)
    near: list[list[int]] = field(default_factory=list)

    def add(self, label: str) -> int:
        self.labels.append(label)
        self.near.append([])
        return len(self.labels) - 1

    def join(self, a: int, b: int) -> None:
        if b in self.near[a]:  # a pin that joins a link twice differs from one that joins it once
            again = self.add("again")
            self._tie(a, again)
            a = again
        self._tie(a, b)

    def _tie(self, a: int, b: int) -> None:
        self.near[a].append(b)
        self.near[b].append(a)

    def mixed(self, vertex: int, colours: list[bytes]) -> bytes:
        """Return a vertex's colour combined with those of its neighbours."""
        return _digest(colours[vertex], *sorted([colours[other] for other in self.near[vertex]]))

    def refined(self) -> list[bytes]:
        """Return a colour for each vertex, refined until no further vertices are distinguished."""
        colours = [_digest(label.encode()) for label in self.labels]
        self.refine(colours, range(len(colours)))
        return colours

    def refine(self, colours: list[bytes], fresh: Iterable[int]) -> None:
        """Refine colours in place, from vertices whose neighbours have changed.

        Only these, and then the neighbours of vertices that left the largest part of their class, are examined, so that
        a long chain is distinguished from its ends in a few steps per link.
        """
        alike = Counter(colours)
        touched = set(fresh)
        while touched:
            parts: defaultdict[bytes, dict[int, bytes]] = defaultdict(dict)
            for vertex in touched:
                if alike[colours[vertex]] > 1:
                    parts[colours[vertex]][vertex] = self.mixed(vertex, colours)
            touched = set()
            for old, finer in parts.items():
                new = finer
                if len(finer) == alike[old]:  # all are touched: the largest part keeps the colour
                    sizes = Counter(finer.values())
                    kept = max(sorted(sizes), key=sizes.__getitem__)
                    new = {vertex: colour for vertex, colour in finer.items() if colour != kept}
                alike[old] -= len(new)
                alike.update(new.values())
                for vertex, colour in new.items():
                    colours[vertex] = colour
                    touched.update(self.near[vertex])


def _digest(*parts: bytes) -> bytes:
    return blake2b(b"".join(parts), digest_size=16).digest()


def _graph_of(topology: Topology, with_drivers: bool, with_ground: bool) -> _Graph:
    graph = _Graph(topology.links)
    fixed = topology.ground if with_ground else None
    vertex = {link: graph.add("ground" if link == fixed else "link") for link in topology.links}
    for ids in pins_of(topology):
        vertex.update(dict.fromkeys((f"@{id}" for id in ids), graph.add("R")))
    home: dict[str, int] = {}
    acting: list[tuple[int, str, str]] = []  # a joint or driver, the end on which it acts, and at which point
    for joint in topology.joints:
        home[joint.id] = vertex[f"@{joint.id}"] if joint.kind == "R" else graph.add(joint.kind)
        for end in joint.links:
            if vertex[end] != home[joint.id]:
                graph.join(home[joint.id], vertex[end])
        acting += [(home[joint.id], *one) for one in zip(joint.links, joint.at, strict=False)]
    for driver in topology.drivers if with_drivers else ():
        ends = [vertex[end] for end in driver.links]
        if driver.kind == "slide" and driver.joint is not None:
            ends = [home[driver.joint]]
        number = graph.add(driver.kind)
        for place in ends:
            graph.join(number, place)
        acting += [(number, *one) for one in zip(driver.links, driver.at, strict=False)]
    acting = [one for one in acting if one[2] and pin_of(one[1]) is None]
    times = Counter(point for _, _, point in acting)
    spots = {id: vertex[f"@{id}"] for id in home if f"@{id}" in vertex}
    for number, end, point in acting:
        if point not in spots and times[point] > 1:
            spots[point] = graph.add("point")
        if point in spots:
            there = graph.add("at")
            for near in (number, vertex[end], spots[point]):
                graph.join(there, near)
    return graph


def pins_of(topology: Topology) -> list[list[str]]:
    """Return the revolute joints grouped by pin: joints attached to each other share one."""
    pin = {joint.id: [joint.id] for joint in topology.joints if joint.kind == "R"}
    for joint in topology.joints:
        for end in joint.links if joint.kind == "R" else ():
            other = pin_of(end)
            if other is not None and pin[other] is not pin[joint.id]:
                pin[joint.id] += pin[other]
                pin.update(dict.fromkeys(pin[other], pin[joint.id]))
    return list({id(ids): ids for ids in pin.values()}.values())


def _match(a: _Graph, b: _Graph) -> list[int] | None:
    """Return the vertex of `b` for each vertex of `a`, with matching labels and edges; None if there is no match."""
    colours = a.refined(), b.refined()
    trials: list[Iterator[tuple[list[bytes], list[bytes]]]] = [iter([colours])]
    while trials:
        ours, theirs = next(trials[-1], ([], []))
        if not ours:
            trials.pop()
        elif Counter(ours) == Counter(theirs):
            odd = _of_smallest_class(ours)
            if odd is not None:
                trials.append(_singled_out(a, b, ours, theirs, odd))
                continue
            place = {colour: number for number, colour in enumerate(theirs)}
            found = [place[colour] for colour in ours]
            if all(sorted(found[k] for k in near) == sorted(b.near[found[v]]) for v, near in enumerate(a.near)):
                return found
    return None


def _of_smallest_class(colours: list[bytes]) -> int | None:
    """Return the first vertex of the smallest class of two or more; None if all vertices are distinguished."""
    alike = Counter(colours)
    several = [(alike[colour], vertex) for vertex, colour in enumerate(colours) if alike[colour] > 1]
    return min(several)[1] if several else None


def _singled_out(
    a: _Graph, b: _Graph, ours: list[bytes], theirs: list[bytes], odd: int
) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Yield refined colours with vertex `odd` of `a` singled out, paired with each similar vertex of `b`."""
    colour = ours[odd]
    mark = _digest(colour, b"singled out")
    mine = [*ours]
    mine[odd] = mark
    a.refine(mine, a.near[odd])
    for other in [vertex for vertex, one in enumerate(theirs) if one == colour]:
        trial = [*theirs]
        trial[other] = mark
        b.refine(trial, b.near[other])
        yield mine, trial
