"""The structure as networkx graphs and plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structkin.model.adjacency import joined
from structkin.model.topology import pin_of

if TYPE_CHECKING:
    import networkx as nx

    from structkin.structure.result import KinematicStructure


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
