"""Applied forces, and the forces of cylinders on their pins: where they act."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics import Kinetostatics
from structkin.dynamics.acting import law_values
from structkin.model.forces import AppliedForce
from structkin.solve import Motion

Floats = NDArray[np.float64]

#: A force on a link: its id, the link, the place (n, 2) [m] and the force (n, 2) [N] in global axes.
Load = tuple[str, str, Floats, Floats]


def applied(motion: Motion) -> list[Load]:
    """Return the applied forces along a motion."""
    found = []
    for load in motion.mechanism.forces.loads.values():
        if not isinstance(load, AppliedForce):
            continue
        force = np.stack([law_values(law, motion, load.id) for law in (load.x, load.y)], axis=1)
        if load.local:
            (c, s), (x, y) = (motion.position(1 + 0j, load.link) - motion.position(0j, load.link)).T, force.T
            force = np.stack((c * x - s * y, s * x + c * y), axis=1)
        found.append((load.id, load.link, motion.position(load.place, load.link), force))
    return found


def pin_forces(found: Kinetostatics, driver: str) -> list[Load]:
    """Return the forces of a driven distance on the links, or the shared pins, at its ends; of other drivers none."""
    motion, ends = found.motion, found.motion.mechanism.drivers[driver].ends
    if ends is None:
        return []
    p, q = (motion.position(point) for _, point in ends)
    push = found.driver(driver)[:, None] * (q - p) / np.hypot(*(q - p).T)[:, None]
    pins = {joint.id for joint in motion.mechanism.topology.joints}
    on = [point if point in pins else link for link, point in ends]
    return [(driver, on[0], p, -push), (driver, on[1], q, push)]
