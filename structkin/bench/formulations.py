"""All formulations of the equations of motion on one mechanism: a four-bar that moves freely under gravity."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from structkin.bench.dynamics.cases import four_bar
from structkin.bench.dynamics.measure import engine_here
from structkin.model import Mechanism
from structkin.multibody.joint import Floats

#: Time simulated [s], its samples, and the tolerance of the adaptive integrator.
DURATION, SAMPLES, TOLERANCE = 10.0, 1001, 1e-9
#: Step of the small steps [s].
STEP = 1e-5
FAMILIES = ("natural", "reference-point", "fully-cartesian", "relative")


@dataclass(frozen=True)
class Formulation:
    """One formulation and what it cost.

    `unknowns` are those of the equations solved for accelerations: coordinates, and multipliers; `evaluations` of these
    equations, `microseconds` of processor time for each. `error` is the largest distance of the joint C from the
    reference over the whole time, `opening` the largest opening of a joint, and `drift` the same where nothing
    stabilises the closure: all in parts of the mechanism's size; None where there is no such run.
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
        return cls(mechanism, t, mechanism.simulate(t, rtol=1e-12, atol=1e-13).position("C"), mechanism.size)

    def error(self, place: Floats) -> float:
        """Return the largest distance of C from the reference, in parts of the size."""
        return float(np.abs(place - self.reference).max()) / self.size


def formulations(*, quick: bool = False, report: Callable[[float], None] = lambda part: None) -> list[Formulation]:
    """Return all formulations, measured; with `quick` over a tenth of the time."""
    duration = DURATION / 10 if quick else DURATION
    t = np.linspace(0.0, duration, (SAMPLES - 1) // (10 if quick else 1) + 1)
    case = _Case.over(t)
    makers: list[Callable[[], Formulation]] = [partial(_planar, case, None)]
    makers += [partial(_planar, case, family) for family in FAMILIES]
    makers += [partial(_tree, case, loops) for loops in ("explicit", "multipliers")]
    makers.append(partial(_small, case))
    found = []
    for k, make in enumerate(makers):
        report(k / len(makers))
        found.append(make())
    return found


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and its processor time [s], compilation excluded."""
    run()
    began = time.process_time()
    result = run()
    return result, time.process_time() - began


def _planar(case: _Case, family: str | None) -> Formulation:
    mechanism, t = case.mechanism, case.t
    if family is None:
        run, seconds = _timed(lambda: mechanism.simulate(t, rtol=TOLERANCE, engine=engine_here()))
        name, coordinates, multipliers, drift = "reduced, group by group", len(run.free), 0, None
    else:
        options: dict[str, Any] = {"formulation": "multipliers", "coordinates": family, "engine": engine_here()}
        run, seconds = _timed(lambda: mechanism.simulate(t, rtol=TOLERANCE, **options))
        free = mechanism.simulate(t, rtol=TOLERANCE, stabilisation="none", **options)
        name, drift = f"multipliers, {family}", float(np.nanmax(free.violation))
        coordinates, multipliers = run.q.shape[1], run.multipliers.shape[1]
    count = run.integration.evaluations
    error = case.error(run.position("C"))
    opening = float(np.nanmax(run.violation))
    return Formulation(name, coordinates, multipliers, count, 1e6 * seconds / count, error, opening, drift)


def _tree(case: _Case, loops: Any) -> Formulation:
    model, t = case.mechanism.to_spatial(), case.t
    run, seconds = _timed(lambda: model.simulate(float(t[-1]), len(t), TOLERANCE, loops=loops))
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
         f"{one.microseconds * one.evaluations * 1e-6:.2g}", f"{one.error:.1e}", f"{one.opening:.1e}",
         "" if one.drift is None else f"{one.drift:.1e}")
        for one in found
    ]  # fmt: skip
    return [heads, *rows]
