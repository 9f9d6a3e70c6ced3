"""After how many turns of a driver the poses of a mechanism come back: one, unless wheels turn at other speeds.

Wheels in mesh, and a Geneva wheel behind its crank, are back where they were after some turns of what drives them, if
the ratios are those of whole numbers. A rack goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.kinematics.limits.poses import Path, Poses
from structkin.kinematics.limits.reach import TURN
from structkin.kinematics.plan import Plan

#: Most turns that are tried, and how near poses have to come back, in parts of the largest vector.
MOST, BACK = 500, 1e-9
#: Places of the driver [rad] that are compared.
PLACES = np.array([0.3, 1.7, 2.9, 4.1, 5.6])


def turns_of(plan: Plan, path: Path, start: float) -> int | None:
    """Return the number of turns of an angle driver after which all vectors of the plan are back; None without end.

    `plan` has closed forms only. Vectors that are out of reach everywhere say nothing: what they follow from does.
    """
    poses = Poses(plan, path)
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    first = _vectors(plan, poses, start + PLACES, modes)
    finite = np.isfinite(first)
    size = float(np.max(np.abs(first[finite]), initial=1.0))
    # All turns side by side: sample k * len(PLACES) + j is place j, k turns on.
    block = 25
    for begin in range(1, MOST + 1, block):
        turns = np.arange(begin, begin + block)
        places = (start + PLACES + TURN * turns[:, None]).ravel()
        later = _vectors(plan, poses, places, modes).reshape(len(first), block, len(PLACES))
        gap = np.where(finite[:, None], np.abs(later - first[:, None]), 0.0).max(axis=(0, 2))
        back = np.flatnonzero(gap < BACK * size * np.maximum(1.0, 1e-3 * turns))
        if len(back):
            return int(turns[back[0]])
    return None


def _vectors(plan: Plan, poses: Poses, p: Any, modes: Any) -> Any:
    """Return all vectors of the plan at parameters p (n,) as rows (r, n)."""
    slots = poses.slots(p, modes)
    rows = [np.broadcast_to(value, (2, len(p))) for slot, value in slots.items() if plan.widths[slot] == 2]
    return np.concatenate(rows)
