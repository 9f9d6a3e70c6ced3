"""Running a kernel plan over lanes: blocks that stay in cache, distributed over threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from threading import get_ident
from typing import Any, TypeVar

import numpy as np

from structkin.kernels.kernel_plan import Job, Run
from structkin.plan.status import Status
from structkin.solve.engine import Course, Lanes, Modes, Progress, close_step, drive_all, follow_step
from structkin.types import Floats

T = TypeVar("T")

#: Lanes in a block, by whether kernels are compiled: the data of a step stay in the nearest caches, and calls, of which
#: NumPy has a hundred times as many, cost little in comparison.
BLOCKS = {True: 4096, False: 8192}
#: Bytes of K and L of a block of lanes of which only rates are kept, and its fewest lanes; and how many numbers of K
#: are turned into rates at a time: they stay in the caches.
SCRATCH, LEAST, TOGETHER = 8_000_000, 512, 1 << 17
#: Fewest steps times lanes, and fewest lanes, for which a thread is worth starting.
SHARE, NARROW = 500_000, 400


def thread_count() -> int:
    """Return the largest number of threads: `STRUCTKIN_THREADS` if it is set, else the number of available cores."""
    chosen = os.environ.get("STRUCTKIN_THREADS", "")
    if chosen.isdigit() and int(chosen):
        return int(chosen)
    return cores()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sweep(
    job: Job,
    lanes: Lanes,
    drivers: Mapping[str, Floats],
    modes: Modes,
    progress: Progress | None,
    course: Course | None,
) -> None:
    """Run all steps over lanes, as `structkin.solve.engine.sweep` does."""
    n, steps = lanes.x.shape[-1], len(job.kernel_plan.plan.steps)
    for number, stage in enumerate(job.kernel_plan.stages):
        if isinstance(stage, int):
            follow_step(job.kernel_plan.plan, stage, lanes, modes, progress, course)
            continue
        items = [(item, item.lane_modes(modes, n)) if isinstance(item, Run) else item for item in stage]
        work = _Stage(job, lanes, items, modes, drivers if number == 0 else {})
        for least in over_blocks(work.block, n, steps, BLOCKS[job.compiled], progress):
            np.fmin(lanes.least, least, out=lanes.least)


@dataclass(frozen=True)
class _Stage:
    """Closed steps over lanes: runs with the modes of their steps and lanes, and steps without a kernel."""

    job: Job
    lanes: Lanes
    items: Sequence[tuple[Run, tuple[Any, Any]] | int]
    modes: Modes
    drivers: Mapping[str, Floats]

    def block(self, part: slice) -> Floats:
        """Run the steps over a block of lanes; return the least discriminant of each step in it."""
        plan = self.job.kernel_plan.plan
        # Threads would overwrite each other's least discriminants.
        own = replace(self.lanes.take(part), least=np.full(len(plan.steps), np.inf))
        if self.drivers:
            given = {id: z[:, part] for id, z in self.drivers.items()}
            drive_all(plan, own, given)
        scratch = np.empty((2, part.stop - part.start))
        for item in self.items:
            if isinstance(item, int):
                close_step(plan, item, own, part, self.modes)
                continue
            run, modes = item
            run.kernel.call(
                plan.sweep_kernel,
                *(self.lanes.x, part.start, part.stop, run.rows, run.constants, *modes, run.first, run.groups),
                *(self.lanes.status, self.lanes.group, own.least, *scratch),
                compiled=self.job.compiled,
            )
        return own.least


@dataclass(frozen=True)
class Columns:
    """K (f, rows, n) and L (f, f, rows, n) of all slots by f drivers, formed block by block.

    Of L only the lower half is formed. `seed` writes the derivatives of the drivers' slots in some lanes into both.
    """

    job: Job
    lanes: Lanes
    count: int
    seed: Callable[[Floats, Floats, slice], None]

    def all(self, *, second: bool) -> tuple[Floats, Floats]:
        """Return K and L; without `second` L has no lanes."""
        rows, n = self.lanes.x.shape[1:]
        K, L = np.empty((self.count, rows, n)), np.empty((self.count, self.count, rows, n if second else 0))

        def work(part: slice) -> None:
            self._form(K, L, part, part.start)

        self._run(work, BLOCKS[self.job.compiled])
        return K, L

    def form_rates(self, z: Floats) -> None:
        """Write x' = K z' and x'' = K z'' + z'^T L z' into the lanes; z (f, 3, n) are the drivers' values and rates.

        K and L of a block of lanes are discarded after it. With one driver they are stored in place of its rates.
        """
        f, rows, block = self.count, self.lanes.x.shape[1], BLOCKS[self.job.compiled]
        if f > 1:
            block = min(block, max(LEAST, SCRATCH // (8 * f * (f + 1) * rows)))

        @cache
        def own(thread: int) -> tuple[Floats, Floats]:
            return np.empty((f, rows, block)), np.empty((f, f, rows, block))

        def work(part: slice) -> None:
            x, at = self.lanes.x, 0 if f > 1 else part.start
            K, L = own(get_ident()) if f > 1 else (x[1:2], x[2:3][None])
            self._form(K, L, part, at)
            size = part.stop - part.start
            for low in range(0, rows, 1 + TOGETHER // size):
                some, here = slice(low, low + 1 + TOGETHER // size), slice(at, at + size)
                _combine(K[:, some, here], L[:, :, some, here], z[..., part])
                if f > 1:
                    x[1, some, part], x[2, some, part] = K[0, some, here], L[0, 0, some, here]

        self._run(work, block)

    def _run(self, work: Callable[[slice], None], block: int) -> None:
        for _ in over_blocks(work, self.lanes.x.shape[-1], len(self.job.kernel_plan.plan.steps), block, None):
            pass

    def _form(self, K: Floats, L: Floats, part: slice, at: int) -> None:
        """Form the columns of a block of lanes in those of K and L from `at` on."""
        here = slice(at, at + part.stop - part.start)
        self.seed(K[..., here], L[..., here], part)
        singular = bool((self.lanes.status[part] == Status.SINGULAR).any())
        for item in self.job.kernel_plan.runs:
            item.kernel.call(
                "both" if L.size else "first",
                *(self.lanes.x, K, L, part.start, part.stop, at, item.rows, item.constants, item.groups),
                *(self.lanes.status, self.lanes.group, singular),
                compiled=self.job.compiled,
            )


def _combine(K: Floats, L: Floats, z: Floats) -> None:
    """Make K[0] and L[0, 0] the rates K z' and K z'' + z'^T L z'; the other columns are overwritten.

    >>> K, L, z = np.array([[[2.0]]]), np.array([[[[3.0]]]]), np.array([[[0.0], [5.0], [7.0]]])
    >>> _combine(K, L, z)
    >>> K.item(), L.item()
    (10.0, 89.0)
    """
    for a in range(len(K)):
        for b in range(a + 1):
            L[a, b] *= (1 if a == b else 2) * z[a, 1] * z[b, 1]
            if a:
                L[0, 0] += L[a, b]
    for k, (_, rate, second) in enumerate(z):
        if second.any():
            L[0, 0] += K[k] * second
        K[k] *= rate
        if k:
            K[0] += K[k]


def over_blocks(work: Callable[[slice], T], n: int, steps: int, block: int, progress: Progress | None) -> Iterator[T]:
    """Yield what `work` returns for each block of n lanes, or variants, in order; threads share the blocks evenly."""
    threads = max(1, min(thread_count(), n * steps // SHARE, n // NARROW))
    rounds = -(-n // (block * threads))
    size = max(1, -(-n // max(1, rounds * threads)))
    parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
    with np.errstate(all="ignore"):
        done = _shared(work, parts, threads) if threads > 1 and len(parts) > 1 else map(work, parts)
        for part, result in zip(parts, done, strict=True):
            yield result
            if progress is not None:
                progress(part.stop / n)


def _shared(work: Callable[[slice], T], parts: Sequence[slice], threads: int) -> Iterator[T]:
    """Yield the results of threads in order; this thread is one of them."""
    waiting, found = deque(enumerate(parts)), dict[int, T]()

    def take_one() -> bool:
        try:
            k, part = waiting.popleft()
        except IndexError:
            return False
        found[k] = _quietly(work, part)
        return True

    def take_all() -> None:
        while take_one():
            pass

    others, done = [_pool(threads - 1).submit(take_all) for _ in range(threads - 1)], 0
    while take_one():
        while done in found:
            yield found.pop(done)
            done += 1
    for other in others:
        other.result()
    yield from (found[k] for k in range(done, len(parts)))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that wait for work: restarting them takes as long as a sweep of a million dyads."""
    if hasattr(os, "register_at_fork"):
        # A forked process has the pool, but not its threads.
        os.register_at_fork(after_in_child=_pool.cache_clear)
    return ThreadPoolExecutor(threads, "structkin")


def _quietly(work: Callable[[slice], T], part: slice) -> T:
    with np.errstate(all="ignore"):
        return work(part)
