"""How the decomposition scales: a scalable four-bar and a random mechanism, measured here and now."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from structkin.structure import decompose, decompose_arrays
from structkin.structure.arrays import KINDS, P, R, TopologyArrays
from structkin.types import Ints

FAMILIES = ("scalable-four-bar", "random")
STEPS = ("building", "orientation", "blocks", "certificate", "naming")
#: Up to this many links the fastest of three runs counts, and names and objects are measured too.
SMALL = 200_000
RUNS = 3


@dataclass(frozen=True)
class Decomposition:
    """One mechanism: processor times [s] (`wall`: wall-clock time), memory in GiB."""

    family: str
    links: int
    joints: int
    groups: int
    levels: int
    solvable: bool
    building: float
    orientation: float
    blocks: float
    certificate: float
    naming: float
    total: float
    wall: float
    objects: float
    memory: float


def measure(family: str, links: int, seed: int = 0) -> Decomposition:
    """Build a mechanism and decompose it, certificate included.

    `objects` is an ordinary `decompose` of the same, with an object for each joint and group; NaN if large.
    """
    topology = scalable_four_bar(links) if family == FAMILIES[0] else random_mechanism(links, seed)
    best: tuple[float, float, dict[str, float]] | None = None
    for _ in range(RUNS if links <= SMALL else 1):
        wall, began = time.perf_counter(), time.process_time()
        found = decompose_arrays(topology)
        spent = time.process_time() - began, time.perf_counter() - wall, dict(found.seconds)
        best = spent if best is None or spent < best else best
    assert best is not None
    memory = peak_memory()
    objects = math.nan
    if links <= SMALL:
        ordinary = topology.to_topology()
        began = time.process_time()
        assert len(decompose(ordinary).groups) == found.n_groups
        objects = time.process_time() - began
    return Decomposition(
        family=family,
        links=topology.n_links,
        joints=topology.n_joints,
        groups=found.n_groups,
        levels=int(found.level.max(initial=-1)) + 1,
        solvable=found.is_solvable,
        **{step: best[2].get(step, 0.0) for step in STEPS},
        total=best[0],
        wall=best[1],
        objects=objects,
        memory=memory,
    )


def peak_memory() -> float:
    """Return the largest resident memory of this process so far [GiB]; NaN if the system does not report it."""
    try:
        import resource
    except ImportError:
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2 ** (30 if sys.platform == "darwin" else 20)


def exponent(small: Decomposition, large: Decomposition) -> float:
    """Return p of time ~ links^p between two measurements."""
    return math.log(large.total / small.total) / math.log(large.links / small.links)


def table_lines(found: Sequence[Decomposition]) -> list[tuple[str, ...]]:
    """Return the cells of a table, after a line of headings."""
    heads = ("mechanism", "links", "groups", "levels", *STEPS, "total", "wall", "objects", "GiB", "exponent")
    lines: list[tuple[str, ...]] = [heads]
    for before, one in zip([None, *found], found, strict=False):
        grows = "" if before is None or before.family != one.family else f"{exponent(before, one):.2f}"
        times = [getattr(one, step) for step in (*STEPS, "total", "wall", "objects", "memory")]
        name = one.family if one.solvable else f"{one.family} (not solvable!)"
        figures = ("" if math.isnan(time) else f"{time:.2f}" for time in times)
        lines.append((name, str(one.links), str(one.groups), str(one.levels), *figures, grows))
    return lines


# --- the mechanisms --------------------------------------------------------------------------------------

#: Dyads: the kinds of the first exterior, the interior and the second exterior joint. (PPP is none.)
DYADS = ("RRR", "RRP", "PRR", "RPR", "PRP", "RPP", "PPR")
#: Legs of a triad: the exterior joint and the one at its platform.
LEGS = ("RR", "RP", "PR")


def scalable_four_bar(links: int) -> TopologyArrays:
    """Return a crank and dyads, each attached to the interior pin of the one before, with its rocker on the ground.

    There are about `links` links in total. The pins between the dyads are multiple joints of three links.

    >>> four = scalable_four_bar(8)
    >>> four, four.ends_of(2), four.mobility_count
    (<TopologyArrays 'scalable four-bar': 8 links, 8 joints, 1 driver>, [2, 3, 4], 1)
    """
    k = max(1, (links - 2) // 2)
    coupler = 2 + 2 * np.arange(k)
    pin, rocker = 1 + np.arange(k), 2 + k + np.arange(k)  # joints: before each dyad, and of each rocker on the ground
    pairs = [
        ([0, 0, 1], [0, 1, 1]),
        (pin, coupler),
        (pin + 1, coupler),
        (pin + 1, coupler + 1),
        (rocker, coupler + 1),
        (rocker, 0 * coupler),
    ]
    joint, end = (np.concatenate([np.asarray(pair[side]) for pair in pairs]) for side in (0, 1))
    start, ends = _by_joint(joint, end, 2 * k + 2)
    return TopologyArrays(2 * k + 2, np.full(2 * k + 2, R), ends, start, title="scalable four-bar").driven_at([0])


def _by_joint(joint: Ints, end: Ints, count: int) -> tuple[Ints, Ints]:
    order = np.lexsort((end, joint))
    return np.searchsorted(joint[order], np.arange(count + 1)), end[order]


def random_mechanism(links: int, seed: int = 0, *, shuffle: bool = True) -> TopologyArrays:
    """Return a random mechanism of about `links` links whose groups are known, since it is built from them.

    They are driven links, dyads of all kinds, triads, and dyads with a cylinder, each attached to earlier links and
    pins. With `shuffle` the links, joints and drivers are listed in a random order.

    >>> random_mechanism(1000).mobility_count == random_mechanism(1000).n_drivers
    True
    """
    rng = np.random.default_rng(seed)
    size_of = np.array([1, 2, 3, 4])  # driven link, dyad, dyad with a cylinder, triad
    sort = np.concatenate([[0], rng.choice(4, size=links, p=[0.1, 0.6, 0.15, 0.15])])
    first = 1 + np.concatenate([[0], np.cumsum(size_of[sort])])
    count = max(1, int(np.searchsorted(first, links, side="right")) - 1)
    n, sort, first = int(first[count]), sort[:count], first[:count]
    group: list[Ints] = []
    kind: list[Ints] = []
    ends: list[Ints] = []
    place: list[int] = []  # -1: an interior joint; 0, 1, ..: an exterior one of its group
    drives: list[int] = []

    def join(groups: Ints, kinds: Ints, a: Ints, b: Ints, at: int = -1, driven: bool = False) -> None:
        group.append(groups)
        kind.append(kinds)
        ends.append(np.stack([a, b], axis=1))
        place.append(at)
        drives.append(driven)

    def base(groups: Ints) -> Ints:
        return rng.integers(0, first[groups])

    letter = {name: code for code, name in enumerate(KINDS)}
    driven, dyads, cylinders, triads = (np.flatnonzero(sort == k) for k in range(4))
    a = first[driven]
    join(driven, np.where(rng.random(len(driven)) < 0.2, P, R), base(driven), a, at=0, driven=True)
    plan = np.array([[letter[x] for x in name] for name in DYADS])[rng.integers(0, len(DYADS), len(dyads))]
    a = first[dyads]
    join(dyads, plan[:, 0], base(dyads), a, at=0)
    join(dyads, plan[:, 1], a, a + 1)
    join(dyads, plan[:, 2], a + 1, base(dyads), at=1)
    a, same = first[cylinders], np.ones(len(cylinders), dtype=np.int64)
    join(cylinders, R * same, base(cylinders), a, at=0)
    join(cylinders, P * same, a, a + 1, driven=True)
    join(cylinders, R * same, a + 1, a + 2)
    join(cylinders, R * same, a + 2, base(cylinders), at=1)
    a = first[triads]
    for leg in range(3):
        plan = np.array([[letter[x] for x in name] for name in LEGS])[rng.integers(0, len(LEGS), len(triads))]
        join(triads, plan[:, 0], base(triads), a + leg, at=leg)
        join(triads, plan[:, 1], a + leg, a + 3)

    counts = [len(one) for one in group]
    groups, kinds, pairs = np.concatenate(group), np.concatenate(kind), np.concatenate(ends)
    where, moved = np.repeat(place, counts), np.repeat(drives, counts).astype(bool)
    order = np.argsort(groups, kind="stable")
    groups, kinds, pairs, where, moved = (one[order] for one in (groups, kinds, pairs, where, moved))

    # sometimes the first exterior joint is not a separate joint, but one more link on an interior pin
    pins = np.flatnonzero((where == -1) & (kinds == R))
    earlier = np.searchsorted(groups[pins], groups)
    attached = np.flatnonzero((where == 0) & (kinds == R) & ~moved & (earlier > 0) & (rng.random(len(groups)) < 0.3))
    target = pins[rng.integers(0, earlier[attached])]
    own = np.ones(len(groups), dtype=np.bool_)
    own[attached] = False
    number = np.cumsum(own) - 1
    joint = np.concatenate([np.repeat(number[own], 2), number[target]])
    end = np.concatenate([pairs[own].ravel(), pairs[attached, 1]])
    kinds, moved = kinds[own], np.flatnonzero(moved[own])
    ground = 0
    if shuffle:
        link, place_of = rng.permutation(n), rng.permutation(len(kinds))
        end, joint, ground = link[end], place_of[joint], int(link[0])
        kinds = kinds[np.argsort(place_of)]
        moved = rng.permutation(place_of[moved])
    start, flat = _by_joint(joint, end, len(kinds))
    return TopologyArrays(n, kinds, flat, start, ground, title="random mechanism").driven_at(moved)
