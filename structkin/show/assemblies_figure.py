"""All assemblies of a mechanism side by side: as a table and as small pictures."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from structkin.branches.assemblies import Assemblies, Assembly
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.plan.status import Status
from structkin.show.letters import legible
from structkin.show.quantities import Measures, measures_of
from structkin.show.scene import Placing, outer
from structkin.show.style import GROUND, LARGE, LOOSE, NORMAL, SMALL, new_figure, plain
from structkin.show.terminal import text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

#: Largest number of small pictures, and of lines in a table.
MOST_PICTURES, MOST_LINES = 12, 100
#: What a star means.
OWN = "* the assembly of the sketch"
#: Side of a small picture, height of the title, and height of the heading of each picture [in].
SIDE, TITLE, HEAD = 3.1, 0.5, 0.5


def assemblies_table(found: Assemblies) -> Table:
    """Return a table of the assemblies: modes, certificate, residual, distance from the sketch.

    The assembly of the sketch comes last if it is not among the first.
    """
    shown, own = _with_own(found, MOST_LINES)
    words = [*found.report.splitlines(), *([] if own is None else [OWN])]
    more = sum(1 for _ in found) - MOST_LINES
    words += [f"... and {more} more; JSON has all"] if more > 0 else []
    return _table(found, shown, own, "assemblies" if more > 0 else "all assemblies", words)


def found_table(found: Assemblies) -> Table:
    """Return a table of the assemblies found so far, without computing any."""
    words = repr(found)[1:-1]
    more = ["computed on demand: list(...) finds all"] if words.endswith("so far") else []
    return _table(found, found.so_far, None, "assemblies", [words, *more])


def _table(
    found: Assemblies, shown: Sequence[Assembly], own: Assembly | None, what: str, caption: Sequence[str]
) -> Table:
    measures = measures_of(found.mechanism)
    size, unit = measures.size("length"), measures.unit("length")
    rows = [
        (
            _number(item, own),
            item.label,
            item.verdict,
            f"{item.alpha:.1e}" if math.isfinite(item.alpha) else "-",
            f"{item.residual:.1e}",
            f"{item.distance() / size:.5g} {unit}",
        )
        for item in shown
    ]
    title = f"{found.mechanism.title or 'Mechanism'}: {what} at {_drivers_words(found, measures)}"
    heads = ("#", "modes", "certificate", "alpha", "largest joint closure error", "from the sketch")
    figures = ("#", "alpha", "largest joint closure error", "from the sketch")
    return text_table(title, "\n".join(caption), heads, rows, figures)


@legible
def draw_assemblies(found: Assemblies, *, most: int = MOST_PICTURES) -> Figure:
    """Draw the first assemblies side by side, all at one scale, their links coloured by structural group.

    If there is none, the picture says which group does not close.
    """
    from structkin.show.drawing import bounds

    measures = measures_of(found.mechanism)
    shown, own = _with_own(found, most)
    if not shown:
        figure = new_figure(7.0, 1.6)
        text = "\n".join(line for part in found.report.splitlines() for line in textwrap.wrap(part, 90))
        figure.text(0.5, 0.5, plain(text), ha="center", va="center", fontsize=NORMAL, color=LOOSE)
        return figure
    scale = measures.size("length")
    low, high = outer(bounds(found.mechanism, item.motion.structure, item.motion.poses) for item in shown)
    columns = min(len(shown), 4 if len(shown) in (4, 7, 8) or len(shown) > 9 else 3)
    rows = -(-len(shown) // columns)
    tall = SIDE * min(max((high - low).imag / max((high - low).real, NEGLIGIBLE * abs(high - low)), 0.5), 1.6)
    width, height = max(columns * SIDE, 5.0), TITLE + rows * (tall + HEAD) + 0.1
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    _title(figure, found, measures, width, height, len(shown))
    for k, item in enumerate(shown):
        column, row = k % columns, k // columns
        left = (width - columns * SIDE) / 2 + column * SIDE + 0.1
        bottom = height - TITLE - row * (tall + HEAD) - HEAD - tall
        ax = figure.add_axes((left / width, bottom / height, (SIDE - 0.2) / width, tall / height))
        _panel(ax, found, item, (low, high), scale, own)
    return figure


def _panel(
    ax: Axes, found: Assemblies, item: Assembly, corners: tuple[complex, complex], scale: float, own: Assembly | None
) -> None:
    from structkin.show.artists import draw_scene
    from structkin.show.drawing import scene_of, symbol_size

    poses, u = item.motion.poses, symbol_size(found.mechanism, *corners)
    low, high = (corner / scale for corner in corners)
    ax.set_gid("assembly:own" if item.index is None else f"assembly:{item.index}")
    draw_scene(ax, scene_of(found.mechanism, item.motion.structure, poses, u), Placing(poses, scale), 0)
    # One scale for all, with a margin around the largest.
    box = ax.get_window_extent()
    middle, span = (low + high) / 2, high - low
    reach = 0.6 * max(span.real / box.width, span.imag / box.height)
    ax.set_xlim(middle.real - reach * box.width, middle.real + reach * box.width)
    ax.set_ylim(middle.imag - reach * box.height, middle.imag + reach * box.height)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color("#cccccc")
    regular = item.motion.status[0] == Status.OK
    head = f"{_number(item, own)}   {item.label}"
    lines = [*_at_most(2, head, 46), *_at_most(1, item.verdict, 42)]
    ax.set_title(plain("\n".join(lines)), fontsize=SMALL, loc="left", color="black" if regular else LOOSE, pad=3)


def _title(figure: Figure, found: Assemblies, measures: Measures, width: float, height: float, shown: int) -> None:
    count = sum(1 for _ in found)
    more = "at least " if found.truncated else ""
    words = f"{more}{count} {'assembly' if count == 1 else 'assemblies'} at {_drivers_words(found, measures)}"
    if shown < count:
        words += f"; {shown} drawn"
    if found.followed is not None:
        words += f"; {OWN}"
    letters = round(10 * width)
    name = textwrap.shorten(found.mechanism.title or "Mechanism", letters)
    figure.text(0.1 / width, 1 - 0.1 / height, plain(name), fontsize=LARGE, va="top")
    lines = _at_most(2, words, round(14.5 * width))
    figure.text(0.1 / width, 1 - 0.36 / height, plain("\n".join(lines)), fontsize=SMALL, color=GROUND, va="top")


def _at_most(count: int, text: str, letters: int) -> list[str]:
    """Return a text in lines; one that needs more than there is room for ends in an ellipsis."""
    return textwrap.wrap(text, letters, max_lines=count, placeholder=" ...")


def _with_own(found: Assemblies, most: int) -> tuple[list[Assembly], Assembly | None]:
    """Return the first `most` assemblies, and that of the sketch, which is one of them or comes last."""
    shown, own = list(islice(found, most)), found.followed
    if own is None:
        return shown, None
    for item in shown:
        if item.index == own.index:
            return shown, item
    return [*shown[: most - 1], own], own


def _number(item: Assembly, own: Assembly | None) -> str:
    """Return the number of an assembly, with a star for that of the sketch, the only one that may have no number."""
    words = [] if item.index is None else [str(item.index)]
    return " ".join([*words, *(["*"] if item is own else [])])


def _drivers_words(found: Assemblies, measures: Measures) -> str:
    """Return the drivers' values in words."""
    parts = []
    for id, value in found.drivers.items():
        quantity = found.mechanism.drivers[id].quantity
        parts.append(f"{id} = {value / measures.size(quantity):.5g} {measures.pretty(quantity)}")
    if len(parts) > 4:
        parts = [*parts[:3], f"... ({len(found.drivers)} drivers)"]
    return ", ".join(parts) or "no driver"
