"""Type synthesis: every kinematic chain of revolute joints once, and its inversions.

A chain is a graph: links are vertices, joints are edges. Its mobility is 3 (n - 1) - 2 e for n links and e joints; no
proper part of k links is rigid, 3 (k - 1) - 2 e_k >= 1, and every link has two joints or more.

A chain of L loops is one of L - 1 loops with a string of links added between two of its links (an open ear), or, where
one link or joint holds its parts together (a fractionated chain), a loop added to one link, directly or by a string
(Whitney, "Non-separable and planar graphs", Trans. AMS 34, 1932, for chains that are not fractionated). So chains grow
loop by loop from single loops, and what is isomorphic to a chain found before is dropped. With the mobility 0 these are
Baranov's trusses, and their inversions the structural groups: fix a link of a truss, and the others are a group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np

from structkin.checked import checked
from structkin.errors import Problem, raise_problems
from structkin.model.topology import Joint, Topology
from structkin.structure.inputs.ranked_inputs import InputChoice, verdict_of
from structkin.structure.isomorphism import fingerprint, isomorphic
from structkin.structure.result import decompose

#: The joints of a chain: pairs of links, numbered from 0.
_Edges = tuple[tuple[int, int], ...]

#: More links would take hours.
MOST = 12


@checked
def chains(links: int, mobility: int = 1, *, fractionated: bool = True) -> tuple[Topology, ...]:
    """Return every kinematic chain of this many links and this mobility, once each, with simple revolute joints.

    The first link is the ground of each topology; `inversions` fixes the others. Mobility 0 gives Baranov's trusses.
    `fractionated=False` omits chains that fall apart if one link or joint is removed. They come in the order of their
    links with most joints. Chains of 10 links take some seconds, those of 12 minutes.

    Raises `InputError` if there are no such chains, or more than 12 links.

    >>> [len(chains(n)) for n in (4, 6, 8)], len(chains(7, 2)), len(chains(7, 2, fractionated=False))
    ([1, 2, 16], 4, 3)
    >>> chains(6)[0].title, [len(inversions(chain)) for chain in chains(6)]
    ('chain 1 of 2: 6 links, mobility 1', [2, 3])
    """
    raise_problems(list(_problems(links, mobility)), "chains")
    loops = (links - 1 - mobility) // 2
    level = [_loop(size) for size in range(3, links + 1) if _fits(_loop(size), mobility if loops == 1 else None)]
    for loop in range(2, loops + 1):
        whole = loop == loops
        grown = (new for old in level for new in _grown(old, links, whole=whole, fractionated=fractionated))
        level = _distinct(new for new in grown if _fits(new, mobility if whole else None))
    found = sorted((edges for edges in level if _size(edges) == links), key=_order)
    return tuple(
        _topology(edges, f"chain {k} of {len(found)}: {links} links, mobility {mobility}")
        for k, edges in enumerate(found, 1)
    )


@checked
def inversions(chain: Topology) -> tuple[Topology, ...]:
    """Return the mechanisms that a chain gives with one link after the other as the ground, each different one once.

    >>> (watt, stephenson) = chains(6)
    >>> [one.ground for one in inversions(watt)]
    ['0', '2']
    """
    found: list[Topology] = []
    for link in chain.links:
        new = Topology(chain.links, link, chain.joints, chain.drivers, chain.title)
        if not any(isomorphic(new, old) for old in found):
            found.append(new)
    return tuple(found)


@checked
@dataclass(frozen=True)
class AtlasEntry:
    """A mechanism of the atlas: the number of its `chain`, and what drives it, with its structure.

    `inputs` are the driven joints, each set of them that gives groups of the same kinds at the same levels; `choice` is
    the first set, with the topology and its structure. A truss has none, and its structure is one structural group.
    """

    chain: int
    inputs: tuple[str, ...]
    choice: InputChoice

    @property
    def topology(self) -> Topology:
        """Links, joints, the ground and the first set of inputs."""
        return self.choice.topology

    @property
    def assortment(self) -> tuple[int, ...]:
        """The numbers of links with two, three, four, ... joints."""
        joints = Counter(Counter(link for joint in self.topology.joints for link in joint.links).values())
        return tuple(joints[count] for count in range(2, max(joints) + 1))


@checked
def atlas(
    links: int, mobility: int = 1, *, fractionated: bool = True, progress: Callable[[float], None] | None = None
) -> tuple[AtlasEntry, ...]:
    """Return the mechanisms of every kinematic chain: its inversions, driven at its joints, with their groups.

    With the mobility 0 they are the structural groups of `links` - 1 links themselves. Raises `InputError` as `chains`
    does.

    >>> for entry in atlas(6):
    ...     if entry.topology.ground == "0" and entry.chain == 2:
    ...         print(entry.choice.highest_class, entry.choice.kinds, entry.inputs)
    II ('driven R', 'RRR', 'RRR') ('J0', 'J3')
    II ('RRR', 'RRR') ('J1', 'J2')
    III ('driven R', 'class III order 3') ('J4',)
    III ('class III order 3',) ('J5', 'J6')
    """
    made: list[AtlasEntry] = []
    found = chains(links, mobility, fractionated=fractionated)
    for number, chain in enumerate(found, 1):
        for inversion in inversions(chain):
            if mobility:
                limit = comb(len(inversion.joints), mobility)
                for choices in inversion.rank_inputs(kinds=("angle",), limit=limit).distinct():
                    labels = tuple(choice.label for choice in choices)
                    made.append(AtlasEntry(number, labels, choices[0]))
            else:
                verdict = verdict_of(decompose(inversion), frozenset())
                made.append(AtlasEntry(number, (), InputChoice((), verdict, False, inversion)))
        if progress is not None:
            progress(number / len(found))
    return tuple(made)


def _problems(links: int, mobility: int) -> Iterator[Problem]:
    if mobility < 0:
        yield Problem("mobility", "is negative: such chains are rigid with forces between their joints", "0 or more")
    if not 3 <= links <= MOST:
        yield Problem("links", f"{links} is not a supported number of links", f"3 to {MOST}")
    elif mobility >= 0 and ((links - 1 - mobility) % 2 or links < mobility + 3):
        parity = "odd" if mobility % 2 == 0 else "even"
        hint = f"with the mobility {mobility} the number of links is {parity} and at least {mobility + 3}"
        yield Problem("links", f"no chain of {links} links has the mobility {mobility}", hint)


def _size(edges: _Edges) -> int:
    """Return the number of links."""
    return 1 + max(map(max, edges))


def _loop(size: int) -> _Edges:
    return tuple((k, (k + 1) % size) for k in range(size))


def _grown(edges: _Edges, links: int, *, whole: bool, fractionated: bool) -> Iterator[_Edges]:
    """Yield the chains with one more loop and at most this many links; if they are to be `whole`, just as many."""
    size, joined = _size(edges), {frozenset(pair) for pair in edges}
    for more in range(links - size if whole else 0, links - size + 1):
        for a in range(size):
            for b in range(a + 1, size):
                if more or frozenset((a, b)) not in joined:
                    yield edges + _string(a, size, more, b)
            if fractionated:
                # a loop of `around` new links, the first of which is a string away, or which shares the link a
                if more >= 2:
                    yield edges + _string(a, size, more, a)
                for around in range(3, more + 1):
                    first = size + more - around
                    ring = tuple((first + k, first + (k + 1) % around) for k in range(around))
                    yield edges + _string(a, size, more - around, first) + ring


def _string(a: int, first: int, count: int, b: int) -> _Edges:
    """Return the joints of a string of new links from link a to link b."""
    places = [a, *range(first, first + count), b]
    return tuple(pairwise(places))


def _fits(edges: _Edges, mobility: int | None) -> bool:
    """Return whether no proper part is rigid, and the whole has this mobility, or as a part of a chain one at least."""
    near = np.zeros(_size(edges), np.int64)
    for a, b in edges:
        near[a] |= 1 << b
        near[b] |= 1 << a
    # Links and joints of each subset of the links so far, numbered by its bits; a new link has joints with those of
    # its neighbours that are in the subset.
    inside, size = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for neighbours in near:
        others = np.arange(len(inside)) & neighbours
        inside, size = np.append(inside, inside + size[others]), np.append(size, size + 1)
    free = 3 * (size - 1) - 2 * inside
    part = free[:-1][size[:-1] >= 2]
    return bool((part >= 1).all() and (free[-1] >= 1 if mobility is None else free[-1] == mobility))


def _distinct(found: Iterator[_Edges]) -> list[_Edges]:
    """Return one of each class of isomorphic chains."""
    classes: defaultdict[str, list[tuple[_Edges, Topology]]] = defaultdict(list)
    for edges in found:
        topology = _topology(edges)
        alike = classes[fingerprint(topology, with_ground=False)]
        if not any(isomorphic(topology, old, with_ground=False) for _, old in alike):
            alike.append((edges, topology))
    return [edges for alike in classes.values() for edges, _ in alike]


def _topology(edges: _Edges, title: str = "") -> Topology:
    links = tuple(map(str, range(_size(edges))))
    joints = tuple(Joint(f"J{k}", "R", (str(a), str(b))) for k, (a, b) in enumerate(edges))
    return Topology(links, "0", joints, (), title)


def _order(edges: _Edges) -> tuple[list[int], str]:
    """Return what chains are sorted by: the numbers of joints of their links, then what is the same in every run."""
    joints = sorted(np.bincount(np.array(edges).ravel()).tolist())
    return joints, fingerprint(_topology(edges), with_ground=False)
