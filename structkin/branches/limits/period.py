"""After how many turns of a driver the poses of a mechanism repeat: one, unless wheels turn at other speeds.

Wheels in mesh, and a Geneva wheel with its crank, return to their first pose after some turns of their driver if the
ratios are those of whole numbers. A rack does not return.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.branches.limits.poses import Poses
from structkin.branches.limits.reach import TURN
from structkin.joints.geneva import Geneva
from structkin.joints.turn_coupling import TurnCoupling
from structkin.numerical_tolerances import SAME_SOLVED

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

#: Most periods that are tried.
MOST = 500
#: Places of the driver [rad] that are compared.
PLACES = np.array([0.3, 1.7, 2.9, 4.1, 5.6])


def turns_of(poses: Poses, start: float, period: float = TURN) -> int | None:
    """Return the number of periods of an angle driver after which all vectors of a plan repeat; None if never.

    Vectors that are out of reach everywhere are ignored.
    """
    plan = poses.plan
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    places = start + PLACES * (period / TURN)
    first = _vectors(poses, places, modes)
    finite = np.isfinite(first)
    size = float(np.max(np.abs(first[finite]), initial=1.0))
    # All rounds side by side: sample k * len(PLACES) + j is place j after k rounds.
    block = 25
    for begin in range(1, MOST + 1, block):
        rounds = np.arange(begin, begin + block)
        later = _vectors(poses, (places + period * rounds[:, None]).ravel(), modes)
        gap = np.abs(later.reshape(len(first), block, len(PLACES)) - first[:, None])
        gap = np.where(finite[:, None], gap, 0.0).max(axis=(0, 2))
        back = np.flatnonzero(gap < SAME_SOLVED * size * np.maximum(1.0, 1e-3 * rounds))
        if len(back):
            return int(rounds[back[0]])
    return None


def turns_of_ratios(mechanism: Mechanism) -> int:
    """Return the number of turns after which all wheels would repeat, for whole turns of their drivers; 0 if never.

    Their poses may repeat sooner. A rack goes back and forth with what moves it.
    """
    turns = math.prod(wheel.slots for wheel in mechanism.joints.of(Geneva).values())
    for mesh in mechanism.joints.of(TurnCoupling).values():
        if mesh.ratio is not None:
            ratio = Fraction(mesh.ratio).limit_denominator(MOST)
            if abs(float(ratio) - mesh.ratio) > SAME_SOLVED * abs(mesh.ratio):
                return 0
            turns *= abs(ratio.numerator) * ratio.denominator
    return turns


def _vectors(poses: Poses, p: Any, modes: Any) -> Any:
    """Return all vectors of the plan at parameters p (n,) as rows (r, n)."""
    widths, slots = poses.plan.widths, poses.slots(p, modes)
    rows = [np.broadcast_to(value, (2, len(p))) for slot, value in slots.items() if widths[slot] == 2]
    return np.concatenate(rows)
