"""What tolerances of dimensions and clearances of pins make of a motion; see `Mechanism.tolerances`.

With the derivatives S_i of a number y by the dimensions, deviations d_i between l_i and u_i with standard deviations
s_i, and the derivative g (2,) by the offset of a pin with clearance c,

    mean             y + sum S_i (l_i + u_i) / 2
    sigma^2          sum (S_i s_i)^2 + sum |g|^2 c^2 / 4        (a place in a circle has the variance c^2 / 4 each way)
    root sum square  mean +- 3 sigma
    worst case       y + sum max(S_i l_i, S_i u_i) + sum |g| c, and the least alike

(Chase & Parkinson, A survey of research in the application of tolerance analysis to the design of mechanical
assemblies, Res. Eng. Design 3, 1991). Both are linear. The corners that the linear worst case names are solved as well,
each over the whole motion; so are the variants that are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.checked import checked
from structkin.design.between_samples import beyond_samples
from structkin.design.zones import Play, Zone, of_drivers, read_zones, with_play
from structkin.errors import InputError, Problem
from structkin.model.frozen import Frozen
from structkin.model.mechanism import Mechanism
from structkin.model.units import Units, decimal
from structkin.numerical_tolerances import NEGLIGIBLE, NO_SHARE, ROUNDING
from structkin.plan.status import Status
from structkin.solve.motion.motion import Motion
from structkin.solve.sensitivity.parameters import Parameter
from structkin.solve.study.measures import Named, read_measures, status
from structkin.solve.study.plans import too_many
from structkin.solve.study.study import POSES
from structkin.solve.study.work import Job
from structkin.types import Floats

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

#: Quantities whose derivatives are known.
QUANTITIES = ("x", "y", "speed", "angle", "omega")
#: The part of a normal distribution below three standard deviations.
TAIL = 0.0013498980316301035
#: The most variants that are solved at a time: their numbers stay in the caches.
MANY = 1 << 16


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Spread(Frozen):
    """How a measure of some quantity, "x" to "omega", scatters: k numbers, one for each sample or one over all, in SI.

    `nominal` (k,) are those of the mechanism itself; `slopes` (k, d) their derivatives by the d dimensions, of a
    clearance that in the direction in which it is largest; `effects` (k, d) the largest change that each dimension
    makes alone, by its slope; `shares` (k, d) its part of the variance.

    The linear analysis has `mean` and `sigma` (k,), `rss` (k, 2), three sigma about the mean, and `linear_worst`
    (k, 2), least and largest; `worst` (k, 2) are those of the corners that it names, solved. Of the drawn variants are
    `drawn_mean` and `drawn_sigma` (k,), `drawn` (k, 2) with 99.73 % of them between, and `extremes` (k, 2) of those
    within all limits. NaN where there is no number; `lost` (k,) counts the drawn variants without one.
    """

    measure: str
    quantity: str
    unit: str
    dimensions: tuple[str, ...]
    nominal: Floats
    slopes: Floats
    effects: Floats
    shares: Floats
    mean: Floats
    sigma: Floats
    linear_worst: Floats
    worst: Floats
    drawn_mean: Floats
    drawn_sigma: Floats
    drawn: Floats
    extremes: Floats
    lost: Floats

    def __repr__(self) -> str:
        """Return the measure and its widest spread."""
        k = self.widest
        return f"<Spread of {self.measure}: {self.nominal[k]:.6g} {self.unit}, sigma {self.sigma[k]:.3g}>"

    @property
    def rss(self) -> Floats:
        """Three standard deviations about the mean (k, 2), by the root of the sum of squares."""
        return np.stack((self.mean - 3 * self.sigma, self.mean + 3 * self.sigma), axis=1)

    @property
    def widest(self) -> int:
        """The number that scatters most, by the linear analysis; 0 if none is known."""
        return int(np.argmax(np.nan_to_num(self.sigma, nan=-1.0)))

    @property
    def tighten(self) -> str:
        """The dimension with the largest part of the variance where the spread is widest; "" if none has an effect."""
        shares = np.nan_to_num(self.shares[self.widest])
        return self.dimensions[int(np.argmax(shares))] if shares.max(initial=0.0) > 0 else ""

    @property
    def gain(self) -> float:
        """By which part three sigma become narrower if the tolerance of `tighten` is halved."""
        return 1.0 - float(np.sqrt(1.0 - 0.75 * np.nan_to_num(self.shares[self.widest]).max(initial=0.0)))


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Tolerances(Frozen):
    """What tolerances make of a motion: a `Spread` for each measure, linear, in the worst case and drawn.

    `dimensions` are the parameters by their names and the clearances as "clearance.PIN", `zones` (d, 2) their limits as
    deviations [SI], of a clearance those of the offset. `variants` were drawn; `lost` counts those that have not a good
    pose at every sample, by the words of their first other status. `notes` are sentences about what else there is to
    know. Printed, it is a table in the units of the file.
    """

    mechanism: Mechanism
    motion: Motion
    dimensions: tuple[str, ...]
    zones: Floats
    spreads: Mapping[str, Spread]
    variants: int
    lost: Mapping[str, int]
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> Spread:
        """Return the spread of a measure by its name; `InputError` where there is none."""
        if measure not in self.spreads:
            known = ", ".join(self.spreads)
            raise InputError([Problem(measure, "is not one of the measures", f"known: {known}")], self.mechanism.title)
        return self.spreads[measure]

    def __repr__(self) -> str:
        """Return title, dimensions and variants."""
        name = repr(self.mechanism.title or "a mechanism")
        return f"<Tolerances of {name}: {len(self.dimensions)} dimensions, {self.variants} variants>"

    def __str__(self) -> str:
        """Return a table in the units of the file, where each measure scatters most."""
        from structkin.show.tolerance_figure import tolerances_text

        return tolerances_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain data, in SI; unknown ones are None."""
        from structkin.show.tolerance_figure import tolerances_to_dict

        return tolerances_to_dict(self)

    def write_csv(self, target: str | Path | IO[str]) -> None:
        """Write the spreads as a table, one line per measure and sample, in the units of the file.

        Raises `InputError` where the file cannot be written.
        """
        from structkin.show.tolerance_figure import write_tolerances_csv

        write_tolerances_csv(self, target)

    def plot(self) -> Figure:
        """Return a figure: for each measure the bands about its nominal value, and the parts of the dimensions."""
        from structkin import show

        return show.plot_tolerances(self)


