"""`structkin simulate FILE`: the motion that masses and forces make, as a table, CSV, JSON or pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import STDOUT, check_targets, table_target
from structkin.cli.terminal import console, print_json, progress
from structkin.model import Mechanism


def simulate(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    duration: Annotated[float | None, typer.Option(help="End of the simulation [s]; default: the file's.")] = None,
    samples: Annotated[int, typer.Option(help="Number of output times, both ends included.", min=2)] = 361,
    formulation: Annotated[
        str, typer.Option(help="reduced; or multipliers, multipliers-sparse, multipliers-sweeps.")
    ] = "reduced",
    coordinates: Annotated[
        str | None,
        typer.Option(
            help="With multipliers: natural, reference-point, fully-cartesian, relative; default: natural.",
            show_default=False,
        ),
    ] = None,
    stabilisation: Annotated[
        str | None,
        typer.Option(
            help="With multipliers: projection (the default), partitioning, baumgarte, augmented, none.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Gain [1/s] on the rate of a violation.")] = None,
    beta: Annotated[float | None, typer.Option(help="Gain [1/s] on a violation.")] = None,
    gains: Annotated[
        str | None, typer.Option(help="Choose the gains by the step: step, or stability.", show_default=False)
    ] = None,
    penalty: Annotated[
        float | None, typer.Option(help="Penalty of the augmented Lagrangian method.", show_default=False)
    ] = None,
    integrator: Annotated[
        str, typer.Option(help="DOP853, RK45, Radau, BDF, LSODA, milne; or euler, rk2, rk4, abm4, gear4 with --step.")
    ] = "DOP853",
    step: Annotated[float | None, typer.Option(help="Step [s] of an integrator with a fixed step.")] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of an adaptive integrator.")] = 1e-9,
    max_steps: Annotated[int, typer.Option(help="Steps after which an integrator gives up.", min=1)] = 1_000_000,
    csv: Annotated[
        Path | None, typer.Option(help="Write all points and links, a line a sample; - for stdout.", metavar="TABLE")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw position, velocity, acceleration.", metavar="PICTURE")] = None,
    energies: Annotated[
        Path | None, typer.Option(help="Draw coordinates, energies, gap of the joints.", metavar="PICTURE")
    ] = None,
    reactions: Annotated[Path | None, typer.Option(help="Draw what the joints bear.", metavar="PICTURE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as plain data.")] = False,
) -> None:
    """Simulate the motion under masses and forces; drivers without a law move freely."""
    mechanism = Mechanism.load(file)
    pictures = {"--plot": plot, "--energies": energies, "--reactions": reactions}
    check_targets(file, {"--csv": csv}, pictures, as_json=as_json)
    with progress("simulating") as report:
        from structkin.dynamics import simulate as simulate_mechanism

        result = simulate_mechanism(
            mechanism, duration, samples=samples, formulation=formulation, coordinates=coordinates,
            stabilisation=stabilisation, alpha=alpha, beta=beta, gains=gains, penalty=penalty,
            integrator=integrator, step=step, rtol=rtol, max_steps=max_steps, progress=report,
        )  # fmt: skip
    if csv is not None:
        from structkin.show.simulation_output import write_simulation_csv

        write_simulation_csv(result, table_target(csv))
    if plot is not None or energies is not None or reactions is not None:
        from structkin.dynamics import kinetostatics
        from structkin.show.files import save_figure
        from structkin.show.forces_plot import plot_forces
        from structkin.show.motion_plot import plot_motion
        from structkin.show.simulation_plot import plot_simulation

        if plot is not None:
            save_figure(plot_motion(result), plot)
        if energies is not None:
            save_figure(plot_simulation(result), energies)
        if reactions is not None:
            save_figure(plot_forces(kinetostatics(result, loads=result.loads)), reactions)
    if as_json:
        from structkin.show.simulation_output import simulation_to_dict

        print_json(simulation_to_dict(result))
    elif csv != STDOUT:
        from structkin.show.simulation_output import simulation_table

        terminal = console()
        terminal.print(simulation_table(result))
        for path in (csv, plot, energies, reactions):
            if path is not None:
                terminal.print(f"written: {path}", markup=False, highlight=False)
    if result.stopped:
        raise typer.Exit(1)
