"""Turns that neither drivers nor gears determine: counted along the path of the motion from the sketch.

The path is followed in steps in which no link turns far (`fast_turns`), and what repeats is followed once, whatever its
length. With one driver that moves, a pose depends on its coordinate alone. So the path is the range of the coordinate,
however often and in whichever order the samples pass it. If the driver turns many times, or if all drivers turn at
constant speeds that have a common period, the mechanism comes back to its pose after a number of periods, and then on
everything repeats: only the whole turns of links go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from structkin.budget import DEFAULT, Meter, SpentError, metering
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import SAME_POSE
from structkin.plan.plan import Plan
from structkin.rows.affine import FIXED, Affine
from structkin.rows.periodic import without_turns
from structkin.solve.call import common_period
from structkin.solve.engine import Lanes, over_gaps
from structkin.solve.fast_turns import slow_motion
from structkin.solve.motion.moving_frames import MovingFrames
from structkin.solve.motion.turning import wrapped
from structkin.solve.schedule import Schedule
from structkin.solve.sweep import sweep_between
from structkin.types import Flags, Floats, Indices

# --- what repeats --------------------------------------------------------------------------------------------------

#: After how many periods a mechanism may come back to its pose: tried in this order.
ROUNDS = (1, 2, 6, 12, 60)


@dataclass(frozen=True)
class Reduced:
    """A schedule that passes all places of another one, in order from a first station.

    Station `places[k]` (n,) is the place of sample k, which lies whole `rounds[k]` (n,) further on; -1 where it has no
    input. After station `last` the path has gone round once; None where nothing is repeated. `others` (n,) are places
    of the same poses, whole turns of the driver away and within half a turn of the first station.
    """

    schedule: Schedule
    places: Indices
    rounds: Indices
    others: Indices
    last: int | None = None


def reduced_paths(schedule: Schedule) -> Iterator[Reduced]:
    """Yield reduced paths of a schedule, the shortest first; the last one is its own path.

    Whether the mechanism is back in its pose after a round, and in those of the samples, is for the caller to find out.
    """
    known = np.flatnonzero(schedule._has_values)
    moving = [id for id, z in schedule.drivers.items() if np.any(z[0, known] != z[0, known[:1]])]
    along, period = schedule.t[known], None
    if len(moving) == 1:
        along = schedule.drivers[moving[0]][0, known]
        period = 2 * np.pi if schedule.mechanism.drivers[moving[0]].kind == "angle" else None
    elif not schedule.by_values:
        period = common_period(schedule.mechanism)
    for length in (count * period for count in ROUNDS if period is not None):
        if np.ptp(along) > 1.5 * length:
            yield _path(schedule, moving, known, along, length)
    if len(moving) == 1:
        yield _path(schedule, moving, known, along)
    own = np.arange(len(schedule))
    yield Reduced(schedule, own, np.zeros(len(schedule), np.intp), own)


def _path(schedule: Schedule, moving: list[str], known: Indices, along: Floats, length: float | None = None) -> Reduced:
    """Return the path from the first of the places `along` (n,) to the least and up to the greatest one.

    With a `length` it is one round, up from the first place.
    """
    first, rounds = along[0], np.zeros(len(schedule), np.intp)
    ends, near = first, along
    if length is not None:
        # The first place may be many rounds from the sketch.
        drawn = schedule.mechanism.drivers[moving[0]].start if len(moving) == 1 else 0.0
        first -= length * np.round((first - drawn) / length)
        rounds[known] = np.floor((along - first) / length)
        own, along, ends = along, along - rounds[known] * length, first + length
        if len(moving) == 1:
            along = np.clip(without_turns(own, along), first, ends)
        near = along
    elif len(moving) == 1 and schedule.mechanism.drivers[moving[0]].kind == "angle":
        near = along - 2 * np.pi * np.round((along - first) / (2 * np.pi))
    way = np.unique(np.concatenate((along, near, [ends])))
    before = int(way[0] != first)
    places, others = np.full((2, len(schedule)), -1)
    places[known], others[known] = (np.searchsorted(way, at) + before for at in (along, near))
    last = None if length is None else int(np.searchsorted(way, ends)) + before
    way = np.append(first, way)[1 - before :]
    drivers = {}
    for id, z in schedule.drivers.items():
        drivers[id] = np.full((3, len(way)), np.nan)
        law = schedule.mechanism.drivers[id].law
        if len(moving) == 1 or law is None:
            drivers[id][0] = way if id in moving else z[0, known[0]]
        else:
            drivers[id][:] = law(way)
    timed = len(moving) > 1
    by_values = frozenset() if timed else frozenset(drivers)
    t = way if timed else np.full(len(way), np.nan)
    return Reduced(Schedule(schedule.mechanism, t, drivers, by_values), places, rounds, others, last)


# --- turns ---------------------------------------------------------------------------------------------------------

#: "link" or "slot", and its name.
Counted = tuple[str, str]

#: What still turns so far in the smallest steps [rad]: nobody knows which way.
UNKNOWN = 0.75 * np.pi


def turns_along(angle: Floats, drawn: float, drivers: list[Floats]) -> tuple[Floats, Flags]:
    """Return how far a vector has turned since the sketch (n,), and where that is not known for sure (n,).

    Its `angle` (n,) is that at places in small steps, of which the first is within half a turn of the angle `drawn`.
    Behind a gap from which the `drivers`, values (n,) each, do not return, the turn is the one after the shorter
    rotation across it. After a step of which nobody knows which way it went, there is none.

    >>> turn, behind = turns_along(np.array([3.0, -3.0, np.nan, -1.0, 1.5, 1.6]), 3.0, [np.arange(6.0)])
    >>> turn.round(3).tolist(), behind.tolist()
    ([0.0, 0.283, nan, 2.283, nan, nan], [False, False, False, True, False, False])
    """
    good = np.flatnonzero(np.isfinite(angle))
    if not len(good):
        return np.full(len(angle), np.nan), np.zeros(len(angle), bool)
    known = angle if len(good) == len(angle) else angle[good]
    step, found = wrapped(known[1:] - known[:-1]), np.empty(len(known))
    found[0] = wrapped(known[0] - drawn)
    found[1:] = found[0] + np.cumsum(step)
    fast = np.abs(step) > UNKNOWN
    if known is angle and not fast.any():
        return found, np.zeros(len(angle), bool)
    turn = np.full(len(angle), np.nan)
    turn[good] = found
    lost = np.flatnonzero(fast & (np.diff(good) == 1))
    if len(lost):
        turn[good[lost[0] + 1] :] = np.nan
    return over_gaps(turn, drivers)


@dataclass(frozen=True)
class Followed:
    """The stations of a path that was followed, and the places `kept` in them of the stations of the path."""

    frames: MovingFrames
    schedule: Schedule
    path: Reduced
    kept: Indices

    def turn(self, what: Counted, drawn: float) -> Floats:
        """Return the turns (n,) at the samples of a link or in a slot, from the angle `drawn` on."""
        base, vector = seen(what, self.frames)
        angle, path = self.frames.angle(base, vector), self.path
        # Others may go on, or have no value: they do not tell where the way comes back.
        movers = {id for slot, _ in (*base.terms, *vector.terms) for id in self.frames.plan.movers[slot]}
        turn, behind = turns_along(angle, drawn, [z[0] for id, z in self.schedule.drivers.items() if id in movers])
        angle, turn, behind = angle[self.kept], turn[self.kept], behind[self.kept]
        # Behind a gap, the way back from the sketch may lead to the same pose.
        back = behind[path.places] & ~behind[path.others]
        back &= np.abs(wrapped(angle[path.others] - angle[path.places])) < SAME_POSE
        places = np.where(back, path.others, path.places)
        found = np.where(places >= 0, turn[places], np.nan)
        return found if path.last is None else found + path.rounds * (turn[path.last] - turn[0])

    def leads_to(self, angles: Mapping[Counted, Floats]) -> bool:
        """Return whether links and slots have these angles (n,) at the samples, where they have any."""
        places = self.kept[self.path.places]
        return all(
            not (np.abs(wrapped(self.frames.angle(*seen(what, self.frames))[places] - angle)) > SAME_POSE).any()
            for what, angle in angles.items()
        )

    @property
    def goes_round(self) -> bool:
        """Whether the mechanism is back in its first pose at the end of a round, and moved all the time."""
        if self.path.last is None:
            return True
        first, last = self.kept[[0, self.path.last]]
        ways = (way for frame in self.frames.plan.frames.values() for way in (frame.origin, frame.direction))
        moved = all(np.isfinite(self.frames.value(way)[first:]).all() for way in ways)
        return moved and self.frames.is_back(first, last, SAME_POSE)


def seen(what: Counted, frames: MovingFrames) -> tuple[Affine, Affine]:
    """Return the vectors between which an angle is counted: a link's direction from x, or a pin about its slot."""
    kind, name = what
    if kind == "link":
        return FIXED.direction, frames.frame(name).direction
    joint = frames.sliding(name)
    return frames.direction_and_vector(joint, joint.around)


def follow(mechanism: Mechanism, plan: Plan, schedule: Schedule, angles: Mapping[Counted, Floats]) -> Followed | None:
    """Return the path to the samples of a schedule, slow enough for what has these `angles` (n,) there.

    Where the motion kept its modes at change points, so does the path. None where following it is too much work.
    """
    nowhere = MovingFrames(mechanism, plan, Lanes.empty(plan, 0))
    vectors = [vector for what in angles for vector in seen(what, nowhere)]
    found = None
    # Samples in one pose do not tell whether modes were kept on the way: the smooth paths come first.
    for flip in (True, False) if plan.with_root else (True,):
        for path in reduced_paths(schedule):
            try:
                with metering(Meter(DEFAULT)):
                    fine, kept = path.schedule.fine(plan.numbers)
                    run = partial(sweep_between, plan, flip=flip)
                    fine, places, lanes, slow = slow_motion(plan, fine, vectors, run)
            except SpentError:
                break
            if not slow:
                continue
            one = Followed(MovingFrames(mechanism, plan, lanes), fine, path, places[kept])
            if one.goes_round and one.leads_to(angles):
                return one
            if path.last is None and flip:
                found = one
    return found
