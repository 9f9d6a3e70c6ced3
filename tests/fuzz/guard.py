"""Guarded calls: how each ends, and its processor time and memory."""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import structkin as sk

#: A call may take this much processor time [s] and memory [bytes].
SECONDS, BYTES = 10.0, 2**30


class LateError(BaseException):
    """A call takes too long. Only the guard catches it."""


@dataclass
class Guard:
    """Makes calls; `faults` lists those that ended in a way that is not allowed."""

    where: str = ""
    timed: bool = True

    def __post_init__(self) -> None:
        self.faults: list[str] = []

    def __call__(self, what: str, call: Callable[[], Any]) -> Any:
        """Return what a call returns; None where it ends in a reported problem or in a fault."""
        began = time.process_time()
        if self.timed:
            signal.signal(signal.SIGPROF, _late)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            return call()
        except sk.InputError as error:
            assert str(error)
        except LateError:
            self.faults.append(f"{self.where}: {what} takes more than {time.process_time() - began:.1f} s")
        except MemoryError:
            self.faults.append(f"{self.where}: {what} takes more than {BYTES >> 20} MiB")
        except Exception as error:
            places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-3:]]
            self.faults.append(f"{self.where}: {what}: {error!r:.200} at {' '.join(places)}")
        finally:
            if self.timed:
                signal.setitimer(signal.ITIMER_PROF, 0)
        return None


def _late(*_: Any) -> None:
    raise LateError


@contextmanager
def little_memory() -> Iterator[None]:
    """Limit the memory that this process may add, where the system can enforce it."""
    if not sys.platform.startswith("linux"):
        yield
        return
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    kept = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, kept[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, kept)
