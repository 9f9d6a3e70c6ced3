"""Taking a motion up again behind a gap, as the groups that are followed do it (`solve.tracking.resume`).

Behind a limit position the motion goes on where the drivers come back so near to a solved sample that one step leads
from there to the new one: that is the pose that driving back would lead to. From there the gap is entered backwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.newton import close, rates
from structkin.global_methods.scaled import Scaled
from structkin.global_methods.walk import Walk, is_near
from structkin.plan.status import Status
from structkin.track.tolerances import ACROSS, COME_BACK

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Samples behind a gap that are tried together.
BLOCK = 256


def resume(walk: Walk, k: int, why: Status, *, across: bool = False) -> tuple[int, Pose | None, Curve | None]:
    """Take the motion up again behind the place k; return the place and its pose, the end and None if nowhere.

    The samples between that cannot be walked to backwards keep the status `why`. A gap in the drivers' values is walked
    `across`, straight from the nearest solved sample, where that is not far.
    """
    later = np.arange(k + 1, len(walk.lanes))
    walk.status[walk.lanes[later]] = why
    singular = walk.solved[walk.lanes[later]]
    walk.status[walk.lanes[later[singular]]] = Status.SINGULAR
    solved = np.flatnonzero(walk.solved & (walk.status == Status.OK))
    if not len(later) or not len(solved) or not len(walk.z):
        return len(walk.lanes), None, None
    for place, known, straight in _candidates(walk, later, solved, across):
        found = walk.step(known, None, walk.at(place))
        if found is None and straight:
            found = walk.walk(known, walk.at(place))
        if found is not None:
            walk.keep(place, found)
            _creep_back(walk, place, k, found)
            return place, found, None
    return len(walk.lanes), None, None


def _candidates(walk: Walk, later: Ints, solved: Ints, across: bool) -> Iterator[tuple[int, Pose, bool]]:
    """Yield places, the solved poses that are nearest to them, and whether the straight way from there is to be tried.

    `later` are the places behind the gap, `solved` the lanes that have a pose.
    """
    from scipy.spatial import cKDTree

    points = _points(walk)
    tree = cKDTree(points[solved])
    for start in range(0, len(later), BLOCK):
        places = later[start : start + BLOCK]
        distance, nearest = (np.asarray(x) for x in tree.query(points[walk.lanes[places]]))
        near, z = solved[nearest], walk.values[:, places]
        # A driven angle that is whole turns on is the same pose.
        known = walk.z[:, near]
        known = np.where(walk.angular, known + 2 * np.pi * np.round((z - known) / (2 * np.pi)), known)
        close_by = distance < COME_BACK
        for number in np.unique(walk.system_of[near[close_by]]):
            mine = np.flatnonzero(close_by & (walk.system_of[near] == number))
            q = walk.q[:, near[mine]]
            close_by[mine] = _is_a_step(walk.systems[number], q, known[:, mine], z[:, mine])
        straight = across and start == 0 and bool(distance[0] < ACROSS)
        for j in np.flatnonzero(close_by | (straight & (places == later[0]))):
            scaled = walk.systems[walk.system_of[near[j]]]
            yield int(places[j]), Pose(scaled, known[:, [j]], walk.q[:, [near[j]]]), straight and j == 0


def _is_a_step(scaled: Scaled, q: Floats, known: Floats, z: Floats) -> NDArray[np.bool_]:
    """Tell which poses (lanes,) one step leads to, from coordinates q at drivers' values `known` to values z."""
    found = rates(scaled, q, known, z - known, np.zeros_like(z))
    guess = q + found.v + 0.5 * found.a
    closed = close(scaled, guess, z)
    return closed.converged & is_near(scaled, closed.q, guess, q)


def _points(walk: Walk) -> Floats:
    """Return the drivers' values as points of one space (lanes, ...): angles as points of a circle."""
    angular = walk.angular[:, 0]
    angles, lengths = walk.z[angular], walk.z[~angular] / walk.units[~angular]
    return np.concatenate((np.cos(angles), np.sin(angles), lengths)).T


def _creep_back(walk: Walk, place: int, stop: int, pose: Pose) -> None:
    """Solve the samples of a gap backwards from its end, as far as they can be walked to."""
    for back in range(place - 1, stop, -1):
        earlier = walk.step(pose, None, walk.at(back)) or walk.walk(pose, walk.at(back))
        if earlier is None:
            return
        walk.keep(back, earlier)
        pose = earlier
