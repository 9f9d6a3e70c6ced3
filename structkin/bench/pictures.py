"""The comparison as pictures: the counterparts of Figs. 4, 5 and 6 of Saura et al."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.bench.compared_methods import TITLES, with_engine
from structkin.bench.comparison import MethodComparison, overtaking
from structkin.bench.measure import GLOBAL, Timing
from structkin.bench.shares import OPERATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKS = {"python": "o", "compiled": "s"}
#: Sizes at the ticks of an axis of constraints: those of 1, 3, 8, ... dyads.
TICKS = (4, 8, 18, 36, 72, 144, 288, 602, 2002, 6002, 20_002)


def draw_times(comparison: MethodComparison, family: str, over: str = "constraints") -> Figure:
    """Return time over the number of "constraints" (Fig. 4a) or "dyads" (Fig. 4b), with the floor of copying results.

    A ring marks where one of the global methods overtakes another.
    """
    from structkin.show.style import GROUND, PALETTE, SMALL, dress, new_figure

    figure = new_figure(8.6, 5.2)
    axes = figure.add_subplot()
    curves = comparison.curves(family)
    methods = list(dict.fromkeys(one.method for one in comparison.motions))
    for curve in curves.values():
        colour = PALETTE[methods.index(curve[0].method) % len(PALETTE)]
        style = "-" if curve[0].engine == "compiled" else "--"
        sizes, times = [getattr(one, over) for one in curve], [one.best for one in curve]
        # A motion that was not solved to its end has a hollow mark.
        solved = [k for k, one in enumerate(curve) if not one.extrapolated]
        mark: dict[str, Any] = {"color": colour, "marker": _MARKS.get(curve[0].engine, "o"), "ms": 4}
        axes.plot(sizes, times, style, **mark, mfc="white", label="_")
        axes.plot([sizes[k] for k in solved], [times[k] for k in solved], linestyle="", **mark, label="_")
        axes.plot([], [], style, **mark, label=with_engine(curve[0].method, curve[0].engine, TITLES))
    for constraints, time in _overtaking(curves):
        at = constraints if over == "constraints" else constraints / 2 - 1
        axes.plot([at], [time], "o", ms=12, mfc="none", mec=GROUND, mew=1.0)
        axes.annotate(
            f"{at:.2g}" if at < 10 else f"{at:.0f}",
            (at, time),
            (0, 9),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
        )
    longest = max(curves.values(), key=len)
    sizes, floors = [getattr(one, over) for one in longest], [one.floor for one in longest]
    axes.plot(sizes, floors, ":", color=GROUND, label="copying the results")
    if any(one.extrapolated for curve in curves.values() for one in curve):
        label = "hollow: extrapolated\n(not solved to the end)"
        axes.plot([], [], linestyle="", marker="o", ms=4, mfc="white", mec=GROUND, label=label)
    axes.set(xscale="log", yscale="log")
    title = f"Scalable four-bar, {family}: {longest[0].samples:,} samples, one thread"
    label = "constraints 2k + 2" if over == "constraints" else "dyads k"
    dress(axes, title=title, x=label, y="CPU time of the motion [s]")
    _sizes(axes, sizes, TICKS if over == "constraints" else [tick // 2 - 1 for tick in TICKS])
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize=SMALL)
    return figure


def draw_shares(comparison: MethodComparison, sizes: Sequence[int]) -> Figure:
    """Return the shares of the operations at some numbers of dyads as bars (Fig. 5)."""
    from structkin.show.style import PALETTE, SMALL, dress, new_figure

    bars = [(method, size) for method, found in comparison.shares.items() for size in sizes if size in found]
    figure = new_figure(8.6, 1.6 + 0.36 * len(bars))
    axes = figure.add_subplot()
    left = np.zeros(len(bars))
    for k, operation in enumerate(OPERATIONS):
        parts = np.array([100 * comparison.shares[method][size][operation] for method, size in bars])
        axes.barh(range(len(bars)), parts, left=left, color=PALETTE[k], label=operation)
        left += parts
    axes.set_yticks(
        range(len(bars)), [f"{with_engine(method, 'python', TITLES)}, {size} dyads" for method, size in bars]
    )
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    dress(axes, "x", title="Where the time goes, by method and operation", x="share of the time [%]")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def draw_shares_by_size(comparison: MethodComparison) -> Figure:
    """Return the shares of the operations against the number of constraints, a panel for each method (Fig. 6)."""
    from structkin.show.style import NORMAL, PALETTE, SMALL, dress, new_figure

    figure = new_figure(11.4, 6.4)
    panels = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    every = sorted({2 * size + 2 for found in comparison.shares.values() for size in found})
    for panel, (method, found) in zip(panels, comparison.shares.items(), strict=False):
        sizes = sorted(found)
        for k, operation in enumerate(OPERATIONS):
            parts = [100 * found[size][operation] for size in sizes]
            if not any(parts):
                continue
            panel.plot([2 * size + 2 for size in sizes], parts, marker="o", ms=4, color=PALETTE[k], label=operation)
        panel.set(xscale="log", ylim=(0, 100))
        _sizes(panel, every)
        title = with_engine(method, "python", TITLES)
        dress(panel, title=title, x="constraints 2k + 2", y="share of the time [%]")
    for panel in panels[len(comparison.shares) :]:
        panel.set_visible(False)
    for panel in panels:
        panel.label_outer()
    for above, below in zip(panels, panels[3:], strict=False):
        if not below.get_visible():
            above.set_xlabel("constraints 2k + 2", fontsize=NORMAL)
            above.tick_params(labelbottom=True)
    entries = {label: line for panel in panels for line, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    names = [operation for operation in OPERATIONS if operation in entries]
    handles = [entries[operation] for operation in names]
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _overtaking(curves: dict[str, list[Timing]]) -> list[tuple[float, float]]:
    """Return where a global method becomes faster than another one: constraints and time."""
    mine = [curve for curve in curves.values() if curve[0].method in GLOBAL and curve[0].engine == "python"]
    return [at for pair in permutations(mine, 2) if (at := overtaking(*pair)) is not None]


def _sizes(axes: Any, sizes: Sequence[int], every: Sequence[int] = TICKS) -> None:
    """Put the ticks of a logarithmic axis at those of `every` size within the sizes that were measured."""
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = min(sizes), max(sizes)
    ticks = [tick for tick in every if low <= tick <= high] or [low, high]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
