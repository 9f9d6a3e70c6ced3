"""`structkin report FILE`: a page with the mechanism and its motion that opens in any browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.options import USUAL, Budget, Duration, File, Samples, budget_of, opened
from structkin.cli.terminal import say, steps_line
from structkin.plan.compile import determines_all
from structkin.report import SECTIONS


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
    with steps_line() as progress:
        text = mechanism.report(
            target, samples=samples, duration=duration, without=without or (), source=file.name,
            budget=budget_of(budget), progress=progress,
        )  # fmt: skip
    say(f"written: {target} ({len(text.encode()) / 1e6:.2f} MB)")
    if not determines_all(mechanism.structure()):
        raise typer.Exit(1)
