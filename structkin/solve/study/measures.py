"""What a study measures of each variant: named measures of its motion, or functions of `Motions`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.plan.status import Status
from structkin.solve.many.motions import Motions, angles_of
from structkin.solve.many.together import Together
from structkin.solve.study.store import FINISHED, RESERVED
from structkin.types import Flags, Floats

#: What becomes of a quantity (v, n) over the samples. A variant that is not ok at some sample has none: NaN.
REDUCERS: Mapping[str, Callable[[Floats], Floats]] = {
    "min": lambda values: values.min(axis=1),
    "max": lambda values: values.max(axis=1),
    "range": lambda values: np.ptp(values, axis=1),
    "peak": lambda values: np.abs(values).max(axis=1),
    "mean": lambda values: values.mean(axis=1),
}
#: The quantities of a point, of a link, of a dyad and of a driver.
OF_POINT, OF_LINK = ("x", "y", "speed", "acceleration"), ("angle", "omega", "alpha")
QUANTITIES = (*OF_POINT, *OF_LINK, "transmission", "effort")
SAMPLE = "range.angle.rocker, max.speed.P, min.transmission.C, peak.effort.motor, y.P or path.P"


@dataclass(frozen=True)
class Named:
    """A named measure: REDUCER.QUANTITY.NAME, QUANTITY.NAME at every sample, or path.POINT.

    Each variant's motion counts its angles from its own sketch, so those of a link near 180 degrees would differ by a
    turn between variants; with the angles (n,) of the mechanism itself, `near`, each begins within half a turn of them.
    """

    text: str
    near: Floats | None = field(default=None, compare=False)

    @property
    def parts(self) -> tuple[str, str, str]:
        """Its reducer, empty where there is none, its quantity and the name that it is of."""
        first, _, rest = self.text.partition(".")
        if first in QUANTITIES:
            return "", first, rest
        quantity, _, name = rest.partition(".")
        return first, quantity, name

    @property
    def is_one_number(self) -> bool:
        """Whether it is one number for each variant, not one or two for every sample."""
        return not self.text.startswith("path.") and bool(self.parts[0])

    def __call__(self, motions: Motions) -> NDArray[Any]:
        """Return the measure of each variant (v, ...); reduced, NaN where it is not ok at every sample."""
        if self.text.startswith("path."):
            return motions.position(self.text.removeprefix("path."))
        reducer, quantity, name = self.parts
        with np.errstate(invalid="ignore"):
            whole = np.asarray(motions.ok.all(axis=1) if reducer else np.ones(len(motions), bool))
            values = np.where(motions.ok, self._quantity(motions, quantity, name, whole), np.nan)
            return REDUCERS[reducer](values) if reducer else values

    def _quantity(self, motions: Motions, quantity: str, name: str, which: Flags) -> Floats:
        """Return a quantity (v, n), complete in the variants `which` (v,)."""
        if quantity in ("x", "y"):
            return motions.position(name)[..., "xy".index(quantity)]
        if quantity in ("speed", "acceleration"):
            values = motions.velocity(name) if quantity == "speed" else motions.acceleration(name)
            return np.asarray(np.hypot(values[..., 0], values[..., 1]))
        if quantity == "transmission":
            from structkin.branches.limits.transmission import acute

            return acute(motions.transmission_angle(name))
        if quantity == "effort":
            return efforts(motions, name)
        if quantity == "angle":
            values = angles_of(motions, name, which)
            return values if self.near is None else beside(values, self.near)
        found: Floats = getattr(motions, quantity)(name)
        return found

    def unit(self, mechanism: Mechanism) -> str:
        """Return its unit in SI."""
        if self.text.startswith("path."):
            return "m"
        _, quantity, name = self.parts
        if quantity == "effort":
            return "N m" if mechanism.drivers[name].kind == "angle" else "N"
        units = {"angle": "rad", "omega": "rad/s", "alpha": "rad/s^2", "speed": "m/s", "acceleration": "m/s^2"}
        return units.get(quantity, "rad" if quantity == "transmission" else "m")


def beside(angles: Floats, near: Floats) -> Floats:
    """Return angles (v, n) shifted by whole turns, each row so that it begins within half a turn of others (n,).

    >>> beside(np.array([[-3.1, -2.9], [3.1, 3.3]]), np.array([3.1, 3.3])).round(3).tolist()
    [[3.183, 3.383], [3.1, 3.3]]
    """
    away = angles - near
    first = np.take_along_axis(away, np.isfinite(away).argmax(axis=1)[:, None], axis=1)
    return np.asarray(angles - 2 * np.pi * np.round(np.nan_to_num(first) / (2 * np.pi)))


def efforts(motions: Motions, driver: str) -> Floats:
    """Return the torque or force (v, n) [N m or N] of a driver, from the inverse dynamics of each variant."""
    from structkin.dynamics.inverse.kinetostatics import effort_of_variants

    together = effort_of_variants(motions.together) if isinstance(motions.together, Together) else None
    if together is None:
        found = np.full((len(motions), len(motions.t)), np.nan)
        one_by_one = np.flatnonzero(motions.ok.any(axis=1)).tolist()
    else:
        found, one_by_one = together, list(motions.motions)
    for k in one_by_one:
        found[k] = motions.motion(k).forces().driver(driver)
    found[list(motions.faults)] = np.nan
    return found


def status(motions: Motions) -> NDArray[np.int8]:
    """Return the status of each variant (v,): OK, or the first other one along its samples."""
    found = motions.status
    first = np.argmax(found != Status.OK, axis=1)
    return np.asarray(found[np.arange(len(found)), first])


def reached(motions: Motions) -> Floats:
    """Return the part of its samples at which each variant is ok (v,)."""
    return np.asarray(motions.ok.mean(axis=1))


def read_measures(
    mechanism: Mechanism, given: Sequence[str] | Mapping[str, Any], parameters: Collection[str]
) -> tuple[dict[str, Callable[[Motions], Any]], list[Problem]]:
    """Return measures by name, always with `status` and `reached`, and every problem with them."""
    named = given if isinstance(given, Mapping) else {text: text for text in given}
    found: dict[str, Callable[[Motions], Any]] = {"status": status, "reached": reached}
    problems: list[Problem] = []
    for name, measure in named.items():
        key = f"measures.{name}"
        if name in (*found, *parameters, *RESERVED, FINISHED, "") or not name.isprintable():
            problems.append(Problem(key, "cannot be the name of a measure", "give another name"))
        elif callable(measure):
            found[name] = measure
        elif not isinstance(measure, str):
            problems.append(Problem(key, "is neither a name nor a function of motions", f"such as {SAMPLE}"))
        elif problem := _unknown(mechanism, key, measure):
            problems.append(problem)
        else:
            found[name] = Named(measure)
    return found, problems


def _unknown(mechanism: Mechanism, key: str, text: str) -> Problem | None:
    """Return what is wrong with the name of a measure."""
    if text.startswith("path."):
        point = text.removeprefix("path.")
        if point in mechanism.places:
            return None
        return Problem(key, f"'{point}' is not a point", suggest(point, mechanism.places))
    reducer, quantity, name = Named(text).parts
    if (reducer and reducer not in REDUCERS) or quantity not in QUANTITIES or not name:
        return Problem(key, f"'{text}' is not a measure", f"such as {SAMPLE}")
    if quantity == "transmission":
        from structkin.branches.limits.transmission import dyad_of
        from structkin.solve.special_geometry import compile_plan

        try:
            dyad_of(mechanism, compile_plan(mechanism), name)
        except InputError as error:
            return Problem(key, f"'{name}' {error.problems[0].message}", error.problems[0].hint)
        return None
    known: Mapping[str, Any] = mechanism.links
    what = "link"
    if quantity in OF_POINT:
        known, what = mechanism.places, "point"
    elif quantity == "effort":
        known, what = mechanism.drivers, "driver"
    return None if name in known else Problem(key, f"'{name}' is not a {what}", suggest(name, known))
