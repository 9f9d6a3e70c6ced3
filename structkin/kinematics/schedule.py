"""When the samples are, and what the drivers do at them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.errors import InputError, Problem
from structkin.model.arguments import mapping
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest

Floats = NDArray[np.float64]

#: Samples of a range where nothing is said: a degree apart over a turn, both ends included.
SAMPLES = 361

#: More samples than this are a slip of the finger.
MOST = 100_000_000

#: The way from the sketch to the first station is walked in this many steps at most: thousands of turns.
LONGEST_LEAD = 200_000

#: Continuation follows the drivers in steps of at most this angle [rad], or this part of the mechanism's size.
FINE_ANGLE, FINE_LENGTH = math.radians(5.0), 0.02


@dataclass(frozen=True)
class Schedule:
    """Stations of the drivers: times t (n,), NaN where none were given, and value, rate, second rate (3, n) of each.

    Between two stations a driver with a law follows its law; one that was given by values moves straight on. `thirds`
    holds the third rates (n,) of the latter, NaN where they are not known.
    """

    mechanism: Mechanism
    t: Floats
    drivers: Mapping[str, Floats]
    by_values: frozenset[str] = frozenset()
    thirds: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of stations."""
        return len(self.t)

    def at(self, stations: Floats, intervals: NDArray[np.intp] | None = None) -> dict[str, Floats]:
        """Return the drivers' values at places between the stations: 1.5 is halfway from the second to the third.

        A little before the first and behind the last the way goes straight on; and so it does around the `intervals`
        (their first stations, same shape), if these are given.
        """
        if intervals is None:
            intervals = stations.astype(np.intp)
        first = np.clip(intervals, 0, max(len(self) - 2, 0))
        t = self._between(self.t, stations, first)
        values = {}
        for id, z in self.drivers.items():
            law = self.mechanism.drives[id].law
            straight = self._between(z[0], stations, first)
            if id in self.by_values or law is None:
                values[id] = straight
            else:
                # Before the first sample there is no time: the way from the sketch is straight.
                with np.errstate(all="ignore"):
                    values[id] = np.where(np.isfinite(t), _known(law(t)[0]), straight)
        return values

    def _between(self, values: Floats, stations: Floats, first: NDArray[np.intp]) -> Floats:
        second = np.minimum(first + 1, len(self) - 1)
        part = stations - first
        # At a station itself its value is exact, also next to one that has none.
        step = np.where(part == 0, 0.0, values[second] - values[first])
        return np.asarray(values[first] + part * step)

    @cached_property
    def _size(self) -> float:
        places = np.array(list(self.mechanism.points.values()))
        return float(np.max(np.abs(places - places[0]), initial=0.0)) or 1.0

    def unit(self, id: str) -> float:
        """Return what makes coordinates of drivers comparable: a radian, or the mechanism's size [m]."""
        return 1.0 if self.mechanism.drives[id].kind == "angle" else self._size

    @cached_property
    def _scale(self) -> dict[str, float]:
        """The step of each driver [rad or m] that continuation takes at most."""
        drives = self.mechanism.drives
        return {id: (FINE_ANGLE if drives[id].kind == "angle" else FINE_LENGTH) * self.unit(id) for id in self.drivers}

    @cached_property
    def _parts(self) -> NDArray[np.intp]:
        """Into how many parts each interval between two stations is to be divided (n - 1,)."""
        counts = np.ones(max(len(self) - 1, 0))
        for id, z in self.drivers.items():
            # A law may swing within an interval: its rates at the ends tell as well as the difference of its values.
            step = np.abs(np.diff(z[0]))
            swing = np.fmax(np.abs(z[1][1:]), np.abs(z[1][:-1])) * np.abs(np.diff(self.t))
            counts = np.fmax(counts, np.ceil(np.fmax(step, swing) / self._scale[id] * (1 - 1e-9)))
        # Beside a station without a value there is nothing to walk along: a law may go to infinity there.
        counts[~(self._has_values[1:] & self._has_values[:-1])] = 1
        return np.minimum(counts, 1_000_000).astype(np.intp)

    @cached_property
    def _has_values(self) -> NDArray[np.bool_]:
        """At which stations all drivers have values (n,)."""
        return np.asarray(np.isfinite([np.zeros(len(self)), *(z[0] for z in self.drivers.values())]).all(axis=0))

    @cached_property
    def lead(self) -> dict[str, tuple[float, float]]:
        """The way of each driver from the sketch to the first station where all have a value.

        An angle takes the shorter way round; but to gears and Geneva wheels a whole turn is not nothing, and all count.
        """
        ways = {}
        counts = self.mechanism.meshes or self.mechanism.genevas
        station = int(np.argmax(self._has_values))
        for id, z in self.drivers.items():
            drive, first = self.mechanism.drives[id], float(z[0, station])
            start = drive.start
            if drive.kind == "angle" and math.isfinite(first) and not counts:
                start = first - math.remainder(first - start, 2 * math.pi)
            ways[id] = start, first
        return ways

    @property
    def is_fine(self) -> bool:
        """Whether the stations begin at the sketch and follow each other closely."""
        starts = all(abs(b - a) <= 1e-9 * self._scale[id] for id, (a, b) in self.lead.items())
        return starts and bool((self._parts == 1).all())

    def fine(self) -> tuple[Schedule, NDArray[np.intp]]:
        """Return a schedule that starts at the sketch and goes in small steps, and where the stations are in it."""
        lead = self.lead
        ways = [abs(b - a) / self._scale[id] for id, (a, b) in lead.items()]
        steps = min(max([1, *(math.ceil(way) for way in ways if math.isfinite(way))]), LONGEST_LEAD)
        fine: dict[str, Floats] = {}
        if (self._parts == 1).all():
            for id, z in self.drivers.items():
                fine[id] = np.concatenate((np.full((3, steps), np.nan), z), axis=1)
                fine[id][0, :steps] = np.linspace(*lead[id], steps, endpoint=False)
            t = np.concatenate((np.full(steps, np.nan), self.t))
            return Schedule(self.mechanism, t, fine, self.by_values), steps + np.arange(len(self))
        at = np.concatenate(([0], np.cumsum(self._parts)))
        between = np.interp(np.arange(at[-1] + 1), at, np.arange(len(at)))
        values = self.at(between)
        for id, z in self.drivers.items():
            rows = np.full((3, steps + len(between)), np.nan)
            rows[0] = np.concatenate((np.linspace(*lead[id], steps, endpoint=False), values[id]))
            rows[:, steps + at] = z
            fine[id] = rows
        t = np.interp(between, np.arange(len(self)), self.t)
        t[at] = self.t
        return Schedule(self.mechanism, np.concatenate((np.full(steps, np.nan), t)), fine, self.by_values), at + steps


