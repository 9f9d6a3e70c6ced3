"""Gaps between two samples: a tracked group that could not be followed all the way is not followed to the second one.

Continuation walks in finer steps than the samples. Where it meets a limit between two of them and the inputs come back
later, both samples have poses, but no motion leads from one to the other: the second is out of reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.engine import Lanes
from structkin.kinematics.plan import Plan, Slot
from structkin.kinematics.status import Status


def mark_gaps(plan: Plan, fine: Lanes, kept: NDArray[np.intp], lanes: Lanes) -> None:
    """Mark samples in `lanes`, which are the lanes `kept` (n,) of `fine`, that lie behind such a gap."""
    tracked = [step.group for step in plan.steps if isinstance(step.kind, General)]
    stopped = np.isin(fine.status, (Status.OUT_OF_REACH, Status.NOT_CONVERGED)) & np.isin(fine.group, tracked)
    for gap in np.flatnonzero(stopped & np.append(True, ~stopped[:-1])):
        sample = int(np.searchsorted(kept, gap))
        if 0 < sample < len(kept) and (lanes.status[[sample - 1, sample]] == Status.OK).all():
            lanes.status[sample], lanes.group[sample] = fine.status[gap], fine.group[gap]
            _clear(plan, lanes, sample, int(fine.group[gap]))


def _clear(plan: Plan, lanes: Lanes, sample: int, group: int) -> None:
    """Take away the numbers of a group and of what follows from it."""
    lost: set[int] = set()
    for step in plan.steps:
        inputs = {operand.index for operand in step.inputs if isinstance(operand, Slot)}
        if step.group == group or inputs & lost:
            lost.update(step.outputs)
            for slot in step.outputs:
                lanes.x[:, plan.rows(slot), sample] = np.nan
