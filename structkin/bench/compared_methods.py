"""The methods compared, one line each: how a mechanism is prepared, and a run over samples.

I and IV are the global methods of Saura et al., dense and sparse; II solves the groups in order; III also chains K and
L and takes the rates from them: by one bilinear form per pair of drivers, or with the tensors written out as the paper
prescribes (`structkin.bench.tensors`). All are prepared beforehand: only the work on the samples is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from structkin.bench.global_runs import GlobalRun
from structkin.bench.tensors import Chain
from structkin.model import Mechanism
from structkin.plan.plan import Plan
from structkin.solve import compile_plan
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes, sweep
from structkin.types import Floats

#: Runs a method over the drivers' values, rates and second rates (3, f, n); returns the last pin's place and rates
#: (3, 2, n).
Runner = Callable[[Floats], Floats]


#: What the pictures call each method.
TITLES = {
    "II": "topological (II)",
    "III": "topological, K and L (III)",
    "III-tensors": "topological, the paper's tensors",
    "I": "global, full matrices (I)",
    "IV": "global, sparse (IV)",
    "IV-b": "global, block triangular (IV-b)",
}
ENGINES = {"python": "NumPy", "compiled": "Numba"}


def with_engine(method: str, engine: str, names: Mapping[str, str] | None = None) -> str:
    """Return a method, by its numeral or by `names`, with its engine; dense and sparse factorisations have none."""
    name = names[method] if names else method
    return name if method in ("I", "IV") else f"{name}, {ENGINES[engine]}"


@dataclass(frozen=True)
class Method:
    """A method: `prepare(mechanism, n, engine)` makes a runner for n samples; it is run for at most `most` dyads."""

    name: str
    most: int
    prepare: Callable[[Mechanism, int, str], Runner]
    engines: tuple[str, ...] = ("python", "compiled")


def _last(plan: Plan, x: Floats) -> Floats:
    return np.stack([x[order, plan.rows(plan.steps[-1].outputs[0])] for order in range(3)])


def _groups(mechanism: Mechanism, n: int, engine: str) -> Runner:
    plan = replace(compile_plan(mechanism), engine=engine)
    lanes = Lanes.empty(plan, n)

    def run(z: Floats) -> Floats:
        sweep(
            plan, lanes, dict(zip(mechanism.drivers, np.swapaxes(z, 0, 1), strict=True)), lambda k: plan.steps[k].mode
        )
        return _last(plan, lanes.x)

    return run


def _coefficients(mechanism: Mechanism, n: int, engine: str) -> Runner:
    plan = replace(compile_plan(mechanism), engine=engine)
    lanes, order = Lanes.empty(plan, n), tuple(mechanism.drivers)

    def run(z: Floats) -> Floats:
        sweep(plan, lanes, dict(zip(order, np.swapaxes(z, 0, 1), strict=True)), lambda k: plan.steps[k].mode)
        found, last = Coefficients(plan, lanes), plan.steps[-1].outputs[0]
        rows = plan.rows(last)
        L = np.stack([[found.column(*sorted((i, j)))[last] for j in order] for i in order])
        K = np.stack([found.column(i)[last] for i in order])
        first = np.einsum("icn,in->cn", K, z[1])
        second = np.einsum("icn,in->cn", K, z[2]) + np.einsum("ijcn,in,jn->cn", L, z[1], z[1])
        return np.stack((lanes.x[0, rows], first, second))

    return run


def _tensors(mechanism: Mechanism, n: int, engine: str) -> Runner:
    chain = Chain.of(mechanism, sum(name.startswith("rocker") for name in mechanism.links))
    arrays = chain.empty(n)

    def run(z: Floats) -> Floats:
        chain.run(arrays, z, compiled=engine == "compiled")
        return np.stack((arrays[0][-1], arrays[1][-1, 2:], arrays[2][-1, 2:]))

    return run


def _globally(method: str) -> Callable[[Mechanism, int, str], Runner]:
    return lambda mechanism, n, engine: GlobalRun(mechanism, method, engine, n)


METHODS: tuple[Method, ...] = (
    Method("II", 100_000, _groups),
    Method("III", 100_000, _coefficients),
    Method("III-tensors", 10_000, _tensors),
    Method("I", 150, _globally("global"), ("python",)),
    Method("IV", 1000, _globally("global-sparse"), ("python",)),
    Method("IV-b", 1000, _globally("global-triangular")),
)
