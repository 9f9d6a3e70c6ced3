"""Limits that a motion misses, in words: which number, by how much, in the units of the mechanism's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from structkin.design.measures import Limit
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
        name, shown, unit = _reading(limit, motion, k)
        away = decimal(abs(shown(values[k]) - shown(bound)), 3)
        has, asked = (f"{decimal(shown(value), 5)}{unit}" for value in (values[k], bound))
        yield f"{name} is {has}, {wanted} {asked} is wanted ({away}{unit} {short})"


def _reading(limit: Limit, motion: Motion, k: int) -> tuple[str, Callable[[float], float], str]:
    """Return the name of a number of a limit, what turns it into a unit of the file, and that unit."""
    m, measure = motion.mechanism, limit.measure
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
    if kind == "output":
        joint = m.joints.get(measure.of)
        kind = "length" if isinstance(joint, Sliding) and joint.measure == "length" else "angle"
    if kind == "effort":
        unit = "N m" if m.drivers[measure.of].kind == "angle" else "N"
    else:
        unit = {"length": units.length, "angle": units.angle}.get(kind, kind)
    return measure.words, lambda value: float(value) / units.scale(kind), f" {unit}" if unit else ""
