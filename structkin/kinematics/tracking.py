"""Continuation of a general group along its lanes: predictor, Newton, and smaller steps where they are needed.

Between two lanes the inputs move in a straight line. A pose is accepted when Newton's method converges close to its
prediction, no link turns far and the sign of det Phi_phi stays: the assembly mode is kept, never jumped.

Lanes are not walked one by one. Stations a short way apart are; and where the inputs come back near places that were
walked before, as in every turn of a crank but the first, many stations are closed at once from there, and kept as far
as each is also what a step from the one before it leads to. The lanes between two stations start from a cubic through
their poses and tangents and run through Newton's method together. Where the way to a lane cannot be walked in however
small steps, the group has met a limit position: that lane is out of reach, and so are those behind it, up to where the
inputs come back near solved ones and the pose can be walked to from there. Through a change point lanes are continued
by circles of complex inputs (`hop`), which certify that it is none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.closers import Closer, Direct, apart
from structkin.kinematics.hop import hop
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Largest turn of a link in one step [rad], and largest departure of the corrected pose from the predicted one.
TURN, DEPARTURE = 0.35, 0.12
#: Way of the inputs between two stations, relative to the group's size.
STRIDE = 0.15
#: Halvings of the way to a lane before it is given up.
HALVINGS = 12
#: The same while there are lanes on the way.
FEW = 2
#: Lanes that are tried from the sketch before the group is given up.
TRIALS = 24
#: How near the inputs of a lane have to come to solved ones, relative to the group's size.
HOP = 0.1
#: A pose with a smaller singular value does not tell the way on; one with a larger one does, through a change point.
FLAT, REGULAR = 1e-3, 1e-2
#: With a smaller one its tangent and the sign of its determinant are rounding.
LEFT = 1e-6
#: Lanes back among which such a regular one is looked for, and how many of these are tried.
BACK, TRIES = 60, 4
#: A side larger than this many of those that tell by themselves is that of a pose that is not flat.
DOUBT = 1000
#: Stations that are walked before others are closed from them, and how many of these are tried first.
WALKED, WINDOW = 8, 64
#: How far a gap in the inputs may be, relative to the group's size.
ACROSS = 1.0
#: A group that closes this near to its sketch is as it is drawn.
AS_DRAWN = 1e-3
#: How near a lane between two stations has to be to the cubic through them.
BETWEEN = 0.02
#: Lanes that are closed together: what they take then stays in the cache.
BLOCK = 8192


@dataclass(frozen=True)
class _Poses:
    """Solved lanes: the inputs (inputs, n), the poses (rows, n), and their sides of singular poses (n,)."""

    h: Floats
    s: Floats
    side: Floats

    def take(self, lanes: Any) -> _Poses:
        if isinstance(lanes, slice):
            lanes = np.arange(len(self.side))[lanes]
        return _Poses(np.take(self.h, lanes, axis=1), np.take(self.s, lanes, axis=1), self.side[lanes])


def track(
    closer: Closer,
    inputs: Sequence[Floats],
    origins: Floats,
    angles: Floats,
    out: Floats,
    progress: Callable[[float], None] | None = None,
    turned: Sequence[Floats] = (),
) -> tuple[NDArray[np.int8], float]:
    """Follow a general group over n lanes from a starting pose; return a status (n,), and the least singular value met.

    `inputs` are those that move, as rows (n,) over the lanes, `origins` (m, 2, 1) and `angles` (m, 1) the pose in the
    sketch. The poses are written into `out` (rows, n): O_x, O_y, U_x, U_y of each link, then the angles of geared
    links; NaN where there is none. `turned` are angles of drivers (n,), continuous, whose whole turns matter to wheels:
    behind a gap a motion is not taken up a turn away.
    """
    out.fill(np.nan)
    tracker = _Tracker(closer, inputs, out, turned)
    tracker.run(origins, angles, progress)
    tracker.mark_singular()
    return tracker.status, tracker.least


def unpacked(form: General, phi: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the origins (m, 2, n) and the angles (m, n) of a general group's unknowns, whole turns as they have them.

    >>> from structkin.groups import Rows
    >>> geared = General(Rows(links=1, vectors=0, scalars=0, turns=((0, 0, 1.0),)))
    >>> O, theta = unpacked(geared, (np.zeros((2, 1)), np.array([[0.0], [1.0]]), np.array([2.5 * np.pi])))
    >>> (theta / np.pi).tolist()
    [[2.5]]
    """
    m = form.rows.links
    O, U = np.stack(phi[0 : 2 * m : 2]), np.stack(phi[1 : 2 * m : 2])
    theta = np.arctan2(U[:, 1], U[:, 0])
    theta[list(form.rows.angles)] = np.reshape(phi[2 * m :], (-1, theta.shape[-1]))
    return O, theta


