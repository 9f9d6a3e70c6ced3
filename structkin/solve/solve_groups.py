"""Solving a mechanism over a range of its drivers, group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import DEFAULT, metered
from structkin.groups import Turn
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan, Register, Step
from structkin.plan.status import Status
from structkin.rows.affine import Affine
from structkin.solve.call import make_schedule
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes
from structkin.solve.fast_turns import slow_motion
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.special_geometry import compile_plan
from structkin.solve.sweep import smooth_sweep
from structkin.solve.too_far import too_far

#: What a motion keeps at a change point: its tangent, or its assembly modes.
BRANCHES = ("smooth", "mode")

#: If more samples than this are far apart (a scan of the work space), the path between them is not followed: closed
#: forms then find change points between them only where two neighbours are near one.
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
    """Solve one structural group after another; see `structkin.global_methods.solve`, which has every method.

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
    """Run a plan over the samples of a schedule, following the motion from the sketch where that matters."""
    if not plan.tracked and (len(schedule) > SEPARATE or schedule.is_fine):
        whole, kept = schedule.with_turning_points()
        swept = smooth_sweep(plan, whole, progress, flip=flip)
        return swept if whole is schedule else swept.take(kept)
    fine, kept = schedule.fine(plan.numbers)
    # Groups that go from lane to lane take the shorter way from one input to the next.
    inputs = [
        (operand.index, isinstance(step.kind, Turn))
        for step in plan.steps
        if step.goes_from_lane_to_lane
        for operand in step.inputs
        if isinstance(operand, Register)
    ]
    turned, moved = [Affine.slot(slot) for slot, turns in inputs if turns], [slot for slot, _ in inputs]
    run = partial(smooth_sweep, plan, progress=progress, flip=flip)
    fine, places, tracked, _ = slow_motion(plan, fine, turned, run, moved)
    kept = places[kept]
    # Consecutive samples stay in place: a copy would double the memory.
    whole = kept[-1] - kept[0] + 1 == len(kept)
    lanes = tracked.take(slice(kept[0], kept[-1] + 1) if whole else kept)
    mark_unreachable(plan, fine, tracked, kept, lanes)
    return lanes


# --- samples beyond the end of the motion -------------------------------------------------------------------

# Continuation takes finer steps than the samples. Where it meets a limit between two of them, it resumes the motion
# where the inputs return to solved ones: that is the pose that reversing the drivers reaches. A crank that turns on
# past a limit also returns to them, a turn later; but there the motion has ended, and such a sample is out of reach.


def mark_unreachable(plan: Plan, schedule: Schedule, fine: Lanes, kept: NDArray[np.intp], lanes: Lanes) -> None:
    """Mark such samples in `lanes`, which are the lanes `kept` (n,) of `fine`; `schedule` is that of the latter."""
    drives = schedule.mechanism.drivers
    angles = {id: z[0] for id, z in schedule.drivers.items() if drives[id].kind == "angle"}
    for step in plan.steps:
        if step.kind.closed_form:
            continue
        stopped = np.isin(fine.status, (Status.OUT_OF_REACH, Status.NOT_CONVERGED)) & (fine.group == step.group)
        for gap in np.flatnonzero(stopped & np.append(True, ~stopped[:-1])):
            sample = int(np.searchsorted(kept, gap))
            if not 0 < sample < len(kept) or (lanes.status[[sample - 1, sample]] != Status.OK).any():
                continue
            if _continues_across_gap(plan, step, fine, angles, int(gap), int(kept[sample])):
                lanes.status[sample], lanes.group[sample] = fine.status[gap], fine.group[gap]
                _clear(plan, lanes, sample, step.group)


def _continues_across_gap(
    plan: Plan, step: Step, fine: Lanes, angles: Mapping[str, NDArray[np.float64]], gap: int, lane: int
) -> bool:
    """Return whether the pose of a lane comes from lanes before a gap, a turn of a driver away."""
    slots = [operand.index for operand in step.inputs if isinstance(operand, Register)]
    rows = np.concatenate([np.arange(plan.offsets[-1])[plan.rows(slot)] for slot in slots] or [np.empty(0, np.intp)])
    before = np.flatnonzero(fine.status[:gap] == Status.OK)
    if not len(before):
        return False
    inputs = fine.x[0][rows]
    near = before[np.argmin(np.sum((inputs[:, before] - inputs[:, [lane]]) ** 2, axis=0))]
    return any(abs(z[lane] - z[near]) > np.pi for z in angles.values())


def _clear(plan: Plan, lanes: Lanes, sample: int, group: int) -> None:
    """Clear the numbers of a group and of all that follow from it."""
    lost: set[int] = set()
    for step in plan.steps:
        inputs = {operand.index for operand in step.inputs if isinstance(operand, Register)}
        if step.group == group or inputs & lost:
            lost.update(step.outputs)
            for slot in step.outputs:
                lanes.x[:, plan.rows(slot), sample] = np.nan
