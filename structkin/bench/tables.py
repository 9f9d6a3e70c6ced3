"""The measurements as tables, rows of text cells after the headings, for the report and the documentation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from structkin.bench.compared_methods import ENGINES, with_engine
from structkin.bench.comparison import MethodComparison, figure
from structkin.bench.measure import Timing

Table = list[tuple[str, ...]]

#: Columns from the fastest to the slowest: method and engine.
COLUMNS = (
    ("II", "compiled"), ("II", "python"), ("III", "compiled"), ("III", "python"), ("III-tensors", "compiled"),
    ("III-tensors", "python"), ("IV-b", "compiled"), ("IV-b", "python"), ("IV", "python"), ("I", "python"),
)  # fmt: skip
#: Marks the figure of a motion that was not solved to its end.
MARK = "*"
LEGEND = f"{MARK} not all samples were solved: the time of the motion at the pace of its fastest piece."


def marked(one: Timing) -> str:
    """Return the seconds of a motion, with a mark where part of it was left out."""
    return figure(one.best) + (MARK if one.extrapolated else "")


def _by(found: Iterable[Timing]) -> dict[tuple[str, str, int], Timing]:
    return {(one.method, one.engine, one.dyads): one for one in found}


def _columns(found: Sequence[Timing]) -> list[tuple[str, str]]:
    there = {(one.method, one.engine) for one in found}
    return [column for column in COLUMNS if column in there]


def _sizes(found: Sequence[Timing]) -> list[int]:
    return sorted({one.dyads for one in found})


def times(found: Sequence[Timing]) -> Table:
    """Return the times of whole motions [s], one line per size."""
    by, columns = _by(found), _columns(found)
    lines: Table = [("dyads", "constraints", "copying", *(with_engine(*column) for column in columns))]
    for k in _sizes(found):
        here = [by.get((*column, k)) for column in columns]
        first = next(one for one in here if one is not None)
        cells = ("" if one is None else marked(one) for one in here)
        lines.append((f"{k:,}", f"{first.constraints:,}", figure(first.floor), *cells))
    return lines


def ratios(found: Sequence[Timing]) -> Table:
    """Return the times of the global methods relative to the topological one, and of that relative to copying."""
    by, engines = _by(found), {one.engine for one in found}
    wanted = [
        ("IV-b", "IV-b", "python", "II", "python"), ("IV", "IV", "python", "II", "python"),
        ("I", "I", "python", "II", "python"), ("IV-b, both by Numba", "IV-b", "compiled", "II", "compiled"),
    ]  # fmt: skip
    wanted = [column for column in wanted if {column[2], column[4]} <= engines]
    copied = [engine for engine in ("compiled", "python") if engine in engines]
    head = ["dyads", "II", *(column[0] for column in wanted), *(f"II by {ENGINES[e]} : copying" for e in copied)]
    lines: Table = [tuple(head)]
    for k in _sizes(found):
        cells = [f"{k:,}", "1"]
        for _, method, engine, other, of in wanted:
            one, base = by.get((method, engine, k)), by.get((other, of, k))
            cells.append("" if one is None or base is None else figure(one.best / base.best))
        two = [by.get(("II", engine, k)) for engine in copied]
        lines.append((*cells, *("" if one is None else f"{one.ratio:.1f}" for one in two)))
    return lines


def over_bare(found: Sequence[Timing]) -> Table:
    """Return the global methods' times relative to their bare calls, and Newton's iterations, one column per size."""
    mine = [one for one in found if not math.isnan(one.bare)]
    by, sizes = _by(mine), _sizes(mine)
    lines: Table = [("relative to the bare calls", *(f"{k:,}" for k in sizes))]
    for column in (("I", "python"), ("IV", "python"), ("IV-b", "python"), ("IV-b", "compiled")):
        here = [by.get((*column, k)) for k in sizes]
        if any(here):
            lines.append((with_engine(*column), *("" if one is None else f"{one.over_bare:.2f}" for one in here)))
    for title, value in (("iterations per sample", "iterations"), ("at most", "most")):
        most = [max(getattr(one, value) for one in mine if one.dyads == k) for k in sizes]
        lines.append((title, *(f"{x:.2f}" if value == "iterations" else f"{x}" for x in most)))
    return lines


def short(found: Sequence[Timing]) -> Table:
    """Return times of short motions and their ratios to the bare calls, one line per method and length."""
    by, sizes = {(one.method, one.engine, one.dyads, one.samples): one for one in found}, _sizes(found)
    lines: Table = [("method", "samples", *(f"{k:,} dyad{'s' if k > 1 else ''}" for k in sizes))]
    for column in _columns(found)[::-1]:
        for samples in sorted({one.samples for one in found}):
            here = [by.get((*column, k, samples)) for k in sizes]
            cells = ("" if one is None else f"{figure(1e3 * one.best)} ms, {one.over_bare:.1f}" for one in here)
            lines.append((with_engine(*column), f"{samples:,}", *cells))
    return lines


def same_work(found: MethodComparison) -> Table:
    """Return the methods at the same work: relative to copying, on two threads, K and L, time per dyad and sample."""
    by = _by(found.scaling)
    engines = [engine for engine in ("compiled", "python") if any(one.engine == engine for one in found.scaling)]
    globals_ = [column for column in _columns(found.scaling) if column[0] in ("I", "IV", "IV-b")]
    head = ["dyads", "samples", "copying [ns]"]
    head += [f"II by {ENGINES[engine]} : copying" for engine in engines]
    head += ["one thread : two"] if found.threads else []
    head += [f"III : II, {ENGINES[engine]}" for engine in engines]
    lines: Table = [(*head, *(f"{with_engine(*column)} [ns]" for column in globals_))]
    for k in _sizes(found.scaling):
        two = {engine: by[("II", engine, k)] for engine in engines}
        three = {engine: by.get(("III", engine, k)) for engine in engines}
        one = two[engines[0]]
        cells = [f"{k:,}", f"{one.samples:,}", figure(one.nanoseconds / one.ratio)]
        cells += [f"{two[engine].ratio:.2f}" for engine in engines]
        if found.threads:
            pair = found.threads.get(k)
            cells.append("" if pair is None else f"{pair[0] / pair[1]:.2f}")
        for engine, other in three.items():
            cells.append("" if other is None else f"{other.best / two[engine].best:.2f}")
        rest = (by.get((*column, k)) for column in globals_)
        lines.append((*cells, *("" if x is None else figure(x.nanoseconds) for x in rest)))
    return lines


def coefficients(found: Sequence[Timing]) -> Table:
    """Return what K and L cost compared with method II, one line per number of drivers."""
    by = {(one.method, one.engine, one.drivers): one for one in found}
    columns = [column for column in _columns(found) if column[0] != "II"]
    lines: Table = [("drivers", "pairs", *(f"{with_engine(*column)} : II" for column in columns))]
    for f in sorted({one.drivers for one in found}):
        cells = [by.get((*column, f)) for column in columns]
        against = ["" if one is None else f"{one.best / by[('II', one.engine, f)].best:.1f}" for one in cells]
        lines.append((str(f), str(f * (f + 1) // 2), *against))
    return lines


#: What the text of Saura et al., sec. 4.1, says of Fig. 5: operation, method, share [%]. Its drawings are not at hand.
PAPER = (
    ("Jacobian", "I", 45), ("Jacobian", "IV", 45), ("Jacobian", "II", 12),
    ("Phi, or closed form", "I", 17), ("Phi, or closed form", "IV", 17), ("Phi, or closed form", "II", 7),
    ("other", "I", 7), ("other", "IV", 7), ("other", "II", 42),
)  # fmt: skip


def beside_paper(found: MethodComparison) -> Table:
    """Return the shares that the paper states in its text beside those measured at each size [%]."""
    sizes = sorted({k for by_size in found.shares.values() for k in by_size})
    lines: Table = [("operation", "method", "paper", *(f"here, {k:,} dyad{'s' if k > 1 else ''}" for k in sizes))]
    for operation, method, share in PAPER:
        here = [found.shares.get(method, {}).get(k) for k in sizes]
        lines.append((operation, method, str(share), *("" if x is None else f"{100 * x[operation]:.0f}" for x in here)))
    return lines


def shares(found: MethodComparison) -> Table:
    """Return the shares of the time [%], one line per method and size."""
    lines: Table = []
    for method, by_size in found.shares.items():
        for dyads, parts in by_size.items():
            lines = lines or [("method", "dyads", *parts)]
            lines.append((method, f"{dyads:,}", *(f"{100 * part:.0f}" for part in parts.values())))
    return lines
