"""Time and memory of a solution, with progress, and stopped if it takes too long."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
Choice = TypeVar("Choice", bound=Hashable)
Report = Callable[[float], None]

#: A method is timed at least LEAST times, and up to MOST times while its runs together take less than ENOUGH [s].
LEAST, MOST, ENOUGH = 5, 7, 0.2


class ImpatientError(Exception):
    """A solution takes too long."""


@dataclass
class Watch:
    """Reports the progress of one method, which is `part` of all work and begins at `start`; stops it when late."""

    progress: Report | None
    start: float
    part: float
    patience: float | None

    def __post_init__(self) -> None:
        """Start the clock."""
        self.began = time.perf_counter()

    @property
    def late(self) -> bool:
        """Whether the patience is spent."""
        return self.patience is not None and time.perf_counter() - self.began > self.patience

    def __call__(self, done: float) -> None:
        """Report that this part of the first run is done."""
        if self.late:
            raise ImpatientError
        if self.progress is not None:
            # The rest is for the timed runs.
            self.progress(0.5 * (self.start + self.part * done))


@dataclass(frozen=True)
class Measured(Generic[Result]):
    """A result with the processor time and the wall time [s] of each run, and the peak memory if it was traced."""

    result: Result
    processor: tuple[float, ...]
    wall: tuple[float, ...]
    peak: int | None

    @property
    def seconds(self) -> float:
        """The median processor time [s]."""
        return median(self.processor)

    @property
    def spread(self) -> float:
        """The longest processor time less the shortest, relative to the median."""
        return (max(self.processor) - min(self.processor)) / self.seconds if self.seconds else 0.0

    @property
    def costs(self) -> dict[str, Any]:
        """The figures that every comparison records, by the names of its fields."""
        return {
            "seconds": self.seconds,
            "wall_seconds": median(self.wall),
            "spread": self.spread,
            "timed": len(self.processor),
            "peak_bytes": self.peak,
        }


def measure_each(
    choices: Sequence[Choice], run: Callable[[Choice, Report | None], Result], progress: Report | None, *,
    patience: float | None, memory: bool,
) -> dict[Choice, Measured[Result]]:  # fmt: skip
    """Measure each choice; those that take longer than `patience` [s] are left out, but for the first.

    Each runs once to warm up: the first run of a process imports modules and fills caches, and never counts. Then all
    take turns, so that what else the computer does in the meantime slows them alike, and their ratios hardly change.
    None is repeated once its timed runs have spent `patience`. With `memory` each runs once more to trace the peak.
    Tracing makes a run up to ten times slower; it is given up after `patience`, and the peak is None.
    """
    warm: dict[Choice, _Timed[Result]] = {}
    for k, choice in enumerate(choices):
        watch = Watch(progress, k / len(choices), 1 / len(choices), patience if k else None)
        with suppress(ImpatientError):
            warm[choice] = _Timed(partial(run, choice), run(choice, watch))
    left = list(warm.values())
    while left:
        for one in left:
            one.time()
        left = [one for one in left if not one.is_known(patience)]
        if progress is not None:
            to_do = sum(max(LEAST - len(one.processor), 1) for one in left)
            progress(max(0.5, 1 - 0.5 * to_do / (LEAST * len(warm))))
    return {
        choice: Measured(
            one.result, tuple(one.processor), tuple(one.wall), _peak(one.run, patience) if memory else None
        )
        for choice, one in warm.items()
    }


def collect_recent() -> None:
    """Collect the garbage of the runs before, which is not to be collected within the next one.

    All else that lives in the process is left alone: to visit it takes longer than a short run, a second where much is
    loaded.
    """
    gc.collect(1)


@dataclass
class _Timed(Generic[Result]):
    """What is timed, its last result, and the processor times and wall times [s] so far."""

    run: Callable[[Report | None], Result]
    result: Result
    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def time(self) -> None:
        """Run once more."""
        collect_recent()
        began, clock = time.process_time(), time.perf_counter()
        self.result = self.run(None)
        self.processor.append(time.process_time() - began)
        self.wall.append(time.perf_counter() - clock)

    def is_known(self, patience: float | None) -> bool:
        """Whether it was timed often enough, or `patience` [s] is spent."""
        count = len(self.processor)
        late = patience is not None and sum(self.wall) > patience
        return late or count >= MOST or (count >= LEAST and sum(self.processor) >= ENOUGH)


def _peak(run: Callable[[Report | None], object], patience: float | None) -> int | None:
    tracemalloc.start()
    try:
        run(Watch(None, 0.0, 0.0, patience))
        return tracemalloc.get_traced_memory()[1]
    except ImpatientError:
        return None
    finally:
        tracemalloc.stop()