def make_schedule(
    mechanism: Mechanism,
    samples: Any,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: Any,
) -> Schedule:
    """Return the schedule of a call of `solve`; `InputError` lists everything that does not fit."""
    example = "{'motor': values}"
    given, problems = _given_values(mechanism, mapping(drivers, "drivers", example, mechanism.title))
    laws = {id: drive.law for id, drive in mechanism.drives.items() if id not in given}
    problems += [
        Problem(
            f"drivers.{id}",
            "has neither speed nor law, and no values were given",
            "add speed, law or table, or pass drivers={...}",
        )
        for id, law in laws.items()
        if law is None
    ]
    if samples is not None and (not isinstance(samples, int | np.integer) or isinstance(samples, bool) or samples < 1):
        problems.append(Problem("samples", f"{samples!r} is not a positive whole number"))
    elif samples is not None and samples > MOST:
        problems.append(
            Problem("samples", f"{samples} is more than fits into memory", f"at most {MOST}; solve in parts")
        )
    by_values = bool(given) and not any(laws.values())
    if by_values or t is not None:
        where = "the times t are given" if t is not None else "every driver is given by its values"
        problems += [
            Problem(name, f"has no meaning where {where}", "leave it out")
            for name, value in (("samples", samples), ("duration", duration))
            if value is not None
        ]
    if problems:
        raise InputError(problems, mechanism.title)
    times = _times(mechanism, samples, t, given, laws, duration)
    with np.errstate(all="ignore"):
        # Outside its domain a law has no value: that is a status of the sample.
        rows = {id: _known(np.stack(law(times))) for id, law in laws.items() if law is not None}
    lengths = {len(times), *(z.shape[1] for z in given.values())}
    if len(lengths) > 1:
        found = ", ".join(f"{id}: {z.shape[1]}" for id, z in given.items())
        raise InputError(
            [Problem("drivers", f"lengths differ ({found}; t: {len(times)})", "one value a sample")], mechanism.title
        )
    values = {**rows, **given}
    drives = {id: values[id][:3] for id in mechanism.drives}
    return Schedule(mechanism, times, drives, frozenset(given), {id: z[3] for id, z in given.items()})


def _known(values: Floats) -> Floats:
    """Return values with NaN for those that are infinite, as at a pole of a law: a driver does not go there."""
    return np.where(np.isfinite(values), values, np.nan)