class _Tracker:
    """The state of a run over all lanes."""

    def __init__(self, closer: Closer, rows: Sequence[Floats], out: Floats, turned: Sequence[Floats]) -> None:
        self.closer, self.rows, self.out, self.turned = closer, rows, out, turned
        n = out.shape[1]
        self.status = np.full(n, Status.OUT_OF_REACH, np.int8)
        finite = np.ones(n, bool)
        for row in rows:
            finite &= np.isfinite(row)
        # Lanes whose inputs are missing belong to an earlier group's failure.
        self.lanes = np.flatnonzero(finite)
        self._ends = np.append(np.flatnonzero(np.diff(self.lanes) > 1), len(self.lanes) - 1)
        self.scales = _scales(closer)
        self.way = self._way()
        self._chain: list[int] = []
        self._walked: list[int] = []
        self._tried, self._window = 0, WINDOW
        self._doubtful: list[Indices] = []
        self.least = np.inf

    def inputs(self, lanes: Any) -> Floats:
        """Return the inputs (inputs, n) at some lanes."""
        return np.array([row[lanes] for row in self.rows]).reshape(len(self.rows), len(lanes))

    def _at(self, k: Any) -> Floats:
        return self.inputs(self.lanes[np.atleast_1d(k)])

    def _way(self) -> Floats:
        """Return how far the inputs have moved along the lanes, relative to the group's size."""
        way, total = np.zeros(max(len(self.lanes), 1)), 0.0
        for start in range(0, len(self.lanes) - 1, BLOCK):
            part = slice(start, start + BLOCK + 1)
            step = np.diff(self.inputs(self.lanes[part]), axis=1)
            length, row = np.zeros(step.shape[1]), 0
            for width, scale in self.scales:
                length += np.sqrt(np.sum(step[row : row + width] ** 2, axis=0)) / scale
                row += width
            way[start + 1 : start + 1 + len(length)] = total + np.cumsum(length)
            total = way[start + len(length)]
        return way

    def run(self, origins: Floats, angles: Floats, progress: Callable[[float], None] | None) -> None:
        k, pose = self._begin(origins, angles)
        while pose is not None and k < len(self.lanes) - 1:
            if progress is not None:
                progress(k / len(self.lanes))
            if self.lanes[k + 1] != self.lanes[k] + 1:
                # Lanes without inputs lie between: what is behind them is not the next step of this motion.
                self._fill()
                k, pose = self._resume(k, Status.OUT_OF_REACH, across=True)
                continue
            k, pose = self._leap(k, pose)
            if k >= self._end_of_run(k):
                continue
            stations, pose, why = self._walk(k, self._station(k, self._end_of_run(k)), pose)
            self._chain += stations
            self._walked += stations
            k = stations[-1] if stations else k
            if why != Status.OK:
                self._fill()
                k, pose = self._resume(k, why)
        self._fill()

    def _station(self, k: int, end: int) -> int:
        """Return the lane to walk to from lane k on the way to another: a stride away, or else the next."""
        if end > k:
            return min(max(k + 1, int(np.searchsorted(self.way, self.way[k] + STRIDE, side="right")) - 1), end)
        return max(min(k - 1, int(np.searchsorted(self.way, self.way[k] - STRIDE))), end)

    def _walk(self, k: int, end: int, pose: _Poses) -> tuple[list[int], _Poses, Status]:
        """Walk from a solved lane to another, by fewer lanes at a time where a step fails.

        Return the stations that are reached, the last pose, and why it is not that of the end.
        """
        reached: list[int] = []
        count = abs(end - k)
        while k != end:
            count = 1 if self._is_flat(pose) else min(count, abs(end - k))
            target = k + (count if end > k else -count)
            found = self._next(pose, k, target) if count == 1 else _reach(self.closer, pose, self._at(target), FEW)
            if isinstance(found, _Poses):
                self._keep(target, found)
                reached.append(target)
                k, pose = target, found
            elif count == 1:
                return reached, pose, found
            else:
                count //= 2
        return reached, pose, Status.OK

    def _next(self, pose: _Poses, k: int, target: int) -> _Poses | Status:
        """Go on to the next lane; through a change point where its neighbour does not tell the way."""
        if self._is_flat(pose):
            hopped = self._hop(k, target)
            if hopped is not None or self._is_flat(pose, LEFT):
                return hopped or Status.OUT_OF_REACH
            return _reach(self.closer, pose, self._at(target), HALVINGS)
        found = _reach(self.closer, pose, self._at(target), HALVINGS)
        return found if isinstance(found, _Poses) else self._hop(k, target) or found

    def _hop(self, k: int, target: int) -> _Poses | None:
        """Return the pose of a lane next to lane k as the analytic continuation of a regular one on that side."""
        rows = Direct(self.closer.form, self.closer.known)
        if target > k:
            before = np.arange(k, max(k - BACK, self._beginning_of_run(k)) - 1, -1)
        else:
            before = np.arange(k, min(k + BACK, self._end_of_run(k)) + 1)
        before = before[self.status[self.lanes[before]] == Status.OK]
        poses = np.take(self.out, self.lanes[before], axis=1)
        regular = np.flatnonzero(self._sigma(self._at(before), poses) > REGULAR)
        for j in regular[:TRIES]:
            h0, h1 = (rows.values(self._at(lane)) for lane in (before[j], target))
            found = hop(self.closer.form, h0, h1, *rows.split(poses[:, [j]]))
            if found is not None:
                h, s = self._at(target), rows.join(*found)
                return _Poses(h, s, self.closer.newton(h, s, 1)[2])
        return None

    def _is_flat(self, pose: _Poses, limit: float = FLAT) -> bool:
        """Return whether a pose is so near a singular one that it does not tell the way on."""
        clear = abs(pose.side[0]) > DOUBT * self.closer.clear
        return not clear and bool(self._sigma(pose.h, pose.s)[0] < limit)

    def _sigma(self, h: Floats, s: Floats) -> Floats:
        rows = Direct(self.closer.form, self.closer.known)
        return np.asarray(self.closer.form.smallest_singular_value(rows.values(h), rows.phi(s)))

    def _end_of_run(self, k: int) -> int:
        """Return the last lane that follows lane k without a gap."""
        return int(self._ends[np.searchsorted(self._ends, k)])

    def mark_singular(self) -> None:
        """Look at the poses whose determinant is small, and mark those that have no rates."""
        doubtful = np.concatenate([*self._doubtful, np.zeros(0, np.intp)]).astype(np.intp)
        for start in range(0, len(doubtful), BLOCK):
            lanes = doubtful[start : start + BLOCK]
            self.status[lanes[self.closer.singular(self.inputs(lanes), np.take(self.out, lanes, axis=1))]] = (
                Status.SINGULAR
            )

    def _beginning_of_run(self, k: int) -> int:
        """Return the first lane from which lane k follows without a gap."""
        ends = self._ends[: int(np.searchsorted(self._ends, k))]
        return int(ends[-1]) + 1 if len(ends) else 0

    def _keep(self, k: Any, poses: _Poses) -> None:
        lanes = self.lanes[np.atleast_1d(k)]
        # Lanes come in order: those that follow each other are written in one go.
        at = slice(lanes[0], lanes[-1] + 1) if len(lanes) and lanes[-1] - lanes[0] + 1 == len(lanes) else lanes
        self.out[:, at] = poses.s
        self.status[at] = Status.OK
        near = ~(np.abs(poses.side) > self.closer.clear)
        if near.any():
            self._doubtful.append(lanes[near])
        doubt = np.flatnonzero(~(np.abs(poses.side) > DOUBT * self.closer.clear))
        if len(doubt):
            self.least = min(self.least, float(np.min(self._sigma(poses.h[:, doubt], poses.s[:, doubt]))))

    def _link(self, stations: Any, poses: _Poses) -> None:
        """Keep stations that follow the last one; the lanes in between are filled later."""
        self._keep(stations, poses)
        self._chain.extend(np.atleast_1d(stations).tolist())

    def _anew(self, k: int) -> None:
        """Begin a new chain of stations."""
        self._chain = [k]
        self._walked.append(k)

    def _begin(self, origins: Floats, angles: Floats) -> tuple[int, _Poses | None]:
        """Close the group from the sketch: at the first lane, or where the lanes come nearest to the sketch."""
        self.status[self.lanes] = Status.NOT_CONVERGED
        for k in self._nearest(origins, angles) if len(self.lanes) else ():
            pose = _assemble(self.closer, self._at(k), origins, angles)
            if pose is not None:
                self._keep(k, pose)
                self._anew(k)
                self._walk_back(k, 0, pose)
                return k, pose
        return 0, None

    def _nearest(self, origins: Floats, angles: Floats) -> Iterator[int]:
        """Yield the first lane, then those where the gaps of the sketch are smaller than beside them, least first."""
        yield 0
        rows, gaps = Direct(self.closer.form, self.closer.known), np.full(len(self.lanes) + 2, np.inf)
        for start in range(0, len(self.lanes), BLOCK):
            values = rows.values(self._at(np.arange(start, min(start + BLOCK, len(self.lanes)))))
            found = np.max(np.abs(self.closer.form.gaps(values, origins, angles)), axis=0)
            gaps[start + 1 : start + 1 + len(found)] = found
        least = np.flatnonzero((gaps[1:-1] <= gaps[:-2]) & (gaps[1:-1] <= gaps[2:]))
        yield from least[np.argsort(gaps[1 + least])][:TRIALS].tolist()

    def _leap(self, k: int, pose: _Poses) -> tuple[int, _Poses]:
        """Close the stations ahead together where their inputs come back near those of walked ones.

        A station is kept if a step from the one before it arrives there as well, as if it had been walked to.
        """
        while (
            len(self._walked) >= self._tried + WALKED and self._end_of_run(k) > k + WALKED and not self._is_flat(pose)
        ):
            ahead = np.searchsorted(self.way, self.way[k] + STRIDE * np.arange(1, self._window + 1), side="right") - 1
            stations = np.unique(np.clip(ahead, k + 1, self._end_of_run(k)))
            h = self._at(stations)
            good, poses = self._from_walked(h)
            before = _Poses(
                np.concatenate((pose.h, h[:, :-1]), axis=1),
                np.concatenate((pose.s, poses.s[:, :-1]), axis=1),
                np.broadcast_to(pose.side, len(stations)),
            )
            walked, arrived = _step(self.closer, before, h)
            good &= walked & (apart(self.closer.form, arrived.s, poses.s) < 1e-6)
            count = len(good) if good.all() else int(np.argmin(good))
            if count:
                self._link(stations[:count], poses.take(slice(count)))
                k, pose = int(stations[count - 1]), poses.take(slice(count - 1, count))
            if count < len(good):
                # Behind a place that has to be walked past the next leap is near.
                self._tried, self._window = len(self._walked) - (WALKED - 1 if count else 0), WINDOW
                break
            self._window *= 2
        return k, pose

    def _from_walked(self, h: Floats) -> tuple[NDArray[np.bool_], _Poses]:
        """Close poses at inputs (inputs, n) from the nearest walked stations; return which have one near."""
        from scipy.spatial import cKDTree

        stations = np.array(self._walked)
        old = self._at(stations)
        distance, nearest = cKDTree(self._places(old)).query(self._places(h), distance_upper_bound=HOP)
        nearest = np.minimum(nearest, len(stations) - 1)
        old, s = np.take(old, nearest, axis=1), np.take(self.out, self.lanes[stations[nearest]], axis=1)
        found, change, side = self.closer.newton(h, self.closer.ahead(old, s, h - old), 6)
        return (distance < HOP) & (change < 1e-8), _Poses(h, found, side)

    def _fill(self) -> None:
        """Solve the lanes between the stations of the chain together; those that stray are walked to."""
        stations, self._chain = np.array(self._chain, np.intp), self._chain[-1:]
        if len(stations) < 2:
            return
        ends = np.searchsorted(stations, np.append(np.arange(stations[0], stations[-1], BLOCK), stations[-1]))
        for first, last in pairwise(ends.tolist()):
            if last > first:
                self._fill_between(stations[first:last], stations[first + 1 : last + 1])

    def _fill_between(self, first: Indices, last: Indices) -> None:
        """Solve the lanes between pairs of stations; where some stray, from a station in their middle on."""
        count = last - first - 1
        first, last, count = first[count > 0], last[count > 0], count[count > 0]
        if not len(count):
            return
        interval = np.repeat(np.arange(len(count)), count)
        lanes = np.arange(len(interval)) + np.repeat(first + 1 - (np.cumsum(count) - count), count)
        start, end = self._poses(first), self._poses(last)
        way = self.way[last] - self.way[first]
        u = (self.way[lanes] - self.way[first][interval]) * (1 / np.where(way > 0, way, 1.0))[interval]
        h = self._at(lanes)
        found, change, side, far = self.closer.between(h, u, count, self._cubics(first, last, start, end))
        near = apart(self.closer.form, start.s, end.s, origins=False) < TURN + DEPARTURE
        good = (change < 1e-8) & (far < BETWEEN) & (side * (start.side * near)[interval] > 0)
        if good.all():
            self._keep(lanes, _Poses(h, found, side))
            return
        self._keep(lanes[good], _Poses(h, found, side).take(np.flatnonzero(good)))
        self._halve(np.unique(interval[~good]), first, last, start)

    def _halve(self, bad: Indices, first: Indices, last: Indices, start: _Poses) -> None:
        """Solve the lanes between some pairs of stations by way of those in their middle."""
        first, last, start = first[bad], last[bad], start.take(bad)
        middle = (first + last) // 2
        good, found = _step(self.closer, start, self._at(middle))
        self._keep(middle[good], found.take(np.flatnonzero(good)))
        for j in np.flatnonzero(~good):
            walked = _reach(self.closer, start.take([j]), self._at(middle[j]))
            if isinstance(walked, _Poses):
                self._keep(middle[j], walked)
                good[j] = True
                continue
            for k in range(first[j] + 1, last[j]):
                walked = _reach(self.closer, self._solved(k - 1), self._at(k))
                if isinstance(walked, _Poses):
                    self._keep(k, walked)
                else:
                    self.status[self.lanes[k]] = walked
        # Lanes stay in order, first halves and second halves in turn.
        first, middle, last = first[good], middle[good], last[good]
        self._fill_between(np.stack((first, middle), axis=1).ravel(), np.stack((middle, last), axis=1).ravel())

    def _cubics(self, first: Indices, last: Indices, start: _Poses, end: _Poses) -> Floats:
        """Return the coefficients (4, rows, intervals) of cubics through the poses and tangents of stations."""
        rise = end.s - start.s
        leaving, coming = rise.copy(), rise.copy()
        wide = np.flatnonzero(last - first > 3)
        if len(wide):
            for found, lanes, poses, way in ((leaving, first, start, 1), (coming, last, end, -1)):
                d = self._slope(lanes[wide], way) * (self.way[last] - self.way[first])[wide]
                here = poses.take(wide)
                v, _ = self.closer.rates(here.h, here.s, d, np.zeros_like(d))
                fine = np.isfinite(v).all(axis=0)
                found[:, wide[fine]] = v[:, fine]
        return np.stack((start.s, leaving, 3 * rise - 2 * leaving - coming, leaving + coming - 2 * rise))

    def _slope(self, k: Indices, way: int) -> Floats:
        """Return how the inputs leave lanes to one side: their slope along the way by three lanes (inputs, n)."""
        one, two = (self.way[k + j * way] - self.way[k] for j in (1, 2))
        h = self._at(k)
        first, second = self._at(k + way) - h, self._at(k + 2 * way) - h
        with np.errstate(all="ignore"):
            return np.asarray((first / one * two - second / two * one) / (two - one))

    def _solved(self, k: int) -> _Poses:
        """Return the last solved lane up to k."""
        while self.status[self.lanes[k]] != Status.OK:
            k -= 1
        return self._poses(np.array([k]))

    def _poses(self, k: Indices) -> _Poses:
        """Return what was found at solved lanes."""
        h, s = self._at(k), np.take(self.out, self.lanes[k], axis=1)
        _, _, side = self.closer.newton(h, s, 1)
        return _Poses(h, s, side)

    def _resume(self, k: int, why: Status, *, across: bool = False) -> tuple[int, _Poses | None]:
        """Take the motion up again behind a gap, where the inputs come back to a neighbourhood that is solved.

        That is the pose that driving back would lead to; from there the lanes in the gap are walked to backwards. The
        first lane behind lane k could not be reached, and stays a gap: else two branches would lie side by side where
        the inputs come round again. A gap in the inputs is walked `across`, straight from the nearest solved place,
        where that is not far.
        """
        self.status[self.lanes[k + 1 :]] = why
        first = k + 1 if self.lanes[k + 1] != self.lanes[k] + 1 else k + 2
        if first >= len(self.lanes):
            return len(self.lanes), None
        lane, found = self._come_back(first)
        if across and lane != first:
            straight = self._straight(first)
            if straight is not None:
                lane, found = first, straight
        if found is None:
            return lane, None
        self._keep(lane, found)
        self._anew(lane)
        self._walk_back(lane, first, found)
        return lane, found

    def _walk_back(self, k: int, first: int, pose: _Poses) -> None:
        """Walk from a solved lane to those before it, as far as that goes."""
        first, why = max(first, self._beginning_of_run(k)), Status.OK
        while k > first and why == Status.OK:
            stations, pose, why = self._walk(k, self._station(k, first), pose)
            self._chain = stations[::-1] + self._chain
            self._walked += stations
            k = stations[-1] if stations else k
        if why != Status.OK:
            self.status[self.lanes[first:k]] = why
        self._fill()

    def _straight(self, k: int) -> _Poses | None:
        """Return the pose of a lane that a straight way of the inputs from the nearest walked station leads to."""
        stations, h = np.array(self._walked), self._at(k)
        away = np.sqrt(np.sum((self._places(self._at(stations)) - self._places(h)) ** 2, axis=1))
        away[np.any(np.abs(self._turns(stations) - self._turns(k)) > np.pi, axis=1)] = np.inf
        nearest = int(np.argmin(away))
        if away[nearest] > ACROSS:
            return None
        found = _reach(self.closer, self._poses(stations[[nearest]]), h)
        return found if isinstance(found, _Poses) else None

    def _come_back(self, k: int) -> tuple[int, _Poses | None]:
        """Return the first lane from k on that is a step away from a walked station, and its pose."""
        from scipy.spatial import cKDTree

        def places(lanes: Indices) -> Floats:
            # A turn more is farther than a step.
            return np.hstack((self._places(self._at(lanes)), HOP / np.pi * self._turns(lanes)))

        stations = np.array(self._walked)
        tree = cKDTree(places(stations))
        for start in range(k, len(self.lanes), BLOCK):
            later = np.arange(start, min(start + BLOCK, len(self.lanes)))
            distance, nearest = tree.query(places(later), distance_upper_bound=HOP)
            close = np.flatnonzero(np.asarray(distance) < HOP)
            if not len(close):
                continue
            good, poses = _step(self.closer, self._poses(stations[np.asarray(nearest)[close]]), self._at(later[close]))
            if good.any():
                first = int(np.argmax(good))
                return int(later[close[first]]), poses.take(np.array([first]))
        return len(self.lanes), None

    def _places(self, h: Floats) -> Floats:
        """Return inputs as places in one space, in parts of the group's size (n, inputs)."""
        scales = [scale for width, scale in self.scales for _ in range(width)]
        return (h / np.array(scales)[:, None]).T if scales else np.zeros((h.shape[1], 1))

    def _turns(self, k: Any) -> Floats:
        """Return the angles of drivers whose turns matter, at some lanes (n, drivers)."""
        lanes = self.lanes[np.atleast_1d(k)]
        return np.array([row[lanes] for row in self.turned]).reshape(len(self.turned), len(lanes)).T


