"""What steps share: the root of a group with two modes, followed from pose to pose.

The text of this module becomes part of that of each step.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from structkin.dynamics.reduced.smooth_poses import STRAY
from structkin.numerical_tolerances import GUARD, SAME_SOLVED


def follow_root(mem: Any, s: int, discriminant: float, dt: float) -> float:
    """Return the signed root of step s, a time dt after the last pose; zero where its sign cannot be decided.

    Its slope there predicts its sign, as in `structkin.dynamics.reduced.smooth_poses`; where it changes, `Poses` must
    show that the group passes a flat pose.
    """
    if not discriminant > GUARD * GUARD:
        return 0.0
    last = mem.roots[0][s]
    expected, root = last + mem.roots[1][s] * dt, sqrt(discriminant)
    if expected < 0.0:
        root = -root
    if root * last < 0.0 or (mem.smooth == 0 and abs(last) < GUARD):
        return 0.0
    if abs(root - expected) > SAME_SOLVED + STRAY * max(abs(root) + abs(last), abs(expected - last)):
        return 0.0
    return root
