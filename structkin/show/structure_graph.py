"""The kinematic structure in two pictures: which link is joined to which, and which group needs which."""

from __future__ import annotations

import textwrap

from matplotlib.figure import Figure

from structkin.model.mechanism import Mechanism
from structkin.show.group_panel import draw_groups, panel_size
from structkin.show.letters import legible
from structkin.show.link_panel import draw_links, incidence
from structkin.show.style import LARGE, LOOSE, NORMAL, new_figure, plain
from structkin.structure import KinematicStructure

#: Lines of diagnostics below the picture.
MOST_PROBLEMS = 8


@legible
def draw_structure(structure: KinematicStructure, *, mechanism: Mechanism | None = None) -> Figure:
    """Draw the link graph and, beside it or below it, the graph of the groups by level.

    Colours and numbers are those of the groups in solve order, as in the schematic. Links that no group determines
    are red and dashed; what is wrong is listed below. A mechanism only makes the layout nearer to its sketch.
    """
    side = min(max(4.6, 3.4 + 0.3 * len(incidence(structure.topology))), 11.0)
    width, height = panel_size(structure)
    problems = _problems(structure)
    extra = 0.9 + 0.19 * len(problems.splitlines())
    beside = width <= 8.0
    if beside:
        figure = new_figure(side + width, max(side, height) + extra)
        left, right = figure.subplots(1, 2, width_ratios=[side, width])
    else:
        figure = new_figure(max(side, width), side + height + extra)
        left, right = figure.subplots(2, 1, height_ratios=[side, height])
    draw_groups(right, structure, max(side, height) if beside else height)
    left.set_title("links and joints", fontsize=NORMAL)
    right.set_title("structural groups in solve order", fontsize=NORMAL)
    title = (mechanism.title if mechanism is not None else "") or structure.topology.title or "Kinematic structure"
    figure.suptitle(plain(f"{title}: mobility {structure.mobility}"), fontsize=LARGE)
    if problems:
        figure.supxlabel(plain(problems), fontsize=NORMAL, color=LOOSE)
    draw_links(left, structure, mechanism)  # last, as its names are placed in what room is left
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
