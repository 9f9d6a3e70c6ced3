"""The outcome of a sample."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from structkin.types import Flags, Indices


class Status(IntEnum):
    """The outcome of one sample; except for OK, it is stored with the group at which the solution stopped.

    A sample that is `BEYOND_STROKE` is solved like one that is OK, with all its numbers: the links close, but a pin is
    beyond the end of its slot, or a cylinder is beyond its stroke.
    A sample that is `OUT_OF_REACH` has no pose; or it has one, but between it and the sample before there is a gap, in
    which there are none, so that the motion has ended.
    A sample that is `UNCERTIFIED` lies behind a pose in which a group is nearly flat: it cannot be told there whether
    the motion crosses to the group's other mode, as at a change point, or keeps its own. Or it has a pose, but between
    it and the sample before there is a stretch that could not be followed.
    Where a sample of either kind has a pose, a dyad has the numbers of its own mode; a larger group need not have any.
    `BAD_INPUT` is the outcome of an invalid variant (`structkin.Motions.faults` says why): a single mechanism would
    raise `InputError`.

    >>> Status(1).words
    'out of reach'
    """

    OK = 0
    OUT_OF_REACH = 1
    SINGULAR = 2
    NOT_CONVERGED = 3
    NO_INPUT = 4
    BAD_INPUT = 5
    BEYOND_STROKE = 6
    UNCERTIFIED = 7

    @property
    def words(self) -> str:
        """The outcome in plain words."""
        words = (
            "ok",
            "out of reach",
            "singular",
            "not converged",
            "driver without a value",
            "bad input",
            "beyond stroke",
            "branch not certified",
        )
        return words[self]


def mark(status: NDArray[np.int8], group: NDArray[np.int32], where: Flags, outcome: Status, at: int) -> None:
    """Set the status of lanes and the group they stopped at, unless an earlier group has stopped them."""
    if not where.any():
        return
    worse = where & ((status == Status.OK) | ((status == Status.SINGULAR) & (outcome != Status.SINGULAR)))
    status[worse] = outcome
    group[worse] = at


def behind_gaps(
    status: NDArray[np.int8], kept: Indices, posed: Indices | None = None
) -> list[tuple[Status, Indices, Indices]]:
    """Return which samples (m,) have a pose but follow a gap, or a stretch not followed, since the sample before.

    The samples are at the places `kept` (n,) of a finer path with these statuses; places that only follow a gap may be
    `posed`. With each outcome the samples come with the places (m,) that are the first to tell.

    >>> at = np.array([0, 1, 3])
    >>> [(what.words, who.tolist()) for what, who, _ in behind_gaps(np.array([0, 0, 1, 0], np.int8), at)]
    [('out of reach', [2])]
    """
    if not status.any():
        return []
    ends = np.flatnonzero(np.isin(status, (Status.OUT_OF_REACH, Status.UNCERTIFIED, Status.NOT_CONVERGED)))
    behind = np.searchsorted(kept, ends)
    inside = (behind > 0) & (behind < len(kept))
    ends, behind = ends[inside], behind[inside]
    # A gap in which the sample before lies is that one's own. Another begins behind a pose.
    has_pose = np.isin(status, (Status.OK, Status.SINGULAR))
    has_pose[posed if posed is not None else []] = True
    latest = np.maximum.accumulate(np.where(has_pose, np.arange(len(status)), -1))
    first = (status[kept[behind]] == Status.OK) & ((latest[ends - 1] >= kept[behind - 1]) | has_pose[ends])
    ends, behind = ends[first], behind[first]
    # A gap ends the motion, and what has not been followed proves nothing.
    proved = status[ends] == Status.OUT_OF_REACH
    found: list[tuple[Status, Indices, Indices]] = []
    for some, outcome in ((~proved, Status.UNCERTIFIED), (proved, Status.OUT_OF_REACH)):
        at, where = np.unique(behind[some], return_index=True)
        new = ~np.isin(at, found[0][1]) if found else np.ones(len(at), bool)
        if new.any():
            found.append((outcome, at[new], ends[some][where[new]]))
    return found
