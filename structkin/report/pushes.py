"""Forces of loads, springs, weights and cylinders on links: where they act."""

from __future__ import annotations

import numpy as np

from structkin.dynamics import Kinetostatics
from structkin.dynamics.acting import Acting
from structkin.dynamics.bodies import mass_table
from structkin.dynamics.load_table import table_of
from structkin.model.forces import AppliedForce, Spring
from structkin.model.mechanism import GROUND
from structkin.solve import Motion
from structkin.types import Floats

#: A force on a link: its id, the link, the place (n, 2) [m] and the force (n, 2) [N] in global axes.
Load = tuple[str, str, Floats, Floats]


def applied(motion: Motion) -> list[Load]:
    """Return the applied forces and those of springs on moving links along a motion."""
    m, found = motion.mechanism, []
    for load in m.forces.loads.values():
        if isinstance(load, AppliedForce | Spring):
            table = table_of(m, [load])
            found += [
                (load.id, link, motion.position(place, link), force.T)
                for (link, place), force in zip(table.places, Acting(motion, table).forces({}, {}), strict=True)
                if place is not None and link != GROUND
            ]
    return found


def weights(motion: Motion) -> list[Load]:
    """Return the weights of the moving links."""
    m = motion.mechanism
    gravity = np.array((m.forces.gravity.real, m.forces.gravity.imag))
    return [
        ("weight", body.link, motion.position(body.center, body.link), np.tile(body.mass * gravity, (len(motion), 1)))
        for body in mass_table(m)
        if body.mass and gravity.any()
    ]


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
