"""An end by signal: what was begun is cleaned up, as by an error."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

#: Signals that ask a program to end (SIGINT is Python's own `KeyboardInterrupt`); not every system has both.
_SIGNALS = ("SIGTERM", "SIGHUP")


@contextmanager
def tidy_end() -> Iterator[None]:
    """Let the signals that end a program raise `SystemExit`, so that temporary files are removed on the way out.

    A signal that is ignored, as SIGHUP under nohup, stays so.
    """
    before = {number: signal.getsignal(number) for name in _SIGNALS if (number := getattr(signal, name, None))}
    changed = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, before[number])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
