"""`structkin simulate FILE`: the motion caused by masses and forces, as a table, CSV, JSON or pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from structkin import show
from structkin.cli.options import File, Json, MotionPlot, MotionTable, opened, seconds
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.dynamics.call import check_call
from structkin.errors import together
from structkin.numerical_tolerances import RTOL


def simulate(
    file: File,
    duration: Annotated[
        float | None,
        typer.Option(
            parser=seconds("--duration"),
            metavar="TIME",
            help="End of the simulation, in s or with a unit; default: the file's.",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(help="Number of output times, including both ends.")] = 361,
    free: Annotated[
        list[str] | None,
        typer.Option(help="Let a driver with a law move freely, from the value and speed of its law; repeatable."),
    ] = None,
    formulation: Annotated[
        str, typer.Option(help="reduced, multipliers, multipliers-sparse or multipliers-sweeps.")
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
    alpha: Annotated[float | None, typer.Option(help="Gain [1/s] on the rate of constraint violation.")] = None,
    beta: Annotated[float | None, typer.Option(help="Gain [1/s] on the constraint violation.")] = None,
    gains: Annotated[
        str | None, typer.Option(help="Choose the gains from the step size: step or stability.", show_default=False)
    ] = None,
    penalty: Annotated[
        float | None, typer.Option(help="Penalty of the augmented Lagrangian method.", show_default=False)
    ] = None,
    integrator: Annotated[
        str,
        typer.Option(
            help="DOP853, RK45, milne; LSODA, Radau, BDF for stiff motions, as with hard contacts; "
            "or euler, rk2, rk4, abm4, gear4 with --step."
        ),
    ] = "DOP853",
    step: Annotated[float | None, typer.Option(help="Step size [s] of a fixed-step integrator.")] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of an adaptive integrator.")] = RTOL,
    max_steps: Annotated[int, typer.Option(help="Steps after which an integrator gives up.")] = 1_000_000,
    csv: MotionTable = None,
    plot: MotionPlot = None,
    energies: Annotated[
        Path | None, typer.Option(help="Plot coordinates, energies and the joint closure error.", metavar="PICTURE")
    ] = None,
    reactions: Annotated[Path | None, typer.Option(help="Plot the joint reactions.", metavar="PICTURE")] = None,
    as_json: Json = False,
) -> None:
    """Simulate the motion caused by masses and forces; drivers without a law move freely."""
    mechanism = opened(file)
    pictures = {"--plot": plot, "--energies": energies, "--reactions": reactions}
    options: dict[str, Any] = {
        "coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
        "penalty": penalty,
    }  # fmt: skip
    outputs, _ = together(
        mechanism.title or "command",
        lambda: Outputs(file, {"--csv": csv}, pictures, as_json),
        lambda: check_call(
            mechanism, duration, samples, free or (), formulation, integrator, step, rtol, 1.0, (), max_steps, "auto",
            None, options,
        ),
    )  # fmt: skip
    with progress("simulating") as report:
        result = mechanism.simulate(
            duration, samples=samples, free=free or (), formulation=formulation, integrator=integrator, step=step,
            rtol=rtol, max_steps=max_steps, progress=report, **options,
        )  # fmt: skip
    outputs.deliver(
        {
            "--csv": lambda target: show.write_simulation_csv(result, target),
            "--plot": lambda: show.plot_motion(result),
            "--energies": lambda: show.plot_simulation(result),
            "--reactions": lambda: show.plot_forces(result.forces()),
        },
        lambda: show.simulation_to_dict(result),
        lambda: show.simulation_table(result),
        ok=not result.stopped,
    )
