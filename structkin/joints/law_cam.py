"""Cams given by a law, and their geometry: pitch curve, profile, pressure angle, curvature.

Everything is in SI and radians. The *cam angle* x is the argument of the law: it increases with the cam's rotation
relative to its carrier, in the direction given in the file. Plane vectors are complex numbers internally.

Sources: Norton, Design of Machinery, ch. 8; Shigley & Uicker, Theory of Machines and Mechanisms, ch. 6.

A follower has to stay clear, in all its positions, of the profile that it generates. The curvature of a profile shows
where neighbouring positions of the follower undercut it. Distant positions can do so too, for instance if the lift
carries a roller past the cam's shaft: the profile then crosses itself, or lies within the roller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from structkin.joints.cam import Cam, cam_angles
from structkin.joints.cam_laws import CamLaw
from structkin.joints.guide import Guide
from structkin.joints.pair import Poses
from structkin.joints.row_writer import RowWriter
from structkin.numerical_tolerances import ROUNDED_DATA
from structkin.rows.affine import Affine, Frame
from structkin.rows.curves import Curve
from structkin.rows.periodic import TURN, Follow, Function, Piecewise
from structkin.rows.relations import ByLaw, TurnByLaw
from structkin.types import Complexes, Floats

# --- undercutting --------------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """The deepest cut: into the profile touched at one cam angle, by the follower at another."""

    touched: int
    cutting: int
    depth: float


def roller_cut(profile: Complexes, pitch: Complexes, radius: float) -> Cut | None:
    """Return the deepest cut of a roller (radius 0: an edge) with the centres `pitch` (n,) into its profile (n,).

    A point c of the profile is cut by r - min |c - p|. Where the profile crosses itself, a small roller may cut between
    the points examined: there the depth is reported as 0.

    >>> around = np.exp(1j * np.linspace(0, 2 * np.pi, 361))
    >>> roller_cut(1.0 * around, 1.2 * around, 0.2) is None, round(roller_cut(-0.2 * around, around, 1.2).depth, 6)
    (True, 0.4)
    """
    away = np.abs(profile[:, None] - pitch[None, :])
    nearest = away.argmin(axis=1)
    depth = radius - away[np.arange(len(profile)), nearest]
    worst = int(depth.argmax())
    if depth[worst] > ROUNDED_DATA * np.abs(pitch).max():
        return Cut(worst, int(nearest[worst]), float(depth[worst]))
    crossing = _crossing(profile)
    return None if crossing is None else Cut(*crossing, 0.0)


def face_cut(profile: Complexes, normals: Complexes, support: Floats) -> Cut | None:
    """Return the deepest cut of a flat face into its profile (n,) relative to the shaft: max (c . n - H).

    `normals` (n,) point away from the cam; `support` (n,) is the distance H of the face from the shaft along them.
    """
    depth = np.nan_to_num((profile[:, None] * normals.conj()[None, :]).real - support, nan=-np.inf)
    touched, cutting = np.unravel_index(int(depth.argmax()), depth.shape)
    if depth[touched, cutting] > ROUNDED_DATA * np.abs(support).max():
        return Cut(int(touched), int(cutting), float(depth[touched, cutting]))
    return None


def _crossing(curve: Complexes) -> tuple[int, int] | None:
    """Return two sides where a closed polygon (n,), its first point repeated at the end, crosses itself."""
    start, side = curve[:-1], np.diff(curve)
    # On which side of each line the points lie; two sides cross if each separates the ends of the other.
    left = (side.conj()[:, None] * (curve[None, :] - start[:, None])).imag > 0
    parted = left[:, :-1] != left[:, 1:]
    crossed = np.triu(parted & parted.T, 2)
    crossed[0, -1] = False  # neighbours, like those next to the diagonal
    if not crossed.any():
        return None
    first, second = np.unravel_index(int(crossed.argmax()), crossed.shape)
    return int(second), int(first)


# --- the cam -------------------------------------------------------------------------------------------------------

#: Usual upper limits of the pressure angle [rad], for translating and oscillating followers.
USUAL_PRESSURE = {"translating": math.radians(30), "oscillating": math.radians(45)}


@dataclass(frozen=True, eq=False)
class Follower:
    """How a follower moves relative to the carrier: by the lift s along `direction`, or by `sense` s about `hinge`.

    Positions and directions are those at lift 0, in the carrier's frame. `place` [m] is the roller's centre, the edge,
    or a point of the face, whose unit normal `face` points away from the cam; None without a face.
    """

    place: complex
    direction: complex = 0j
    hinge: complex | None = None
    sense: int = 1
    face: complex | None = None

    @property
    def kind(self) -> str:
        """Translating or oscillating."""
        return "translating" if self.hinge is None else "oscillating"

    def turned(self, lift: Floats) -> Complexes:
        """Return the rotation (n,) of the follower at a lift, as unit complex numbers."""
        return np.asarray(np.exp(1j * (0.0 if self.hinge is None else self.sense) * lift))

    def at(self, lift: Floats) -> Complexes:
        """Return the position (n,) at a lift (n,)."""
        if self.hinge is None:
            return np.asarray(self.place + self.direction * lift)
        return np.asarray(self.hinge + (self.place - self.hinge) * self.turned(lift))

    def moves(self, place: Any) -> Any:
        """Return the derivative of points of the follower (n,) with respect to the lift."""
        return self.direction if self.hinge is None else 1j * self.sense * (place - self.hinge)

    def path(self, s: tuple[Floats, ...]) -> tuple[Any, Any, Any]:
        """Return the position and its first and second derivative, from those of the lift."""
        if self.hinge is None:
            return self.at(s[0]), self.direction * s[1], self.direction * s[2]
        turn, arm = 1j * self.sense, self.at(s[0]) - self.hinge
        return self.hinge + arm, turn * s[1] * arm, (turn * s[2] - s[1] ** 2) * arm


@dataclass(frozen=True, eq=False, kw_only=True)
class LawCam(Cam):
    """A disc cam that moves its follower by a law.

    `joint` joins the follower to the `carrier`: a prismatic joint whose travel, or a pin whose angle, is `follow` of
    the cam's angle relative to the carrier. The cam angle is x = sense * angle + phase. `centre` is the cam's shaft in
    the cam's frame, `pivot` in the carrier's.
    """

    carrier: str
    joint: str
    law: CamLaw
    moves: Follower
    sense: int
    phase: float
    pivot: complex
    follow: Follow

    def write(self, w: RowWriter) -> None:
        """Write the follower's travel or angle as a function of the cam's angle relative to the carrier."""
        links = (self.cam, self.follower, self.carrier)
        base, turned = w.along(self.carrier), w.along(self.cam)
        if self.moves.hinge is not None:
            row = Curve.of(TurnByLaw(self.follow), w.along(self.follower), base, turned, base)
            w.add(self.id, "angle by the cam's law", links, 1.0, row)
            return
        along, vector, _ = w.line(self.joint)
        follow = replace(self.follow, shift=self.follow.shift + w.mechanism.joints.of(Guide)[self.joint].start)
        w.add(self.id, "travel by the cam's law", links, w.size, Curve.of(ByLaw(follow), along, vector, turned, base))

    def gap(self, poses: Poses) -> Floats:
        """Return the distance (n,) [m] of the follower from the pitch curve, or of its face from the profile."""
        x = self.sense * np.angle(poses.along(self.cam) / poses.along(self.carrier)) + self.phase
        touch = poses.at(self.follower, self.touch)
        if self.normal is None:
            return np.abs(touch - poses.at(self.cam, self._pitch(x)[0]))
        away = np.conj(poses.along(self.follower, self.normal))
        return np.abs(((touch - poses.at(self.cam, self._profile(x))) * away).real)

    def angle_between(self, frames: Mapping[str, Frame]) -> tuple[Affine, Affine]:
        """Return the directions of the carrier and the cam."""
        return frames[self.carrier].direction, frames[self.cam].direction

    @property
    def by_angle(self) -> tuple[Function, Floats]:
        """The follower's travel or angle."""
        return self.follow, self.sense * (self.law.function.breaks - self.phase)

    @property
    def base_radius(self) -> float:
        """Radius of the base circle [m]: of the profile at lift 0."""
        vector = self.moves.place - self.pivot
        if self.moves.face is not None:
            return float((vector / self.moves.face).real)
        return abs(vector) - self.radius

    @property
    def offset(self) -> float:
        """Offset of a translating follower's line to the left of the cam's shaft [m]; 0 if it oscillates."""
        if self.moves.hinge is not None:
            return 0.0
        return float(((self.moves.place - self.pivot) / self.moves.direction).imag)

    @property
    def strikes(self) -> bool:
        """Whether the speed of the follower jumps somewhere, as at the ends of uniform motion."""
        return isinstance(self.follow.function, Piecewise) and self.follow.function.has_corners

    def lift(self, x: Any, order: int = 0) -> Floats:
        """Return the lift (n,) [m or rad] at cam angles x (n,), or its derivative of this order with respect to x."""
        return np.asarray(self.law(np.asarray(x, dtype=float), order))

    def pitch_curve(self, x: Any = None) -> Floats:
        """Return the path (n, 2) [m] of the roller's centre or edge in the cam's frame; the profile for a flat face.

        `x` (n,) are cam angles [rad]; one turn in 360 steps by default.
        """
        return _pairs(self._pitch(cam_angles(x))[0])

    def profile(self, x: Any = None) -> Floats:
        """Return the profile points (n, 2) [m] in the cam's frame that touch the follower at cam angles x (n,)."""
        return _pairs(self._profile(cam_angles(x)))

    def normal_at(self, x: Any = None) -> Floats:
        """Return the unit normal (n, 2) of the contact, away from the cam, in the cam's frame at cam angles x (n,)."""
        angles = cam_angles(x)
        if self.moves.face is None:
            return _pairs(self._outward(self._pitch(angles)[1]))
        return _pairs(self._face_normal(angles))

    def pressure_angle(self, x: Any = None) -> Floats:
        """Return the angle (n,) [rad] from the follower's motion to the normal of the contact, positive to the left.

        For a translating follower with offset e and distance y of its roller from the shaft along the stroke,
        tan = (s' - e) / y up to the sign (Norton, eq. 8.31d).
        """
        angles = cam_angles(x)
        s = self._derivatives(angles)
        _, dp, _ = self._pitch(angles)
        turned = self._turn(angles)
        if self.moves.face is None:
            place, normal = self.moves.at(s[0]), self._outward(dp) * turned
        else:
            place, normal = self._profile_place(angles) * turned + self.pivot, self.moves.face * self.moves.turned(s[0])
        return np.asarray(np.angle(normal * np.conj(self.moves.moves(place))))

    def pitch_radius(self, x: Any = None) -> Floats:
        """Return the radius of curvature (n,) [m] of the pitch curve, positive where it is convex."""
        if self.moves.face is not None:
            return self.curvature_radius(x)
        _, dp, ddp = self._pitch(cam_angles(x))
        with np.errstate(divide="ignore"):
            return np.asarray(-self.sense * np.abs(dp) ** 3 / (np.conj(dp) * ddp).imag)

    def curvature_radius(self, x: Any = None) -> Floats:
        """Return the radius of curvature (n,) [m] of the profile, positive where it is convex.

        For a roller it is that of the pitch curve minus the roller's radius, for a translating flat face it is
        r_b + s + s'' (Norton, eq. 8.35b).
        """
        if self.moves.face is None:
            return self.pitch_radius(x) - self.radius
        support, first, second, rate, change = self._support(cam_angles(x))
        # H as a function of the normal's angle psi: d/dpsi = (1 / rate) d/dx.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(support + (second - first * change / rate) / rate**2)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the cam: jumps of its law, undercutting, large pressure angles; empty if there are none."""
        x = np.union1d(np.linspace(0.0, TURN, 3601), self.law.ends)
        remarks = list(self.law.remarks)
        cure = "enlarge the base circle" + (" or use a smaller roller" if self.radius else "")
        if undercut := self._undercut(x):
            remarks.append(f"the profile is undercut {undercut}: it cannot produce this motion; {cure}")
        near = self._clearance(x)
        if near.min() <= 0:
            what, at = "face" if self.moves.face is not None else "roller", math.degrees(x[near.argmin()])
            remarks.append(f"the {what} runs over the cam's shaft at {at:.4g} deg; enlarge the base circle")
        pressure = np.abs(self.pressure_angle(x))
        usual, peak = USUAL_PRESSURE[self.moves.kind], int(np.nanargmax(pressure))
        if pressure[peak] > usual and self.moves.face is None:
            found, at = math.degrees(pressure[peak]), math.degrees(x[peak])
            remarks.append(
                f"the pressure angle reaches {found:.3g} deg at {at:.4g} deg; "
                f"the usual limit is {math.degrees(usual):.0f} deg"
            )
        return tuple(remarks)

    def _undercut(self, x: Floats) -> str:
        """Return in words where the follower undercuts the profile at cam angles x (n,); empty if nowhere."""
        radius, pitch = self.curvature_radius(x), self.pitch_radius(x)
        bad = radius <= 0 if self.moves.face is not None else (pitch > 0) & (radius <= 0)
        if bad.any():
            return f"around {math.degrees(x[np.where(bad, radius, np.inf).argmin()]):.4g} deg"
        x = np.union1d(x[::5], self.law.ends)
        profile = self._profile(x)
        if self.moves.face is None:
            cut = roller_cut(profile - self.centre, self._pitch(x)[0] - self.centre, self.radius)
        else:
            cut = face_cut(profile - self.centre, self._face_normal(x), self._support(x)[0])
        if cut is None:
            return ""
        touched, cutting = (f"{math.degrees(x[k]):.4g} deg" for k in (cut.touched, cut.cutting))
        deep = f", {cut.depth:.3g} m deep" if cut.depth else ""
        return f"at {touched}, by the follower at {cutting}{deep}"

    def _clearance(self, x: Floats) -> Floats:
        """Return the clearance (n,) [m] of the follower from the cam's shaft, negative beyond it; 1 for an edge."""
        if self.moves.face is not None:
            return self._support(x)[0]
        return np.abs(self._pitch(x)[0] - self.centre) - self.radius if self.radius else np.ones_like(x)

    # --- internals ----------------------------------------------------------------------------------------

    def _derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        return self.lift(x), self.lift(x, 1), self.lift(x, 2)

    def _turn(self, x: Floats) -> Complexes:
        """Return the direction (n,) of the cam in the carrier's frame."""
        return np.asarray(np.exp(1j * self.sense * (x - self.phase)))

    def _pitch(self, x: Floats) -> tuple[Complexes, Complexes, Complexes]:
        """Return the pitch curve (n,) in the cam's frame with two derivatives with respect to the cam angle."""
        if self.moves.face is not None:
            place = self._profile(x)
            return place, np.full_like(place, np.nan), np.full_like(place, np.nan)
        back, turn = np.conj(self._turn(x)), -1j * self.sense
        q, dq, ddq = self.moves.path(self._derivatives(x))
        q = q - self.pivot
        return self.centre + q * back, (dq + turn * q) * back, (ddq + 2 * turn * dq - q) * back

    def _outward(self, dp: Complexes) -> Complexes:
        """Return the unit normal (n,) of the pitch curve that points away from the cam."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1j * self.sense * dp * (1 / np.abs(dp)))

    def _profile(self, x: Floats) -> Complexes:
        if self.moves.face is not None:
            return self.centre + self._profile_place(x)
        p, dp, _ = self._pitch(x)
        return p - self.radius * self._outward(dp)

    def _profile_place(self, x: Floats) -> Complexes:
        """Return the contact point of a flat face relative to the shaft, in the cam's axes: H n + dH/dpsi i n."""
        assert self.moves.face is not None
        support, first, _, rate, _ = self._support(x)
        normal = self._face_normal(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(normal * (support + 1j * first / rate))

    def _face_normal(self, x: Floats) -> Complexes:
        """Return the unit normal (n,) of a flat face, away from the cam, in the cam's axes."""
        assert self.moves.face is not None
        return np.asarray(self.moves.face * self.moves.turned(self.lift(x)) * np.conj(self._turn(x)))

    def _support(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return the face's distance H from the shaft, its two derivatives in x, and psi' and psi'' of the normal."""
        assert self.moves.face is not None
        s = self._derivatives(x)
        q, dq, ddq = self.moves.path(s)
        q = q - self.pivot
        turn = self.moves.sense if self.moves.hinge is not None else 0
        back = np.conj(self.moves.face * self.moves.turned(s[0]))
        dback, ddback = -1j * turn * s[1] * back, (-1j * turn * s[2] - (turn * s[1]) ** 2) * back
        support = (q * back).real, (dq * back + q * dback).real, (ddq * back + 2 * dq * dback + q * ddback).real
        return *support, turn * s[1] - self.sense, turn * s[2]


def _pairs(z: Complexes) -> Floats:
    return np.stack((z.real, z.imag), axis=1)
