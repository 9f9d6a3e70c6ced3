"""What all commands share at the terminal: printing tables, telling mistakes, showing progress."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from structkin.budget import DEFAULT
from structkin.errors import InputError, Problem, printable

#: Work that takes longer than this [s] shows a progress bar.
PATIENCE = 1.0


def console() -> Console:
    """Return the terminal; a pipe or a file gets plain text of a generous width."""
    return Console() if sys.stdout.isatty() else Console(width=140, no_color=True)


def complain(error: InputError) -> None:
    """List every mistake on stderr."""
    terminal = Console(stderr=True, soft_wrap=True)
    count = len(error.problems)
    head = f"{printable(error.source) or 'input'}: {count} mistake{'s' if count != 1 else ''}"
    terminal.print(Text(head, style="bold red"))
    for problem in error.problems:
        line = Text("  ")
        if problem.key:
            line.append(f"{problem.key}: ", style="bold")
        line.append(problem.message)
        if problem.hint:
            line.append(f"\n      {problem.hint}", style="cyan")
        terminal.print(line)


#: A list of numbers or words, as `json` writes it over several lines; line ends are never part of a text.
_FLAT = re.compile(r"\[\n[^\[\]{}]*\n *\]")

#: Lists are put on one line up to this width.
WIDE = 100


def print_json(data: dict[str, Any]) -> None:
    """Print plain data as JSON, short lists on one line; NaN must have become None before."""

    def on_one_line(found: re.Match[str]) -> str:
        line = re.sub(r"\n *", " ", found[0])
        return line if len(line) <= WIDE else found[0]

    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False)
    sys.stdout.write(_FLAT.sub(on_one_line, text) + "\n")


#: Bounds the work of a command.
Budget = Annotated[
    str,
    typer.Option(
        "--budget", metavar="STEPS", help="Steps the work may take beyond what its samples explain; none: no bound."
    ),
]
#: Its value where none is given.
USUAL = f"{DEFAULT:g}"


def budget_of(text: str) -> float | None:
    """Return the steps that an option --budget allows, None for all; raise `InputError` where it is no number."""
    if text.strip().lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        problem = Problem("--budget", f"'{text}' is not a number of steps", "none goes on to the end")
        raise InputError([problem], "command") from None


@contextmanager
def counting(title: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that takes the steps taken so far; a line tells them when the work takes long."""
    from rich.status import Status

    line: Status | None = None
    began = time.monotonic()

    def report(steps: float) -> None:
        nonlocal line
        if line is None and time.monotonic() - began > PATIENCE and sys.stderr.isatty():
            line = Status(title, console=Console(stderr=True))
            line.start()
        if line is not None:
            line.update(f"{title}: {steps:,.0f} steps")

    try:
        yield report
    finally:
        if line is not None:
            line.stop()


@contextmanager
def progress(title: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that takes the part of the work that is done, 0 to 1; a bar appears when the work takes long.

    What the engine compiles for the first time, which takes seconds, is told on a terminal.
    """
    from rich.logging import RichHandler
    from rich.progress import Progress

    log = logging.getLogger("structkin.kernels")
    teller = RichHandler(console=Console(stderr=True), show_time=False, show_level=False, show_path=False)
    if sys.stderr.isatty():
        log.addHandler(teller)
        log.setLevel(logging.INFO)

    bar: Progress | None = None
    began = time.monotonic()

    def report(done: float) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - began > PATIENCE and sys.stderr.isatty():
            bar = Progress(console=Console(stderr=True), transient=True)
            bar.add_task(title, total=1.0)
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield report
    finally:
        log.removeHandler(teller)
        if bar is not None:
            bar.stop()
