"""Points of action of joint forces, and lines of action that rows do not give: gears, belts, cams and similar pairs.

The row of such a pair couples the turns of three links, or is a function of turns. Its forces are those of ideal pairs
without friction losses, on two links, equal and opposite:

| pair | force |
|---|---|
| gear | along the common tangent of the pitch circles, at the pitch point: pressure angle 0 |
| belt | the difference of the tensions of its spans; the pretension, which pulls the shafts together, is left out |
| rack | along the pitch line, at the pitch point |
| rolling | along the line or tangent at the point of contact (it prevents slip), and along the normal |
| cam | along the common normal at the point of contact |
| Geneva wheel | across the slot at the pin; while locked, through the crank's shaft across the line of centres |

Teeth with a pressure angle a also push the wheels apart with the tangential force times tan(a). That force loads only
the pins of the two wheels and does no work, so it does not affect the drivers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from structkin.joints.belt import Belt
from structkin.joints.cam import Cam
from structkin.joints.gear import Gear
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.pair import Pair
from structkin.joints.rack import Rack
from structkin.joints.rolling import RollingOnCircle, RollingOnLine
from structkin.joints.turn_coupling import TurnCoupling
from structkin.solve import Motion
from structkin.types import Complexes, Floats


@dataclass(frozen=True)
class Action:
    """A unit of a pair's force on its second link: a force (n,) through a point (n,) and a couple [N m], all global."""

    force: Complexes
    point: Complexes
    couple: float = 0.0


def action_of(motion: Motion, joint: str, part: str) -> Action:
    """Return a part of the force of such a pair on its second link."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return line_of_action(motion.mechanism.joints[joint], motion, part)


@singledispatch
def line_of_action(pair: Pair, motion: Motion, part: str) -> Action:
    """Return a part of the force of such a pair; each kind is registered by its class."""
    raise TypeError(f"no line of action is registered for a {type(pair).__name__}")


def place_of(motion: Motion, joint: str, link: str) -> Floats:
    """Return the point (n, 2) at which a joint's force on a link acts: a pulley's centre, the contact, ..."""
    pair = motion.mechanism.joints[joint]
    if isinstance(pair, Belt):
        local = pair.centers[pair.links.index(link)]
        assert local is not None
        return motion.position(local, link)
    if pair.parts:
        return as_pairs(action_of(motion, joint, pair.parts[0]).point)
    return motion.position(*pair.place)


def as_pairs(z: Complexes) -> Floats:
    """Return complex numbers (n,) as vectors (n, 2)."""
    return np.stack((z.real, z.imag), axis=1)


def at(motion: Motion, place: complex | str, link: str) -> Complexes:
    """Return where a point of a link is (n,)."""
    return np.asarray(motion.position(place, link) @ np.array([1, 1j]))


def _along(motion: Motion, direction: complex, link: str) -> Complexes:
    return at(motion, direction, link) - at(motion, 0j, link)


@line_of_action.register(Gear)
@line_of_action.register(Belt)
@line_of_action.register(RollingOnCircle)
def _of_circles(mesh: TurnCoupling, motion: Motion, part: str) -> Action:
    """Return the force of two circles: on the second one, at the point where both have the same velocity."""
    assert mesh.ratio is not None
    first, second = (at(motion, c, link) for c, link in zip(mesh.centers, mesh.links, strict=True) if c is not None)
    vector = second - first
    if part == "belt":
        # A torque of 1 N m on the first pulley; the spans cross at the pitch point, or are parallel.
        return Action(-1j * vector * (1 - mesh.ratio) / np.abs(vector) ** 2, first, -1.0)
    along = vector / np.abs(vector)
    # A circle pushes the other one away, or outwards against the ring that it rolls in.
    force = -np.sign(mesh.ratio) * along if part == "normal" else 1j * along
    return Action(force, first + vector / (1 - mesh.ratio))


@line_of_action.register(Rack)
@line_of_action.register(RollingOnLine)
def _on_line(mesh: TurnCoupling, motion: Motion, part: str) -> Action:
    """Return the force on a rack, or on the line that a wheel rolls on, at the wheel's foot on the line."""
    guide = motion.mechanism.joints.of(Guide)[mesh.guide or ""]
    along = _along(motion, guide.direction, guide.carrier)
    lever = mesh.lever if guide.slider == mesh.links[1] else -mesh.lever
    # A wheel's foot at -i times its radius moves along the line as the wheel turns counter-clockwise.
    side = -1j * along * np.sign(lever)
    point = at(motion, mesh.centers[0], mesh.links[0]) + side * abs(mesh.lever)
    return Action(side if part == "normal" else along, point)


@line_of_action.register(Cam)
def _of_cam(cam: Cam, motion: Motion, part: str) -> Action:
    met = motion.cam(cam.id)
    # The normal of a roller goes through its centre.
    point = at(motion, cam.touch, cam.follower) if cam.normal is None else met.contact @ np.array([1, 1j])
    return Action(met.normal @ np.array([1, 1j]), point)


@line_of_action.register(Geneva)
def _of_wheel(geneva: Geneva, motion: Motion, part: str) -> Action:
    # The crank's pin on the carrier may belong to a link that one of them is fastened to.
    on_both = [motion.mechanism.links[link].local for link in (geneva.crank, geneva.carrier)]
    pins = (joint.id for joint in motion.mechanism.topology.joints if joint.kind == "R")
    shaft = next(pin for pin in pins if all(pin in local for local in on_both))
    pivot = at(motion, geneva.pivot, geneva.wheel)
    engaged = motion.geneva(geneva.id).engaged
    point = np.where(engaged, at(motion, geneva.pin, geneva.crank), at(motion, shaft, geneva.crank))
    vector = point - pivot
    return Action(1j * vector / np.abs(vector), point)
