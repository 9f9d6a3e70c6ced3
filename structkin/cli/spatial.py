"""`structkin spatial FILE`: the motion of bodies and joints in space, as a table, CSV, JSON, pictures, an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from structkin.cli.options import USUAL, Budget, Json, SpatialFile, budget_of
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.errors import InputError, Problem, raise_problems
from structkin.multibody.model import SpatialModel
from structkin.multibody.readings import Readings
from structkin.numerical_tolerances import RTOL
from structkin.show.space import animate_space, draw_space_motion
from structkin.show.space_tables import plot_space, space_table, space_to_dict, write_space_csv

METHODS = ("minimal", "small-steps")


def spatial(
    file: SpatialFile,
    method: Annotated[
        str, typer.Option(help="minimal: minimal coordinates; small-steps: Newton and Euler with stiff joints.")
    ] = "minimal",
    duration: Annotated[float | None, typer.Option(help="End of the motion [s]; default: the file's.")] = None,
    samples: Annotated[
        int | None, typer.Option(help="Number of output times of minimal coordinates [361].", show_default=False)
    ] = None,
    rtol: Annotated[
        float | None, typer.Option(help="Relative tolerance of minimal coordinates [1e-9].", show_default=False)
    ] = None,
    loops: Annotated[
        str | None,
        typer.Option(
            help="How minimal coordinates close loops: explicit (the default), multipliers.", show_default=False
        ),
    ] = None,
    integrator: Annotated[
        str | None,
        typer.Option(
            help="Integrator of minimal coordinates: DOP853 (the default), Radau for stiff models.", show_default=False
        ),
    ] = None,
    step: Annotated[float | None, typer.Option(help="Step of small steps [s], 1e-5.", show_default=False)] = None,
    stiffness: Annotated[
        float | None, typer.Option(help="Stiffness of the joints of small steps [N/m].", show_default=False)
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write sensors and bodies, a line a sample; - for stdout.", metavar="TABLE"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw sensors or bodies, and energy, over time.", metavar="PICTURE"),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", help="Draw the last pose, and the paths of up to 4 position sensors.", metavar="PICTURE"
        ),
    ] = None,
    animation: Annotated[
        Path | None, typer.Option("--animation", help="Write a .gif, .webp or .mp4.", metavar="ANIMATION")
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Find the motion of bodies and joints in space under their masses and forces; numbers are in SI."""
    _check_method(
        method,
        {"--samples": samples, "--rtol": rtol, "--loops": loops, "--integrator": integrator},
        {"--step": step, "--stiffness": stiffness},
    )
    pictures = {"--plot": plot, "--picture": picture}
    outputs = Outputs(file, {"--csv": csv}, pictures, as_json, {"--animation": animation})
    model = SpatialModel.load(file)
    work = budget_of(budget)
    with progress("computing") as report:
        motion: Readings
        if method == "minimal":
            motion = model.simulate(
                duration, samples or 361, RTOL if rtol is None else rtol, loops=cast("Any", loops or "explicit"),
                integrator=integrator or "DOP853", budget=work, progress=report,
            )  # fmt: skip
        else:
            motion = model.small_steps(
                duration, 1e-5 if step is None else step, stiffness=stiffness, budget=work, progress=report
            )
    outputs.deliver(
        {
            "--csv": lambda target: write_space_csv(motion, target),
            "--plot": lambda: plot_space(motion),
            "--picture": lambda: draw_space_motion(motion),
            "--animation": lambda: animate_space(motion),
        },
        lambda: space_to_dict(motion),
        lambda: space_table(motion),
    )
    if motion.status != "ok":
        typer.echo(motion.status, err=True)
        raise typer.Exit(1)


def _check_method(method: str, minimal: dict[str, object], small: dict[str, object]) -> None:
    """Raise `InputError` for an unknown method, and for options of the other one."""
    if method not in METHODS:
        raise InputError([Problem("--method", f"'{method}' is unknown", f"known: {', '.join(METHODS)}")], "command")
    idle = small if method == "minimal" else minimal
    other = METHODS[method == "minimal"]
    problems = [
        Problem(name, f"changes nothing with --method {method}", f"leave it out, or use --method {other}")
        for name, value in idle.items()
        if value is not None
    ]
    raise_problems(problems, "command")
