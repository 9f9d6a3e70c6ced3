"""What variants of a six-bar cost: solved together, kept in part, and measured in a study, against one mechanism."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.examples import path
from structkin.model import Mechanism
from structkin.solve.study import study

#: Samples of each variant, those of the single mechanism, and rounds of which the fastest counts.
SAMPLES, ALONE, ROUNDS = 73, 100_000, 3
#: How much the lengths of the six-bar differ, and what a study measures of it.
SPREAD = 0.05
LENGTHS = ("A-B", "B-C", "C-D", "D-E", "C-E", "E-F", "F-G")
MEASURES = ("range.angle.output", "peak.omega.output", "max.speed.F", "min.transmission.C", "min.y.F")


@dataclass(frozen=True)
class VariantsCost:
    """A way to solve variants: processor time of the fastest round, with that of its workers, and elapsed time."""

    way: str
    variants: int
    poses: int
    groups: int
    cpu: float
    elapsed: float

    @property
    def nanoseconds(self) -> float:
        """The processor time for a group and a pose [ns]."""
        return 1e9 * self.cpu / (self.groups * self.poses)


def six_bar() -> tuple[Mechanism, dict[str, tuple[float, float]]]:
    """Return the six-bar, and bounds of its lengths [m]."""
    m = Mechanism.load(path("watt_six_bar"))
    own = {pair: abs(link.local[b] - link.local[a]) for pair in LENGTHS for a, b in [pair.split("-")]
           for link in m.links.values() if {a, b} <= set(link.points)}  # fmt: skip
    return m, {f"lengths.{pair}": ((1 - SPREAD) * size, (1 + SPREAD) * size) for pair, size in own.items()}


def measure(variants: int, workers: int) -> list[VariantsCost]:
    """Return what each way costs; the study is run once, by one process or by so many workers."""
    m, bounds = six_bar()
    random, groups = np.random.default_rng(0), len(m.structure().groups)
    values = {key: random.uniform(low, high, variants) for key, (low, high) in bounds.items()}
    few = {key: own[:100] for key, own in values.items()}

    def study_of(count: int, processes: int) -> Any:
        return study(m, bounds, plan="random", variants=count, samples=SAMPLES, measures=MEASURES, workers=processes)

    ways: list[tuple[str, int, int, int, Callable[[], Any]]] = [
        ("one mechanism", 1, ALONE, ROUNDS, lambda: m.solve(ALONE)),
        ("all kept", variants, variants * SAMPLES, ROUNDS, lambda: m.solve_many(SAMPLES, parameters=values)),
        ("a point kept", variants, variants * SAMPLES, ROUNDS,
         lambda: m.solve_many(SAMPLES, parameters=values, keep=["F"])),
        ("a study of five measures", variants, variants * SAMPLES, 1, lambda: study_of(variants, 1)),
    ]  # fmt: skip
    if workers > 1:
        title = f"a study, {workers} workers"
        ways.append((title, variants, variants * SAMPLES, 1, lambda: study_of(variants, workers)))
    m.solve_many(SAMPLES, parameters=few)
    study_of(100, 1)
    found = []
    for way, count, poses, rounds, run in ways:
        times = []
        for _ in range(rounds):
            began, start = time.perf_counter(), _processor()
            run()
            times.append((_processor() - start, time.perf_counter() - began))
        found.append(VariantsCost(way, count, poses, groups, *min(times)))
    return found


def _processor() -> float:
    """Return the processor time [s] of this process and of those that it started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])
