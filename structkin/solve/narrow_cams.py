"""Cams that lift and let down within a few degrees: between two stations their followers may move there and back.

At both stations the follower is where it was, and nothing tells what it has done to the groups behind it. On a circle
of complex poses the places may lie to both sides of it as well. But what a follower does is a known function of an
angle: where that has a hump or a hollow, stations are as close as its width needs, and circles are as small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from structkin.joints.cam import Cam
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import EQUAL_DATA, NEVER_FLAT
from structkin.plan.plan import Plan
from structkin.rows.affine import Affine
from structkin.rows.periodic import TURN
from structkin.types import Flags, Floats, Indices

#: Places at which a function is examined: evenly over a turn, and in each of its pieces.
PLACES, IN_PIECE = 3600, 8
#: Steps of the angle, and diameters of circles, are at most this part of a hump's width, at half its height.
PART = 0.5


@dataclass(frozen=True, eq=False)
class Humps:
    """The humps and hollows of a function of an angle: `places` (m,) in three turns, and `widths` (m,) there [rad].

    >>> bump = lambda x, order=0: np.maximum(0.0, 0.01 - np.abs(x - 1.0))
    >>> humps = Humps.of(bump, np.array([0.0, 0.99, 1.0, 1.01]))
    >>> round(float(humps.widths.min()), 6), humps.between(np.array([0.9, 0.995]), np.array([1.1, 0.999])).tolist()
    (0.01, [True, False])

    Pieces of a rise are one hump, though they end at the places at which all functions are examined.

    >>> slow = Humps.of(lambda x: np.minimum(x, TURN - x), TURN * np.arange(25) / 24)
    >>> round(float(slow.widths.min() / TURN), 2)
    0.5
    """

    places: Floats
    widths: Floats

    @classmethod
    def of(cls, function: Callable[[Any], Any], ends: Floats, flat: float = 0.0) -> Humps:
        """Return the humps of a function, the pieces of which end at these angles (k,); what varies less is `flat`."""
        pieces = np.unique(ends % TURN)
        pieces = np.append(pieces, pieces[0] + TURN)
        inside = pieces[:-1] + np.diff(pieces) * np.arange(IN_PIECE)[:, None] / IN_PIECE
        x = np.unique(np.concatenate((TURN * np.arange(PLACES) / PLACES, inside.ravel() % TURN)))
        # Between places that differ by rounding it would seem to rest.
        x = x[np.diff(x, append=TURN) > EQUAL_DATA]
        values = np.asarray(function(x))
        rise = np.roll(values, -1) - values
        way = np.where(np.abs(rise) <= max(flat, NEVER_FLAT * np.ptp(values)), 0.0, np.sign(rise))
        turns = np.flatnonzero(way != np.roll(way, 1))
        places, after = x[turns], way[turns]
        # How long it rises, falls or stays.
        length = np.append(places[1:], places[:1] + TURN) - places
        count = len(turns)
        widths = np.full(count, np.inf)
        for k in range(count):
            stays = after[k] == 0.0
            before, next_ = (k - 1) % count, (k + stays) % count
            if after[before] * after[next_] < 0.0:
                width = 0.5 * (length[before] + length[next_]) + stays * length[k]
                widths[[k, next_]] = np.minimum(widths[[k, next_]], width)
        return cls((places + TURN * np.arange(3)[:, None]).ravel(), np.tile(widths, 3))

    def ahead(self, angle: float, way: float) -> float:
        """Return how far [rad] one may go from an angle, up (way 1) or down (-1), and not too far for a hump passed.

        >>> humps = Humps.of(lambda x: np.maximum(0.0, 0.01 - np.abs(x - 1.0)), np.array([0.0, 0.99, 1.0, 1.01]))
        >>> [round(humps.ahead(angle, 1.0), 6) for angle in (0.5, 0.98, 0.999)]
        [0.5, 0.02, 0.005]
        """
        far = way * (self.places - (angle - TURN * np.floor(angle / TURN) + TURN))
        return float(np.min(np.maximum(far, PART * self.widths)[far >= 0.0], initial=np.inf))

    def between(self, low: Floats, high: Floats) -> Flags:
        """Return between which angles (n,) there is a hump that is narrow for the way from one to the other [rad]."""
        far = high - low
        found = np.zeros(len(far), bool)
        some = np.flatnonzero(far > PART * self.widths.min(initial=np.inf))
        low, far = low[some] - TURN * np.floor(low[some] / TURN), np.fmin(far[some], TURN)
        first, last = np.searchsorted(self.places, low, "left"), np.searchsorted(self.places, low + far, "right")
        any_ = last > first
        ends = np.stack((first[any_], last[any_]), axis=1).ravel()
        least = np.minimum.reduceat(np.append(self.widths, np.inf), ends)[::2]
        found[some[any_]] = far[any_] > PART * least
        return found


@dataclass(frozen=True)
class Followed:
    """A cam of a plan: its follower moves by the angle from a direction `base` to another, `vector`.

    `steps` are those that place the follower, as the bits of a number.
    """

    base: Affine
    vector: Affine
    humps: Humps
    steps: int

    def angle(self, plan: Plan, x: Any) -> Floats:
        """Return the angle (...), from registers x (rows, ...) with real or complex values."""
        values = (one.components(lambda slot: x[plan.rows(slot)].real) for one in (self.base, self.vector))
        (a, b), (c, d) = values
        return np.asarray(np.arctan2(a * d - b * c, a * c + b * d))


_found: WeakKeyDictionary[Cam, Humps] = WeakKeyDictionary()


def followed_cams(mechanism: Mechanism, plan: Plan) -> list[Followed]:
    """Return the cams of a mechanism, if it has groups that may have a gap."""
    cams = mechanism.joints.of(Cam).values() if plan.with_root or plan.followed else ()
    found = []
    for cam in cams:
        if cam not in _found:
            _found[cam] = Humps.of(*cam.by_angle)
        placed = {slot for part in (plan.frames[cam.follower].origin, plan.frames[cam.follower].direction)
                  for slot, _ in part.terms}  # fmt: skip
        steps = sum(1 << k for k, step in enumerate(plan.steps) if not placed.isdisjoint(step.outputs))
        found.append(Followed(*cam.angle_between(plan.frames), _found[cam], steps))
    return found


def pass_humps(plan: Plan, x: Floats, cams: Sequence[Followed]) -> Flags:
    """Return between which lanes (n - 1,) of x (rows, n) a follower may move there and back unseen."""
    found = np.zeros(max(x.shape[1] - 1, 0), bool)
    for cam in cams:
        angle = cam.angle(plan, x)
        if angle.shape != x.shape[1:]:
            continue
        step = np.diff(angle)
        step -= TURN * np.round(step / TURN)
        more = beyond(step)
        low = angle[:-1] + np.minimum(step, 0.0) - more
        found |= cam.humps.between(low, low + np.abs(step) + 2.0 * more)
    return found


def beyond(step: Floats) -> Floats:
    """Return how far (n,) [rad] an angle may go beyond its values at the ends of steps (n,), where it turns back.

    It may do so in either of two steps with different signs, but less far than the longer of them.

    >>> beyond(np.array([0.1, 0.2, -0.2, 0.9, 0.3])).tolist()
    [0.0, 0.2, 0.9, 0.9, 0.0]
    """
    far, found = np.abs(step), np.zeros(len(step))
    with np.errstate(invalid="ignore"):
        back = np.flatnonzero(step[1:] * step[:-1] < 0.0)
    most = np.maximum(far[back], far[back + 1])
    found[back] = most
    found[back + 1] = np.maximum(most, found[back + 1])
    return found


def near_humps(plan: Plan, x: Floats, cams: Sequence[Followed], last: Indices) -> Indices:
    """Return the lanes of x (rows, n) that a step from a lane to the one at `last` (n,) passes over, and a hump too."""
    passed = np.zeros(x.shape[1] + 1, np.intp)
    for cam in cams:
        angle = cam.angle(plan, x)
        if angle.shape == x.shape[1:]:
            step = np.diff(angle)
            step = np.nan_to_num(step - TURN * np.round(step / TURN))
            ahead, back = (np.append(0.0, np.cumsum(np.maximum(way, 0.0))) for way in (step, -step))
            first = np.flatnonzero(cam.humps.between(angle - (back[last] - back), angle + (ahead[last] - ahead)))
            np.add.at(passed, first, 1)
            np.add.at(passed, last[first] + 1, -1)
    return np.flatnonzero(np.cumsum(passed)[:-1])


def hide_humps(plan: Plan, x: Any, cams: Sequence[Followed]) -> Flags:
    """Return on which circles (c,) of x (rows, c, nodes) a hump may lie between the places."""
    found = np.zeros(x.shape[1], bool)
    for cam in cams:
        angle = cam.angle(plan, x)
        if angle.shape == x.shape[1:]:
            angle = np.unwrap(angle, axis=-1)
            found |= cam.humps.between(angle.min(axis=-1), angle.max(axis=-1))
    return found
