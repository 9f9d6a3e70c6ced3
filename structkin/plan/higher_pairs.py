"""Closed forms of single links with a higher pair: the follower of a known cam, a pin in a slot of any shape."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from structkin.errors import InputError, Problem
from structkin.groups.cam import Lift, OfAngle, Turn
from structkin.groups.profile_follower import ProfileFollower
from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.fastened import Fastened
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.model.mechanism import Mechanism
from structkin.model.topology import fasten
from structkin.plan.driven_links import at_distance, slid, turned
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Register
from structkin.rows.affine import Frame
from structkin.rows.periodic import Follow, Function

if TYPE_CHECKING:
    from structkin.plan.closing import Closing


def solve_higher(closing: Closing, ties: list[Contact]) -> Mapping[str, Frame] | None:
    """Close a link with one lower and one higher pair to known links; None if there is no closed form."""
    lower, higher = sorted(ties, key=lambda tie: tie.kind not in "RP")
    if lower.kind not in "RP":
        return None
    arc = closing.state.mechanism.joints.of(CircularSlot).get(higher.joint)
    if arc is not None:
        return _in_arc(closing, lower, arc)
    slot = closing.state.mechanism.joints.of(Guide).get(higher.joint)
    if higher.kind == "S" and slot is not None:
        return _on_slot(closing, lower, slot) if slot.carrier == lower.link else _in_slot(closing, lower, slot)
    geneva = closing.state.mechanism.joints.of(Geneva).get(higher.joint)
    if geneva is not None and geneva.wheel == lower.link and geneva.pivot == lower.joint:
        return _stepped(closing, lower, geneva)
    cam = closing.state.mechanism.joints.of(Cam).get(higher.joint)
    if isinstance(cam, ProfileCam):
        return _on_profile(closing, lower, cam)
    if not isinstance(cam, LawCam) or cam.follower != lower.link or cam.joint != lower.joint:
        return None
    return _followed(closing, lower, cam)


def _in_arc(closing: Closing, tie: Contact, arc: CircularSlot) -> Mapping[str, Frame] | None:
    """Close a link with a pin in a circular slot, or with the slot: a massless link joins pin and centre."""
    state, links = closing.state, closing.state.mechanism.links
    name = next(point for point, local in links[arc.slider].local.items() if local == arc.point)
    if tie.link == arc.carrier:
        local = arc.center
        other = state.pins[name] if name in state.pins else state.frames[arc.slider].point(arc.point)
    elif name in links[tie.link].local:
        # The slot may act on a pin shared by several links, which locates this one.
        local = links[tie.link].local[name]
        other = state.frames[arc.carrier].point(arc.center)
    else:
        return None
    origin, direction = state.sketch_frame(tie.link)
    return at_distance(closing, tie, (local, origin + direction * local, name), other, 0.5 * arc.radius**2)


def _in_slot(closing: Closing, tie: Contact, slot: Guide) -> Mapping[str, Frame] | None:
    """Close a link with a pin in a known straight slot: a circle and a line, or two lines."""
    state, links = closing.state, closing.state.mechanism.links
    name = next(point for point, local in links[slot.slider].local.items() if local == slot.point)
    # The slot may act on a pin shared by several links, which locates this one.
    if name not in links[tie.link].local or slot.carrier not in state.frames:
        return None
    local, carrier = links[tie.link].local[name], state.frames[slot.carrier]
    line = closing.vector(carrier.point(slot.origin)), closing.vector(carrier.direction * slot.direction), slot.offset
    origin, turn = state.sketch_frame(tie.link)
    sketch = origin + turn * local
    if tie.kind == "R":
        arm = local - state.local(tie.link, tie.joint)
        if arm == 0:
            return None
        pin = state.pins[tie.joint]
        place = closing.close("RRP", (closing.vector(pin), 0.5 * abs(arm) ** 2, *line), sketch, name)
        return {tie.link: closing.through_pin(tie, (place - pin) * (1 / arm))}
    direction = closing.direction_by_guide(tie)
    start, along, offset = closing.line(tie, direction, local)
    own = closing.vector(start), closing.vector(along), offset
    place = closing.close("PRP", (*own, *line), sketch, name)
    return {tie.link: Frame(place - direction * local, direction)}


def _on_slot(closing: Closing, tie: Contact, slot: Guide) -> Mapping[str, Frame] | None:
    """Close a link whose straight slot holds a known pin: it rotates about its own pin, or slides along its guide."""
    state, links = closing.state, closing.state.mechanism.links
    name = next(point for point, local in links[slot.slider].local.items() if local == slot.point)
    if name not in state.pins and slot.slider not in state.frames:
        return None
    pin = state.pins[name] if name in state.pins else state.frames[slot.slider].point(slot.point)
    if tie.kind == "R":
        own = state.pins[tie.joint]
        offset = slot.offset + ((slot.origin - state.local(tie.link, tie.joint)) / slot.direction).imag
        size = abs(pin.at(state.builder.sketch) - own.at(state.builder.sketch)) or 1.0
        sketch = state.sketch_frame(tie.link)[1] * slot.direction
        along = closing.close("RPR", (closing.vector(own), closing.vector(pin), offset, size), sketch, tie.link)
        return {tie.link: closing.through_pin(tie, along * (1 / slot.direction))}
    direction = closing.direction_by_guide(tie)
    start, along, offset = closing.line(tie, direction, 0j)
    # The link's origin runs on its guide, and on the line of the slot relative to the pin.
    seen = closing.vector(pin - direction * slot.origin), closing.vector(direction * slot.direction), -slot.offset
    own_line = closing.vector(start), closing.vector(along), offset
    origin = closing.close("PRP", (*own_line, *seen), state.sketch_frame(tie.link)[0], tie.link)
    return {tie.link: Frame(origin, direction)}


def _followed(closing: Closing, tie: Contact, cam: LawCam) -> Mapping[str, Frame]:
    """Close a follower whose cam and carrier are known: its joint is driven by the law."""
    state = closing.state
    require_carrier(state, cam, ())
    return _lifted(closing, tie, cam.follow, cam.cam, cam.carrier)


def _on_profile(closing: Closing, tie: Contact, cam: ProfileCam) -> Mapping[str, Frame] | None:
    """Close a follower on the carrier of a known cam's shaft, if it is a function of the cam's angle."""
    if cam.follower != tie.link or cam.cam not in closing.state.frames:
        return None
    found = follower_of(closing.state, tie, cam)
    if found is None or not found[1].is_single_valued:
        return None
    carrier, function = found
    return _lifted(closing, tie, function, cam.cam, carrier)


def _lifted(closing: Closing, tie: Contact, function: Function, cam: str, carrier: str) -> Mapping[str, Frame]:
    """Close a link whose travel or angle relative to a known carrier is a function of a known cam's angle."""
    state, builder = closing.state, closing.state.builder
    inputs = [closing.vector(state.frames[link].direction) for link in (cam, carrier)]
    lift = Lift(function)
    (start,) = lift.position(tuple(map(builder.in_sketch, inputs)), None)
    slot = Register(builder.step(lift, inputs, (float(start[0]),), group=closing.index, scalar=True)[0])
    if tie.kind == "P":
        return slid(closing, tie, slot)
    turn = Register(builder.step(Turn(), (slot,), (complex(np.exp(1j * float(start[0]))),), group=closing.index)[0])
    return turned(closing, tie, carrier, turn)


