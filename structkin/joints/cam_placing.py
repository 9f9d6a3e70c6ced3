"""From the sketch of a cam with a law to its geometry: the follower's pose at lift 0, its direction of lift."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace

from structkin.joints.cam_keys import CamKeys
from structkin.joints.cam_laws import CamLaw
from structkin.joints.entry import AnyJoint
from structkin.joints.guide import Guide
from structkin.joints.law_cam import Follower, LawCam
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.parts import Link
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.rows.periodic import Follow


def place_cam(
    draft: Draft,
    id: str,
    entry: CamKeys,
    contact: str,
    sense: int,
    joints: tuple[str, AnyJoint, AnyJoint],
    law: CamLaw,
) -> LawCam:
    """Return the cam with its follower placed at lift 0; raise `Flaw` for invalid dimensions."""
    carrier, shaft, guide = joints
    cam, follower, base = (draft.links[name] for name in (entry.cam, entry.follower, carrier))
    pivot = base.local[shaft.id]
    drawn = _drawn(draft, entry, guide, follower, base, pivot)
    start = entry.start or 0.0
    phase = start - sense * cmath.phase(cam.direction / base.direction)
    lift = float(law(start))
    radius = entry.radius or 0.0
    # The travel of the follower from the sketch to lift 0.
    back = -lift
    if entry.base is not None:
        back = _onto_base(drawn, pivot, entry.base + radius) * drawn.sense
    moves = _moved(drawn, back)
    if drawn.hinge is None:
        lift_sense = _guide_sense(draft, guide.id, follower.name, drawn.direction)
        follow = Follow(law.function, lift_sense, lift_sense * back, sense, phase)
    else:
        turn = cmath.phase(follower.direction / base.direction) + drawn.sense * back
        follow = Follow(law.function, drawn.sense, turn, sense, phase)
    touch = follower.local[_reference(entry)]
    normal = None if drawn.face is None else drawn.face * base.direction / follower.direction
    made = LawCam(
        id, links=(cam.name, follower.name), carrier=carrier, joint=guide.id, contact=contact, law=law, moves=moves,
        sense=sense, phase=phase, centre=cam.local[shaft.id], pivot=pivot, follow=follow, touch=touch, normal=normal,
        radius=radius,
    )  # fmt: skip
    if not made.base_radius > EQUAL_DATA * abs(moves.place - pivot):
        raise Flaw(
            f"the base circle has a radius of {draft.show_length(made.base_radius)}, which is not positive",
            "draw the follower farther from the cam's shaft, or give base = 20",
        )
    return made


def _reference(entry: CamKeys) -> str:
    """Return the reference point of the follower: the roller's centre, the edge, or a point of the face."""
    return entry.at if entry.at is not None else (entry.face or ("",))[0]


def _drawn(draft: Draft, entry: CamKeys, guide: AnyJoint, follower: Link, base: Link, pivot: complex) -> Follower:
    """Return the follower as sketched, in the frame of the carrier; it lifts away from the shaft."""

    def seen(place: complex) -> complex:
        return base.direction.conjugate() * (follower.origin + follower.direction * place - base.origin)

    place = seen(follower.local[_reference(entry)])
    face = None
    if entry.face is not None:
        along = seen(follower.local[entry.face[1]]) - place
        if along == 0:
            raise Flaw(f"the face points '{entry.face[0]}' and '{entry.face[1]}' coincide", "move one of them")
        face = 1j * along / abs(along)
        face *= math.copysign(1.0, ((place - pivot) / face).real)
    if guide.kind == "R":
        hinge = base.local[guide.id]
        drawn = Follower(place, 0j, hinge, 1, face)
        if entry.contact == "flat" and face is None:
            raise Flaw("an oscillating flat face needs two points", 'face = ["F", "G"]')
        contact = place if face is None else pivot + face * ((place - pivot) / face).real
        normal = face if face is not None else (place - pivot) / (abs(place - pivot) or 1.0)
        sense = normal.conjugate() * 1j * (contact - hinge)
        if abs(sense.real) <= EQUAL_DATA * abs(contact - hinge):
            raise Flaw("in the sketch the follower moves along the cam's profile, not away from it", "move its pin")
        return replace(drawn, sense=1 if sense.real > 0 else -1)
    line = draft.joints.get(guide.id)
    if not isinstance(line, Guide):
        raise Flaw(f"the follower's guide '{guide.id}' has errors", "correct them first")
    direction = line.direction if line.slider == follower.name else line.direction / (line.turn or 1)
    towards = ((place - pivot if face is None else face) / direction).real
    if abs(towards) < EQUAL_DATA * abs(place - pivot):
        raise Flaw(
            "in the sketch the follower is level with the cam's shaft: its lift has no direction",
            "move it along its guide",
        )
    direction *= math.copysign(1.0, towards)
    if entry.contact == "flat" and face is None:
        face = direction
    return Follower(place, direction, None, 1, face)


def _guide_sense(draft: Draft, guide: str, follower: str, direction: complex) -> int:
    """Return +1 if the travel of the guide increases with the lift, -1 if it decreases."""
    line = draft.joints[guide]
    assert isinstance(line, Guide)
    if line.slider == follower:
        return 1 if (direction / line.direction).real > 0 else -1
    return -1 if (direction * (line.turn or 1) / line.direction).real > 0 else 1


def _moved(drawn: Follower, lift: float) -> Follower:
    """Return the follower after a lift."""
    if drawn.hinge is None:
        return replace(drawn, place=drawn.place + drawn.direction * lift)
    turn = cmath.exp(1j * drawn.sense * lift)
    face = None if drawn.face is None else drawn.face * turn
    return replace(drawn, place=drawn.hinge + (drawn.place - drawn.hinge) * turn, face=face)


def _onto_base(drawn: Follower, pivot: complex, reach: float) -> float:
    """Return the travel, or counter-clockwise rotation, from the sketch to a distance from the shaft."""
    vector = drawn.place - pivot
    small = Flaw("the follower cannot reach the base circle", "increase base, or draw the follower nearer to the shaft")
    if drawn.hinge is None:
        if drawn.face is not None:
            return (reach - (vector / drawn.face).real) / (drawn.direction / drawn.face).real
        along = vector / drawn.direction
        if reach <= abs(along.imag):
            raise small
        return math.sqrt(reach**2 - along.imag**2) - along.real
    arm, beyond = drawn.place - drawn.hinge, drawn.hinge - pivot
    if drawn.face is not None:
        # (arm + beyond e^-i turn) / face has the real part `reach`.
        spoke, wanted = beyond / drawn.face, reach - (arm / drawn.face).real
        spoke = spoke.conjugate()
    else:
        # |beyond + arm e^i turn| = reach.
        spoke, wanted = beyond.conjugate() * arm, 0.5 * (reach**2 - abs(beyond) ** 2 - abs(arm) ** 2)
    if abs(wanted) > abs(spoke):
        raise small
    half = math.acos(wanted / abs(spoke))
    turns = [math.remainder(side * half - cmath.phase(spoke), 2 * math.pi) for side in (1, -1)]
    return min(turns, key=abs)
