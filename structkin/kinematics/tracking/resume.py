"""Taking a motion up again behind a limit position, or behind a gap in the inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.status import Status
from structkin.kinematics.tracking.course import BLOCK
from structkin.kinematics.tracking.fill import fill
from structkin.kinematics.tracking.poses import Poses, reach, step
from structkin.kinematics.tracking.record import Record
from structkin.kinematics.tracking.walk import walk_back
from structkin.track.tolerances import ACROSS, COME_BACK


def resume(record: Record, k: int, why: Status, *, across: bool = False) -> tuple[int, Poses | None]:
    """Take the motion up again behind a gap, where the drivers come back to a neighbourhood that is solved.

    That is the pose that driving back would lead to; from there the lanes in the gap are walked to backwards. The
    first lane behind lane k could not be reached, and stays a gap: else two branches would lie side by side where
    the inputs come round again. A gap in the inputs is walked `across`, straight from the nearest solved place,
    where that is not far.
    """
    lanes = record.course.lanes
    record.status[lanes[k + 1 :]] = why
    first = k + 1 if lanes[k + 1] != lanes[k] + 1 else k + 2
    if first >= len(lanes):
        return len(lanes), None
    lane, found = _come_back(record, first)
    if across and lane != first:
        straight = _straight(record, first)
        if straight is not None:
            lane, found = first, straight
    if found is None:
        return lane, None
    record.anew(lane, found)
    walk_back(record, lane, first, found)
    fill(record)
    return lane, found


def _straight(record: Record, k: int) -> Poses | None:
    """Return the pose of a lane that a straight way of the inputs from the nearest walked station leads to."""
    course = record.course
    stations, h = np.array(record.walked), course.at(k)
    away = np.sqrt(np.sum((course.places(course.at(stations)) - course.places(h)) ** 2, axis=1))
    away[np.any(np.abs(course.turns(stations) - course.turns(k)) > np.pi, axis=1)] = np.inf
    nearest = int(np.argmin(away))
    if away[nearest] > ACROSS:
        return None
    found = reach(record.closer, record.poses(stations[[nearest]]), h)
    return found if isinstance(found, Poses) else None


def _come_back(record: Record, k: int) -> tuple[int, Poses | None]:
    """Return the first lane from k on that is a step away from a solved one with nearly the same drivers, and its pose.

    All drivers of the mechanism count: the global methods (`coordinates.resume`) know no group that does without some.
    """
    from scipy.spatial import cKDTree

    course = record.course
    solved = np.flatnonzero(record.status[course.lanes[:k]] == Status.OK)

    def places(lanes: NDArray[np.intp]) -> NDArray[np.float64]:
        # A turn more is farther than a step.
        return np.hstack((course.drives(lanes), COME_BACK / np.pi * course.turns(lanes)))

    tree = cKDTree(places(solved))
    for start in range(k, len(course.lanes), BLOCK):
        later = np.arange(start, min(start + BLOCK, len(course.lanes)))
        distance, nearest = tree.query(places(later), distance_upper_bound=COME_BACK)
        close = np.flatnonzero(np.asarray(distance) < COME_BACK)
        if not len(close):
            continue
        from_there = record.poses(solved[np.asarray(nearest)[close]])
        good, poses = step(record.closer, from_there, course.at(later[close]))
        if good.any():
            first = int(np.argmax(good))
            return int(later[close[first]]), poses.take(np.array([first]))
    return len(course.lanes), None
