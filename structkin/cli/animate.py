"""`structkin animate FILE -o mechanism.gif`: the motion as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.api import Mechanism, Motion
from structkin.cli.options import USUAL, Budget, Duration, File, budget_of
from structkin.cli.terminal import progress, say
from structkin.errors import InputError, Problem
from structkin.show.animation import Animation, animation_format

#: Samples at least: paths are smooth.
SMOOTH = 360


def animate(
    file: File,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write a .gif, .webp or .mp4 (with ffmpeg).", metavar="ANIMATION")
    ],
    duration: Duration = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Show the motion that masses and forces make.")] = False,
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 25.0,
    seconds: Annotated[float | None, typer.Option(help="How long it plays [s]; default: real time, about.")] = None,
    speed: Annotated[float | None, typer.Option(help="Seconds of the motion in one second.")] = None,
    trace: Annotated[list[str], typer.Option(help="A point that leaves its path; may be repeated.")] = [],  # noqa: B006
    width: Annotated[int, typer.Option(help="Width of the pictures [px].")] = 800,
    once: Annotated[bool, typer.Option("--once", help="Play once, do not repeat.")] = False,
    budget: Budget = USUAL,
) -> None:
    """Write the motion as moving pictures, its links in the colours of their groups."""
    animation_format(output, fps)
    if output.resolve() == file.resolve():
        raise InputError([Problem("--output", "would overwrite the mechanism file", "give another name")], "output")
    mechanism = Mechanism.load(file)

    def moved(samples: int) -> Motion:
        with progress("simulating" if simulate else "solving") as report:
            if simulate:
                return mechanism.simulate(duration, samples=samples, progress=report)
            return mechanism.solve(samples, duration=duration, budget=budget_of(budget), progress=report)

    def filmed(motion: Motion) -> Animation:
        return motion.animate(fps=fps, seconds=seconds, speed=speed, trace=trace, width=width, repeat=not once)

    motion = moved(SMOOTH + 1)
    film = filmed(motion)
    # Every frame has a sample of its own where there are more frames than samples.
    if len(film) > len(motion):
        film = filmed(moved(len(film) + 1))
    with progress("drawing") as report:
        film.save(output, progress=report)
    count = int((~film.motion.ok).sum())
    say(f"written: {output}, {len(film)} frames, {film.seconds:.3g} s")
    if count:
        say(f"{count} of {len(film.motion)} samples are not ok: the caption says why")
        raise typer.Exit(1)
