"""The kinematic structure in two pictures: which links are joined, and which group depends on which."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from structkin.model.mechanism import Mechanism
from structkin.show.fitting import add_title
from structkin.show.letters import legible
from structkin.show.link_panel import draw_links, link_places, links_size
from structkin.show.style import (
    GROUND,
    LOOSE,
    NORMAL,
    SMALL,
    group_colour,
    listed,
    new_figure,
    plain,
    tint,
)
from structkin.structure import Group, KinematicStructure

#: Lines of diagnostics below the picture.
MOST_PROBLEMS = 8


@legible
def draw_structure(structure: KinematicStructure, *, mechanism: Mechanism | None = None) -> Figure:
    """Draw the link graph and, next to it, the graph of the groups by level, as nearly as possible like a slide.

    Colours and numbers are those of the groups in solve order, as in the schematic. Links that no group determines
    are red and dashed; structural errors are listed below. If a mechanism is given, the layout follows its sketch.
    """
    places = link_places(structure, mechanism)
    wide, high = links_size(places)
    problems = _problems(structure)
    extra = 0.9 + 0.19 * len(problems.splitlines())
    columns = _columns(structure)

    def size(panel: _Panel) -> tuple[float, float]:
        return wide + panel.width, max(high, panel.height) + extra

    count = max(len(columns), 1)
    panels = [_Panel(columns, levels) for levels in range(min(LEAST_LEVELS, count), count + 1)]
    panel = min(panels, key=lambda panel: max(np.divide(size(panel), SLIDE)))
    figure = new_figure(*size(panel))
    left, right = figure.subplots(1, 2, width_ratios=[wide, panel.width])
    draw_groups(right, structure, panel, max(high, panel.height))
    left.set_title("links and joints", fontsize=NORMAL)
    right.set_title("structural groups in solve order", fontsize=NORMAL)
    title = (mechanism.title if mechanism is not None else "") or structure.topology.title or "Kinematic structure"
    add_title(figure, f"{title}: {structure.mobility_in_words}")
    if problems:
        figure.supxlabel(plain(problems), fontsize=NORMAL, color=LOOSE)
    draw_links(left, structure, places)  # last, because its names are placed in the remaining space
    return figure


def _problems(structure: KinematicStructure) -> str:
    lines = []
    if structure.over:
        lines.append(f"over-determined: {', '.join(f'{one.id} ({one.equation})' for one in structure.over)}")
    if structure.under:
        missing = structure.missing_drivers
        drivers = "1 driver is" if missing == 1 else f"{missing} drivers are"
        lines.append(f"under-determined: {', '.join(structure.under)}; {drivers} missing")
    lines += [str(problem) for problem in structure.diagnostics]
    if len(lines) > MOST_PROBLEMS:
        lines = [*lines[: MOST_PROBLEMS - 1], f"... and {len(lines) - MOST_PROBLEMS + 1} more"]
    return "\n".join(textwrap.fill(line, 110) for line in lines)


# --- the groups, one column per level -------------------------------------------------------------------

#: Distances between levels and between the groups of a level [in], and letters per line of a box.
STEP_X, STEP_Y, LETTERS = 2.0, 1.1, 20

#: Height of the heading of a level [in]; the fewest levels in a row, where there are more; the shape of a slide.
HEAD, LEAST_LEVELS, SLIDE = 0.45, 3, (16.0, 9.0)

#: Distance from the middle of a box to the gap below it [pt].
GAP = 36


@dataclass
class _Panel:
    """The groups of each level in columns, and how many levels stand in a row; further levels are in rows below."""

    columns: list[list[Group]]
    levels: int

    @property
    def rows(self) -> list[list[list[Group]]]:
        return [self.columns[k : k + self.levels] for k in range(0, len(self.columns), self.levels)] or [[[]]]

    @property
    def heights(self) -> list[float]:
        """The height of each row [in]."""
        return [HEAD + STEP_Y * max(1, *map(len, row)) for row in self.rows]

    @property
    def width(self) -> float:
        """The width that the panel needs [in]."""
        return STEP_X * self.levels + 0.2

    @property
    def height(self) -> float:
        """The height that the panel needs [in]."""
        return sum(self.heights)


def draw_groups(ax: Axes, structure: KinematicStructure, panel: _Panel, height: float) -> None:
    """Draw the groups on axes of this height [in]."""
    ax.set_xlim(0, panel.width)
    ax.set_ylim(0, height)
    ax.set_axis_off()
    boxes: dict[int, Text] = {}
    top = (height + panel.height) / 2
    for row, (columns, room) in enumerate(zip(panel.rows, panel.heights, strict=True)):
        for k, column in enumerate(columns if structure.groups else ()):
            x = STEP_X * (k + 0.5) + 0.1
            middle = top - HEAD - (room - HEAD) / 2
            highest = middle + STEP_Y * len(column) / 2
            name = f"level {row * panel.levels + k}"
            head = ax.text(x, top - HEAD / 2, name, ha="center", va="center", fontsize=SMALL, color=GROUND, zorder=6)
            head.set_bbox({"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"})
            for place, group in enumerate(column):
                boxes[group.index] = _box(ax, group, (x, highest - STEP_Y * (place + 0.5)))
        top -= room
    for group in structure.groups:
        for need in group.depends_on:
            _arrow(ax, structure.groups[need], group, panel.levels, boxes)
    if not structure.groups:
        ax.text(panel.width / 2, height / 2, "no group is determined", ha="center", va="center", fontsize=NORMAL)


def box_text(group: Group) -> str:
    """Return the text in a group's box.

    >>> print(box_text(Group(1, "RRR", ("coupler", "rocker"), (), (), "II", 2, "RRR", (), 1, (0,))))
    2 RRR
    coupler + rocker
    class II order 2
    """
    links = listed(group.links, 8) if group.links else f"pin {', '.join(group.pins)}"
    lines = [f"{group.index + 1} {group.kind}", *textwrap.wrap(links, LETTERS, break_long_words=True)]
    words = [f"class {group.class_}"] if group.class_ else []
    words += [f"order {group.order}"] if group.order is not None else []
    # do not repeat a kind that consists of class and order
    return "\n".join(lines if not words or " ".join(words) == group.kind else [*lines, " ".join(words)])


def _columns(structure: KinematicStructure) -> list[list[Group]]:
    """Return the groups of each level, each placed near the height of the groups on which it depends."""
    levels: dict[int, list[Group]] = defaultdict(list)
    for group in structure.groups:
        levels[group.level].append(group)
    height: dict[int, float] = {}
    columns = []
    for level in sorted(levels):
        wish: dict[int, float] = {}
        for group in levels[level]:
            needs = [height[need] for need in group.depends_on if need in height]
            wish[group.index] = sum(needs) / len(needs) if needs else 0.5
        column = sorted(levels[level], key=lambda group: (wish[group.index], group.index))
        height.update({group.index: (k + 0.5) / len(column) for k, group in enumerate(column)})
        columns.append(column)
    return columns


def _box(ax: Axes, group: Group, place: tuple[float, float]) -> Text:
    colour = group_colour(group.index)
    style = {"boxstyle": "round,pad=0.4", "facecolor": tint(colour), "edgecolor": colour, "linewidth": 2.0}
    text = plain(box_text(group))
    box = ax.text(*place, text, ha="center", va="center", fontsize=NORMAL, bbox=style, zorder=5)
    box.set_gid(f"group:{group.index + 1}")
    return box


def _arrow(ax: Axes, source: Group, target: Group, levels: int, boxes: Mapping[int, Text]) -> None:
    a, b = boxes[source.index], boxes[target.index]
    # an arrow past a level curves around its boxes; one to another row runs through the gap below its own row
    bend = "arc3,rad=0" if target.level - source.level <= 1 else "arc3,rad=-0.28"
    if source.level // levels != target.level // levels:
        down = 72 * (a.get_position()[1] - b.get_position()[1])
        bend = f"arc,angleA=-90,angleB=90,armA={GAP},armB={max(down - GAP, GAP)},rad=6"
    arrow = ax.annotate(
        "",
        b.get_position(),
        a.get_position(),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
            "connectionstyle": bend,
            "color": GROUND,
            "linewidth": 1.3,
            "patchA": a.get_bbox_patch(),
            "patchB": b.get_bbox_patch(),
            "shrinkA": 4,
            "shrinkB": 4,
        },
        zorder=3,
    )
    arrow.set_gid(f"needs:{source.index + 1}:{target.index + 1}")