def tolerances(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    measures: Sequence[str] | Mapping[str, str],
    clearances: Mapping[str, Any],
    distribution: str,
    variants: int,
    plan: str,
    seed: int,
    samples: int | None,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: float | None,
    budget: float | None,
    progress: Callable[[float], None] | None,
) -> Tolerances:
    """Return what tolerances make of a motion; see `Mechanism.tolerances`."""
    zones, problems = read_zones(mechanism, parameters, normal=distribution == "normal")
    played, plays, wrong = with_play(mechanism, clearances)
    named, faults = named_measures(mechanism, measures)
    problems += wrong + faults
    if not parameters and not clearances:
        problems.append(Problem("parameters", "there are none, and no clearances", 'such as {"lengths.A-B": 1e-4}'))
    for name, value in (("variants", variants - 1), ("seed", seed)):
        if value < 0:
            problems.append(Problem(name, f"{value + (name == 'variants')} is too small", "such as 4096, or seed 0"))
    problems += too_many(variants, "tolerances")
    problems += [
        Problem(f"parameters.{zone.parameter.name}", "the values of this driver are given", "leave one of them out")
        for zone in zones
        if zone.parameter.section == "drivers" and zone.parameter.path[1] in (drivers or {})
    ]
    motion = None
    try:
        motion = mechanism.solve(samples, t=t, drivers=drivers, duration=duration, budget=budget)
    except InputError as error:
        problems += error.problems
    if motion is not None and not motion.ok.any():
        problems.append(Problem("mechanism", "has no good pose at any sample", "start from one that moves"))
    if problems or motion is None:
        raise InputError(problems, mechanism.title or "tolerances")
    motion = played.solve(samples, t=t, drivers=drivers, duration=duration, budget=budget) if plays else motion
    named = {
        name: replace(one, near=motion.angle(one.parts[2])) if one.parts[1] == "angle" else one
        for name, one in named.items()
    }
    job = Job(played, {"status": status, **named}, samples, t, drivers, duration, "auto", budget)
    work = _Work(motion, zones, plays, job)
    slopes = {name: work.slopes(one) for name, one in named.items()}
    nominal = work.rows(work.still(1))
    worst = {name: work.corners(name, slopes[name]) for name in named}
    drawn = _Drawn({name: len(slopes[name]) for name in named}, variants)
    for deviations, offsets in work.draws(variants, plan, seed):
        rows = work.rows((deviations, offsets))
        drawn.add(rows, work.within(deviations), {name: nominal[name].reshape(-1) for name in named})
        if progress is not None:
            progress(drawn.count / variants)
    spreads = {
        name: _spread(name, one, one.unit(mechanism), work, nominal[name].reshape(-1), slopes[name], worst[name], drawn)
        for name, one in named.items()
    }
    dimensions = work.dimensions
    limits = [(zone.low, zone.high) for zone in zones] + [(-play.clearance, play.clearance) for play in plays]
    lost = {one.words: int(n) for one, n in zip(Status, drawn.statuses, strict=True) if n and one != Status.OK}
    notes = [*_notes(motion, spreads, dimensions, lost, variants), *_between(motion, named)]
    along = _felt(spread for name, spread in spreads.items() if not named[name].parts[0])
    notes += of_drivers(mechanism, zones, along, drivers or {})
    return Tolerances(
        mechanism,
        motion,
        dimensions,
        np.array(limits),
        MappingProxyType(spreads),
        variants,
        MappingProxyType(lost),
        tuple(notes),
    )


