"""Position, velocity and acceleration over time, one above the other."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.numerical_tolerances import NEGLIGIBLE, QUADRATURE
from structkin.plan.status import Status
from structkin.show.columns import coefficients_of
from structkin.show.fitting import MARK, SIDE, add_title, legends_above, lines_that_fit
from structkin.show.interest import output_links, points_of_interest, points_on_links
from structkin.show.letters import legible
from structkin.show.quantities import OF_LINK, OF_POINT, Measures, measures_of, pretty, usual
from structkin.show.style import GROUND, NORMAL, PALETTE, SMALL, dress, group_label, new_figure, plain
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import PartKind
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


#: Largest numbers of points and links drawn by default.
MOST_POINTS, MOST_LINKS = 3, 4


#: Letters per line in the label of a panel.
WIDE = 30

_WORDS = {
    "length": "position",
    "speed": "velocity",
    "acceleration": "acceleration",
    "angle": "angle",
    "omega": "angular velocity",
    "alpha": "angular acceleration",
}

#: Shades of samples that are not ok, by status.
_BANDS = {Status.OUT_OF_REACH: "#f4b6b6", Status.SINGULAR: "#f2dc9b", Status.NOT_CONVERGED: "#d3c1e5",
          Status.BEYOND_STROKE: "#c9dcf0"}  # fmt: skip
_OTHER = "#cccccc"


@dataclass(frozen=True)
class Row:
    """What a row of panels shows: a key for ids, its words, its unit with the size in SI, and a typical value."""

    key: str
    words: str
    unit: str
    size: float
    usual: float


@dataclass(frozen=True)
class Curve:
    """A named part of a motion: values (rows, k, n) of its position, velocity and acceleration, k = 2 for x and y."""

    name: str
    kind: PartKind
    colour: str
    values: Floats


@dataclass(frozen=True)
class Abscissa:
    """The x axis: values (n,) and their name with the unit."""

    values: Floats
    name: str


@legible
def plot_motion(motion: Motion, *names: str, units: Units | None = None, kl: bool = False) -> Figure:
    """Plot position, velocity and acceleration of points (left) and links (right), one above the other.

    With `kl`, rows follow for the velocity coefficients K by each driver and their derivatives L by each pair.

    Without names: up to three points of interest and four output links. The x axis is time; if that is unknown, the
    value of the first driver; if that is not monotonic, the sample. Samples that are not ok are shaded, and the legend
    says why; rates that grow without bound near them are cut off, with a note of the peak. Lengths and angles are in
    the units of the file, or in those given.

    Raises an `InputError` that lists all names that are neither a point nor a link.
    """
    points, links = _selection(motion, names)
    measures = measures_of(motion.mechanism, units)
    columns = []
    if points:
        curves = [_point(motion, name, k) for k, name in enumerate(points)]
        columns.append((_rows(OF_POINT, measures, motion), curves))
    if links:
        curves = [_link(motion, name, k) for k, name in enumerate(links)]
        columns.append((_rows(OF_LINK, measures, motion), curves))
    if kl and motion.drivers:
        columns = [_with_coefficients(motion, rows, curves, units) for rows, curves in columns]
    count = len(columns[0][0])
    figure = new_figure(9.0 if len(columns) < 2 else 12.5, 1.0 + 2.2 * count)
    grid = figure.subplots(count, len(columns), sharex=True, squeeze=False)
    along = abscissa(motion, measures)
    for column, (rows, curves) in enumerate(columns):
        for order, row in enumerate(rows):
            ax = grid[order, column]
            _panel(ax, along.values, curves, order, row, motion)
            shade(ax, motion, along.values)
        grid[-1, column].set_xlabel(along.name, fontsize=NORMAL)
    figure.align_ylabels()
    add_title(figure, motion.mechanism.title or "Motion")
    name_shades(figure, motion)
    legends_above({ax: _handles(curves) for ax, (_, curves) in zip(grid[0], columns, strict=True)})
    return figure


# --- what is drawn ------------------------------------------------------------------------------------------


def _selection(motion: Motion, names: Sequence[str]) -> tuple[list[str], list[str]]:
    m = motion.mechanism
    if not names:
        return points_of_interest(m)[:MOST_POINTS], output_links(m, motion.structure)[:MOST_LINKS]
    held = points_on_links(m)
    known = [*held, *m.links]
    problems = [
        Problem(name, "is neither a point nor a link", suggest(name, known)) for name in names if name not in known
    ]
    raise_problems(problems, m.title or "plot")
    once = list(dict.fromkeys(names))
    return [name for name in once if name in held], [name for name in once if name in m.links]


def _point(motion: Motion, name: str, k: int) -> Curve:
    of = (motion.position(name), motion.velocity(name), motion.acceleration(name))
    return Curve(name, "point", PALETTE[k % len(PALETTE)], np.stack([values.T for values in of]))


def _link(motion: Motion, name: str, k: int) -> Curve:
    of = (motion.angle(name), motion.omega(name), motion.alpha(name))
    return Curve(name, "link", PALETTE[k % len(PALETTE)], np.stack([values[None] for values in of]))


def _rows(quantities: Sequence[str], measures: Measures, motion: Motion) -> list[Row]:
    """Return the rows of quantities."""
    return [
        Row(quantity, _WORDS[quantity], measures.pretty(quantity), size, usual(motion, quantity) / size)
        for quantity in quantities
        for size in [measures.size(quantity)]
    ]


def _with_coefficients(
    motion: Motion, rows: list[Row], curves: list[Curve], units: Units | None
) -> tuple[list[Row], list[Curve]]:
    """Return rows and curves with K and L below them; K and L are already in their units."""
    found = [list(coefficients_of(motion, curve.name, curve.kind, units)) for curve in curves]
    alone = len(motion.mechanism.drivers) == 1
    below = []
    for one in found[0] if found else []:
        words = one.letter if alone else f"{one.letter} by {', '.join(dict.fromkeys(one.drivers))}"
        below.append(Row(f"{one.letter}{one.by}", plain(words), pretty(one.unit), 1.0, one.usual))
    values = [np.stack([one.values for one in each]) for each in found]
    more = [replace(c, values=np.concatenate((c.values, v))) for c, v in zip(curves, values, strict=True)]
    return [*rows, *below], more


def abscissa(motion: Motion, measures: Measures) -> Abscissa:
    """Return the x axis over which a motion is plotted."""
    if np.isfinite(motion.t).all() and (len(motion) < 2 or np.ptp(motion.t) > 0):
        return Abscissa(motion.t, "t [s]")
    if motion.drivers:
        id, values = next(iter(motion.drivers.items()))
        steps = np.diff(values[0])
        if (steps > 0).all() or (steps < 0).all():
            quantity = motion.mechanism.drivers[id].quantity
            return Abscissa(values[0] / measures.size(quantity), plain(f"{id} [{measures.pretty(quantity)}]"))
    return Abscissa(np.arange(len(motion), dtype=np.float64), "sample")


def mean(motion: Motion, values: Floats) -> float:
    """Return the mean of values (n,) over time, or over the x axis where time is unknown, by the trapezoidal rule.

    Intervals with an unknown end are left out; a cycle counts the pose where it closes once. A mean below the accuracy
    of the rule, relative to the largest magnitude, is zero: that of the torque of a cam without losses over a cycle.
    """
    steps = np.abs(np.diff(abscissa(motion, measures_of(motion.mechanism)).values))
    middles = 0.5 * (values[1:] + values[:-1])
    known = np.isfinite(middles) & (steps > 0)
    found = float(np.average(middles[known], weights=steps[known])) if known.any() else float(np.nanmean(values))
    return found if abs(found) > QUADRATURE * np.nanmax(np.abs(values)) else 0.0


# --- panels -------------------------------------------------------------------------------------------------


def _panel(ax: Axes, x: Floats, curves: Sequence[Curve], order: int, row: Row, motion: Motion) -> None:
    shown = []
    for curve in curves:
        for values, style in zip(curve.values[order], ("-", "--"), strict=False):
            y = values / row.size
            shown.append(y[np.isfinite(y)])
            marker = "." if len(x) <= 30 else ""
            [line] = ax.plot(x, y, style, color=curve.colour, linewidth=1.5, marker=marker)
            line.set_gid(f"curve:{curve.name}:{row.key}")
    dress(ax, y=textwrap.fill(f"{row.words} [{row.unit}]", WIDE))
    good = np.concatenate(shown)
    if not len(good):
        text = "unknown: the drivers' rates were not given" if order else "no sample has a pose"
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, fontsize=NORMAL, color=GROUND)
        ax.set_yticks([])
        return
    # do not magnify rounding errors of a constant
    low, high = float(good.min()), float(good.max())
    if high - low <= NEGLIGIBLE * max(abs(low), abs(high), row.usual):
        middle = 0.5 * (low + high)
        middle = 0.0 if abs(middle) <= NEGLIGIBLE * row.usual else middle
        half = 0.1 * (abs(middle) or row.usual or 1.0)
        ax.set_ylim(middle - half, middle + half)
    elif order and not motion.ok.all():
        _cut(ax, good)
    ax.ticklabel_format(axis="y", useOffset=False)


def _cut(ax: Axes, values: Floats) -> None:
    """Keep a panel readable if rates grow near a limit position: cut the range, and note the peak."""
    low, high = np.quantile(values, (0.05, 0.95)).tolist()
    reach = 0.8 * (high - low)
    peak = float(values[np.argmax(np.abs(values))])
    if reach > 0 and np.ptp(values) > 3 * (high - low):
        ax.set_ylim(low - reach, high + reach)
        note = ax.text(0.995, 0.97, f"peak {peak:.3g}, cut", ha="right", va="top", transform=ax.transAxes)
        note.set(fontsize=SMALL, color=GROUND, in_layout=False)
        note.set_bbox({"boxstyle": "square,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})


def _handles(curves: Sequence[Curve]) -> list[Line2D]:
    from matplotlib.lines import Line2D

    handles = []
    for curve in curves:
        if len(curve.values[0]) == 1:
            handles.append(Line2D([], [], color=curve.colour, label=curve.name))
            continue
        handles.append(Line2D([], [], color=curve.colour, linestyle="-", label=f"x of {curve.name}"))
        handles.append(Line2D([], [], color=curve.colour, linestyle="--", label=f"y of {curve.name}"))
    return handles


# --- samples that are not ok --------------------------------------------------------------------------------


def shade(ax: Axes, motion: Motion, x: Floats) -> None:
    """Shade the samples that are not ok, up to half a step beyond them on either side."""
    for part, status, _ in motion.outcomes():
        if status == Status.OK:
            continue
        first = x[part.start] if part.start == 0 else 0.5 * (x[part.start - 1] + x[part.start])
        last = x[-1] if part.stop == len(x) else 0.5 * (x[part.stop - 1] + x[part.stop])
        colour = _BANDS.get(status, _OTHER)
        band = ax.axvspan(first, last, color=colour, alpha=0.55, linewidth=0, zorder=0)
        band.set_gid(f"band:{part.start}:{part.stop}")
        if first == last:
            ax.axvline(first, color=colour, linewidth=2, zorder=0)


def name_shades(figure: Figure, motion: Motion) -> None:
    """Add a legend of the shades below a figure, with their numbers of samples; none if all samples are ok."""
    from matplotlib.patches import Patch

    counts: dict[tuple[Status, int], int] = {}
    for part, status, group in motion.outcomes():
        if status != Status.OK:
            counts[status, group] = counts.get((status, group), 0) + part.stop - part.start
    handles = []
    for (status, group), count in counts.items():
        where = f" at group {group_label(motion.structure.groups[group])}" if group >= 0 else ""
        text = f"{status.words}{where} ({count} sample{'s' if count > 1 else ''})"
        lines = lines_that_fit(text, figure.get_figwidth() - MARK - 2 * SIDE, SMALL)
        handles.append(Patch(color=_BANDS.get(status, _OTHER), label=plain("\n".join(lines))))
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=1, fontsize=SMALL, frameon=False)
