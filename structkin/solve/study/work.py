"""The work of a study: chunks of its variants, in this process or in several."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process, resource_tracker
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.mechanism import Mechanism
from structkin.solve.compiled_run import cores
from structkin.solve.many.kept import inexact, measured, unlike, words_of
from structkin.solve.many.motions import Motions
from structkin.solve.many.solve_many import PART, prepare
from structkin.solve.study.store import Variable

#: What the variables of some variants hold, by their names.
Rows = dict[str, NDArray[Any]]
#: The most processes of a pool on Windows.
MOST = 61
#: Limits of glibc's `mallopt`: of blocks on the heap, and of what is kept at its end.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1
#: What a run that ends early leaves.
KEPT = "where there is a store, what was finished is kept"


class Work(Protocol):
    """What is done with each chunk: it can be sent to another process if what it holds can."""

    def rows(self, parameters: Mapping[str, NDArray[Any]], /) -> Rows:
        """Return the rows of the chunk that has these."""


@dataclass(frozen=True)
class Job:
    """The work of a study: measures of variants of a mechanism."""

    mechanism: Mechanism
    measures: Mapping[str, Callable[[Motions], Any]]
    samples: int | None
    t: ArrayLike | None
    drivers: Mapping[str, Any] | None
    duration: float | None
    engine: str
    budget: float | None
    #: What the rows of the measures have to be like: unknown until one variant is measured.
    variables: Mapping[str, Variable] = field(default_factory=dict)

    def rows(self, parameters: Mapping[str, NDArray[Any]], /) -> Rows:
        """Return the measures (v, ...) of variants with these parameters (v,).

        Raises `InputError` where those of one's own are no numbers, or not like the `variables`.
        """
        call = prepare(
            self.mechanism, self.samples, parameters, None, None, self.t, self.drivers, self.duration, self.engine,
            self.budget, all_may_fail=True,
        )  # fmt: skip
        found: dict[str, list[NDArray[Any]]] = {name: [] for name in self.measures}
        for _, motions in call.parts(max(1, PART // len(call.schedule)), None):
            for name, values in measured(motions, self.measures).items():
                found[name].append(values if name == "status" else self._stored(name, values))
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def _stored(self, name: str, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows of a measure as floats: those of other variants may have fractions where these have none."""
        is_complex, known = rows.dtype.kind == "c", self.variables.get(name)
        problems = [] if known is None else unlike(name, rows, known.shape, known.dtype)
        if not problems and not is_complex and rows.dtype.kind not in "biuf":
            problems = [Problem(f"measures.{name}", f"returned {words_of(rows.dtype)}", "return numbers")]
        raise_problems(problems or inexact(name, rows), self.mechanism.title or "study")
        return rows.astype(np.complex128 if is_complex else np.float64, copy=False)


def done(
    job: Work, chunks: Iterable[tuple[int, Mapping[str, NDArray[Any]]]], workers: int
) -> Generator[tuple[int, Rows | None], None, None]:
    """Yield the numbers of chunks and their rows, as they come; `InputError` where a worker process ends.

    Of several workers each has a chunk, and one more waits: no others take memory, however slowly rows are taken. More
    processes than cores would only wait for each other; Windows waits for at most `MOST`. Closed before its end, as by
    Ctrl-C, it ends the workers, which write nothing themselves.
    """
    workers = min(workers, cores(), MOST if sys.platform == "win32" else workers)
    if workers == 1:
        for number, parameters in chunks:
            yield number, job.rows(parameters)
        return
    waiting: dict[Future[Rows], int] = {}
    try:
        with processes(workers) as submit:
            for number, parameters in chunks:
                waiting[submit(job.rows, parameters)] = number
                if len(waiting) > workers:
                    yield from _finished(waiting)
            while waiting:
                yield from _finished(waiting)
    except BrokenProcessPool:
        message = (
            'a worker process was ended, perhaps for lack of memory, or of `if __name__ == "__main__":` in the script'
        )
        raise InputError([Problem("workers", message, f"run it again, with fewer workers; {KEPT}")], "study") from None


def _finished(waiting: dict[Future[Rows], int]) -> Iterator[tuple[int, Rows]]:
    """Wait until a chunk is finished; yield the numbers and rows of those that are, and wait for them no more."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        yield waiting.pop(future), future.result()


@contextmanager
def processes(workers: int) -> Iterator[Callable[..., Future[Any]]]:
    """Return what gives functions to processes; whatever ends this early, as Ctrl-C does, ends them in their work."""
    pool, is_over = ProcessPoolExecutor(workers, get_context("spawn"), _begin), False

    def submit(function: Callable[..., Any], *args: Any) -> Future[Any]:
        with _unheard():
            return pool.submit(function, *args)

    try:
        yield submit
        is_over = True
    finally:
        if not is_over:  # a chunk may take minutes
            for process in [*(pool._processes or {}).values()]:
                process.terminate()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _unheard() -> Iterator[None]:
    """Let a process that is started here never hear of Ctrl-C: it would end with a traceback while it imports."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start would undo what follows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for the chunk ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    prepare_worker()


def _end_with_parent() -> None:
    """Wait for the end of the process that started this one, and end this one too.

    A parent that is killed ends no worker, and workers hold both ends of their queue: they would wait for ever.
    """
    if parent := parent_process():
        parent.join()
        os._exit(1)


def prepare_worker() -> None:
    """Let this process, a worker, compute on one core, and keep the memory of arrays that come and go."""
    os.environ["STRUCTKIN_THREADS"] = "1"  # the other cores belong to the other workers
    # The workers of Dask are told to give freed memory back at once, and then map each array anew: the pages take as
    # long as the work. These are the limits that glibc comes to if it is told nothing; others have no mallopt.
    with suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, 64 << 20)
