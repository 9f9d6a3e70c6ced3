"""Measuring forward dynamics: time against error, and the cost of a step against size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from structkin.bench.clock import fastest
from structkin.bench.dynamics.cases import chain, four_bar, four_bars, windows
from structkin.bench.dynamics.peers import PEERS, installed
from structkin.compiled import has_numba
from structkin.dynamics.call import UNCOMPILED
from structkin.model import Mechanism
from structkin.numerical_tolerances import INSTANT, TIGHTEST

#: Simulated time [s], output times, and the number of runs, of which the shortest counts.
END, SAMPLES, RUNS = 10.0, 101, 3
#: A run longer than this [s] is not repeated.
LONG = 2.0
#: Formulations whose pace is measured, and the steps that are taken for it.
STEPS = {"reduced": 200, "multipliers-sparse": 30}


@dataclass(frozen=True)
class Case:
    """A mechanism, the point whose error counts (a link and a point of it), and the settings of each method.

    `target` [m] is the error at which methods are compared.
    """

    name: str
    mechanism: Mechanism
    tip: tuple[str, str]
    target: float
    ours: Mapping[str, tuple[float, ...]]
    theirs: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class SimulationRun:
    """One run: error of the tip [m] over all output times, wall time [s], energy drift [J], evaluations.

    `setting` is the step [s] or the tolerance. Values that other programs do not report are NaN.
    """

    case: str
    program: str
    method: str
    setting: float
    seconds: float
    error: float
    drift: float
    evaluations: float


@dataclass(frozen=True)
class Pace:
    """Seconds of a step of the classical Runge-Kutta method (four evaluations) for a family at a size."""

    family: str
    formulation: str
    size: int
    mobility: int
    seconds: float


def cases(quick: bool) -> list[Case]:
    """Return the mechanisms of the comparison; with fewer and coarser settings if it is to be quick."""

    def part(*settings: float) -> tuple[float, ...]:
        return settings[:2] if quick else settings

    # The adaptive tolerances of the diagrams: three decades of cost.
    fixed, tight = part(4e-3, 2e-3, 1e-3, 5e-4), part(1e-7, 1e-9, 1e-11)
    count = 5 if quick else 40
    return [
        Case(
            "four-bar",
            four_bar(),
            ("crank", "B"),
            1e-6,  # [m]: a thousandth of a millimetre
            {"rk4": fixed, "abm4": fixed, "DOP853": tight},
            {"exudyn": part(1e-3, 2e-4, 5e-5, 2.5e-5), "mujoco": part(1e-3, 2e-4, 5e-5)},
        ),
        Case(
            f"windows N = {count}",
            windows(count),
            ("crank0", "B0"),
            5e-5,
            {"rk4": part(4e-2, 2e-2, 1e-2, 5e-3), "DOP853": tight},
            {"exudyn": (1e-3, 5e-4), "mujoco": part(2e-3, 1e-3, 5e-4, 2e-4)},
        ),
    ]


def compare(case: Case, engine: str) -> Iterator[SimulationRun]:
    """Measure all methods and settings of a case, and other programs if they are installed."""
    times = np.linspace(0.0, END, SAMPLES)
    reference = case.mechanism.simulate(times, rtol=TIGHTEST, atol=TIGHTEST, engine=engine)
    exact = reference.position(case.tip[1])
    for method, settings in case.ours.items():
        for setting in settings:
            options: dict[str, Any] = {"integrator": method, "engine": engine}
            options |= {"rtol": setting, "atol": 0.1 * setting} if method == "DOP853" else {"step": setting}
            work = partial(case.mechanism.simulate, times, **options)
            work()  # compiles, or reads what was compiled
            r, seconds = fastest(work, RUNS, time.perf_counter, long=LONG)
            error = np.inf if r.stopped else float(np.max(np.abs(r.position(case.tip[1]) - exact)))
            drift = float(np.max(np.abs(r.energy - r.energy[0])))
            evaluations = float(r.integration.evaluations)
            yield SimulationRun(case.name, f"structkin ({engine})", method, setting, seconds, error, drift, evaluations)
    first = case.mechanism.simulate([0.0, INSTANT], engine="python")
    for program, settings in case.theirs.items():
        method, run = PEERS[program]
        for setting in settings if installed(program) else ():
            found = min((run(first, case.tip, times, setting) for _ in range(2)), key=lambda one: one.seconds)
            error = float(np.max(np.abs(found.tip - exact)))
            yield SimulationRun(case.name, program, method, setting, found.seconds, error, np.nan, np.nan)


def at_target(found: Sequence[SimulationRun], target: float) -> dict[str, SimulationRun]:
    """Return the fastest run of each program that meets a target."""
    best: dict[str, SimulationRun] = {}
    for one in found:
        if one.error <= target and (one.program not in best or one.seconds < best[one.program].seconds):
            best[one.program] = one
    return best


def paces(sizes: Mapping[str, Sequence[int]], engine: str) -> Iterator[Pace]:
    """Measure the cost of a step of growing mechanisms."""
    families: Mapping[str, Callable[[int], Mechanism]] = {"dyads": four_bars, "windows": windows, "chain": chain}
    for formulation, steps in STEPS.items():
        for family, counts in sizes.items():
            for count in counts:
                mechanism = families[family](count)
                seconds = _pace(mechanism, formulation, steps, engine)
                yield Pace(family, formulation, count, len(mechanism.drivers), seconds)


def _pace(mechanism: Mechanism, formulation: str, many: int, engine: str) -> float:
    """Return the processor time [s] per step, from the difference between the best long run and the best short run."""
    taken, step = [], 1e-5
    for steps in (1, many):
        by = "python" if formulation in UNCOMPILED else engine
        options: dict[str, Any] = {"integrator": "rk4", "step": step, "formulation": formulation, "engine": by}
        work = partial(mechanism.simulate, [0.0, steps * step], **options)
        work()
        taken.append(fastest(work, RUNS, long=LONG)[1])
    return max(taken[1] - taken[0], INSTANT) / (many - 1)


def engine_here() -> str:
    """Return the engine to measure with."""
    return "compiled" if has_numba() else "python"
