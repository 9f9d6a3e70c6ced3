"""How the decomposition scales: a scalable four-bar and a random mechanism, measured here and now."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from structkin.structure import decompose, decompose_arrays
from structkin.structure.samples import random_mechanism, scalable_four_bar

FAMILIES = ("scalable-four-bar", "random")
STEPS = ("building", "orientation", "blocks", "certificate", "naming")
#: Up to so many links the smallest of three runs counts, and names and objects are measured too.
SMALL = 200_000
RUNS = 3


@dataclass(frozen=True)
class Decomposition:
    """One mechanism: times in seconds of the processor (`wall`: of the clock), memory in GiB."""

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

    `objects` is an ordinary `decompose` of the same, an object a joint and group, with the groups made; NaN if large.
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
    """Return the largest resident memory of this process so far [GiB]; NaN where the system does not tell."""
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
