"""Solving a mechanism over a range of its drivers, group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import DEFAULT, TOGETHER, in_memory, metered
from structkin.groups import Turn
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan, Register
from structkin.plan.status import Status, behind_gaps
from structkin.rows.affine import Affine
from structkin.solve.call import make_schedule, too_far, too_many
from structkin.solve.change_points.beside_gaps import beside_gaps
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes
from structkin.solve.fast_turns import all_seen, slow_motion
from structkin.solve.fast_wheels import wheels_on_links
from structkin.solve.motion import Motion
from structkin.solve.narrow_cams import Followed, followed_cams, near_humps
from structkin.solve.periods import over_one_period
from structkin.solve.schedule import Schedule, united
from structkin.solve.special_geometry import compile_plan
from structkin.solve.sweep import sweep_between
from structkin.types import Indices

#: What a motion keeps at a change point: its tangent, or its assembly modes.
BRANCHES = ("smooth", "mode")


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
    numbers = plan.numbers
    schedule = make_schedule(mechanism, samples, t, drivers, duration, numbers)
    with in_memory(lambda: too_many(len(schedule), numbers), mechanism.title):
        with metered(budget, lambda: too_far(schedule, numbers, budget), mechanism.title):
            run_by = plan.run_by(engine, with_rates=not by_coefficients)
            run = partial(run_from_sketch, run_by, progress=progress, flip=branch == "smooth")
            is_long = schedule.added * numbers > TOGETHER * DEFAULT  # with any budget: digits do not hang on it
            lanes = (over_one_period(plan, schedule, run) if is_long else None) or run(schedule)
        if by_coefficients:
            Coefficients(plan, lanes).form_rates(schedule.drivers)
    return Motion(mechanism, plan, schedule.t, schedule.drivers, lanes, schedule.thirds)


def run_from_sketch(
    plan: Plan, schedule: Schedule, progress: Callable[[float], None] | None = None, *, flip: bool = True
) -> Lanes:
    """Run a plan over the samples of a schedule, following the motion from the sketch where that matters."""
    turned, moved, cams = _watched(plan, schedule)
    if not plan.tracked and (schedule.is_scan or schedule.is_fine):
        whole, kept = schedule.with_turning_points()
        swept, between = sweep_between(plan, whole, progress, flip=flip)
        unseen = cams and not schedule.is_scan and not all_seen(plan, whole, swept, moved, cams)
        if schedule.is_scan or not (unseen or (flip and any(found.any() for found in beside_gaps(between, swept)))):
            if whole is schedule:
                return swept
            return _taken(swept, kept, kept)
    fine, kept = schedule.fine(plan.numbers)
    run = partial(sweep_between, plan, progress=progress, flip=flip)
    _, places, tracked, _ = slow_motion(plan, fine, turned, run, moved, cams)
    kept = places[kept]
    # Consecutive samples stay in place: a copy would double the memory.
    whole = kept[-1] - kept[0] + 1 == len(kept)
    return _taken(tracked, kept, slice(kept[0], kept[-1] + 1) if whole else kept)


def _watched(plan: Plan, schedule: Schedule) -> tuple[list[Affine], list[int], list[Followed]]:
    """Return the vectors, the registers and the cams that are followed closely (see `slow_motion`)."""
    cams = followed_cams(schedule.mechanism, plan)
    # Groups that go from lane to lane take the shorter way from one input to the next.
    inputs = [
        (operand.index, isinstance(step.kind, Turn))
        for step in plan.steps
        if step.goes_from_lane_to_lane
        for operand in step.inputs
        if isinstance(operand, Register)
    ]
    turned, moved = [Affine.slot(slot) for slot, turns in inputs if turns], [slot for slot, _ in inputs]
    moved += wheels_on_links(plan)
    moved += [slot for cam in cams for direction in (cam.base, cam.vector) for slot, _ in direction.terms]
    return turned, moved, cams


def fine_stations(plan: Plan, schedule: Schedule, longest: float) -> tuple[Schedule, Indices]:
    """Return the fine stations of a schedule, and its own in them, for a method that does not follow the groups.

    It takes steps up to the `longest` length of the drivers' path. Stations that are `near` are there for wheels and
    cams, where more happens than the drivers tell.
    """
    fine, kept = schedule.fine(plan.numbers)
    turned, moved, cams = _watched(plan, schedule)
    if not (cams or wheels_on_links(plan)):
        return fine, kept
    close, places, lanes, _ = slow_motion(plan, fine, turned, partial(sweep_between, plan), moved, cams)
    ways = (np.abs(np.diff(z[0])) / close.unit(id) for id, z in close.drivers.items())
    lengths = np.append(0.0, np.cumsum(np.nan_to_num(sum(ways, start=np.zeros(len(close) - 1)))))
    last = np.searchsorted(lengths, lengths + longest, "right") - 1
    passed = near_humps(plan, lanes.x[0], cams, last)
    return replace(close, near=united(len(close), close.near, passed)), places[kept]


def _taken(tracked: Lanes, kept: Indices, index: Any) -> Lanes:
    """Return the samples at the places `kept` (n,) of a path, which are those at an `index`."""
    lanes, lost = tracked.take(index), np.flatnonzero(tracked.status == Status.OUT_OF_REACH)
    posed = lost[np.isfinite(tracked.x[0][:, lost]).all(axis=0)]
    mark_gaps(tracked.status, tracked.group, kept, lanes, posed)
    return lanes


def mark_gaps(
    status: NDArray[np.int8], group: NDArray[np.int32], kept: Indices, lanes: Lanes, posed: Indices | None = None
) -> None:
    """Mark samples that have a pose but follow a gap, or a stretch not followed, between them and the sample before.

    The samples `lanes` are at the places `kept` (n,) of a finer path with these statuses and groups, of which those
    that only follow a gap may be `posed`.
    """
    for outcome, at, first in behind_gaps(status, kept, posed):
        lanes.status[at], lanes.group[at] = outcome, group[first]