def named_measures(
    mechanism: Mechanism, given: Sequence[str] | Mapping[str, str]
) -> tuple[dict[str, Named], list[Problem]]:
    """Return the measures by name, and everything wrong with them."""
    read, problems = read_measures(mechanism, given, ())
    found = {name: one for name, one in read.items() if name not in ("status", "reached")}
    named: dict[str, Named] = {}
    for name, one in found.items():
        if isinstance(one, Named) and one.parts[1] in QUANTITIES:
            named[name] = one
        else:
            hint = f"[REDUCER.]QUANTITY.NAME, of {', '.join(QUANTITIES)}, such as max.y.P"
            problems.append(Problem(f"measures.{name}", "has no known derivatives", hint))
    if not given:
        problems.append(Problem("measures", "there are none", 'such as ["max.y.P"]'))
    return named, problems


def _values(measure: Named, motion: Motion) -> Floats:
    """Return the quantity (n,) of a measure at the samples."""
    _, quantity, name = measure.parts
    if quantity in ("x", "y"):
        return motion.position(name)[:, "xy".index(quantity)]
    if quantity == "speed":
        return np.asarray(np.hypot(*motion.velocity(name).T))
    return motion.angle(name) if quantity == "angle" else motion.omega(name)


def _size(motion: Motion, quantity: str) -> float:
    """Return how large a quantity is in a motion, by its mechanism and drivers: what its rounding is a part of."""
    if quantity == "angle":
        return 1.0
    size, drives = motion.size, motion.mechanism.drivers
    if quantity in ("x", "y"):
        return size
    rates = [
        float(np.abs(np.nan_to_num(dz)).max()) / (1.0 if drives[id].kind == "angle" else size)
        for id, (_, dz, _) in motion.drivers.items()
    ]
    return max(rates, default=0.0) * (1.0 if quantity == "omega" else size)


def _slopes(measure: Named, motion: Motion, names: Sequence[str]) -> Floats:
    """Return the derivatives (k, p) of a measure by the parameters; NaN where it has no number."""
    reducer, quantity, name = measure.parts
    values = _values(measure, motion)
    if quantity in ("x", "y"):
        by = motion.sensitivity(name, to=names, kind="point")[:, "xy".index(quantity)]
    elif quantity == "speed":
        found = motion.sensitivity(name, to=names, kind="point", order=1)
        # At rest a speed has a kink: it grows whichever way the velocity changes.
        moving = np.where(values > ROUNDING * _size(motion, quantity), values, np.nan)
        by = np.einsum("nc,ncp->np", motion.velocity(name) / moving[:, None], found)
    else:
        by = motion.sensitivity(name, to=names, kind="link", order=int(quantity == "omega"))
    if not reducer:
        return np.where(motion.ok[:, None], by, np.nan)
    if not motion.ok.all():
        return np.full((1, len(names)), np.nan)
    if reducer == "mean":
        return np.asarray(by.mean(axis=0, keepdims=True))
    first, last = values.argmin(), values.argmax()
    if reducer == "peak":
        at = np.abs(values).argmax()
        return np.asarray(np.sign(values[at]) * by[at : at + 1])
    row = {"min": by[first], "max": by[last], "range": by[last] - by[first]}[reducer]
    return np.asarray(row[None])


#: Deviations of the parameters (v, p), and offsets of the pins (v, q, 2) [m].
Deviations = tuple[Floats, Floats]


