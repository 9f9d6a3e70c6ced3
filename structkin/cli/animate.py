"""`structkin animate FILE -o mechanism.gif`: an animation of the motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.options import USUAL, Budget, Duration, File, budget_of, check_idle, numbers_of, opened
from structkin.cli.outputs import check_output
from structkin.cli.terminal import progress, say
from structkin.dynamics.call import NO_OPTIONS, STEPS, check_call
from structkin.errors import raise_problems, together
from structkin.numerical_tolerances import RTOL
from structkin.report import SECTIONS, SUFFIXES
from structkin.show.animation import Animation, animation_format, call_problems
from structkin.solve import Motion
from structkin.types import Flags

#: Least number of samples, so that paths are smooth.
SMOOTH = 360


def animate(
    file: File,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Write a .gif, .webp, .mp4 (with ffmpeg) or .html.", metavar="ANIMATION"),
    ],
    duration: Duration = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Show the motion caused by masses and forces.")] = False,
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 25.0,
    seconds: Annotated[float | None, typer.Option(help="Playing time [s]; default: about real time.")] = None,
    speed: Annotated[float | None, typer.Option(help="Seconds of motion per second of playing time.")] = None,
    trace: Annotated[
        list[str] | None,
        typer.Option(help="A point whose path is drawn; may be repeated. Default: up to four of interest."),
    ] = None,
    width: Annotated[int, typer.Option(help="Width of a frame [px].")] = 800,
    once: Annotated[bool, typer.Option("--once", help="Play once instead of repeating.")] = False,
    budget: Budget = USUAL,
) -> None:
    """Write an animation of the motion, the links coloured by group."""
    mechanism, is_page = opened(file), output.suffix.lower() in SUFFIXES

    def check_name() -> None:
        if is_page:
            options = {"fps": fps, "seconds": seconds, "speed": speed, "trace": trace or None, "width": width}
            check_idle(animate, {**options, "once": once}, "a page, which has its own controls")
        else:
            animation_format(output, fps, SUFFIXES)

    def check_range() -> None:
        if simulate:
            check_call(
                mechanism, duration, SMOOTH, (), "reduced", "DOP853", None, RTOL, RTOL, (), STEPS, "auto", None,
                NO_OPTIONS,
            )  # fmt: skip
        else:
            raise_problems(numbers_of(SMOOTH, duration, budget))

    shown = [] if is_page else call_problems(mechanism, fps, seconds, speed, trace or (), width)
    together(
        mechanism.title or "command",
        check_name,
        lambda: check_output("--output", output, file),
        check_range,
        lambda: raise_problems(shown),
    )

    def moved(samples: int) -> Motion:
        with progress("simulating" if simulate else "solving") as report:
            if simulate:
                return mechanism.simulate(duration, samples=samples, progress=report)
            return mechanism.solve(samples, duration=duration, budget=budget_of(budget), progress=report)

    def filmed(motion: Motion) -> Animation:
        return motion.animate(fps=fps, seconds=seconds, speed=speed, trace=trace or (), width=width, repeat=not once)

    motion = moved(SMOOTH + 1)
    if is_page:
        left_out = [section for section in SECTIONS if section not in ("rates", "ranges")]
        mechanism.report(output, motion=motion, without=left_out, source=file.name)
        _end(motion.ok, f"written: {output}", "page")
        return
    film = filmed(motion)
    # With more frames than samples, solve again: every frame gets a sample of its own.
    if len(film) > len(motion):
        film = filmed(moved(len(film) + 1))
    with progress("drawing") as report:
        film.save(output, progress=report)
    _end(film.motion.ok, f"written: {output}, {len(film)} frames, {film.seconds:.3g} s", "caption")


def _end(ok: Flags, written: str, where: str) -> None:
    """Print what was written, and exit with 1 where some samples are not ok, for reasons that are found `where`."""
    count = int((~ok).sum())
    say(written, *([f"{count} of {len(ok)} samples are not ok: the {where} says why"] if count else []))
    if count:
        raise typer.Exit(1)
