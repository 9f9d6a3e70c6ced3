"""Limits that a motion misses, and strokes that its samples miss, in words and in the units of the mechanism's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.design.between_samples import beyond_samples
from structkin.design.measures import SQUARED_SINE, Limit, Measure, dyads_of, output
from structkin.errors import Problem
from structkin.joints.sliding import Sliding
from structkin.model.mechanism import Mechanism
from structkin.model.units import decimal
from structkin.numerical_tolerances import EQUAL_DATA, VISIBLE
from structkin.solve.motion.motion import Motion
from structkin.solve.sensitivity.parameters import Parameter
from structkin.types import Floats


def sides_of(limit: Limit, values: Floats) -> list[Floats]:
    """Return how far inside a limit numbers are: above the lower side, below the upper one, of those that there are."""
    found = [values - limit.low] if np.isfinite(limit.low) else []
    return [*found, limit.high - values] if np.isfinite(limit.high) else found


def in_parts(limit: Limit, start: Motion, parameters: Sequence[Parameter]) -> Limit:
    """Return a limit in parts of its size, so that it is held and missed alike in every unit.

    The size is its larger bound. Of bounds that are zero it is that of the mechanism for lengths, and a radian for
    angles; for others it is the largest number at the start, or what the reach of a parameter makes of one.
    """
    measure = limit.measure
    size = max(abs(x) for x in (limit.low, limit.high) if np.isfinite(x))
    if not size and (kind := _kind(measure, start.mechanism)) in ("length", "angle"):
        size = abs(measure.weight) * (start.mechanism.size if kind == "length" else 1.0)
    elif not size:
        slopes = measure.jacobian(start, [one.name for one in parameters]) * [one.reach for one in parameters]
        size = float(max(np.abs(measure.values(start)).max(), np.nan_to_num(np.abs(slopes)).max(initial=0.0)))
    size = size or 1.0
    return measure.times(1.0 / size).between(limit.low / size, limit.high / size)


def share_missed(limit: Limit, motion: Motion) -> float:
    """Return by how much the worst number of a motion misses a limit; zero if none does."""
    return -float(np.concatenate(sides_of(limit, limit.measure.values(motion))).min(initial=0.0))


def contradictions(objective: Sequence[Measure], limits: Sequence[Limit], mechanism: Mechanism) -> list[Problem]:
    """Return which wishes for the same numbers, of equal weight, cannot be true together.

    Of drivers that the mechanism does not have there are none: the measures themselves say that.
    """
    found = []
    for one, other in combinations([one for one in objective if one.wanted is not None], 2):
        if one.words == other.words and _differ(one.wanted, other.wanted):
            hint = "leave one out, or give them weights that differ"
            found.append(Problem(one.words.rstrip(","), "has two aims that differ", hint))
    for low, high in permutations(limits, 2):
        kind, of = low.measure.kind, low.measure.of
        known = (kind or of) and (kind not in ("range", "effort") or of in mechanism.drivers)
        if known and low.measure.words == high.measure.words and low.low > high.high:
            scale, unit = _unit(low.measure, mechanism)
            least, most = (f"{decimal(end / scale, 5)}{unit}" for end in (low.low, high.high))
            message = f"at least {least} and at most {most} contradict each other"
            found.append(Problem(low.measure.words, message, "leave one of the limits out"))
    return found


def _differ(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    """Return whether two aims of one shape differ; not where one is NaN, and nothing is wanted."""
    if a is None or b is None or a.shape != b.shape:
        return False
    return bool((np.abs(a - b) > EQUAL_DATA * (np.abs(a) + np.abs(b))).any())


def missed_limits(limits: Sequence[Limit], parts: Sequence[Limit], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each limit that is missed, in its `parts`, about the number that misses it most."""
    for limit, part in zip(limits, parts, strict=True):
        if share_missed(part, motion) <= VISIBLE:
            continue
        values = np.ravel(limit.measure.values(motion))
        low, high = limit.low - values, values - limit.high
        k = int(np.nanargmax(np.maximum(low, high)))
        wanted, bound, short = (
            ("at least", limit.low, "too little") if low[k] > high[k] else ("at most", limit.high, "too much")
        )
        name, shown, unit = _reading(limit.measure, motion, k)
        away = decimal(abs(shown(values[k]) - shown(bound)), 3)
        has, asked = (f"{decimal(shown(value), 5)}{unit}" for value in (values[k], bound))
        yield f"{name} is {has}, {wanted} {asked} is wanted ({away}{unit} {short})"


