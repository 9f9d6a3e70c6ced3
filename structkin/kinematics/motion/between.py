"""The way of a motion between samples that lie far apart: along it the turns of links are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.change_points import run
from structkin.kinematics.schedule import Schedule
from structkin.kinematics.special_geometry import compile_plan

if TYPE_CHECKING:
    from structkin.kinematics.motion.motion import Motion

#: Samples are far apart where continuation takes more steps between two of them; a way of more steps is not gone.
FAR, LONGEST = 4, 200_000


def way_of(motion: Motion) -> tuple[Motion, NDArray[np.intp]] | None:
    """Return a motion in small steps from the sketch on, and where in it its samples are.

    None where they lie close together, or the way is too long.
    """
    schedule = Schedule(motion.mechanism, motion.t, motion.drivers, frozenset(motion.thirds))
    if not FAR < np.max(schedule.parts, initial=0) <= np.sum(schedule.parts) <= LONGEST:
        return None
    plan = motion.plan if motion.statistics is None else compile_plan(motion.mechanism)
    fine, kept = schedule.fine()
    lanes = run(plan, fine)
    way = replace(motion, plan=plan, t=fine.t, drivers=fine.drivers, lanes=lanes, thirds={}, statistics=None)
    return way, kept
