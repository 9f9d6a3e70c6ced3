"""What acts on the links at the poses of a motion: gravity, springs, applied forces, friction, the user's functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.bodies import Body
from structkin.dynamics.contacts import add_contact
from structkin.dynamics.user_loads import UserLoad, add_user_load, known_state, no_times, when
from structkin.errors import InputError, Problem
from structkin.joints.guide import Guide
from structkin.kinematics import Motion
from structkin.model.forces import AppliedForce, AppliedMoment, Contact, Friction, Load, Spring, Torsion
from structkin.model.parts import Law

Floats = NDArray[np.float64]


@dataclass
class Wrenches:
    """The sum of what acts on each link: force (n, 2) [N], and moment (n,) [N m] about the origin of its frame."""

    motion: Motion
    force: dict[str, Floats] = field(default_factory=dict)
    moment: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with nothing on any link."""
        n = len(self.motion)
        for link in self.motion.mechanism.links:
            self.force[link], self.moment[link] = np.zeros((n, 2)), np.zeros(n)

    def push(self, link: str, place: complex, force: Floats) -> None:
        """Add a force (n, 2) at a place in the link's frame."""
        arm = self.motion.position(place, link) - self.motion.position(0j, link)
        self.force[link] += force
        self.moment[link] += cross(arm, force)

    def turn(self, link: str, moment: Floats) -> None:
        """Add a moment (n,)."""
        self.moment[link] += moment

    def power(self) -> Floats:
        """Return the power (n,) [W] of all that acts."""
        power = np.zeros(len(self.motion))
        for link, force in self.force.items():
            power += np.sum(force * self.motion.velocity(0j, link), axis=1)
            power += self.moment[link] * self.motion.omega(link)
        return power


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector product (n,) of vectors (n, 2)."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def wrenches(
    motion: Motion,
    bodies: Sequence[Body],
    users: Sequence[UserLoad] = (),
    impacts: dict[str, float] | None = None,
    normals: Mapping[str, Floats] | None = None,
) -> Wrenches:
    """Return all that acts on the links, drivers and joints left out.

    `impacts[id]` holds the speed at which the bodies of a contact met. `normals[id]` (n,) [N] presses the joint of a
    friction with a coefficient; without, there is none yet.
    """
    total, forces = Wrenches(motion), motion.mechanism.forces
    gravity = np.array((forces.gravity.real, forces.gravity.imag))
    for body in bodies:
        if body.mass and forces.gravity:
            total.push(body.link, body.center, np.broadcast_to(body.mass * gravity, (len(motion), 2)))
    for load in forces.loads.values():
        if isinstance(load, Torsion):
            _torsion(total, load)
        elif isinstance(load, Contact):
            add_contact(total, load, impacts)
        elif isinstance(load, Friction):
            _friction(total, load, None if normals is None else normals.get(load.id))
        else:
            _ADD[type(load)](total, load)
    for user in users:
        add_user_load(total, user)
    return total


def _law(law: Law, motion: Motion, id: str) -> Floats:
    """Return the value (n,) of a size at the motion's times; a constant has one also where there is no time.

    Raises `InputError` where a load has no value, and the motion has a state.
    """
    t = np.where(np.isfinite(motion.t), motion.t, 0.0) if law.speed == 0.0 else motion.t
    values = np.asarray(law(t)[0], dtype=np.float64)
    if (bad := np.flatnonzero(~np.isfinite(values) & known_state(motion))).size:
        message = f"has no value {when(motion, int(bad[0]))}"
        hint = no_times(motion)
        if law.span is not None and not hint:
            hint = f"its table goes from {law.span[0]:g} s to {law.span[1]:g} s"
        raise InputError([Problem(f"forces.{id}", message, hint)], motion.mechanism.title or "loads")
    return values


def _spring(total: Wrenches, load: Spring) -> None:
    motion = total.motion
    links = motion.mechanism.links
    (first, a), (second, b) = ((link, links[link].local[point]) for link, point in load.ends)
    way = motion.position(b, second) - motion.position(a, first)
    rate = motion.velocity(b, second) - motion.velocity(a, first)
    length = np.hypot(way[:, 0], way[:, 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        along = way / length[:, None]
    pull = load.stiffness * (length - load.free_length)
    if load.damping:
        pull = pull + load.damping * np.sum(along * rate, axis=1)
    if load.actuator is not None:
        pull = pull + _law(load.actuator, motion, load.id)
    force = pull[:, None] * along
    total.push(first, a, force)
    total.push(second, b, -force)


def _torsion(total: Wrenches, load: Torsion) -> None:
    motion, (first, second) = total.motion, load.links
    moment = -load.stiffness * (turned_angle(motion, load) - load.free_angle)
    if load.damping:
        moment = moment - load.damping * (motion.omega(second) - motion.omega(first))
    if load.actuator is not None:
        moment = moment + _law(load.actuator, motion, load.id)
    total.turn(second, moment)
    total.turn(first, -moment)


def turned_angle(motion: Motion, load: Torsion) -> Floats:
    """Return the angle (n,) [rad] of a torsional spring: that of the sketch, and what its links have turned since."""
    first, second = load.links
    links = motion.mechanism.links
    drawn = float(np.angle(links[second].direction / links[first].direction))
    return drawn + motion.turn(second) - motion.turn(first)


def _applied_force(total: Wrenches, load: AppliedForce) -> None:
    motion = total.motion
    x, y = _law(load.x, motion, load.id), _law(load.y, motion, load.id)
    if load.local:
        u = motion.position(1 + 0j, load.link) - motion.position(0j, load.link)
        x, y = u[:, 0] * x - u[:, 1] * y, u[:, 1] * x + u[:, 0] * y
    total.push(load.link, load.place, np.stack((x, y), axis=1))


def _applied_moment(total: Wrenches, load: AppliedMoment) -> None:
    size = _law(load.size, total.motion, load.id)
    total.turn(load.links[1], size)
    total.turn(load.links[0], -size)


def _friction(total: Wrenches, load: Friction, normal: Floats | None) -> None:
    motion = total.motion
    # A limit, or a coefficient times what presses the joint, at a pin with its radius for an arm.
    limit = load.limit if normal is None else load.coefficient * load.arm * normal
    guide = motion.mechanism.joints.of(Guide).get(load.joint)
    if guide is None:
        first, second = load.links
        moment = -limit * np.tanh((motion.omega(second) - motion.omega(first)) / load.transition)
        total.turn(second, moment)
        total.turn(first, -moment)
        return
    # The rate of the travel: what the slider's point does against the place of the carrier that it passes.
    along = motion.position(guide.direction, guide.carrier) - motion.position(0j, guide.carrier)
    way = motion.position(guide.point, guide.slider) - motion.position(0j, guide.carrier)
    omega = motion.omega(guide.carrier)[:, None]
    passing = motion.velocity(0j, guide.carrier) + omega * np.stack((-way[:, 1], way[:, 0]), axis=1)
    rate = np.sum(along * (motion.velocity(guide.point, guide.slider) - passing), axis=1)
    force = (-limit * np.tanh(rate / load.transition))[:, None] * along
    total.push(guide.slider, guide.point, force)
    total.force[guide.carrier] -= force
    total.moment[guide.carrier] -= cross(way, force)


_ADD: Mapping[type[Load], Callable[[Wrenches, Any], None]] = {
    Spring: _spring,
    AppliedForce: _applied_force,
    AppliedMoment: _applied_moment,
}
