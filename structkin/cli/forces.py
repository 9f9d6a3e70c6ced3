"""`structkin forces FILE`: driver efforts and joint reactions over a cycle."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.options import USUAL, Budget, Duration, File, Json, Samples, budget_of, numbers_of, opened
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.dynamics.inverse.duty import fluctuation_problems
from structkin.errors import raise_problems, together


def forces(
    file: File,
    samples: Samples = 361,
    duration: Duration = None,
    static: Annotated[bool, typer.Option("--static", help="Take each pose at rest: no inertia or damping.")] = False,
    duty: Annotated[
        bool, typer.Option("--duty", help="Print what each driver delivers: peak, root mean square, speed, power.")
    ] = False,
    flywheel: Annotated[
        float | None,
        typer.Option(help="Find the flywheel for this coefficient of fluctuation of the speed.", metavar="FLUCTUATION"),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write efforts and reactions, one line per sample; - for stdout.", metavar="TABLE"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw efforts, the eight largest reactions and the shaking force.", metavar="PICTURE"),
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Find driver torques, joint reactions and the shaking force of the motion, in N and N m."""
    mechanism = opened(file)
    problems = numbers_of(samples, duration, budget)
    problems += fluctuation_problems(flywheel) if flywheel is not None else []
    outputs, _ = together(
        "command",
        lambda: Outputs(file, {"--csv": csv}, {"--plot": plot}, as_json),
        lambda: raise_problems(problems, "command"),
    )
    with progress("solving") as report:
        motion = mechanism.solve(samples, duration=duration, budget=budget_of(budget), progress=report)
        found = motion.forces(static=static)
    duties = [found.duty(id) for id in mechanism.drivers] if duty or flywheel is not None else []
    lines = [line for one in duties if duty for line in str(one).splitlines()]
    wheels = {one.driver: one.flywheel(flywheel) for one in duties} if flywheel is not None else {}
    lines += [f"flywheel on {id}: {wheel.words}" for id, wheel in wheels.items()]
    outputs.deliver(
        {
            "--csv": lambda target: show.write_forces_csv(found, target),
            "--plot": lambda: show.plot_forces(found),
        },
        lambda: {
            **show.forces_to_dict(found),
            **({"duty": {one.driver: one.to_dict() for one in duties}} if duty else {}),
            **({"flywheels": {id: asdict(wheel) for id, wheel in wheels.items()}} if wheels else {}),
        },
        lambda: show.forces_table(found),
        lines,
        ok=bool(motion.ok.all()) and not found.locked.any(),
    )
