"""Limits that a motion misses, and strokes that its samples miss, in words and in the units of the mechanism's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from structkin.design.between_samples import beyond_samples
from structkin.design.measures import Limit, Measure, output
from structkin.errors import Problem
from structkin.joints.sliding import Sliding
from structkin.model.units import decimal
from structkin.numerical_tolerances import VISIBLE
from structkin.solve.motion.motion import Motion
from structkin.types import Floats

#: Dyads whose discriminant is the squared sine of their transmission angle.
_SQUARED_SINE = ("RRR", "RRP")


def sides_of(limit: Limit, values: Floats) -> list[Floats]:
    """Return how far inside a limit numbers are: above the lower side, below the upper one, of those that there are."""
    found = [values - limit.low] if np.isfinite(limit.low) else []
    return [*found, limit.high - values] if np.isfinite(limit.high) else found


def share_missed(limit: Limit, motion: Motion) -> float:
    """Return by how much the worst number of a motion misses a limit, relative to its size; zero if none does."""
    size = max([abs(x) for x in (limit.low, limit.high) if np.isfinite(x)]) or 1.0
    sides = np.concatenate(sides_of(limit, limit.measure.values(motion)))
    return max(0.0, -float(sides.min(initial=0.0)) / size)


def contradictions(objective: Sequence[Measure], limits: Sequence[Limit], motion: Motion) -> list[Problem]:
    """Return which wishes for the same numbers, of equal weight, cannot be true together."""
    found = []
    for one, other in combinations([one for one in objective if one.aimed], 2):
        if one.words == other.words:
            a, b = (np.ravel(measure.values(motion)) for measure in (one, other))
            if ((a != b) & (a != 0) & (b != 0)).any():  # zero where nothing is wanted
                hint = "leave one out, or give them weights that differ"
                found.append(Problem(one.words.rstrip(","), "has two aims that differ", hint))
    for low, high in permutations(limits, 2):
        known = low.measure.kind or low.measure.of
        if known and low.measure.words == high.measure.words and low.low > high.high:
            message = f"at least {low.low:g} and at most {high.high:g} contradict each other"
            found.append(Problem(low.measure.words, message, "leave one of the limits out"))
    return found


def missed_limits(limits: Sequence[Limit], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each limit that is missed, about the number that misses it most."""
    for limit in limits:
        if share_missed(limit, motion) <= VISIBLE:
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


def missed_aims(objective: Sequence[Measure], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each measure whose aim is not met, about the number that is farthest from it."""
    for measure in objective:
        if not measure.aimed or not measure.weight:
            continue
        values = np.ravel(measure.values(motion)) / measure.weight
        k = int(np.abs(values).argmax())
        _, shown, unit = _reading(measure, motion, k)
        size = motion.mechanism.size if _is_length(measure, motion) else 1.0
        if abs(values[k]) > VISIBLE * size:
            most = "up to " if len(values) > 1 else ""
            yield f"{measure.words} is {most}{decimal(shown(abs(values[k]) if most else values[k]), 3)}{unit}"


def _is_length(measure: Measure, motion: Motion) -> bool:
    kind = _output_kind(motion, measure.of) if measure.kind in ("output", "stroke") else measure.kind
    return kind == "length"


def _reading(measure: Measure, motion: Motion, k: int) -> tuple[str, Callable[[float], float], str]:
    """Return the name of a number of a measure, what turns it into a unit of the file, and that unit."""
    m = motion.mechanism
    units, kind = m.units, measure.kind
    if kind == "closing":
        step = motion.plan.steps[motion.plan.with_root[k // len(motion)]]
        dyad = ", ".join(motion.structure.groups[step.group].links) or f"group {step.group + 1}"
        if getattr(step.kind, "name", "") not in _SQUARED_SINE:
            return f"the discriminant of {dyad}", float, ""
        scale = units.scale("angle")
        return (
            f"the transmission angle of {dyad}",
            lambda value: float(np.arcsin(np.sqrt(np.clip(value, 0.0, 1.0)))) / scale,
            f" {units.angle}",
        )
    if kind in ("output", "stroke"):
        kind = _output_kind(motion, measure.of)
    if kind == "effort":
        unit = "N m" if m.drivers[measure.of].kind == "angle" else "N"
    else:
        unit = {"length": units.length, "angle": units.angle}.get(kind, kind)
    return measure.words, lambda value: float(value) / units.scale(kind), f" {unit}" if unit else ""


def missed_strokes(measures: Sequence[Measure], motion: Motion) -> Iterator[str]:
    """Yield a sentence for each link or joint whose stroke is measured and goes on between the samples."""
    units = motion.mechanism.units
    for of in dict.fromkeys(measure.of for measure in measures if measure.kind == "stroke"):
        past, kind = sum(beyond_samples(output(motion, of))), _output_kind(motion, of)
        if past > 0:
            far = f"{decimal(past / units.scale(kind), 2)} {getattr(units, kind)}"
            yield f"the stroke of {of} is that of {len(motion)} samples, the true one is longer by about {far}"


def _output_kind(motion: Motion, of: str) -> str:
    """Return whether what a joint or link puts out is a "length" or an "angle"."""
    sliding = motion.mechanism.joints.of(Sliding)
    return "length" if of in sliding and sliding[of].measure == "length" else "angle"
