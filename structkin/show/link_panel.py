"""The link graph: links as boxes, joints as named edges, multiple joints as squares, drivers as dashed arrows."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from structkin.model.mechanism import Mechanism
from structkin.model.topology import Topology, pin_of
from structkin.numerical_tolerances import VISIBLE
from structkin.show.interest import middle
from structkin.show.labels import dense, root_figure, settle
from structkin.show.style import DRIVER, LOOSE, NORMAL, SMALL, group_colour, plain, tint
from structkin.structure import KinematicStructure
from structkin.types import Floats

# --- places of the boxes: reproducible, with few crossings ---------------------------------------------------------

Places = dict[str, complex]


def spread(graph: nx.Graph, bottom: str, start: Mapping[str, complex] | None = None) -> Places:
    """Return a place for each node: neighbours about 1 apart, the node `bottom` lowest.

    Several initial layouts are relaxed to least stress, and the result with the fewest crossings is returned. `start`
    is one more initial layout, such as the places of the links in a sketch.

    >>> places = spread(nx.cycle_graph(["g", "a", "b", "c"]), "g")
    >>> min(places, key=lambda node: places[node].imag), round(abs(places["a"] - places["g"]), 2)
    ('g', 1.0)
    """
    nodes = list(graph.nodes)
    if len(nodes) == 1:
        return {nodes[0]: 0j}
    whole = nx.Graph(graph)
    for part in nx.connected_components(graph):
        if bottom not in part:  # keep disconnected parts near
            whole.add_edge(bottom, min(part, key=nodes.index))
    best: Places = {}
    least = np.inf
    for initial in _initial_layouts(whole, start):
        found = _relax(whole, initial)
        cost = 10.0 * crossings(graph, found) + _crowding(graph, found)
        if cost < least - VISIBLE:
            best, least = found, cost
    return _upright(whole, best, bottom)


def crossings(graph: nx.Graph, places: Mapping[str, complex]) -> int:
    """Return how many pairs of edges cross."""
    count = 0
    for (a, b), (c, d) in combinations(graph.edges, 2):
        if len({a, b, c, d}) == 4:
            p, q, r, s = (places[node] for node in (a, b, c, d))
            count += _left(p, q, r) * _left(p, q, s) < 0 and _left(r, s, p) * _left(r, s, q) < 0
    return count


def _left(a: complex, b: complex, c: complex) -> float:
    return ((b - a).conjugate() * (c - a)).imag


def _initial_layouts(graph: nx.Graph, start: Mapping[str, complex] | None) -> Iterator[Mapping[str, complex]]:
    yield _complex(nx.circular_layout(graph))
    # networkx iterates over sets of nodes here, and the order of sets of strings differs between processes.
    numbered = nx.convert_node_labels_to_integers(graph)
    planar, _ = nx.check_planarity(numbered)
    if planar:
        places = nx.planar_layout(numbered)
        yield _complex({node: places[k] for k, node in enumerate(graph.nodes)})
    if start is not None:
        yield start


def _complex(places: Mapping[str, Iterable[float]]) -> Places:
    return {node: complex(*xy) for node, xy in places.items()}


def _relax(graph: nx.Graph, start: Mapping[str, complex]) -> Places:
    """Return places whose distances come nearest to the number of edges between the nodes.

    The stress sum (|z_i - z_j| - d_ij)^2 / d_ij^2 of Kamada and Kawai (1989) is reduced by majorisation, as in Gansner,
    Koren, North (2005), "Graph drawing by stress majorization": each step solves V z' = B(z) z.
    """
    nodes = list(graph.nodes)
    d = np.array(nx.floyd_warshall_numpy(graph, nodelist=nodes, weight=None))
    weights = np.where(d > 0, 1 / np.maximum(d, 1) ** 2, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    # shift the nodes a little: two in the same place would have no direction in which to separate
    z = np.array([start[node] + 1e-3 * np.exp(1j * k) for k, node in enumerate(nodes)])
    for _ in range(400):
        apart = np.abs(z[:, None] - z)
        pull = weights * d / np.where(apart > 0, apart, 1.0)
        new = inverse @ (pull.sum(axis=1) * z - pull @ z)
        done = np.max(np.abs(new - z)) < 1e-5
        z = new
        if done:
            break
    return dict(zip(nodes, z.tolist(), strict=True))


def _crowding(graph: nx.Graph, places: Mapping[str, complex]) -> float:
    """Return a cost for nodes near each other or near edges that are not theirs."""
    cost = 0.0
    typical = float(np.mean([abs(places[a] - places[b]) for a, b in graph.edges] or [1.0])) or 1.0
    for node in graph.nodes:
        for a, b in graph.edges:
            if node not in (a, b):
                cost += max(0.0, 0.35 - distance_to(places[node], places[a], places[b]) / typical)
    for a, b in combinations(graph.nodes, 2):
        cost += 5 * max(0.0, 0.5 - abs(places[a] - places[b]) / typical)
    return cost


def distance_to(place: complex, a: complex, b: complex) -> float:
    """Return the distance of a place from the edge a-b."""
    edge = b - a
    share = min(max(((place - a) * edge.conjugate()).real / abs(edge) ** 2, 0.0), 1.0) if edge else 0.0
    return abs(place - a - share * edge)


def _upright(graph: nx.Graph, places: Places, bottom: str) -> Places:
    """Rotate the layout so that `bottom` is lowest, and scale it so that edges are about 1 long."""
    centre = sum(places.values(), 0j) / len(places)
    down = places[bottom] - centre
    turn = -1j / (down / abs(down)) if abs(down) > VISIBLE else 1.0
    lengths = [abs(places[a] - places[b]) for a, b in graph.edges]
    size = float(np.median(lengths)) if lengths else 1.0
    return {node: (place - centre) * turn / (size or 1.0) for node, place in places.items()}


# --- the picture ---------------------------------------------------------------------------------------------------

#: Sideways offset of the arc of a driver's arrow, as a fraction of its length.
BEND = 0.38

#: Padding of a link's box around its text, in font sizes; and its distance from the edge of the axes [pt].
_PAD, _EDGE = 0.4, 3.0

#: Letters in a line of a name.
_LETTERS = 16

#: Length of an edge, distances between boxes (across, up), and smallest and largest extent of a picture [in].
_EDGE_LENGTH, _BETWEEN, _LEAST, _MOST = 1.2, 0.5 + 0.32j, 3.6, 11.0

#: How often the boxes are moved apart.
_PASSES = 50


def link_places(structure: KinematicStructure, mechanism: Mechanism | None = None) -> Places:
    """Return where links and pins are drawn [in]; the sketch of a mechanism, if given, is an initial layout."""
    graph = incidence(structure.topology)
    start = _sketched(graph, mechanism) if mechanism is not None else None
    return _cleared({node: _EDGE_LENGTH * at for node, at in spread(graph, structure.topology.ground, start).items()})


def _cleared(places: Places) -> Places:
    """Return the places with the boxes of the links moved apart, each pair along the axis that needs less."""
    links = [link for link in places if pin_of(link) is None]
    boxes = {link: complex(*_box_size(link)) for link in links}
    places = dict(places)
    for _ in range(_PASSES):
        for a, b in combinations(links, 2):
            apart, need = places[b] - places[a], (boxes[a] + boxes[b]) / 2 + _BETWEEN
            x, y = need.real - abs(apart.real), need.imag - abs(apart.imag)
            if x > 0 and y > 0:
                push = math.copysign(x, apart.real) if x < y else 1j * math.copysign(y, apart.imag)
                places[a] -= push / 2
                places[b] += push / 2
    return places


def links_size(places: Places) -> tuple[float, float]:
    """Return the width and height [in] that a picture of the links needs."""
    at = np.array(list(places.values()))
    spans = np.array([np.ptp(at.real), np.ptp(at.imag)])
    spans *= min(1.0, _MOST / max(spans.max(), _LEAST))
    box = np.max([_box_size(link) for link in places if pin_of(link) is None], axis=0)
    wide, high = np.maximum(np.maximum(spans + box + 0.3, 1.3 * spans), _LEAST)
    return float(wide), float(high)


def _box_size(link: str) -> tuple[float, float]:
    """Return about how wide and high [in] the box of a link is."""
    lines = [*textwrap.wrap(link, _LETTERS), "group 10"]
    return 0.6 * NORMAL / 72 * max(map(len, lines)) + 0.1, 1.3 * NORMAL / 72 * len(lines) + 0.1


def draw_links(ax: Axes, structure: KinematicStructure, places: Places) -> None:
    """Draw the link graph on axes, its links and pins at these places."""
    panel = _LinkPanel(ax, structure, incidence(structure.topology), places)
    panel.draw_nodes()
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    panel.fit()
    panel.draw_names()
    panel.fit()  # names beyond the axes may have taken some of their room


def incidence(topology: Topology) -> nx.Graph:
    """Return the graph to draw: links, and a node "@J" for a pin that joins more than two links or carries a joint.

    Edges carry `joints`, the names to write on them; links fastened together have an edge from the first to each other.
    """
    used = {pin for joint in topology.joints for end in joint.links if (pin := pin_of(end)) is not None}
    used |= {pin for driver in topology.drivers for end in driver.links if (pin := pin_of(end)) is not None}
    graph = nx.Graph()
    graph.add_nodes_from(topology.links)
    for joint in topology.joints:
        name = f"{joint.kind}:{joint.id}"
        if joint.kind == "R" and (len(joint.links) > 2 or joint.id in used):
            graph.add_edges_from((f"@{joint.id}", end, {"joints": []}) for end in joint.links)
            continue
        first, *others = joint.links
        for other in others:
            if not graph.has_edge(first, other):
                graph.add_edge(first, other, joints=[])
            graph.edges[first, other]["joints"].append(name)
    return graph


def _sketched(graph: nx.Graph, mechanism: Mechanism) -> Mapping[str, complex]:
    """Return where links and pins are in the sketch."""
    places = {}
    for node in graph.nodes:
        pin = pin_of(node)
        if pin is not None:
            places[node] = mechanism.places[pin]
        else:
            link = mechanism.links[node]
            places[node] = link.origin + link.direction * middle(link)
    size = max(abs(place) for place in places.values()) or 1.0
    return {node: place / size for node, place in places.items()}


@dataclass
class _LinkPanel:
    """The link graph being drawn; `taken` (n, 4) are the boxes that names must not cover [px]."""

    ax: Axes
    structure: KinematicStructure
    graph: nx.Graph
    places: Mapping[str, complex]
    boxes: dict[str, Text] = field(default_factory=dict)
    taken: list[Floats] = field(default_factory=list)

    def draw_nodes(self) -> None:
        """Draw links, pins and edges, and reserve space for the drivers and for links without a joint."""
        self.ax.update_datalim([(place.real, place.imag) for place in self.places.values()])
        for a, b in self.graph.edges:
            self._edge(a, b)
        for node in self.graph.nodes:
            if pin_of(node) is None:
                self._link(node)
            else:
                self._pin(node)
        for driver in self.structure.topology.drivers:
            p, q = (self.places[end] for end in driver.links)
            tops = [_on_arc(p, q, bend, 0.5) for bend in (-BEND, BEND)]
            self.ax.update_datalim([(top.real, top.imag) for top in tops])

    def fit(self) -> None:
        """Choose the limits of the axes, once they are laid out, so that the boxes are inside them.

        Both axes have one scale and margins of 12 % at least; the size of a box does not depend on the scale.
        """
        settle(self.ax)
        frame = 2 * (_PAD * self._font + 1 + _EDGE) * root_figure(self.ax).dpi / 72
        sizes = [(box.width + frame, box.height + frame) for box in self._extents()]
        room, ends = np.array(self.ax.bbox.size), self.ax.dataLim.get_points()
        # beside boxes as wide as the axes, some room is left for the edges
        free = np.clip(room - np.max(sizes, axis=0), 0.3 * room, room / 1.24)
        # edges are about 1 long, but a single link and links in a row have no extent
        scale = np.min(free / np.maximum(ends[1] - ends[0], 0.5))
        low, high = ends.mean(axis=0) - room / 2 / scale, ends.mean(axis=0) + room / 2 / scale
        # with `auto` matplotlib may adjust them to a later layout
        self.ax.set_xlim(low[0], high[0], auto=True)
        self.ax.set_ylim(low[1], high[1], auto=True)

    def _extents(self) -> list[Bbox]:
        """Return the extents of the texts of the links [px]."""
        return [box.get_window_extent() for box in self.boxes.values()]

    def draw_names(self) -> None:
        """Write the names of joints and drivers, once the pixels of all places are final."""
        frame = (_PAD * self._font + 1) * root_figure(self.ax).dpi / 72
        self.taken += [np.array(box.padded(frame).extents) for box in self._extents()]
        for driver in self.structure.topology.drivers:
            self._driver(driver.id, *driver.links)
        for node in self.graph.nodes:
            if pin_of(node) is not None:
                around = [(self.places[node], np.exp(2j * np.pi * k / 12)) for k in range(12)]
                self._name(f"R:{node[1:]}", around, "black", {node}, gap=7)
        for a, b, joints in self.graph.edges(data="joints"):
            if joints:
                p, q = self.places[a], self.places[b]
                shares = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68)
                self._name(", ".join(joints), [(p + share * (q - p), 0j) for share in shares], "black", {a, b})

    @property
    def _font(self) -> float:
        return NORMAL if len(self.graph) <= 30 else SMALL

    # --- nodes and edges ----------------------------------------------------------------------------------

    def _edge(self, a: str, b: str) -> None:
        p, q = self.places[a], self.places[b]
        colour = LOOSE if self._is_loose(a) and self._is_loose(b) else "#444444"
        [line] = self.ax.plot([p.real, q.real], [p.imag, q.imag], color=colour, linewidth=1.5, zorder=2)
        line.set_gid(f"edge:{a}:{b}")

    def _is_loose(self, node: str) -> bool:
        topology = self.structure.topology
        pin = pin_of(node)
        links = topology.joint(pin).links if pin is not None else (node,)
        moving = [link for link in links if link != topology.ground and pin_of(link) is None]
        return bool(moving) and all(self.structure.group_of(link) is None for link in moving)

    def _link(self, link: str) -> None:
        topology, group = self.structure.topology, self.structure.group_of(link)
        name = plain(textwrap.fill(link, _LETTERS))
        is_ground = link == topology.ground
        if is_ground:
            text, colour, face = name, "#aaaaaa", "#e4e4e4"
        elif group is None:
            text, colour, face = f"{name}\nnot determined", LOOSE, "white"
        else:
            colour = group_colour(group.index)
            text, face = f"{name}\ngroup {group.index + 1}", tint(colour)
        place = self.places[link]
        box = self.ax.text(place.real, place.imag, text, ha="center", va="center", fontsize=self._font, zorder=5)
        box.set_in_layout(False)
        box.set_bbox(
            {
                "boxstyle": f"round,pad={_PAD}",
                "facecolor": face,
                "edgecolor": colour,
                "linewidth": 2.0,
                "linestyle": "--" if colour == LOOSE else "-",
                "hatch": "////" if is_ground else None,
            }
        )
        if is_ground:
            box.set_fontweight("bold")
            box.set_path_effects([withStroke(linewidth=3.0, foreground=face)])
        box.set_gid(f"link:{link}")
        self.boxes[link] = box

    def _pin(self, node: str) -> None:
        place = self.places[node]
        [mark] = self.ax.plot([place.real], [place.imag], "s", color="white", markersize=8, zorder=4)
        mark.set_markeredgecolor("black")
        mark.set_gid(f"pin:{node[1:]}")

    # --- names --------------------------------------------------------------------------------------------

    def _driver(self, id: str, a: str, b: str) -> None:
        p, q = self.places[a], self.places[b]
        centre = sum(self.places.values(), 0j) / len(self.places)
        outward = ((0.5 * (p + q) - centre) * (q - p).conjugate()).imag
        # curved outwards, unless there is more room inside; in matplotlib positive is to the right
        bends = (-BEND, BEND) if outward > 0 else (BEND, -BEND)
        tries = [(bend, share) for bend in bends for share in (0.5, 0.4, 0.6)]
        side = -1j * (q - p) / abs(q - p)
        candidates = [(_on_arc(p, q, bend, share), side * np.sign(bend)) for bend, share in tries]
        bend = tries[self._name(id, candidates, DRIVER, set(), gap=3)][0]
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

    def _patch(self, node: str) -> FancyBboxPatch | None:
        box = self.boxes.get(node)
        return box.get_bbox_patch() if box is not None else None

    def _name(
        self, text: str, candidates: Sequence[tuple[complex, complex]], colour: str, own: set[str], gap: float = 0.0
    ) -> int:
        """Write a name at the candidate (a place and its side) where it covers least, and return its index."""
        pixels = root_figure(self.ax).dpi / 72
        name = plain(textwrap.fill(text, _LETTERS))
        note = self.ax.annotate(name, (0, 0), (0, 0), textcoords="offset points", ha="center", va="center")
        note.set(fontsize=self._font - 1, color=colour, zorder=6, annotation_clip=False)
        note.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.9})
        note.set_gid(f"name:{text}")
        box = note.get_window_extent()
        half = np.array([box.width, box.height]) / 2 + 2 * pixels
        anchors = self.ax.transData.transform([[place.real, place.imag] for place, _ in candidates])
        sides = np.array([[side.real, side.imag] for _, side in candidates])
        centres = anchors + sides * (half + gap * pixels)
        edges = self._pixels(own)
        cost = [0.12 * k + self._covered(centre, half, edges) for k, centre in enumerate(centres)]
        best = int(np.argmin(cost))
        note.xy = (candidates[best][0].real, candidates[best][0].imag)
        note.set_position(tuple((centres[best] - anchors[best]) / pixels))
        self.taken.append(np.concatenate((centres[best] - half, centres[best] + half)))
        return best

    def _pixels(self, own: set[str]) -> Floats:
        """Return places along all edges except that between the `own` nodes [px], 4 px apart."""
        parts = [np.empty((0, 2))]
        for a, b in self.graph.edges:
            if {a, b} != own:
                ends = [[self.places[node].real, self.places[node].imag] for node in (a, b)]
                parts.append(dense(self.ax.transData.transform(ends), 4.0))
        return np.concatenate(parts)

    def _covered(self, centre: Floats, half: Floats, edges: Floats) -> float:
        """Return a cost for the boxes, names and edges that a box at a centre covers."""
        cost = 0.1 * float(np.all(np.abs(edges - centre) < half, axis=1).sum())
        if self.taken:
            taken = np.array(self.taken)
            overlap = np.minimum(centre + half, taken[:, 2:]) - np.maximum(centre - half, taken[:, :2])
            area = np.prod(np.maximum(overlap, 0.0), axis=1)
            cost += float(np.sum(np.where(area > 0, 3.0 + 5.0 * area / np.prod(2 * half), 0.0)))
        return cost


def _on_arc(p: complex, q: complex, bend: float, share: float) -> complex:
    """Return a place on matplotlib's "arc3" from p to q: a parabola, its control point `bend` |q - p| to the side."""
    control = 0.5 * (p + q) - 1j * bend * (q - p)
    return (1 - share) ** 2 * p + 2 * share * (1 - share) * control + share**2 * q
