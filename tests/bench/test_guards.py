"""Guards against regressions: ratios within one run, bounds two to three times the promise, best of several tries.

They find code that has become several times slower. `structkin bench` reports the ratios. They are not part of the fast
run, which other work on the machine must not fail.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from structkin.bench.clock import fastest, only
from structkin.bench.compared_methods import METHODS
from structkin.bench.groups import CHAIN, cost, platforms
from structkin.bench.measure import measure
from structkin.bench.mechanism import scalable_four_bar
from structkin.examples import path

pytestmark = pytest.mark.full

#: Number of tries; the best counts, as other work on the machine only slows a try.
TRIES = 5


def best(ratio: Callable[[], float], bound: float) -> float:
    """Return the least ratio of several tries; it stops at the first within the bound."""
    least = float("inf")
    for _ in range(TRIES):
        least = min(least, ratio())
        if least <= bound:
            break
    return least


def test_velocity_coefficients_cost_little_more_than_the_motion():
    """Method III (K and L, one driver) over method II; promised: 2."""
    m = scalable_four_bar(30)
    by_name = {method.name: method for method in METHODS}
    two, three = by_name["II"], by_name["III"]

    def ratio() -> float:
        return measure(three, m, "python", 3600, runs=3).best / measure(two, m, "python", 3600, runs=3).best

    assert best(ratio, 5.0) <= 5.0


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_rates_by_coefficients_cost_little_more_than_rates_in_time(engine):
    """`topological-kl` over `topological`, the whole call; promised: 2."""
    m = scalable_four_bar(71)
    by_method = [partial(m.solve, 3600, engine=engine, method=name) for name in ("topological", "topological-kl")]

    def ratio() -> float:
        with only(1):
            (_, in_time), (_, by_coefficients) = (fastest(solve, 3) for solve in by_method)
        return by_coefficients / in_time

    assert best(ratio, 3.0) <= 3.0


def test_a_triad_costs_as_much_as_some_dyads():
    """Promised: 20 over hundreds of turns; over four, the first continuation points cost most: 53 was measured."""

    def ratio() -> float:
        crank = cost(scalable_four_bar(0), "python", 4)
        dyads, triads = (cost(m, "python", 4) - crank for m in (scalable_four_bar(CHAIN), platforms(1, CHAIN)))
        return triads / dyads

    assert best(ratio, 150.0) <= 150.0


def test_the_command_costs_little_more_than_its_imports():
    """`structkin solve` of a four-bar over importing the libraries that it uses; promised: 3."""
    resource = pytest.importorskip("resource")
    imports = "import numpy, networkx, pydantic, typer"
    solve = f"import sys; sys.argv = ['structkin', 'solve', {str(path('crank_rocker'))!r}, '--samples', '361']; "
    solve += "from structkin.cli import main; main()"

    def seconds(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    seconds(solve)  # files are compiled to bytecode

    def ratio() -> float:
        return min(seconds(solve) for _ in range(3)) / min(seconds(imports) for _ in range(3))

    assert best(ratio, 6.0) <= 6.0
