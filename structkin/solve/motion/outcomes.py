"""How a motion went: its samples in runs of one outcome."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from structkin.plan.status import Status


def runs(status: NDArray[np.int8], group: NDArray[np.int32]) -> Iterator[tuple[slice, Status, int]]:
    """Yield runs of neighbouring samples with the same outcome: samples, status, group.

    >>> list(runs(np.array([0, 0, 1], np.int8), np.array([-1, -1, 2], np.int32)))
    [(slice(0, 2, None), <Status.OK: 0>, -1), (slice(2, 3, None), <Status.OUT_OF_REACH: 1>, 2)]
    """
    code = status.astype(np.int64) * (1 << 32) + group
    edges = np.concatenate(([0], np.flatnonzero(np.diff(code)) + 1, [len(status)]))
    for start, stop in pairwise(edges.tolist()):
        if stop > start:
            yield slice(start, stop), Status(int(status[start])), int(group[start])
