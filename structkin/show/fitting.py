"""Titles and legends that fit their pictures: letters are measured, because a W is four times as wide as an i."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from structkin.show.style import LARGE, SMALL, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

#: Space at each side of a title, height of a line of a title, and of a legend with one row [in].
SIDE, TITLE_LINE, ROW = 0.15, 0.2, 0.2

#: Width of a legend beyond that of the names in its only column [in].
MARK = 0.67
#: Length of the lines of a legend, in heights of its letters: long enough to tell dashes apart.
DASHES = 4.0


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width [in] of a line of text of this size [pt]."""
    from matplotlib.text import Text

    page = _page()
    written = Text(text=plain(text), fontsize=size, fontweight=weight)
    written.set_figure(page)
    return float(written.get_window_extent().width / page.dpi)


@cache
def _page() -> Figure:
    """Return a figure whose renderer measures texts."""
    return new_figure(1.0, 1.0)


def lines_that_fit(text: str, width: float, size: float, weight: str = "normal") -> list[str]:
    """Return text of this size [pt] in lines at most `width` [in] wide; lines of the text stay separate."""
    lines = []
    for part in text.splitlines():
        whole = text_width(part, size, weight)
        letters = len(part) if whole <= width else int(len(part) * width / whole)
        # some lines have more than their share of wide letters
        while letters > 1 and any(text_width(line, size, weight) > width for line in textwrap.wrap(part, letters)):
            letters -= 1
        lines += textwrap.wrap(part, max(letters, 1))
    return lines


def add_title(figure: Figure, text: str) -> None:
    """Write the title of a figure, which grows by the lines that a long one needs."""
    lines = lines_that_fit(text, figure.get_figwidth() - 2 * SIDE, LARGE)
    figure.suptitle(plain("\n".join(lines)), fontsize=LARGE)
    figure.set_figheight(figure.get_figheight() + TITLE_LINE * (len(lines) - 1))


def room_above(ax: Axes) -> float:
    """Return the width [in] of axes once the figure is laid out: that of a title or a legend above them."""
    from structkin.show.labels import root_figure, settle

    settle(ax)
    return float(ax.bbox.width / root_figure(ax).dpi)


def legends_above(handles: Mapping[Axes, Sequence[Artist]]) -> None:
    """Write a legend above each of the axes of a figure, which grows by the rows that long names need.

    The labels of the `handles` are names as they are: here they are wrapped and escaped.
    """
    from structkin.show.labels import root_figure

    room = {ax: room_above(ax) for ax in handles}
    further: dict[int, float] = {}
    for ax, shown in handles.items():
        figure = root_figure(ax)
        for handle in shown:
            handle.set_label(plain("\n".join(lines_that_fit(str(handle.get_label()), room[ax] - MARK, SMALL))))
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "columnspacing": 1.2,
                 "handlelength": DASHES}  # fmt: skip
        legend = fitting_legend(ax.legend, shown, room[ax] * figure.dpi, len(shown), **place)
        spec = ax.get_subplotspec()
        assert spec is not None
        row = spec.rowspan.start
        further[row] = max(further.get(row, 0.0), legend.get_window_extent().height / figure.dpi - ROW)
    figure.set_figheight(figure.get_figheight() + sum(further.values()))


def fitting_legend(
    place: Callable[..., Legend], handles: Sequence[Artist], room: float, most: int, **style: Any
) -> Legend:
    """Return a legend with as many columns as fit into `room` [px], at most `most`, and even rows.

    `place` is the method that makes it: `Axes.legend` or `Figure.legend`.
    """
    columns = most
    while True:
        rows = -(-len(handles) // columns)
        columns = -(-len(handles) // rows)
        legend = place(handles=handles, ncols=columns, fontsize=SMALL, frameon=False, **style)
        if columns == 1 or legend.get_window_extent().width <= room:
            return legend
        legend.remove()
        columns -= 1
