"""`structkin bench dynamics`: forward dynamics, time against error and growth with size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structkin.cli.outputs import check_folder, make_folder, write_rows
from structkin.cli.terminal import console, progress

if TYPE_CHECKING:
    from structkin.bench.dynamics.report import Found

#: Sizes of the growing families: dyads at one degree of freedom, chains with as many as links.
SIZES = {"dyads": (10, 30, 100, 300, 1000), "chain": (2, 5, 10, 20, 40)}
QUICK_SIZES = {"dyads": (10, 100), "chain": (2, 10)}


def dynamics(
    quick: Annotated[bool, typer.Option("--quick", help="Few settings and small mechanisms.")] = False,
    engine: Annotated[str | None, typer.Option(help="numpy or numba; default: numba if it is installed.")] = None,
    to: Annotated[
        Path | None, typer.Option(help="Write CSV and a picture.", metavar="FOLDER", callback=check_folder)
    ] = None,
) -> None:
    """Simulate a four-bar and the N-four-bar, beside other programs if they are installed; growth with size."""
    from structkin.bench.dynamics.measure import cases, compare, engine_here, paces
    from structkin.bench.dynamics.report import Found
    from structkin.bench.report import machine
    from structkin.kinematics.choice import check_engine

    name = engine or engine_here()
    check_engine(name, "bench")
    found = Found(cases(quick))
    sizes = QUICK_SIZES if quick else SIZES
    total = len(found.cases) + 1
    with progress("measuring") as report:
        for done, case in enumerate(found.cases):
            found.runs += compare(case, name)
            report((done + 1) / total)
        found.paces += paces(sizes, name)
        report(1.0)
    _show(found, machine())
    if to is not None:
        for path in _write(found, to):
            console().print(f"written: {path}", markup=False, highlight=False)


def _show(found: Found, machine: str) -> None:
    from structkin.bench.dynamics.report import pace_lines, table_lines

    terminal = console()
    for case in found.cases:
        _table(f"{case.name}, 10 s simulated: seconds of the clock, compilation excluded", table_lines(found.of(case)))
    for line in found.verdicts():
        terminal.print(line, markup=False, highlight=False, soft_wrap=True)
    _table("The cost of a step of the Runge-Kutta method, processor time", pace_lines(found.paces))
    for line in found.exponents():
        terminal.print(line, markup=False, highlight=False)
    terminal.print(machine, markup=False, highlight=False)


def _table(title: str, lines: Sequence[tuple[str, ...]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # "[s]" is a unit, not markup.
    sheet = Table(title=Text(title), box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column, name in enumerate(lines[0]):
        sheet.add_column(Text(name), justify="left" if column < 2 else "right", no_wrap=True)
    for line in lines[1:]:
        sheet.add_row(*map(Text, line))
    console().print(sheet)


def _write(found: Found, folder: Path) -> list[Path]:
    from structkin.bench.dynamics.report import draw
    from structkin.show.files import save_figure

    make_folder(folder)
    written = []
    tables: dict[str, list[dict[str, Any]]] = {"dynamics.csv": found.rows(), "dynamics_steps.csv": found.pace_rows()}
    for name, rows in tables.items():
        write_rows(folder / name, rows)
        written.append(folder / name)
    save_figure(draw(found), folder / "dynamics.png")
    return [*written, folder / "dynamics.png"]
