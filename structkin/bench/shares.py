"""How the time of the methods is spent: the counterpart of Figs. 5 and 6 of Saura et al."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from structkin.bench.clock import Stopwatch
from structkin.bench.global_runs import GlobalRun
from structkin.bench.measure import FEW, LONG, PIECE, RUNS, SAMPLES, values
from structkin.model import Mechanism
from structkin.solve import compile_plan
from structkin.solve.engine import BLOCK, Lanes, drive_all, step_inputs

#: The operations. The closed form of a position takes the place of Phi; it has no Jacobian to build.
OPERATIONS = ("Jacobian", "position, or Phi", "right-hand sides", "linear solves", "K and L", "other")
JACOBIAN, PLACE, RIGHT, LINEAR, COEFFICIENTS, OTHER = OPERATIONS
#: Methods whose time is broken down.
METHODS = ("III", "I", "IV", "IV-b")
TITLES = {
    "III": "II and III topological, group functions on NumPy",
    "I": "I global",
    "IV": "IV global sparse",
    "IV-b": "IV-b global, group order",
}
_NAMES = {"I": "global", "IV": "global-sparse", "IV-b": "global-triangular"}
#: Turns of the crank that a global method solves at most.
TURNS = 10


def shares(
    mechanism: Mechanism, method: str, engine: str = "python", runs: int = RUNS, turns: int = TURNS
) -> Mapping[str, float]:
    """Return the fraction of the time that each operation takes in one of `METHODS`.

    Global methods solve at most this many `turns` of the crank; a long run is not repeated.
    """
    once = _groups(mechanism) if method == "III" else _globally(mechanism, _NAMES[method], engine, turns)
    passes = [once()]
    while len(passes) < runs and sum(passes[-1].values()) < LONG:
        passes.append(once())
    spent = {operation: min(one[operation] for one in passes) for operation in OPERATIONS}
    total = sum(spent.values())
    return {operation: spent[operation] / total for operation in OPERATIONS}


def _globally(mechanism: Mechanism, method: str, engine: str, turns: int) -> Callable[[], dict[str, float]]:
    dyads = sum(name.startswith("rocker") for name in mechanism.links)
    size = SAMPLES * max(1, min(turns, PIECE // 4 // (dyads * SAMPLES)))
    z = values(len(mechanism.drivers), 0, size)
    GlobalRun(mechanism, method, engine, size)(z[:, :, :FEW])  # kernels are read or compiled

    def once() -> dict[str, float]:
        run, watch = GlobalRun(mechanism, method, engine, size), Stopwatch()
        coordinates: Any = run.solver.coordinates
        for name in ("evaluate", "jacobian"):
            watch.watch(coordinates, name, PLACE)
        watch.watch(coordinates._equations, "jacobian", JACOBIAN)
        for name in ("nu", "gamma"):
            watch.watch(coordinates, name, RIGHT)
        linears: Any = run.solver.linear_solvers
        for linear in linears:
            make = linear.factor

            def factor(entries: Any, make: Any = make) -> Any:
                factors = watch(LINEAR, make, entries)
                watch.watch(factors, "solve", LINEAR)
                return factors

            linear.factor = factor
            watch.watch(linear, "step", LINEAR)
        watch(OTHER, run, z)
        return watch.spent

    return once


def _groups(mechanism: Mechanism) -> Callable[[], dict[str, float]]:
    plan = compile_plan(mechanism)
    z = values(len(mechanism.drivers), 0, BLOCK)

    def once() -> dict[str, float]:
        watch = Stopwatch()
        watch(OTHER, _sweep, watch, plan, Lanes.empty(plan, BLOCK), mechanism, z)
        return watch.spent

    return once


def _sweep(watch: Stopwatch, plan: Any, lanes: Lanes, mechanism: Mechanism, z: Any) -> None:
    """Solve a block of lanes, position, rates, K and L, group after group."""
    zeros = (0.0,) * 4
    drive_all(plan, lanes, dict(zip(mechanism.drivers, np.swapaxes(z, 0, 1), strict=True)))
    for step in plan.steps:
        form = step.kind
        assert form.closed_form
        h, dh, ddh = (step_inputs(plan, lanes, step, order) for order in range(3))
        discriminant = watch(PLACE, form.discriminant, h)
        root = None if discriminant is None else step.mode * np.sqrt(discriminant)
        phi = watch(PLACE, form.position, h, root)
        rates = watch(LINEAR, form.linear, h, phi, dh, zeros)
        g = watch(RIGHT, form.convective, h, phi, dh, rates, dh, rates)
        second = watch(LINEAR, form.linear, h, phi, ddh, g)
        # At unit speed the chain of K and L is that of the rates once more.
        watch(COEFFICIENTS, form.linear, h, phi, dh, zeros)
        watch(COEFFICIENTS, form.convective, h, phi, dh, rates, dh, rates)
        watch(COEFFICIENTS, form.linear, h, phi, ddh, g)
        for order, found in enumerate((phi, rates, second)):
            for slot, value in zip(step.outputs, found, strict=True):
                lanes.x[order, plan.rows(slot)] = value
