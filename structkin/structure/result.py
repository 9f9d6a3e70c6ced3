"""The result of a decomposition: groups in solve order, and problems; as networkx graphs and plain data too.

The coordinates of each group have names: the dependent phi that it determines from the independent h (S2, sec. 2).
Natural coordinates wherever there are pins: a pin J gives x_J, y_J. Two pins locate a link; with fewer it has its angle
theta_link too, and without any also x_link, y_link. So a crank A-B has phi = (x_B, y_B) from h = (x_A, y_A, motor), and
the dyad after it phi = (x_C, y_C) from h = (x_B, y_B, x_D, y_D).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from structkin.checked import checked
from structkin.errors import Problem
from structkin.model.adjacency import joined
from structkin.model.topology import Topology, pin_of
from structkin.structure.arrays import TopologyArrays
from structkin.structure.decompose import decompose_arrays
from structkin.structure.explain import diagnose, explain
from structkin.structure.parts import FreePart, Group, Redundancy
from structkin.structure.structure_arrays import StructureArrays

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.figure import Figure

    from structkin.model.mechanism import Mechanism

# --- graphs and plain data -----------------------------------------------------------------------------------------


def link_graph(structure: KinematicStructure) -> nx.Graph:
    """Return the graph of the links; an edge's `joints` is text such as "R:A,P:s".

    All pairs of a multiple joint are edges with the same id. Nodes have `group` (index or None) and `ground`. Joints
    attached to a pin do not connect two links: they are listed in the graph's attribute `attached`.
    """
    import networkx as nx

    topology = structure.topology
    home = {link: group.index for group in structure.groups for link in group.links}
    graph = nx.Graph(title=topology.title, attached=[], drivers=[driver.id for driver in topology.drivers])
    for link in topology.links:
        graph.add_node(link, group=home.get(link), ground=link == topology.ground)
    for joint in topology.joints:
        if any(pin_of(end) is not None for end in joint.links):
            graph.graph["attached"].append(joint.id)
    for pair, names in joined(topology).items():
        if not any(map(pin_of, pair)):
            graph.add_edge(*pair, joints=",".join(names))
    return graph


def group_graph(structure: KinematicStructure) -> nx.DiGraph:
    """Return the dependency graph of the groups: nodes are indices with `kind`, `links`, `level`."""
    import networkx as nx

    graph = nx.DiGraph()
    for group in structure.groups:
        graph.add_node(group.index, kind=group.kind, links=group.links, level=group.level)
    graph.add_edges_from((need, group.index) for group in structure.groups for need in group.depends_on)
    return graph


def plain(structure: KinematicStructure) -> dict[str, Any]:
    """Return the structure as dicts, lists, numbers and text."""
    return {
        "title": structure.topology.title,
        "mobility": structure.mobility,
        "links": list(structure.topology.links),
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
                "dependent": list(coordinates.dependent),
                "independent": list(coordinates.independent),
            }
            for group, coordinates in zip(structure.groups, structure.coordinates, strict=True)
        ],
        "kinstr": structure.kinstr.tolist(),
        "diagnostics": {
            "over": [
                {
                    "id": one.id,
                    "kind": one.kind,
                    "equation": one.equation,
                    "loop": list(one.loop),
                    "message": one.message,
                }
                for one in structure.over
            ],
            "under": list(structure.under),
            "missing_drivers": structure.missing_drivers,
        },
    }


# --- coordinates by name -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GroupCoordinates:
    """Names of the coordinates of a group: `dependent` (phi), which it determines, and `independent` (h), its inputs.

    A driver's coordinate has the name of the driver.
    """

    dependent: tuple[str, ...]
    independent: tuple[str, ...]

    def __str__(self) -> str:
        """Return both in one line."""
        return f"phi = ({', '.join(self.dependent)}), h = ({', '.join(self.independent)})"


def pins_by_link(topology: Topology) -> dict[str, list[str]]:
    """Return the revolute joints on each link, in the user's order."""
    found: dict[str, list[str]] = {link: [] for link in topology.links}
    for joint in topology.joints:
        if joint.kind == "R":
            for end in joint.links:
                if end in found:
                    found[end].append(joint.id)
    return found


def coordinates_of(structure: KinematicStructure, group: Group, pins: dict[str, list[str]]) -> GroupCoordinates:
    """Return the coordinates of a group; `pins` are those of `pins_by_link`."""
    topology = structure.topology
    given = dict.fromkeys(id for id, _ in group.exterior if id not in group.drivers)
    inner = {id for id in group.joints if id not in given and topology.joint(id).kind == "R"} | set(group.pins)
    dependent = _flat(_pin(id) for id in group.joints if id in inner)
    dependent.update(_flat(_pin(id) for id in group.pins))
    for link in group.links:
        here = pins[link]
        placed = [id for id in here if id in inner or id in given]
        more = [id for id in here if id not in placed][: 1 if placed else 2]
        dependent.update(_flat(_pin(id) for id in more))
        if not placed and not more:
            dependent.update(dict.fromkeys((f"x_{link}", f"y_{link}")))
        if len(placed) + len(more) < 2:
            dependent[f"theta_{link}"] = None
    independent: dict[str, None] = {}
    inside, ground = set(group.links), topology.ground
    for id in given:
        joint = topology.joint(id)
        if joint.kind == "R":
            independent.update(_flat([_pin(id)]))
            continue
        for end in joint.links:
            pin = pin_of(end)
            if pin is not None and pin not in inner:
                independent.update(_flat([_pin(pin)]))
            elif pin is None and end not in inside and end != ground:
                independent.update(dict.fromkeys((f"x_{end}", f"y_{end}", f"theta_{end}")))
    drivers = {driver.id: driver for driver in topology.drivers}
    for id in group.drivers:
        for end in drivers[id].links:
            if drivers[id].kind == "angle" and end not in inside and end != ground:
                independent[f"theta_{end}"] = None
    independent.update(dict.fromkeys(group.drivers))
    return GroupCoordinates(tuple(dependent), tuple(independent))


