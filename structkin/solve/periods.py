"""Long motions at constant speeds: one period is solved, and each sample takes the pose of its place in it.

That is sure where the period is a way without a gap or a singular pose, at whose end the mechanism is back. Wheels may
be elsewhere then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.numerical_tolerances import HALF_DIGITS, SAME_SOLVED
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.rows.periodic import without_turns
from structkin.solve.call import common_period, make_schedule
from structkin.solve.engine import Lanes
from structkin.solve.motion.moving_frames import MovingFrames
from structkin.solve.schedule import Schedule


def over_one_period(plan: Plan, schedule: Schedule, run: Callable[[Schedule], Lanes]) -> Lanes | None:
    """Return the lanes of a schedule, of which one period of the drivers is `run`; None where that is not sure."""
    mechanism, t = schedule.mechanism, schedule.t
    period = common_period(mechanism)
    if period is None or schedule.by_values or not np.isfinite(t).all():
        return None
    if any(joint.counts_turns for joint in mechanism.joints.values()):
        return None
    if any(np.spacing(np.abs(z[0]).max()) > HALF_DIGITS for z in schedule.drivers.values()):
        # After 10^8 turns a driver's value does not tell where in its turn it is.
        return None
    phase, index = np.unique(np.mod(t - t[0], period), return_inverse=True)
    first = int(np.flatnonzero(index == 0)[0])
    drivers = {}
    for id, (z, rate, second) in schedule.drivers.items():
        way = z[first] + rate[0] * np.append(phase, period)
        # After many turns it is where the driver's own value says, to its last digit.
        own = np.append(z[np.unique(index, return_index=True)[1]], z[first])
        drivers[id] = without_turns(own, way), rate[0] + 0 * way, second[0] + 0 * way
    lanes = run(make_schedule(mechanism, None, None, drivers, None))
    is_sure = (lanes.status == Status.OK).all() and lanes.around is None
    return lanes.take(index) if is_sure and MovingFrames(mechanism, plan, lanes).is_back(0, -1, SAME_SOLVED) else None
