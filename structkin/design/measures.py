"""Measures of a motion that a design improves or limits: numbers (k,) and their derivatives by parameters (k, p).

    path("P", places)      the way of a point to the place wanted at each sample        2 n numbers [m]
    angle("link", angles)  that of a link's angle: function generation                  n numbers [rad]
    travel("J", values)    that of the travel along a prismatic joint or slot           n numbers [m or rad]
    closing()              how far each dyad is from a limit position, the squared sine of a transmission angle
    stroke("J", length)    the range of a travel, or of a link's angle, over the samples, less a wanted one
    driver_range("D", z)   how far a driver moves between its limits, less a wanted range       1 number [rad or m]
    dwell("J", 10, 30)     how far a travel, or a link's angle, is from its mean over some samples, where it should rest
    time_ratio("J", 1.5)   the time of the slower of both strokes by that of the faster, less a wanted one: quick return
    coordinate("P", "x")   that of a point at each sample: a region for it, or for a pivot      n numbers [m]
    extent()               width and height of the mechanism over the samples                   2 numbers [m]
    grashof([*"ABCD"])        by how much a four-bar satisfies Grashof's condition                 1 number [m]

An objective is the sum of the squares of all numbers; of `measure.peak()` only the largest counts. Another measure is
a `Measure` with functions of one's own: both are given the motion, the second also the names of the parameters, as
`Motion.sensitivity` takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.joints.sliding import Sliding
from structkin.model.topology import suggest
from structkin.numerical_tolerances import VISIBLE
from structkin.solve.engine import discriminant
from structkin.solve.motion.motion import Motion
from structkin.solve.motion.swing import ratio_slopes
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.solve.sensitivity.sensitivity import Sensitivity
from structkin.solve.sensitivity.varied_plan import FINE, WEIGHTS, variants_beside
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.branches.limits import Limits

#: Dyads whose discriminant is the squared sine of their transmission angle.
SQUARED_SINE = ("RRR", "RRP")


@checked
@dataclass(frozen=True, repr=False, eq=False)
class Measure:
    """Numbers of a motion: `values(motion)` (k,) and `jacobian(motion, names)` (k, p); `words` say what they are.

    `kind` and `of` say in which unit a message shows them: "length" or "angle", "output" or "stroke" of a joint or
    link, "range" or "effort" of a driver, "closing", or the name of an SI unit; of one's own measure they are empty.
    `wanted` is what is aimed at, if the numbers are zero where an aim is met: one or one for each sample, NaN where
    nothing is wanted, of angles their unit vectors. `weight` is by what the numbers have been multiplied.
    """

    words: str
    values: Callable[[Motion], Floats]
    jacobian: Callable[[Motion, Sequence[str]], Floats]
    kind: str = ""
    of: str = ""
    wanted: NDArray[Any] | None = None
    weight: float = 1.0

    def __repr__(self) -> str:
        """Return what is measured."""
        return f"<Measure: {self.words}>"

    def times(self, factor: float) -> Measure:
        """Return the measure multiplied by a number: its weight beside others, such as 1 / (1 mm)."""
        return Measure(
            f"{factor:g} times {self.words}",
            lambda motion: factor * self.values(motion),
            lambda motion, names: factor * self.jacobian(motion, names),
            "" if self.kind == "closing" else self.kind,
            self.of,
            self.wanted,
            factor * self.weight,
        )

    def between(self, low: float | None = None, high: float | None = None) -> Limit:
        """Return the constraint that all its numbers are between these, one of which may be None.

        Raises `InputError` where neither is given, or they are reversed, not numbers, or beyond all numbers.
        """
        least, most = -np.inf if low is None else low, np.inf if high is None else high
        if not least <= most or least == -most == -np.inf or least == np.inf or most == -np.inf:
            message = f"expected limits that are not reversed, found {low} and {high}"
            raise InputError(
                [Problem("between", message, "such as between(0.1, 0.2), or between(high=0.2)")], self.words
            )
        return Limit(self, least, most)

    def peak(self) -> Peak:
        """Return the wish that the largest of its numbers, of either sign, is as small as possible.

        These are the numbers at the samples; between few samples a peak may be larger.
        """
        return Peak(self)


@checked
@dataclass(frozen=True, repr=False)
class Peak:
    """An objective: the largest absolute value of the numbers of a measure, such as the peak of a torque."""

    measure: Measure

    def __repr__(self) -> str:
        """Return what is to be small."""
        return f"<Peak of {self.measure.words}>"

    def value(self, motion: Motion) -> float:
        """Return the largest absolute value."""
        return float(np.abs(self.measure.values(motion)).max())


@checked
@dataclass(frozen=True, repr=False)
class Limit:
    """A constraint: all numbers of a measure are at least `low` and at most `high`."""

    measure: Measure
    low: float
    high: float

    def __repr__(self) -> str:
        """Return the constraint in words."""
        return f"<Limit: {self.low:g} <= {self.measure.words} <= {self.high:g}>"


def _aim(wanted: float) -> Floats | None:
    """Return one number that is aimed at; zero says that nothing is."""
    return np.array([wanted]) if wanted else None


@checked
def path(point: str, places: ArrayLike) -> Measure:
    """Return the way (2 n,) [m] of a point to the places (n, 2) wanted at the samples; NaN where none is wanted."""
    wanted = np.asarray(places, float)

    def values(motion: Motion) -> Floats:
        _require(wanted, (len(motion), 2), f"path of {point}", motion)
        return np.asarray(np.nan_to_num(motion.position(point) - wanted).ravel())

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        found = motion.sensitivity(point, to=names, kind="point")
        return np.asarray((found * np.isfinite(wanted)[..., None]).reshape(-1, found.shape[-1]))

    return Measure(f"the way of {point} to its places", values, jacobian, "length", wanted=wanted)


@checked
def angle(link: str, angles: ArrayLike) -> Measure:
    """Return the way (n,) [rad] of a link to its wanted angles (n,), the shorter way round; NaN for none."""
    wanted = np.asarray(angles, float)

    def values(motion: Motion) -> Floats:
        _require(wanted, (len(motion),), f"angle of {link}", motion)
        away = motion.angle(link) - wanted
        return np.asarray(np.nan_to_num(away - 2 * np.pi * np.round(away / (2 * np.pi))))

    return Measure(
        f"the way of {link} to its angles",
        values,
        lambda motion, names: motion.sensitivity(link, to=names, kind="link") * np.isfinite(wanted)[:, None],
        "angle",
        wanted=np.exp(1j * wanted),
    )


@checked
def travel(joint: str, values: ArrayLike) -> Measure:
    """Return the way (n,) [m or rad] of a prismatic joint or slot to its wanted travels (n,); NaN for none."""
    wanted = np.asarray(values, float)

    def away(motion: Motion) -> Floats:
        _require(wanted, (len(motion),), f"travel of {joint}", motion)
        return np.asarray(np.nan_to_num(motion.travel(joint) - wanted))

    return Measure(
        f"the way of {joint} to its travels",
        away,
        lambda motion, names: motion.travel_sensitivity(joint, to=names) * np.isfinite(wanted)[:, None],
        "output",
        joint,
        wanted=wanted,
    )


@checked
def stroke(of: str, wanted: float = 0.0) -> Measure:
    """Return the range (1,) over the samples of a joint's travel, or of a link's angle, less a wanted one.

    It is that between two samples, so a stroke is as exact as the samples are dense.
    """

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        found, values = _slopes(motion, of, names), output(motion, of)
        return np.asarray((found[values.argmax()] - found[values.argmin()])[None])

    words = f"the stroke of {of}{', less the wanted one,' if wanted else ''}"
    return Measure(
        words,
        lambda motion: np.array([np.ptp(output(motion, of)) - wanted]),
        jacobian,
        "stroke",
        of,
        wanted=_aim(wanted),
    )


@checked
def driver_range(driver: str, wanted: float = 0.0) -> Measure:
    """Return how far (1,) [rad or m] a driver moves between its limits, less a wanted range; see `Mechanism.limits`.

    It is the range from the sketch with the other drivers held there, whatever the samples are, exact to rounding; its
    derivatives are those of `Limits.sensitivity` or, where that has none because several groups become singular
    together, differences. They are NaN where it has a kink, as where another group becomes the one that ends it. Where
    the driver turns fully, or no limit is found, the range is infinite, which only a limit without a highest value
    allows. Raises `InputError` for an unknown driver when it is measured.
    """

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        lower, upper = _limits(motion, driver).sensitivity(to=names)
        found = upper - lower
        for k in np.flatnonzero(np.isnan(found)).tolist():
            found[k] = _range_slope(motion, driver, names, k)
        return np.asarray(found[None])

    return Measure(
        f"the range of {driver}{', less the wanted one,' if wanted else ''}",
        lambda motion: np.array([_width(_limits(motion, driver)) - wanted]),
        jacobian,
        "range",
        driver,
        wanted=_aim(wanted),
    )


def _limits(motion: Motion, driver: str) -> Limits:
    """Return the limits of a driver, kept with the motion: its range and its derivatives ask for them in turn."""
    known: dict[str, Limits] = vars(motion).setdefault("_limits", {})
    if driver not in known:
        known[driver] = motion.mechanism.limits(driver)
    return known[driver]


def _width(found: Limits) -> float:
    """Return how far a driver moves [rad or m]; infinite where a search without a range ended before a limit."""
    is_open = any(end is not None and end.kind == "range" for end in (found.lower, found.upper))
    return np.inf if is_open else found.width


def _range_slope(motion: Motion, driver: str, names: Sequence[str], k: int) -> float:
    """Return the derivative of a driver's range by one of some parameters, from differences; NaN at a kink."""
    m = motion.mechanism
    parameters = read_parameters(m, names)
    own, one = _width(_limits(motion, driver)), parameters[k]
    if not np.isfinite(own):
        return np.nan
    try:
        away = np.array([_width(beside.limits(driver)) for beside in variants_beside(m, one, parameters)]) - own
    except InputError:
        return np.nan
    # Of s |x| + c x^2 the even parts at one and at two steps leave s.
    kink = abs(4 * (away[0] + away[1]) - (away[2] + away[3])) * FINE / 4
    return float(np.array(WEIGHTS) @ away) * FINE / one.reach if kink <= VISIBLE * own else np.nan


