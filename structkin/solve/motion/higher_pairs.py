"""Cams and Geneva wheels along a motion.

Of a cam: its angle, its follower's lift, and their contact at every sample. Of a Geneva wheel: when it is engaged, and
how many steps it has completed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from structkin.joints.cam import Cam
from structkin.joints.cam_keys import mountings
from structkin.joints.entry import AnyJoint
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.numerical_tolerances import WHOLE
from structkin.plan.higher_pairs import crank_driver
from structkin.solve.motion import Motion
from structkin.types import Complexes, Flags, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


# --- Geneva wheels -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GenevaMotion:
    """A Geneva wheel at the n samples of a motion; see `Motion.geneva`."""

    geneva: Geneva
    motion: Motion

    def __repr__(self) -> str:
        """Return joint and samples."""
        return f"<GenevaMotion of {self.geneva.id!r}: {len(self.motion)} samples>"

    @property
    def angle(self) -> Floats:
        """The crank's angle (n,) [rad] from the line of centres, by its driver: it counts the turns."""
        id, sense, phase = crank_driver(self.motion.mechanism, self.geneva)
        return np.asarray(sense * self.motion.drivers[id][0] + phase)

    @property
    def engaged(self) -> Flags:
        """Where the pin is in a slot (n,); elsewhere the wheel is locked and dwells."""
        return np.asarray(self.geneva.law.engaged(self.angle))

    @property
    def steps(self) -> Floats:
        """The number (n,) of the step: it grows by one for each turn of the crank, at the middle of a dwell.

        NaN where the crank's driver has no value.
        """
        return np.asarray(np.floor(self.angle / (2 * np.pi) + 0.5))

    @property
    def gap(self) -> Floats:
        """How far the pin is from the middle line of its slot (n,) [m] while engaged, by the frames; 0 while locked."""
        return self.geneva.gap(self.motion.poses)


# --- cams ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CamMotion:
    """A cam at the n samples of a motion; see `Motion.cam`. Lengths in m, angles in rad, NaN without a pose."""

    cam: LawCam
    motion: Motion

    def __repr__(self) -> str:
        """Return joint and samples."""
        return f"<CamMotion of {self.cam.id!r}: {len(self.motion)} samples>"

    @property
    def angle(self) -> Floats:
        """The cam angle (n,), the argument of its law, continuous; the first is within one turn from 0."""
        turned = self.motion.angle(self.cam.cam) - self.motion.angle(self.cam.carrier)
        x = self.cam.sense * turned + self.cam.phase
        good = x[np.isfinite(x)]
        return np.asarray(x - 2 * np.pi * np.floor(good[0] / (2 * np.pi) + WHOLE)) if len(good) else x

    @property
    def lift(self) -> Floats:
        """The lift (n,) of the follower [m or rad]."""
        return self.cam.lift(self.angle)

    @property
    def pressure_angle(self) -> Floats:
        """The pressure angle (n,); see `LawCam.pressure_angle`."""
        return self.cam.pressure_angle(self.angle)

    @property
    def curvature_radius(self) -> Floats:
        """The radius of curvature (n,) of the profile where it touches, positive where it is convex."""
        return self.cam.curvature_radius(self.angle)

    @property
    def contact(self) -> Floats:
        """The path (n, 2) of the point of contact."""
        return self._on(self.cam.cam, self.cam.profile(self.angle))

    @property
    def normal(self) -> Floats:
        """The unit normal (n, 2) of the contact, away from the cam: the direction of the force on the follower."""
        return np.asarray(
            self._on(self.cam.cam, self.cam.normal_at(self.angle)) - self._on(self.cam.cam, np.zeros((1, 2)))
        )

    @property
    def gap(self) -> Floats:
        """How far follower and cam are apart (n,) or overlap, by the frames of their links: zero to rounding."""
        return self.cam.gap(self.motion.poses)

    def plot(self) -> Figure:
        """Return a figure of the lift, its first three derivatives and the pressure angle over the cam angle."""
        from structkin import show

        return show.plot_cam(self.cam, self.motion.mechanism.units)

    def _on(self, link: str, places: Floats) -> Floats:
        """Return the global positions of places (n, 2) in a link's frame, one per sample."""
        origin = self.motion.position(0j, link)
        unit = self.motion.position(1 + 0j, link) - origin
        across = np.stack((-unit[:, 1], unit[:, 0]), axis=1)
        return np.asarray(origin + places[:, :1] * unit + places[:, 1:] * across)


def cam_motion(motion: Motion, joint: str) -> CamMotion | ProfileMotion:
    """Return a cam at the samples; see `Motion.cam`."""
    cams = motion.mechanism.joints.of(Cam)
    if joint not in cams:
        raise motion._frames.unknown(joint, "a cam", cams)
    cam = cams[joint]
    if isinstance(cam, LawCam):
        return CamMotion(cam, motion)
    assert isinstance(cam, ProfileCam)
    return ProfileMotion(cam, motion)


def geneva_motion(motion: Motion, joint: str) -> GenevaMotion:
    """Return a Geneva wheel at the samples; see `Motion.geneva`."""
    wheels = motion.mechanism.joints.of(Geneva)
    if joint not in wheels:
        raise motion._frames.unknown(joint, "a Geneva wheel", wheels)
    return GenevaMotion(wheels[joint], motion)
