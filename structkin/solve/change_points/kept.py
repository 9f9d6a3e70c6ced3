"""Poses between stations that are kept from the search of one step to that of the next.

The searches of steps that depend on each other look at the same places. There the poses of the earlier steps are known:
without them, the work for a chain of n dyads grew with n^2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.budget import charge
from structkin.solve.change_points.between import Between, Paths, near_stations
from structkin.solve.change_points.contours import Contours, Zeros, advance
from structkin.solve.engine import Lanes, positions
from structkin.solve.narrow_cams import Followed, followed_cams, hide_humps
from structkin.track.contour import NODES
from structkin.types import Floats, Indices

#: Steps after which it is asked whether a circle has failed.
AT_ONCE = 16
#: The work of solving a step on circles, in steps of the budget.
WORK = 0.05
#: Numbers that are kept before those that no search has used meanwhile are forgotten.
MOST = 2**23


@dataclass
class _Circle:
    """A circle on which some steps are solved, and of these some have failed: bits of numbers, as in `Plan.behind`.

    `x` (rows, NODES) are the poses, `sound` (registers,) says which are certified; None where no step is solved.
    """

    solved: int = 0
    failed: int = 0
    x: Any = None
    sound: Any = None


class _Poses:
    """Positions at places between stations, a record for each: how many steps are `solved`, and what is known of them.

    `used` are those that a search has asked for since others were last forgotten.
    """

    def __init__(self, rows: int) -> None:
        kinds = [("solved", np.intp), ("status", np.int8), ("group", np.int32), ("used", bool), ("x", float, (rows,))]
        self.records: NDArray[Any] = np.zeros(0, kinds)
        self._at: dict[float, int] = {}

    def __len__(self) -> int:
        """Return how many of them are used."""
        return int(np.count_nonzero(self.records["used"]))

    def at(self, places: Sequence[float]) -> Indices:
        """Return where the records of places are; for new ones they are made."""
        known, records = self._at, self.records
        found = np.array([known.setdefault(place, len(known)) for place in places], np.intp)
        if len(known) > len(records):
            more = np.zeros(max(len(known) - len(records), len(records)), records.dtype)
            self.records = np.concatenate((records, more))
        self.records["used"][found] = True
        return found

    def forget(self) -> None:
        """Forget the places that are not used."""
        kept = np.flatnonzero(self.records["used"])
        places = list(self._at)  # in the order of their records
        self._at = {places[k]: number for number, k in enumerate(kept.tolist())}
        self.records = self.records[kept]
        self.records["used"] = False


@dataclass(frozen=True)
class Kept(Between):
    """Poses between stations, of which those that the searches of steps have used are kept for the next.

    Steps are searched in order, and a step changes its mode before later ones are solved.
    """

    used: dict[Any, _Circle] = field(default_factory=dict)
    before: dict[Any, _Circle] = field(default_factory=dict)

    @cached_property
    def _cams(self) -> list[Followed]:
        return followed_cams(self.schedule.mechanism, self.plan)

    @cached_property
    def _poses(self) -> _Poses:
        return _Poses(self.plan.offsets[-1])

    def make_room(self) -> None:
        """If much is kept, forget what has not been used since this was last so."""
        if len(self._poses.records) + 2 * NODES * len(self.used) < MOST // self.plan.offsets[-1]:
            return  # however many of them are solved
        nodes = len(self._poses) + sum(2 * NODES if circle.solved else 1 for circle in self.used.values())
        if nodes * self.plan.offsets[-1] < MOST:
            return
        self._poses.forget()
        self.before.clear()
        self.before.update(self.used)
        self.used.clear()

    def lanes(self, stations: Floats, steps: int) -> Lanes:
        """Return the positions of the first steps at stations (n,)."""
        at, lanes = self._poses.at(stations.tolist()), Lanes.empty(self.plan, len(stations), orders=1)
        records = self._poses.records
        solved = records["solved"][at]
        for first in np.unique(solved).tolist():
            some = np.flatnonzero(solved == first)
            part = Lanes.empty(self.plan, len(some), orders=1)
            if first:
                known = records[at[some]]
                part.x[0], part.status[:], part.group[:] = known["x"].T, known["status"], known["group"]
            near, there = near_stations(self.near, stations[some]), stations[some]
            positions(self.plan, steps, part, self.schedule.at(there), self.changes.modes(there), near, first)
            lanes.x[0][:, some], lanes.status[some], lanes.group[some] = part.x[0], part.status, part.group
        records["solved"][at], records["x"][at] = steps, lanes.x[0].T
        records["status"][at], records["group"][at] = lanes.status, lanes.group
        return lanes

    def zeros(self, index: int, paths: Paths, radius: Floats, *, corner: bool = False) -> Zeros:
        """Return the zeros of a step's discriminant inside circles of radii (c,) in x around the middles of paths.

        A path that cuts off a `corner` is not that of the stations, which lie where it begins.
        """
        columns = (paths.low.tolist(), paths.high.tolist(), paths.x.tolist(), radius.tolist())
        # Another part of the mechanism has a path of its own between the same stations.
        keys = [(*key, tuple(paths.powers)) for key in zip(*columns, strict=True)]
        groups, found = defaultdict[int, list[int]](list), Zeros.unknown(len(keys))
        for k, key in enumerate(keys):
            name = key, corner
            circle = self.used[name] = self.used.get(name) or self.before.get(name) or _Circle()
            if not circle.failed & self.plan.behind[index]:
                groups[circle.solved].append(k)
        for some in groups.values():
            circles, part = [self.used[keys[k], corner] for k in some], paths.take(np.array(some))
            zeros = self._solve(circles, part, radius[some], index, corner=corner)
            if zeros is not None:
                found.put(zeros, np.array(some))
        return found

    def _solve(
        self, circles: Sequence[_Circle], paths: Paths, radius: Floats, index: int, *, corner: bool
    ) -> Zeros | None:
        """Solve what a step depends on, on circles of the same solved steps; return its zeros, None if all fail."""
        plan, signs, near = self.plan, self.signs(paths, corner=corner), near_stations(self.near, paths.station)
        contours = Contours.empty(plan, paths.on_circles(radius), radius)
        solved = circles[0].solved
        if solved:
            contours.x[:] = np.stack([circle.x for circle in circles], axis=1)
            contours.sound[:] = np.stack([circle.sound for circle in circles], axis=1)
        behind, fail = plan.behind[index], [False] * len(circles)
        todo = _bits(behind & ~solved)
        for first in range(0, len(todo), AT_ONCE):
            steps = todo[first : first + AT_ONCE]
            charge(WORK * len(steps))
            advance(plan, contours, steps, signs, near)
            solved |= sum(1 << step for step in steps)
            for step in steps:
                for k in np.flatnonzero(~contours.sound[plan.steps[step].outputs[0]]).tolist():
                    circles[k].failed |= 1 << step
            fail = [bool(circle.failed & behind) for circle in circles]
            if all(fail):
                break
        for k, circle in enumerate(circles):
            # What has failed needs no room, and a view would keep all circles.
            kept = (0, None, None) if fail[k] else (solved, contours.x[:, k].copy(), contours.sound[:, k].copy())
            circle.solved, circle.x, circle.sound = kept
        if all(fail):
            return None
        zeros = advance(plan, contours, [index], signs, near).zeros[index]
        if cams := [cam for cam in self._cams if cam.steps & behind]:
            hidden = np.flatnonzero(hide_humps(plan, contours.x, cams))
            zeros.put(Zeros.unknown(len(hidden)), hidden)
        return zeros


def _bits(number: int) -> list[int]:
    """Return the places of the bits of a number.

    >>> _bits(0b1011)
    [0, 1, 3]
    """
    return [k for k, bit in enumerate(reversed(f"{number:b}")) if bit == "1"]
