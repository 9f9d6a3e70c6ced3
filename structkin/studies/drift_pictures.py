"""Pictures of a driven motion under direct integration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.show.style import GROUND, PALETTE, SMALL, new_figure
from structkin.studies.drift import Drift
from structkin.studies.pictures import tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def draw_courses(found: Mapping[str, Sequence[Drift]], t: Floats, data: Mapping[str, Floats]) -> Figure:
    """Draw the height of each body over time, a row for each start, against the data (n, 2) at times t (n,).

    After Flores & Lankarani, Fig. 62: direct integration, and the smallest of the gains.
    """
    figure, grid = _grid(found, list(data))
    for runs, row in zip(found.values(), grid, strict=True):
        within = t <= runs[0].t[-1] + 1e-9
        for axes, (name, path) in zip(row, data.items(), strict=True):
            axes.plot(t[within], path[within, 1], "o", color=GROUND, ms=2.5, alpha=0.6, label="markers")
            for k, one in enumerate(runs[:2]):
                axes.plot(one.t, one.paths[name][:, 1], color=PALETTE[k], linewidth=1, label=_label(one))
    _name(found, grid, list(data), "y of the centre of mass [m]")
    return figure


def draw_drift(found: Mapping[str, Sequence[Drift]]) -> Figure:
    """Draw how far the bodies drift from where the guides have them, a row for each start."""
    names = list(next(iter(found.values()))[0].paths)
    figure, grid = _grid(found, names)
    for runs, row in zip(found.values(), grid, strict=True):
        for axes, name in zip(row, names, strict=True):
            for k, one in enumerate(runs):
                axes.plot(one.t, 1e3 * one.gaps[name][:, 1], color=PALETTE[k], label=_label(one))
    _name(found, grid, names, "y off the guides [mm]")
    return figure


def _label(one: Drift) -> str:
    return f"alpha = beta = {one.gain:g}" if one.gain else "direct integration"


def _grid(found: Mapping[str, Sequence[Drift]], names: Sequence[str]) -> tuple[Figure, NDArray[np.object_]]:
    figure = new_figure(11.0, 2.8 * len(found))
    return figure, figure.subplots(len(found), len(names), squeeze=False)


def _name(found: Mapping[str, Sequence[Drift]], grid: NDArray[np.object_], names: Sequence[str], y: str) -> None:
    for title, row in zip(found, grid, strict=True):
        for k, (axes, name) in enumerate(zip(row, names, strict=True)):
            tidy(axes, f"{name.removeprefix('right_')}, {title}", "t [s]", "" if k else y)
    grid[0, 0].figure.legend(
        *grid[0, 0].get_legend_handles_labels(), fontsize=SMALL, loc="outside lower center", ncols=3
    )
