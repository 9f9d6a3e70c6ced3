"""Commands in processes that have the modules already: what a signal ends is the work, not their import."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext

from structkin.cli import COMMANDS, main

#: Modules that commands import late.
LATE = ("structkin.show", "matplotlib.pyplot", "pandas", "PIL.Image")
#: No command takes longer [s].
LONGEST = 120


@cache
def server() -> ForkServerContext:
    """Return a context whose processes begin with the modules of all commands."""
    context = get_context("forkserver")
    context.set_forkserver_preload([*(f"structkin.cli.{name.replace('-', '_')}" for name in COMMANDS), *LATE])
    return context


def run(words: list[str]) -> None:
    """Run a command, silently."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.argv = ["structkin", *words]
    main()


def ended(words: list[str], number: int, when: Callable[[float], object]) -> int:
    """Run a command, end it by a signal as soon as `when` says so of its time, and return its exit code."""
    process = server().Process(target=run, args=(words,))
    process.start()
    began = time.monotonic()
    while process.is_alive() and not when(time.monotonic() - began):
        time.sleep(1e-4)
    if process.is_alive() and process.pid is not None:
        os.kill(process.pid, number)
    process.join(LONGEST)
    assert process.exitcode is not None, f"{words} does not end"
    return process.exitcode