def _stepped(closing: Closing, tie: Contact, geneva: Geneva) -> Mapping[str, Frame]:
    """Close a Geneva wheel whose crank is driven: its angle is a function of the driver's coordinate."""
    state, builder = closing.state, closing.state.builder
    id, sense, phase = crank_driver(state.mechanism, geneva)
    start = state.mechanism.drivers[id].start
    angle = builder.driver(id, closing.index, angular=False, value=start)
    relation = OfAngle(Follow(geneva.law, -1.0, geneva.start, sense, phase))
    value = float(relation.function(np.array(start)))
    slot = Register(builder.step(relation, (angle,), (value,), group=closing.index, scalar=True)[0])
    turn = Register(builder.step(Turn(), (slot,), (complex(np.exp(1j * value)),), group=closing.index)[0])
    return turned(closing, tie, geneva.carrier, turn)


def require_carrier(state: KnownState, cam: LawCam, inside: tuple[str, ...]) -> Mapping[str, Frame]:
    """Return the known frames; `InputError` if the carrier of a cam is neither known nor in the group."""
    if cam.carrier in state.frames or cam.carrier in inside:
        return state.frames
    message = f"the cam law needs the position of '{cam.carrier}', which is solved only later"
    hint = "drive the mechanism at another joint"
    raise InputError([Problem(f"joints.{cam.id}", message, hint)], state.mechanism.title)


