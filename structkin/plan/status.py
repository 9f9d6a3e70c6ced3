"""How a sample ended."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Status(IntEnum):
    """The outcome of one sample; every one but OK carries the group where it stopped.

    A sample that is `BEYOND_STROKE` is solved like one that is OK, and has all its numbers: the links close, but a pin
    has left its slot there, or a cylinder is shorter or longer than it can be.
    `BAD_INPUT` is that of a variant which makes no mechanism (`structkin.Motions.faults` says why): one mechanism
    alone would raise `InputError`.

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
        )
        return words[self]


def mark(
    status: NDArray[np.int8], group: NDArray[np.int32], where: NDArray[np.bool_], outcome: Status, at: int
) -> None:
    """Give lanes their status and the group they stopped at, unless an earlier group has stopped them for good."""
    if not where.any():
        return
    worse = where & ((status == Status.OK) | ((status == Status.SINGULAR) & (outcome != Status.SINGULAR)))
    status[worse] = outcome
    group[worse] = at
