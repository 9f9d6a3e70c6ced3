"""`structkin report FILE`: a page with the mechanism and its motion that opens in any browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.options import USUAL, Budget, Duration, File, Samples, budget_of, opened
from structkin.cli.terminal import progress, say
from structkin.report import SECTIONS
from structkin.show.view import motion_of


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
    budget: Budget = USUAL,
) -> None:
    """Write a page with the mechanism and its motion that opens in any browser."""
    mechanism = opened(file)
    target = output or Path(f"{file.stem}.html")
    with progress("solving", None) as shown:
        motion = motion_of(mechanism, samples, duration=duration, budget=budget_of(budget), progress=shown)
        text = mechanism.report(
            target,
            motion=motion,
            without=without or (),
            source=file.name,
            budget=budget_of(budget),
            progress=lambda what, done: shown(done, what),
        )
    say(f"written: {target} ({len(text.encode()) / 1e6:.2f} MB)")
    say(*text.missing)
    if motion is None:
        say("the drivers do not determine the motion: the page says why")
    elif not motion.ok.all():
        say(f"{int((~motion.ok).sum())} of {len(motion)} samples are not ok: the page says why")
    if motion is None or not motion.ok.all() or text.missing:
        raise typer.Exit(1)