def _scales(closer: Closer) -> list[tuple[int, float]]:
    """Return the number of rows of each input that moves, and its size."""
    rows = closer.form.rows
    return [
        (2 if j < rows.vectors else 1, 1.0 if j < len(rows.unit) and rows.unit[j] else rows.size)
        for j, value in enumerate(closer.known)
        if value is None
    ]


def _assemble(closer: Closer, h: Floats, O: Floats, theta: Floats) -> _Poses | None:
    """Close the gaps that exact lengths leave in a sketch little by little, so that its assembly mode is kept.

    The rows are brought from what they are in the sketch to zero; None where that way meets a singular pose.
    """
    form, rows = closer.form, Direct(closer.form, closer.known)
    sketch = rows.join(O, theta)
    s, change, side = closer.newton(h, sketch, 6)
    if change[0] < 1e-8 and apart(form, s, sketch)[0] < AS_DRAWN and side * closer.newton(h, sketch, 1)[2] > 0:
        return _Poses(h, s, side)
    values = rows.values(h)
    if form.rows.count > 3 * form.rows.links:
        O, theta, change = form.newton(values, O, theta, iterations=30)
        return _Poses(h, rows.join(O, theta), np.ones(1)) if change[0] < 1e-8 else None
    gaps, sign = form.gaps(values, O, theta), _sign(form, values, O, theta)
    closed, step = 0.0, 1.0
    while closed < 1.0:
        end = min(1.0, closed + step)
        O1, theta1, change = form.newton(values, O, theta, left=(1.0 - end) * gaps)
        near = max(np.max(np.abs(O1 - O)) / form.rows.size, np.max(np.abs(theta1 - theta))) < TURN
        if change[0] < 1e-8 and near and _sign(form, values, O1, theta1)[0] == sign[0]:
            O, theta, closed, step = O1, theta1, end, 2 * step
            continue
        step *= 0.5
        if step < 0.5**HALVINGS:
            return None
    s = rows.join(O, theta)
    return _Poses(h, s, closer.newton(h, s, 1)[2])


