"""Walking from station to station: by the closer where that goes, else by smaller steps and analytic continuation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.direct import Direct
from structkin.kinematics.status import Status
from structkin.kinematics.tracking.poses import Poses, reach
from structkin.kinematics.tracking.record import Record
from structkin.track.continuation import continued
from structkin.track.tolerances import FINEST, HALVINGS, NO_TANGENT, REGULAR

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Halvings of the way to a station while there are lanes on the way.
FEW = 2
#: Lanes back among which a regular one is looked for, and how many of these are tried.
BACK, TRIES = 60, 4


def stride(record: Record, k: int, pose: Poses, count: int) -> tuple[int, Poses]:
    """Walk over as many of the next stations, up to `count`, as single steps lead to."""
    course = record.course
    if not abs(pose.side[0]) > record.doubt:
        return k, pose
    stations = course.stations(k, count)
    h = np.concatenate((pose.h, course.at(stations)), axis=1)
    s, side = record.closer.walk(h, pose.s[:, 0], float(np.sign(pose.side[0])), record.doubt)
    reached = len(side)
    if not reached:
        return k, pose
    stations, found = stations[:reached], Poses(h[:, 1 : reached + 1], s, side)
    record.keep(stations, found)
    record.link(stations.tolist(), side.tolist(), walked=True)
    return int(stations[-1]), found.take(slice(reached - 1, reached))


def walk(record: Record, k: int, end: int, pose: Poses) -> tuple[list[int], list[float], Poses, Status]:
    """Walk from a solved lane to another, by fewer lanes at a time where a step fails.

    Return the stations that are reached with their sides, the last pose, and why it is not that of the end.
    """
    reached: list[int] = []
    sides: list[float] = []
    count = abs(end - k)
    while k != end:
        count = 1 if record.is_flat(pose) else min(count, abs(end - k))
        target = k + (count if end > k else -count)
        found = to_next(record, pose, k, target) if count == 1 else _reach(record, pose, target, FEW)
        if isinstance(found, Poses):
            record.keep(target, found)
            reached.append(target)
            sides.append(float(found.side[0]))
            k, pose = target, found
        elif count == 1:
            return reached, sides, pose, found
        else:
            count //= 2
    return reached, sides, pose, Status.OK


def walk_back(record: Record, k: int, first: int, pose: Poses) -> None:
    """Walk from a solved lane, the first of the chain, to those before it as far as that goes."""
    course = record.course
    first, why = max(first, course.beginning_of_run(k)), Status.OK
    while k > first and why == Status.OK:
        stations, sides, pose, why = walk(record, k, course.station(k, first), pose)
        record.chain, record.sides = stations[::-1] + record.chain, sides[::-1] + record.sides
        record.walked += stations
        k = stations[-1] if stations else k
    if why != Status.OK:
        record.status[course.lanes[first:k]] = why


def _reach(record: Record, pose: Poses, target: int, halvings: int) -> Poses | Status:
    return reach(record.closer, pose, record.course.at(target), halvings)


def to_next(record: Record, pose: Poses, k: int, target: int) -> Poses | Status:
    """Go on to the next lane; through a change point where its neighbour does not tell the way."""
    if record.is_flat(pose):
        beyond = _beyond(record, k, target)
        if beyond is not None:
            return beyond
        if record.is_flat(pose, NO_TANGENT):
            # At a limit position a pose knows no way back: one before it does.
            before, _ = _regular(record, k, target)
            return _reach(record, record.poses(before[:1]), target, FINEST) if len(before) else Status.OUT_OF_REACH
        return _reach(record, pose, target, FINEST)
    found = _reach(record, pose, target, HALVINGS)
    if isinstance(found, Poses):
        return found
    # It may be a change point, beyond which it is continued, or a limit position, which the lane is close before.
    return _beyond(record, k, target) or _reach(record, pose, target, FINEST)


def _regular(record: Record, k: int, target: int) -> tuple[Indices, Floats]:
    """Return regular lanes up to lane k, on the far side of it from the target, nearest first, and their poses."""
    course = record.course
    if target > k:
        before = np.arange(k, max(k - BACK, course.beginning_of_run(k)) - 1, -1)
    else:
        before = np.arange(k, min(k + BACK, course.end_of_run(k)) + 1)
    before = before[record.status[course.lanes[before]] == Status.OK]
    poses = record.found(before)
    regular = record.sigma(course.at(before), poses) > REGULAR
    return before[regular], poses[:, regular]


def _beyond(record: Record, k: int, target: int) -> Poses | None:
    """Return the pose of a lane next to lane k as the analytic continuation of a regular one on that side."""
    closer, course = record.closer, record.course
    rows = Direct(closer.form, closer.known)
    before, poses = _regular(record, k, target)
    for j, lane in enumerate(before[:TRIES]):
        h0, h1 = (rows.values(course.at(place)) for place in (lane, target))
        found = continued(closer.form, h0, h1, *rows.split(poses[:, [j]]))
        if found is not None:
            h, s = course.at(target), rows.join(*found)
            return Poses(h, s, closer.newton(h, s, 1)[2])
    return None
