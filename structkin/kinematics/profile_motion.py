"""A cam given by its profile along a motion: where and how it touches at every sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.model.profile_cams import ProfileCam

if TYPE_CHECKING:
    from structkin.kinematics.motion import Motion

Floats = NDArray[np.float64]
Places = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class ProfileMotion:
    """A cam with a profile at the n samples of a motion; see `Motion.cam`. In m and rad, NaN where there is no pose."""

    cam: ProfileCam
    motion: Motion

    @property
    def parameter(self) -> Floats:
        """The polar angle (n,) of the point of contact on the profile, in the cam's frame."""
        way, face = self._seen
        return np.asarray(self.cam.met.parameter(np.angle(way if face is None else face)))

    @property
    def curvature_radius(self) -> Floats:
        """The radius of curvature (n,) of the profile where it touches, positive where it is convex."""
        return self.cam.curvature_radius(self.parameter)

    @property
    def contact(self) -> Floats:
        """The path (n, 2) of the point of contact."""
        u = self.parameter
        z = self._centre + self.cam.function(u) * np.exp(1j * u) * self._axis
        return np.stack((z.real, z.imag), axis=1)

    @property
    def pressure_angle(self) -> Floats:
        """The angle (n,) from the motion of the follower, away from the cam, to the normal of the contact.

        The follower moves along its prismatic joint, or about its first pin.
        """
        normal = self._outward
        motion = self._stroke
        angle = np.angle(normal * np.conj(motion))
        return np.asarray(angle - np.pi * np.round(angle / np.pi))

    @property
    def gap(self) -> Floats:
        """How far follower and cam are apart (n,) or overlap, by the frames of their links: zero but for rounding."""
        way, face = self._seen
        if face is None:
            return np.asarray(np.abs(np.abs(way) - self.cam.met(np.angle(way))))
        return np.asarray(np.abs((way * np.conj(face)).real - self.cam.met(np.angle(face))))

    @property
    def normal(self) -> Floats:
        """The unit normal (n, 2) of the contact, away from the cam: the direction of the force on the follower."""
        return np.stack((self._outward.real, self._outward.imag), axis=1)

    @property
    def _outward(self) -> Places:
        """Return the unit normal (n,) of the contact, away from the cam."""
        u = self.parameter
        normal = (self.cam.function(u) - 1j * self.cam.function(u, 1)) * np.exp(1j * u) * self._axis
        return np.asarray(normal * (1 / np.abs(normal)))

    @property
    def _stroke(self) -> Places:
        """Return the direction (n,) in which the follower can move at the contact, up to its sense."""
        m, link = self.motion.mechanism, self.cam.follower
        joints = [j for j in m.topology.joints if j.kind in "RP" and link in j.links and self.cam.cam not in j.links]
        slide = next((m.guides[j.id] for j in joints if j.kind == "P" and j.id in m.guides), None)
        if slide is not None:
            return self._place(slide.direction + 0j, slide.carrier) - self._place(0j, slide.carrier)
        pin = next(j.id for j in joints if j.kind == "R" and len(set(j.links) - {link}) > 0)
        return np.asarray(1j * (self.contact @ np.array([1, 1j]) - self._place(m.links[link].local[pin], link)))

    @cached_property
    def _centre(self) -> Places:
        return self._place(self.cam.centre, self.cam.cam)

    @cached_property
    def _axis(self) -> Places:
        return self._place(self.cam.centre + 1, self.cam.cam) - self._centre

    @property
    def _seen(self) -> tuple[Places, Places | None]:
        """Return where the follower touches, and the normal of its face, from the cam's centre in the cam's axes."""
        touch = self._place(self.cam.touch, self.cam.follower)
        way = (touch - self._centre) * np.conj(self._axis)
        if self.cam.normal is None:
            return way, None
        return way, (self._place(self.cam.touch + self.cam.normal, self.cam.follower) - touch) * np.conj(self._axis)

    def _place(self, local: complex, link: str) -> Places:
        return np.asarray(self.motion.position(local, link) @ np.array([1, 1j]))
