"""`structkin assemblies FILE`: every way to assemble a mechanism at given driver values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.options import USUAL, Budget, File, Json, budget_of, driver_values, opened
from structkin.cli.outputs import Outputs
from structkin.errors import together


def assemblies(
    file: File,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            help="A driver's value, such as motor=30; may be repeated. Default: the sketch's values.",
            metavar="DRIVER=VALUE",
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="Take the drivers' values from their laws at this time [s].")
    ] = None,
    limit: Annotated[int, typer.Option(help="Largest number of assemblies to find.")] = 100,
    plot: Annotated[Path | None, typer.Option(help="Draw them side by side.", metavar="PICTURE")] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Find all assemblies of a mechanism at one value of each driver; numbers are in the file's units."""
    mechanism = opened(file)
    outputs, values, work = together(
        "command",
        lambda: Outputs(file, pictures={"--plot": plot}, as_json=as_json),
        lambda: driver_values(mechanism, at or [], "--at"),
        lambda: budget_of(budget),
    )
    found = mechanism.assemblies(drivers=values, t=time, limit=limit, budget=work)
    outputs.deliver(
        {"--plot": lambda: show.draw_assemblies(found)},
        lambda: found.to_dict(mechanism.units),
        lambda: show.assemblies_table(found),
        ok=any(True for _ in found),
    )
