"""The motion between stations: the drivers' paths there, and poses on them, at real places and on complex circles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np

from structkin.numerical_tolerances import LAST_DIGIT, NEAREST, NUDGE, ROUNDING_OF_FEW, SMOOTH_SERIES
from structkin.plan.plan import Plan, Register
from structkin.solve.change_points.contours import Signs
from structkin.solve.change_points.mode_changes import ModeChanges
from structkin.solve.change_points.turnings import NODES, may_turn, turning_place
from structkin.solve.engine import Lanes, positions
from structkin.solve.schedule import Schedule
from structkin.track.contour import UNIT
from structkin.types import Complexes, Flags, Floats, Indices

#: The path of the drivers between stations is a polynomial through this many places, or straight.
PLACES = 8
#: What turns back in more intervals than this, and than this part of all, is not searched for the places.
MANY, PART = 8, 0.25
#: The end of a gap is located in so many rounds, of so many parts each. Towards it inputs move like a root: places at
#: these parts of the way from it to the station beside it are evenly far apart.
ROUNDS, PARTS = 9, 16
TOWARDS = 0.25 ** np.arange(1.0, 6.0)
#: Distance of places [sizes of the mechanism] beyond which these are not towards anything that a group could reach.
FARTHEST = 1e4
#: The radius up to which such a polynomial stands for a bent path, in halves of its length.
BENT = 1.5

_NODES = np.cos(np.pi * (np.arange(PLACES) + 0.5) / PLACES)
_TO_POWERS = np.linalg.inv(np.vander(_NODES, increasing=True))


@dataclass(frozen=True)
class Paths:
    """The drivers' paths through c intervals between stations, as polynomials in x, which is -1 and 1 at their ends.

    A straight path is linear in x, however fast it is run through; one that is `bent` (c,) is not. `half` (c,) is half
    the length [rad or parts of the size], `powers[driver]` (c, PLACES) are coefficients, and the `station` (c,) in the
    middle is passed at `x` (c,).
    """

    low: Floats
    high: Floats
    half: Floats
    bent: Flags
    x: Floats
    powers: Mapping[str, Floats]

    @classmethod
    def through(cls, schedule: Schedule, low: Floats, high: Floats) -> Paths:
        """Return the paths between stations (c,), which lie between two neighbours."""
        nodes = np.concatenate((_NODES, [0.0, -1.0, 1.0]))
        stations = (0.5 * (low + high))[:, None] + (0.5 * (high - low))[:, None] * nodes
        values = schedule.at(stations)
        units = np.array([schedule.unit(id) for id in values])[:, None]
        z = np.stack(list(values.values())) / units[:, None]
        middle, ahead = 0.5 * (z[..., -1] + z[..., -2]), 0.5 * (z[..., -1] - z[..., -2])
        with np.errstate(invalid="ignore"):
            x = np.sum((z - middle[..., None]) * ahead[..., None], axis=0) / np.sum(ahead**2, axis=0)[:, None]
            off = np.max(np.abs(z - middle[..., None] - x * ahead[..., None]), axis=(0, 2))
        bent = off > ROUNDING_OF_FEW * (1.0 + np.max(np.abs(z), axis=(0, 2)))
        powers = np.zeros((len(z), len(low), PLACES))
        powers[..., 0], powers[..., 1] = middle, ahead
        powers[:, bent] = z[:, bent, :PLACES] @ _TO_POWERS.T
        half = np.max(np.abs(powers[..., 1:]), axis=(0, 2))
        named = {id: power * unit for id, power, unit in zip(values, powers, units, strict=True)}
        return cls(low, high, half, bent, np.where(bent, 0.0, x[:, PLACES]), named)

    @property
    def station(self) -> Floats:
        """The stations (c,) in the middle."""
        return 0.5 * (self.low + self.high)

    def take(self, some: Indices) -> Paths:
        """Return some of the paths."""
        powers = {id: power[some] for id, power in self.powers.items()}
        return Paths(self.low[some], self.high[some], self.half[some], self.bent[some], self.x[some], powers)

    def on_circles(self, radius: Floats) -> dict[str, Complexes]:
        """Return the drivers' values (c, nodes) on circles of these radii (c,) in x."""
        x = radius[:, None] * UNIT
        values = {}
        for id, powers in self.powers.items():
            total = np.zeros(x.shape, complex)
            for k in range(PLACES - 1, -1, -1):
                total = total * x + powers[:, [k]]
            values[id] = total
        return values

    def centred(self, x: float) -> Paths:
        """Return the paths as polynomials in the distance from a place x."""
        shift = np.array([[comb(n, k) * x ** (n - k) if n >= k else 0.0 for k in range(PLACES)] for n in range(PLACES)])
        powers = {id: power @ shift for id, power in self.powers.items()}
        return replace(self, x=self.x - x, powers=powers)

    def station_at(self, schedule: Schedule, x: float) -> float:
        """Return the station at a place x of the only path."""
        low, high = float(self.low[0]), float(self.high[0])
        linear = 0.5 * (low + high) + 0.5 * (high - low) * x
        if self.bent[0] or not -1 < x < 1:
            return min(max(linear, low), high)

        def beyond(station: float) -> float:
            z = schedule.at(np.array([station]))
            return sum(
                float(z[id][0] - power[0, 0] - x * power[0, 1]) * float(power[0, 1]) / schedule.unit(id) ** 2
                for id, power in self.powers.items()
            )

        ends = beyond(low), beyond(high)
        if ends[0] * ends[1] >= 0:
            return low if abs(ends[0]) < abs(ends[1]) else high
        # SciPy takes longer to load than most motions take to solve.
        from scipy.optimize import brentq

        return float(brentq(beyond, low, high, xtol=LAST_DIGIT * max(high, 1.0), rtol=4 * np.finfo(float).eps))


