"""How the time of the methods is spent: the counterpart of Figs. 5 and 6 of Saura et al."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from structkin.bench.clock import Stopwatch, only
from structkin.bench.global_runs import GlobalRun
from structkin.bench.measure import FEW, LONG, PIECE, RUNS, SAMPLES, values
from structkin.model import Mechanism
from structkin.solve import compile_plan
from structkin.solve.engine import BLOCK, Lanes, drive_all, step_inputs

#: The operations. The closed form of a position takes the place of Phi and of the solve for q; it has no Jacobian to
#: build. Velocities and accelerations of a global method share a factorisation, which counts with the velocities.
OPERATIONS = (
    *("Jacobian", "Phi, or closed form", "right-hand sides"),
    *("solve for q", "solve for q'", "solve for q''", "K and L", "other"),
)
JACOBIAN, PLACE, RIGHT, POSES, VELOCITIES, ACCELERATIONS, COEFFICIENTS, OTHER = OPERATIONS
#: Methods whose time is broken down.
METHODS = ("II", "III", "I", "IV", "IV-b")
_NAMES = {"I": "global", "IV": "global-sparse", "IV-b": "global-triangular"}
#: Turns of the crank that a global method solves at most.
TURNS = 10


def shares(
    mechanism: Mechanism, method: str, engine: str = "python", runs: int = RUNS, turns: int = TURNS
) -> Mapping[str, float]:
    """Return the fraction of the time that each operation takes in one of `METHODS`.

    Global methods solve at most this many `turns` of the crank; a long run is not repeated.
    """
    if method in ("II", "III"):
        once = _groups(mechanism, coefficients=method == "III")
    else:
        once = _globally(mechanism, _NAMES[method], engine, turns)
    with only(1):  # a second thread of BLAS that waits would count as work
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
        # What was evaluated last says what is solved next.
        solves = {"evaluate": POSES, "jacobian": VELOCITIES, "nu": VELOCITIES, "gamma": ACCELERATIONS}
        next_solve = [POSES]
        for name, operation in (("evaluate", PLACE), ("jacobian", PLACE), ("nu", RIGHT), ("gamma", RIGHT)):
            work = getattr(coordinates, name)

            def evaluate(*arguments: Any, name: str = name, operation: str = operation, work: Any = work) -> Any:
                next_solve[0] = solves[name]
                return watch(operation, work, *arguments)

            object.__setattr__(coordinates, name, evaluate)  # the rows are a frozen dataclass
        watch.watch(coordinates._equations, "jacobian", JACOBIAN)

        def solving(work: Any) -> Callable[..., Any]:
            return lambda *arguments: watch(next_solve[0], work, *arguments)

        linears: Any = run.solver.linear_solvers
        for linear in linears:
            make = linear.factor

            def factor(entries: Any, make: Any = make) -> Any:
                factors = watch(next_solve[0], make, entries)
                object.__setattr__(factors, "solve", solving(factors.solve))
                return factors

            linear.factor = factor
            linear.step = solving(linear.step)
        watch(OTHER, run, z)
        return watch.spent

    return once


def _groups(mechanism: Mechanism, *, coefficients: bool) -> Callable[[], dict[str, float]]:
    plan = compile_plan(mechanism)
    z = values(len(mechanism.drivers), 0, BLOCK)

    def once() -> dict[str, float]:
        watch = Stopwatch()
        watch(OTHER, _sweep, watch, plan, Lanes.empty(plan, BLOCK), mechanism, z, coefficients)
        return watch.spent

    return once


def _sweep(watch: Stopwatch, plan: Any, lanes: Lanes, mechanism: Mechanism, z: Any, coefficients: bool) -> None:
    """Solve a block of lanes, position, rates, and with `coefficients` K and L, group after group."""
    zeros = (0.0,) * 4
    drive_all(plan, lanes, dict(zip(mechanism.drivers, np.swapaxes(z, 0, 1), strict=True)))
    for step in plan.steps:
        form = step.kind
        assert form.closed_form
        h, dh, ddh = (step_inputs(plan, lanes, step, order) for order in range(3))
        discriminant = watch(PLACE, form.discriminant, h)
        root = None if discriminant is None else step.mode * np.sqrt(discriminant)
        phi = watch(PLACE, form.position, h, root)
        rates = watch(VELOCITIES, form.linear, h, phi, dh, zeros)
        g = watch(RIGHT, form.convective, h, phi, dh, rates, dh, rates)
        second = watch(ACCELERATIONS, form.linear, h, phi, ddh, g)
        if coefficients:
            # At unit speed the chain of K and L is that of the rates once more.
            watch(COEFFICIENTS, form.linear, h, phi, dh, zeros)
            watch(COEFFICIENTS, form.convective, h, phi, dh, rates, dh, rates)
            watch(COEFFICIENTS, form.linear, h, phi, ddh, g)
        for order, found in enumerate((phi, rates, second)):
            for slot, value in zip(step.outputs, found, strict=True):
                lanes.x[order, plan.rows(slot)] = value
