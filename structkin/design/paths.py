"""Linkages whose tracer passes given points: starts from the atlas, all fitted at once, the best of them to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations, product

import numpy as np
from scipy.optimize import isotonic_regression

from structkin.design.any_topology import AnyLinkage
from structkin.design.atlas_of_curves import starts, timed_starts
from structkin.design.loops import Kind
from structkin.design.refine import Bounds, Lanes, fit, misses, outside
from structkin.model.units import Units
from structkin.numerical_tolerances import HALF_DIGITS, ROUNDING, SOLVED_POSE
from structkin.types import Complexes, Flags, Floats

#: The error of a linkage that passes all points, in sizes of the path, and that of one for which no other is searched.
EXACT, ENOUGH = SOLVED_POSE, HALF_DIGITS
#: Linkages count as one if no pin of theirs is farther apart, in parts of the larger of path and linkage.
SAME = 0.02
#: How much longer than allowed a link may be, and how far outside its region a pivot, in parts of the path's size: the
#: limits are a part of what is minimised.
OVER, ASIDE = 1.01, 0.01
#: How far above the least squared sine of a transmission angle it is to be, since linkages are fitted from below: the
#: smaller one of a part of it, and of a part of what it lacks to 1. A larger part would leave out those near the limit.
MARGINS = 0.5, 0.02
#: Samples of a motion that is verified.
SAMPLES = 361


@dataclass(frozen=True)
class Wish:
    """Points (2, n) [m] in their order, and what is given with them: see `synthesise`."""

    points: Floats
    closed: bool
    timing: Floats | None
    pivots: tuple[complex, ...]
    longest: float
    least: float
    #: The corners (2, 2) between which the ground pivots lie.
    region: Floats = field(default_factory=lambda: np.array([[-np.inf] * 2, [np.inf] * 2]))
    #: The unit of length of what is said.
    units: Units = field(default_factory=Units)

    def length_in_words(self, length: float) -> str:
        """Return a length [m] with its unit."""
        return f"{length / self.units.length_scale:.3g} {self.units.length}"

    @property
    def size(self) -> float:
        """The largest extent [m]."""
        return float(np.ptp(self.points, axis=1).max())

    @property
    def middle(self) -> Floats:
        """The mean point (2, 1) [m]."""
        return np.asarray(self.points.mean(axis=1, keepdims=True))

    def motion(self, theta: Floats, samples: int = SAMPLES) -> Floats:
        """Return crank angles (samples, k) over the whole motion that passes the points at angles (n, k)."""
        sign = np.sign(theta[-1] - theta[0])
        span = 2 * np.pi * sign if self.closed else theta[-1] - theta[0]
        return np.asarray(theta[0] + span * np.linspace(0, 1, samples)[:, None])

    def in_order(self, theta: Floats) -> Flags:
        """Return whether the crank passes the points in their order, in one turn, turning one way (k,)."""
        span = theta[-1] - theta[0]
        steps = np.diff(theta, axis=0) * np.sign(span)
        return np.asarray((steps > -ROUNDING).all(axis=0) & (span != 0) & (np.abs(span) < 2 * np.pi))


def linkages(
    kind: Kind, wish: Wish, seed: int, report: Callable[[float], None],
    watch: Callable[[Iterator[Lanes]], None] | None = None,
) -> Iterator[Lanes]:  # fmt: skip
    """Yield linkages [m] that pass the points best, one at a time, the best first, each once.

    `watch` is given those that have been found so far, in the same way, after each stage of the search.
    """
    points, region = ((places - wish.middle) / wish.size for places in (wish.points, wish.region.T))
    unit = replace(wish, points=points, pivots=(), longest=wish.longest / wish.size, region=region.T)
    middle = complex(*wish.middle[:, 0])
    places = [(place - middle) / wish.size for place in wish.pivots]
    found: list[Lanes] = []
    arrangements = [*permutations(range(len(kind.pivots)), len(places))]
    searches = [*product(range(kind.rounds), arrangements)]
    share = max(1, len(arrangements) // 2)  # six-bars have many: each is searched with fewer starts
    for k, (late, arrangement) in enumerate(searches):
        if late and min(float(misses(kind, lanes, points).min()) for lanes in found) < ENOUGH:
            break
        fixed = dict(zip(arrangement, places, strict=True))
        for part, lanes in _fitted(kind, unit, fixed, seed + late, share):
            report((k + part) / len(searches))
            if watch is not None:
                watch(_in_metres(kind, wish, unit, [*found, lanes]))
        found.append(lanes)
    yield from _in_metres(kind, wish, unit, found)


def _in_metres(kind: Kind, wish: Wish, unit: Wish, found: list[Lanes]) -> Iterator[Lanes]:
    """Yield the sound ones of linkages that were found for the wish in its own size, the best first, each once [m]."""
    middle = complex(*wish.middle[:, 0])
    lanes = Lanes(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))
    lanes = lanes.some(sound(kind, unit, lanes))
    order = np.argsort(misses(kind, lanes, unit.points), kind="stable")
    known: list[Complexes] = []
    for k in order.tolist():
        one = lanes.some(np.array([k]))
        own = corners(kind, one)
        if not any(is_same(own, other, SAME * max(1.0, np.abs(own).max())) for other in known):
            known.append(own)
            yield Lanes(kind.moved(one.x, np.array([wish.size + 0j]), np.array([middle])), one.mode, one.theta)


def _fitted(
    kind: Kind, wish: Wish, fixed: dict[int, complex], seed: int, share: int
) -> Iterator[tuple[float, Lanes]]:  # fmt: skip
    """Yield the part of the search that is done, and its linkages, after each stage."""
    free = np.ones(kind.size, bool)
    for k in fixed:
        free[kind.pivots[k]] = False
    n, timed = wish.points.shape[1], wish.timing is not None
    square = np.sin(wish.least) ** 2
    bounds = Bounds(
        wish.longest, square + min(MARGINS[0] * square, MARGINS[1] * (1 - square)), wish.closed, wish.region
    )
    more = min(max(1, 64 // n), 4)  # the fewer points, the more linkages fit them, and the less work each is
    count = more * kind.stages[0][0] // share
    if wish.timing is None:
        lanes = starts(kind, wish.points, wish.closed, fixed, count, seed)
    else:
        lanes = timed_starts(kind, wish.points, wish.timing - wish.timing[0], fixed, count, seed)
    for k, (count, steps) in enumerate(kind.stages):
        lanes = lanes.some(np.argsort(misses(kind, lanes, wish.points))[: more * count // share])
        if isinstance(kind, AnyLinkage):
            lanes = lanes._replace(x=kind.redrawn(*lanes))
        if not timed and k:  # beside a cusp, angles may have been folded
            sign = np.sign(lanes.theta[-1] - lanes.theta[0])
            lanes = lanes._replace(theta=np.sort(lanes.theta * sign, axis=0) * sign)
        lanes = fit(kind, lanes, wish.points, steps, free=free, timed=timed, bounds=bounds)
        yield (k + 1) / len(kind.stages), lanes if timed else lanes._replace(theta=_ordered(lanes.theta))
        if np.count_nonzero(misses(kind, lanes, wish.points) < EXACT) >= kind.enough:
            break


def _ordered(theta: Floats) -> Floats:
    """Return the nearest crank angles (n, k) that never turn back: points off the path may have had others."""
    sign = np.sign(theta[-1] - theta[0])
    columns = [s * isotonic_regression(s * column).x for s, column in zip(sign, theta.T, strict=True)]
    return np.stack(columns, axis=1)


def sound(kind: Kind, wish: Wish, lanes: Lanes) -> Flags:
    """Return which linkages (k,) pass the points in order, away from dead centres, and keep lengths and region."""
    closing = kind.traced(lanes.x, lanes.mode, wish.motion(lanes.theta))[1].min(axis=0)
    fits = np.exp(kind.lengths(lanes.x)[0]).max(axis=0) < OVER * wish.longest
    fits &= outside(kind, lanes.x, wish.region)[0].max(axis=0) < ASIDE * wish.size
    return np.asarray((closing > np.sin(wish.least) ** 2) & wish.in_order(lanes.theta) & fits)


def is_same(own: Complexes, other: Complexes, near: float) -> bool:
    """Return whether `corners` of two linkages of a kind are near each other; ends that change places are no other one.

    >>> left, right = [0j, 1 + 1j], [4 + 0j, 3 + 1j]
    >>> is_same(np.array([left, right]), np.array([right, left]), 0.1)
    True
    >>> is_same(np.array([left, right]), np.array([left, left]), 0.1)
    False
    """
    pairs = np.abs(own[:, None] - other).max(axis=2) < near
    return bool(pairs.any(axis=0).all() and pairs.any(axis=1).all())


def corners(kind: Kind, one: Lanes) -> Complexes:
    """Return pivot and pin (2, 2) of both ends of a linkage at the first point; of any topology all points (q, 1)."""
    if isinstance(kind, AnyLinkage):
        return kind.placed(one.x, one.mode, one.theta[:1])[:, :, 0]
    B, C = (pin[0, 0, 0] + 1j * pin[1, 0, 0] for pin in kind.pins(one.x, one.mode, one.theta[:1]))
    pivots = [complex(*one.x[rows, 0]) for rows in kind.pivots]
    return np.array([[pivots[0], B], [pivots[-1], C]])
