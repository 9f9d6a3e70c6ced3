"""`structkin forces FILE`: what the drivers must give and what the joints bear, over a cycle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import STDOUT, check_targets, table_target
from structkin.cli.terminal import USUAL, Budget, budget_of, console, print_json, progress
from structkin.kinematics import solve_groups
from structkin.model import Mechanism


def forces(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    samples: Annotated[int, typer.Option(help="Number of samples, both ends of the range included.", min=1)] = 361,
    duration: Annotated[
        float | None, typer.Option(help="Range of time [s]; default: a full cycle, or the file's.")
    ] = None,
    static: Annotated[bool, typer.Option("--static", help="Take each pose at rest: no inertia, no damping.")] = False,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write efforts and reactions, a line a sample; - for stdout.", metavar="TABLE"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw efforts, reactions and the shaking force.", metavar="PICTURE")
    ] = None,
    budget: Budget = USUAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as plain data.")] = False,
) -> None:
    """Find driver torques, joint reactions and the shaking force of the motion, in N and N m."""
    mechanism = Mechanism.load(file)
    check_targets(file, {"--csv": csv}, {"--plot": plot}, as_json=as_json)
    with progress("solving") as report:
        motion = solve_groups(mechanism, samples, duration=duration, budget=budget_of(budget), progress=report)
        from structkin.dynamics import kinetostatics

        result = kinetostatics(motion, static=static)
    if csv is not None:
        from structkin.show.forces_output import write_forces_csv

        write_forces_csv(result, table_target(csv))
    if plot is not None:
        from structkin.show.files import save_figure
        from structkin.show.forces_plot import plot_forces

        save_figure(plot_forces(result), plot)
    if as_json:
        from structkin.show.forces_output import forces_to_dict

        print_json(forces_to_dict(result))
    elif csv != STDOUT:
        from structkin.show.forces_output import forces_table

        terminal = console()
        terminal.print(forces_table(result))
        for path in (csv, plot):
            if path is not None:
                terminal.print(f"written: {path}", markup=False, highlight=False)
    if not motion.ok.all():
        raise typer.Exit(1)
