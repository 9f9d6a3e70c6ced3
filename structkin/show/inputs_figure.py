"""Candidate inputs side by side: as a table, and as small pictures of the structures that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from structkin.show.fitting import SIDE, lines_that_fit
from structkin.show.letters import legible
from structkin.show.style import LARGE, LOOSE, NORMAL, SMALL, new_figure, plain
from structkin.show.terminal import text_table
from structkin.structure import KinematicStructure, decompose
from structkin.structure.inputs.ranked_inputs import InputChoice, InputRanking

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from structkin.model.mechanism import Mechanism

#: Largest number of lines in a table unless all are requested.
MOST_LINES = 12

#: Names in a line of text, before the rest are only counted.
MOST_NAMED = 6

#: Height of a line of text [in].
LINE = 0.16


def inputs_table(ranking: InputRanking, *, title: str = "", most: int | None = MOST_LINES) -> Table:
    """Return a table of the choices of inputs, the simplest structure first; `most=None` lists all.

    A star marks the mechanism's own drivers, which are always listed.
    """
    shown = [k for k, choice in enumerate(ranking) if most is None or k < most or choice.is_own]
    lines = [ranking.summary]
    if len(shown) < len(ranking):
        rest = len(ranking) - len(shown)
        lines.append(f"{rest} more {'choice is' if rest == 1 else 'choices are'} not shown")
    if any(choice.is_own for choice in ranking):
        lines.append("* the mechanism's own drivers")
    for words, several in (("cannot move", False), ("cannot drive together", True)):
        named = [" + ".join(labels) for labels in ranking.repeating if (len(labels) > 1) == several]
        if named:
            first = named if most is None else named[:MOST_NAMED]
            more = f", ... ({len(named)} in all)" if len(named) > len(first) else ""
            lines.append(f"{words}: {', '.join(first)}{more}")
    rows = [
        (
            str(k + 1),
            f"{ranking[k].label}{' *' if ranking[k].is_own else ''}",
            class_words(ranking[k]),
            str(ranking[k].largest),
            str(ranking[k].n_groups),
            str(ranking[k].depth),
            "yes" if ranking[k].is_grounded else "no",
            levels_words(ranking[k]),
        )
        for k in shown
    ]
    heads = ("#", "input", "highest class", "largest group", "groups", "levels", "on the ground", "groups by level")
    figures = ("#", "largest group", "groups", "levels")
    return text_table(title or "Which joint should drive?", "\n".join(lines), heads, rows, figures)


def class_words(choice: InputChoice) -> str:
    """Return the highest class, or what is wrong with a choice that does not determine every link."""
    if choice.is_complete:
        return choice.highest_class or "no class"
    verdict = choice.verdict
    words = [f"{verdict.moving} links still move"] if verdict.moving > 1 else []
    words += ["1 link still moves"] if verdict.moving == 1 else []
    if verdict.redundant:
        words.append("1 driver too many" if verdict.redundant == 1 else f"{verdict.redundant} drivers too many")
    return ", ".join(words)


def levels_words(choice: InputChoice) -> str:
    """Return the kinds of the groups: ";" between levels, "2 x" before several of a kind."""
    levels = []
    for level in choice.verdict.levels:
        counted = [(kind, len(list(same))) for kind, same in groupby(level)]
        levels.append(", ".join(kind if count == 1 else f"{count} x {kind}" for kind, count in counted))
    return "; ".join(levels)


@legible
def draw_inputs(ranking: InputRanking, *, mechanism: Mechanism | None = None, most: int = 6) -> Figure:
    """Draw the link graph for the simplest choices of inputs, one picture per structure, coloured by group.

    Choices with the same kinds of groups at each level share a picture, which shows the first; the others are named
    above it. The mechanism's own drivers, marked by a star, are always among the pictures. If a mechanism is given,
    the layout follows its sketch.
    """
    from structkin.show.link_panel import draw_links, incidence, link_places

    alike = ranking.distinct() or tuple((choice,) for choice in ranking)
    shown = _shown(alike, most)
    if not shown:
        figure = new_figure(6.0, 1.2)
        figure.text(0.5, 0.5, plain(ranking.summary), ha="center", va="center", fontsize=NORMAL)
        return figure
    place = {id(choice): k + 1 for k, choice in enumerate(ranking)}
    size = max(len(incidence(choices[0].topology)) for choices in shown)
    side = min(max(4.2, 3.0 + 0.32 * size), 9.0)
    tall = side - 2 * SIDE
    columns = 2 if len(shown) == 4 else min(len(shown), 3)
    rows = -(-len(shown) // columns)
    heads = [_head(choices, place[id(choices[0])], side - 2 * SIDE) for choices in shown]
    head = LINE * max(len(lines) for lines in heads) + 0.05
    width = columns * side
    name = (mechanism.title if mechanism is not None else "") or shown[0][0].topology.title or "Inputs"
    title = lines_that_fit(f"{name}: which joint should drive?", width - 2 * SIDE, LARGE)
    foot = lines_that_fit(_foot(ranking, alike, len(shown)), width - 2 * SIDE, SMALL + 0.5)
    top, bottom = 0.25 * len(title) + 0.25, LINE * len(foot) + 0.2
    height = top + rows * (tall + head) + bottom
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    figure.text(0.5, 1 - 0.15 / height, plain("\n".join(title)), ha="center", va="top", fontsize=LARGE)
    for line, text in enumerate(foot):
        y = (bottom - LINE * (line + 1)) / height
        figure.text(0.5, y, plain(text), ha="center", fontsize=SMALL + 0.5, color="#333333")
    for k, (choices, lines) in enumerate(zip(shown, heads, strict=True)):
        column, row = k % columns, k // columns
        y = height - top - (row + 1) * (tall + head)
        ax = figure.add_axes(((column * side + SIDE) / width, y / height, tall / width, tall / height))
        ax.set_gid(f"inputs:{choices[0].label}")
        for line, (text, weight) in enumerate(lines):
            colour = "black" if choices[0].is_complete else LOOSE
            above = (y + tall + head - LINE * (line + 1)) / height
            middle = (column + 0.5) * side / width
            figure.text(
                middle, above, plain(text), ha="center", va="bottom", fontsize=NORMAL, fontweight=weight, color=colour
            )
        pictured = _pictured(choices[0])
        draw_links(ax, pictured, link_places(pictured, mechanism))
    return figure


def _pictured(choice: InputChoice) -> KinematicStructure:
    """Return the structure with short names for its inputs; the arrows show where they act."""
    several = len(choice.drivers) > 1
    drivers = tuple(
        replace(driver, id=f"input {k + 1}" if several else "input") for k, driver in enumerate(choice.drivers)
    )
    return decompose(replace(choice.topology, drivers=drivers))


def _shown(alike: Sequence[tuple[InputChoice, ...]], most: int) -> list[tuple[InputChoice, ...]]:
    """Return the first structures; that of the mechanism's own drivers replaces the last if it is not among them."""
    own = next((choices for choices in alike if any(choice.is_own for choice in choices)), None)
    shown = list(alike[:most])
    if own is not None:
        ordered = tuple(sorted(own, key=lambda choice: not choice.is_own))
        if own in shown:
            shown[shown.index(own)] = ordered
        elif shown:
            shown[-1] = ordered
    return shown


