"""Composite links: links of one group that its own joints and drivers already make rigid.

A hydraulic cylinder is two links whose length is driven: rigid in itself, it acts as one link of its group,
and only then is an excavator's boom the dyad that engineers see.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.structure.eliminate import eliminate, solve_back
from structkin.structure.geometry import PRIME
from structkin.structure.repair import System


def rigid_clusters(system: System, vertices: Sequence[int], inner: Sequence[int], n_bodies: int) -> list[list[int]]:
    """Return the clusters (two links or more) that move as one in every motion the inner rows allow.

    `vertices` are those of one group, `inner` the rows between two of them. Links belong together if their
    twists agree in a random motion of the group set free from its surroundings. A cluster that is
    the whole group is none: there would be nothing left to classify.
    """
    bodies = [v for v in vertices if v < n_bodies]
    if len(bodies) < 3:
        return []
    columns = system.columns(vertices)
    pivots = eliminate([system.entries(r) for r in inner], frozenset(columns))[0]
    bound = {column for column, _ in pivots}
    draw = np.random.default_rng([len(columns), 19_70])
    motion = {c: int(draw.integers(1, PRIME)) for c in columns if c not in bound}
    solve_back(pivots, motion)
    clusters: dict[tuple[int, ...], list[int]] = {}
    for body in bodies:
        clusters.setdefault(tuple(motion[c] for c in system.columns([body])), []).append(body)
    return [cluster for cluster in clusters.values() if 1 < len(cluster) < len(bodies)]
