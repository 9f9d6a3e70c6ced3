"""Variants that pass a flat pose of a dyad: a change point, at which their assembly modes change.

The variants share one plan and its modes. Where the discriminant of a dyad touches zero along the motion of a variant,
as in a parallelogram, its smooth motion continues in the other mode (see `structkin.solve.change_points`). Such
dimensions are special, and few variants have them; they are found here and solved individually.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from structkin.solve.change_points.search import SUSPECT, may_meet
from structkin.solve.engine import Lanes, discriminant, positions
from structkin.solve.many.path import Path
from structkin.solve.many.record import ManyPlan
from structkin.track.minima import narrowed
from structkin.types import Flags, Floats, Indices

#: Stations evaluated around a minimum of the discriminant, and how often.
POINTS, ROUNDS = 17, 3
#: A discriminant below this may touch zero. Solving the variant individually shows whether it does.
TOUCH = 1e-5
#: Lanes that are solved at a time.
LANES = 100_000


def passing_flat(many: ManyPlan, count: int, path: Path) -> list[int]:
    """Return the variants that may pass a flat pose along their paths, or a gap between two samples.

    Its places are so close that a discriminant has at most one minimum between two. Without drivers nothing moves, and
    no pose is passed.
    """
    stations, found = path.count, set[int]()
    if not stations:
        return []
    for first in range(0, count, max(1, LANES // stations)):
        chunk = np.arange(first, min(first + max(1, LANES // stations), count))
        z = path.at(chunk)
        lanes = solved(many, np.repeat(chunk, stations), {id: own.ravel() for id, own in z.items()})
        for index in many.plan.with_root:
            sampled = discriminant(many.plan, index, lanes).reshape(len(chunk), stations)
            found |= set(chunk[_passes_gap(sampled, path.samples)].tolist())
            which, at = _least(sampled, _meeting(many, index, lanes, sampled))
            if len(which):
                size, least = _narrow(many, index, chunk, z, which, at)
                beside = np.clip(at + np.array([[-1], [0], [1]]), 0, stations - 1)
                gap = (least < -TOUCH) & (sampled[which, beside] >= 0).all(axis=0)
                found |= set(chunk[which[gap | ((least >= -TOUCH) & (size < TOUCH))]].tolist())
    return sorted(found)


def solved(many: ManyPlan, variants: Indices, z: Mapping[str, Floats]) -> Lanes:
    """Return positions in lanes (n,) that each belong to one of the variants, at driver values z (n,)."""
    plan = many.plan
    lanes = Lanes.empty(plan, len(variants), orders=1)
    many.hold(lanes, variants)
    nowhere = np.empty((plan.offsets[-1], 0))
    positions(plan, len(plan.steps), lanes, z, lambda step: plan.steps[step].mode, nowhere)
    return lanes


def _meeting(many: ManyPlan, index: int, lanes: Lanes, values: Floats) -> Flags:
    """Return the stations (variants, stations) behind which pins pass so close by each other that a zero may not show.

    There the discriminants, `values` of the same shape, may be large on both sides.
    """
    stations = values.shape[1]
    first = np.flatnonzero(np.arange(values.size) % stations < stations - 1)
    large = np.fmin(values.ravel()[first], values.ravel()[first + 1]) >= SUSPECT
    first = first[large]
    found = np.zeros(values.size, bool)
    found[first] = may_meet(many.plan, index, lanes.x[0], first, first + 1)
    return found.reshape(values.shape)


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
