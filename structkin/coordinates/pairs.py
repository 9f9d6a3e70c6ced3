"""The rows of gears, belts, racks, rolling contacts, cams and Geneva wheels.

| row | equation |
|---|---|
| gear, belt | t_1 - r t_2 + (r - 1) t_c = 0, turns since the sketch, carrier c (Willis) |
| rack; rolling on a line | d . (P_j - P_i) - start - lever (t_1 - t_2) = 0 |
| rolling on a line | d x (P_j - P_i) - e = 0 |
| rolling on a circle, two rows | C_2 - C_1 - R E(s) = 0, (1 - r) s = t_1 - r t_2: the line of centres carries |
| cam by its law, translating | d . (P_j - P_i) - start - f(angle of the cam) = 0 |
| cam by its law, oscillating | angle of the follower - f(angle of the cam) = 0, both seen from the carrier |
| cam by its profile, roller or edge | length of T - C - f(direction of T - C seen from the cam) = 0 |
| cam by its profile, flat face | n . (T - C) - f(direction of n seen from the cam) = 0 |
| Geneva wheel | t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres |

Turns are counted: a driver that has gone round twice has turned a gear with it twice. E(s) is the unit vector that has
turned by s since the sketch.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.topology import Joint
from structkin.rows.curves import Curve
from structkin.rows.periodic import Follow
from structkin.rows.quadrics import Quadric
from structkin.rows.relations import ByLaw, FaceOnProfile, OnProfile, Stepped, TurnByLaw
from structkin.rows.windings import Winding

if TYPE_CHECKING:
    from structkin.coordinates.rows import Writer

_QUARTER = 0.5 * math.pi


def write_mesh(w: Writer, joint: Joint) -> None:
    """Write the rows of a gear, belt, rack or rolling contact."""
    mesh = w.mechanism.joints.of(TurnCoupling)[joint.id]
    if mesh.guide is not None:
        _write_travel(w, mesh, mesh.guide)
    elif mesh.arm is not None:
        _write_ratio(w, mesh, mesh.arm)
    else:
        _write_circles(w, mesh)


def _write_ratio(w: Writer, mesh: TurnCoupling, carrier: str) -> None:
    assert mesh.ratio is not None
    links = (*mesh.links, carrier)
    factors = (1.0, -mesh.ratio, mesh.ratio - 1.0)
    row = Quadric(linear=w.turns_of(dict(zip(links, factors, strict=True))))
    w.add(mesh.id, f"{mesh.type} ratio", links, max(map(abs, factors)), row)


def _write_travel(w: Writer, mesh: TurnCoupling, guide: str) -> None:
    along, way, ends = w.line(guide)
    links = tuple(dict.fromkeys((*ends, *mesh.links)))
    if guide == mesh.id and (mesh.id, "") not in w.met:
        w.add(
            mesh.id,
            "across the line",
            links,
            w.size,
            Quadric.cross(along, way).plus(-w.mechanism.joints.of(Guide)[guide].offset),
        )
    first, second = mesh.links
    travel = Quadric.dot(along, way).plus(-w.mechanism.joints.of(Guide)[guide].start - mesh.shift)
    row = travel.with_terms(w.turns_of({first: -mesh.lever, second: mesh.lever}))
    w.add(mesh.id, "travel by turn", links, w.size, row)


def _write_circles(w: Writer, mesh: TurnCoupling) -> None:
    assert mesh.ratio is not None
    first, second = mesh.links
    (a, b), places = mesh.centers, [w.mechanism.links[link] for link in mesh.links]
    assert b is not None
    way = w.point(second, b) - w.point(first, a)
    drawn = places[1].origin + places[1].direction * b - places[0].origin - places[0].direction * a
    turn = w.turns_of({first: 1 / (1 - mesh.ratio), second: -mesh.ratio / (1 - mesh.ratio)})
    for name, row in zip("xy", Winding.along(way * (abs(drawn) / drawn), mesh.reach, turn), strict=True):
        w.add(mesh.id, f"line of centres, {name}", mesh.links, w.size, row)


def write_cam(w: Writer, joint: Joint) -> None:
    """Write the row of a cam or of a Geneva wheel."""
    geneva = w.mechanism.joints.of(Geneva).get(joint.id)
    if geneva is not None:
        _write_geneva(w, geneva)
        return
    cam = w.mechanism.joints.of(Cam)[joint.id]
    if isinstance(cam, LawCam):
        _write_law(w, cam)
    elif isinstance(cam, ProfileCam):
        _write_profile(w, cam)


def _write_law(w: Writer, cam: LawCam) -> None:
    links = (cam.cam, cam.follower, cam.carrier)
    base, turned = w.along(cam.carrier), w.along(cam.cam)
    if cam.moves.hinge is not None:
        row = Curve.of(TurnByLaw(cam.follow), w.along(cam.follower), base, turned, base)
        w.add(cam.id, "angle by the cam's law", links, 1.0, row)
        return
    along, way, _ = w.line(cam.joint)
    follow = replace(cam.follow, shift=cam.follow.shift + w.mechanism.joints.of(Guide)[cam.joint].start)
    w.add(cam.id, "travel by the cam's law", links, w.size, Curve.of(ByLaw(follow), along, way, turned, base))


def _write_profile(w: Writer, cam: ProfileCam) -> None:
    links, axis = (cam.cam, cam.follower), w.along(cam.cam)
    way = w.point(cam.follower, cam.touch) - w.point(cam.cam, cam.centre)
    if cam.normal is None:
        w.add(cam.id, "roller on the profile", links, w.size, Curve.of(OnProfile(cam.met), way, axis))
        return
    # The face lies along -i times its normal, a quarter of a turn behind it.
    face = w.along(cam.follower, -1j * cam.normal)
    row = Curve.of(FaceOnProfile(Follow(cam.met, phase=_QUARTER)), face, way, axis)
    w.add(cam.id, "face on the profile", links, w.size, row)


def _write_geneva(w: Writer, geneva: Geneva) -> None:
    links = (geneva.crank, geneva.wheel, geneva.carrier)
    crank, base = (w.mechanism.links[link].direction for link in (geneva.crank, geneva.carrier))
    start = cmath.phase(crank / base) + geneva.phase
    turned = Quadric(linear=w.turns_of({geneva.crank: 1.0, geneva.carrier: -1.0}))
    wheel = Quadric(linear=w.turns_of({geneva.wheel: 1.0, geneva.carrier: -1.0}))
    relation = Stepped(Follow(geneva.law, shift=-float(geneva.law(start)), phase=start))
    w.add(geneva.id, "angle by the crank's", links, 1.0, Curve(relation, ((turned, wheel),)))
