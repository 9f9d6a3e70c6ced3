"""Time and memory of a solution, with progress, and stopped if it takes too long."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

from structkin.solve.motion import Motion

#: A method is timed by the best of this many runs, unless together they take longer than this [s].
RUNS, ENOUGH = 3, 1.0


class ImpatientError(Exception):
    """A solution takes too long."""


@dataclass
class Watch:
    """Reports the progress of one method, which is `part` of all work and begins at `start`; stops it when late."""

    progress: Callable[[float], None] | None
    start: float
    part: float
    patience: float | None

    def __post_init__(self) -> None:
        """Start the clock."""
        self.began = time.perf_counter()

    def __call__(self, done: float) -> None:
        """Report that this part of the first run is done."""
        if self.patience is not None and time.perf_counter() - self.began > self.patience:
            raise ImpatientError
        if self.progress is not None:
            # The rest is for the timed runs.
            self.progress(self.start + 0.5 * self.part * done)


def measure(run: Callable[[Callable[[float], None] | None], Motion], watch: Watch) -> tuple[Motion, float, int]:
    """Return the motion, the best time [s] and, from a separate run, the peak memory.

    The first run of a process imports modules and fills caches: it counts only if it takes so long that these do not
    matter.
    """

    def timed(report: Callable[[float], None] | None) -> float:
        began = time.perf_counter()
        run(report)
        return time.perf_counter() - began

    first = timed(watch)
    times = [first] if first > ENOUGH else []
    while len(times) < RUNS and sum(times) < ENOUGH:
        times.append(timed(None))
    tracemalloc.start()
    try:
        motion = run(None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return motion, min(times), peak
