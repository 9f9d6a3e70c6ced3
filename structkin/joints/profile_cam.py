"""Cams given by their profile: a smooth curve through a table of radii or an outline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.groups.profile import ContactDistance
from structkin.joints.cam import Cam, cam_angles
from structkin.joints.pair import Poses
from structkin.joints.row_writer import RowWriter
from structkin.rows.affine import Affine, Frame
from structkin.rows.curves import Curve
from structkin.rows.periodic import TURN, Follow, Function, Piecewise
from structkin.rows.relations import FaceOnProfile, OnProfile
from structkin.types import Complexes, Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class ProfileCam(Cam):
    """A disc cam given by its profile: the radius [m] from `centre` at the polar angle u [rad] in the cam's frame."""

    function: Piecewise

    def write(self, w: RowWriter) -> None:
        """Write the follower's distance as a function of its direction, both in the cam's frame."""
        links, axis = (self.cam, self.follower), w.along(self.cam)
        arm = w.point(self.follower, self.touch) - w.point(self.cam, self.centre)
        if self.normal is None:
            w.add(
                self.id, "roller on the profile", links, w.size, Curve.of(OnProfile(self.contact_distance), arm, axis)
            )
            return
        # The face lies along -i times its normal, a quarter turn behind it.
        face = w.along(self.follower, -1j * self.normal)
        row = Curve.of(FaceOnProfile(Follow(self.contact_distance, phase=0.5 * math.pi)), face, arm, axis)
        w.add(self.id, "face on the profile", links, w.size, row)

    def gap(self, poses: Poses) -> Floats:
        """Return the distance (n,) [m] of the follower from its position on the profile."""
        arm, face = self.seen(poses)
        if face is None:
            return np.asarray(np.abs(np.abs(arm) - self.contact_distance(np.angle(arm))))
        return np.asarray(np.abs((arm * np.conj(face)).real - self.contact_distance(np.angle(face))))

    def seen(self, poses: Poses) -> tuple[Complexes, Complexes | None]:
        """Return the follower's reference point (n,), from the cam's centre, and its face normal, in the cam's axes."""
        axis = np.conj(poses.along(self.cam))
        arm = (poses.at(self.follower, self.touch) - poses.at(self.cam, self.centre)) * axis
        return arm, None if self.normal is None else poses.along(self.follower, self.normal) * axis

    def angle_between(self, frames: Mapping[str, Frame]) -> tuple[Affine, Affine]:
        """Return the directions of the cam, and from its centre to the follower's reference point, or of its normal."""
        cam, follower = frames[self.cam], frames[self.follower]
        if self.normal is not None:
            return cam.direction, follower.direction * self.normal
        return cam.direction, follower.point(self.touch) - cam.point(self.centre)

    @property
    def by_angle(self) -> tuple[Function, Floats]:
        """The follower's distance from the cam's centre, or the radius where a concave profile has no such function."""
        distance = self.contact_distance
        return distance if distance.is_single_valued else self.function, self.function.breaks

    @cached_property
    def contact_distance(self) -> ContactDistance:
        """The distance of the roller's centre, edge or face from `centre` as a function of the angle on the cam."""
        return ContactDistance(self.function, self.radius, self.normal is not None)

    def profile(self, x: Any = None) -> Floats:
        """Return the profile (n, 2) [m] in the cam's frame at polar angles x (n,); one turn in 360 steps by default."""
        u = cam_angles(x)
        z = self.centre + self.function(u) * np.exp(1j * u)
        return np.stack((z.real, z.imag), axis=1)

    def curvature_radius(self, x: Any = None) -> Floats:
        """Return the radius of curvature (n,) [m] at polar angles x (n,), positive where the profile is convex."""
        r, dr, ddr = (self.function(cam_angles(x), order) for order in range(3))
        with np.errstate(divide="ignore"):
            return np.asarray((r * r + dr * dr) ** 1.5 / (r * r + 2 * dr * dr - r * ddr))

    @property
    def base_radius(self) -> float:
        """The smallest radius of the profile [m]."""
        return float(np.min(self.function(cam_angles(None))))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the profile: where the roller cannot follow it; empty if there are none."""
        radius = self.curvature_radius(np.linspace(0.0, TURN, 3601))
        if self.contact == "roller" and ((radius < 0) & (-radius < self.radius)).any():
            return ("the profile has a concave radius smaller than the roller's: the roller touches at two points",)
        return ()
