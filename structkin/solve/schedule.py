"""The stations of a motion: the drivers' values at them and between, and the small steps of continuation.

A law may be steep in a part of an interval only, or jump. The rates at the ends of an interval bound how far a law
moves in it only where it is smooth: in 20 tanh(1e6 (t - 1)) a station at t = 1 has a rate of 2e7, and the law moves by
40. Such intervals are divided until the pieces are short by the rates at their own ends.

Laws may reverse between samples. Reversed at a flat pose, a motion retraces its path; run through, it goes on in the
other assembly mode. So a law must not reverse unseen between two stations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from structkin.budget import TOGETHER, charge
from structkin.model.laws import ConstantSpeed
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Law
from structkin.model.separate_parts import links_at, points_of_parts
from structkin.numerical_tolerances import ROUNDING, WHOLE
from structkin.solve.fast_wheels import shorter_steps
from structkin.types import Flags, Floats, Indices

# --- where a law reverses ------------------------------------------------------------------------------------------

#: In how many parts all intervals together are searched, if there are not more of them.
PARTS = 3000
#: Steps of Newton's method in a bracket, or halvings, to the last digit: a law may turn with a corner.
HALVINGS = 60


def turning_points(law: Law, t: Floats, rates: Floats) -> Floats:
    """Return the stations at which a law reverses between stations: 1.5 is halfway from the second to the third.

    The stations are at times t (n,) [s], where the law has these rates (n,).

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> law, t = ExpressionLaw(Expression("sin(t)")), np.array([0.0, 1.0, 2.0, 4.0])
    >>> turning_points(law, t, law(t)[1]).round(4).tolist()
    [1.5708]
    """
    if len(t) < 2:
        return np.zeros(0)
    parts = max(1, PARTS // len(t))
    stations = np.arange((len(t) - 1) * parts + 1) / parts

    def signed(at: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the sign of the rate, and the rate and its derivative by the station."""
        first = np.minimum(at.astype(np.intp), len(t) - 2)
        step = t[first + 1] - t[first]
        with np.errstate(all="ignore"):
            _, rate, second = law(t[first] + (at - first) * step)
        return np.nan_to_num(np.sign(rate)), rate, second * step

    found = signed(stations)[0] if parts > 1 else np.nan_to_num(np.sign(rates))
    moving = np.flatnonzero(found)
    turn = np.flatnonzero(found[moving[:-1]] * found[moving[1:]] < 0)
    if not len(turn):
        return np.zeros(0)
    low, high, sign = stations[moving[turn]], stations[moving[turn + 1]], found[moving[turn]]
    place = 0.5 * (low + high)
    for _ in range(HALVINGS):
        now, rate, slope = signed(place)
        before = now * sign > 0
        low, high = np.where(before, place, low), np.where(before, high, place)
        with np.errstate(all="ignore"):
            ahead = place - rate / slope
        # A turning point at an end of its bracket is met from either side.
        inside = np.abs(ahead - 0.5 * (low + high)) <= 0.6 * (high - low)
        done = (inside & (np.abs(ahead - place) < WHOLE)) | (high - low <= 4 * np.finfo(float).eps * len(t))
        place = np.where(inside, ahead, 0.5 * (low + high))
        if done.all():
            break
    return np.unique(place[np.abs(place - np.round(place)) > WHOLE])


# --- where a law is steep or jumps ---------------------------------------------------------------------------------

#: An interval is steep if its rates give this many steps, and this many times those that its values give.
STEEP, TIMES = 64, 4
#: Pieces into which a steep piece is divided; in so many rounds a jump is located to the last digit.
PIECES, ROUNDS = 4, 26
#: More pieces than this are those of a law that oscillates throughout: its rates count.
MOST = 200_000


