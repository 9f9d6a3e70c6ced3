"""What a decomposition returns: groups in solve order, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import Problem
from structkin.model.topology import Topology, pin_of

if TYPE_CHECKING:
    import networkx as nx

    from structkin.structure.structure_arrays import StructureArrays


@dataclass(frozen=True, slots=True)
class Group:
    """A structural group: the smallest set of links that is solved at once from what is known before it.

    `links`, `joints` and `drivers` are in the user's order; a joint belongs to the group if one of its
    equations does. `level` is the longest way from the ground, `depends_on` the groups that own a link or
    pin used here. `composite_links` act as one link each; `class_`, `order` and `signature` are those of the
    group after this contraction, None where there is no such word. `kind` names the solver's case: "driven R",
    "driven P", a dyad's signature such as "RRP", "R-G" and the like for one link with a higher pair, "class
    III order 3", "pin" (a pin fixed by two higher pairs or distances, no link), or "general".

    `pins` are the shared pins that the group itself determines (ids of all joints on them), `exterior` its
    joints and drivers with one end known, each with the group that knows it (None: the ground), `known`
    the links at those ends.
    """

    index: int
    kind: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    drivers: tuple[str, ...]
    class_: str | None
    order: int | None
    signature: str | None
    composite_links: tuple[tuple[str, ...], ...]
    level: int
    depends_on: tuple[int, ...]
    pins: tuple[str, ...] = ()
    exterior: tuple[tuple[str, int | None], ...] = ()
    known: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The group in words: its number, kind and links."""
        return f"group {self.index + 1}, {self.kind} ({' + '.join(self.links)})"


@dataclass(frozen=True, slots=True)
class Redundancy:
    """One scalar equation that follows from others.

    `id` is the joint or driver it belongs to, `kind` "joint" or "driver", `equation` says which of its
    equations, `loop` names the joints and drivers (itself included) that share one equation too many.
    """

    id: str
    kind: str
    equation: str
    loop: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class FreePart:
    """Links that still move together: `missing` drivers, and the joints whose driving would remove a freedom.

    `idle`: one link spins about its only joint and moves nothing else.
    """

    links: tuple[str, ...]
    missing: int
    candidates: tuple[str, ...]
    idle: bool


