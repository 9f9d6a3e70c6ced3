"""What steps share: the root of a group with two modes, followed from pose to pose.

The text of this module becomes part of that of each step.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from structkin.dynamics.reduced.smooth_poses import STRAY
from structkin.numerical_tolerances import GUARD, SAME_SOLVED


def follow_root(mem: Any, s: int, discriminant: float, rate: float, dt: float) -> float:
    """Keep and return the signed root of step s, a time dt after the last pose; zero where its sign is not decided.

    Its slope there predicts its sign, and its slopes at both ends must explain its change, as in
    `structkin.dynamics.reduced.smooth_poses`; where the sign changes, `Poses` must show that the group passes a flat
    pose. `rate` is that of the discriminant.
    """
    if not discriminant > GUARD * GUARD:
        return 0.0
    last, root = mem.roots[0][s], sqrt(discriminant)
    if last + mem.roots[1][s] * dt < 0.0:
        root = -root
    if root * last < 0.0 or (mem.smooth == 0 and abs(last) < GUARD):
        return 0.0
    slope = 0.5 * rate / root
    for change in (mem.roots[1][s] * dt, slope * dt):
        if abs(root - last - change) > SAME_SOLVED + STRAY * max(abs(root) + abs(last), abs(change)):
            return 0.0
    mem.new_roots[0][s], mem.new_roots[1][s] = root, slope
    return root
