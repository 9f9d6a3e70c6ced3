"""The motion: what every kinematic method returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.errors import PoseError
from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.kinematics.cam_motion import CamMotion
from structkin.kinematics.classify import PoseClass, classify
from structkin.kinematics.coefficients import Coefficients
from structkin.kinematics.engine import Lanes
from structkin.kinematics.geneva_motion import GenevaMotion
from structkin.kinematics.jerk import Jerk, third_rates
from structkin.kinematics.motion.angles import continuous, since, wound, wrapped
from structkin.kinematics.motion.moving_frames import MovingFrames, cross
from structkin.kinematics.motion.outcomes import failures, runs
from structkin.kinematics.motion.residual import residual
from structkin.kinematics.motion.turning import Turning, turnings
from structkin.kinematics.motion.velocity_coefficients import VelocityCoefficients
from structkin.kinematics.plan import Plan
from structkin.kinematics.profile_motion import ProfileMotion
from structkin.kinematics.status import Status
from structkin.model.arguments import index as whole_index
from structkin.model.mechanism import Mechanism
from structkin.model.units import Units
from structkin.structure import KinematicStructure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from structkin.coordinates.solve import Statistics
    from structkin.dynamics import Kinetostatics, UserLoad
    from structkin.kinematics.limits.passages import Passage

Floats = NDArray[np.float64]

#: A way between samples leads to them where directions agree to this angle [rad].
SAME = 1e-6


@dataclass(frozen=True)
class Motion:
    """Position, velocity and acceleration of every point and link at n samples, in SI and radians.

    `t` (n,) holds the times [s], NaN where the drivers were given as values; `drivers[id]` (3, n) value, rate and
    second rate of each driver. `thirds[id]` (n,) holds the third rates of drivers that were given as values; those of
    the others follow from their laws. Numbers are NaN where a sample has no pose, and rates also where the pose is
    singular or the drivers' rates are unknown.
    """

    mechanism: Mechanism
    plan: Plan
    t: Floats
    drivers: Mapping[str, Floats]
    lanes: Lanes
    thirds: Mapping[str, Floats] = field(default_factory=dict)
    #: How a global method went (`structkin.coordinates`); None after a topological one.
    statistics: Statistics | None = None
    #: Turns of links since the sketch (n,) [rad] that were counted along the steps of a simulation.
    counted: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.t)

    def __repr__(self) -> str:
        """Return title, samples and how many are ok."""
        return f"<Motion of {self.mechanism.title or 'a mechanism'!r}: {self.ok.sum()} of {len(self)} samples ok>"

    @property
    def structure(self) -> KinematicStructure:
        """The kinematic structure that was solved."""
        return self.plan.structure

    # --- points -------------------------------------------------------------------------------------------

    def position(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the path (n, 2) [m] of a named point, or of a place `x + yj` [m] in a link's own frame.

        Raises `InputError` where there is no such point or link.
        """
        return self._frames.value(self._frames.place(point, link), 0)

    def velocity(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the velocity (n, 2) [m/s] of a point, as in `position`."""
        return self._frames.value(self._frames.place(point, link), 1)

    def acceleration(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the acceleration (n, 2) [m/s^2] of a point, as in `position`."""
        return self._frames.value(self._frames.place(point, link), 2)

    def jerk(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the jerk (n, 2) [m/s^3] of a point, as in `position`: the third derivative of its path by time.

        NaN also where a driver was given by values without third rates.
        """
        return self._jerk.of(self._frames.place(point, link)).T

    # --- links --------------------------------------------------------------------------------------------

    def angle(self, link: str) -> Floats:
        """Return the angle (n,) [rad] of a link, continuous over the motion.

        It is the direction from the link's first to its second listed point, counter-clockwise from x; the first
        sample is in (-pi, pi]. Angles that drivers and gears determine follow them exactly, and those of a simulation
        its steps, however far apart the samples lie. Other links are followed between samples that lie far apart;
        over many thousand turns the angular velocities choose the turn.
        """
        return wound(self._direction_angle(link), self.turn(link))

    def turn(self, link: str) -> Floats:
        """Return how far a link has turned since the sketch (n,) [rad], whole turns counted as in `angle`.

        Where neither drivers nor gears tell it, the first sample is within half a turn of the sketch.
        """
        if link in self.counted:
            return self.counted[link]
        self._frames.frame(link)
        how = self._turnings[link]
        if how.counted == link:
            return self._counted_turn(link)
        turn = self._frames.scalar(how.slots) + how.constant
        for driver, factor in how.drivers:
            turn = turn + factor * self.drivers[driver][0]
        return turn if how.counted is None else turn + self.turn(how.counted)

    def _counted_turn(self, link: str) -> Floats:
        """Return the turn (n,) of a link that no driver tells: along the way, where that leads to the samples."""
        angle, drawn = self._direction_angle(link), float(np.angle(self.mechanism.links[link].direction))
        if self._way is not None:
            way, kept = self._way
            turn = way.turn(link)[kept]
            if (np.abs(wrapped(drawn + turn - angle)) < SAME)[np.isfinite(angle)].all():
                return turn
        return since(drawn, continuous(angle, self.omega(link), self.t))

    def _direction_angle(self, link: str) -> Floats:
        """Return the angle (n,) of a link in (-pi, pi]."""
        u = self._frames.direction(link)
        return np.asarray(np.arctan2(u[:, 1], u[:, 0]))

    def omega(self, link: str) -> Floats:
        """Return the angular velocity (n,) [rad/s] of a link."""
        return cross(self._frames.direction(link), self._frames.direction(link, 1))

    def alpha(self, link: str) -> Floats:
        """Return the angular acceleration (n,) [rad/s^2] of a link."""
        return cross(self._frames.direction(link), self._frames.direction(link, 2))

    def angular_jerk(self, link: str) -> Floats:
        """Return the angular jerk (n,) [rad/s^3] of a link, the third derivative of its angle by time."""
        third = self._jerk.of(self._frames.frame(link).direction).T
        # With the angle's third rate j: U x (third derivative of U) = j - omega^3.
        return np.asarray(cross(self._frames.direction(link), third) + self.omega(link) ** 3)

    def travel(self, joint: str) -> Floats:
        """Return the travel (n,) [m] of a prismatic joint or slot, zero in the sketch."""
        guide = self._frames.guide(joint)
        along, way = (self._frames.value(expression) for expression in self._frames.along_and_way(guide))
        return np.asarray(np.sum(along * way, axis=1) - guide.start)

    def cam(self, joint: str) -> CamMotion | ProfileMotion:
        """Return a cam at the samples: its angle, lift, pressure angle, curvature and point of contact.

        A `CamMotion` where the cam has a law, a `ProfileMotion` where it has a profile.

        Raises `InputError` where there is no such cam.
        """
        if not isinstance(joint, str) or joint not in self.mechanism.joints.of(Cam):
            raise self._frames.unknown(joint, "a cam", self.mechanism.joints.of(Cam))
        cam = self.mechanism.joints[joint]
        if isinstance(cam, LawCam):
            return CamMotion(cam, self)
        assert isinstance(cam, ProfileCam)
        return ProfileMotion(cam, self)

    def geneva(self, joint: str) -> GenevaMotion:
        """Return a Geneva wheel at the samples: where it is engaged, and how many steps it has made.

        Raises `InputError` where there is no such wheel.
        """
        if not isinstance(joint, str) or joint not in self.mechanism.joints.of(Geneva):
            raise self._frames.unknown(joint, "a Geneva wheel", self.mechanism.joints.of(Geneva))
        return GenevaMotion(self.mechanism.joints.of(Geneva)[joint], self)

    # --- velocity coefficients ----------------------------------------------------------------------------

    def drivers_of(self, name: str) -> tuple[str, ...]:
        """Return the drivers that move a point or link, in the order of the file: K has zeros in all other columns."""
        return self._coefficients.movers(name)

    def K(self, name: str, drivers: Sequence[str] | None = None) -> Floats:
        """Return the velocity coefficients of a point (n, 2, f) or of a link's angle (n, f).

        Columns are the f drivers in the order of the file, or these `drivers`; units are those of the point or angle
        over those of the driver's coordinate. The velocity is K z' (Saura et al., eqs. 7 and 8). NaN where the pose is
        not regular. Where many drivers move a mechanism, `drivers_of` tells which of them move a point.
        """
        return self._coefficients.K(name, drivers)

    def L(self, name: str, drivers: Sequence[str] | None = None) -> Floats:
        """Return the derivatives dK/dz of a point (n, 2, f, f) or of a link's angle (n, f, f).

        The acceleration is K z'' + z'^T L z' (Saura et al., eq. 9; its eq. 15 with the sign corrected). Rows and
        columns are the drivers as in `K`.
        """
        return self._coefficients.L(name, drivers)

    def convective(self, name: str) -> Floats:
        """Return z'^T L z' of a point (n, 2) or of a link's angle (n,): the acceleration at z'' = 0, without L."""
        return self._coefficients.convective(name)

    def travel_coefficient(self, joint: str) -> Floats:
        """Return the velocity coefficients (n, f) of the travel along a prismatic joint or slot."""
        return self._coefficients.travel(joint)

    def transmission_angle(self, at: str | int) -> Floats:
        """Return the transmission angle (n,) [rad] of a dyad, best at a right angle, dead at 0 (and pi).

        The dyad is named by its inner joint, by one of its links or by the index of its group. RRR: the angle between
        its links, 0 to pi. RRP: that between the rod and the square to its guide. RPR: that between the line of the
        pins and the square to the guide. PRP and RPP: that between the guides. Raises `InputError` for other groups.
        """
        from structkin.kinematics.limits.transmission import transmission_angle

        return transmission_angle(self, at)

    def mechanical_advantage(self, output: str, driver: str | None = None) -> Floats:
        """Return force or moment at the output over that of a driver (n,), without friction: the inverse of K.

        The output is a link (its moment), a prismatic joint or slot (its force), or a point (the force along its path);
        with several drivers the others stand still. Signs are those of K; a point's is positive. Infinite in a dead
        centre of the output; NaN where the pose is not regular.
        """
        from structkin.kinematics.limits.transmission import mechanical_advantage

        return mechanical_advantage(self, output, driver)

    # --- how it went --------------------------------------------------------------------------------------

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each sample (n,), as its integer."""
        return self.lanes.status

    @property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (n,), -1 where it is ok."""
        return self.lanes.group

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which samples are ok (n,)."""
        return np.asarray(self.lanes.status == Status.OK)

    def outcomes(self) -> Iterator[tuple[slice, Status, int]]:
        """Yield runs of neighbouring samples with the same outcome: samples, status, group."""
        return runs(self.status, self.failed_group)

    @cached_property
    def report(self) -> str:
        """How many samples are ok, and for each run of others which, why and at which group.

        Where the motion leaves and enters what can be reached is told to seven digits, between the samples.
        """
        head = f"{int(self.ok.sum())} of {len(self)} samples ok"
        return head if self.ok.all() else "\n".join((head, *failures(self, self._passages)))

    @property
    def limits(self) -> tuple[Passage, ...]:
        """Where between the samples the motion meets limits, in order: place, time, drivers' values, group and why.

        Of a motion with many gaps only those of the first twenty are looked for.
        """
        return tuple(passage for run in self._passages.values() for passage in run)

    @cached_property
    def _passages(self) -> dict[int, tuple[Passage, ...]]:
        """The limits at the ends of each run of samples that are not ok, by its first sample."""
        from structkin.kinematics.limits.passages import passages

        return {part.start: found for part, found in passages(self)}

    def group_name(self, index: int) -> str:
        """Return a group in words: its number, kind and links. Raises `InputError` where there is no such group."""
        from structkin.kinematics.limits.words import group_name

        groups = self.structure.groups
        return group_name(groups[whole_index(index, len(groups), "group", self.mechanism.title)])

    def classify(self, sample: int) -> PoseClass | None:
        """Return the kind of pose at a sample: regular, dead point, change point or redundant; None without a pose.

        Raises `InputError` where there is no such sample.
        """
        return classify(self, whole_index(sample, len(self), "sample", self.mechanism.title))

    def require_ok(self) -> None:
        """Raise `PoseError` at the first sample that is not ok."""
        bad = np.flatnonzero(~self.ok)
        if len(bad):
            raise PoseError(self.report, int(bad[0]))

    def residual(self) -> Floats:
        """Return the largest gap of any joint (n,), relative to the mechanism's size.

        It is measured from the links' frames, not from the equations that were solved: coordinates of every pin from
        each of its links, each prismatic joint's distance and orientation, and how well the teeth of gears meet.
        """
        return residual(self, self._frames)

    @cached_property
    def size(self) -> float:
        """The largest extent of the sketch [m]."""
        places = np.array(list(self.mechanism.points.values()))
        return float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0

    # --- onward -------------------------------------------------------------------------------------------

    def forces(self, *, static: bool = False, loads: Sequence[UserLoad] = ()) -> Kinetostatics:
        """Return what forces the motion needs; see `structkin.dynamics.inverse.kinetostatics`."""
        from structkin.dynamics.inverse.kinetostatics import kinetostatics

        return kinetostatics(self, static=static, loads=loads)

    def to_dataframe(self) -> pd.DataFrame:
        """Return all points and links as columns, in SI (needs pandas)."""
        from structkin.show.table import to_dataframe

        return to_dataframe(self, Units())

    def plot(self, *names: str) -> Figure:
        """Return a figure of stacked motion plots of these points and links (default: all that are of interest)."""
        from structkin.show.motion_plot import plot_motion

        return plot_motion(self, *names)

    # --- read when they are first asked for ---------------------------------------------------------------

    @cached_property
    def _frames(self) -> MovingFrames:
        return MovingFrames(self.mechanism, self.plan, self.lanes)

    @cached_property
    def _way(self) -> tuple[Motion, NDArray[np.intp]] | None:
        from structkin.kinematics.motion.between import way_of

        return way_of(self)

    @cached_property
    def _turnings(self) -> Mapping[str, Turning]:
        return turnings(self.mechanism, self.plan.turns)

    @cached_property
    def _coefficients(self) -> VelocityCoefficients:
        return VelocityCoefficients(self._frames, Coefficients(self.plan, self.lanes))

    @cached_property
    def _jerk(self) -> Jerk:
        return Jerk(self.plan, self.lanes, third_rates(self.mechanism.drives, self.thirds, self.t))
