"""The atlas of kinematic chains: a table of its mechanisms, and a page with a picture of each chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from structkin.model.topology import Topology
from structkin.show.inputs_figure import class_words, levels_words
from structkin.show.layout import spread
from structkin.show.letters import legible
from structkin.show.style import LARGE, NORMAL, PALETTE, SMALL, new_figure, plain
from structkin.show.terminal import text_table
from structkin.structure.kinematic_chains import AtlasEntry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

#: The side of a picture and the most columns of a page [in].
SIDE, COLUMNS = 1.9, 8
#: A link's plate reaches this far around its joints, in distances of neighbours.
ROUND = 0.2


def atlas_table(entries: Sequence[AtlasEntry], title: str) -> Table:
    """Return a table with a row for each entry of an atlas."""
    heads = ["chain", "links of 2, 3, ... joints", "ground", "driven joint", "class", "groups by level"]
    rows = [list(row.values()) for row in map(atlas_row, entries)]
    chains = len({entry.chain for entry in entries})
    inversions = len({(entry.chain, entry.topology.ground) for entry in entries})
    counts = "1 chain" if chains == 1 else f"{chains} chains"
    if not any(entry.inputs for entry in entries):
        counts = f"{'1 truss' if chains == 1 else f'{chains} trusses'}, {inversions} groups"
        for line in (heads, *rows):
            del line[3]
    else:
        counts += f", {inversions} inversions, {len(entries)} mechanisms that differ by their groups"
    return text_table(title, counts, heads, rows, ("chain",))


def atlas_row(entry: AtlasEntry) -> dict[str, str]:
    """Return an entry as the cells of a row."""
    return {
        "chain": str(entry.chain),
        "links": ", ".join(map(str, entry.assortment)),
        "ground": entry.topology.ground,
        "inputs": " / ".join(entry.inputs),
        "class": class_words(entry.choice),
        "groups": levels_words(entry.choice),
    }


@legible
def draw_chains(chains: Sequence[Topology], title: str) -> Figure:
    """Draw each chain with its links as plates or bars, numbered as in the table.

    The places of the joints have no meaning: they keep neighbours at a distance, with few crossings.
    """
    columns = min(COLUMNS, len(chains))
    rows = -(-len(chains) // columns)
    width, height = max(columns * SIDE, 4.0), rows * SIDE + 0.4
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    figure.text(0.5, 1 - 0.12 / height, plain(title), ha="center", va="top", fontsize=LARGE)
    for k, chain in enumerate(chains):
        row, column = divmod(k, columns)
        left, low = column * SIDE + (width - columns * SIDE) / 2, height - 0.4 - (row + 1) * SIDE
        ax = figure.add_axes(((left + 0.1) / width, low / height, (SIDE - 0.2) / width, (SIDE - 0.2) / height))
        _draw(ax, chain)
        ax.set_title(str(k + 1), fontsize=NORMAL, loc="left", pad=1)
    return figure


def _draw(ax: Axes, chain: Topology) -> None:
    from matplotlib.patches import Polygon
    from scipy.spatial import ConvexHull

    # Links and joints are nodes: where these lie without crossings, plates do not overlap.
    graph = nx.Graph((joint.id, link) for joint in chain.joints for link in joint.links)
    ends = {link: [joint.id for joint in chain.joints if link in joint.links] for link in chain.links}
    places = spread(graph, chain.ground)
    for k, (link, joints) in enumerate(ends.items()):
        at = np.array([places[joint] for joint in joints])
        corners = (at[:, None] + ROUND * np.exp(2j * np.pi * np.arange(16) / 16)).ravel()
        points = np.stack((corners.real, corners.imag), axis=1)
        outline = points[ConvexHull(points).vertices]
        colour = PALETTE[k % len(PALETTE)]
        ax.add_patch(Polygon(outline, facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=0.8))
        middle = at.mean()
        ax.text(middle.real, middle.imag, link, fontsize=SMALL - 1, ha="center", va="center", zorder=4)
    pins = np.array([places[joint.id] for joint in chain.joints])
    ax.plot(pins.real, pins.imag, "o", markersize=3.5, markerfacecolor="white", markeredgecolor="black", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.margins(0.06)
