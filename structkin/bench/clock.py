"""Clocks of the benchmarks: the fastest of several runs, the time of each operation, the number of threads."""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from structkin.blas import one_thread
from structkin.global_methods.measure import collect_recent


def fastest(
    work: Callable[[], Any], runs: int, clock: Callable[[], float] = time.process_time, *, long: float = math.inf
) -> tuple[Any, float]:
    """Return the result of a function, and the shortest of several runs [s]; a run of `long` [s] is not repeated."""
    best, result = math.inf, None
    for _ in range(runs):
        collect_recent()
        began = clock()
        result = work()
        best = min(best, clock() - began)
        if best > long:
            break
    return result, best


class Stopwatch:
    """Adds up the time of each operation; nested operations are not counted twice."""

    def __init__(self) -> None:
        """Start from zero."""
        self.spent: dict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def __call__(self, operation: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function, and count its time."""
        began = time.process_time()
        self._inner.append(0.0)
        found = work(*arguments)
        took = time.process_time() - began
        self.spent[operation] += took - self._inner.pop()
        self._inner[-1] += took
        return found

    def watch(self, of: Any, name: str, operation: str) -> None:
        """Count the time of a method of an object."""
        work = getattr(of, name)
        # The rows are a frozen dataclass.
        object.__setattr__(of, name, lambda *arguments: self(operation, work, *arguments))


@contextmanager
def only(threads: int) -> Iterator[None]:
    """Let the engine use this many threads, and BLAS one."""
    before = os.environ.get("STRUCTKIN_THREADS")
    os.environ["STRUCTKIN_THREADS"] = str(threads)
    try:
        with one_thread():
            yield
    finally:
        del os.environ["STRUCTKIN_THREADS"]
        if before is not None:
            os.environ["STRUCTKIN_THREADS"] = before
