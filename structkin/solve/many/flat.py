"""Variants that pass a flat pose of a dyad: a change point, at which their assembly modes change.

The variants share one plan and its modes. Where the discriminant of a dyad touches zero along the motion of a variant,
as in a parallelogram, its smooth motion continues in the other mode (see `structkin.solve.change_points`). Such
dimensions are special, and few variants have them; they are found here and solved individually.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from structkin.solve.change_points.search import STEEP, SUSPECT, may_meet
from structkin.solve.engine import Lanes, discriminant, positions
from structkin.solve.many.path import Path
from structkin.solve.many.record import ManyPlan
from structkin.types import Flags, Floats, Indices


def narrowed(
    function: Callable[[Floats], Floats], low: Floats, high: Floats, *, points: int, rounds: int
) -> tuple[Floats, Floats, Floats]:
    """Return where n functions are nearest to zero between `low` and `high` (n,), how near, and their least values.

    `function` gives the values (points, n) at as many places, NaN where there is none. After each round an interval is
    narrowed to the neighbours of its best place.

    >>> place, size, least = narrowed(lambda x: (x - 0.3) ** 2, np.zeros(1), np.ones(1), points=11, rounds=3)
    >>> place.round(9).tolist(), size.round(9).tolist()
    ([0.3], [0.0])
    """
    place, size, least = 0.5 * (low + high), np.full(len(low), np.inf), np.full(len(low), np.inf)
    for _ in range(rounds):
        places = low + np.linspace(0.0, 1.0, points)[:, None] * (high - low)
        values = function(places)
        least = np.fmin(least, np.fmin.reduce(values, axis=0))
        sizes = np.where(np.isnan(values), np.inf, np.abs(values))
        best, column = np.argmin(sizes, axis=0), np.arange(len(low))
        place, size = places[best, column], sizes[best, column]
        low, high = places[np.maximum(best - 1, 0), column], places[np.minimum(best + 1, points - 1), column]
    return place, size, least


#: Stations evaluated around a minimum of the discriminant, and how often.
POINTS, ROUNDS = 17, 3
#: A discriminant below this may touch zero. Solving the variant individually shows whether it does.
TOUCH = 1e-5
#: Lanes that are solved at a time: their numbers stay in the caches.
LANES = 16_384


def passing_flat(many: ManyPlan, variants: Indices, path: Path, lanes: Lanes) -> list[int]:
    """Return those of the variants that may pass a flat pose along their paths, or a gap between two samples.

    `lanes` hold their samples. The places of a path are so close that a discriminant has at most one minimum between
    two. Without drivers nothing moves, and no pose is passed.
    """
    if not path.count:
        return []
    if path.is_sampled:
        return sorted(_passing(many, variants, {id: z[:, 1:] for id, z in path.at(variants).items()}, path, lanes))
    found, size = set[int](), max(1, LANES // path.count)
    for first in range(0, len(variants), size):
        chunk = variants[first : first + size]
        z = path.at(chunk)
        own = solved(many, np.repeat(chunk, path.count), {id: values.ravel() for id, values in z.items()})
        found |= _passing(many, chunk, z, path, own)
    return sorted(found)


def _passing(many: ManyPlan, chunk: Indices, z: Mapping[str, Floats], path: Path, lanes: Lanes) -> set[int]:
    """Return those of a chunk of variants that may pass a flat pose, or a gap, at or between places z of their paths.

    The places are the `lanes`.
    """
    found = set[int]()
    places = len(lanes.status) // len(chunk)
    samples = np.arange(places) if path.is_sampled else path.samples
    for index in many.plan.with_root:
        sampled = discriminant(many.plan, index, lanes).reshape(len(chunk), places)
        found |= set(chunk[_passes_gap(sampled, samples)].tolist())
        clear = _is_clear(sampled) if path.is_even else np.zeros((len(chunk), places - 1), bool)
        some = np.flatnonzero(~clear.all(axis=1))
        if not len(some):
            continue
        lane = (some[:, None] * places + np.arange(places)).ravel()
        sampled = sampled[some]
        which, at = _least(sampled, _meeting(many, index, lanes.x[0], lane, sampled, clear[some]))
        if len(which):
            some_z = {id: own[some] for id, own in z.items()}
            size, least = _narrow(many, index, chunk[some], some_z, which, at)
            beside = np.clip(at + np.array([[-1], [0], [1]]), 0, places - 1)
            gap = (least < -TOUCH) & (sampled[which, beside] >= 0).all(axis=0)
            found |= set(chunk[some[which[gap | ((least >= -TOUCH) & (size < TOUCH))]]].tolist())
    return found


def _is_clear(values: Floats) -> Flags:
    """Return which intervals (variants, stations - 1) between even stations hold no double zero of a discriminant.

    Its `values` (variants, stations) would grow more from one station to the next.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = values[:, 1:] / values[:, :-1]
        # One that is small everywhere belongs to a dyad that may be flat in every pose.
        return np.asarray((ratio < STEEP) & (ratio > 1 / STEEP) & (values[:, 1:] > TOUCH))


