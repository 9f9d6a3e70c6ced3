"""Solving a mechanism for many sets of dimensions at once: the variants are lanes, as the samples are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import metered, new_meter
from structkin.errors import InputError, Problem
from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kernels.choice import check_engine
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.solve.call import MOST, make_schedule
from structkin.solve.engine import Lanes, sweep
from structkin.solve.many.differences import Differences, read_differences
from structkin.solve.many.flat import passing_flat
from structkin.solve.many.motions import Motions
from structkin.solve.many.path import Path, shifts
from structkin.solve.many.record import ManyPlan, record_many
from structkin.solve.many.together import Together
from structkin.solve.many.variants import Variants, VariantsDiffer
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.sensitivity.parameters import read_parameters, varied
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.solve.too_far import too_far
from structkin.types import Floats


def solve_many(
    mechanism: Mechanism,
    samples: int | None,
    *,
    lengths: Mapping[str, ArrayLike] | None,
    points: Mapping[str, ArrayLike] | None,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: float | None,
    engine: str,
    budget: float | None,
    progress: Callable[[float], None] | None,
) -> Motions:
    """Solve variants of a mechanism that differ in dimensions; see `Mechanism.solve_many`."""
    check_engine(engine, mechanism.title)
    new_meter(budget, source=mechanism.title)
    drivers = drivers or {}
    found = read_differences(mechanism, lengths or {}, points or {}, drivers)
    count, rows = found.count, found.rows
    # The drivers of the first variant represent all while the schedule is made.
    schedule = make_schedule(mechanism, samples, t, found.drivers_of(0, drivers), duration)
    if _has_to_be_followed(mechanism):
        together, alone = None, list(range(count))
    else:
        many, odd = _record(found)
        many = replace(many, plan=replace(many.plan, engine=engine))
        too_large = _too_large(mechanism, many.plan, count, len(schedule))
        if count * len(schedule) > MOST:
            raise too_large
        try:
            z = _values(schedule, rows, shifts(schedule, many.starts), count)
            lanes = _run(many, z, len(schedule), count, progress)
        except MemoryError:
            raise too_large from None
        numbers = many.plan.numbers
        with metered(budget, lambda: too_far(schedule, numbers, budget), mechanism.title):
            path = Path.of(schedule, rows, many.starts, numbers)
        together = Together(mechanism, np.arange(count), many, {id: rates[0] for id, rates in z.items()}, lanes, path)
        alone = sorted({*odd, *passing_flat(many, count, path)})
    motions: dict[int, Motion] = {}
    faults = found.faults
    options = {"samples": samples, "t": t, "duration": duration, "engine": engine, "budget": budget}
    solve_alone = partial(_solve_variant, found, drivers, options)
    for done, k in enumerate(alone, 1):
        if k not in faults:
            try:
                motions[k] = solve_alone(k)
            except InputError as error:
                faults[k] = error
        if progress is not None and together is None:
            progress(done / len(alone))
    return Motions(mechanism, schedule.t, count, together, motions, faults, solve_alone)


def _too_large(mechanism: Mechanism, plan: Plan, count: int, samples: int) -> InputError:
    """Return the error of a result that does not fit into memory: three orders of each of the plan's numbers."""
    size = 3 * 8 * plan.offsets[-1] * count * samples / 2**30
    message = f"{count} variants at {samples} samples do not fit into memory: {size:,.0f} GiB"
    return InputError([Problem("variants", message, "solve fewer variants, or samples, at a time")], mechanism.title)


def _has_to_be_followed(mechanism: Mechanism) -> bool:
    """Return whether variants are to be solved one by one.

    A group without a closed form is followed from the sketch of each variant; one plan cannot vary the sizes of wheels
    and cams, or the ends of curved slots. Redundant joints have to agree in each variant.
    """
    joints = mechanism.joints
    if any(joint.stroke is not None and id not in joints.of(Guide) for id, joint in joints.of(Sliding).items()):
        return True
    sized = bool(joints.of(TurnCoupling) or joints.of(Cam) or joints.of(Geneva))
    plan = compile_plan(mechanism)
    return sized or plan.tracked or bool(plan.structure.over)


def _solve_variant(found: Differences, drivers: Mapping[str, Any], options: Mapping[str, Any], k: int) -> Motion:
    """Build variant `k` with its own lengths, places and driver values, and solve it as `solve` does.

    Raises `InputError` where it cannot be built, or does not move like the mechanism.
    """
    values = {f"lengths.{'-'.join(sorted(pair))}": own.values[1 + k] for pair, own in found.lengths.items()}
    for name, own in found.places.items():
        values |= {
            f"points.{name}.{axis}": getattr(own.values[1 + k], part) for axis, part in (("x", "real"), ("y", "imag"))
        }
    parameters = read_parameters(found.mechanism, values) if values else ()
    variant = varied(found.mechanism, {parameter: float(values[parameter.name]) for parameter in parameters})
    return solve_groups(variant, drivers=found.drivers_of(k, drivers) or None, **options)


def _record(found: Differences) -> tuple[ManyPlan, set[int]]:
    """Return the plan of all variants, and those that it does not cover because they would be built differently.

    In the plan these have the dimensions of the mechanism itself. Each round finds some, so the loop ends.
    """
    lengths = {pair: Variants(own.values.copy()) for pair, own in found.lengths.items()}
    places = {name: Variants(own.values.copy()) for name, own in found.places.items()}
    odd: set[int] = set()
    while True:
        try:
            return record_many(found.mechanism, structure_of(found.mechanism), lengths, places), odd
        except VariantsDiffer as error:
            odd.update(error.which.tolist())
            for numbers in (*lengths.values(), *places.values()):
                numbers.values[1 + error.which] = numbers.own


def _values(
    schedule: Schedule, rows: Mapping[str, Floats], moved: Mapping[str, Floats], count: int
) -> dict[str, Floats]:
    """Return values and rates of the drivers (3, v, n).

    `rows` (orders, v, n) hold individual ones, `moved` (v,) how far ahead drivers are otherwise.
    """
    samples = len(schedule)
    z = {id: np.broadcast_to(values[:, None], (3, count, samples)) for id, values in schedule.drivers.items()}
    for id, ahead in moved.items():
        z[id] = z[id].copy()
        z[id][0] += ahead[:, None]
    for id, own in rows.items():
        z[id] = np.full((3, count, samples), np.nan)
        z[id][: len(own)] = own
    return z


def _run(
    many: ManyPlan, z: Mapping[str, Floats], samples: int, count: int, progress: Callable[[float], None] | None
) -> Lanes:
    """Solve all variants at all samples, at the drivers' values z (3, v, n)."""
    plan, n = many.plan, count * samples
    lanes = Lanes.empty(plan, n)
    many.hold(lanes, np.repeat(np.arange(count), samples))
    drivers = {id: values.reshape(3, n) for id, values in z.items()}
    sweep(plan, lanes, drivers, lambda step: plan.steps[step].mode, progress)
    return lanes
