"""Solving a mechanism for many sets of dimensions at once: the variants are lanes, as the samples are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import DEFAULT, new_meter
from structkin.errors import InputError, Problem
from structkin.kinematics.call import make_schedule
from structkin.kinematics.choice import check_engine
from structkin.kinematics.engine import Lanes, sweep
from structkin.kinematics.many.apart import build_variants, solve_apart
from structkin.kinematics.many.flat import passing_flat
from structkin.kinematics.many.motions import Apart, Motions, Together
from structkin.kinematics.many.record import ManyPlan, record_many
from structkin.kinematics.many.variants import Variants
from structkin.kinematics.schedule import Schedule
from structkin.kinematics.special_geometry import compile_plan, structure_of
from structkin.model.arguments import mapping
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest

Floats = NDArray[np.float64]

#: Steps of all variants together that are walked to find change points between far samples.
WALKED = 2_000_000


def solve_many(
    mechanism: Mechanism,
    samples: int | None = None,
    *,
    lengths: Mapping[str, ArrayLike] | None = None,
    points: Mapping[str, ArrayLike] | None = None,
    t: ArrayLike | None = None,
    drivers: Mapping[str, Any] | None = None,
    duration: float | None = None,
    engine: str = "auto",
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Motions:
    """Solve variants of a mechanism that differ in dimensions, each over the same samples.

    `lengths={"A-B": values}` (v,) [m] replaces distances of two points of a link, as [lengths] in the file does;
    `points={"P": places}` (v, 2) [m] replaces sketched places. What is not named stays. The samples are those of
    `solve`; driver values may also be (v, n), a row a variant. All variants start in the assembly modes of the
    mechanism's own sketch. Those that come through a change point, or next to one, are solved by themselves, some ten
    milliseconds each. They are found by a walk from the sketch, as `solve` does it, where that takes no more than
    `WALKED` steps for all; else, and where variants have driver values of their own, between neighbouring samples.

    Mechanisms with gears, cams, or groups without a closed form are solved variant by variant, each from the sketch
    that it has: some ten milliseconds a variant, where others take microseconds.

    `budget` is that of each variant which is solved by itself, as in `solve`.

    Raises `InputError` where a name or a shape does not fit, or a variant cannot be built.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
    ... )
    >>> motions = sk.solve_many(m, samples=100, lengths={"B-C": [3.5, 4.0, 4.5], "A-B": [1.0, 0.9, 0.8]})
    >>> motions.position("C").shape, motions.ok.all(axis=1).tolist()
    ((3, 100, 2), [True, True, True])
    """
    check_engine(engine, mechanism.title)
    new_meter(budget, source=mechanism.title)
    lengths = mapping(lengths, "lengths", "{'A-B': lengths}", mechanism.title)
    points = mapping(points, "points", "{'A': places}", mechanism.title)
    drivers = mapping(drivers, "drivers", "{'motor': values}", mechanism.title)
    count, exact, places, rows = _read(mechanism, lengths, points, drivers)
    # What a driver does in its first variant stands for all while the schedule is made.
    shared = {id: rows[id][..., 0, :] if id in rows else values for id, values in drivers.items()}
    shared = {id: tuple(z) if id in rows else z for id, z in shared.items()}
    schedule = make_schedule(mechanism, samples, t, shared, duration)

    def apart(chosen: NDArray[np.intp], progress: Callable[[float], None] | None = None) -> Apart:
        """Solve variants as mechanisms of their own."""
        lengths_of = {pair: numbers.values[1:][chosen] for pair, numbers in exact.items()}
        places_of = {name: numbers.values[1:][chosen] for name, numbers in places.items()}
        variants = build_variants(mechanism, len(chosen), lengths_of, places_of)
        options = {"samples": samples, "t": t, "duration": duration, "engine": engine, "budget": budget}
        own = {id: values[:, chosen] for id, values in rows.items()}
        return solve_apart(mechanism, variants, own, drivers, options, progress)

    if _has_to_be_followed(mechanism):
        return apart(np.arange(count), progress)
    many = record_many(mechanism, structure_of(mechanism), exact, places)
    z = {id: np.broadcast_to(values[:, None], (3, count, len(schedule))) for id, values in schedule.drivers.items()}
    for id, own in rows.items():
        z[id] = np.full((3, count, len(schedule)), np.nan)
        z[id][: len(own)] = own
    many = replace(many, plan=replace(many.plan, engine=engine))
    lanes = _run(many, z, count, len(schedule), progress)
    alone = passing_flat(many, count, _walk(schedule, rows, count))
    motions = apart(np.array(alone)).motions if alone else ()
    return Together(mechanism, schedule.t, count, many, lanes, dict(zip(alone, motions, strict=True)))


def _walk(schedule: Schedule, rows: Mapping[str, Floats], count: int) -> dict[str, Floats]:
    """Return driver values (v, m) or (1, m) of a walk by all samples, in fine steps if it is not too long."""
    if rows or not schedule.drivers:
        return {id: rows[id][0] if id in rows else z[:1] for id, z in schedule.drivers.items()}
    if not schedule.is_fine and count * (len(schedule) + schedule.added) <= WALKED:
        schedule = schedule.fine()[0]
    return {id: z[:1] for id, z in schedule.drivers.items()}


def _has_to_be_followed(mechanism: Mechanism) -> bool:
    """Return whether variants are to be solved one by one.

    A group without a closed form is followed from the sketch of each; sizes of wheels and cams do not follow those of
    links in one plan.
    """
    sized = bool(mechanism.meshes or mechanism.cams or mechanism.genevas)
    return sized or compile_plan(mechanism).tracked


def _run(
    many: ManyPlan, z: Mapping[str, Floats], count: int, samples: int, progress: Callable[[float], None] | None
) -> Lanes:
    plan, n = many.plan, count * samples
    lanes = Lanes.empty(plan, n)
    many.hold(lanes, np.repeat(np.arange(count), samples))
    drivers = {id: values.reshape(3, n) for id, values in z.items()}
    sweep(plan, lanes, drivers, lambda step: plan.steps[step].mode, progress)
    return lanes


def _read(
    mechanism: Mechanism, lengths: Mapping[str, Any], points: Mapping[str, Any], drivers: Mapping[str, Any]
) -> tuple[int, dict[frozenset[str], Variants], dict[str, Variants], dict[str, Floats]]:
    """Return the number of variants, their lengths and places, and driver values (orders, v, n) of their own."""
    problems: list[Problem] = []
    counts: dict[str, int] = {}
    exact: dict[frozenset[str], Variants] = {}
    places: dict[str, Variants] = {}
    for name, given in lengths.items():
        key, pair = f"lengths.{name}", frozenset(str(name).split("-"))
        values = _numbers(given, 1)
        link = next((link for link in mechanism.links.values() if len(pair) == 2 and pair <= set(link.points)), None)
        if link is None:
            problems.append(Problem(key, "no link has these two points", 'name two points of a link: "A-B"'))
        elif values is None or not (values > 0).all():
            problems.append(Problem(key, "expected positive lengths (v,) [m]"))
        else:
            a, b = (link.local[point] for point in pair)
            counts[key], exact[pair] = len(values), Variants(np.concatenate(([abs(b - a)], values)))
    for name, given in points.items():
        key, values = f"points.{name}", _numbers(given, 2)
        if name not in mechanism.points:
            problems.append(Problem(key, "is not a point of this mechanism", suggest(str(name), mechanism.points)))
        elif values is None or values.shape[1] != 2:
            problems.append(Problem(key, "expected places (v, 2) [m]"))
        else:
            own = np.concatenate(([mechanism.points[name]], values[:, 0] + 1j * values[:, 1]))
            counts[key], places[name] = len(values), Variants(own)
    rows: dict[str, Floats] = {}
    for id, given in drivers.items():
        parts = [_numbers(part, 2) for part in (given if isinstance(given, tuple) else (given,))]
        found = [part for part in parts if part is not None]
        if found and len(found) == len(parts) <= 3 and all(part.shape == found[0].shape for part in found):
            rows[id] = np.stack(found)
            counts[f"drivers.{id}"] = rows[id].shape[1]
    if not counts and not problems:
        problems.append(Problem("variants", "nothing differs", "give lengths, points or driver values (v, n)"))
    if len(set(counts.values())) > 1:
        found_counts = ", ".join(f"{key}: {count}" for key, count in counts.items())
        problems.append(Problem("variants", f"numbers of variants differ ({found_counts})", "one value a variant"))
    if problems:
        raise InputError(problems, mechanism.title)
    return next(iter(counts.values())), exact, places, rows


def _numbers(given: Any, ndim: int) -> Floats | None:
    """Return finite numbers as an array of so many dimensions; None if they are not."""
    try:
        values = np.asarray(given)
    except ValueError:
        return None
    if values.dtype.kind not in "iuf" or values.ndim != ndim or not values.size or not np.isfinite(values).all():
        return None
    return values.astype(np.float64)
