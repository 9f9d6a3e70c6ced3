"""`structkin tolerances FILE`: what tolerances and clearances do to a motion, from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.options import USUAL, Budget, Json, budget_of
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress


def tolerances(
    file: Annotated[
        Path,
        typer.Argument(
            help="File of tolerances, .toml or .json: mechanism, tolerances, clearances, measures.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write one line per measure and sample; - for stdout.", metavar="TABLE"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the bands of each measure and the parts of the dimensions.", metavar="PICTURE"),
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Find what tolerances and clearances do to a motion: linear, worst case and Monte Carlo."""
    from structkin.design.tolerance_file import read_tolerances

    mechanism, options = read_tolerances(file)
    outputs = Outputs(file, {"--csv": csv}, {"--plot": plot}, as_json)
    with progress("drawing variants") as report:
        found = mechanism.tolerances(**options, budget=budget_of(budget), progress=report)
    outputs.deliver(
        {"--csv": found.write_csv, "--plot": lambda: show.plot_tolerances(found)},
        found.to_dict,
        lambda: f"{found.variants:,} variants drawn",
        str(found).splitlines(),
        ok=not found.lost and bool(found.motion.ok.all()),
    )
