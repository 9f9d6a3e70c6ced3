"""`structkin worksheet FILE`: each link cut free at one instant, its equations, and the system group by group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from structkin.cli.options import USUAL, Budget, File, Samples, budget_of, opened, seconds
from structkin.cli.outputs import check_output
from structkin.cli.terminal import progress, say
from structkin.report.worksheet import check_sheet


def worksheet(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A page, .html, or a LaTeX document, .tex; default: FILE-worksheet.html.",
            metavar="SHEET",
        ),
    ] = None,
    time: Annotated[
        float, typer.Option(parser=seconds("--time"), metavar="TIME", help="The instant, in s or with a unit.")
    ] = 0.0,
    samples: Samples = 361,
    static: Annotated[bool, typer.Option("--static", help="Take the pose at rest: no inertia or damping.")] = False,
    blank: Annotated[
        bool, typer.Option("--blank", help="Leave lines to write on in the place of equations and results.")
    ] = False,
    budget: Budget = USUAL,
) -> None:
    """Write every link cut free at one instant, with its forces and equations, for a class."""
    target = check_sheet(output or Path(f"{file.stem}-worksheet.html"))
    mechanism = opened(file)
    check_output("--output", target, file)
    with progress("solving") as report:
        t = np.linspace(0.0, time, samples) if time else [0.0]
        motion = mechanism.solve(t=t, budget=budget_of(budget), progress=report)
        motion.forces(static=static).worksheet(target, sample=-1, solved=not blank)
    say(f"written: {target}")