@dataclass(frozen=True)
class Between:
    """The poses between the stations of a schedule, as far as its changes of mode are known.

    `near` (rows, n) are the slots at the stations, from which Newton's method begins and turns are counted.
    """

    plan: Plan
    schedule: Schedule
    changes: ModeChanges
    near: Floats

    def lanes(self, stations: Floats, steps: int) -> Lanes:
        """Return the positions of the first steps at stations (n,)."""
        lanes = Lanes.empty(self.plan, len(stations), orders=1)
        near = near_stations(self.near, stations)
        positions(self.plan, steps, lanes, self.schedule.at(stations), self.changes.modes(stations), near)
        return lanes

    def inputs(self, index: int, rows: Indices, units: Floats, low: float, high: float) -> tuple[Floats, float] | None:
        """Return inputs of a step, at rows (inputs,), between two stations, and half the length of the path.

        The inputs are coefficients (inputs, len(NODES)) of x, which is -1 and 1 at the stations. None where they are
        not smooth within rounding, in parts of their `units` (inputs, 1), where there is no driver to move them, and
        where the drivers turn back: a group that is at its limit there retraces its path, though time goes on smoothly.
        """
        if not self.schedule.drivers or self._turns_back(index, low, high):
            return None
        stations = np.concatenate(([low], np.arange(np.floor(low) + 1.0, high), [high]))
        places = 2.0 * (stations - low) / (high - low) - 1.0
        terms = self._series(index, rows, units, stations, places)
        if terms is None:
            # Where samples lie unevenly, a straight path is smooth along its length only.
            z = self.schedule.at(stations)
            length = sum(np.abs(np.diff(each)) / self.schedule.unit(id) for id, each in z.items())
            along = np.append(0.0, np.cumsum(length))
            if not along[-1] > 0.0:
                return None
            terms = self._series(index, rows, units, stations, 2.0 * along / along[-1] - 1.0)
        if terms is None:
            return None
        powers = np.zeros((len(rows), len(NODES)))
        for row, term in enumerate(terms.T):
            found = np.polynomial.chebyshev.cheb2poly(term)
            powers[row, : len(found)] = found
        half = Paths.through(self.schedule, np.array([float(low)]), np.array([float(high)])).half[0]
        return powers * units, float(half)

    def _turns_back(self, index: int, low: float, high: float) -> bool:
        """Return whether all drivers that move a step turn back together between two stations."""
        stations = np.arange(int(low), int(np.ceil(high)) + 1)
        operands = [item.index for item in self.plan.steps[index].inputs if isinstance(item, Register)]
        movers = frozenset[str]().union(*(self.plan.movers[register] for register in operands))
        z = [self.schedule.drivers[id][0, stations] / self.schedule.unit(id) for id in sorted(movers)]
        steps = np.diff(np.reshape(z, (len(movers), len(stations))))
        length = np.linalg.norm(steps, axis=0)
        ways = steps[:, length > NEAREST] / length[length > NEAREST]
        return bool((np.linalg.norm(ways[:, 1:] + ways[:, :-1], axis=0) < ROUNDING_OF_FEW).any())

    def _series(self, index: int, rows: Indices, units: Floats, stations: Floats, places: Floats) -> Floats | None:
        """Return Chebyshev coefficients of inputs in x, at whose places the stations lie; None where not smooth."""
        # The nodes do not see a corner of the path that lies beyond the outermost of them: its stations do.
        beyond = np.abs(places) > np.max(NODES)
        x = np.concatenate((NODES, places[beyond]))
        values = self.lanes(np.interp(x, places, stations), index).x[0][rows] / units
        terms = np.polynomial.chebyshev.chebfit(NODES, values[:, : len(NODES)].T, len(NODES) - 1)
        off = np.polynomial.chebyshev.chebval(x, terms) - values
        smooth = max(np.max(np.abs(part), initial=0.0) for part in (terms[-2:], off)) < SMOOTH_SERIES
        return np.asarray(terms) if smooth else None

    def turnings(self, index: int) -> Floats:
        """Return the places between stations, in order, at which what earlier steps give to a step turns back.

        A driver reverses at a station.
        """
        driven = {item.register for item in self.plan.drivers}
        operands = [item.index for item in self.plan.steps[index].inputs if isinstance(item, Register)]
        found = {register: self._may_turn(register) for register in {*operands} - driven}
        stations = np.unique(np.concatenate([*found.values(), np.zeros(0, np.intp)]))
        if not len(stations):
            return np.zeros(0)
        nodes = stations[:, None] + 0.5 + 0.5 * NODES
        at_nodes = self.lanes(nodes.ravel(), index).x[0].reshape(-1, *nodes.shape)
        places = []
        for register, intervals in found.items():
            rows = self.plan.rows(register)
            for k, station in zip(np.searchsorted(stations, intervals), intervals + 0.5, strict=True):
                place = turning_place(at_nodes[rows, k], partial(self._values, index, rows, station))
                places += [] if place is None else [station + 0.5 * place]
        turned = np.unique(places)
        # All vectors of a link turn back at once.
        return np.asarray(turned[np.append(True, np.diff(turned) > NUDGE)[: len(turned)]])

    def towards_gaps(self, index: int) -> Floats:
        """Return places between stations, in order, up to those where what closed forms give to a step begins or ends.

        A group's own limit may lie between its last station and that place. What runs off to infinity, as between
        guides that become parallel, is given up to `FARTHEST` only.
        """
        operands = [item.index for item in self.plan.steps[index].inputs if isinstance(item, Register)]
        rows = [row for one in operands for row in range(self.plan.rows(one).start, self.plan.rows(one).stop)]
        known = np.asarray(np.isfinite(self.near[rows]).all(axis=0))
        k = np.flatnonzero(known[1:] != known[:-1])
        if not len(k):
            return np.zeros(0)
        beside = k + known[k + 1].astype(float)
        low, high = beside, 2 * k + 1 - beside
        for _ in range(ROUNDS):
            places = np.linspace(low, high, PARTS + 1)
            found = np.isfinite(self.lanes(places[1:-1].ravel(), index).x[0][rows]).all(axis=0)
            first = np.argmin(np.vstack((found.reshape(PARTS - 1, -1), np.zeros(len(k), bool))), axis=0)
            low, high = (np.take_along_axis(places, first[None] + side, axis=0)[0] for side in (0, 1))
        moved = np.abs(low - beside) > NUDGE
        if not moved.any():
            return np.zeros(0)
        end, beside = low[moved], beside[moved]
        places = np.unique(np.append(end + TOWARDS[:, None] * (beside - end), end))
        far = np.abs(self.lanes(places, index).x[0][rows]).max(axis=0) > FARTHEST * self.plan.size
        return np.asarray(places[~far])

    def _values(self, index: int, rows: slice, middle: float, x: Floats) -> Floats:
        """Return what a step takes from some rows at places x (n,) in the interval around a `middle`."""
        return np.asarray(self.lanes(middle + 0.5 * x, index).x[0][rows])

    def _may_turn(self, register: int) -> Indices:
        """Return the intervals between stations, by their first, in which the values of a register may turn back."""
        values, all_ = self.near[self.plan.rows(register)], np.arange(len(self.schedule))
        drivers = {id: self.schedule.drivers[id][0] / self.schedule.unit(id) for id in self.plan.movers[register]}

        def intervals(stations: Indices) -> Indices:
            """Return those between some stations, without the stays."""
            steps = (np.diff(z[stations]) for z in drivers.values())
            length = np.sqrt(np.asarray(sum(step * step for step in steps)))
            moves = length > NEAREST
            ends = stations[np.append(moves, True)]
            return np.asarray(ends[may_turn(values[:, ends], length[moves])])

        if not drivers or len(all_) < 2:
            return all_[:0]
        cuts = self.schedule.turns
        first = intervals(cuts)
        if len(first) > MANY and len(first) > PART * len(cuts):
            # It is too fast for these stations: each interval would have to be searched.
            return first[:0]
        if len(cuts) == len(all_):
            return first
        found = [first[:0]]
        for low, high in zip(first, cuts[np.searchsorted(cuts, first) + 1], strict=True):
            some = intervals(all_[max(low - 2, 0) : high + 3])
            found.append(some[(some >= low) & (some < high)])
        return np.concatenate(found)

    def signs(self, paths: Paths, *, corner: bool) -> Signs:
        """Return the signs of roots on circles around the middles of paths (see `Signs`).

        A path that cuts off a `corner` is not that of the stations, which lie where it begins.
        """
        modes = self.changes.modes(paths.station)

        def signs(step: int, s0: Floats) -> Floats:
            """A root has the sign of its mode at the station, or before it where it is zero there."""
            rises = (s0 - paths.x) * paths.half < -NEAREST
            side = np.where(np.isnan(s0) | rises, 1.0, -1.0) * modes(step)
            slope = self.changes.slope(step, paths.station)
            return np.asarray(side if corner else np.where(np.isnan(slope) | np.isnan(s0), side, slope))

        return signs


def near_stations(near: Floats, stations: Floats) -> Floats:
    """Return slots (rows, n) at stations, interpolated between the lanes of `near`."""
    first = np.clip(stations.astype(np.intp), 0, max(near.shape[-1] - 2, 0))
    second = np.minimum(first + 1, near.shape[-1] - 1)
    return np.asarray(near[:, first] + (stations - first) * (near[:, second] - near[:, first]))
