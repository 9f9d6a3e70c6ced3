"""The chunks of a study on a Dask cluster: one task for each chunk."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.solve.study.work import KEPT, Rows, Work, prepare_worker
from structkin.version import __version__

#: Chunks that are given out at least, and for each thread of the workers: a worker never waits for the next one.
AHEAD, PER_THREAD = 16, 3
#: How long an answer of the cluster is waited for [s].
PATIENCE = 10.0
#: A cluster of this process gives up a worker that ended and is not back within this time, and starts no other. Dask's
#: 15 s are less than a start may take on a busy machine; without workers a study would wait for ever.
GIVEN_UP, RESTART = "distributed.deploy.lost-worker-timeout", "1 hour"


def connected(address: str) -> Any:
    """Return a client of the scheduler at an address; `InputError` where it does not answer."""
    raise_problems(missing("--scheduler"), "study")
    from distributed import Client
    from distributed.comm import connect
    from distributed.security import Security

    async def call() -> None:
        (await connect(address, PATIENCE, **Security().get_connection_args("client"))).abort()

    message = f"no scheduler of Dask answers at '{address}' within {PATIENCE:g} s"
    try:
        # Before there is a client: one that cannot connect waits again when it is deleted, and prints a traceback.
        asyncio.run(call())
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (ImportError, RuntimeError, TypeError, ValueError):  # of an unknown form, or without what its form needs
        message = f"Dask cannot connect to '{address}'"
    except (OSError, TimeoutError):
        pass
    raise InputError([Problem("--scheduler", message, "such as tcp://host:8786")], "study")


def missing(what: str) -> list[Problem]:
    """Return a problem if Dask is not installed."""
    from importlib.util import find_spec

    hint = 'pip install "structkin[dask]"'
    return [] if find_spec("distributed") else [Problem(what, "needs dask[distributed], which is not installed", hint)]


def faults_of(client: Any) -> list[Problem]:
    """Return what is wrong with a client, and with each worker of its cluster."""
    if problems := missing("client"):
        return problems
    from distributed import Client

    if not isinstance(client, Client) or client.asynchronous:
        return [Problem("client", "is not a client of Dask that waits for its results", "client=Client(address)")]
    if client.status != "running":
        return [Problem("client", "is not connected to its scheduler", "connect it again: Client(address)")]

    def installed() -> str:  # it travels as a whole: a worker need not have this module
        from structkin.version import __version__ as found

        return found

    found = client.run(installed, on_error="return").items()
    return [_differs(address, own, __version__) for address, own in found if own != __version__]


def done_by(
    client: Any, job: Work, chunks: Iterable[tuple[int, Mapping[str, NDArray[Any]]]]
) -> Generator[tuple[int, Rows | None], None, None]:
    """Yield the numbers of chunks and their rows as they come; None for a chunk that ended all workers it was given to.

    Dask gives a chunk whose worker ends to another one, by default three times more. Raises `InputError` where the
    scheduler is lost, or a worker has another structkin, and what a measure raises.
    """
    from dask import config
    from distributed import as_completed
    from distributed.client import CancelledError
    from distributed.comm import CommClosedError
    from distributed.protocol.pickle import dumps
    from distributed.scheduler import KilledWorker

    # Once for all tasks, with functions of the user's script by value, which workers do not have.
    packed, waiting = dumps(job), iter(chunks)
    given, suspect = dict[Any, tuple[int, Mapping[str, NDArray[Any]]]](), list[tuple[int, Mapping[str, NDArray[Any]]]]()
    running, most = as_completed(loop=client.loop), 0

    def give(chunks: Sequence[tuple[int, Mapping[str, NDArray[Any]]]]) -> None:
        parameters = [of_chunk for _, of_chunk in chunks]
        futures = client.map(_rows, parameters, packed=packed, version=__version__, pure=False)
        given.update(zip((future.key for future in futures), chunks, strict=True))
        running.update(futures)

    def give_out() -> None:
        nonlocal most
        if len(given) <= most // 2:  # several at once: Dask takes as long to be told of many as of one
            most = max(AHEAD, PER_THREAD * sum(client.nthreads().values()))
            give(list(islice(waiting, most - len(given))))

    future, given_up = None, config.get(GIVEN_UP, RESTART)
    try:
        config.set({GIVEN_UP: RESTART})
        give_out()
        while given:
            future = next(running)
            chunk = given.pop(future.key)
            try:
                yield chunk[0], future.result()
            except KilledWorker:
                suspect.append(chunk)
            give_out()
        # Chunks may only have been on the worker that another one ended: each once more, alone.
        for chunk in suspect:
            give([chunk])
            future = next(running)
            try:
                yield chunk[0], future.result()
            except KilledWorker:
                yield chunk[0], None
    except (CancelledError, CommClosedError, TimeoutError, OSError):
        if future is not None and future.status == "error":
            raise  # of a measure
        hint = f"connect again, and run it again; {KEPT}"
        raise InputError([Problem("client", "the scheduler was lost", hint)], "study") from None
    finally:
        config.set({GIVEN_UP: given_up})
        if client.status == "running":
            client.cancel(list(running.futures))


def _rows(parameters: Mapping[str, NDArray[Any]], packed: bytes, version: str) -> Rows:
    """Return the rows of a chunk, on a worker."""
    if version != __version__:  # a worker that came later
        from distributed import get_worker

        raise InputError([_differs(get_worker().address, __version__, version)], "study")
    prepare_worker()
    return _job(packed).rows(parameters)


@lru_cache(maxsize=1)
def _job(packed: bytes) -> Work:
    from distributed.protocol.pickle import loads

    job: Work = loads(packed)
    return job


def _differs(address: str, found: Any, wanted: str) -> Problem:
    message = f"the worker at {address} has {f'structkin {found}' if isinstance(found, str) else 'no structkin'}"
    return Problem("client", message, f"install structkin {wanted} there")