def crank_driver(mechanism: Mechanism, geneva: Geneva) -> tuple[str, int, float]:
    """Return the driver of a crank: its angle from the line of centres is sense * coordinate + phase.

    The driver may act on a link fastened to the crank. Raises `InputError` if no driver turns the crank relative to its
    carrier: only a driver counts full turns.
    """
    body: dict[str, str] = {}
    for joint in mechanism.joints.of(Fastened).values():
        fasten(body, joint.links)
    carrier, crank = (body.get(link, link) for link in (geneva.carrier, geneva.crank))
    for drive in mechanism.drivers.values():
        ends = [body.get(link, link) for link in drive.links]
        if drive.kind == "angle" and set(ends) == {carrier, crank}:
            sense = 1 if ends[1] == crank else -1
            if set(drive.links) == {geneva.carrier, geneva.crank}:
                return drive.id, sense, geneva.phase
            drawn = mechanism.links[geneva.crank].direction / mechanism.links[geneva.carrier].direction
            ahead = math.remainder(cmath.phase(drawn) - sense * drive.start, 2 * math.pi)
            return drive.id, sense, geneva.phase + ahead
    message = f"the crank '{geneva.crank}' is not driven relative to '{geneva.carrier}': its turns cannot be counted"
    raise InputError([Problem(f"joints.{geneva.id}", message, "drive its shaft with an angle driver")], mechanism.title)


# --- followers of profiles on the carrier of the cam's shaft: functions of the cam's angle ------------------


#: Cache of followers per cam: computing the table of a follower takes a tenth of a second.
_found: WeakKeyDictionary[ProfileCam, dict[tuple[str, str], ProfileFollower]] = WeakKeyDictionary()


def follower_of(state: KnownState, tie: Contact, cam: ProfileCam) -> tuple[str, ProfileFollower] | None:
    """Return the carrier and the function of a follower whose other joint is `tie`; None if there is no carrier."""
    joints = {joint.id: joint for joint in state.topology.joints}
    points = state.mechanism.links[cam.cam].local
    shafts = [joint for joint in joints.values() if joint.kind == "R" and joint.id in points]
    for shaft in shafts:
        for carrier in shaft.links:
            if carrier != cam.cam and carrier != tie.link and carrier in joints[tie.joint].links:
                known = _found.setdefault(cam, {})
                key = carrier, tie.joint
                if key not in known:
                    known[key] = _function(state, tie, cam, carrier, shaft.id)
                return carrier, known[key]
    return None


def _function(state: KnownState, tie: Contact, cam: ProfileCam, carrier: str, shaft: str) -> ProfileFollower:
    base, base_turn = state.sketch_frame(carrier)
    _, cam_turn = state.sketch_frame(cam.cam)
    origin, turn = state.sketch_frame(tie.link)
    angle, seen = float(np.angle(cam_turn / base_turn)), turn / base_turn
    centre, pin = cam.centre - state.local(cam.cam, shaft), state.local(carrier, shaft)
    if tie.kind == "P":
        guide = state.guide(tie.joint)
        along = guide.direction if tie.link == guide.slider else -guide.direction / (guide.turn or 1.0)
        touch = (origin - base) / base_turn + seen * cam.touch
        normal = None if cam.normal is None else seen * cam.normal
        return ProfileFollower(
            cam.function, centre, pin, touch, direction=along / abs(along), normal=normal, radius=cam.radius,
            start=(angle, 0.0),
        )  # fmt: skip
    return ProfileFollower(
        cam.function, centre, pin, cam.touch - state.local(tie.link, tie.joint), hinge=state.local(carrier, tie.joint),
        normal=cam.normal, radius=cam.radius, start=(angle, float(np.angle(seen))),
    )  # fmt: skip
