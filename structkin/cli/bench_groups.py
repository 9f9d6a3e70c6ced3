"""`structkin bench groups`: what triads and larger groups cost beside dyads, measured here and now."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import STDOUT, check_targets, write_rows
from structkin.cli.terminal import console, progress

#: Platforms of the groups: 4, 6, 10 and 20 links.
PLATFORMS, QUICK_PLATFORMS = (1, 2, 4, 9), (2, 4)
TURNS, QUICK_TURNS = 160, 10
#: Turns of short runs, on which dyads and triads are measured, too.
SHORT = (1, 3, 10)


def groups(
    quick: Annotated[bool, typer.Option("--quick", help="Few turns and sizes.")] = False,
    turns: Annotated[int | None, typer.Option(help="Turns of the crank; default: 160.", min=1)] = None,
    engine: Annotated[list[str] | None, typer.Option(help="numpy or numba; default: both, as installed.")] = None,
    table: Annotated[Path | None, typer.Option("--csv", help="Write CSV; - for stdout.", metavar="FILE")] = None,
) -> None:
    """Measure groups that are solved by continuation: a triad beside a dyad, larger groups beside their cube."""
    from structkin.bench.groups import costs
    from structkin.bench.report import machine
    from structkin.kinematics.choice import check_engine, has_numba

    check_targets(None, {"--csv": table}, {})
    engines = tuple(engine or (("numpy", "numba") if has_numba() else ("numpy",)))
    for name in engines:
        check_engine(name, "bench")
    found = []
    with progress("measuring") as report:
        for done, name in enumerate(engines):
            report(done / len(engines))
            sizes, many = (QUICK_PLATFORMS, QUICK_TURNS) if quick else (PLATFORMS, TURNS)
            found += costs(name, sizes, turns or many, () if quick else SHORT)
    from rich import box
    from rich.table import Table

    sheet = Table(title="Position, velocity and acceleration of a group", box=box.SIMPLE, padding=(0, 1, 0, 0))
    heads = ("group", "engine", "links", "groups", "samples", "ns/group", "dyads", "dyads/(links/2)^3")
    for column, head in enumerate(heads):
        sheet.add_column(head, justify="left" if column < 2 else "right", no_wrap=True)
    for one in found:
        sheet.add_row(
            *(one.kind, one.engine, str(one.links), str(one.groups), str(one.samples)),
            *(f"{one.nanoseconds:.3g}", f"{one.dyads:.3g}", f"{one.against_cube:.2g}"),
        )
    if table != STDOUT:
        console().print(sheet)
        console().print(machine(), markup=False, highlight=False)
    if table is not None:
        write_rows(table, [{**asdict(one), "against_cube": one.against_cube} for one in found])
