"""The loads of the links at the poses of a motion: gravity, springs, applied forces, friction, user functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from structkin.dynamics.acting import Acting
from structkin.dynamics.bodies import Body
from structkin.dynamics.contacts import met_speeds
from structkin.dynamics.load_table import LoadTable, load_table
from structkin.dynamics.user_loads import UserLoad, add_user_load
from structkin.dynamics.wrench_sums import Wrenches
from structkin.model.forces import Torsion
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import cross
from structkin.types import Floats


def wrenches(
    motion: Motion,
    bodies: Sequence[Body],
    users: Sequence[UserLoad] = (),
    impacts: Mapping[str, float] | None = None,
    normals: Mapping[str, Floats] | None = None,
) -> Wrenches:
    """Return all loads of the links except those of drivers and joints.

    `impacts[id]` is the impact speed of a contact. `normals[id]` (n,) [N] is the normal force in the joint of a
    friction with a coefficient; without it, that friction is zero.
    """
    total, forces = Wrenches(motion), motion.mechanism.forces
    gravity = np.array((forces.gravity.real, forces.gravity.imag))
    for body in bodies:
        if body.mass and forces.gravity:
            total.push(body.link, body.center, np.broadcast_to(body.mass * gravity, (len(motion), 2)))
    if forces.loads:
        table, limits = load_table(motion.mechanism), {}
        for load in table.named.get("frictions", ()):
            # The coefficient times the normal force of the joint, at a pin times its radius.
            if normals is not None and load.id in normals:
                limits[load.id] = load.coefficient * load.arm * normals[load.id]
        acting = Acting(motion, table)
        _add(total, table, acting.forces(met_speeds(acting, impacts), limits))
    for user in users:
        add_user_load(total, user)
    return total


def _add(total: Wrenches, table: LoadTable, push: Floats) -> None:
    """Add forces on points and directions (e, 2, n) to those on the links."""
    for (link, place), force in zip(table.places, push, strict=True):
        if place is not None:
            total.push(link, place, force.T)
        else:
            total.turn(link, cross(total.motion.position(1 + 0j, link) - total.motion.position(0j, link), force.T))


def turned_angle(motion: Motion, load: Torsion) -> Floats:
    """Return the angle (n,) [rad] of a torsion spring: that of the sketch plus the turns of its links since."""
    first, second = load.links
    links = motion.mechanism.links
    drawn = float(np.angle(links[second].direction / links[first].direction))
    return drawn + motion.turn(second) - motion.turn(first)
