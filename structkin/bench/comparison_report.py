"""The comparison as a report, and as lines of CSV, written while it is measured."""

from __future__ import annotations

import csv
import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from structkin.bench import tables
from structkin.bench.compared_methods import TITLES, with_engine
from structkin.bench.comparison import MethodComparison, figure


class Record:
    """A CSV file in which every line is on disk as soon as it is measured."""

    def __init__(self, path: Path) -> None:
        """Create the file, or overwrite it."""
        self.path = path
        self._file: IO[str] = path.open("w", newline="", encoding="utf-8")
        self._writer: csv.DictWriter[str] | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a line; the first one gives the headings."""
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, list(row), restval="")
            self._writer.writeheader()
        self._writer.writerow(row)
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def machine() -> str:
    """Return the machine and the versions in one line."""
    versions = [f"Python {platform.python_version()}"]
    for name in ("numpy", "scipy", "numba"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{_processor()}, {os.cpu_count()} cores, {_load()}; {', '.join(versions)}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _load() -> str:
    """Return how busy the machine is: timings on a busy one fluctuate."""
    return f"{os.getloadavg()[0]:.1f} programs running" if hasattr(os, "getloadavg") else "load unknown"


def report(found: MethodComparison) -> Iterator[str]:
    """Yield the lines of a report in Markdown: the tables of the documentation, measured here and now."""
    yield from ("# The methods on the scalable four-bar", *_result(found), f"{machine()}.")
    yield "Times are processor times of one thread, compilation excluded; copying is `np.copyto` of the results."
    for family in found.families():
        yield from _motions(found, family)
    if found.short:
        yield from _part("Short motions: time, and ratio to the bare calls", tables.short(found.short))
    if found.scaling:
        work = max(one.dyads * one.samples for one in found.scaling)
        yield from _part(f"The same work at all sizes: {work:,} dyads times samples", tables.same_work(found))
        yield from _list("Growth", found.exponents())
    if found.drivers:
        one = found.drivers[0]
        title = f"K and L for several drivers: {one.dyads} dyads, {one.samples:,} samples"
        yield from _part(title, tables.coefficients(found.drivers))
    if found.shares:
        yield from _part("Shares of the time [%]", tables.shares(found))
        yield from _part("The shares that the paper states, beside ours [%]", tables.beside_paper(found))


def _result(found: MethodComparison) -> Iterator[str]:
    """Yield the result first: the methods at the largest mechanism that all of them solved."""
    engine = "python"
    mine = [one for one in found.motions if one.family == found.motions[0].family and one.engine == engine]
    methods = {one.method for one in mine}
    sizes = [k for k in {one.dyads for one in mine} if {one.method for one in mine if one.dyads == k} == methods]
    if "II" not in methods or not sizes:
        return
    at = {one.method: one for one in mine if one.dyads == max(sizes)}
    base = at.pop("II")
    title = f"{base.dyads:,} dyads, {base.samples:,} samples, as multiples of {with_engine('II', engine, TITLES)}"
    others = sorted(at.values(), key=lambda one: one.best)
    lines = [f"{with_engine(one.method, engine, TITLES)}: {figure(one.best / base.best)}" for one in others]
    yield from (*_list(f"{title} ({figure(base.best)} s)", lines), "")


def _motions(found: MethodComparison, family: str) -> Iterator[str]:
    motions = [one for one in found.motions if one.family == family]
    samples = max(one.samples for one in motions)
    yield from _part(f"{family.capitalize()}: seconds for {samples:,} samples", tables.times(motions))
    if any(one.extrapolated for one in motions):
        yield from ("", tables.LEGEND)
    yield from ("", "The ratios, with II by NumPy as 1:", "", *markdown(tables.ratios(motions)))
    if any(not math.isnan(one.bare) for one in motions):
        yield from ("", "Relative to the bare calls that evaluate the equations, factorise and solve:", "")
        yield from markdown(tables.over_bare(motions))
    yield from _list("Crossings", found.crossings(family))


def _part(title: str, lines: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", *markdown(lines))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"{title}:", "", *(f"- {line}" for line in lines))


def markdown(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown from its cells, headings first."""
    for number, cells in enumerate(lines):
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield "|" + "---|" * len(cells)