def missed_between(limits: Sequence[Limit], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each limit of numbers over the samples that these keep, but not the motion between them."""
    n = len(motion)
    for limit in limits:
        values = np.ravel(limit.measure.values(motion))
        if len(values) != n and limit.measure.kind not in ("closing", "transmission"):
            continue
        for row, numbers in enumerate(values.reshape(-1, n)):
            name, shown, unit = _reading(limit.measure, motion, row * n)
            below, above = beyond_samples(numbers)
            ends = (-1.0, limit.low, numbers.min(), below), (1.0, limit.high, numbers.max(), above)
            for side, bound, end, past in ends:
                beyond = side * (end - bound) + past
                least = VISIBLE * max(abs(bound), float(np.ptp(numbers)))
                if least < beyond <= past + least:
                    away = decimal(abs(shown(end + side * past) - shown(bound)), 2)
                    asked = f"{decimal(shown(bound), 5)}{unit}"
                    yield f"between the samples {name} goes beyond the limit of {asked} by about {away}{unit}"


def missed_aims(objective: Sequence[Measure], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each measure whose aim is not met, about the number that is farthest from it."""
    for measure in objective:
        if measure.wanted is None or not measure.weight:
            continue
        values = np.ravel(measure.values(motion)) / measure.weight
        k = int(np.abs(values).argmax())
        _, shown, unit = _reading(measure, motion, k)
        size = motion.mechanism.size if _kind(measure, motion.mechanism) == "length" else 1.0
        if abs(values[k]) > VISIBLE * size:
            most = "up to " if len(values) > 1 else ""
            yield f"{measure.words} is {most}{decimal(shown(abs(values[k]) if most else values[k]), 3)}{unit}"


def _kind(measure: Measure, mechanism: Mechanism) -> str:
    if measure.kind == "range":
        return mechanism.drivers[measure.of].quantity
    return output_kind(mechanism, measure.of) if measure.kind in ("output", "stroke") else measure.kind


def _reading(measure: Measure, motion: Motion, k: int) -> tuple[str, Callable[[float], float], str]:
    """Return the name of a number of a measure, what turns it into a unit of the file, and that unit."""
    units = motion.mechanism.units
    if measure.kind in ("closing", "transmission"):
        steps = motion.plan.with_root if measure.kind == "closing" else dyads_of(motion)
        step = motion.plan.steps[steps[k // len(motion)]]
        dyad = ", ".join(motion.structure.groups[step.group].links) or f"group {step.group + 1}"
        if getattr(step.kind, "name", "") not in SQUARED_SINE:
            return f"the discriminant of {dyad}", float, ""
        turn = units.scale("angle")
        return (
            f"the transmission angle of {dyad}",
            lambda value: float(np.arcsin(np.sqrt(np.clip(value, 0.0, 1.0)))) / turn,
            f" {units.angle}",
        )
    scale, unit = _unit(measure, motion.mechanism)
    return measure.words, lambda value: float(value) / scale, unit


def _unit(measure: Measure, mechanism: Mechanism) -> tuple[float, str]:
    """Return the unit of a measure's numbers in SI, and its sign behind a number."""
    units, kind = mechanism.units, _kind(measure, mechanism)
    if kind == "effort":
        unit = "N m" if mechanism.drivers[measure.of].quantity == "angle" else "N"
    else:
        unit = {"length": units.length, "angle": units.angle, "closing": "", "transmission": ""}.get(kind, kind)
    return units.scale(kind), f" {unit}" if unit else ""


def missed_strokes(measures: Sequence[Measure], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each link or joint whose stroke is measured and goes on between the samples."""
    units = motion.mechanism.units
    for of in dict.fromkeys(measure.of for measure in measures if measure.kind == "stroke"):
        past, kind = sum(beyond_samples(output(motion, of))), output_kind(motion.mechanism, of)
        if past > 0:
            far = f"{decimal(past / units.scale(kind), 2)} {getattr(units, kind)}"
            yield f"the stroke of {of} is that of {len(motion)} samples, the true one is longer by about {far}"


def output_kind(mechanism: Mechanism, of: str) -> str:
    """Return whether what a joint or link puts out is a "length" or an "angle"."""
    sliding = mechanism.joints.of(Sliding)
    return sliding[of].measure if of in sliding and of not in mechanism.links else "angle"
