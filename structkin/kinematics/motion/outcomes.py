"""How a motion went: its samples in runs of one outcome, and what to say of those that are not ok."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.status import Status

if TYPE_CHECKING:
    from structkin.kinematics.limits.passages import Passage
    from structkin.kinematics.motion.motion import Motion


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


def failures(motion: Motion, passages: Mapping[int, tuple[Passage, ...]]) -> Iterator[str]:
    """Yield a line for each run of samples that are not ok, and one for each of its passages; see `Motion.report`."""
    from structkin.kinematics.limits.passages import passage_words

    for part, status, group in motion.outcomes():
        if status != Status.OK:
            yield f"{_when(motion, part)}: {status.words} at {motion.group_name(group)}"
            for passage in passages.get(part.start, ()):
                yield passage_words(motion, passage)


def _when(motion: Motion, part: slice) -> str:
    first, last, t = part.start, part.stop - 1, motion.t
    timed = np.isfinite(t[first])
    if first == last:
        return f"sample {first}" + (f" (t = {t[first]:.6g} s)" if timed else "")
    return f"samples {first} to {last}" + (f" (t = {t[first]:.6g} to {t[last]:.6g} s)" if timed else "")
