"""What all commands share at the terminal: printing tables, reporting errors, showing progress."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from structkin.errors import InputError, Problem

#: Work that takes longer than this [s] shows a progress bar.
PATIENCE = 1.0


class _Output(Console):
    """A console that leaves a closed pipe to `structkin.cli`: Rich itself would end with exit code 1."""

    def on_broken_pipe(self) -> None:
        """Raise the `BrokenPipeError` again."""
        raise  # noqa: PLE0704 - called while it is handled


def console() -> Console:
    """Return the terminal; a pipe or a file gets plain text of a generous width."""
    return _Output() if sys.stdout.isatty() else _Output(width=200, no_color=True)


def say(*lines: str) -> None:
    """Print lines as they are: a name in brackets is not markup, and a path is not wrapped."""
    for line in lines:
        console().print(line, markup=False, highlight=False, soft_wrap=True)


def print_table(title: str, rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print rows of text, the first of which are the headings; `left` columns hold words, the others numbers."""
    from structkin.show.terminal import text_table

    heads, *cells = rows
    console().print(text_table(title, "", heads, cells, figures=heads[left:]))


def complain(error: InputError) -> None:
    """List every error on stderr."""
    terminal = Console(stderr=True, soft_wrap=True)
    terminal.print(Text(str(error).partition("\n")[0], style="bold red"))
    for problem in error.problems:
        line = Text("  ")
        if problem.key:
            line.append(f"{problem.key}: ", style="bold")
        line.append(problem.message)
        if problem.hint:
            line.append(f"\n      {problem.hint}", style="cyan")
        terminal.print(line)


def check_stdout(option: str) -> None:
    """Raise `InputError` if stdout, to which an option sends data, is closed."""
    if sys.__stdout__ is None:
        raise InputError([Problem(option, "stdout is closed", "name a file, or send the output to one")], "output")


#: A list of numbers or words, as `json` writes it over several lines; a string never contains a line end.
_FLAT = re.compile(r"\[\n[^\[\]{}]*\n *\]")

#: Lists up to this width are put on one line.
WIDE = 100


def print_json(data: dict[str, Any]) -> None:
    """Print plain data as JSON, short lists on one line; NaN must have been replaced by None."""
    check_stdout("--json")

    def on_one_line(found: re.Match[str]) -> str:
        line = re.sub(r"\n *", " ", found[0])
        return line if len(line) <= WIDE else found[0]

    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False)
    sys.stdout.write(_FLAT.sub(on_one_line, text) + "\n")


@contextmanager
def progress(title: str, total: float | None = 1.0) -> Iterator[Callable[..., None]]:
    """Yield a function to call with the fraction of the work done, 0 to 1; a bar appears if the work takes long.

    The bar shows the time left. Without a `total` the function takes the number of steps so far, which are then shown.
    A second argument is a new title. On a terminal, a line also says when the engine compiles something for the first
    time, which takes seconds.
    """
    from rich.logging import RichHandler
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    terminal, is_seen = Console(stderr=True), sys.stderr.isatty()
    log = logging.getLogger("structkin.kernels")
    handler = RichHandler(console=terminal, show_time=False, show_level=False, show_path=False)
    if is_seen:
        log.addHandler(handler)
        log.setLevel(logging.INFO)

    columns = [TextColumn("{task.fields[steps]}")] if total is None else [TaskProgressColumn(), TimeRemainingColumn()]
    bar = Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=terminal, transient=True)
    task = bar.add_task(title, total=total, steps="")
    began = time.monotonic()

    def report(done: float, what: str = title) -> None:
        if is_seen and time.monotonic() - began > PATIENCE:
            bar.start()
            bar.update(task, completed=done, description=what, steps=f"{done:,.0f} steps" if done > 1 else "")

    try:
        yield report
    finally:
        log.removeHandler(handler)
        if bar.live.is_started:
            bar.stop()
