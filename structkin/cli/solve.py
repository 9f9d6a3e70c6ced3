"""`structkin solve FILE`: the motion over a cycle, as a table, CSV, JSON or pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import STDOUT, check_targets, table_target
from structkin.cli.terminal import USUAL, Budget, budget_of, console, print_json, progress
from structkin.coordinates.methods import FAMILIES, METHODS
from structkin.coordinates.methods import solve as solve_mechanism
from structkin.kinematics import Motion
from structkin.model import Mechanism


def solve(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    samples: Annotated[int, typer.Option(help="Number of samples, both ends of the range included.", min=1)] = 361,
    duration: Annotated[
        float | None, typer.Option(help="Range of time [s]; default: a full cycle, or the file's.")
    ] = None,
    engine: Annotated[str, typer.Option(help="numpy, numba, or auto for the one that is done first.")] = "auto",
    method: Annotated[str, typer.Option(help=f"How it is solved: {', '.join(METHODS)}.", metavar="METHOD")] = METHODS[
        0
    ],
    coordinates: Annotated[
        str | None,
        typer.Option(help=f"Coordinates of a global method: {', '.join(FAMILIES)}.", metavar="FAMILY"),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write all points and links, a line a sample; - for stdout.", metavar="TABLE")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw position, velocity, acceleration.", metavar="PICTURE")] = None,
    schematic: Annotated[Path | None, typer.Option(help="Draw the mechanism and its paths.", metavar="PICTURE")] = None,
    budget: Budget = USUAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as plain data.")] = False,
) -> None:
    """Solve position, velocity and acceleration; numbers are in the file's units."""
    mechanism = Mechanism.load(file)
    check_targets(file, {"--csv": csv}, {"--plot": plot, "--schematic": schematic}, as_json=as_json)
    with progress("solving") as report:
        motion = solve_mechanism(
            mechanism,
            samples,
            duration=duration,
            method=method,
            coordinates=coordinates,
            engine=engine,
            budget=budget_of(budget),
            progress=report,
        )
    written = _write(motion, csv, plot, schematic)
    if as_json:
        from structkin.show.table import motion_to_dict

        print_json(motion_to_dict(motion))
    elif csv != STDOUT:
        from structkin.show.terminal import summary_table

        terminal = console()
        terminal.print(summary_table(motion))
        for path in written:
            terminal.print(f"written: {path}", markup=False, highlight=False)
    if not motion.ok.all():
        raise typer.Exit(1)


def _write(motion: Motion, csv: Path | None, plot: Path | None, schematic: Path | None) -> list[Path]:
    """Write what was asked for; return the files."""
    from structkin.show.files import save_figure

    if csv is not None:
        from structkin.show.table import write_csv

        write_csv(motion, table_target(csv))
    if plot is not None:
        from structkin.show.motion_plot import plot_motion

        save_figure(plot_motion(motion), plot)
    if schematic is not None:
        from structkin.show.schematic import draw_schematic

        save_figure(draw_schematic(motion.mechanism, motion=motion, structure=motion.structure), schematic)
    return [path for path in (csv, plot, schematic) if path is not None]
