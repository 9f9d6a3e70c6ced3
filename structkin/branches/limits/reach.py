"""Where along a path of the drivers a mechanism of closed forms can be assembled: exact intervals for its modes.

The groups are taken in solve order. The discriminant of each is an analytic function on an interval where the groups
before it close; at an end that is a limit of one of those it has a square-root branch point, which the
substitution p = low + (high - low) sin^2(theta / 2) removes. So all its zeros are found
(`structkin.track.chebyshev`), and what is left of the interval is passed to the next group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.branches.limits.poses import Modes, Poses
from structkin.budget import charge
from structkin.numerical_tolerances import (
    COMPLEX_STEP,
    DOUBLE_ZERO,
    FLAT_WITHIN,
    LOST_AT_INFINITY,
    NEVER_FLAT,
    NUDGE,
    ROOT,
    SAME_SOLVED,
)
from structkin.rows.periodic import TURN
from structkin.track.chebyshev import landmarks
from structkin.types import Flags, Floats

#: Pieces that a full turn, or an interval, is cut into at first.
PIECES_OF_TURN, PIECES = 12, 6
#: Steps of the budget that the discriminant at one place costs: groups are only closed, not followed to it.
ALONE = 0.25
#: A squared sine that is larger is not nearly zero, however small the group is beside the mechanism.
NEARLY = 1e-3
#: A smooth discriminant changes by less over the part of an interval in which precision is lost.
JUMPS = 1e-3


@dataclass(frozen=True)
class End:
    """The end of an interval: parameter `p`, and the steps whose discriminants are zero there.

    `kind` is "limit" (a discriminant crosses zero), "change" (it touches zero: a change point), "doubt" (whether it
    does cannot be told: `structkin.numerical_tolerances`) or "range" (of the path). A stroke counts as one more step,
    after those of the plan.
    """

    p: float
    kind: str
    steps: frozenset[int] = frozenset()


@dataclass(frozen=True)
class FeasibleInterval:
    """An interval of the path on which all groups close; without ends it is a full turn.

    `hints` are places where a discriminant is nearly zero: narrow features of later discriminants lie there.
    """

    low: End | None
    high: End | None
    hints: tuple[float, ...] = ()

    @property
    def ends(self) -> tuple[End, ...]:
        """Both ends, none for a full turn."""
        return () if self.low is None or self.high is None else (self.low, self.high)

    def holds(self, p: float, *, periodic: bool) -> float | None:
        """Return p, shifted by whole turns if that helps, if it lies in the interval, else None."""
        if self.low is None or self.high is None:
            return p
        shift = TURN * math.ceil((self.low.p - SAME_SOLVED - p) / TURN) if periodic else 0.0
        return p + shift if self.low.p - SAME_SOLVED <= p + shift <= self.high.p + SAME_SOLVED else None


@dataclass
class Reach:
    """The reachable intervals of a path, by assembly modes; `whole` is the path, None a full turn of an angle.

    `ends` are those of the path, where they are more than the ends of a range.
    """

    poses: Poses
    whole: tuple[float, float] | None
    ends: tuple[End, End] | None = None
    _known: dict[tuple[int, ...], tuple[FeasibleInterval, ...]] = field(default_factory=dict)

    def feasible(self, modes: Modes) -> tuple[FeasibleInterval, ...]:
        """Return the intervals on which every group closes in these modes, in order."""
        return self.after(len(self.poses.closing), modes)

    def after(self, count: int, modes: Modes) -> tuple[FeasibleInterval, ...]:
        """Return the intervals on which the first `count` groups that can fail close."""
        first = count
        while first and self._key(first, modes) not in self._known:
            first -= 1
        # One after the other: there may be more groups than calls that Python allows inside each other.
        for each in range(first, count + 1):
            key = self._key(each, modes)
            if key not in self._known:
                self._known[key] = self._refined(each, modes)
        return self._known[self._key(count, modes)]

    def _key(self, count: int, modes: Modes) -> tuple[int, ...]:
        # The last of the groups closes in both modes or in none.
        return (count, *(modes[k] for k in self.poses.closing[: max(count - 1, 0)] if k in modes))

    @property
    def _hints(self) -> tuple[float, ...]:
        """The places where known modes change."""
        known = self.poses.known
        return tuple(
            sorted({float(z) / known.scale for mode_changes in known.mode_changes.values() for z in mode_changes})
        )

    @property
    def _rounds(self) -> tuple[float, ...]:
        """The same over a full turn of the parameter, which may be several periods."""
        known = self.poses.known
        if known.period is None:
            return self._hints
        step = known.period / known.scale
        return tuple(hint + step * k for hint in self._hints for k in range(round(TURN / step)))

    def _refined(self, count: int, modes: Modes) -> tuple[FeasibleInterval, ...]:
        if count == 0:
            if self.ends is not None:
                return (FeasibleInterval(*self.ends, self._hints),)
            if self.whole is None:
                return (FeasibleInterval(None, None, self._rounds),)
            low, high = self.whole
            return (FeasibleInterval(End(low, "range"), End(high, "range"), self._hints),)
        step = self.poses.closing[count - 1]
        parts = [part for piece in self.after(count - 1, modes) for part in _split(self.poses, piece, step, modes)]
        return tuple(sorted(parts, key=lambda part: part.low.p if part.low else 0.0))


def _split(poses: Poses, interval: FeasibleInterval, step: int, modes: Modes) -> list[FeasibleInterval]:
    """Return the parts of an interval on which another step closes as well."""
    chart = Chart(poses, step, modes, interval)
    places = landmarks(chart.value, chart.edges())
    places = places[~chart.is_far(places)]
    values = chart.value(places)
    low, high = interval.low, interval.high
    if low is not None and high is not None:
        values[0] = chart.at_end(low, float(values[1]))
        values[-1] = chart.at_end(high, float(values[-2]))
        low, high = (_joined(end, step, value) for end, value in ((low, values[0]), (high, values[-1])))
    inner = np.arange(1, len(places) - 1)
    least = places[inner[(values[inner] <= values[inner - 1]) & (values[inner] <= values[inner + 1])]]
    hints = tuple(sorted({*interval.hints, *(chart.parameter(x) for x in least)}))
    touches, kept = _touches(chart, places, values)
    if poses.stroke(step) is not None:
        # It touches an end of its stroke and continues.
        touches, kept = {}, [k for k in kept if k not in touches]
    marks: dict[int, _Mark] = {k: (float(places[k]), None) for k in kept}
    marks[0], marks[len(places) - 1] = (float(places[0]), low), (float(places[-1]), high)
    for k, (place, kind) in touches.items():
        marks[k] = place, End(chart.parameter(place), kind, frozenset({step})) if kind else None
    pieces: list[tuple[_Mark, _Mark, bool]] = []
    ends = {0, len(places) - 1}
    for k, j in pairwise(kept):
        signs = [0.0 if i in ends and abs(values[i]) <= DOUBLE_ZERO else float(np.sign(values[i])) for i in (k, j)]
        if signs[0] * signs[1] < 0:
            place, p = chart.zero(marks[k][0], marks[j][0])
            mark = place, End(p, "limit", frozenset({step}))
            pieces += [(marks[k], mark, signs[0] > 0), (mark, marks[j], signs[1] > 0)]
        else:
            pieces.append((marks[k], marks[j], bool(np.nansum(signs) > 0)))
    return [replace(part, hints=hints) for part in _parts(pieces, chart)]


def _touches(chart: Chart, places: Floats, values: Floats) -> tuple[dict[int, tuple[float, str]], list[int]]:
    """Return where discriminants touch zero from above, or may or nearly do, and the numbers of the places to use.

    A touch is a place of the chart and the kind of the end there, empty where it is a narrow gap. Runs of places at
    which the discriminant is zero to rounding, or the group flat to a length that may be rounding, are one touch, or
    part of a crossing or an end. The values become what `signs` are to be: zero at touches.
    """
    flat = np.abs(chart.clearance(places)) < NEVER_FLAT
    near = (np.abs(values) <= DOUBLE_ZERO) | (flat & (np.abs(values) < NEARLY))
    near[[0, -1]] = False
    touches: dict[int, tuple[float, str]] = {}
    kept = np.flatnonzero(~near).tolist()
    for before, after in pairwise(kept):
        if after - before > 1 and values[before] > DOUBLE_ZERO and values[after] > DOUBLE_ZERO:
            k = before + 1 + int(np.argmin(values[before + 1 : after]))
            place = chart.double_zero(places[before], places[k], places[after])
            size = float(np.abs(chart.clearance(np.array([place])))[0])
            if not size >= NEVER_FLAT:
                touches[k] = place, "doubt" if size > FLAT_WITHIN else "change"
                values[k] = 0.0
            elif (value := float(chart.value(np.array([place]))[0])) < 0:
                touches[k] = place, ""
                values[k] = value
    return touches, sorted([*kept, *touches])


#: A place of the chart, and the end of an interval if there is one.
_Mark = tuple[float, End | None]


def _joined(end: End, step: int, value: float) -> End:
    """Return an end, with the step where its discriminant is zero there too."""
    return replace(end, steps=end.steps | {step}) if abs(value) <= DOUBLE_ZERO else end


def _parts(pieces: list[tuple[_Mark, _Mark, bool]], chart: Chart) -> list[FeasibleInterval]:
    """Join neighbouring pieces that close, up to their ends."""
    runs: list[tuple[_Mark, _Mark]] = []
    for first, last, closes in pieces:
        if not closes:
            continue
        if runs and runs[-1][1][0] == first[0] and first[1] is None:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    if not runs:
        return []
    turn = 0.0
    if runs[0][0][1] is None and runs[-1][1][1] is None:
        # On a full turn the last piece continues in the first.
        if len(runs) == 1:
            return [FeasibleInterval(None, None)]
        runs[0], turn = (runs.pop()[0], runs[0][1]), TURN
    result = []
    for (_, low), (_, high) in runs:
        assert low is not None and high is not None
        past = turn if high.p <= low.p else 0.0
        result.append(FeasibleInterval(low, replace(high, p=high.p + past)))
    if chart.interval.low is None:
        result = [_from_zero(part) for part in result]
    return result


def _from_zero(part: FeasibleInterval) -> FeasibleInterval:
    """Return an interval of a full turn shifted so that it begins in [0, 2 pi)."""
    assert part.low is not None and part.high is not None
    shift = -TURN * math.floor(part.low.p / TURN)
    return FeasibleInterval(replace(part.low, p=part.low.p + shift), replace(part.high, p=part.high.p + shift))


class Chart:
    """The discriminant of a step over an interval, in a coordinate in which it is analytic, also at the ends."""

    def __init__(self, poses: Poses, step: int, modes: Modes, interval: FeasibleInterval) -> None:
        """Take the step, and the interval on which the steps before it close."""
        self.interval = interval
        self._poses, self._step, self._modes = poses, step, modes
        self._vague = [end for end in interval.ends if self._jumps(end)]
        self._low, self._high = (0.0, math.pi) if interval.low is not None else (0.0, TURN)
        if interval.low is None:
            # A full turn is cut open where the discriminant is far from zero.
            some = np.linspace(0.0, TURN, 97)[:-1] + 0.0123
            self._low = float(some[np.nanargmax(np.abs(self.value(some)))])
            self._high = self._low + TURN

    def edges(self) -> Floats:
        """Return the initial cuts of the coordinate: even ones, the hints, and near infinity as precision allows."""
        pieces = PIECES_OF_TURN if self.interval.low is None else PIECES
        wanted = [*self.interval.hints, *(self._beside(end) for end in self.interval.ends if self._is_infinite(end))]
        hints = np.array([x for hint in wanted if (x := self._place(hint)) is not None])
        edges = np.unique(np.concatenate((np.linspace(self._low, self._high, pieces + 1), hints)))
        return edges[np.concatenate(([True], np.diff(edges) > SAME_SOLVED))]

    def _place(self, p: float) -> float | None:
        low, high = self.interval.low, self.interval.high
        if low is None or high is None:
            return self._low + (p - self._low) % TURN
        for turned in (p, p + TURN):
            if low.p < turned < high.p:
                return 2 * math.asin(math.sqrt((turned - low.p) / (high.p - low.p)))
        return None

    def at(self, place: Any) -> Any:
        """Return the path's parameter at places of the chart, of any kind of number."""
        low, high = self.interval.low, self.interval.high
        if low is None or high is None:
            return place
        return low.p + (high.p - low.p) * np.sin(0.5 * place) ** 2

    def parameter(self, place: Any) -> float:
        """Return the path's parameter at one place."""
        return float(self.at(place))

    def value(self, place: Any) -> Any:
        """Return the discriminant at places (n,), bounded: m / sqrt(1 + m^2)."""
        p = self.at(place)
        for end in self._vague:
            beside = self._beside(end)
            p = np.where(np.abs(np.real(p) - end.p) < abs(beside - end.p), beside, p)
        m = self._poses.discriminant(self._step, p, self._modes)
        with np.errstate(all="ignore"):
            return m / np.sqrt(1 + m * m)

    def clearance(self, places: Floats) -> Floats:
        """Return how far the step is from a flat pose at places (n,), in sizes; NaN for a step that has none."""
        plan, none = self._poses.plan, np.full(len(places), np.nan)
        if self._poses.stroke(self._step) is not None or not plan.steps[self._step].has_root:
            return none
        h = self._poses.inputs(self._step, self.at(places), self._modes)
        with np.errstate(all="ignore"):
            found = plan.from_flat(plan.steps[self._step], h)
        return np.asarray(np.broadcast_to(found, places.shape))

    def is_far(self, places: Floats) -> Flags:
        """Return which places are so near an end at infinity (guides that become parallel) that precision is lost."""
        far = np.zeros(len(places), bool)
        if self.interval.ends:
            p, width = self.at(places), self.interval.ends[1].p - self.interval.ends[0].p
            for end in self.interval.ends:
                if self._is_infinite(end):
                    far |= np.abs(p - end.p) < LOST_AT_INFINITY * width
            far[[0, -1]] = False
        return far

    def _beside(self, end: End) -> float:
        """Return the parameter next to an end at infinity up to which discriminants are precise."""
        low, high = self.interval.ends
        inside = 1.01 * LOST_AT_INFINITY * (high.p - low.p)
        return end.p + (inside if end is low else -inside)

    def _is_infinite(self, end: End) -> bool:
        plan = self._poses.plan
        if not all(plan.steps[k].has_root for k in end.steps if self._poses.stroke(k) is None):
            return True
        return end in self._vague

    def _jumps(self, end: End) -> bool:
        """Return whether pins of an earlier step meet at an end: directions and discriminants are rounding there."""
        if end.kind != "change" or self._step in end.steps:
            return False
        there, beside = (
            self._poses.discriminant(self._step, np.array([p]), self._modes, steps)[0]
            for p, steps in ((end.p, end.steps), (self._beside(end), ()))
        )
        return not abs(there - beside) < JUMPS

    def at_end(self, end: End, beside: float) -> float:
        """Return the discriminant at an end, where other steps are at their limits; at infinity the one next to it."""
        if self._is_infinite(end):
            return beside
        return float(self._poses.discriminant(self._step, np.array([end.p]), self._modes, end.steps)[0])

    def _one(self, place: complex) -> Any:
        """Return the discriminant at one place."""
        charge(ALONE)
        return self.value(np.array([place]))[0]

    def zero(self, low: float, high: float) -> tuple[float, float]:
        """Return the zero between two places at which the value differs in sign, and its parameter."""
        from scipy.optimize import brentq

        first, last = self._one(low), self._one(high)
        if not first * last < 0:
            # At limits of other steps the discriminant was evaluated without them: the zero is there to rounding.
            place = high if abs(last) < abs(first) else low
            return place, self.parameter(place)
        place = brentq(self._one, low, high, xtol=ROOT, rtol=ROOT)
        p = self.parameter(place)
        charge(ALONE)
        m = complex(self._poses.discriminant(self._step, np.array([p + 1j * COMPLEX_STEP]), self._modes)[0])
        moved = p - COMPLEX_STEP * m.real / m.imag if m.imag else p
        return place, moved if self.at(low) < moved < self.at(high) else p

    def double_zero(self, low: float, place: float, high: float) -> float:
        """Return the place of the minimum near a place between two others: the zero of the slope, by secants."""

        def slope(x: float) -> float:
            return float(self._one(x + 1j * COMPLEX_STEP).imag) / COMPLEX_STEP

        before, here = place - NUDGE * min(place - low, high - place), place
        old = slope(before)
        for _ in range(8):
            now = slope(here)
            moved = here - now * (here - before) / (now - old) if now != old else here
            if not low < moved < high or moved == here:
                break
            before, here, old = here, moved, now
        return here
