"""Measured data beside a motion: for the terminal, and as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from structkin.show.fitting import add_title
from structkin.show.letters import legible
from structkin.show.style import NORMAL, PALETTE, SMALL, dress, new_figure, plain
from structkin.show.terminal import text_table
from structkin.solve.measured import MeasuredComparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


def _in_units(found: MeasuredComparison, value: float, kind: str) -> str:
    unit = "s" if kind == "time" else getattr(found.units, kind)
    return "-" if math.isnan(value) else f"{value / found.units.scale(kind):.4g} {unit}"


def measured_table(found: MeasuredComparison, title: str = "") -> Table:
    """Return a table of the residuals of each measured quantity, and below it the lag."""
    rows = [
        (
            one.name,
            *(_in_units(found, value, one.kind) for value in (one.rms, one.largest)),
            _in_units(found, found.remaining.get(one.name, math.nan), one.kind),
        )
        for one in found.columns
    ]
    lag = f"Lag of the measured motion: {_in_units(found, found.lag, found.x_kind)} along {found.against}."
    lines = [f"Compared without a lag: {found.no_lag}." if found.no_lag else lag]
    if found.missing:
        lines.append(f"At {found.missing} of {len(found.x)} samples the model has no pose; they do not count.")
    if found.left_out:
        lines.append(f"Columns left out: {', '.join(map(repr, found.left_out))}.")
    heads = ("quantity", "RMS", "largest", "RMS without lag")
    head = f"{found.title or title}: measured minus model at {len(found.x)} samples"
    return text_table(head, "\n".join(lines), heads, rows, figures=heads[1:])


@legible
def plot_measured(found: MeasuredComparison) -> Figure:
    """Draw the measured values over those of the model, and the residuals below, one panel for each unit."""
    kinds = list(dict.fromkeys(one.kind for one in found.columns))
    figure = new_figure(9.0, 2.2 + 3.2 * len(kinds))
    axes = figure.subplots(2 * len(kinds), 1, sharex=True, height_ratios=[2.0, 1.0] * len(kinds))
    x = found.x / found.units.scale(found.x_kind)
    order = x.argsort()
    for k, kind in enumerate(kinds):
        over, below = axes[2 * k], axes[2 * k + 1]
        unit, scale = getattr(found.units, kind), found.units.scale(kind)
        for number, one in enumerate(one for one in found.columns if one.kind == kind):
            colour = PALETTE[number % len(PALETTE)]
            over.plot(x[order], one.model[order] / scale, lw=1.2, color=colour, label=plain(f"{one.name}, model"))
            over.plot(x, one.measured / scale, ".", ms=4, color=colour, label=plain(f"{one.name}, measured"))
            below.plot(x, one.residual / scale, ".", ms=4, color=colour)
        names = [one.name for one in found.columns if one.kind == kind]
        quantity = names[0] if len(names) == 1 else "position" if kind == "length" else kind
        dress(over, y=plain(f"{quantity} [{unit}]"))
        dress(below, y=f"residual [{unit}]")
        below.axhline(0.0, lw=0.8, color="#888888")
        over.legend(fontsize=SMALL, loc="best")
    unit = "s" if found.x_kind == "time" else getattr(found.units, found.x_kind)
    axes[-1].set_xlabel(plain(f"{found.against} [{unit}]"), fontsize=NORMAL)
    add_title(figure, f"{found.title or 'Mechanism'}: measured and model")
    return figure
