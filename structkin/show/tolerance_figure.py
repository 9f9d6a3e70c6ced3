"""What tolerances make of a motion: as text, as plain data, as a table of lines, and as a picture with bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.model.numbers import number_of
from structkin.model.units import si_unit
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.show.columns import plain_values
from structkin.show.files import write_table
from structkin.show.fitting import add_title
from structkin.show.letters import legible
from structkin.show.quantities import measures_of
from structkin.show.style import NORMAL, PALETTE, SMALL, dress, new_figure, plain
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from structkin.design.tolerances import Spread, Tolerances

#: The quantities of measures, as those of a motion.
_QUANTITY = {"x": "length", "y": "length"}
#: What is shown in the units of lengths and angles, and how.
_BASES = {"speed": ("length", "/s"), "angular speed": ("angle", "/s")}
#: The ways, in the order of tables and pictures, and their names.
_WAYS = {
    "rss": "linear, root sum of squares",
    "linear_worst": "linear, worst case",
    "worst": "worst case, solved",
    "drawn": "Monte Carlo, 99.73 %",
}


def tolerances_text(found: Tolerances) -> str:
    """Return tables in the units of the file: deviations of each measure where it scatters most, and their causes."""
    lines = [f"{found.mechanism.title or 'Tolerances'}: {len(found.dimensions)} dimensions, {found.variants} variants"]
    for spread in found.spreads.values():
        lines += ["", *_spread_lines(found, spread)]
    lines += ["", *(f"Note: {note}." for note in found.notes)] if found.notes else []
    return "\n".join(lines)


def _spread_lines(found: Tolerances, spread: Spread) -> Iterator[str]:
    k, (size, unit) = spread.widest, _unit(found, spread)
    where = f" at {_place(found, k)}, where it scatters most" if len(spread.nominal) > 1 else ""
    yield f"{spread.measure} = {spread.nominal[k] / size:.7g} {unit}{where}"
    rows = [("", "least", "largest", "mean", "sigma")]
    about = {"rss": (spread.mean, spread.sigma), "drawn": (spread.drawn_mean, spread.drawn_sigma)}
    for way, words in _WAYS.items():
        low, high = (getattr(spread, way)[k] - spread.nominal[k]) / size
        mean, sigma = about.get(way, (None, None))
        rest = ("", "") if mean is None or sigma is None else (
            _signed((mean[k] - spread.nominal[k]) / size), f"{sigma[k] / size:.4g}"
        )  # fmt: skip
        rows.append((f"{words} [{unit}]", _signed(low), _signed(high), *rest))
    yield from _aligned(rows)
    yield ""
    order = np.argsort(-np.nan_to_num(spread.shares[k]), kind="stable")
    rows = [("dimension", "tolerance", f"effect [{unit}]", "of the variance", "")]
    for j in order.tolist():
        share, effect = spread.shares[k, j], spread.effects[k, j] / size if spread.shares[k, j] > NEGLIGIBLE**2 else 0.0
        rows.append((spread.dimensions[j], _zone(found, j), f"{effect:.4g}", f"{100 * share:.1f} %", ""))
    yield from _aligned(rows)
    if spread.tighten:
        gain = f"{100 * spread.gain:.0f} %"
        yield f"  Tighten {spread.tighten} first: half its tolerance makes three sigma {gain} narrower."


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield f"  {'  '.join(cells)}".rstrip()


def _signed(value: float) -> str:
    return f"{value:+.4g}" if np.isfinite(value) else "-"


def _zone(found: Tolerances, j: int) -> str:
    """Return the limits of a dimension in the unit of the file: of lengths, angles and their rates, else in SI."""
    name, units = found.dimensions[j], found.mechanism.units
    if name.startswith("clearance."):
        quantity = "length"
    else:
        quantity = "angle" if name.endswith(".axis") else number_of(found.mechanism, name).quantity
    base, rate = _BASES.get(quantity, (quantity, ""))
    size, unit = (units.scale(base), f"{getattr(units, base)}{rate}") if base in ("length", "angle") else (1.0, "")
    low, high = found.zones[j] / size
    unit = unit or (si_unit(quantity) if quantity else "")
    unit = f" {unit}" if unit else ""
    return f"±{high:.4g}{unit}" if high == -low else f"{low:+.4g}, {high:+.4g}{unit}"


def _unit(found: Tolerances, spread: Spread) -> tuple[float, str]:
    """Return the size in SI and the name of the unit of a measure."""
    measures, quantity = measures_of(found.mechanism), _QUANTITY.get(spread.quantity, spread.quantity)
    return measures.size(quantity), measures.unit(quantity)


def _along(found: Tolerances) -> tuple[str, Floats]:
    """Return what the samples are drawn against, with its unit, and the values (n,)."""
    if np.isfinite(found.motion.t).all():
        return "t [s]", found.motion.t
    id = next(iter(found.motion.drivers))
    measures, quantity = measures_of(found.mechanism), found.mechanism.drivers[id].quantity
    return f"{id} [{measures.unit(quantity)}]", found.motion.drivers[id][0] / measures.size(quantity)


def _place(found: Tolerances, k: int) -> str:
    words, values = _along(found)
    name, unit = words.removesuffix("]").split(" [")
    return f"{name} = {values[k]:.4g} {unit}"


def tolerances_to_dict(found: Tolerances) -> dict[str, Any]:
    """Return all numbers as plain data, in SI; unknown ones are None."""
    return {
        "title": found.mechanism.title,
        "variants": found.variants,
        "lost": dict(found.lost),
        "dimensions": {name: zone.tolist() for name, zone in zip(found.dimensions, found.zones, strict=True)},
        "notes": list(found.notes),
        "measures": {
            name: {
                "unit": spread.unit,
                "tighten": spread.tighten,
                **{
                    key: plain_values(getattr(spread, key))
                    for key in ("nominal", "mean", "sigma", "drawn_mean", "drawn_sigma")
                },
                **{
                    key: [plain_values(row) for row in getattr(spread, key)]
                    for key in (*_WAYS, "extremes", "slopes", "effects", "shares")
                },
                "lost": spread.lost.astype(int).tolist(),
            }
            for name, spread in found.spreads.items()
        },
    }


def write_tolerances_csv(found: Tolerances, target: str | Path | IO[str]) -> None:
    """Write a line for each measure and sample, in the units of the file; see `Tolerances.write_csv`."""
    numbers, ways = ("nominal", "mean", "sigma", "drawn_mean", "drawn_sigma"), (*_WAYS, "extremes")
    ends = [f"{way} {side}" for way in ways for side in ("least", "largest")]
    shares = [f"share of {name}" for name in found.dimensions]
    rows = []
    for name, spread in found.spreads.items():
        size, unit = _unit(found, spread)
        values = np.column_stack([getattr(spread, key) for key in (*numbers, *ways)]) / size
        for k, row in enumerate(values):
            sample = k if len(values) > 1 else None
            rows.append((name, unit, sample, *plain_values(row), int(spread.lost[k]), *plain_values(spread.shares[k])))
    write_table(target, ("measure", "unit", "sample", *numbers, *ends, "lost", *shares), rows)


@legible
def plot_tolerances(found: Tolerances) -> Figure:
    """Draw for each measure its bands about the nominal value, over the motion or as bars, and what causes them."""
    count = len(found.spreads)
    rows = max(len(found.dimensions), 4)
    figure = new_figure(10.0, 0.9 + count * max(2.4, 0.28 * rows + 1.0))
    add_title(figure, f"{found.mechanism.title or 'Mechanism'}: tolerances, {found.variants:,} variants")
    axes = figure.subplots(count, 2, squeeze=False, width_ratios=[1.7, 1.0])
    for (left, right), spread in zip(axes, found.spreads.values(), strict=True):
        size, unit = _unit(found, spread)
        if len(spread.nominal) > 1:
            _bands(left, found, spread, size)
            dress(left, y=plain(f"{spread.measure}\ndeviation [{unit}]"))
        else:
            _bars(left, spread, size)
            dress(left, x=plain(f"{spread.measure}: deviation [{unit}]"))
        shares = np.nan_to_num(spread.shares[spread.widest])
        order = np.argsort(shares, kind="stable")
        right.barh(range(len(order)), 100 * shares[order], color=PALETTE[0], alpha=0.7)
        right.set_yticks(range(len(order)), [plain(spread.dimensions[j]) for j in order], fontsize=SMALL)
        right.set_xlim(0, 100)
        dress(right, "x", x="% of the variance")
    return figure


def _bands(ax: Axes, found: Tolerances, spread: Spread, size: float) -> None:
    words, x = _along(found)
    order = np.argsort(x, kind="stable")
    away = {way: (getattr(spread, way) - spread.nominal[:, None])[order] / size for way in _WAYS}
    ax.fill_between(x[order], *away["drawn"].T, color=PALETTE[0], alpha=0.3, lw=0, label=_WAYS["drawn"])
    for k, (way, style) in enumerate({"rss": "--", "worst": "-", "linear_worst": ":"}.items(), 1):
        for side, line in enumerate(away[way].T):
            ax.plot(x[order], line, style, lw=1.2, color=PALETTE[k], label=_WAYS[way] if side else None)
    ax.axhline(0.0, lw=0.8, color="#888888")
    ax.set_xlabel(plain(words), fontsize=NORMAL)
    ax.legend(fontsize=SMALL, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)


def _bars(ax: Axes, spread: Spread, size: float) -> None:
    for k, way in enumerate(_WAYS):
        low, high = (getattr(spread, way)[0] - spread.nominal[0]) / size
        ax.barh(-k, high - low, left=low, height=0.6, color=PALETTE[k], alpha=0.7)
    ax.use_sticky_edges = False  # else the widest bar begins on the axis
    ax.set_yticks([-k for k in range(len(_WAYS))], list(_WAYS.values()), fontsize=SMALL)
    ax.axvline(0.0, lw=0.8, color="#888888")