@checked
def dwell(of: str, first: int, last: int) -> Measure:
    """Return how far a joint's travel, or a link's angle, is from its mean over the samples first to last (k,).

    Both ends are included; the sum of squares is least where it rests. Raises `InputError` for samples that do not
    rise, and where there is no such sample when it is measured.
    """
    if not 0 <= first < last:
        problem = Problem("first", f"the samples {first} to {last} do not rise from zero", "such as 10, 30")
        raise InputError([problem], f"dwell of {of}")

    def resting(motion: Motion, values: Floats) -> Floats:
        if last >= len(motion):
            problem = Problem("last", f"there is no sample {last}", f"the motion has {len(motion)}")
            raise InputError([problem], motion.mechanism.title)
        part = values[first : last + 1]
        return np.asarray(part - part.mean(axis=0))

    return Measure(
        f"the rest of {of} over the samples {first} to {last}",
        lambda motion: resting(motion, output(motion, of)),
        lambda motion, names: resting(motion, _slopes(motion, of, names)),
        "output",
        of,
    )


@checked
def time_ratio(of: str, wanted: float = 0.0) -> Measure:
    """Return the time ratio (1,) of a link or a joint that slides, less a wanted one; see `Motion.swing`.

    The motion has to be a whole cycle by the laws of its drivers. Raises `InputError` where it is not, or the output
    does not go to and fro, when it is measured.
    """
    return Measure(
        f"the time ratio of {of}{', less the wanted one,' if wanted else ''}",
        lambda motion: np.array([motion.swing(of).ratio - wanted]),
        lambda motion, names: ratio_slopes(motion, of, names)[None],
        of=of,
        wanted=_aim(wanted),
    )


