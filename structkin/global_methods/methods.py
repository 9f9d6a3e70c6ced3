"""Solving a mechanism over a range of its drivers, by any method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from structkin.budget import in_memory, metered, new_meter
from structkin.errors import Problem, problems_of, raise_problems
from structkin.global_methods import families
from structkin.global_methods.solve import solve_globally
from structkin.kernels.choice import check_engine
from structkin.model.mechanism import Mechanism
from structkin.solve.call import make_schedule, too_far, too_many
from structkin.solve.motion import Motion
from structkin.solve.solve_groups import BRANCHES, solve_groups

#: Group by group, its rates in time or by K and L; and all equations at once: dense, sparse, or sparse in group order.
METHODS = ("topological", "topological-kl", "global", "global-sparse", "global-triangular")
#: The coordinates of global methods.
FAMILIES = tuple(families.FAMILIES)


def solve(
    mechanism: Mechanism,
    samples: int | None,
    *,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: float | None,
    method: str,
    coordinates: str | None,
    branch: str,
    engine: str,
    strict: bool,
    budget: float | None,
    progress: Callable[[float], None] | None,
) -> Motion:
    """Solve position, velocity and acceleration by any method; see `Mechanism.solve`."""
    problems = [*method_problems(method, coordinates, branch, engine), *problems_of(new_meter, budget)]
    if problems:
        problems += problems_of(make_schedule, mechanism, samples, t, drivers, duration)
        raise_problems(problems, mechanism.title)
    if method.startswith("global"):
        numbers, title = 12 * len(mechanism.links), mechanism.title
        schedule = make_schedule(mechanism, samples, t, drivers, duration, numbers)
        with (
            in_memory(lambda: too_many(len(schedule), numbers), title),
            metered(budget, lambda: too_far(schedule, numbers, budget), title),
        ):
            motion = solve_globally(mechanism, schedule, method, coordinates or FAMILIES[0], progress, engine)
    else:
        motion = solve_groups(
            mechanism,
            samples,
            t=t,
            drivers=drivers,
            duration=duration,
            by_coefficients=method == "topological-kl",
            branch=branch,
            engine=engine,
            budget=budget,
            progress=progress,
        )
    if strict:
        motion.require_ok()
    return motion


def method_problems(
    method: str, coordinates: str | None, branch: str = BRANCHES[0], engine: str = "auto"
) -> list[Problem]:
    """Return what is wrong with a method, its coordinates, branch and engine."""
    problems = []
    if method not in METHODS:
        problems.append(Problem("method", f"'{method}' is unknown", f"known: {', '.join(METHODS)}"))
    elif coordinates is not None and not method.startswith("global"):
        hint = f"those that have: {', '.join(one for one in METHODS if one.startswith('global'))}"
        problems.append(Problem("coordinates", f"method '{method}' has no coordinates", hint))
    if coordinates is not None and coordinates not in FAMILIES:
        problems.append(Problem("coordinates", f"'{coordinates}' is unknown", f"known: {', '.join(FAMILIES)}"))
    if branch not in BRANCHES:
        problems.append(Problem("branch", f"'{branch}' is unknown", f"known: {', '.join(BRANCHES)}"))
    elif branch != BRANCHES[0] and method.startswith("global"):
        problems.append(Problem("branch", f"method '{method}' has no assembly modes", "leave it out"))
    if unknown := problems_of(check_engine, engine):
        problems += unknown
    elif engine != "auto" and method in ("global", "global-sparse"):
        problems.append(Problem("engine", f"method '{method}' has no choice of engine", "leave it out"))
    return problems
