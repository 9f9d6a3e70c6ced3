"""`structkin bench scalable-four-bar`: the comparison of Saura et al., sec. 4, from our own runs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structkin.cli.terminal import console, progress
from structkin.errors import InputError, Problem

if TYPE_CHECKING:
    from structkin.bench.measure import Measured
    from structkin.bench.report import Comparison

#: Dyads of the whole motions; 17 and 71 are those that the paper's text and figures name.
DYADS, QUICK_DYADS = (1, 3, 8, 17, 35, 71, 143, 300, 1000), (1, 5, 17, 71)
#: Dyads at the same work, and with several drivers.
SCALING, QUICK_SCALING = (10, 30, 100, 300, 1000, 3000, 10_000), (10, 100, 1000)
DRIVEN, DRIVERS = 100, (1, 2, 4)
QUICK_TURNS = 20
SEED = 1


def scalable_four_bar(
    dyads: Annotated[list[int] | None, typer.Option(help="Number of dyads; give it again for more sizes.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few sizes and turns.")] = False,
    turns: Annotated[int | None, typer.Option(help="Turns of the crank; default: 500, as in the paper.", min=1)] = None,
    engine: Annotated[list[str] | None, typer.Option(help="numpy or numba; default: both, as installed.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write CSV and pictures.", metavar="FOLDER")] = None,
) -> None:
    """Compare the methods on the scalable four-bar: time against constraints, growth, K and L, shares of the time."""
    from structkin.bench.report import machine
    from structkin.kinematics.choice import check_engine, has_numba

    engines = tuple(engine or (("numpy", "numba") if has_numba() else ("numpy",)))
    for name in engines:
        check_engine(name, "bench")
    sizes = sorted(set(dyads or (QUICK_DYADS if quick else DYADS)))
    if sizes[0] < 1:
        raise InputError([Problem("--dyads", f"{sizes[0]} dyads make no mechanism", "give 1 or more")], "bench")
    scaling = tuple(sizes) if dyads else QUICK_SCALING if quick else SCALING
    with progress("measuring") as report:
        found = _compare(sizes, scaling, engines, 360 * (turns or (QUICK_TURNS if quick else 500)), report)
    _show(found, machine())
    if to is not None:
        for path in _write(found, to):
            console().print(f"written: {path}", markup=False, highlight=False)


def _compare(
    sizes: Sequence[int], scaling: Sequence[int], engines: Sequence[str], samples: int, report: Any
) -> Comparison:
    from structkin.bench.measure import PIECE, measure
    from structkin.bench.mechanism import scalable_four_bar
    from structkin.bench.methods import METHODS
    from structkin.bench.report import Comparison
    from structkin.bench.shares import shares

    found = Comparison()
    families = {"as published": None, "unequal lengths": SEED}
    total = len(families) * len(sizes) + len(scaling) + len(DRIVERS)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        report(done / total)

    for family, seed in families.items():
        for k in sizes:
            mechanism = scalable_four_bar(k, seed=seed)
            for method in METHODS:
                for engine in engines if k <= method.most else ():
                    if engine in method.engines:
                        found.motions.append(measure(method, mechanism, engine, samples, family=family))
            if seed is None:
                found.shares[k] = shares(mechanism)
            step()
    two = METHODS[0]
    for k in scaling:
        mechanism = scalable_four_bar(k)
        found.scaling += [measure(two, mechanism, engine, PIECE // k) for engine in engines]
        step()
    for f in DRIVERS:
        k = min(DRIVEN, max(sizes[-1], f))
        mechanism = scalable_four_bar(k, f)
        for method in METHODS[:3]:
            found.drivers += [measure(method, mechanism, engine, PIECE // k) for engine in engines]
        step()
    best = "numba" if "numba" in engines else "numpy"
    mechanism = scalable_four_bar(71)
    for threads in (1, 2):
        # A longer motion, so that starting threads is nothing; times of the wall for both.
        one = measure(two, mechanism, best, 8 * PIECE // 71, threads=-threads)
        found.threads[threads] = one.best
    return found


def _show(found: Comparison, machine: str) -> None:
    from structkin.bench.report import table_lines

    terminal = console()
    for family in dict.fromkeys(one.family for one in found.motions):
        motions = [one for one in found.motions if one.family == family]
        _table(f"Scalable four-bar, {family}: the whole motion", table_lines(motions))
        for line in found.crossings(family):
            terminal.print(line, highlight=False)
    _table("The same work (dyads times samples) at all sizes", table_lines(found.scaling))
    for line in found.exponents():
        terminal.print(line, highlight=False)
    _table(f"K and L for several drivers, {found.drivers[0].dyads} dyads", table_lines(found.drivers))
    for line in _against_two(found.drivers):
        terminal.print(line, highlight=False)
    terminal.print(f"two threads: {found.threads[1] / found.threads[2]:.2f} times as fast as one", highlight=False)
    terminal.print(machine, markup=False, highlight=False)


def _against_two(found: Sequence[Measured]) -> list[str]:
    """Return in words what K and L cost beside method II."""
    base = {(one.engine, one.drivers): one.best for one in found if one.method == "II"}
    return [
        f"{one.method} ({one.engine}), {one.drivers} driver{'s' if one.drivers > 1 else ''}: "
        f"{one.best / base[one.engine, one.drivers]:.2f} times II"
        for one in found
        if one.method != "II"
    ]


def _table(title: str, lines: Sequence[tuple[str, ...]]) -> None:
    from rich import box
    from rich.table import Table

    sheet = Table(title=title, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column, name in enumerate(lines[0]):
        sheet.add_column(name, justify="left" if column < 2 else "right", no_wrap=True)
    for line in lines[1:]:
        sheet.add_row(*line)
    console().print(sheet)


def _write(found: Comparison, folder: Path) -> list[Path]:
    from structkin.bench.report import draw_shares, draw_shares_by_size, draw_times
    from structkin.show.files import save_figure, whole_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([Problem("--to", f"{folder}: {error.strerror}", "name a folder that can be made")]) from None
    rows = found.rows()
    written = [folder / "scalable_four_bar.csv"]
    with whole_file(written[0], newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    pictures = {
        "times.png": draw_times(found, "as published"),
        "times_unequal.png": draw_times(found, "unequal lengths"),
        "shares.png": draw_shares(found, [k for k in found.shares if k in (17, 71)] or list(found.shares)[:2]),
        "shares_by_size.png": draw_shares_by_size(found),
    }
    for name, figure in pictures.items():
        save_figure(figure, folder / name)
        written.append(folder / name)
    return written
