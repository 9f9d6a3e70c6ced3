"""Groups that close but are singular in every pose: a beam that stays square between two parallel rails.

Their links can shake although nothing drives them; no choice of the range helps, only another joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.errors import Problem
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.solve.engine import Lanes, discriminant, sweep
from structkin.track.tolerances import DOUBLE_ZERO

#: The poses that are examined: each driver moves to either side by these angles [rad] or parts of the size.
SHIFTS = np.array([0.02, 0.1, 0.4, 1.0, 2.0, 3.0])


def always_singular(mechanism: Mechanism, plan: Plan) -> dict[int, Problem]:
    """Return a problem for each group, by index, with a closed form whose discriminant vanishes wherever drivers are.

    Groups after one that is followed from pose to pose are not examined.
    """
    plan = replace(plan, steps=plan.steps[: min(plan.followed, default=len(plan.steps))])
    suspects = [k for k, step in enumerate(plan.steps) if step.kind.closed_form]
    shifts = [dict.fromkeys(mechanism.drivers, 0.0)]
    for id, drive in mechanism.drivers.items():
        unit = 1.0 if drive.kind == "angle" else 0.1 * mechanism.size
        shifts += [{id: float(shift)} for shift in unit * np.concatenate((SHIFTS, -SHIFTS))]
    # Most mechanisms are regular in the sketch.
    for part in (shifts[:1], shifts):
        if suspects:
            suspects = [k for k, flat in zip(suspects, _flat(mechanism, plan, suspects, part), strict=True) if flat]
    return {group: _problem(plan, group) for group in dict.fromkeys(plan.steps[k].group for k in suspects)}


def _flat(mechanism: Mechanism, plan: Plan, steps: list[int], shifts: list[dict[str, float]]) -> list[bool]:
    """Return which steps have a vanishing discriminant in all poses that can be reached, if not only in the first."""
    lanes = Lanes.empty(plan, len(shifts))
    drivers = {
        id: np.array([[drive.start + shift.get(id, 0.0) for shift in shifts], *np.zeros((2, len(shifts)))])
        for id, drive in mechanism.drivers.items()
    }
    sweep(plan, lanes, drivers, lambda step: plan.steps[step].mode)
    found = np.array([discriminant(plan, k, lanes) for k in steps])
    known = np.isfinite(found)
    several = known[:, 1:].any(axis=1) if len(shifts) > 1 else known[:, 0]
    return list(known[:, 0] & several & ~(np.abs(found) > DOUBLE_ZERO).any(axis=1))


def _problem(plan: Plan, index: int) -> Problem:
    group = plan.structure.groups[index]
    message = f"{group.label} closes, but is singular in every pose: its links can shake"
    return Problem(", ".join(group.joints), message, "let one end slide, or leave one of these joints out")