def steep_pieces(law: Law, t: Floats, first: Indices, step: float) -> Floats | None:
    """Return the stations that divide the intervals from the stations `first` into steps of a law; None if too many.

    The stations are at times t (n,) [s]: 1.5 is halfway from the second to the third. Where the law jumps, two
    neighbours stay further apart than a step.

    >>> from structkin.model.expression import Expression
    >>> from structkin.model.laws import ExpressionLaw
    >>> law, t = ExpressionLaw(Expression("tanh(1e6*(t - 1))")), np.array([0.0, 0.4, 1.0, 2.0])
    >>> pieces = steep_pieces(law, t, np.array([1, 2]), 0.1)
    >>> z = law(np.interp(pieces, np.arange(4), t))[0]
    >>> len(pieces) < 200, bool(np.abs(np.diff(z)).max() < 0.1)
    (True, True)
    """
    low, high, found = first.astype(np.float64), first + 1.0, [first.astype(np.float64)]
    parts = np.arange(PIECES + 1) / PIECES
    for _ in range(ROUNDS):
        at = low[:, None] + (high - low)[:, None] * parts
        k = np.minimum(low.astype(np.intp), len(t) - 2)
        times = t[k][:, None] + (at - k[:, None]) * (t[k + 1] - t[k])[:, None]
        with np.errstate(all="ignore"):
            z, rate, _ = law(times.ravel())
            z, rate = np.reshape(z, at.shape), np.abs(np.reshape(rate, at.shape))
            by_rate = np.fmax(rate[:, 1:], rate[:, :-1]) * np.abs(np.diff(times))
            steep = np.fmax(np.abs(np.diff(z)), by_rate) > step
        steep &= np.diff(at) > 4 * np.finfo(float).eps * len(t)
        found.append(at[:, 1:-1].ravel())
        low, high = at[:, :-1][steep], at[:, 1:][steep]
        if not len(low):
            break
        if sum(map(len, found)) + PIECES * len(low) > MOST:
            return None
    return np.unique(np.concatenate(found))


# --- stations ------------------------------------------------------------------------------------------------------

#: Continuation follows the drivers in steps of at most this angle [rad], or this part of the size of what moves.
FINE_ANGLE, FINE_LENGTH = math.radians(5.0), 0.02
#: If more intervals than this are longer than that (a scan of the work space), the path between stations is not
#: followed: closed forms then find change points only where two neighbours are near one.
SEPARATE = 5000
#: A law that moves by so many steps where it should move by one jumps.
JUMP = 2


#: Steps are even if none is so many times as long as another.
EVEN = 1.5
#: Up to this many stations all are looked at; else only some, so far apart or with so large a turn of the path between
#: them [rad or parts of the size; sum of the changes of the direction's components].
FEW, SHORT, BEND = 200, 0.06, 0.2


