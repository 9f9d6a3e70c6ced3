"""The spanning tree of a model: joints that carry each body from the ground, and joints that close loops."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count

import networkx as nx

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND

#: The path of a body from the ground: joints, each with 1 if it is passed from its first body to its second, else -1.
Path = tuple[tuple[SpatialJoint, int], ...]


def outwards(
    bodies: Iterable[str], joints: Mapping[str, SpatialJoint], wanted: Collection[str] = ()
) -> Iterator[tuple[SpatialJoint | None, str, str]]:
    """Yield (joint, parent, child) from the ground outwards, then from each body that floats (Prim's algorithm).

    Joints with `cut=True` are used only where there is no other path. Those that are wanted or have a start are kept
    in the tree before others, and those of few degrees of freedom before those of many; otherwise the tree is breadth
    first. A body without a path to the ground has the joint None.
    """
    graph = nx.MultiGraph()
    graph.add_nodes_from([GROUND, *bodies])
    graph.add_edges_from((*joint.bodies, joint.name) for joint in joints.values())
    reached = set[str]()
    for root in list(graph):
        if root in reached:
            continue
        reached.add(root)
        if root != GROUND:
            yield None, GROUND, root
        met = count()
        open_joints: list[tuple[bool, bool, int, int, str, str, str]] = []
        parent: str | None = root
        while parent is not None:
            for _, child, name in graph.edges(parent, keys=True):
                joint = joints[name]
                idle = name not in wanted and not any(joint.start) and not any(joint.rates)
                heappush(open_joints, (joint.cut, idle, len(joint.motions), next(met), parent, child, name))
            parent = None
            while open_joints and parent is None:
                *_, first, child, name = heappop(open_joints)
                if child not in reached:
                    reached.add(child)
                    yield joints[name], first, child
                    parent = child


def paths(bodies: Iterable[str], joints: Mapping[str, SpatialJoint]) -> tuple[dict[str, Path], list[SpatialJoint]]:
    """Return the path of every body from the ground, a parent's before its children's, and the joints that close loops.

    A body that floats begins a path of its own.
    """
    used = set[str]()
    found: dict[str, Path] = {GROUND: ()}
    for joint, parent, child in outwards(bodies, joints):
        if joint is None:
            found[child] = ()
        else:
            used.add(joint.name)
            found[child] = (*found[parent], (joint, 1 if joint.bodies == (parent, child) else -1))
    return found, [joint for joint in joints.values() if joint.name not in used]