def _given_values(mechanism: Mechanism, drivers: Mapping[str, Any]) -> tuple[dict[str, Floats], list[Problem]]:
    """Return the driver values passed by the caller as (4, n), rates NaN where they were not given."""
    given: dict[str, Floats] = {}
    problems: list[Problem] = []
    for id, values in drivers.items():
        key = f"drivers.{id}"
        if not isinstance(id, str) or id not in mechanism.drives:
            problems.append(Problem(key, "is not a driver of this mechanism", suggest(str(id), mechanism.drives)))
            continue
        # A number alone is one pose; in a tuple it would be taken for a value, a rate or an acceleration.
        parts: Sequence[Any] = values if isinstance(values, tuple) else (np.atleast_1d(np.ma.asanyarray(values)),)
        arrays = [_real(part) for part in parts]
        good = [array for array in arrays if array is not None]
        if not good or len(good) < len(arrays) or len(arrays) > 4 or any(a.shape != good[0].shape for a in good):
            message = "expected real numbers (n,), or a tuple of values, rates, accelerations, jerks, each (n,)"
            problems.append(Problem(key, message))
        elif not len(good[0]):
            problems.append(Problem(key, "holds no values"))
        elif not np.isfinite(good[0]).all():
            problems.append(Problem(key, "holds values that are not finite"))
        else:
            given[id] = np.full((4, len(good[0])), np.nan)
            given[id][: len(good)] = good
    return given, problems


def _real(values: Any) -> Floats | None:
    """Return values as an array (n,), NaN where they are masked; None if they are not real numbers in a row."""
    try:
        array = np.ma.asanyarray(values)
        if array.dtype.kind not in "iuf" or array.ndim != 1:
            return None
        return np.asarray(array.astype(np.float64).filled(np.nan))
    except (TypeError, ValueError, OverflowError):
        return None


def _times(
    mechanism: Mechanism,
    samples: Any,
    t: ArrayLike | None,
    given: Mapping[str, Floats],
    laws: Mapping[str, Any],
    duration: Any,
) -> Floats:
    if t is not None:
        times = _real(np.atleast_1d(t) if np.ndim(t) == 0 else t)
        if times is None or not len(times) or not np.isfinite(times).all():
            raise InputError([Problem("t", "expected finite times (n,) in seconds")], mechanism.title)
        return times
    if given and not laws:
        return np.full(next(iter(given.values())).shape[1], np.nan)
    if duration is None:
        duration = mechanism.duration
    start, end = 0.0, math.nan
    if duration is None:
        start, end = default_range(mechanism)
    elif isinstance(duration, Real):
        end = float(duration)
    if not (math.isfinite(end) and (duration is None or end > 0)):
        raise InputError([Problem("duration", f"{duration!r} is not a positive time")], mechanism.title)
    count = int(samples or 0) or (next(iter(given.values())).shape[1] if given else SAMPLES)
    return np.linspace(start, end, count) if count > 1 else np.array([start])


def default_range(mechanism: Mechanism) -> tuple[float, float]:
    """Return the range of time [s] of one full cycle, or of the drivers' tables.

    One cycle is the common period of the drivers where all of them turn at commensurable speeds. `InputError` where
    there is no such range and the mechanism has no duration.
    """
    laws = {id: drive.law for id, drive in mechanism.drives.items() if drive.law is not None}
    spans = [law.span for law in laws.values() if law.span is not None]
    if spans:
        start, end = max(span[0] for span in spans), min(span[1] for span in spans)
        if end > start:
            return start, end
        raise InputError(
            [Problem("drivers", "the tables of the drivers have no common range of time")], mechanism.title
        )
    if not laws:
        return 0.0, 0.0
    speeds = [law.speed if mechanism.drives[id].kind == "angle" else None for id, law in laws.items()]
    moving = [abs(speed) for speed in speeds if speed]
    if None in speeds or not moving:
        names = ", ".join(id for id, speed in zip(laws, speeds, strict=True) if not speed)
        raise InputError(
            [
                Problem(
                    "duration",
                    f"no full cycle is known: {names} does not turn at a constant speed",
                    "add duration = ... [s], or pass t=",
                )
            ],
            mechanism.title,
        )
    # Speeds w_i = p_i / q_i times the slowest; all are back after lcm(q_i) turns of the slowest.
    slowest = min(moving)
    ratios = [Fraction(speed / slowest).limit_denominator(1000) for speed in moving]
    if any(
        abs(float(ratio) - speed / slowest) > 1e-9 * float(ratio) for ratio, speed in zip(ratios, moving, strict=True)
    ):
        raise InputError(
            [Problem("duration", "the drivers' speeds have no common period", "add duration = ... [s], or pass t=")],
            mechanism.title,
        )
    return 0.0, 2 * math.pi / slowest * math.lcm(*(ratio.denominator for ratio in ratios))