def solved(many: ManyPlan, variants: Indices, z: Mapping[str, Floats]) -> Lanes:
    """Return positions in lanes (n,) that each belong to one of the variants, at driver values z (n,)."""
    plan = many.plan
    lanes = Lanes.empty(plan, len(variants), orders=1)
    many.hold(lanes, variants)
    nowhere = np.empty((plan.offsets[-1], 0))
    positions(plan, len(plan.steps), lanes, z, lambda step: plan.steps[step].mode, nowhere)
    return lanes


def _meeting(many: ManyPlan, index: int, x: Floats, lane: Indices, values: Floats, clear: Flags) -> Flags:
    """Return the stations (variants, stations) behind which pins pass so close by each other that a zero may not show.

    There the discriminants, `values` of the same shape, may be large on both sides. Those `lane` of x belong to them;
    intervals that are `clear` (variants, stations - 1) are not looked at.
    """
    found = np.zeros(values.shape, bool)
    with np.errstate(invalid="ignore"):
        found[:, :-1] = ~clear & (np.fmin(values[:, :-1], values[:, 1:]) >= SUSPECT)
    first = np.flatnonzero(found)
    found.ravel()[first] = may_meet(many.plan, index, x, lane[first], lane[first + 1])
    return found


def _passes_gap(values: Floats, samples: Indices) -> Flags:
    """Return in which variants a discriminant (variants, stations) is negative only between two samples."""
    lost = values < 0
    counted = np.cumsum(lost, axis=1)[:, samples]
    closed = ~lost[:, samples]
    return np.asarray((closed[:, 1:] & closed[:, :-1] & (counted[:, 1:] > counted[:, :-1])).any(axis=1))


def _least(values: Floats, meeting: Flags) -> tuple[Indices, Indices]:
    """Return variants and stations of minima of the discriminant that may be zero nearby, and the `meeting` ones.

    A discriminant is a square: where it is zero between the stations, the parabola through three of them falls low.
    """
    if not (values < SUSPECT).any():
        which, at = np.nonzero(meeting)
        return which, at
    with np.errstate(invalid="ignore", divide="ignore"):
        padded = np.pad(np.where(values >= 0, values, np.inf), ((0, 0), (1, 1)), constant_values=np.inf)
        before, here, after = padded[:, :-2], padded[:, 1:-1], padded[:, 2:]
        lowest = here - (after - before) ** 2 / (8 * (before - 2 * here + after))
        low = (here < TOUCH) | ~np.isfinite(lowest) | (lowest < 0.5 * here)
        which, at = np.nonzero(((here < SUSPECT) & (here <= before) & (here <= after) & low) | meeting)
    return which, at


def _narrow(
    many: ManyPlan,
    index: int,
    chunk: Indices,
    z: Mapping[str, Floats],
    which: Indices,
    at: Indices,
) -> tuple[Floats, Floats]:
    """Return how near the discriminants of a step come to zero (n,), and how low.

    Around the stations `at` of the variants chunk[which].
    """
    last = next(own.shape[1] for own in z.values()) - 1
    # No evaluation should hit a station itself, where pivots may coincide exactly.
    low, high = np.maximum(at - 1, 0) + 1e-5, np.minimum(at + 1, last) - 1e-5

    def discriminant_at(places: Floats) -> Floats:
        first = np.minimum(places.astype(np.intp), max(last - 1, 0))
        here = {id: own[which, first] for id, own in z.items()}
        there = {id: own[which, np.minimum(first + 1, last)] for id, own in z.items()}
        inputs = {id: here[id] + (places - first) * (there[id] - here[id]) for id in z}
        lanes = solved(many, np.tile(chunk[which], POINTS), {id: own.ravel() for id, own in inputs.items()})
        return discriminant(many.plan, index, lanes).reshape(POINTS, -1)

    _, size, least = narrowed(discriminant_at, low, high, points=POINTS, rounds=ROUNDS)
    return size, least
