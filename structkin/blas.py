"""Linear algebra on one thread: for systems of some hundred equations the threads of BLAS cost more than they give.

Where other processes run, they wait for each other: a matrix of 144 rows was factorised in 77 ms instead of 0.2 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

#: Matrices of fewer rows are never divided among threads; from the second number on threads pay on an idle machine.
SMALL, LARGE = 64, 500

_lock, _inside = Lock(), list[Any]()


@cache
def _libraries() -> Any:
    import scipy.linalg.lapack  # noqa: F401 - SciPy brings a BLAS of its own, which is to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS use one thread within. That holds for the whole process, until the last of those within has left."""
    with _lock:
        limits = _libraries().limit(limits=1, user_api="blas") if not _inside else None
        _inside.append(limits)
    try:
        yield
    finally:
        with _lock:
            # The first limits know the number of threads before; whoever is last restores it.
            first = _inside[0]
            _inside.pop()
            if not _inside:
                first.restore_original_limits()


def one_thread_for(n: int) -> AbstractContextManager[None]:
    """Let BLAS use one thread within if matrices (n, n) are neither small nor large."""
    return one_thread() if SMALL <= n < LARGE else nullcontext()
