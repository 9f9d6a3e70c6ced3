"""What an integration by LSODA takes, beside what the paper on fully Cartesian coordinates prints of it.

I. Roupa, S. B. Goncalves, M. Tavares da Silva, Tabs. 3 and 5: the benchmark's natural coordinates by the trapezoidal
rule, and fully Cartesian coordinates by SciPy's `odeint`, which is LSODA.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from structkin.dynamics.integrators.methods import adaptive_solver
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.dynamics.multipliers.start import global_start
from structkin.studies.cartesian import DURATION, TOLERANCE, Case

#: The lines that both tables share.
LINES = (
    "language",
    "computer",
    "simulations",
    "mean CPU time [s]",
    "integrator",
    "largest error admitted",
    "step [s]",
    "steps",
    "most iterations a step",
)

#: What the tables print, line by line: of the benchmark, and of the paper's own simulation.
PRINTED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "pendulum": (
            ("C++", "i5-4250U 1.9 GHz", "not told", "0.53", "trapezoidal", "1e-9", "0.001", "not told", "12"),
            ("Python", "i5-750 3.67 GHz", "1000", "0.36", "Adams / BDF", "1.5e-8", "variable", "1416", "27"),
        ),
        "slider-crank": (
            ("C++", "Core2Duo 3.16 GHz", "not told", "0.328", "trapezoidal", "1e-9", "0.001", "not told", "12"),
            ("Python", "i5-750 3.67 GHz", "1000", "2.21", "Adams / BDF", "1.5e-8", "variable", "2430", "45"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Work:
    """Steps, evaluations of the equations in all and at most in one step, and CPU time [s], the mean of `runs`."""

    steps: int
    evaluations: int
    most: int
    seconds: float
    runs: int


def work(case: Case, gain: float, runs: int = 1) -> Work:
    """Integrate a case over ten seconds with alpha = beta = `gain` as `trial` does, and keep account of its steps."""
    counts, spent = [0], 0.0
    for _ in range(runs):
        stabilisation = Feedback(float(gain), float(gain))
        equations, y = global_start(
            case.mechanism, "fully-cartesian", stabilisation, (), 0.0, formulation="multipliers"
        )
        began = time.process_time()
        solver = adaptive_solver("LSODA")(equations, 0.0, y, DURATION, rtol=TOLERANCE, atol=TOLERANCE)
        counts = [equations.evaluations]
        while solver.status == "running":
            solver.step()
            counts.append(equations.evaluations)
        spent += time.process_time() - began
    most = max(late - early for early, late in pairwise(counts))
    return Work(len(counts) - 1, counts[-1], most, spent / runs, runs)


def work_rows(case: Case, found: Mapping[float, Work]) -> list[tuple[str, ...]]:
    """Return the printed table with columns of ours, one for each gain."""
    ours = []
    for one in found.values():
        way = ("Adams / BDF", f"{TOLERANCE:.3g}", "variable")
        took = (str(one.steps), f"{one.most} evaluations")
        ours.append(("Python", "this one", str(one.runs), f"{one.seconds:.2g}", *way, *took))
    head = ("", "benchmark", "paper", *(f"here, gain {gain:g}" for gain in found))
    return [head, *zip(LINES, *PRINTED[case.name], *ours, strict=True)]
