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
    moved = near(mechanism)
    here, none = (mechanism, plan), np.zeros(plan.offsets[-1])
    there = here if moved is mechanism else (moved, compile_plan(moved))
    if there is here or there[1].offsets != plan.offsets:
        return *here, none
    first, second = (_sketched(*one) for one in (here, there))
    way = next(iter(mechanism.places.values())) - next(iter(moved.places.values()))
    if not np.isfinite(first + second).all():
        return *here, none
    for slot, width in enumerate(plan.widths):
        rows = plan.rows(slot)
        if width == 2 and np.hypot(*(first - second)[rows]) > 0.5 * abs(way):
            none[rows] = way.real, way.imag
    return *there, none


def _sketched(mechanism: Mechanism, plan: Plan) -> Floats:
    """Return the slots (rows,) of the pose of the sketch; NaN where it has none."""
    start = {id: np.array([drive.start]) for id, drive in mechanism.drivers.items()}
    motion = solve_groups(mechanism, drivers=start)
    known = motion.plan.offsets == plan.offsets and motion.status[0] in (Status.OK, Status.SINGULAR)
    return np.asarray(motion.lanes.x[0, :, 0] if known else np.full(plan.offsets[-1], np.nan))
