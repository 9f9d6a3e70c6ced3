"""The link graph: links as boxes, joints as named edges, multiple joints as squares, drivers as dashed arrows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from structkin.model.mechanism import Mechanism
from structkin.model.topology import Topology, pin_of
from structkin.show.interest import middle
from structkin.show.layout import distance_to, spread
from structkin.show.style import DRIVER, GROUND, LOOSE, NORMAL, SMALL, group_colour, plain, tint
from structkin.structure import KinematicStructure


def draw_links(ax: Axes, structure: KinematicStructure, mechanism: Mechanism | None = None) -> None:
    """Draw the link graph on axes; a mechanism lends its sketch as a beginning of the layout."""
    graph = incidence(structure.topology)
    start = _sketched(graph, mechanism) if mechanism is not None else None
    panel = _LinkPanel(ax, structure, graph, spread(graph, structure.topology.ground, start))
    panel.draw()
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.16)
    ax.set_axis_off()


def incidence(topology: Topology) -> nx.Graph:
    """Return the graph to draw: links, and a node "@J" for a joint of more than two ends or with others on its pin.

    Edges carry `joints`, the names to write on them.
    """
    used = {pin for joint in topology.joints for end in joint.links if (pin := pin_of(end)) is not None}
    used |= {pin for driver in topology.drivers for end in driver.links if (pin := pin_of(end)) is not None}
    graph = nx.Graph()
    graph.add_nodes_from(topology.links)
    for joint in topology.joints:
        if len(joint.links) > 2 or joint.id in used:
            graph.add_edges_from((f"@{joint.id}", end, {"joints": []}) for end in joint.links)
            continue
        a, b = joint.links
        if not graph.has_edge(a, b):
            graph.add_edge(a, b, joints=[])
        graph.edges[a, b]["joints"].append(f"{joint.kind}:{joint.id}")
    return graph


def _sketched(graph: nx.Graph, mechanism: Mechanism) -> Mapping[str, complex]:
    """Return where links and pins are in the sketch."""
    places = {}
    for node in graph.nodes:
        pin = pin_of(node)
        if pin is not None:
            places[node] = mechanism.points[pin]
        else:
            link = mechanism.links[node]
            places[node] = link.origin + link.direction * middle(link)
    size = max(abs(place) for place in places.values()) or 1.0
    return {node: place / size for node, place in places.items()}


@dataclass
class _LinkPanel:
    ax: Axes
    structure: KinematicStructure
    graph: nx.Graph
    places: Mapping[str, complex]
    boxes: dict[str, Text] = field(default_factory=dict)
    taken: list[complex] = field(default_factory=list)

    def draw(self) -> None:
        self.taken += self.places.values()
        for node in self.graph.nodes:
            if pin_of(node) is None:
                self._link(node)
            else:
                self._pin(node)
        for a, b, joints in self.graph.edges(data="joints"):
            self._joint(a, b, ", ".join(joints))
        for driver in self.structure.topology.drivers:
            self._driver(driver.id, *driver.links)
        z = np.array(list(self.places.values()))
        self.ax.update_datalim(np.stack((z.real, z.imag), axis=1))

    @property
    def _font(self) -> float:
        return NORMAL if len(self.graph) <= 16 else SMALL - 1

    def _link(self, link: str) -> None:
        topology, group = self.structure.topology, self.structure.group_of(link)
        if link == topology.ground:
            text, colour, face, weight = plain(link), GROUND, "#e4e4e4", "bold"
        elif group is None:
            text, colour, face, weight = f"{plain(link)}\nnot determined", LOOSE, "white", "normal"
        else:
            colour = group_colour(group.index)
            text, face, weight = f"{plain(link)}\ngroup {group.index + 1}", tint(colour), "normal"
        place = self.places[link]
        box = self.ax.text(
            place.real,
            place.imag,
            text,
            ha="center",
            va="center",
            fontsize=self._font,
            fontweight=weight,
            zorder=5,
            bbox={
                "boxstyle": "round,pad=0.4",
                "facecolor": face,
                "edgecolor": colour,
                "linewidth": 2.0,
                "linestyle": "--" if colour == LOOSE else "-",
                "hatch": "////" if colour == GROUND else None,
            },
        )
        box.set_gid(f"link:{link}")
        if colour == GROUND:
            box.set_path_effects([withStroke(linewidth=3.0, foreground="#e4e4e4")])
            patch = box.get_bbox_patch()
            assert isinstance(patch, FancyBboxPatch)
            patch.set_edgecolor("#aaaaaa")
        self.boxes[link] = box

    def _pin(self, node: str) -> None:
        place = self.places[node]
        style: dict[str, Any] = {"color": "white", "markeredgecolor": "black"}
        [mark] = self.ax.plot(place.real, place.imag, "s", markersize=8, zorder=4, **style)
        mark.set_gid(f"pin:{node[1:]}")
        # the name goes where the edges leave room
        ways = sorted(np.angle([self.places[other] - place for other in self.graph[node]]).tolist())
        gaps = [(after - before, before) for before, after in zip(ways, [*ways[1:], ways[0] + 2 * np.pi], strict=True)]
        width, first = max(gaps)
        way = np.exp(1j * (first + width / 2))
        self._name(f"R:{node[1:]}", place, "black", 17 * way)
        self.taken.append(place + 0.15 * way)

    def _name(self, text: str, place: complex, colour: str, shift: complex = 0j, side: str = "center") -> None:
        note = self.ax.annotate(
            plain(text),
            (place.real, place.imag),
            (shift.real, shift.imag),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=self._font - 1,
            color=colour,
            zorder=6,
            annotation_clip=False,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.9},
        )
        note.set_gid(f"name:{text}")

    def _joint(self, a: str, b: str, text: str) -> None:
        p, q = self.places[a], self.places[b]
        colour = LOOSE if self._is_loose(a) and self._is_loose(b) else "#444444"
        [line] = self.ax.plot([p.real, q.real], [p.imag, q.imag], color=colour, linewidth=1.5, zorder=2)
        line.set_gid(f"edge:{a}:{b}")
        if text:
            places = [p + share * (q - p) for share in (0.5, 0.42, 0.58, 0.35, 0.65)]
            self._name(text, self._free(places, {a, b}), "black")

    def _is_loose(self, node: str) -> bool:
        topology = self.structure.topology
        pin = pin_of(node)
        links = topology.joint(pin).links if pin is not None else (node,)
        moving = [link for link in links if link != topology.ground and pin_of(link) is None]
        return bool(moving) and all(self.structure.group_of(link) is None for link in moving)

    def _driver(self, id: str, a: str, b: str) -> None:
        p, q = self.places[a], self.places[b]
        centre = sum(self.places.values(), 0j) / len(self.places)
        outward = ((0.5 * (p + q) - centre) * (q - p).conjugate()).imag
        # bent outwards, unless there is more room inside; matplotlib bends to the right of the way for a positive number
        bends = (-0.38, 0.38) if outward > 0 else (0.38, -0.38)
        tries = [(bend, _on_arc(p, q, bend, share)) for bend in bends for share in (0.5, 0.36, 0.64)]
        place = self._free([place for _, place in tries], set())
        bend = next(bend for bend, tried in tries if tried == place)
        arrow = self.ax.annotate(
            "",
            (q.real, q.imag),
            (p.real, p.imag),
            arrowprops={
                "arrowstyle": "-|>,head_width=0.28,head_length=0.6",
                "connectionstyle": f"arc3,rad={bend}",
                "color": DRIVER,
                "linestyle": "--",
                "linewidth": 1.6,
                "patchA": self._patch(a),
                "patchB": self._patch(b),
                "shrinkA": 5,
                "shrinkB": 5,
            },
            zorder=3,
        )
        arrow.set_gid(f"driver:{id}")
        out = -1j * bend * (q - p) / abs(bend * (q - p))
        # beside the arrow, where that has a side
        self._name(id, place, DRIVER, 6 * out, "center" if abs(out.real) < 0.5 else "left" if out.real > 0 else "right")
        top = _on_arc(p, q, bend, 0.5)
        self.ax.update_datalim([(top.real, top.imag), ((top + 0.2 * out).real, top.imag)])

    def _patch(self, node: str) -> FancyBboxPatch | None:
        box = self.boxes.get(node)
        return box.get_bbox_patch() if box is not None else None

    def _free(self, candidates: list[complex], own: set[str]) -> complex:
        """Return the first candidate with room around it, else the one with the most; and take it.

        Edges between other nodes than the `own` take room as well.
        """
        edges = [(self.places[a], self.places[b]) for a, b in self.graph.edges if {a, b} != own]
        room = []
        for place in candidates:
            # names are wider than high
            ways = [place - other for other in self.taken]
            nearest = min(abs(complex(0.6 * way.real, way.imag)) for way in ways)
            room.append(min([nearest, *(2 * distance_to(place, a, b) for a, b in edges if own)]))
        good = [place for place, space in zip(candidates, room, strict=True) if space > 0.3]
        place = good[0] if good else candidates[int(np.argmax(room))]
        self.taken.append(place)
        return place


def _on_arc(p: complex, q: complex, bend: float, share: float) -> complex:
    """Return a place on matplotlib's "arc3" from p to q: a parabola whose control point is `bend` of the way aside."""
    control = 0.5 * (p + q) - 1j * bend * (q - p)
    return (1 - share) ** 2 * p + 2 * share * (1 - share) * control + share**2 * q