@checked
def coordinate(point: str, axis: Literal["x", "y"]) -> Measure:
    """Return a coordinate (n,) [m] of a point at the samples; between limits it is a region for it, or for a pivot."""
    k = "xy".index(axis)
    return Measure(
        f"{axis} of {point}",
        lambda motion: motion.position(point)[:, k],
        lambda motion, names: motion.sensitivity(point, to=names, kind="point")[:, k],
        "length",
    )


@checked
def extent(points: Sequence[str] = ()) -> Measure:
    """Return width and height (2,) [m] of what some points, by default all, cover over the samples."""

    def ends(motion: Motion) -> list[list[tuple[int, str]]]:
        """Return sample and point with the largest and the least x, then y."""
        names = points or tuple(motion.mechanism.places)
        every = np.stack([motion.position(name) for name in names], axis=1)
        flat = every.reshape(-1, 2)
        both = zip(flat.argmax(axis=0).tolist(), flat.argmin(axis=0).tolist(), strict=True)
        return [[(at // len(names), names[at % len(names)]) for at in pair] for pair in both]

    def values(motion: Motion) -> Floats:
        found = [[motion.position(name)[at, k] for at, name in pair] for k, pair in enumerate(ends(motion))]
        return np.array([most - least for most, least in found])

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        rows = [
            [motion.sensitivity(name, to=names, kind="point")[at, k] for at, name in pair]
            for k, pair in enumerate(ends(motion))
        ]
        return np.array([most - least for most, least in rows])

    return Measure("width and height", values, jacobian, "length")


@checked
def grashof(pins: Sequence[str]) -> Measure:
    """Return by how much (1,) [m] a four-bar with these four pins, in the order of its loop, has a link that can turn.

    That is the sum of the two other lengths less that of the shortest and the longest; at least zero is Grashof's
    condition, `grashof([*"ABCD"]).between(low=0)`. It is the shortest link that turns fully against its neighbours
    (F. Grashof, Theoretische Maschinenlehre, 1883). Raises `InputError` unless there are four different pins.
    """
    if len(pins) != 4 or len(set(pins)) != 4:
        problem = Problem(
            "pins", f"expected four different ones, found {', '.join(pins) or 'none'}", 'such as ["A", "B", "C", "D"]'
        )
        raise InputError([problem], "grashof")

    def sides(motion: Motion) -> tuple[Floats, Floats]:
        """Return the lengths (4,), and by how much each counts."""
        places = np.stack([motion.position(pin)[0] for pin in pins])
        length = np.linalg.norm(np.roll(places, -1, axis=0) - places, axis=1)
        weight = np.ones(4)
        weight[[length.argmin(), length.argmax()]] = -1.0
        return length, weight

    def values(motion: Motion) -> Floats:
        length, weight = sides(motion)
        return np.array([weight @ length])

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        length, weight = sides(motion)
        places = np.stack([motion.position(pin)[0] for pin in pins])
        by = np.stack([motion.sensitivity(pin, to=names, kind="point")[0] for pin in pins])
        apart, turned = np.roll(places, -1, axis=0) - places, np.roll(by, -1, axis=0) - by
        return np.asarray(np.einsum("k,kc,kcp->p", weight / length, apart, turned)[None])

    return Measure(f"Grashof's condition of {'-'.join(pins)}", values, jacobian, "length")


def output(motion: Motion, of: str) -> Floats:
    """Return the angle (n,) [rad] of a link, or the travel of a joint; `InputError` where there is neither."""
    m = motion.mechanism
    if of not in m.links and of not in m.joints.of(Sliding):
        known = (*m.links, *m.joints.of(Sliding))
        raise InputError([Problem(of, "is neither a link nor a joint that slides", suggest(of, known))], m.title)
    return motion.angle(of) if of in motion.mechanism.links else motion.travel(of)


def _slopes(motion: Motion, of: str, names: Sequence[str]) -> Floats:
    """Return its derivatives (n, p)."""
    if of in motion.mechanism.links:
        return motion.sensitivity(of, to=names, kind="link")
    return motion.travel_sensitivity(of, to=names)


@checked
def closing() -> Measure:
    """Return the discriminant of each dyad at each sample (k n,), zero at a limit position.

    Of an RRR dyad that is the squared sine of its transmission angle: `closing().between(low=np.sin(mu) ** 2)` keeps
    all of them mu from 0 and pi; for the other dyads see the theory. Where a dyad cannot close, it is negative, and NaN
    where a group before it cannot. Groups without a closed form have none.
    """

    def values(motion: Motion) -> Floats:
        found = [discriminant(motion.plan, k, motion.lanes) for k in motion.plan.with_root]
        return np.concatenate([np.zeros(0), *found])

    def jacobian(motion: Motion, names: Sequence[str]) -> Floats:
        found = Sensitivity.of(motion, names).closing()
        return found.reshape(-1, found.shape[-1])

    return Measure("the discriminants of the dyads", values, jacobian, "closing")


def transmission() -> Measure:
    """Return the squared sine (k n,) of the transmission angle of each dyad of `dyads_of` at each sample."""

    def rows(motion: Motion, values: Floats) -> Floats:
        """Return those of these dyads among the numbers of `closing`."""
        every = values.reshape(len(motion.plan.with_root), len(motion), *values.shape[1:])
        found = every[[motion.plan.with_root.index(k) for k in dyads_of(motion)]]
        return np.asarray(found.reshape(-1, *values.shape[1:]))

    every = closing()
    return Measure(
        "the squared sines of the transmission angles",
        lambda motion: rows(motion, every.values(motion)),
        lambda motion, names: rows(motion, every.jacobian(motion, names)),
        "transmission",
    )


def dyads_of(motion: Motion) -> list[int]:
    """Return the steps that close the RRR and RRP dyads, whose discriminant is a squared sine, one for each group.

    A link that a cylinder turns is closed like a dyad, but has no transmission angle: it is no group of class II.
    """
    plan = motion.plan
    last = {plan.steps[k].group: k for k in plan.with_root if getattr(plan.steps[k].kind, "name", "") in SQUARED_SINE}
    return [k for group, k in last.items() if plan.structure.groups[group].class_ == "II"]


def _require(wanted: Floats, shape: tuple[int, ...], what: str, motion: Motion) -> None:
    """Raise `InputError` unless there is one value for each sample."""
    if wanted.shape != shape:
        problem = Problem(what, f"expected one for each sample, {shape}, found an array {wanted.shape}")
        raise InputError([problem], motion.mechanism.title)
