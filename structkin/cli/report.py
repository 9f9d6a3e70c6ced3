"""`structkin report FILE`: a page with the mechanism and its motion that opens in any browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from structkin.cli.options import USUAL, Budget, Duration, File, Samples, budget_of, numbers_of, opened, seconds
from structkin.cli.terminal import progress, say
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.report import SECTIONS, check_call
from structkin.report.worksheet import HARDEST
from structkin.show.files import check_target
from structkin.show.view import motion_of
from structkin.solve import Motion


def report(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page; default: FILE with .html, in this folder.", metavar="PAGE"),
    ] = None,
    samples: Samples = 361,
    duration: Duration = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help=f"Leave out a section; may be repeated: {', '.join(SECTIONS)}.", metavar="SECTION"),
    ] = None,
    simulate: Annotated[
        float | None,
        typer.Option(help="Show the motion simulated up to this time [s], and compare the formulations of dynamics."),
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(help="With --simulate, let a driver with a law move freely; repeatable."),
    ] = None,
    worksheet: Annotated[
        str | None,
        typer.Option(
            help="Add a worksheet: the free body and equations of every link at this time, in s or with a unit; or in "
            'the pose of the largest joint force, "hardest".',
            metavar="TIME",
        ),
    ] = None,
    author: Annotated[str, typer.Option(help="Whose name is printed below the title.", metavar="NAME")] = "",
    date: Annotated[
        str | None, typer.Option(help='The date below the title; default: today; "" for none.', metavar="DATE")
    ] = None,
    budget: Budget = USUAL,
) -> None:
    """Write a page with the mechanism and its motion that opens in any browser."""
    mechanism = opened(file)
    target = output or Path(f"{file.stem}.html")
    problems: list[Problem] = []
    if free and simulate is None:
        problems.append(Problem("--free", "belongs to a simulation", "add --simulate SECONDS"))
    if duration is not None and simulate is not None:
        problems.append(Problem("--duration", "a simulation ends at --simulate", "leave it out"))
    at: float | None = None
    problems += problems_of(check_call, mechanism, target, None, without or (), samples)
    problems += [one for one in problems_of(check_target, target) if one not in problems]
    if simulate is None:
        problems += numbers_of(samples, duration, budget)
    if worksheet is not None and worksheet != HARDEST:
        try:
            at = seconds("--worksheet")(worksheet)
        except InputError as error:
            problems += error.problems
    raise_problems(problems, "command")
    with progress("solving", None) as shown:
        motion: Motion | None
        compared = None
        if simulate is None:
            motion = motion_of(mechanism, samples, duration=duration, budget=budget_of(budget), progress=shown)
        else:
            tell = partial(shown, what="comparing formulations")
            compared = mechanism.compare(samples, simulate=simulate, free=free or (), progress=tell)
            motion = mechanism.simulate(simulate, samples=samples, free=free or (), progress=shown)
            mechanism = motion.mechanism  # without the laws of what is free
        text = mechanism.report(
            target,
            motion=motion,
            without=without or (),
            comparison=compared,
            worksheet=None if worksheet is None else _pose(motion, at),
            source=file.name,
            author=author,
            date=date,
            budget=budget_of(budget),
            progress=lambda what, done: shown(done, what),
        )
    say(f"written: {target} ({len(text.encode()) / 1e6:.2f} MB)")
    say(*text.missing)
    if motion is None:
        say("the drivers do not determine the motion: the page says why")
    elif not motion.ok.all():
        say(f"{int((~motion.ok).sum())} of {len(motion)} samples are not ok: the page says why")
    if compared is not None:
        if not compared.agrees:
            say("not all formulations agree: the page says why")
        say(*dict.fromkeys(f"stopped at {run.stopped}" for run in compared.runs if run.stopped))
        if compared.abandoned:
            say(f"{len(compared.abandoned)} formulations took longer than {compared.patience:g} s: the page names them")
    if motion is None or not motion.ok.all() or text.missing or not (compared is None or compared.ok):
        raise typer.Exit(1)


def _pose(motion: Motion | None, t: float | None) -> int | str:
    """Return the sample nearest to a time [s]; "hardest" for none, and without a motion, which has no worksheet."""
    if t is None or motion is None:
        return HARDEST
    if not motion.t[0] <= t <= motion.t[-1]:
        span = f"from {motion.t[0]:.6g} to {motion.t[-1]:.6g} s"
        problem = Problem("--worksheet", f"the motion is known {span}, not at {t:.6g} s", "give a time within")
        raise InputError([problem], "command")
    return int(np.argmin(np.abs(motion.t - t)))
