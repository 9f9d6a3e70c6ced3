"""All formulations of the equations of motion on one mechanism: a four-bar that moves freely under gravity."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from structkin.bench.dynamics.cases import four_bar
from structkin.bench.dynamics.measured_runs import engine_here
from structkin.dynamics.formulations_compared import compare_formulations
from structkin.model import Mechanism
from structkin.numerical_tolerances import REFERENCE, RTOL, TIGHTEST
from structkin.types import Floats

#: Time simulated [s], and its samples.
DURATION, SAMPLES = 10.0, 1001
#: Step of the small steps [s].
STEP = 1e-5
#: Part of the work that is the planar formulations.
PLANAR = 0.8


@dataclass(frozen=True)
class Formulation:
    """One formulation and what it cost.

    `unknowns` are those of the equations solved for accelerations: coordinates, and multipliers; `evaluations` of these
    equations, `microseconds` of processor time for each. `error` is the largest distance from the reference over the
    whole time, of two points of each link, or of the joint C for the spatial formulations; `opening` the largest
    opening of a joint, and `drift` the same where nothing stabilises the closure (solved with a dense matrix): all in
    parts of the mechanism's size; `drift` is None where there is no such run.
    """

    name: str
    coordinates: int
    multipliers: int
    evaluations: int
    microseconds: float
    error: float
    opening: float
    drift: float | None

    @property
    def unknowns(self) -> int:
        """Accelerations and multipliers."""
        return self.coordinates + self.multipliers


@dataclass(frozen=True)
class _Case:
    """The mechanism, the times, and where its joint C is at them."""

    mechanism: Mechanism
    t: Floats
    reference: Floats
    size: float

    @classmethod
    def over(cls, t: Floats) -> _Case:
        """Return the four-bar at these times, with a reference of the smallest tolerance."""
        mechanism = four_bar()
        return cls(mechanism, t, mechanism.simulate(t, rtol=REFERENCE, atol=TIGHTEST).position("C"), mechanism.size)

    def error(self, place: Floats) -> float:
        """Return the largest distance of C from the reference, in parts of the size."""
        return float(np.abs(place - self.reference).max()) / self.size


def duration(quick: bool) -> float:
    """Return the time simulated [s]."""
    return DURATION / 10 if quick else DURATION


def formulations(*, quick: bool = False, report: Callable[[float], None] = lambda part: None) -> list[Formulation]:
    """Return all formulations, measured; with `quick` over a tenth of the time."""
    t = np.linspace(0.0, duration(quick), (SAMPLES - 1) // (10 if quick else 1) + 1)
    case = _Case.over(t)
    found = _planar(case, report)
    makers: list[Callable[[], Formulation]] = [partial(_tree, case, loops) for loops in ("explicit", "multipliers")]
    makers.append(partial(_small, case))
    for k, make in enumerate(makers):
        report(PLANAR + (1 - PLANAR) * k / len(makers))
        found.append(make())
    return found


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and its processor time [s], compilation excluded."""
    run()
    began = time.process_time()
    result = run()
    return result, time.process_time() - began


def _planar(case: _Case, report: Callable[[float], None] = lambda part: None) -> list[Formulation]:
    """Return the formulations that `Mechanism.compare` simulates; their drift is that of the dense matrix."""
    measured = partial(
        compare_formulations, case.mechanism, case.t, None, rtol=RTOL, patience=None, engine=engine_here()
    )
    found = measured(progress=lambda part: report(PLANAR * part))
    free = measured(methods=["multipliers"], stabilisations=["none"]).runs
    drift = {run.coordinates: run.violation for run in free[1:]}
    return [
        Formulation(
            name=", ".join(part for part in (run.formulation, run.coordinates) if part),
            coordinates=run.n, multipliers=run.m, evaluations=run.evaluations,
            microseconds=1e6 * run.seconds / run.evaluations, error=run.position or 0.0, opening=run.violation,
            drift=drift.get(run.coordinates),
        )
        for run in found.runs
    ]  # fmt: skip


def _tree(case: _Case, loops: Any) -> Formulation:
    model, t = case.mechanism.to_spatial(), case.t
    run, seconds = _timed(lambda: model.simulate(float(t[-1]), len(t), RTOL, loops=loops))
    f = run.q.shape[1]
    explicit = loops == "explicit"
    name = f"minimal coordinates (S4), loop {'explicit' if explicit else 'by multipliers'}"
    error = case.error(run.position("coupler.C")[:, :2])
    opening = float(run.closure.max()) / case.size
    rows = 0 if explicit else 2
    us = 1e6 * seconds / run.evaluations
    return Formulation(name, 1 if explicit else f, rows, run.evaluations, us, error, opening, None)


def _small(case: _Case) -> Formulation:
    model, t = case.mechanism.to_spatial(), case.t
    count = round(float(t[-1]) / STEP)
    every = count // (len(t) - 1)
    run, seconds = _timed(lambda: model.small_steps(float(t[-1]), STEP, record=every, budget=None))
    error = case.error(run.position("coupler.C")[:, :2])
    opening = float(run.closure.max()) / case.size
    unknowns = 6 * len(model.bodies)
    return Formulation("small steps (S3)", unknowns, 0, count, 1e6 * seconds / count, error, opening, opening)


def table_lines(found: Sequence[Formulation]) -> list[tuple[str, ...]]:
    """Return the rows of a table, heads first."""
    heads = ("formulation", "unknowns", "evaluations", "us each", "seconds", "error", "opening", "drift")
    rows = [
        (one.name, f"{one.coordinates} + {one.multipliers}", f"{one.evaluations}", f"{one.microseconds:.3g}",
         f"{one.microseconds * one.evaluations / 1e6:.2g}", f"{one.error:.1e}", f"{one.opening:.1e}",
         "" if one.drift is None else f"{one.drift:.1e}")
        for one in found
    ]  # fmt: skip
    return [heads, *rows]
