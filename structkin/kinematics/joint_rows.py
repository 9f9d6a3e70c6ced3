"""The rows of joints and drivers, each written once: for the general group, and for all families of coordinates.

| row | equation | source |
|---|---|---|
| revolute (pinned: one link is the ground) | r_i + A_i s_i - r_j - A_j s_j | S0 Tab. 1; S1 eq. 47 |
| translation, across | d x (P_j - P_i) - e | S0 Tab. 1; S1 eqs. 66-67 |
| translation, orientation | u.v - cos, or u x v - sin, of a constant angle; as angles: S1 eq. 65 | S0 Tab. 1 (5), (6) |
| translation-revolute: a slot (roller: the ground's, along an axis) | d x (P_j - P_i) - e | S0 Tab. 1 (7), (3) |
| circular slot of centre M: a link without mass from M to the pin | (P - M).(P - M) - r^2 | |
| angular driver | u.v - cos z and u x v - sin z; as angles: phi_j - phi_i - z | S0 Tab. 1; S1 eq. 79 |
| slide driver | d . (P_j - P_i) - start - z | |
| linear driver of a distance | (F - E).(F - E) / 2 - z^2 / 2 | |
| gear, belt | t_1 - r t_2 + (r - 1) t_c = 0, turns since the sketch, carrier c (Willis) | |
| rack; rolling on a line | d . (P_j - P_i) - start - lever (t_1 - t_2) = 0 | |
| rolling on a line | d x (P_j - P_i) - e = 0 | |
| rolling on a circle, two rows | C_2 - C_1 - R E(s) = 0, (1 - r) s = t_1 - r t_2: the line of centres carries | |
| cam by its law, translating | d . (P_j - P_i) - start - f(angle of the cam) = 0 | |
| cam by its law, oscillating | angle of the follower - f(angle of the cam) = 0, both seen from the carrier | |
| cam by its profile, roller or edge | length of T - C - f(direction of T - C seen from the cam) = 0 | |
| cam by its profile, flat face | n . (T - C) - f(direction of n seen from the cam) = 0 | |
| Geneva wheel | t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres | |

S0: Roupa, Goncalves, Tavares da Silva, "Dynamic analysis of planar multibody systems with fully Cartesian coordinates"
(Tab. 1, its right-hand sides corrected); S1: Flores, Lankarani, "Formulation for planar multibody dynamics" (eqs. 22
to 87, corrected: nu = +z', gamma = +z'' of a driver). Turns are counted: a driver that has gone round twice has turned
a gear with it twice. E(s) is the unit vector that has turned by s since the sketch.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kinematics.row_writer import RowWriter
from structkin.model.parts import Drive
from structkin.model.topology import Joint
from structkin.rows.curves import Curve
from structkin.rows.periodic import Follow
from structkin.rows.relations import ByLaw, FaceOnProfile, OnProfile, Stepped, TurnByLaw
from structkin.rows.row import Row
from structkin.rows.windings import Winding


def write_joint(w: RowWriter, joint: Joint) -> None:
    """Write the rows of a joint."""
    JOINTS[joint.kind](w, joint)


def write_driver(w: RowWriter, drive: Drive) -> None:
    """Write the rows of a driver."""
    DRIVERS[drive.kind](w, drive)


def _revolute(w: RowWriter, joint: Joint) -> None:
    for link, at, others in w.ties(joint.id):
        gap = w.point(link, w.mechanism.links[link].local[joint.id]) - at
        for axis, name in enumerate("xy"):
            w.add(joint.id, f"pin, {name}", (*others, link), w.size, Row.part(gap, axis))


def _across(w: RowWriter, joint: str, equation: str = "across the guide") -> None:
    if not w.is_met(joint):
        along, way, links = w.line(joint)
        offset = w.mechanism.joints.of(Guide)[joint].offset
        w.add(joint, equation, links, w.size, Row.cross(along, way).plus(-offset))


def _prismatic(w: RowWriter, joint: Joint) -> None:
    _across(w, joint.id)
    guide = w.mechanism.joints.of(Guide)[joint.id]
    assert guide.turn is not None
    if not w.is_met(joint.id):
        w.orient(joint.id, (guide.carrier, guide.slider), guide.turn)


def _slot(w: RowWriter, joint: Joint) -> None:
    arc = w.mechanism.joints.of(CircularSlot).get(joint.id)
    if arc is None:
        _across(w, joint.id)
        return
    tip, slider = w.tip(arc)
    way = tip - w.point(arc.carrier, arc.center)
    square = Row.dot(way, way).plus(-(arc.radius**2))
    w.add(joint.id, "circular slot", (arc.carrier, slider), 2 * arc.radius * w.size, square)


def _mesh(w: RowWriter, joint: Joint) -> None:
    mesh = w.mechanism.joints.of(TurnCoupling)[joint.id]
    if mesh.guide is not None:
        _travel_by_turn(w, mesh, mesh.guide)
    elif mesh.arm is not None:
        _ratio(w, mesh, mesh.arm)
    else:
        _circles(w, mesh)


def _ratio(w: RowWriter, mesh: TurnCoupling, carrier: str) -> None:
    assert mesh.ratio is not None
    links = (*mesh.links, carrier)
    factors = (1.0, -mesh.ratio, mesh.ratio - 1.0)
    row = w.turns(dict(zip(links, factors, strict=True)))
    w.add(mesh.id, f"{mesh.type} ratio", links, max(map(abs, factors)), row)


def _travel_by_turn(w: RowWriter, mesh: TurnCoupling, guide: str) -> None:
    if guide == mesh.id:
        _across(w, guide, "across the line")
    along, way, ends = w.line(guide)
    links = tuple(dict.fromkeys((*ends, *mesh.links)))
    first, second = mesh.links
    travel = Row.dot(along, way).plus(-w.mechanism.joints.of(Guide)[guide].start - mesh.shift)
    row = travel + w.turns({first: -mesh.lever, second: mesh.lever})
    w.add(mesh.id, "travel by turn", links, w.size, row)


def _circles(w: RowWriter, mesh: TurnCoupling) -> None:
    assert mesh.ratio is not None
    first, second = mesh.links
    a, b = mesh.centers
    assert b is not None
    way = w.point(second, b) - w.point(first, a)
    drawn = w.drawn(second, b) - w.drawn(first, a)
    turn = w.turns({first: 1 / (1 - mesh.ratio), second: -mesh.ratio / (1 - mesh.ratio)})
    for name, row in zip("xy", Winding.along(way * (abs(drawn) / drawn), mesh.reach, turn), strict=True):
        w.add(mesh.id, f"line of centres, {name}", mesh.links, w.size, row)


def _cam(w: RowWriter, joint: Joint) -> None:
    geneva = w.mechanism.joints.of(Geneva).get(joint.id)
    if geneva is not None:
        _geneva(w, geneva)
        return
    cam = w.mechanism.joints.of(Cam)[joint.id]
    if isinstance(cam, LawCam):
        _law(w, cam)
    elif isinstance(cam, ProfileCam):
        _profile(w, cam)


def _law(w: RowWriter, cam: LawCam) -> None:
    links = (cam.cam, cam.follower, cam.carrier)
    base, turned = w.along(cam.carrier), w.along(cam.cam)
    if cam.moves.hinge is not None:
        row = Curve.of(TurnByLaw(cam.follow), w.along(cam.follower), base, turned, base)
        w.add(cam.id, "angle by the cam's law", links, 1.0, row)
        return
    along, way, _ = w.line(cam.joint)
    follow = replace(cam.follow, shift=cam.follow.shift + w.mechanism.joints.of(Guide)[cam.joint].start)
    w.add(cam.id, "travel by the cam's law", links, w.size, Curve.of(ByLaw(follow), along, way, turned, base))


def _profile(w: RowWriter, cam: ProfileCam) -> None:
    links, axis = (cam.cam, cam.follower), w.along(cam.cam)
    way = w.point(cam.follower, cam.touch) - w.point(cam.cam, cam.centre)
    if cam.normal is None:
        w.add(cam.id, "roller on the profile", links, w.size, Curve.of(OnProfile(cam.met), way, axis))
        return
    # The face lies along -i times its normal, a quarter of a turn behind it.
    face = w.along(cam.follower, -1j * cam.normal)
    row = Curve.of(FaceOnProfile(Follow(cam.met, phase=0.5 * math.pi)), face, way, axis)
    w.add(cam.id, "face on the profile", links, w.size, row)


def _geneva(w: RowWriter, geneva: Geneva) -> None:
    links = (geneva.crank, geneva.wheel, geneva.carrier)
    crank, base = (w.mechanism.links[link].direction for link in (geneva.crank, geneva.carrier))
    start = cmath.phase(crank / base) + geneva.phase
    turned = w.turns({geneva.crank: 1.0, geneva.carrier: -1.0})
    wheel = w.turns({geneva.wheel: 1.0, geneva.carrier: -1.0})
    relation = Stepped(Follow(geneva.law, shift=-float(geneva.law(start)), phase=start))
    w.add(geneva.id, "angle by the crank's", links, 1.0, Curve.of(relation, (turned, wheel)))


def _angle(w: RowWriter, drive: Drive) -> None:
    first, second = drive.links
    w.orient(drive.id, (first, second), 1 + 0j, drive.id)


def _slide(w: RowWriter, drive: Drive) -> None:
    assert drive.joint is not None
    along, way, links = w.line(drive.joint)
    row = Row.dot(along, way).plus(-w.mechanism.joints.of(Guide)[drive.joint].start)
    w.driven(drive, "travel", links, w.size, row, "value")


def _distance(w: RowWriter, drive: Drive) -> None:
    assert drive.ends is not None
    (E, first), (F, second) = (w.end(*end) for end in drive.ends)
    w.driven(drive, "distance", (first, second), w.size**2, Row.half_square(F - E), "half square")


#: Who writes the rows of a joint or driver of a kind.
JOINTS: Mapping[str, Callable[[RowWriter, Joint], None]] = {
    "R": _revolute, "P": _prismatic, "S": _slot, "G": _mesh, "K": _mesh, "C": _cam,
}  # fmt: skip
DRIVERS: Mapping[str, Callable[[RowWriter, Drive], None]] = {"angle": _angle, "slide": _slide, "distance": _distance}
