"""The adjacency matrix and KinStr as pictures: which links are joined, and which links each group needs and solves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from structkin.model.adjacency import joined
from structkin.model.topology import Topology, pin_of
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.show.fitting import SIDE, lines_that_fit
from structkin.show.letters import legible
from structkin.show.style import GROUND, LARGE, LOOSE, NORMAL, SMALL, group_colour, new_figure, plain, tint
from structkin.structure import KinematicStructure

#: Height of a line of text, width of a letter, and padding of a cell [in].
LINE, LETTER, PAD = 0.145, 0.071, 0.12

#: Size of a cell without text, and of the largest matrix with and without text [in].
SMALL_CELL, LARGEST, LARGEST_PATTERN = 0.07, 16.0, 14.0

#: Largest number of letters shown of a name or kind.
MOST_LETTERS = 24


@legible
def draw_matrices(structure: KinematicStructure) -> Figure:
    """Draw the adjacency matrix of the links and KinStr: one row per link, one column per group in solve order.

    Colours are those of the groups. In KinStr a cell +1 has the colour of its group, which solves the link; a cell -1
    is pale, in the colour of the group that solved the link before. Links that no group determines are red. A matrix
    too large for text shows only its pattern.
    """
    panels = _Panels(structure)
    figure = new_figure(*panels.size)
    figure.set_layout_engine("none")
    panels.draw(figure)
    return figure


def adjacency(topology: Topology) -> dict[tuple[str, str], list[str]]:
    """Return the joints of each pair of links, in both orders: names such as "R:A"; a multiple joint joins every pair.

    >>> from structkin.model.topology import Joint
    >>> adjacency(Topology(("0", "1"), "0", (Joint("A", "R", ("0", "1")),)))
    {('0', '1'): ['R:A'], ('1', '0'): ['R:A']}
    """
    return {pair: names for pair, names in joined(topology).items() if not any(map(pin_of, pair))}


class _Panels:
    """The two matrices, with sizes in inches computed from the longest words."""

    def __init__(self, structure: KinematicStructure) -> None:
        self.structure = structure
        self.links = structure.topology.links
        self.joined = adjacency(structure.topology)
        self.heads = [_short(f"{group.index + 1} {group.kind}") for group in structure.groups]
        names = [_short(link) for link in self.links]
        text = [name for entry in self.joined.values() for name in entry]
        across = max([LETTER * max(map(len, text), default=1) + PAD, 0.42])
        down = max(LINE * max(map(len, self.joined.values()), default=1) + PAD, 0.34)
        self.worded = len(self.links) * max(across, down) <= LARGEST
        small = min(SMALL_CELL, LARGEST_PATTERN / len(self.links))
        self.cell = (across, down) if self.worded else (small, small)
        self.column = 0.42 if self.worded else small
        self.names = LETTER * max(map(len, names)) + 0.2 if self.worded else 0.3
        # names above columns are rotated if they are wider than the columns
        self.upright = LETTER * max(map(len, names)) > self.cell[0] - 0.05
        head = [LETTER * max(map(len, names)) if self.upright else LINE]
        head += [LETTER * len(text) for text in self.heads]
        self.top = (max(head) if self.worded else 0.0) + 0.2
        self.gap = 0.5
        n, m = len(self.links), max(len(self.heads), 1)
        self.widths = n * self.cell[0], max(m * self.column, 1.1)
        self.height = n * self.cell[1]
        width = 0.2 + 2 * self.names + self.gap + sum(self.widths) + 0.25
        width = max(width, 4.2)
        name = structure.topology.title or "Kinematic structure"
        self.words = lines_that_fit(f"{name}: {structure.mobility_in_words}", width - 2 * SIDE, LARGE)
        self.title = 0.25 * len(self.words) + 0.5
        self.notes = lines_that_fit("\n".join(_notes(structure)), width - 2 * SIDE, SMALL + 0.5)
        self.size = (width, self.title + self.top + self.height + 0.18 * len(self.notes) + 0.25)

    def draw(self, figure: Figure) -> None:
        width, height = self.size
        figure.text(0.5, 1 - 0.15 / height, plain("\n".join(self.words)), ha="center", va="top", fontsize=LARGE)
        used = 2 * self.names + self.gap + sum(self.widths)
        left = (width - used) / 2 + self.names
        self._adjacency(self._axes(figure, left, self.widths[0], "adjacency"))
        left += self.widths[0] + self.gap + self.names
        self._kinstr(self._axes(figure, left, self.widths[1], "KinStr"))
        for k, note in enumerate(self.notes):
            y = (0.12 + 0.18 * (len(self.notes) - k - 1)) / height
            figure.text(0.5, y, plain(note), ha="center", va="bottom", fontsize=SMALL + 0.5, color="#333333")

    def _axes(self, figure: Figure, left: float, across: float, title: str) -> Axes:
        """Return axes with inches as units, their origin at the upper left corner of the matrix."""
        width, height = self.size
        bottom = height - self.title - self.top - self.height
        ax = figure.add_axes((left / width, bottom / height, across / width, self.height / height))
        ax.set_xlim(0, across)
        ax.set_ylim(self.height, 0)
        ax.set_axis_off()
        above = 1 - (self.title - 0.12) / height
        centre = (left + across / 2) / width
        figure.text(centre, above, title, ha="center", va="center", fontsize=NORMAL, fontweight="bold")
        if self.worded:
            for k, link in enumerate(self.links):
                y = (k + 0.5) * self.cell[1]
                name = ax.text(-0.08, y, plain(_short(link)), ha="right", va="center", fontsize=NORMAL)
                name.set_color(self._ink(link))
        return ax

    def _adjacency(self, ax: Axes) -> None:
        across, down = self.cell
        place = {link: k for k, link in enumerate(self.links)}
        for column, link in enumerate(self.links):
            self._head(ax, (column + 0.5) * across, _short(link), self.upright, self._ink(link))
            self._cell(ax, column * across, column * down, across, "#dddddd", "", [])
        for (one, other), names in self.joined.items():
            x, y = place[other] * across, place[one] * down
            self._cell(ax, x, y, across, "#cfe3f1", f"adjacent:{one}:{other}", names)
        self._grid(ax, across, len(self.links))

    def _kinstr(self, ax: Axes) -> None:
        kinstr, down = self.structure.kinstr, self.cell[1]
        for column, head in enumerate(self.heads):
            self._head(ax, (column + 0.5) * self.column, head, True, _dark(group_colour(column)))
        for row, column in np.argwhere(kinstr).tolist():
            link, value = self.links[row], int(kinstr[row, column])
            face = tint(group_colour(column), 0.8) if value > 0 else tint(self._ink(link), 0.25)
            x, gid = column * self.column, f"kinstr:{link}:{column + 1}"
            self._cell(ax, x, row * down, self.column, face, gid, [f"{value:+d}"])
        self._grid(ax, self.column, len(self.heads))
        if not self.heads:
            ax.text(0.55, self.height / 2, "no group is\ndetermined", ha="center", va="center", fontsize=SMALL)

    def _grid(self, ax: Axes, across: float, columns: int) -> None:
        """Draw lines between the cells, or only around the matrix if they are small."""
        rows, down = len(self.links), self.cell[1]
        if columns:
            step = 1 if self.worded else columns, 1 if self.worded else rows
            xs = [k * across for k in range(0, columns + 1, step[0])]
            ys = [k * down for k in range(0, rows + 1, step[1])]
            ax.vlines(xs, 0, rows * down, color="#bbbbbb", linewidth=0.7, clip_on=False)
            ax.hlines(ys, 0, columns * across, color="#bbbbbb", linewidth=0.7, clip_on=False)

    def _ink(self, link: str) -> str:
        """Return the colour of a link: that of its group, of the ground, or of links that are not determined."""
        if link == self.structure.topology.ground:
            return GROUND
        group = self.structure.group_of(link)
        return LOOSE if group is None else _dark(group_colour(group.index))

    def _head(self, ax: Axes, x: float, text: str, upright: bool, colour: str) -> None:
        if self.worded:
            turn = 90 if upright else 0
            ax.text(x, -0.07, plain(text), ha="center", va="bottom", rotation=turn, fontsize=NORMAL, color=colour)

    def _cell(self, ax: Axes, x: float, y: float, across: float, face: str, gid: str, lines: list[str]) -> None:
        down = self.cell[1]
        box = Rectangle((x, y), across, down, facecolor=face, edgecolor="none")
        box.set_gid(gid)
        ax.add_patch(box)
        if lines and self.worded:
            ink = "white" if _lightness(face) < 0.45 else "black"
            text = plain("\n".join(lines))
            ax.text(x + across / 2, y + down / 2, text, ha="center", va="center", fontsize=SMALL + 0.5, color=ink)


def _notes(structure: KinematicStructure) -> list[str]:
    """Return the notes below: the meaning of the numbers, and what a matrix of links cannot show."""
    topology = structure.topology
    notes = ["KinStr: +1 the group solves the link; -1 the group needs the link, already known; empty: neither"]
    attached = []
    for joint in topology.joints:
        if any(pin_of(end) is not None for end in joint.links):
            ends = [f"the pin {pin}" if (pin := pin_of(end)) is not None else end for end in joint.links]
            attached.append(f"{joint.kind}:{joint.id} joins {' and '.join(ends)}")
    if attached:
        notes.append(f"Joints between a pin and a link, which no cell can show: {'; '.join(attached)}")
    loose = [link for link in topology.moving_links if structure.group_of(link) is None]
    if loose:
        notes.append(f"In no group: {', '.join(loose)}")
    return notes


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 3]}..."


def _lightness(colour: str) -> float:
    red, green, blue = to_rgb(colour)
    return 0.3 * red + 0.59 * green + 0.11 * blue


def _dark(colour: str) -> str:
    """Return a shade that is legible on white."""
    red, green, blue = to_rgb(colour)
    share = min(1.0, 0.5 / max(_lightness(colour), NEGLIGIBLE))
    return "#" + "".join(f"{round(255 * share * part):02x}" for part in (red, green, blue))
