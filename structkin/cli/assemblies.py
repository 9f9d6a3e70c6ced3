"""`structkin assemblies FILE`: every way to put a mechanism together at given driver values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structkin.cli.driver_values import driver_values
from structkin.cli.outputs import check_targets
from structkin.cli.terminal import USUAL, Budget, budget_of, console, print_json
from structkin.model import Mechanism

if TYPE_CHECKING:
    from structkin.assemblies import Assemblies


def assemblies(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at", help="A driver's value, such as motor=30; may be given several times. Default: the sketch's."
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="Take the drivers' values from their laws at this time [s].")
    ] = None,
    limit: Annotated[int, typer.Option(help="Assemblies to find at most: their number is a product.", min=1)] = 100,
    plot: Annotated[Path | None, typer.Option(help="Draw them beside each other.", metavar="PICTURE")] = None,
    budget: Budget = USUAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as plain data.")] = False,
) -> None:
    """Find all assemblies of a mechanism at one value of each driver; numbers are in the file's units."""
    mechanism = Mechanism.load(file)
    check_targets(file, {}, {"--plot": plot})
    from structkin.assemblies import assemblies as all_assemblies

    values = driver_values(mechanism, at or [], "--at")
    found = all_assemblies(mechanism, drivers=values, t=time, limit=limit, budget=budget_of(budget))
    if plot is not None:
        from structkin.show.assemblies_figure import draw_assemblies
        from structkin.show.files import save_figure

        save_figure(draw_assemblies(found), plot)
    if as_json:
        print_json(found.to_dict(mechanism.units))
    else:
        _print(found, plot)
    if not any(True for _ in found):
        raise typer.Exit(1)


def _print(found: Assemblies, plot: Path | None) -> None:
    from structkin.show.assemblies_figure import assemblies_table

    terminal = console()
    terminal.print(assemblies_table(found))
    if plot is not None:
        terminal.print(f"drawn: {plot}", markup=False, highlight=False)
