"""Measuring the methods on the scalable four-bar: times of the processor, and the floor under them."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.bench.mechanism import SPEEDS
from structkin.bench.methods import Method
from structkin.model import Mechanism

Floats = NDArray[np.float64]

#: Samples of a turn of the crank, and turns at full length: those of Saura et al., sec. 4.
SAMPLES, TURNS = 360, 500
#: Dyads times samples of one run, so that its results fit into memory; longer motions are run piece by piece.
PIECE = 1_000_000
#: Runs of which the shortest counts; a piece of a long motion counts as one.
RUNS = 5
#: A run longer than this [s] is not repeated.
LONG = 0.5


@dataclass(frozen=True)
class Measured:
    """One method on one mechanism.

    `seconds` is what the whole motion took, the processor's time; `best` what it takes at the pace of the fastest
    piece, and `floor` copying position, velocity and acceleration of all pins at its fastest pace. `checksum` is the
    mean of place, velocity and acceleration of the last pin.
    """

    family: str
    method: str
    engine: str
    dyads: int
    constraints: int
    drivers: int
    samples: int
    seconds: float
    best: float
    floor: float
    checksum: float

    @property
    def ratio(self) -> float:
        """Time over the floor."""
        return self.best / self.floor

    @property
    def nanoseconds(self) -> float:
        """Time a dyad and sample [ns]."""
        return 1e9 * self.best / (self.dyads * self.samples)


def measure(
    method: Method, mechanism: Mechanism, engine: str, samples: int, *, family: str = "", threads: int = 1
) -> Measured:
    """Run a method over a motion of so many samples, a degree of the crank apart.

    A negative number of threads is timed by the wall, which is what compares them.
    """
    dyads, f = sum(name.startswith("rocker") for name in mechanism.links), len(mechanism.drives)
    size = max(1, min(samples, PIECE // dyads))
    clock = time.process_time if threads == 1 else time.perf_counter
    with only(abs(threads)):
        run = method.prepare(mechanism, size, engine)
        run(values(f, 0, size))
        last: list[float] = []
        spent, checksum, done = 0.0, 0.0, 0
        while done < samples or (len(last) < RUNS and last[-1] < LONG):
            # The last piece is as long as the others, and part of it is not counted.
            z = values(f, done, size)
            began = clock()
            found = run(z)
            last.append(clock() - began)
            if done < samples:
                part = min(size, samples - done)
                spent += last[-1] * part / size
                checksum += float(found[..., :part].sum())
            done += size
    return Measured(
        family,
        method.name,
        engine,
        dyads,
        2 * dyads + 2,
        f,
        samples,
        spent,
        min(last) * samples / size,
        floor(dyads, size) * samples / size,
        checksum / (6 * samples),
    )


def values(f: int, start: int, count: int) -> Floats:
    """Return angle, rate and second rate (3, f, count) of the drivers from one sample on."""
    t = math.radians(360 / SAMPLES) / SPEEDS[0] * np.arange(start, start + count)
    speed = np.array([SPEEDS[i % len(SPEEDS)] for i in range(f)])[:, None]
    return np.stack((speed * t, speed + 0 * t, 0 * speed * t))


def floor(dyads: int, samples: int) -> float:
    """Return the seconds of copying what method II finds: place, velocity and acceleration of each pin."""
    source = np.ones((3, 2 * dyads, samples))
    target = np.empty_like(source)
    return fastest(lambda: np.copyto(target, source))


def fastest(work: Callable[[], object], runs: int = RUNS + 2) -> float:
    """Return the shortest of several runs [s]; the first one does not count."""
    work()
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


@contextmanager
def only(threads: int) -> Iterator[None]:
    """Let the engine use so many threads."""
    before = os.environ.get("STRUCTKIN_THREADS")
    os.environ["STRUCTKIN_THREADS"] = str(threads)
    try:
        yield
    finally:
        del os.environ["STRUCTKIN_THREADS"]
        if before is not None:
            os.environ["STRUCTKIN_THREADS"] = before


def exponent(sizes: list[float], times: list[float]) -> float:
    """Return p of time ~ size^p by least squares.

    >>> exponent([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]).__round__(9)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def crossing(sizes: list[float], one: list[float], other: list[float]) -> float | None:
    """Return the size at which the first of two methods becomes the faster one for good, None where it never does.

    >>> crossing([1.0, 10.0, 100.0], [3.0, 3.0, 3.0], [1.0, 2.0, 20.0]).__round__(2)
    15.0
    """
    lead = np.log(np.array(other) / np.array(one))
    behind = np.flatnonzero(lead <= 0)
    if not len(behind) or behind[-1] + 1 == len(lead):
        return None
    k = int(behind[-1])
    part = -lead[k] / (lead[k + 1] - lead[k])
    return float(np.exp(np.log(sizes[k]) + part * (np.log(sizes[k + 1]) - np.log(sizes[k]))))
