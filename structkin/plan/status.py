"""The outcome of a sample."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from structkin.types import Flags


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
