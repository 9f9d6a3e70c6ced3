"""Samples that a tracked group comes round to, though its motion ended before them.

Continuation walks in finer steps than the samples. Where it meets a limit between two of them, it takes the motion up
again where the inputs come back to solved ones: that is the pose that driving back leads to. A crank that turns on past
a limit also comes back to them, a turn later; but there the motion has ended, and such a sample is out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan, Slot, Step
from structkin.plan.status import Status
from structkin.solve.engine import Lanes

if TYPE_CHECKING:
    from structkin.solve.schedule import Schedule


def mark_unreachable(plan: Plan, schedule: Schedule, fine: Lanes, kept: NDArray[np.intp], lanes: Lanes) -> None:
    """Mark such samples in `lanes`, which are the lanes `kept` (n,) of `fine`; `schedule` is that of the latter."""
    drives = schedule.mechanism.drivers
    angles = {id: z[0] for id, z in schedule.drivers.items() if drives[id].kind == "angle"}
    for step in plan.steps:
        if step.kind.closed_form:
            continue
        stopped = np.isin(fine.status, (Status.OUT_OF_REACH, Status.NOT_CONVERGED)) & (fine.group == step.group)
        for gap in np.flatnonzero(stopped & np.append(True, ~stopped[:-1])):
            sample = int(np.searchsorted(kept, gap))
            if not 0 < sample < len(kept) or (lanes.status[[sample - 1, sample]] != Status.OK).any():
                continue
            if _comes_round(plan, step, fine, angles, int(gap), int(kept[sample])):
                lanes.status[sample], lanes.group[sample] = fine.status[gap], fine.group[gap]
                _clear(plan, lanes, sample, step.group)


def _comes_round(
    plan: Plan, step: Step, fine: Lanes, angles: Mapping[str, NDArray[np.float64]], gap: int, lane: int
) -> bool:
    """Return whether a lane has its pose from lanes before a gap that are a turn of a driver away."""
    slots = [operand.index for operand in step.inputs if isinstance(operand, Slot)]
    rows = np.concatenate([np.arange(plan.offsets[-1])[plan.rows(slot)] for slot in slots] or [np.empty(0, np.intp)])
    before = np.flatnonzero(fine.status[:gap] == Status.OK)
    if not len(before):
        return False
    inputs = fine.x[0][rows]
    near = before[np.argmin(np.sum((inputs[:, before] - inputs[:, [lane]]) ** 2, axis=0))]
    return any(abs(z[lane] - z[near]) > np.pi for z in angles.values())


def _clear(plan: Plan, lanes: Lanes, sample: int, group: int) -> None:
    """Take away the numbers of a group and of what follows from it."""
    lost: set[int] = set()
    for step in plan.steps:
        inputs = {operand.index for operand in step.inputs if isinstance(operand, Slot)}
        if step.group == group or inputs & lost:
            lost.update(step.outputs)
            for slot in step.outputs:
                lanes.x[:, plan.rows(slot), sample] = np.nan
