"""Measuring the methods on the scalable four-bar: processor times, and a lower bound for them."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from structkin.bench.clock import fastest, only
from structkin.bench.compared_methods import Method
from structkin.bench.global_runs import GlobalRun
from structkin.bench.mechanism import SPEEDS
from structkin.model import Mechanism
from structkin.types import Floats

#: Samples of a turn of the crank, and turns at full length: those of Saura et al., sec. 4.
SAMPLES, TURNS = 360, 500
#: Dyads times samples of one run, so that its results fit into memory; longer motions are run piece by piece.
PIECE = 1_000_000
#: The fewest samples of a piece, so that blocks of lanes are full.
WHOLE = 6 * SAMPLES
#: Methods that track the first turn of each piece; as a motion of 500 turns has only one such turn, their pieces are
#: long.
GLOBAL, LONG_PIECE = ("I", "IV", "IV-b"), 10 * SAMPLES
#: Enough samples to have the kernels compiled.
FEW = 2
#: Runs of which the shortest counts; a piece of a long motion counts as one.
RUNS = 5
#: A run longer than this [s] is not repeated.
LONG = 0.5


@dataclass(frozen=True)
class Timing:
    """One method on one mechanism.

    Of the `samples` of the motion, `solved` were solved in `seconds` of processor time. `best` is the time of the whole
    motion at the pace of the fastest piece, and `floor` that of copying position, velocity and acceleration of all pins
    at the fastest pace. `bare` is the time of the bare calls of a global method (`global_runs.py`), else NaN, with
    Newton's `iterations` per sample, mean and `most`. `checksum` is the mean of place, velocity and acceleration of the
    last pin.
    """

    family: str
    method: str
    engine: str
    dyads: int
    constraints: int
    drivers: int
    threads: int
    samples: int
    solved: int
    seconds: float
    best: float
    floor: float
    bare: float
    iterations: float
    most: int
    checksum: float

    @property
    def extrapolated(self) -> bool:
        """Whether part of the motion was left out."""
        return self.solved < self.samples

    @property
    def ratio(self) -> float:
        """Time relative to the floor."""
        return self.best / self.floor

    @property
    def over_bare(self) -> float:
        """Time relative to that of the bare calls."""
        return self.best / self.bare

    @property
    def nanoseconds(self) -> float:
        """Time per dyad and sample [ns]."""
        return 1e9 * self.best / (self.dyads * self.samples)

    def row(self, part: str) -> dict[str, Any]:
        """Return a table row for a part of the comparison."""
        more = {
            "extrapolated": self.extrapolated,
            "ratio": self.ratio,
            "over_bare": self.over_bare,
            "nanoseconds": self.nanoseconds,
        }
        return {"part": part, **asdict(self), **more}


def measure(
    method: Method,
    mechanism: Mechanism,
    engine: str,
    samples: int,
    *,
    family: str = "",
    threads: int = 1,
    by_wall: bool = False,
    patience: float = math.inf,
    runs: int = RUNS,
) -> Timing:
    """Run a method over a motion of this many samples, one degree of the crank apart, in pieces of whole turns.

    The fastest of at least `runs` runs counts, unless they are long. When the pieces have taken longer than
    `patience` [s], the rest is left out. `by_wall` measures wall time, to compare numbers of threads.
    """
    dyads, f = sum(name.startswith("rocker") for name in mechanism.links), len(mechanism.drivers)
    size = _piece(dyads, samples, LONG_PIECE if method.name in GLOBAL else WHOLE)
    clock = time.perf_counter if by_wall else time.process_time
    with only(threads):
        run = method.prepare(mechanism, size, engine)
        # Kernels are read or compiled; of a global method a few samples are enough for that.
        run(values(f, 0, min(size, FEW) if isinstance(run, GlobalRun) else size))
        last: list[float] = []
        spent, checksum, done, solved = 0.0, 0.0, 0, 0
        while (done < samples and spent < patience) or (len(last) < runs and last[-1] < LONG):
            # The last piece is as long as the others, and part of it is not counted.
            z = values(f, done, size)
            began = clock()
            found = run(z)
            last.append(clock() - began)
            if done < samples and spent < patience:
                part = min(size, samples - done)
                spent += last[-1] * part / size
                checksum += float(found[..., :part].sum())
                solved += part
            done += size
        pace = samples / size
        bare, iterations, most = math.nan, math.nan, 0
        if isinstance(run, GlobalRun):
            bare = min(run.bare(z) for _ in range(runs if last[-1] < LONG else 1)) * pace
            iterations, most = float(run.iterations.mean()), int(run.iterations.max())
    return Timing(
        family, method.name, engine, dyads, 2 * dyads + 2, f, threads, samples, solved, spent, min(last) * pace,
        floor(dyads) * dyads * samples, bare, iterations, most, checksum / (6 * solved),
    )  # fmt: skip


def _piece(dyads: int, samples: int, least: int) -> int:
    """Return the number of samples of a piece, `least` or more: all, or whole turns if the results of one fit."""
    size = max(least, PIECE // dyads)
    if samples <= size:
        return samples
    return size - size % SAMPLES if size > SAMPLES else size


def values(f: int, start: int, count: int) -> Floats:
    """Return angle, rate and second rate (3, f, count) of the drivers from one sample on."""
    t = math.radians(360 / SAMPLES) / SPEEDS[0] * np.arange(start, start + count)
    speed = np.array([SPEEDS[i % len(SPEEDS)] for i in range(f)])[:, None]
    return np.stack((speed * t, speed + 0 * t, 0 * speed * t))


@cache
def floor(dyads: int) -> float:
    """Return the time [s] per dyad and sample to copy the results of method II: place and rates of each pin.

    It is measured on as many samples as make results too large for the caches.
    """
    samples = max(1, PIECE // dyads)
    source = np.ones((3, 2 * dyads, samples))
    target = np.empty_like(source)
    np.copyto(target, source)
    return fastest(lambda: np.copyto(target, source), RUNS + 2)[1] / (dyads * samples)


def exponent(sizes: list[float], times: list[float]) -> float:
    """Return p of time ~ size^p by least squares.

    >>> exponent([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]).__round__(9)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def crossing(sizes: list[float], one: list[float], other: list[float]) -> float | None:
    """Return the size at which the first of two methods becomes faster for good, None if there is no such size.

    There is none either where the measurements are too uneven to tell: where the lead changes more than once, or a
    larger mechanism beside the crossing took less time than a smaller one.

    >>> crossing([1.0, 10.0, 100.0], [3.0, 4.0, 5.0], [1.0, 2.0, 20.0]).__round__(2)
    21.54
    >>> crossing([1.0, 10.0, 100.0, 1000.0], [3.0, 4.0, 5.0, 6.0], [1.0, 5.0, 4.0, 20.0]) is None
    True
    """
    lead = np.log(np.array(other) / np.array(one))
    behind = np.flatnonzero(lead <= 0)
    if not len(behind) or behind[-1] + 1 == len(lead) or len(behind) <= behind[-1]:
        return None
    k = int(behind[-1])
    if one[k] >= one[k + 1] or other[k] >= other[k + 1]:
        return None
    part = -lead[k] / (lead[k + 1] - lead[k])
    return float(np.exp(np.log(sizes[k]) + part * (np.log(sizes[k + 1]) - np.log(sizes[k]))))