@dataclass(frozen=True)
class _Work:
    """The dimensions that vary, and how variants of the motion are solved."""

    motion: Motion
    zones: Sequence[Zone]
    plays: Sequence[Play]
    job: Job

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters by which derivatives are taken: the dimensions, then two coordinates for each pin."""
        return [*(zone.parameter for zone in self.zones), *(one for play in self.plays for one in play.hole)]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions and clearances."""
        return (*(zone.parameter.name for zone in self.zones), *(f"clearance.{play.pin}" for play in self.plays))

    @property
    def size(self) -> int:
        """So many variants are solved at a time: a power of two, as Sobol's sequence wants it."""
        return min(MANY, 1 << max(0, (POSES // len(self.motion)).bit_length() - 1))

    @property
    def carried(self) -> Iterator[tuple[int, int, int]]:
        """Yield which coordinate of the sketch moves a hole: its number, that of the pin, 0 for x or 1 for y."""
        pins = [play.pin for play in self.plays]
        for k, zone in enumerate(self.zones):
            section, name, *rest = zone.parameter.path
            if section == "points" and name in pins:
                yield k, pins.index(str(name)), int(rest[0])

    def slopes(self, measure: Named) -> Floats:
        """Return the derivatives (k, p + 2 q) of a measure by the dimensions and the offsets of the pins.

        Those that are rounding are zero.
        """
        found = _slopes(measure, self.motion, [one.name for one in self.parameters])
        reaches = np.array([one.reach for one in self.parameters])
        found[np.abs(found) * reaches <= ROUNDING * _size(self.motion, measure.parts[1])] = 0.0
        for k, pin, axis in self.carried:
            found[:, k] += found[:, len(self.zones) + 2 * pin + axis]
        return found

    def still(self, count: int) -> Deviations:
        """Return so many variants without any deviation."""
        return np.zeros((count, len(self.zones))), np.zeros((count, len(self.plays), 2))

    def rows(self, deviations: Deviations) -> Mapping[str, Any]:
        """Return the measures (v, ...) of variants, and their status."""
        keys: dict[str, Floats] = {}
        for k, zone in enumerate(self.zones):
            keys |= zone.keys(deviations[0][:, k])
        offsets = deviations[1].copy()
        for k, pin, axis in self.carried:
            offsets[:, pin, axis] += deviations[0][:, k]
        for k, play in enumerate(self.plays):
            keys |= play.keys(offsets[:, k])
        return self.job.rows(keys)

    def within(self, deviations: Floats) -> Any:
        """Return which variants (v,) are within all limits."""
        low, high = (np.array([getattr(zone, side) for zone in self.zones]) for side in ("low", "high"))
        return ((low <= deviations) & (deviations <= high)).all(axis=1)

    def corners(self, name: str, slopes: Floats) -> Floats:
        """Return the least and the largest numbers (k, 2) at the corners that the slopes (k, p + 2 q) name, solved."""
        found = np.full((len(slopes), 2), np.nan)
        known = np.flatnonzero(np.isfinite(slopes).all(axis=1))
        if not len(known):
            return found
        p = len(self.zones)
        low, high = (np.array([getattr(zone, side) for zone in self.zones]) for side in ("low", "high"))
        pins = slopes[known, p:].reshape(len(known), -1, 2)
        with np.errstate(invalid="ignore"):
            toward = np.nan_to_num(pins / np.linalg.norm(pins, axis=2, keepdims=True))
        offsets = toward * np.array([play.clearance for play in self.plays])[:, None]
        for side, sign in enumerate((-1.0, 1.0)):
            rising = sign * slopes[known, :p]
            deviations = np.where(rising > 0, high, np.where(rising < 0, low, 0.0))
            whole = np.concatenate((deviations, sign * offsets.reshape(len(known), -1)), axis=1)
            corners, which = np.unique(whole, axis=0, return_inverse=True)
            for first in range(0, len(corners), self.size):
                part = corners[first : first + self.size]
                values = self.rows((part[:, :p], part[:, p:].reshape(len(part), -1, 2)))[name].reshape(len(part), -1)
                mine = (first <= which) & (which < first + len(part))
                numbers = known[mine] if values.shape[1] > 1 else 0
                found[known[mine], side] = values[which[mine] - first, numbers]
        return found

    def draws(self, count: int, plan: str, seed: int) -> Iterator[Deviations]:
        """Yield so many drawn variants, some at a time."""
        p, q = len(self.zones), len(self.plays)
        width = p + 2 * q
        if plan == "sobol":
            from scipy.stats import qmc

            sequence = qmc.Sobol(width, rng=seed)
        generator = np.random.default_rng(seed)

        size = min(self.size, 1 << int(count - 1).bit_length())
        for first in range(0, count, size):
            unit = (sequence.random(size) if plan == "sobol" else generator.random((size, width)))[: count - first]
            deviations = np.empty((len(unit), p))
            for k, zone in enumerate(self.zones):
                deviations[:, k] = zone.drawn(unit[:, k])
            far, way = np.sqrt(unit[:, p : p + q]), 2 * np.pi * unit[:, p + q :]
            circle = np.stack((far * np.cos(way), far * np.sin(way)), axis=2)
            yield deviations, circle * np.array([play.clearance for play in self.plays])[:, None]


@dataclass
class _Drawn:
    """Moments, tails and extremes of the drawn numbers, gathered part by part: memory does not grow with the variants.

    Of each number the least and the largest so many are kept, which is what its tails take.
    """

    lengths: Mapping[str, int]
    variants: int
    count: int = 0
    statuses: Any = field(default_factory=lambda: np.zeros(len(Status), int))
    sums: dict[str, Floats] = field(default_factory=dict)
    tails: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    extremes: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, k in self.lengths.items():
            self.sums[name] = np.zeros((3, k))
            self.tails[name] = np.empty((0, k)), np.empty((0, k))
            self.extremes[name] = np.stack((np.full(k, np.inf), np.full(k, -np.inf)), axis=1)

    def add(self, rows: Mapping[str, Any], within: Any, nominal: Mapping[str, Floats]) -> None:
        """Add some variants: their numbers, and which are within all limits."""
        self.count += len(within)
        self.statuses += np.bincount(rows["status"], minlength=len(Status))
        keep = int(TAIL * self.variants) + 2
        for name in self.lengths:
            away = rows[name].reshape(len(within), -1) - nominal[name]
            known = np.isfinite(away)
            plain = np.where(known, away, 0.0)
            self.sums[name] += (known.sum(axis=0), plain.sum(axis=0), (plain**2).sum(axis=0))
            low, high = self.tails[name]
            self.tails[name] = (
                _least(np.concatenate((low, np.where(known, away, np.inf))), keep),
                _least(np.concatenate((high, np.where(known, -away, np.inf))), keep),
            )
            inside = known & within[:, None]
            ends = self.extremes[name]
            ends[:, 0] = np.minimum(ends[:, 0], np.where(inside, away, np.inf).min(axis=0))
            ends[:, 1] = np.maximum(ends[:, 1], np.where(inside, away, -np.inf).max(axis=0))

    def numbers(self, name: str) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return count, mean and standard deviation (k,), quantiles and extremes (k, 2), about the nominal values."""
        count, first, second = self.sums[name]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = first / count
            sigma = np.sqrt(np.maximum(second - count * mean**2, 0.0) / (count - 1))
        low, high = (_at_tail(np.sort(tail, axis=0), count) for tail in self.tails[name])
        extremes = self.extremes[name]
        return count, mean, sigma, np.stack((low, -high), axis=1), np.where(np.isfinite(extremes), extremes, np.nan)


def _least(values: Floats, keep: int) -> Floats:
    """Return the least so many of each column."""
    return values if len(values) <= keep else np.partition(values, keep - 1, axis=0)[:keep]


def _at_tail(tail: Floats, count: Floats) -> Floats:
    """Return the value (k,) that `TAIL` of a number's variants are below, between two of the sorted least ones."""
    place = TAIL * np.maximum(count - 1, 0)
    below = place.astype(int)
    above = np.minimum(below + 1, len(tail) - 1)
    columns = np.arange(tail.shape[1])
    with np.errstate(invalid="ignore"):
        found = tail[below, columns] + (place - below) * (tail[above, columns] - tail[below, columns])
    return np.where(np.isfinite(found), found, np.where(count > 0, tail[0], np.nan))


def _spread(
    name: str, measure: Named, unit: str, work: _Work, nominal: Floats, slopes: Floats, worst: Floats, drawn: _Drawn
) -> Spread:
    p = len(work.zones)
    low, high, spread = (np.array([getattr(zone, what) for zone in work.zones]) for what in ("low", "high", "spread"))
    clearances = np.array([play.clearance for play in work.plays])
    own, steep = slopes[:, :p], np.linalg.norm(slopes[:, p:].reshape(len(slopes), -1, 2), axis=2)
    sides = np.stack((own * low, own * high), axis=2)
    variances = np.concatenate(((own * spread) ** 2, (steep * clearances / 2) ** 2), axis=1)
    sigma = np.sqrt(variances.sum(axis=1))
    play = (steep * clearances).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(sigma[:, None] > 0, variances / sigma[:, None] ** 2, 0.0 * variances)
    count, mean, scatter, quantiles, extremes = drawn.numbers(name)
    return Spread(
        name, measure.parts[1], unit, work.dimensions, nominal, np.concatenate((own, steep), axis=1),
        np.concatenate((np.abs(sides).max(axis=2), steep * clearances), axis=1), shares,
        nominal + own @ (0.5 * (low + high)), sigma,
        np.stack((nominal + sides.min(axis=2).sum(axis=1) - play, nominal + sides.max(axis=2).sum(axis=1) + play), 1),
        worst, nominal + mean, scatter, nominal[:, None] + quantiles, nominal[:, None] + extremes,
        drawn.count - count,
    )  # fmt: skip


def _between(motion: Motion, named: Mapping[str, Named]) -> Iterator[str]:
    """Yield for which measures the samples miss an extreme, and by how much."""
    units = motion.mechanism.units
    for name, measure in named.items():
        reducer, quantity, _ = measure.parts
        if reducer not in ("min", "max", "range", "peak") or not motion.ok.all():
            continue
        values = _values(measure, motion)
        low, high = beyond_samples(np.abs(values) if reducer == "peak" else values)
        past = {"min": low, "max": high, "range": low + high, "peak": high}[reducer]
        if past > 0:
            far = _shown(units, quantity, past, 2)
            yield f"{name} is that of {len(motion)} samples, which miss its true value by about {far}"


def _felt(spreads: Iterable[Spread]) -> set[str]:
    """Return the dimensions that have a part in the variance of some number."""
    return {
        name
        for spread in spreads
        for name, shares in zip(spread.dimensions, spread.shares.T, strict=True)
        if (np.nan_to_num(shares) > NO_SHARE).any()
    }


def _shown(units: Units, quantity: str, value: float, digits: int) -> str:
    """Return a change of a measure in the units of the file."""
    kind, rate = "angle" if quantity in ("angle", "omega") else "length", "/s" * (quantity in ("speed", "omega"))
    return f"{decimal(value / units.scale(kind), digits)} {getattr(units, kind)}{rate}"


def _notes(
    motion: Motion, spreads: Mapping[str, Spread], dimensions: Sequence[str], lost: Mapping[str, int], variants: int
) -> Iterator[str]:
    """Yield what else there is to say."""
    if not motion.ok.all():
        yield f"{int((~motion.ok).sum())} of {len(motion)} samples of the mechanism itself have no good pose"
    whole = [spread.measure for spread in spreads.values() if np.isnan(spread.nominal).all()]
    if whole:
        yield f"no number over all samples, because some have no good pose: {', '.join(whole)}"
    for words, count in lost.items():
        yield f"{count} of {variants} variants do not pass all samples: {words}"
    for spread in spreads.values():
        if (np.isfinite(spread.linear_worst) & np.isnan(spread.worst)).any():
            yield f"{spread.measure}: a corner of the tolerances has no good pose"
        unsure = np.isfinite(spread.nominal) & ~np.isfinite(spread.slopes).all(axis=1)
        if unsure.any():
            few = f"{int(unsure.sum())} of {len(unsure)} numbers"
            where = "at rest or next to a flat pose" if spread.quantity == "speed" else "next to a flat pose"
            yield f"{spread.measure}: no derivatives at {few}, {where}"
        out = np.maximum(spread.worst[:, 0] - spread.extremes[:, 0], spread.extremes[:, 1] - spread.worst[:, 1])
        with np.errstate(invalid="ignore"):
            least = np.maximum(NEGLIGIBLE * np.ptp(spread.worst, axis=1), ROUNDING * _size(motion, spread.quantity))
            beyond = np.flatnonzero(out > least)
        if len(beyond):
            most = _shown(motion.mechanism.units, spread.quantity, float(out[beyond].max()), 3)
            yield f"{spread.measure}: drawn variants go beyond the corners, by up to {most}"
    felt = _felt(spreads.values())
    idle = [name for name in dimensions if name not in felt]
    if idle:
        yield f"without effect: {', '.join(idle)}"
