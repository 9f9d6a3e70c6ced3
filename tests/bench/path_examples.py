"""Synthesis for a path beside pylinkage, on the path examples of its own documentation.

    python -m venv other && other/bin/python -m pip install pylinkage scipy
    python tests/bench/path_examples.py other/bin/python

Both look for four-bars with their usual settings, pylinkage also for those of any type, as structkin does. The error is
the largest distance of the points from the coupler curve of a four-bar, computed here from its pins alone, over all
crank angles at which its own branch closes; the order of the points does not count, though structkin keeps it. Times
are processor times of one process, without imports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import structkin as sk
from structkin.examples import path

#: From pylinkage 1.3.0: `path_generation`, and `synthesize`, `six_bar_path_generation`, `co_optimize`.
EXAMPLES = {
    "4 points": [(0.0, 1.0), (1.0, 2.0), (2.0, 1.5), (3.0, 0.0)],
    "5 points": [(0.0, 0.0), (1.0, 2.0), (2.0, 3.0), (3.0, 2.0), (4.0, 0.0)],
}
#: What the other interpreter does: the pins A, B, C, D and the tracer of every four-bar, and the time.
OTHER = """
import json, sys, time
from pylinkage.synthesis import path_generation
points = [tuple(point) for point in json.loads(sys.argv[1])]
began = time.process_time()
found = path_generation(points, require_grashof=sys.argv[2] == "Grashof").raw_solutions
took = time.process_time() - began
pins = [[list(map(float, pin)) for pin in (one.ground_pivot_a, one.crank_pivot_b, one.coupler_pivot_c,
         one.ground_pivot_d, one.coupler_point)] for one in found]
print(json.dumps({"pins": pins, "time": took}))
"""
#: Crank angles at first, and those that the nearest of them is divided into, again and again.
COARSE, FINE, TIMES = 20001, 201, 5


def tracers(pins: Any, theta: Any) -> Any:
    """Return where the tracer is after turns of the crank; NaN where the branch of the pins does not close."""
    A, B, C, D, P = (complex(*pin) for pin in pins)
    side = np.sign(((D - B).conjugate() * (C - B)).imag)
    b = A + (B - A) * np.exp(1j * theta)
    to, coupler, rocker = D - b, abs(C - B), abs(D - C)
    along = (np.abs(to) ** 2 + coupler**2 - rocker**2) / (2 * np.abs(to))
    with np.errstate(invalid="ignore"):
        c = b + to / np.abs(to) * (along + 1j * side * np.sqrt(coupler**2 - along**2))
    return b + (P - B) / (C - B) * (c - b)


def error(pins: Any, points: Sequence[tuple[float, float]]) -> float:
    """Return the largest distance of points from the curve."""
    worst = 0.0
    for point in points:
        middle, half = 0.0, np.pi
        for count in (COARSE, *[FINE] * TIMES):
            theta = middle + half * np.linspace(-1, 1, count)
            away = np.nan_to_num(np.abs(tracers(pins, theta) - complex(*point)), nan=np.inf)
            middle, half = theta[away.argmin()], 2 * half / (count - 1)
        worst = max(worst, float(away.min()))
    return worst


def own(points: Sequence[tuple[float, float]]) -> tuple[list[Any], float]:
    """Return the pins of structkin's four-bars, and the time."""
    began = time.process_time()
    found = sk.synthesise(path=points, kinds=["four-bar"])
    took = time.process_time() - began
    return [[one.mechanism.points[name] for name in "ABCDP"] for one in found], took


def other(python: str, points: Sequence[tuple[float, float]], which: str) -> tuple[list[Any], float]:
    """Return those of pylinkage."""
    run = subprocess.run([python, "-c", OTHER, json.dumps(points), which], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout.splitlines()[-1])
    return found["pins"], found["time"]


if __name__ == "__main__":
    sk.load(path("crank_rocker")).solve(samples=3)  # modules are loaded where they are needed first
    for name, points in EXAMPLES.items():
        runs = {"structkin": own(points)}
        runs |= {f"pylinkage, {which}": other(sys.argv[1], points, which) for which in ("Grashof", "any")}
        for tool, (pins, took) in runs.items():
            errors = sorted(error(one, points) for one in pins)
            best = f"best error {errors[0]:.2g}, worst {errors[-1]:.2g}" if errors else "none"
            print(f"{name}, {tool}: {len(pins)} four-bars, {best}, {took:.1f} s", flush=True)
