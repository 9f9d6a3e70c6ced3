"""Solving a mechanism over a range of its drivers, by any method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from structkin.budget import DEFAULT, metered
from structkin.errors import InputError, Problem
from structkin.global_methods import families
from structkin.global_methods.solve import solve_globally
from structkin.kernels.choice import check_engine
from structkin.model.mechanism import Mechanism
from structkin.solve.call import make_schedule
from structkin.solve.motion import Motion
from structkin.solve.solve_groups import BRANCHES, solve_groups
from structkin.solve.too_far import too_far

#: Group by group, its rates in time or by K and L; and all equations at once: dense, sparse, or sparse in group order.
METHODS = ("topological", "topological-kl", "global", "global-sparse", "global-triangular")
#: The coordinates of global methods.
FAMILIES = tuple(families.FAMILIES)


def solve(
    mechanism: Mechanism,
    samples: int | None = None,
    *,
    t: ArrayLike | None = None,
    drivers: Mapping[str, Any] | None = None,
    duration: float | None = None,
    method: str = "topological",
    coordinates: str | None = None,
    branch: str = "smooth",
    engine: str = "auto",
    strict: bool = False,
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Motion:
    """Solve position, velocity and acceleration by any method.

    The samples are `samples` times (default 361, both ends included) over `duration` [s] or the mechanism's default
    range, or the times `t` (n,) [s]. `drivers={"motor": values}` prescribes coordinates (n,) [rad or m] directly, or
    `(values, rates, accelerations, jerks)`; rates that are not given are NaN. With `strict=True` a sample without a
    regular pose raises `PoseError`; otherwise it has a `Status`. `progress` is called with the completed part of the
    work. At a change point the motion is smooth; with `branch="mode"` each dyad keeps its assembly mode, and the motion
    changes to the other branch.

    Of the methods, "topological" solves one structural group after another, "topological-kl" forms the rates by the
    velocity coefficients, v = K z' and a = K z'' + z'^T L z'. The global methods solve all constraint equations
    at once by Newton's method in the `coordinates` "natural" (the default), "reference-point", "fully-cartesian" or
    "relative": "global" with full matrices, "global-sparse" with SuperLU, "global-triangular" with the same sparse
    system in the order of the groups. `Motion.statistics` then describes the run.

    `engine` is "numpy"; or "numba", which compiles the closed forms and the sweeps of "global-triangular", needs
    `structkin[fast]` and gives the same numbers; or "auto", the faster of the two. Up to some million samples times
    groups that is NumPy.

    `budget` bounds the work in steps (`structkin.budget`): between samples the drivers' path is followed, and a path of
    thousands of turns, or into a singular pose, may need many more poses than there are samples. None sets no bound.

    Raises `InputError` where the arguments do not fit the mechanism or the budget is spent, `StructureError` where
    drivers are missing or too many.

    >>> import structkin as sk
    >>> crank = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...     drivers={"motor": {"joint": "A", "speed": 2}})
    >>> motion = crank.solve(samples=5)
    >>> [round(float(x), 12) for x in motion.velocity("B")[0]]
    [0.0, 2.0]
    """
    _check_method(mechanism, method, coordinates, branch, engine)
    if method.startswith("global"):
        schedule = make_schedule(mechanism, samples, t, drivers, duration)
        numbers = 12 * len(mechanism.links)
        with metered(budget, lambda: too_far(schedule, numbers, budget), mechanism.title):
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


def _check_method(mechanism: Mechanism, method: str, coordinates: str | None, branch: str, engine: str) -> None:
    problems = []
    if method not in METHODS:
        problems.append(Problem("method", f"'{method}' is unknown", f"known: {', '.join(METHODS)}"))
    elif coordinates is not None and not method.startswith("global"):
        problems.append(Problem("coordinates", f"method '{method}' has no coordinates", 'pass method="global" as well'))
    if coordinates is not None and coordinates not in FAMILIES:
        problems.append(Problem("coordinates", f"'{coordinates}' is unknown", f"known: {', '.join(FAMILIES)}"))
    if branch not in BRANCHES:
        problems.append(Problem("branch", f"'{branch}' is unknown", f"known: {', '.join(BRANCHES)}"))
    elif branch != BRANCHES[0] and method.startswith("global"):
        problems.append(Problem("branch", f"method '{method}' has no assembly modes", "leave it out"))
    try:
        check_engine(engine)
    except InputError as error:
        problems += error.problems
    else:
        if engine != "auto" and method in ("global", "global-sparse"):
            problems.append(Problem("engine", f"method '{method}' has no choice of engine", "leave it out"))
    if problems:
        raise InputError(problems, mechanism.title)
