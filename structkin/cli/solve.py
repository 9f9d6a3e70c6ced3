"""`structkin solve FILE`: the motion over a cycle, as a table, CSV, JSON or pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from structkin import show
from structkin.cli.options import (
    USUAL,
    Budget,
    Duration,
    File,
    Json,
    MotionPlot,
    MotionTable,
    Samples,
    budget_of,
    numbers_of,
    opened,
)
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.errors import Problem, raise_problems, together
from structkin.global_methods.methods import FAMILIES, METHODS, method_problems
from structkin.joints.sliding import Sliding
from structkin.model.topology import check_names
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.show.interest import points_on_links

if TYPE_CHECKING:
    from structkin.solve import Motion


def solve(
    file: File,
    samples: Samples = 361,
    duration: Duration = None,
    engine: Annotated[str, typer.Option(help="python, compiled, or auto for the faster one.")] = "auto",
    method: Annotated[str, typer.Option(help=f"Method: {', '.join(METHODS)}.", metavar="METHOD")] = METHODS[0],
    coordinates: Annotated[
        str | None,
        typer.Option(help=f"Coordinates of a global method: {', '.join(FAMILIES)}.", metavar="FAMILY"),
    ] = None,
    csv: MotionTable = None,
    plot: MotionPlot = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            help="A point or link for --plot, a point for --schematic, instead of those of interest; may be repeated.",
            metavar="NAME",
        ),
    ] = None,
    kl: Annotated[
        bool, typer.Option("--kl", help="Add the velocity coefficients K and their derivatives L to the outputs.")
    ] = False,
    time_ratio: Annotated[
        list[str] | None,
        typer.Option(help="Print the time ratio of an oscillating link or slider; may be repeated.", metavar="NAME"),
    ] = None,
    schematic: Annotated[
        Path | None, typer.Option(help="Draw the mechanism and the paths of up to four points.", metavar="PICTURE")
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Solve position, velocity and acceleration; numbers are in the file's units."""
    mechanism, of, swinging = opened(file), of or [], time_ratio or []
    m = mechanism
    problems = [
        Problem(option, "has no effect alone", f"use it with {needs}")
        for option, unused, needs in (
            ("--of", bool(of) and plot is None and schematic is None, "--plot or --schematic"),
            ("--kl", kl and not (csv or plot or as_json), "--csv, --plot or --json"),
        )
        if unused
    ]
    problems += check_names("--of", of, [*points_on_links(m), *m.links])
    problems += check_names("--time-ratio", swinging, [*m.topology.moving_links, *m.joints.of(Sliding)])
    problems += [*numbers_of(samples, duration, budget), *method_problems(method, coordinates, engine=engine)]
    outputs, _ = together(
        "command",
        lambda: Outputs(file, {"--csv": csv}, {"--plot": plot, "--schematic": schematic}, as_json),
        lambda: raise_problems(problems, "command"),
    )
    traced = [name for name in of if name in mechanism.places or name not in mechanism.links]
    with progress("solving") as report:
        motion = mechanism.solve(
            samples, duration=duration, method=method, coordinates=coordinates, engine=engine,
            budget=budget_of(budget), progress=report,
        )  # fmt: skip
    swings = {name: motion.swing(name) for name in swinging}
    outputs.deliver(
        {
            "--csv": lambda target: show.write_csv(motion, target, kl=kl),
            "--plot": lambda: show.plot_motion(motion, *of, kl=kl),
            "--schematic": lambda: show.draw_schematic(
                mechanism, motion=motion, structure=motion.structure, trace=traced
            ),
        },
        lambda: {
            **show.motion_to_dict(motion, kl=kl),
            **({"time_ratios": {name: one.ratio for name, one in swings.items()}} if swings else {}),
        },
        lambda: show.summary_table(motion),
        [*(f"{name}: {one.words}" for name, one in swings.items()), *(_without_turn(motion, of) if plot else ())],
        ok=bool(motion.ok.all()),
    )


def _without_turn(motion: Motion, names: list[str]) -> Iterator[str]:
    """Yield a sentence about each link whose angle is drawn but stays the same: its points show how it moves."""
    m = motion.mechanism
    for name in names:
        if name in m.topology.moving_links and name not in m.places and np.ptp(motion.angle(name)) <= NEGLIGIBLE:
            points = " or ".join(f"--of {point}" for point in m.links[name].points)
            yield f"{name} does not turn: its angle is drawn" + (f"; {points} draws how it moves" if points else "")
