"""By how much poses differ from those of the same mechanism seen from another origin, which closer numbers describe."""

from __future__ import annotations

import numpy as np

from structkin.model.mechanism import Mechanism
from structkin.model.near import near
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats


def near_plan(mechanism: Mechanism, plan: Plan) -> tuple[Mechanism, Plan, Floats]:
    """Return a mechanism as `near` does, its plan, and by how much the slots (rows,) of the other's poses exceed its.

    Slots are places, which differ by the way between both origins, or they do not differ: directions and lengths.
    Where it cannot be told which are which, the mechanism itself is returned.
    """
    moved, shift = near(mechanism), np.zeros(plan.offsets[-1])
    if moved is mechanism:
        return mechanism, plan, shift
    moved_plan, way = compile_plan(moved), moved.units.origin - mechanism.units.origin
    if moved_plan.offsets != plan.offsets:
        return mechanism, plan, shift
    more = _sketched(mechanism, plan) - _sketched(moved, moved_plan)
    if not np.isfinite(more).all():
        return mechanism, plan, shift
    for slot, width in enumerate(plan.widths):
        rows = plan.rows(slot)
        if width == 2 and np.hypot(*more[rows]) > 0.5 * abs(way):
            shift[rows] = way.real, way.imag
    return moved, moved_plan, shift


def _sketched(mechanism: Mechanism, plan: Plan) -> Floats:
    """Return the slots (rows,) of the pose of the sketch; NaN where it has none."""
    start = {id: np.array([drive.start]) for id, drive in mechanism.drivers.items()}
    motion = solve_groups(mechanism, drivers=start)
    known = motion.plan.offsets == plan.offsets and motion.status[0] in (Status.OK, Status.SINGULAR)
    return np.asarray(motion.lanes.x[0, :, 0] if known else np.full(plan.offsets[-1], np.nan))