def _sign(form: General, values: tuple[Any, ...], O: Floats, theta: Floats) -> Floats:
    U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    return np.asarray(np.linalg.slogdet(form.jacobian(values, O, U))[0])


def _step(closer: Closer, poses: _Poses, h: Floats) -> tuple[NDArray[np.bool_], _Poses]:
    """Take one step to new inputs in every lane; return which lanes were accepted, and the new poses."""
    predicted = closer.ahead(poses.h, poses.s, h - poses.h)
    s, change, side = closer.newton(h, predicted, 6)
    good = (change < 1e-8) & (apart(closer.form, s, predicted) < DEPARTURE) & (side * poses.side > 0)
    return good & (apart(closer.form, s, poses.s, origins=False) < TURN + DEPARTURE), _Poses(h, s, side)


def _reach(closer: Closer, start: _Poses, target: Floats, halvings: int = HALVINGS) -> _Poses | Status:
    """Walk one lane to other inputs; the step shrinks where a trial fails and grows with success."""
    pose, done, step, smallest = start, 0.0, 1.0, 0.5**halvings
    while done < 1.0:
        end = min(1.0, done + step)
        good, found = _step(closer, pose, _between(closer, start.h, target, end))
        if good[0]:
            pose, done, step = found, end, 2 * step
            continue
        step *= 0.5
        if step < smallest:
            rows = Direct(closer.form, closer.known)
            sigma = closer.form.smallest_singular_value(rows.values(pose.h), rows.phi(pose.s))[0]
            # Near a limit position the singular value falls like the square root of the way that is left.
            return Status.OUT_OF_REACH if sigma < 0.2 else Status.NOT_CONVERGED
    return pose


def _between(closer: Closer, h0: Floats, h1: Floats, s: float) -> Floats:
    if s == 1.0:
        return h1
    mixed, row = h0 + s * (h1 - h0), 0
    moving = [j for j, value in enumerate(closer.known) if value is None]
    for j, (width, _) in zip(moving, _scales(closer), strict=True):
        if j < len(closer.form.rows.unit) and closer.form.rows.unit[j]:
            mixed[row : row + 2] /= np.sqrt(np.sum(mixed[row : row + 2] ** 2, axis=0))
        row += width
    return np.asarray(mixed)