@dataclass(frozen=True)
class Schedule:
    """Stations of the drivers: times t (n,), NaN where none were given, and value, rate, second rate (3, n) of each.

    Between two stations a driver with a law follows its law; one given by values moves linearly. `thirds` holds the
    third rates (n,) of the latter, NaN where they are not known. `near` are stations at the ends of parts into which
    intervals were divided: more happens there than the drivers tell.
    """

    mechanism: Mechanism
    t: Floats
    drivers: Mapping[str, Floats]
    by_values: frozenset[str] = frozenset()
    thirds: Mapping[str, Floats] = field(default_factory=dict)
    near: Indices = field(default_factory=lambda: np.zeros(0, np.intp))

    def __len__(self) -> int:
        """Return the number of stations."""
        return len(self.t)

    def at(self, stations: Floats, intervals: Indices | None = None) -> dict[str, Floats]:
        """Return the drivers' values at places between the stations: 1.5 is halfway from the second to the third.

        Slightly before the first and after the last the path is continued straight, and so it is around the `intervals`
        (their first stations, same shape), if these are given.
        """
        if intervals is None:
            intervals = stations.astype(np.intp)
        first = np.clip(intervals, 0, max(len(self) - 2, 0))
        t = self._between(self.t, stations, first)
        values = {}
        for id, z in self.drivers.items():
            law = self.mechanism.drivers[id].law
            straight = self._between(z[0], stations, first)
            if id in self.by_values or law is None:
                values[id] = straight
            else:
                # Before the first sample there is no time: the path from the sketch is straight.
                with np.errstate(all="ignore"):
                    values[id] = np.where(np.isfinite(t), known(law(t)[0]), straight)
        return values

    def _between(self, values: Floats, stations: Floats, first: Indices) -> Floats:
        second = np.minimum(first + 1, len(self) - 1)
        part = stations - first
        # At a station its value is exact, even next to one that has none.
        step = np.where(part == 0, 0.0, values[second] - values[first])
        return np.asarray(values[first] + part * step)

    @cached_property
    def size(self) -> float:
        """The extent of the mechanism [m]."""
        return _extent(list(self.mechanism.places.values())) or 1.0

    @cached_property
    def _sizes(self) -> dict[str, float]:
        """The extents [m] of the parts that drivers move; a single point is as large as everything."""
        parts, places, found = points_of_parts(self.mechanism), self.mechanism.places, dict[str, float]()
        for driver in self.mechanism.topology.drivers:
            links = links_at(self.mechanism, driver.links)
            points = next((parts[link] for link in links if link in parts), ())
            found[driver.id] = _extent([places[point] for point in points]) or self.size
        return found

    def unit(self, id: str) -> float:
        """Return the scale of a driver's coordinate: a radian, less where it turns wheels fast, or a size [m]."""
        if self.mechanism.drivers[id].kind != "angle":
            return self._sizes[id]
        return 1.0 / shorter_steps(self.mechanism).get(id, 1.0)

    def step(self, id: str) -> float:
        """Return the largest step of a driver [rad or m] in continuation."""
        return (FINE_ANGLE if self.mechanism.drivers[id].kind == "angle" else FINE_LENGTH) * self.unit(id)

    @cached_property
    def parts(self) -> Indices:
        """The number of parts into which each interval between two stations is divided (n - 1,)."""
        counts = self._equal_parts
        if not len(self._steep):
            return counts
        first = self._steep.astype(np.intp)
        # The first piece of an interval begins at its station.
        counts[np.unique(first)] = 0
        np.add.at(counts, first, 1)
        return counts

    @property
    def _equal_parts(self) -> Indices:
        """The number of equal parts of each interval (n - 1,), as many as the drivers' steps need at their rates."""
        counts = np.ones(max(len(self) - 1, 0))
        for id in self.drivers:
            counts = np.fmax(counts, np.ceil(self._travel(id) / self.step(id) * (1 - WHOLE)))
        # Next to a station without a value there is no path to follow: a law may go to infinity there.
        counts[~(self._has_values[1:] & self._has_values[:-1])] = 1
        # More than fits into any memory.
        return np.minimum(counts, 2.0**40).astype(np.intp)

    @cached_property
    def _steep(self) -> Floats:
        """The stations that divide intervals in which laws are steep in places: none where laws are smooth."""
        found: list[Floats] = []
        steep = np.zeros(max(len(self) - 1, 0), bool)
        laws = {}
        for id in self.drivers:
            law = self.mechanism.drivers[id].law
            if id in self.by_values or law is None or law.speed is not None:
                continue
            by_values, by_rates = (travel / self.step(id) for travel in self._travels(id))
            own = by_rates > np.fmax(STEEP, TIMES * by_values)
            own &= self._has_values[1:] & self._has_values[:-1]
            if own.any():
                laws[id] = law
                steep |= own
        if not steep.any():
            return np.zeros(0)
        for id, law in laws.items():
            pieces = steep_pieces(law, self.t, np.flatnonzero(steep), self.step(id))
            if pieces is None:
                return np.zeros(0)
            found.append(pieces)
        # What moves smoothly meanwhile is divided evenly.
        even = np.ones(len(steep))
        for id in self.drivers.keys() - laws:
            even = np.fmax(even, np.ceil(self._travel(id) / self.step(id)))
        if np.sum(even[steep]) > MOST:
            return np.zeros(0)
        found += [k + np.arange(even[k]) / even[k] for k in np.flatnonzero(steep)]
        return np.unique(np.concatenate(found))

    def _travel(self, id: str) -> Floats:
        """Return how far a driver moves between each two stations (n - 1,), by its values or farther by its rates."""
        law, values = self.mechanism.drivers[id].law, self.drivers[id][0]
        if isinstance(law, ConstantSpeed) and id not in self.by_values:
            return np.asarray(np.abs(values[1:] - values[:-1]))
        return np.fmax(*self._travels(id))

    def _travels(self, id: str) -> tuple[Floats, Floats]:
        """Return how far a driver moves between each two stations (n - 1,), by its values and by its rates there.

        A law may oscillate within an interval: its rates at the ends count as well as the difference of its values.
        """
        values, rates = self.drivers[id][:2]
        with np.errstate(all="ignore"):
            by_rates = np.fmax(np.abs(rates[1:]), np.abs(rates[:-1])) * np.abs(self.t[1:] - self.t[:-1])
            return np.abs(values[1:] - values[:-1]), by_rates

    @cached_property
    def _has_values(self) -> Flags:
        """The stations at which all drivers have values (n,)."""
        return np.asarray(np.isfinite([np.zeros(len(self)), *(z[0] for z in self.drivers.values())]).all(axis=0))

    @cached_property
    def lead(self) -> dict[str, tuple[float, float]]:
        """The path of each driver from the sketch to the first station where all have a value.

        An angle takes the shorter rotation; but with gears and Geneva wheels whole turns matter and are kept.
        """
        lead = {}
        counts = any(joint.counts_turns for joint in self.mechanism.joints.values())
        station = int(np.argmax(self._has_values))
        for id, z in self.drivers.items():
            drive, first = self.mechanism.drivers[id], float(z[0, station])
            start = drive.start
            if drive.kind == "angle" and math.isfinite(first) and not counts:
                start = first - math.remainder(first - start, 2 * math.pi)
            lead[id] = start, first
        return lead

    @cached_property
    def _lead_steps(self) -> int:
        """The number of steps from the sketch to the first station."""
        distances = [abs(b - a) / self.step(id) for id, (a, b) in self.lead.items()]
        return max([1, *(math.ceil(min(distance, 2.0**40)) for distance in distances if not math.isnan(distance))])

    @property
    def is_even(self) -> bool:
        """Whether one driver moves through at least four stations in steps of nearly the same length."""
        return self._even_step > 0

    @cached_property
    def _even_step(self) -> float:
        """The longest step of an even schedule, 0 for others [rad or parts of the size]."""
        if len(self.drivers) != 1 or len(self) < 4:
            return 0.0
        (z,) = self.drivers.values()
        step = (z[0, 1:] - z[0, :-1]) / self.unit(next(iter(self.drivers)))
        step = step[~(np.abs(step) < ROUNDING)]
        least, most = float(step.min(initial=np.inf)), float(step.max(initial=-np.inf))
        even = least * most > 0 and max(least / most, most / least) < EVEN
        return max(abs(least), abs(most)) if even else 0.0

    @cached_property
    def turns(self) -> Indices:
        """Some stations, from the first to the last, between which the drivers' path is short and nearly straight."""
        if len(self) < FEW or not self.drivers:
            return np.arange(len(self))
        return united(len(self), self._turns, self.near) if len(self.near) else self._turns

    @property
    def _turns(self) -> Indices:
        if self.is_even:
            last = len(self) - 1
            return np.append(np.arange(0, last, int(SHORT / self._even_step) or 1), last)
        step = np.stack([np.diff(z[0]) / self.unit(id) for id, z in self.drivers.items()])
        length = np.sum(np.abs(step), axis=0)
        with np.errstate(all="ignore"):
            bend = np.sum(np.abs(np.diff(step / length)), axis=0)
        # Next to stations without a value, and where nothing moves, there is no direction.
        bend[~np.isfinite(bend)] = BEND
        along = np.cumsum(np.fmin(length, SHORT) / SHORT + np.append(0.0, np.minimum(bend, BEND)) / BEND)
        cuts = np.flatnonzero(np.diff(np.floor(along))) + 1
        return np.concatenate(([0], cuts, [len(self) - 1]))

    @property
    def added(self) -> float:
        """How many stations the small steps of `fine` add: a whole number, possibly huge."""
        return self._lead_steps + float(np.sum(self.parts - 1.0))

    @property
    def jumped(self) -> float:
        """How many stations the small steps of `fine` add where laws jump."""
        return float(np.sum(self.with_turning_points()[0]._refined()[0]._parts_of_jumps - 1.0))

    def distance(self, id: str) -> float:
        """Return how far a driver moves from the sketch over all stations, in radians or in sizes of the mechanism."""
        first, last = self.lead[id]
        travel = self._travel(id)
        if len(self._steep):
            intervals = np.unique(self._steep.astype(np.intp))
            places = np.union1d(self._steep, intervals + 1.0)
            moved = np.abs(np.diff(self.at(places)[id]))
            travel[intervals] = np.bincount(places[:-1].astype(np.intp), moved, len(travel))[intervals]
        with np.errstate(all="ignore"):
            return float(np.nansum([abs(last - first), *travel])) / self.unit(id)

    @property
    def is_fine(self) -> bool:
        """Whether the stations begin at the sketch and follow each other closely."""
        starts = all(abs(b - a) <= WHOLE * self.step(id) for id, (a, b) in self.lead.items())
        return starts and bool((self.parts == 1).all())

    @cached_property
    def is_scan(self) -> bool:
        """Whether so many stations are far apart that the path between them is not followed."""
        if len(self) <= SEPARATE:
            return False
        far = self.parts > 1
        if shorter := shorter_steps(self.mechanism):
            # Stations that are near but for a wheel are followed.
            far &= np.any([self._travel(id) > self.step(id) * shorter.get(id, 1.0) for id in self.drivers], axis=0)
        return int(np.count_nonzero(far)) > SEPARATE

    def with_turning_points(self) -> tuple[Schedule, Indices]:
        """Return a schedule with stations also where laws reverse, and the places of the stations in it."""
        moving = {id: self.mechanism.drivers[id].law for id in self.drivers if id not in self.by_values}
        laws = {id: law for id, law in moving.items() if law is not None and not isinstance(law, ConstantSpeed)}
        own = np.arange(len(self))
        found = [turning_points(law, self.t, self.drivers[id][1]) for id, law in laws.items()]
        turns = np.unique(np.concatenate(found)) if found else own[:0]
        if not len(turns):
            return self, own
        kept = own + np.searchsorted(turns, own)
        return self._with(np.sort(np.concatenate((own, turns))), kept), kept

    def _with(self, stations: Floats, kept: Indices, *, straight: bool = False) -> Schedule:
        """Return a schedule of these stations (m,), of which those at `kept` (n,) are the ones of this schedule."""
        new = np.ones(len(stations), bool)
        new[kept] = False
        between = replace(self, t=np.full(len(self), np.nan)) if straight else self
        values, drivers = between.at(stations[new]), {}
        for id, z in self.drivers.items():
            drivers[id] = np.full((3, len(stations)), np.nan)
            drivers[id][:, kept], drivers[id][0, new] = z, values[id]
        t = np.full(len(stations), np.nan) if straight else np.interp(stations, np.arange(len(self)), self.t)
        t[kept] = self.t
        return Schedule(self.mechanism, t, drivers, self.by_values)

    def fine(self, numbers: int = 0) -> tuple[Schedule, Indices]:
        """Return a schedule that starts at the sketch and moves in small steps, and the places of the stations in it.

        Where a law jumps its driver moves straight. A pose takes this many `numbers`. The added stations are charged to
        the budget of the call.
        """
        whole, kept = self.with_turning_points()
        # A law that oscillates far faster than its turning points are searched is counted by its rates.
        charge(max(self.added, whole.added) * numbers / TOGETHER)
        fine, places = whole._refined()
        parts = fine._parts_of_jumps
        if (parts == 1).all():
            return fine, places[kept]
        charge(float(np.sum(parts - 1.0)) * numbers / TOGETHER)
        straight, at = fine.divided(parts, straight=True)
        return straight, at[places[kept]]

    def divided(
        self, parts: Indices, places: Floats | tuple[()] = (), *, straight: bool = False
    ) -> tuple[Schedule, Indices]:
        """Return a schedule whose intervals are divided into equal parts (n - 1,), and the places of the stations.

        Stations at some `places` (m,) between these are added. A `straight` path is that of no time.
        """
        own = np.arange(len(self), dtype=np.float64)
        even = np.interp(np.arange(parts.sum() + 1), np.append(0, np.cumsum(parts)), own)
        stations = np.union1d(even, places)
        at = np.searchsorted(stations, own)
        inside = np.repeat(np.diff(at) > 1, np.diff(at))
        near = np.flatnonzero(np.append(inside, False) | np.append(False, inside))
        divided = self._with(stations, at, straight=straight)
        return replace(divided, near=united(len(divided), at[self.near], near)), at

    def _refined(self) -> tuple[Schedule, Indices]:
        at, lead, drivers = np.append(0, np.cumsum(self.parts)), self._lead_steps, {}
        whole = self
        if at[-1] > len(self) - 1:
            stations = np.interp(np.arange(at[-1] + 1), at, np.arange(len(self)))
            if len(self._steep):
                even = ~np.isin(np.repeat(np.arange(len(self) - 1), self.parts), self._steep.astype(np.intp))
                stations = np.sort(np.concatenate((stations[np.append(even, True)], self._steep)))
            whole = self._with(stations, at)
        for id, z in whole.drivers.items():
            drivers[id] = np.concatenate((np.full((3, lead), np.nan), z), axis=1)
            drivers[id][0, :lead] = np.linspace(*self.lead[id], lead, endpoint=False)
        t = np.concatenate((np.full(lead, np.nan), whole.t))
        return Schedule(self.mechanism, t, drivers, self.by_values), lead + at

    @property
    def _parts_of_jumps(self) -> Indices:
        """The number of parts (n - 1,) into which intervals are divided in which laws jump, 1 for all others."""
        counts = np.ones(max(len(self) - 1, 0))
        for id, z in self.drivers.items():
            jump = np.abs(np.diff(z[0])) / self.step(id)
            counts = np.where(jump > JUMP, np.ceil(np.fmin(jump, 2.0**40)), counts)
        return counts.astype(np.intp)


def united(count: int, *indices: Indices) -> Indices:
    """Return all indices below a count in order; NumPy's union of whole numbers takes a hundred times as long.

    >>> united(5, np.array([0, 3]), np.array([3, 4])).tolist()
    [0, 3, 4]
    """
    found = np.zeros(count, bool)
    for each in indices:
        found[each] = True
    return np.flatnonzero(found)


def _extent(places: list[complex]) -> float:
    """Return the largest distance of places from the one that lies farthest from their mean, whatever their order."""
    at = np.array(places or [0j], complex)
    return float(np.max(np.abs(at - at[np.argmax(np.abs(at - np.mean(at)))])))


def known(values: Floats) -> Floats:
    """Return values with NaN for infinite ones, as at a pole of a law: a driver cannot move there."""
    finite = np.isfinite(values)
    return values if finite.all() else np.where(finite, values, np.nan)
