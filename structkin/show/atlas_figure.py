"""The atlas of kinematic chains: a table of its mechanisms, and a page with a picture of each chain or group."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.topology import Topology
from structkin.show.inputs_figure import class_words, levels_words
from structkin.show.letters import legible
from structkin.show.style import GROUND, LARGE, NORMAL, PALETTE, PLAIN, SMALL, new_figure, plain, tint
from structkin.show.terminal import text_table
from structkin.structure.chain_layout import layout
from structkin.structure.kinematic_chains import AtlasEntry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

#: The side of a picture [in], and the most pictures of a page, which then take minutes.
SIDE, MOST = 1.9, 1000
#: A link's plate reaches this far around its joints, of which neighbours are 1 apart or more.
ROUND = 0.17
#: A fixed pivot: a triangle below its pin.
PIVOT = ((0.0, 0.0), (-0.7, -1.2), (0.7, -1.2), (0.0, 0.0))


def atlas_table(entries: Sequence[AtlasEntry], title: str) -> Table:
    """Return a table with a row for each entry of an atlas."""
    heads = ["chain", "links of 2, 3, ... joints", "ground", "driven joint", "class", "groups by level"]
    rows = [list(row.values()) for row in map(atlas_row, entries)]
    chains = len({entry.chain for entry in entries})
    inversions = len({(entry.chain, entry.topology.ground) for entry in entries})
    counts = "1 chain" if chains == 1 else f"{chains} chains"
    if not any(entry.inputs for entry in entries):
        trusses = "1 truss" if chains == 1 else f"{chains} trusses"
        counts = f"{trusses}, {inversions} group{'' if inversions == 1 else 's'}"
        for line in (heads, *rows):
            del line[3]
    else:
        counts += f", {inversions} inversion{'' if inversions == 1 else 's'}"
        counts += f", {len(entries)} mechanisms that differ by their groups"
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
    """Draw each chain, numbered as in the table, its links as bars and as plates in the colour of their kind.

    The places of the joints have no meaning: links do not overlap unless the chain is not planar. Raises `InputError`
    for more than 1000 chains.
    """
    return _page([(str(number), chain) for number, chain in enumerate(chains, 1)], title)


@legible
def draw_groups(entries: Sequence[AtlasEntry], title: str) -> Figure:
    """Draw the structural groups of an atlas of trusses on fixed pivots; "2.3" is the third link's group of truss 2.

    Raises `InputError` for more than 1000 groups.
    """
    names = [f"{entry.chain}.{entry.topology.ground}  {levels_words(entry.choice)}" for entry in entries]
    return _page(list(zip(names, [entry.topology for entry in entries], strict=True)), title, with_ground=False)


def check_page(pictures: int) -> None:
    """Raise `InputError` if there are more pictures than a page holds, or none."""
    if not pictures:
        raise InputError([Problem("plot", "there is nothing to draw", "ask for other numbers of links")], "atlas")
    if pictures > MOST:
        problem = Problem("plot", f"{pictures} pictures do not fit a page", f"at most {MOST}; ask for fewer links")
        raise InputError([problem], "atlas")


def _page(pictures: Sequence[tuple[str, Topology]], title: str, *, with_ground: bool = True) -> Figure:
    """Return a figure with these pictures in rows, each with its name."""
    check_page(len(pictures))
    columns = ceil(sqrt(1.6 * len(pictures)))
    rows = ceil(len(pictures) / columns)
    width, height = max(columns * SIDE, 4.0), rows * SIDE + 0.4
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    figure.text(0.5, 1 - 0.12 / height, plain(title), ha="center", va="top", fontsize=LARGE)
    for k, (name, topology) in enumerate(pictures):
        row, column = divmod(k, columns)
        left, low = column * SIDE + (width - columns * SIDE) / 2, height - 0.4 - (row + 1) * SIDE
        ax = figure.add_axes(((left + 0.1) / width, low / height, (SIDE - 0.2) / width, (SIDE - 0.2) / height))
        _draw(ax, topology, with_ground)
        ax.set_title(name, fontsize=NORMAL if with_ground else SMALL, loc="left", pad=1)
    return figure


def _draw(ax: Axes, chain: Topology, with_ground: bool) -> None:
    from matplotlib.patches import Polygon
    from matplotlib.path import Path
    from scipy.spatial import ConvexHull

    places = layout(chain, with_ground=with_ground)
    fixed: list[complex] = []
    for link in chain.links:
        at = np.array([places[joint.id] for joint in chain.joints if link in joint.links])
        if link == chain.ground and not with_ground:
            fixed = at.tolist()
            continue
        corners = (at[:, None] + ROUND * np.exp(2j * np.pi * np.arange(32) / 32)).ravel()
        points = np.stack((corners.real, corners.imag), axis=1)
        outline = points[ConvexHull(points).vertices]
        # bars are grey; links with three, four, ... joints have a colour each, and bars that cross them lie above
        colour = PLAIN if len(at) == 2 else PALETTE[(len(at) - 3) % len(PALETTE)]
        ax.add_patch(Polygon(outline, facecolor=tint(colour), edgecolor=colour, linewidth=0.9, zorder=2 / len(at) + 1))
        middle = at.mean()
        ax.text(middle.real, middle.imag, link, fontsize=SMALL - 1, ha="center", va="center", zorder=4)
    pivots, pins = np.array(fixed, complex), np.array(list(places.values()))
    ax.plot(pivots.real, pivots.imag, marker=Path(PIVOT), linestyle="", markersize=14, color=GROUND, zorder=2.5)
    ax.plot(pins.real, pins.imag, "o", markersize=3.5, markerfacecolor="white", markeredgecolor="black", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.margins(0.08)
