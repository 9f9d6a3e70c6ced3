"""Tolerance zones: between which values a dimension lies, how it scatters there, and the play of a pin in its hole.

A tolerance is one number (plus and minus), a pair of deviations (lower, upper), or {"sigma": s}, the standard deviation
of a normal distribution about the nominal value, whose limits are taken to be three of these.

A pin of clearance c, the difference of the radii of hole and pin, lies somewhere in a circle of radius c about the
centre of its hole: uniformly, or in the worst direction (Garrett & Hall, Effect of tolerance and clearance in linkage
design, J. Eng. Ind. 91, 1969; Mallik & Dhande, Analysis and synthesis of mechanical error in path-generating linkages
using a stochastic approach, Mech. Mach. Theory 22, 1987). Here the hole is that of the pin's first link, in whose frame
the offset is constant over a motion: that of a crank pin acts as another length of the crank. Guides, slots, wheels and
cams of that link stay; the place of the pin is that in its other links.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import rebuilt
from structkin.model.topology import suggest
from structkin.model.units import decimal
from structkin.numerical_tolerances import ROUNDING, VISIBLE
from structkin.solve.sensitivity.parameters import Parameter, read_parameters, varied
from structkin.solve.study.plans import fixed
from structkin.types import Floats

#: The limits of a normal distribution in standard deviations.
LIMITS = 3.0


@dataclass(frozen=True)
class Zone:
    """Deviations of a number from its nominal value [m, rad or another unit in SI]: limits and how they scatter."""

    parameter: Parameter
    low: float
    high: float
    #: Of a normal distribution about the middle; None for values that are all as likely.
    sigma: float | None

    @property
    def middle(self) -> float:
        """The mean deviation."""
        return 0.5 * (self.low + self.high)

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return (self.high - self.low) / np.sqrt(12.0) if self.sigma is None else self.sigma

    def drawn(self, unit: Floats) -> Floats:
        """Return deviations by numbers between 0 and 1."""
        if self.sigma is None:
            return self.low + (self.high - self.low) * unit
        from scipy.special import ndtri

        least = np.finfo(float).eps  # a Sobol point may be 0, where a normal distribution is infinite
        return np.asarray(self.middle + self.sigma * ndtri(np.clip(unit, least, 1 - least)))

    def keys(self, deviation: Floats) -> dict[str, Floats]:
        """Return numbers (v,) of the file by their keys, as `Mechanism.solve_many` takes them, at deviations (v,)."""
        values = self.parameter.value + deviation
        if self.parameter.is_axis:
            return {f"{self.parameter.name}.0": np.cos(values), f"{self.parameter.name}.1": np.sin(values)}
        return {self.parameter.name: values}


@dataclass(frozen=True)
class Play:
    """A pin and its clearance [m]; the two coordinates of its hole in the sketch."""

    pin: str
    clearance: float
    hole: tuple[Parameter, Parameter]

    def keys(self, offset: Floats) -> dict[str, Floats]:
        """Return the coordinates (v,) of the hole by their keys, at offsets (v, 2) from the pin."""
        return {one.name: one.value + offset[:, k] for k, one in enumerate(self.hole)}


def read_zones(mechanism: Mechanism, given: Mapping[str, Any], *, normal: bool) -> tuple[list[Zone], list[Problem]]:
    """Return the tolerance zones of numbers by their keys, and everything wrong; limits are of `normal` ones or not."""
    problems: list[Problem] = []
    zones: list[Zone] = []
    deviations: dict[str, tuple[float, float, float | None]] = {}
    for name, tolerance in given.items():
        found = deviations_of(tolerance)
        if isinstance(found, str):
            problems.append(Problem(f"parameters.{name}", found, "such as 1e-4, (-1e-4, 2e-4) or {'sigma': 3e-5}"))
        else:
            deviations[str(name)] = found
    try:
        parameters: Sequence[Parameter] = read_parameters(mechanism, given) if given else ()
    except InputError as error:
        return [], problems + [replace(one, key=f"parameters.{one.key}") for one in error.problems]
    for parameter in parameters:
        if parameter.name not in deviations:
            continue
        low, high, sigma = deviations[parameter.name]
        if sigma is None and normal:
            sigma = (high - low) / (2 * LIMITS)
        zone, key = Zone(parameter, low, high, sigma), f"parameters.{parameter.name}"
        problems += [Problem(key, *fault) for own in zone.keys(np.zeros(1)) for fault in fixed(mechanism, own)]
        if parameter.section == "lengths" and parameter.value + low <= 0:
            length, less = (
                f"{decimal(value / parameter.scale, 6)} {mechanism.units.length}" for value in (parameter.value, -low)
            )
            message = f"the length {length} less {less} is not greater than zero"
            problems.append(Problem(key, message, "make the tolerance smaller"))
        zones.append(zone)
    return zones, problems


def of_drivers(
    mechanism: Mechanism, zones: Sequence[Zone], along: Collection[str], given: Mapping[str, Any]
) -> Iterator[str]:
    """Yield in words what tolerances change of drivers with a speed whose values are not given.

    That another value at the start is one of their effects matters for those that are felt `along` the motion.
    """
    parameters = [zone.parameter for zone in zones]
    if any(one.section == "drivers" and one.path[2:] == ("speed",) for one in parameters):
        yield "the times are those of the mechanism itself: at another speed they are another part of the cycle"
    entries = mechanism.source_dict.get("drivers", {})
    with_speed = [id for id in mechanism.drivers if id not in given and "speed" in entries.get(id, {})]
    for one in [one for one in parameters if one.name in along] if with_speed else ():
        drives = varied(mechanism, {one: one.value + VISIBLE * one.reach}).drivers
        for id in with_speed:
            size = 1.0 if drives[id].kind == "angle" else mechanism.size
            if abs(drives[id].start - mechanism.drivers[id].start) > ROUNDING * size:
                start = f"{one.name} also changes the value at which {id} starts"
                yield f"{start}: with a speed it is that of the sketch, with a law it would not change"


def deviations_of(given: Any) -> tuple[float, float, float | None] | str:
    """Return lower and upper deviation and the standard deviation, if that is given; or what is wrong."""
    if isinstance(given, Mapping):
        sigma: Any = given.get("sigma")
        if set(given) != {"sigma"} or not _is_number(sigma) or not sigma > 0:
            return f"expected a standard deviation greater than zero, found {given!r}"
        return -LIMITS * sigma, LIMITS * sigma, float(sigma)
    if _is_number(given):
        return (-float(given), float(given), None) if given > 0 else f"{given:g} is not greater than zero"
    pair = list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else []
    if len(pair) != 2 or not all(map(_is_number, pair)):
        return f"expected a tolerance, found {given!r}"
    low, high = map(float, pair)
    return (low, high, None) if low < high else f"the deviations {low:g} and {high:g} are reversed or equal"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and isfinite(value)


def with_play(mechanism: Mechanism, given: Mapping[str, Any]) -> tuple[Mechanism, list[Play], list[Problem]]:
    """Return a mechanism whose pins have holes beside them that may move, and everything wrong with the clearances."""
    data, problems = mechanism.source_dict, []
    holes: dict[str, tuple[str, float]] = {}
    pins = [joint.id for joint in mechanism.topology.joints if joint.kind == "R" and joint.id in mechanism.places]
    for pin, clearance in given.items():
        key = f"clearances.{pin}"
        if pin not in pins:
            problems.append(Problem(key, "is not a pin", suggest(str(pin), pins)))
        elif not _is_number(clearance) or not clearance > 0:
            units = mechanism.units
            length = f"{clearance / units.length_scale:g} {units.length}" if _is_number(clearance) else repr(clearance)
            message = f"expected a clearance greater than zero, found {length}"
            problems.append(Problem(key, message, "it is the difference of the radii of hole and pin"))
        else:
            holes[pin] = _bore(data, mechanism, pin), float(clearance)
    if problems or not holes:
        return mechanism, [], problems
    played = rebuilt(mechanism, data)
    names = [f"points.{hole}.{x}" for hole, _ in holes.values() for x in "xy"]
    found = iter(read_parameters(played, names))
    return played, [Play(pin, c, (next(found), next(found))) for pin, (_, c) in holes.items()], []


def _bore(data: dict[str, Any], mechanism: Mechanism, pin: str) -> str:
    """Bore a hole for a pin in its first link; return the point of the sketch that says where it is."""
    name = next(joint.links[0] for joint in mechanism.topology.joints if joint.id == pin)
    entry = data["links"][name]
    link = data["links"][name] = dict(entry) if isinstance(entry, Mapping) else {"points": entry}
    bored = link["holes"] = dict(link.get("holes", {}))
    if pin not in bored:
        hole = f"{pin}_hole"
        while hole in data["points"]:
            hole += "_"
        bored[pin], data["points"][hole] = hole, data["points"][pin]
    return str(bored[pin])
