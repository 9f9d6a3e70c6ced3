"""`structkin solve FILE`: the motion over a cycle, as a table, CSV, JSON or pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.api import Mechanism
from structkin.cli.options import USUAL, Budget, Duration, File, Json, MotionPlot, MotionTable, Samples, budget_of
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.global_methods.methods import FAMILIES, METHODS


def solve(
    file: File,
    samples: Samples = 361,
    duration: Duration = None,
    engine: Annotated[str, typer.Option(help="numpy, numba, or auto for the one that is done first.")] = "auto",
    method: Annotated[str, typer.Option(help=f"How it is solved: {', '.join(METHODS)}.", metavar="METHOD")] = METHODS[
        0
    ],
    coordinates: Annotated[
        str | None,
        typer.Option(help=f"Coordinates of a global method: {', '.join(FAMILIES)}.", metavar="FAMILY"),
    ] = None,
    csv: MotionTable = None,
    plot: MotionPlot = None,
    schematic: Annotated[Path | None, typer.Option(help="Draw the mechanism and its paths.", metavar="PICTURE")] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Solve position, velocity and acceleration; numbers are in the file's units."""
    mechanism = Mechanism.load(file)
    outputs = Outputs(file, {"--csv": csv}, {"--plot": plot, "--schematic": schematic}, as_json)
    with progress("solving") as report:
        motion = mechanism.solve(
            samples, duration=duration, method=method, coordinates=coordinates, engine=engine,
            budget=budget_of(budget), progress=report,
        )  # fmt: skip
    outputs.deliver(
        {
            "--csv": lambda target: show.write_csv(motion, target),
            "--plot": lambda: show.plot_motion(motion),
            "--schematic": lambda: show.draw_schematic(mechanism, motion=motion, structure=motion.structure),
        },
        lambda: show.motion_to_dict(motion),
        lambda: show.summary_table(motion),
    )
    if not motion.ok.all():
        raise typer.Exit(1)
