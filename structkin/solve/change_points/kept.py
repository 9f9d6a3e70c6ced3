"""Poses between stations that are kept from the search of one step to that of the next.

The searches of steps that depend on each other look at the same places. There the poses of the earlier steps are known:
without them, the work for a chain of n dyads grew with n^2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.budget import charge
from structkin.solve.change_points.between import Between, Paths, near_stations
from structkin.solve.change_points.contours import Contours, Zeros, advance
from structkin.solve.engine import Lanes, positions
from structkin.track.contour import NODES
from structkin.types import Floats

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


@dataclass(frozen=True)
class Kept(Between):
    """Poses between stations, of which those that the searches of steps have used are kept for the next.

    Steps are searched in order, and a step changes its mode before later ones are solved.
    """

    used: dict[Any, Any] = field(default_factory=dict)
    before: dict[Any, Any] = field(default_factory=dict)

    def next(self) -> None:
        """Begin another search; if much is kept, forget what has not been used since this was last so."""
        nodes = sum(2 * NODES if isinstance(kept, _Circle) and kept.solved else 1 for kept in self.used.values())
        if nodes * self.plan.offsets[-1] < MOST:
            return
        self.before.clear()
        self.before.update(self.used)
        self.used.clear()

    def _known(self, key: Any) -> Any:
        return self.used.get(key) or self.before.get(key)

    def lanes(self, stations: Floats, steps: int) -> Lanes:
        """Return the positions of the first steps at stations (n,)."""
        places, groups = stations.tolist(), defaultdict[int, list[int]](list)
        for k, place in enumerate(places):
            known = self._known(place)
            groups[known[0] if known else 0].append(k)
        lanes = Lanes.empty(self.plan, len(places), orders=1)
        for first, some in groups.items():
            part, at = Lanes.empty(self.plan, len(some), orders=1), stations[some]
            if first:
                kept = [self._known(places[k])[1:] for k in some]
                for mine, column in zip((part.x[0].T, part.status, part.group), zip(*kept, strict=True), strict=True):
                    mine[:] = column
            near = near_stations(self.near, at)
            positions(self.plan, steps, part, self.schedule.at(at), self.changes.modes(at), near, first)
            lanes.x[0][:, some], lanes.status[some], lanes.group[some] = part.x[0], part.status, part.group
        for k, place in enumerate(places):
            self.used[place] = steps, lanes.x[0][:, k], lanes.status[k], lanes.group[k]
        return lanes

    def zeros(self, index: int, paths: Paths, radius: Floats, *, corner: bool = False) -> Zeros:
        """Return the zeros of a step's discriminant inside circles of radii (c,) in x around the middles of paths.

        A path that cuts off a `corner` is not that of the stations, which lie where it begins.
        """
        keys = list(zip(paths.low.tolist(), paths.high.tolist(), paths.x.tolist(), radius.tolist(), strict=True))
        groups, found = defaultdict[int, list[int]](list), Zeros.unknown(len(keys))
        for k, key in enumerate(keys):
            circle = self.used[key, corner] = self._known((key, corner)) or _Circle()
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
            # What has failed needs no room.
            kept = (0, None, None) if fail[k] else (solved, contours.x[:, k], contours.sound[:, k])
            circle.solved, circle.x, circle.sound = kept
        if all(fail):
            return None
        return advance(plan, contours, [index], signs, near).zeros[index]


def _bits(number: int) -> list[int]:
    """Return the places of the bits of a number.

    >>> _bits(0b1011)
    [0, 1, 3]
    """
    return [k for k, bit in enumerate(reversed(f"{number:b}")) if bit == "1"]