@dataclass(frozen=True)
class KinematicStructure:
    """The groups of a topology in solve order; no length was read.

    `mobility` is the rank-based generic mobility of the joints alone (`Topology.mobility_count` is the bare count).
    `over` lists redundant equations, `under` the links that still move with the drivers given, in
    `missing_drivers` ways; `held` the links that stand still and yet belong to no group, because only the
    orientation of a link that moves holds them, or joints that are redundant. `arrays` is what `decompose_arrays`
    returned: the same in integers.
    """

    topology: Topology
    mobility: int
    groups: tuple[Group, ...]
    over: tuple[Redundancy, ...]
    under: tuple[str, ...]
    missing_drivers: int
    free_parts: tuple[FreePart, ...] = ()
    held: tuple[str, ...] = ()
    arrays: StructureArrays | None = field(default=None, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Make the groups when they are first asked for: for some purposes the arrays do."""
            if name != "groups" or self.__dict__.get("arrays") is None:
                raise AttributeError(f"'KinematicStructure' has no attribute '{name}'")
            object.__setattr__(self, "groups", self.arrays.groups())
            return self.groups

        def __dir__(self) -> list[str]:
            """List the groups also where they are not made yet."""
            return sorted({*super().__dir__(), "groups"})

    @property
    def is_solvable(self) -> bool:
        """Whether the groups determine every link, and no equation is redundant."""
        return not self.over and not self.under

    @property
    def moves_specially(self) -> bool:
        """Whether more drivers move it than its mobility says: by special dimensions, with joints to spare."""
        joints_only = all(item.kind == "joint" for item in self.over)
        return joints_only and not self.under and self.mobility < len(self.topology.drivers)

    @property
    def mobility_in_words(self) -> str:
        """The mobility, and that by special dimensions where it moves by them."""
        if not self.moves_specially:
            return f"mobility {self.mobility}"
        return f"mobility {self.mobility} by the joints alone, {len(self.topology.drivers)} by special dimensions"

    @cached_property
    def kinstr(self) -> NDArray[np.int8]:
        """The matrix KinStr (links, groups), links in the user's order with the ground among them.

        +1: the link belongs to the group; -1: a known neighbour that feeds it (the ground included; on a shared pin
        that a group determines, the links of that group at the pin); 0: neither. The picture is that of Saura et
        al., "Computational kinematics of multibody systems: the advantages of a topological method based
        on its kinematic structure"; the layout is ours.
        """
        row = {link: index for index, link in enumerate(self.topology.links)}
        matrix = np.zeros((len(row), len(self.groups)), dtype=np.int8)
        for column, group in enumerate(self.groups):
            matrix[[row[link] for link in group.known], column] = -1
            matrix[[row[link] for link in group.links], column] = 1
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def diagnostics(self) -> tuple[Problem, ...]:
        """What is wrong, in words to act on: redundant equations with their loop, links that still move."""
        from structkin.structure.diagnostics import diagnose

        return diagnose(self)

    @cached_property
    def graph(self) -> nx.Graph:
        """The graph of the links (networkx); edges carry `joints`, readable by `Topology.from_adjacency`: "R:A,P:s".

        All pairs of a multiple joint are edges with the same id. Nodes carry `group` (index or None) and `ground`.
        Joints attached to a pin are no pair of links: they are listed in the graph's attribute `attached`.
        """
        import networkx as nx

        topology = self.topology
        home = {link: group.index for group in self.groups for link in group.links}
        graph = nx.Graph(title=topology.title, attached=[], drivers=[driver.id for driver in topology.drivers])
        for link in topology.links:
            graph.add_node(link, group=home.get(link), ground=link == topology.ground)
        for joint in topology.joints:
            if any(pin_of(end) is not None for end in joint.links):
                graph.graph["attached"].append(joint.id)
            links = [end for end in joint.links if pin_of(end) is None]
            for a, b in combinations(links, 2):
                text = f"{joint.kind}:{joint.id}"
                old = graph.edges[a, b]["joints"] + "," if graph.has_edge(a, b) else ""
                graph.add_edge(a, b, joints=old + text)
        return graph

    @cached_property
    def dag(self) -> nx.DiGraph:
        """The groups as a directed graph (networkx), an edge from each to those that use it.

        Nodes are indices with `kind`, `links`, `level`.
        """
        import networkx as nx

        graph = nx.DiGraph()
        for group in self.groups:
            graph.add_node(group.index, kind=group.kind, links=group.links, level=group.level)
        graph.add_edges_from((need, group.index) for group in self.groups for need in group.depends_on)
        return graph

    def group_of(self, link: str) -> Group | None:
        """Return the group that determines a link; None for the ground and for links that still move."""
        return self._home.get(link)

    @cached_property
    def _home(self) -> dict[str, Group]:
        return {link: group for group in self.groups for link in group.links}

    def explain(self) -> str:
        """Return the solve order in words, one line a group, and then what is wrong."""
        from structkin.structure.diagnostics import explain

        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: title, mobility, links, groups, kinstr and diagnostics."""
        return {
            "title": self.topology.title,
            "mobility": self.mobility,
            "links": list(self.topology.links),
            "groups": [
                {
                    "kind": group.kind,
                    "links": list(group.links),
                    "joints": list(group.joints),
                    "drivers": list(group.drivers),
                    "class": group.class_,
                    "order": group.order,
                    "signature": group.signature,
                    "composite_links": [list(links) for links in group.composite_links],
                    "level": group.level,
                    "depends_on": list(group.depends_on),
                }
                for group in self.groups
            ],
            "kinstr": self.kinstr.tolist(),
            "diagnostics": {
                "over": [
                    {
                        "id": one.id,
                        "kind": one.kind,
                        "equation": one.equation,
                        "loop": list(one.loop),
                        "message": one.message,
                    }
                    for one in self.over
                ],
                "under": list(self.under),
                "missing_drivers": self.missing_drivers,
            },
        }
