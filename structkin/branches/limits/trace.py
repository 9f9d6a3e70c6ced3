"""Whole curves of poses along the path of the drivers, through every fold: the circuits of any mechanism.

A curve of poses is traced by pseudo-arclength continuation (see `structkin.track.arclength`) until it closes,
or to its ends in both directions. Its folds cut it into arcs on which the parameter is monotone: the branches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from structkin.branches.limits.follow import (
    Fold,
    barred_between,
    far_end,
    fold_between,
    is_back,
    lost_at,
    range_between,
)
from structkin.branches.limits.plan_equations import System
from structkin.numerical_tolerances import SAME_POSE
from structkin.rows.periodic import TURN
from structkin.track.arclength import LostError, begin, crossing_between, steps
from structkin.types import Floats


@dataclass(frozen=True)
class Arc:
    """A part of a curve on which the parameter is monotone: poses y (k, m) in order along the curve, and its ends.

    An end is a `Fold`, or None where a closed curve has no folds.
    """

    poses: Floats
    ends: tuple[Fold | None, Fold | None]

    def crossings(self, system: System, p: float, *, periodic: bool) -> list[Floats]:
        """Return the poses (m,) of the arc at a parameter, up to whole turns where it is periodic."""
        found = []
        low, high = sorted((self.poses[0, -1], self.poses[-1, -1]))
        places = p + TURN * np.arange(np.ceil((low - p) / TURN), np.floor((high - p) / TURN) + 1) if periodic else [p]
        for place in places:
            if low <= place <= high:
                found.append(_at(system, self.poses, float(place)))
        return found


@dataclass(frozen=True)
class Curve:
    """A connected curve of poses: its arcs in order; `closed` where the last one leads to the first again.

    `crossings` are poses (m,) where another curve crosses it, or it crosses itself: change points. They are among those
    of its arcs, up to whole turns of the parameter.
    """

    arcs: tuple[Arc, ...]
    closed: bool
    crossings: tuple[Floats, ...] = ()

    @property
    def turns(self) -> float:
        """The change of the parameter along a closed curve without folds, in turns; else zero."""
        if not self.closed or self.arcs[0].ends[0] is not None:
            return 0.0
        (arc,) = self.arcs
        return abs(float(arc.poses[-1, -1] - arc.poses[0, -1])) / TURN


def trace(system: System, y: Floats, whole: tuple[float, float] | None) -> Curve:
    """Return the curve of poses through y (m,); `whole` is the range of the parameter, None a full turn of an angle."""
    ways: list[list[_Mark]] = []
    every: list[Floats] = []
    for direction in (1, -1):
        crossings: list[Floats] = []
        marks, closed = _follow_to_end(system, y, direction, whole, crossings)
        # A curve that is lost in one direction may close in the other.
        if closed:
            return Curve(_closed(marks), closed=True, crossings=tuple(crossings))
        ways.append(marks)
        every += crossings
    forward, backward = ways
    return Curve(_arcs([*reversed(backward), *forward[1:]]), closed=False, crossings=tuple(every))


#: A pose of the curve, and its fold, if there is one.
_Mark = tuple[Floats, Fold | None]


def _follow_to_end(
    system: System, y: Floats, direction: int, whole: tuple[float, float] | None, crossings: list[Floats]
) -> tuple[list[_Mark], bool]:
    """Return the poses from y to the end of the curve, and whether it closed at y; add where curves cross."""
    start = begin(system, y, direction)
    marks: list[_Mark] = [(y, None)]
    try:
        for here, ahead in steps(system, start):
            closed, there = is_back(system, start, here, ahead, periodic=whole is None), ahead
            if closed:
                # The last step leads to the start, from which the first one has led on.
                back = system.shifted(y, ahead.y[-1]) if whole is None else y
                there = replace(start, y=ahead.y + system.apart(back, ahead.y))
            elif end := barred_between(system, here, there) or range_between(here, there, whole):
                return [*marks, (end.y, end)], False
            if there.orientation * here.orientation < 0:
                crossings.append(crossing_between(system, here, there))
                marks.append((crossings[-1], None))
            if there.tangent[-1] * here.tangent[-1] < 0:
                fold = fold_between(system, here, there)
                marks.append((fold.y, fold))
            end = None if closed else far_end(system, here, there)
            marks.append((there.y, end))
            if end or closed:
                return marks, closed
    except LostError as lost:
        return [*marks, (lost.y, lost_at(lost.y))], False
    raise AssertionError("steps end in an exception")


def _closed(marks: list[_Mark]) -> tuple[Arc, ...]:
    """Return the arcs of a closed curve, from fold to fold."""
    folds = [k for k, (_, fold) in enumerate(marks) if fold is not None]
    if not folds:
        return (Arc(np.stack([y for y, _ in marks]), (None, None)),)
    first = folds[0]
    shift = marks[-1][0] - marks[0][0]

    def later(mark: _Mark) -> _Mark:
        y, fold = mark
        y = y + shift
        return y, fold and Fold(fold.p + shift[-1], fold.step, y, fold.far)

    return _arcs([*marks[first:], *map(later, marks[1 : first + 1])])


def _arcs(marks: list[_Mark]) -> tuple[Arc, ...]:
    folds = [k for k, (_, fold) in enumerate(marks) if fold is not None]
    return tuple(
        Arc(np.stack([y for y, _ in marks[i : j + 1]]), (marks[i][1], marks[j][1])) for i, j in pairwise(folds)
    )


def _at(system: System, poses: Floats, p: float) -> Floats:
    """Return the pose at a parameter between the ends of an arc, by Newton's method from the nearest poses."""
    values = poses[:, -1] if poses[-1, -1] >= poses[0, -1] else poses[::-1, -1]
    ordered = poses if poses[-1, -1] >= poses[0, -1] else poses[::-1]
    k = min(max(int(np.searchsorted(values, p)), 1), len(values) - 1)
    part = (p - values[k - 1]) / ((values[k] - values[k - 1]) or 1.0)
    guess = ordered[k - 1] + part * (ordered[k] - ordered[k - 1])
    y = system.closed(np.append(guess[:-1], p)[None])[0][0]
    # Where a curve closes, sums of turns are those of the pose before its end.
    off, step = (np.abs(system.apart(*pair)).max() for pair in ((y, guess), (ordered[k], ordered[k - 1])))
    near = off < max(0.5 * step, SAME_POSE)
    return y if near else np.append(guess[:-1], p)
