"""The comparison as tables, CSV and pictures: the counterparts of Figs. 4, 5 and 6 of Saura et al."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.bench.measure import Measured, crossing, exponent
from structkin.bench.shares import OPERATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Comparison:
    """What was measured: whole motions, the same work at all sizes, several drivers, threads, shares of the time."""

    motions: list[Measured] = field(default_factory=list)
    scaling: list[Measured] = field(default_factory=list)
    drivers: list[Measured] = field(default_factory=list)
    threads: dict[int, float] = field(default_factory=dict)
    shares: dict[int, Mapping[str, float]] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """Return every measurement as a line of a table."""
        parts = (("motion", self.motions), ("same work", self.scaling), ("drivers", self.drivers))
        return [
            {"part": part, **asdict(one), "ratio": one.ratio, "nanoseconds": one.nanoseconds}
            for part, found in parts
            for one in found
        ]

    def curves(self, family: str) -> dict[str, list[Measured]]:
        """Return the motions of a family by method and engine, sizes in order."""
        found: dict[str, list[Measured]] = {}
        for one in sorted(self.motions, key=lambda one: one.dyads):
            if one.family == family:
                found.setdefault(f"{one.method} ({one.engine})", []).append(one)
        return found

    def crossings(self, family: str) -> list[str]:
        """Return in words from which number of constraints on one method is faster than another."""
        lines = []
        for (name, one), (other_name, other) in permutations(self.curves(family).items(), 2):
            common = sorted({m.constraints for m in one} & {m.constraints for m in other})
            times = [[m.best for m in curve if m.constraints in common] for curve in (one, other)]
            at = crossing([float(c) for c in common], *times) if len(common) > 1 else None
            if at is not None:
                lines.append(f"{name} is faster than {other_name} from {at:.0f} constraints on")
        return lines

    def exponents(self) -> list[str]:
        """Return in words how the time of the same work grows with the number of dyads."""
        lines = []
        for engine in dict.fromkeys(one.engine for one in self.scaling):
            found = [one for one in self.scaling if one.engine == engine]
            if len(found) > 1:
                sizes, times = [float(one.dyads) for one in found], [one.nanoseconds for one in found]
                p = 1 + exponent(sizes, times)
                lines.append(f"II ({engine}): time ~ dyads^{p:.2f} from {found[0].dyads} to {found[-1].dyads} dyads")
        return lines


def machine() -> str:
    """Return the machine and the versions in a line."""
    versions = [f"Python {platform.python_version()}"]
    for name in ("numpy", "scipy", "numba"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{_processor()}, {os.cpu_count()} cores; {', '.join(versions)}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


_MARKS = {"numpy": "o", "numba": "s"}


def draw_times(comparison: Comparison, family: str) -> Figure:
    """Return time against the number of constraints (Fig. 4), with the floor of copying the results."""
    from structkin.show.style import GROUND, PALETTE, SMALL, new_figure

    figure = new_figure(8.0, 4.8)
    axes = figure.add_subplot()
    curves = comparison.curves(family)
    methods = list(dict.fromkeys(one.method for one in comparison.motions))
    for name, curve in curves.items():
        colour = PALETTE[methods.index(curve[0].method) % len(PALETTE)]
        style = "-" if curve[0].engine == "numba" else "--"
        sizes, times = [one.constraints for one in curve], [one.best for one in curve]
        axes.plot(sizes, times, style, color=colour, marker=_MARKS.get(curve[0].engine, "o"), ms=4, label=name)
    longest = max(curves.values(), key=len)
    sizes, floors = [one.constraints for one in longest], [one.floor for one in longest]
    axes.plot(sizes, floors, ":", color=GROUND, label="copying the results")
    axes.set(xscale="log", yscale="log", xlabel="constraints 2k + 2", ylabel="time of the motion [s]")
    axes.set_title(f"Scalable four-bar, {family}: {longest[0].samples} samples, one thread")
    axes.grid(visible=True, which="major", alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize=SMALL)
    return figure


def draw_shares(comparison: Comparison, sizes: Iterable[int]) -> Figure:
    """Return the shares of the operations at some numbers of dyads as bars (Fig. 5)."""
    from structkin.show.style import PALETTE, SMALL, new_figure

    sizes = list(sizes)
    figure = new_figure(7.0, 1.6 + 0.5 * len(sizes))
    axes = figure.add_subplot()
    left = np.zeros(len(sizes))
    for k, operation in enumerate(OPERATIONS):
        parts = np.array([100 * comparison.shares[size][operation] for size in sizes])
        axes.barh(range(len(sizes)), parts, left=left, color=PALETTE[k], label=operation)
        left += parts
    axes.set_yticks(range(len(sizes)), [f"{size} dyads" for size in sizes])
    axes.set(xlabel="share of the time [%]", xlim=(0, 100))
    axes.set_title("Topological methods: group functions on NumPy, by operation")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def draw_shares_by_size(comparison: Comparison) -> Figure:
    """Return the shares of the operations against the number of constraints (Fig. 6)."""
    from structkin.show.style import PALETTE, SMALL, new_figure

    figure = new_figure(8.0, 4.5)
    axes = figure.add_subplot()
    sizes = sorted(comparison.shares)
    for k, operation in enumerate(OPERATIONS):
        parts = [100 * comparison.shares[size][operation] for size in sizes]
        axes.plot([2 * size + 2 for size in sizes], parts, marker="o", ms=4, color=PALETTE[k], label=operation)
    axes.set(xscale="log", xlabel="constraints 2k + 2", ylabel="share of the time [%]", ylim=(0, None))
    axes.set_title("Topological methods: shares of the operations by size")
    axes.grid(visible=True, alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize=SMALL)
    return figure


def table_lines(found: Sequence[Measured]) -> list[tuple[str, ...]]:
    """Return the cells of a table of measurements, after a line of headings."""
    head = ("method", "engine", "drivers", "dyads", "constraints", "samples", "time [s]", "ns/dyad", "over copying")
    return [
        head,
        *(
            (
                one.method,
                one.engine,
                str(one.drivers),
                str(one.dyads),
                str(one.constraints),
                str(one.samples),
                f"{one.best:.3g}",
                f"{one.nanoseconds:.3g}",
                f"{one.ratio:.2f}",
            )
            for one in found
        ),
    ]
