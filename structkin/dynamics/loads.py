"""The loads of the links at the poses of a motion: gravity, springs, applied forces, friction, user functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from structkin.dynamics.acting import Acting, law_values
from structkin.dynamics.bodies import Body
from structkin.dynamics.contacts import met_speeds
from structkin.dynamics.load_table import LoadTable, load_table
from structkin.dynamics.user_loads import UserLoad, add_user_load, when
from structkin.dynamics.wrench_sums import Wrenches
from structkin.errors import InputError, Problem
from structkin.model.forces import Torsion
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import cross
from structkin.types import Flags, Floats


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


def aimless(motion: Motion) -> dict[str, Flags]:
    """Return the samples (n,), by spring, at which its ends meet although it has a force, which has no direction."""
    acting, found = Acting(motion, load_table(motion.mechanism)), {}
    for load, (a, b, _) in zip(acting.table.named.get("springs", ()), acting.springs, strict=True):
        given = 0.0 if load.actuator is None else law_values(load.actuator, motion, load.id)
        meet = (acting.place[a] == acting.place[b]).all(axis=0) & (load.stiffness * load.free_length != given)
        if meet.any():
            found[load.id] = np.asarray(meet)
    return found


def check_directions(motion: Motion) -> None:
    """Raise `InputError` where the force of a spring has no direction."""
    hint = "let its ends be apart, or give it no force there: free_length = 0"
    if problems := [
        Problem(
            f"forces.{id}",
            f"its ends meet {when(motion, int(np.argmax(meet)))}, where its force has no direction",
            hint,
        )
        for id, meet in aimless(motion).items()
    ]:
        raise InputError(problems, motion.mechanism.title or "loads")


def turned_angle(motion: Motion, load: Torsion) -> Floats:
    """Return the angle (n,) [rad] of a torsion spring: that of the sketch plus the turns of its links since."""
    first, second = load.links
    links = motion.mechanism.links
    drawn = float(np.angle(links[second].direction / links[first].direction))
    return drawn + motion.turn(second) - motion.turn(first)