def _pin(id: str) -> tuple[str, str]:
    return f"x_{id}", f"y_{id}"


def _flat(names: Iterable[tuple[str, ...]]) -> dict[str, None]:
    return dict.fromkeys(name for pair in names for name in pair)


# --- the result ----------------------------------------------------------------------------------------------------


@checked
@dataclass(frozen=True)
class KinematicStructure:
    """The groups of a topology in solve order; see `Mechanism.structure` and `Topology.structure`.

    `mobility` is the generic mobility of the joints alone, by rank (`Topology.mobility_count` only counts equations).
    `over` lists redundant equations; `under` lists the links that can still move with the drivers held, and
    `missing_drivers` is how many more drivers they need. `held` lists the links that cannot move and yet belong to no
    group, because only redundant joints or the orientation of a moving link hold them. `arrays` holds the same
    structure in integers, as `decompose_arrays` returned it.
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

    @classmethod
    def from_arrays(cls, found: StructureArrays, topology: Topology | None = None) -> Self:
        """Return the ordinary structure of array results; its groups become objects on first access."""
        topology = found.topology.to_topology() if topology is None else topology
        links = topology.links
        structure = cls(
            topology=topology,
            mobility=found.mobility,
            groups=(),
            over=found.redundancies,
            under=tuple(links[k] for k in found.under.tolist()),
            missing_drivers=found.missing_drivers,
            free_parts=found.free_parts,
            held=tuple(links[k] for k in found.held.tolist()),
            arrays=found,
        )
        object.__delattr__(structure, "groups")
        return structure

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Create the groups on first access: some callers need only the arrays."""
            if name != "groups" or self.__dict__.get("arrays") is None:
                raise AttributeError(f"'KinematicStructure' has no attribute '{name}'")
            object.__setattr__(self, "groups", self.arrays.groups())
            return self.groups

        def __dir__(self) -> list[str]:
            """List `groups` even before they are created."""
            return sorted({*super().__dir__(), "groups"})

    def __repr__(self) -> str:
        """Show title, number of groups and mobility."""
        name = repr(self.topology.title or "a mechanism")
        return f"<KinematicStructure of {name}: {len(self.groups)} groups, {self.mobility_in_words}>"

    @property
    def is_solvable(self) -> bool:
        """Whether the groups determine every link, and no equation is redundant."""
        return not self.over and not self.under

    @property
    def moves_specially(self) -> bool:
        """Whether it has more drivers than mobility: it moves only by special dimensions, with redundant joints."""
        joints_only = all(item.kind == "joint" for item in self.over)
        return joints_only and not self.under and self.mobility < len(self.topology.drivers)

    @property
    def mobility_in_words(self) -> str:
        """The mobility, and that due to special dimensions if it differs."""
        if not self.moves_specially:
            return f"mobility {self.mobility}"
        return f"mobility {self.mobility} by the joints alone, {len(self.topology.drivers)} by special dimensions"

    @cached_property
    def kinstr(self) -> NDArray[np.int8]:
        """The matrix KinStr (links, groups), links in the user's order including the ground.

        +1: the link belongs to the group; -1: a known neighbour that feeds it (including the ground; for a shared pin
        determined by a group, the links of that group at the pin); 0: neither. The idea is that of Saura et al.,
        "Computational kinematics of multibody systems: the advantages of a topological method based on its kinematic
        structure"; the layout is ours.
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
        """Problems with hints: redundant equations with their loops, and links that can still move."""
        return diagnose(self)

    @cached_property
    def graph(self) -> nx.Graph:
        """The link graph (networkx): nodes are links, edges have `joints`, readable by `Topology.from_adjacency`."""
        return link_graph(self)

    @cached_property
    def dag(self) -> nx.DiGraph:
        """The groups as a directed graph (networkx), an edge from each group to those that use it."""
        return group_graph(self)

    def group_of(self, link: str) -> Group | None:
        """Return the group that determines a link; None for the ground and for links that can still move."""
        return self._home.get(link)

    @cached_property
    def _home(self) -> dict[str, Group]:
        return {link: group for group in self.groups for link in group.links}

    @cached_property
    def coordinates(self) -> tuple[GroupCoordinates, ...]:
        """The names of each group's coordinates: `dependent` (phi), and the `independent` (h) that determine them (S2).

        A pin J gives x_J and y_J, a link that its pins do not locate its angle theta_link, or x_link, y_link and
        theta_link; a driver's coordinate has the driver's name. Ground pins are listed, as in S2, guides on the ground
        are not.
        """
        pins = pins_by_link(self.topology)
        return tuple(coordinates_of(self, group, pins) for group in self.groups)

    def explain(self) -> str:
        """Return the solve order in words, one line per group, followed by the problems."""
        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: title, mobility, links, groups, kinstr and diagnostics."""
        return plain(self)

    def plot(self, *, mechanism: Mechanism | None = None) -> Figure:
        """Return a figure of the link graph and the groups by level; with a mechanism the layout follows its sketch."""
        from structkin import show

        return show.draw_structure(self, mechanism=mechanism)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.groups_table(self))


def decompose(topology: Topology, *, drivers_first: bool = False) -> KinematicStructure:
    """Return the kinematic structure of a topology; see `Topology.structure`."""
    found = decompose_arrays(TopologyArrays.from_topology(topology), drivers_first=drivers_first)
    return KinematicStructure.from_arrays(found, topology)
