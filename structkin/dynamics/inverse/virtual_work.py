"""The efforts of drivers by virtual work: no joint forces are needed, so they exist where joints cannot carry the load.

The loads of joints and drivers on the links, F at the origins of their frames and M, do the same work as the drivers in
every motion that the joints allow. With the velocity coefficients K of origins and angles

    effort = sum K_O^T F + K_theta^T M

over the links (Saura et al., eq. 7, transposed). At a flat pose, where the forces of joints grow without bound, K of
the smooth motion through it is finite.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from structkin.solve import Motion
from structkin.solve.coefficients import Coefficients
from structkin.types import Floats


def efforts(motion: Motion, needed: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the effort (n,) [N m or N] of each driver, for the wrenches (n, 3) that the links need."""
    of = Coefficients(motion.plan, motion.lanes)
    result = {}
    for id in motion.mechanism.drivers:
        total = np.zeros(len(motion))
        for link, wrench in needed.items():
            frame = motion.plan.frames[link]
            origin, turning = of.along(frame.origin, id), of.along(frame.direction, id)
            ahead = (motion.position(1 + 0j, link) - motion.position(0j, link)).T
            angle = ahead[0] * turning[1] - ahead[1] * turning[0]
            total += wrench[:, 0] * origin[0] + wrench[:, 1] * origin[1] + wrench[:, 2] * angle
        result[id] = total
    return result
