"""The path of a motion, reduced: what repeats is followed once, whatever its length.

With one driver that moves, a pose depends on its coordinate alone. So the path is the range of the coordinate, however
often and in whichever order the samples pass it. If the driver turns many times, or if all drivers turn at constant
speeds that have a common period, the mechanism comes back to its pose after a number of periods, and then on everything
repeats: only the whole turns of links go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from structkin.solve.call import common_period
from structkin.solve.schedule import Schedule
from structkin.types import Floats, Indices

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
        rounds[known] = np.floor((along - first) / length)
        along, ends = along - rounds[known] * length, first + length
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