def _head(choices: Sequence[InputChoice], number: int, width: float) -> list[tuple[str, str]]:
    """Return the lines above a picture this wide [in], each with its weight.

    They name the input, its structure, and the other inputs with the same structure.
    """
    first = choices[0]
    name = f"{number}. {first.label}{' *' if first.is_own else ''}"
    lines = [(line, "bold") for line in lines_that_fit(name, width, NORMAL, "bold")]
    if first.is_complete:
        class_ = f"class {first.highest_class}" if first.highest_class else "a group without a class"
        levels = "1 level" if first.depth == 1 else f"{first.depth} levels"
        what = f"up to {class_}; largest group {first.largest}; {levels}"
    else:
        what = class_words(first)
    others = [f"{choice.label}{' *' if choice.is_own else ''}" for choice in choices[1:]]
    if others:
        named = "; ".join(others[:MOST_NAMED])
        named += f"; ... ({len(others)} in all)" if len(others) > MOST_NAMED else ""
        what += f"\nsame structure: {named}"
    return lines + [(line, "normal") for line in lines_that_fit(what, width, NORMAL)]


def _foot(ranking: InputRanking, alike: Sequence[Sequence[InputChoice]], shown: int) -> str:
    text = ranking.summary
    if len(alike) > shown:
        text += f"; {shown} of {len(alike)} structures drawn"
    if any(choice.is_own for choice in ranking):
        text += "; * the mechanism's own drivers"
    return text
