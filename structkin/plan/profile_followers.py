"""Followers of profiles as functions of the cam's angle, where the cam's shaft and the follower are on one carrier."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from structkin.groups.profile_follower import ProfileFollower
from structkin.joints.profile_cam import ProfileCam
from structkin.plan.known_state import Contact, KnownState

#: What was found of a cam, as long as it lives: the table of a follower takes a tenth of a second.
_found: WeakKeyDictionary[ProfileCam, dict[tuple[str, str], ProfileFollower]] = WeakKeyDictionary()


def follower_of(state: KnownState, tie: Contact, cam: ProfileCam) -> tuple[str, ProfileFollower] | None:
    """Return the carrier and the function of a follower whose other joint is `tie`; None where there is no carrier."""
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
