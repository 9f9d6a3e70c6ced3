"""Solving a mechanism over a range of its drivers, group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from structkin.budget import DEFAULT, metered
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.solve.call import make_schedule
from structkin.solve.change_points.search import run
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.special_geometry import compile_plan
from structkin.solve.too_far import too_far
from structkin.solve.unreachable import mark_unreachable

#: What a motion keeps at a change point: its tangent, or its assembly modes.
BRANCHES = ("smooth", "mode")

#: More samples than this that lie far apart (a scan of the work space) are not walked to from each other: closed forms
#: then find change points between them only where two neighbours are near one.
SEPARATE = 5000


def solve_groups(
    mechanism: Mechanism,
    samples: int | None = None,
    *,
    t: ArrayLike | None = None,
    drivers: Mapping[str, Any] | None = None,
    duration: float | None = None,
    by_coefficients: bool = False,
    branch: str = "smooth",
    engine: str = "auto",
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Motion:
    """Solve one structural group after the other; see `structkin.global_methods.solve`, which has every method.

    The rates are solved for in time, or formed `by_coefficients`: v = K z' and a = K z'' + z'^T L z'.
    """
    plan = compile_plan(mechanism).run_by(engine)
    schedule = make_schedule(mechanism, samples, t, drivers, duration)
    with metered(budget, lambda: too_far(schedule, plan.numbers, budget), mechanism.title):
        run_by = plan.run_by(engine, with_rates=not by_coefficients)
        lanes = run_from_sketch(run_by, schedule, progress, flip=branch == "smooth")
    if by_coefficients:
        Coefficients(plan, lanes).form_rates(schedule.drivers)
    return Motion(mechanism, plan, schedule.t, schedule.drivers, lanes, schedule.thirds)


def run_from_sketch(
    plan: Plan, schedule: Schedule, progress: Callable[[float], None] | None = None, *, flip: bool = True
) -> Lanes:
    """Run a plan over the samples of a schedule, walking there from the sketch where that matters."""
    if not plan.tracked and (len(schedule) > SEPARATE or schedule.is_fine):
        return run(plan, schedule, progress, flip=flip)
    fine, kept = schedule.fine(plan.numbers)
    walked = run(plan, fine, progress, flip=flip)
    # Samples that follow each other stay where they are: a copy would double the memory.
    whole = kept[-1] - kept[0] + 1 == len(kept)
    lanes = walked.take(slice(kept[0], kept[-1] + 1) if whole else kept)
    mark_unreachable(plan, fine, walked, kept, lanes)
    return lanes
