"""The comparison as a report and as lines of CSV, written while it is measured."""

from __future__ import annotations

import csv
import math
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from structkin.bench.comparison import Comparison
from structkin.bench.measure import Measured


class Record:
    """A CSV file that has every line on the disk as soon as it is measured."""

    def __init__(self, path: Path) -> None:
        """Start the file anew."""
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
    """Return the machine and the versions in a line."""
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
    """Return how busy the machine is: figures of a busy one go up and down."""
    return f"{os.getloadavg()[0]:.1f} programs running" if hasattr(os, "getloadavg") else "load unknown"


def report(found: Comparison) -> Iterator[str]:
    """Yield the lines of a report in Markdown."""
    yield "# The methods on the scalable four-bar"
    yield ""
    yield f"{machine()}."
    yield "Times are those of the processor; the floor is copying place, velocity and acceleration of each pin."
    for family in found.families():
        yield from ("", f"## {family.capitalize()}", "")
        yield from markdown(table_lines([one for one in found.motions if one.family == family]))
        yield from _list("Against the topological method", found.ratios(family))
        yield from _list("Against the bare calls to factorise and solve, and the equations", found.over_bare(family))
        yield from _list("Crossings", found.crossings(family))
    if found.scaling:
        yield from ("", "## The same work (dyads times samples) at all sizes", "")
        yield from markdown(table_lines(found.scaling))
        yield from _list("Growth", found.exponents())
    if found.drivers:
        yield from ("", f"## K and L for several drivers, {found.drivers[0].dyads} dyads", "")
        yield from markdown(table_lines(found.drivers))
        yield from _list("Against method II", found.against_two())
    if len(found.threads) > 1:
        yield from ("", f"Two threads: {found.threads[1] / found.threads[2]:.2f} times as fast as one.")
    if found.shares:
        yield from ("", "## Shares of the time [%]", "")
        yield from markdown(share_lines(found))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"{title}:", "", *(f"- {line}" for line in lines))


def markdown(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown from its cells, headings first."""
    for number, cells in enumerate(lines):
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield "|" + "---|" * len(cells)


def table_lines(found: Iterable[Measured]) -> list[tuple[str, ...]]:
    """Return the cells of a table of measurements, after a line of headings."""
    head = (
        "method", "engine", "drivers", "dyads", "constraints", "samples", "solved", "time [s]", "ns/dyad",
        "over copying", "over bare", "iterations",
    )  # fmt: skip
    return [head, *(_cells(one) for one in found)]


def _cells(one: Measured) -> tuple[str, ...]:
    bare = "" if math.isnan(one.bare) else f"{one.over_bare:.2f}"
    iterations = "" if math.isnan(one.bare) else f"{one.iterations:.2f}, at most {one.most}"
    return (
        one.method, one.engine, str(one.drivers), str(one.dyads), str(one.constraints), str(one.samples),
        "all" if one.solved == one.samples else str(one.solved), f"{one.best:.3g}", f"{one.nanoseconds:.3g}",
        f"{one.ratio:.2f}", bare, iterations,
    )  # fmt: skip


def share_lines(found: Comparison) -> list[tuple[str, ...]]:
    """Return the cells of a table of the shares of the time, after a line of headings."""
    lines: list[tuple[str, ...]] = []
    for method, by_size in found.shares.items():
        for dyads, parts in by_size.items():
            lines = lines or [("method", "dyads", *parts)]
            lines.append((method, str(dyads), *(f"{100 * part:.0f}" for part in parts.values())))
    return lines
