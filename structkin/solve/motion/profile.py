"""A cam given by its profile along a motion: its contact at every sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from structkin.joints.cam_keys import mountings
from structkin.joints.entry import AnyJoint
from structkin.joints.guide import Guide
from structkin.joints.profile_cam import ProfileCam
from structkin.solve.motion import Motion
from structkin.types import Complexes, Floats


@dataclass(frozen=True, eq=False)
class ProfileMotion:
    """A cam with a profile at the n samples of a motion; see `Motion.cam`. In m and rad, NaN where there is no pose."""

    cam: ProfileCam
    motion: Motion

    def __repr__(self) -> str:
        """Return joint and samples."""
        return f"<ProfileMotion of {self.cam.id!r}: {len(self.motion)} samples>"

    @property
    def parameter(self) -> Floats:
        """The polar angle (n,) of the point of contact on the profile, in the cam's frame."""
        vector, face = self.cam.seen(self.motion.poses)
        return np.asarray(self.cam.contact_distance.parameter(np.angle(vector if face is None else face)))

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

        The follower moves along, or about, its joint with the link that carries the cam by a pin; its motion is taken
        at the roller's centre, the edge, or the contact point of the face.
        """
        angle = np.angle(self._outward * np.conj(self._stroke))
        return np.asarray(angle - np.pi * np.round(angle / np.pi))

    @property
    def gap(self) -> Floats:
        """How far follower and cam are apart (n,) or overlap, by the frames of their links: zero to rounding."""
        return self.cam.gap(self.motion.poses)

    @property
    def normal(self) -> Floats:
        """The unit normal (n, 2) of the contact, away from the cam: the direction of the force on the follower."""
        return np.stack((self._outward.real, self._outward.imag), axis=1)

    @property
    def _outward(self) -> Complexes:
        """Return the unit normal (n,) of the contact, away from the cam."""
        u = self.parameter
        normal = (self.cam.function(u) - 1j * self.cam.function(u, 1)) * np.exp(1j * u) * self._axis
        return np.asarray(normal * (1 / np.abs(normal)))

    @property
    def _stroke(self) -> Complexes:
        """Return the direction (n,) in which the follower can move at the contact, up to its sense."""
        m, link = self.motion.mechanism, self.cam.follower
        guide = self._guide
        if guide.kind == "P":
            line = m.joints.of(Guide)[guide.id]
            return self._place(line.direction + 0j, line.carrier) - self._place(0j, line.carrier)
        # A roller moves with its centre, wherever on its rim the contact is.
        place = self._place(self.cam.touch, link) if self.cam.normal is None else self.contact @ np.array([1, 1j])
        return np.asarray(1j * (place - self._place(m.links[link].local[guide.id], link)))

    @property
    def _guide(self) -> AnyJoint:
        """The joint of the follower with the link that carries the cam; if there is none, its first other joint."""
        topology = self.motion.mechanism.topology
        links = (topology.ground, *topology.moving_links)
        for _, _, guide in mountings(topology.joints, links, self.cam.cam, self.cam.follower):
            return guide
        own = (joint for joint in topology.joints if joint.kind in "RP" and self.cam.follower in joint.links)
        return next(joint for joint in own if self.cam.cam not in joint.links)

    @cached_property
    def _centre(self) -> Complexes:
        return self._place(self.cam.centre, self.cam.cam)

    @cached_property
    def _axis(self) -> Complexes:
        return self._place(self.cam.centre + 1, self.cam.cam) - self._centre

    def _place(self, local: complex, link: str) -> Complexes:
        return np.asarray(self.motion.position(local, link) @ np.array([1, 1j]))
