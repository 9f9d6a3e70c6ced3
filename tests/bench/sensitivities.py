"""What derivatives by dimensions cost, in plain solves of the same samples with velocities and accelerations.

    python tests/bench/sensitivities.py

The path of a six-bar by 20 numbers of its file, and one number by 200 numbers of a chain of 71 dyads, at 100 and at
10,000 samples; first with the plan's constants known, as a solve knows its structure, then for a new mechanism. Times
are the least of several runs, in processor time of one thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import combinations

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import structkin as sk
from structkin.examples import path
from structkin.solve.sensitivity import varied_plan


def chain(dyads: int) -> sk.Mechanism:
    """A crank and dyads, each on the pin of the one before and on one of the ground."""
    points, links = {"A": (0.0, 0.0), "B0": (1.0, 0.0)}, {"ground": ["A"], "crank": ["A", "B0"]}
    for k in range(dyads):
        x = 2.5 * (k + 1)
        points |= {f"G{k}": (x + 1.0, -1.0), f"B{k + 1}": (x, 0.3 + 0.1 * (k % 2))}
        links["ground"].append(f"G{k}")
        links |= {f"rod {k}": [f"B{k}", f"B{k + 1}"], f"rocker {k}": [f"G{k}", f"B{k + 1}"]}
    drivers = {"motor": {"joint": "A", "law": "0.02*sin(t)"}}
    return sk.Mechanism(f"{dyads} dyads", points=points, links=links, drivers=drivers, duration=6.28)


def names_of(m: sk.Mechanism, count: int) -> tuple[str, ...]:
    """Return lengths of moving links, at most three of each, then coordinates of points."""
    pairs = [pair for link in m.topology.moving_links for pair in combinations(m.links[link].points[:3], 2)]
    names = [f"lengths.{a}-{b}" for a, b in pairs] + [f"points.{point}.{x}" for point in m.places for x in "xy"]
    return tuple(names[:count])


def least(run: Callable[[], object], runs: int = 9) -> float:
    """Return the least processor time of a run [s]."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def compare(m: sk.Mechanism, point: str, count: int, samples: Sequence[int]) -> None:
    """Print the costs for a mechanism."""
    names = names_of(m, count)
    for n in samples:
        motion, weights = m.solve(n), np.ones((n, 2))
        solve = least(lambda n=n: m.solve(n).acceleration(point))
        line = f"{m.title}, {n} samples, {len(names)} numbers: a solve {1e3 * solve:.2f} ms"
        runs = {
            "path": lambda motion=motion: motion.sensitivity(point, to=names),
            "gradient": lambda motion=motion, weights=weights: motion.gradient({point: weights}, to=names),
        }
        for what, run in runs.items():

            def cold(run: Callable[[], object] = run) -> None:
                varied_plan._known.clear()
                run()

            line += f"; {what} {least(run) / solve:.1f}, new {least(cold, 3) / solve:.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    compare(sk.load(path("watt_six_bar")), "F", 20, (100, 10_000))
    compare(sk.load(path("stephenson_iii_triad")), "M", 20, (100, 10_000))
    compare(chain(71), "B71", 200, (100, 10_000))
