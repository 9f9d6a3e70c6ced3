"""The motion: what every kinematic method returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.joints.poses import Poses
from structkin.joints.sliding import Sliding
from structkin.model.arguments import index as whole_index
from structkin.model.frozen import freeze
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.closure import poses_of
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes
from structkin.solve.fast_turns import is_slow
from structkin.solve.jerk import Jerk, third_rates
from structkin.solve.motion.angles import wound, wrapped
from structkin.solve.motion.followed import SAME, Counted, Followed, follow, seen, turns_along
from structkin.solve.motion.moving_frames import MovingFrames, PartKind, cross
from structkin.solve.motion.turning import Turning, turnings
from structkin.solve.motion.velocity_coefficients import VelocityCoefficients
from structkin.solve.schedule import Schedule
from structkin.solve.special_geometry import compile_plan
from structkin.solve.strokes import Stroke, mark_beyond, strokes_of
from structkin.structure import KinematicStructure

Floats = NDArray[np.float64]

#: Samples are far apart if continuation takes more steps than this between two of them.
FAR = 4


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
    #: Statistics of a global method (`structkin.global_methods.Statistics`); None after a topological one.
    statistics: Any = None
    #: Turns of links since the sketch (n,) [rad] that were counted along the steps of a simulation.
    counted: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make all arrays read-only."""
        freeze(self)
        freeze(self.lanes)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.t)

    def __repr__(self) -> str:
        """Return title, samples and how many are ok."""
        return f"<Motion of {self.mechanism.title or 'a mechanism'!r}: {self.ok.sum()} of {len(self)} samples ok>"

    @property
    def structure(self) -> KinematicStructure:
        """The kinematic structure by which the motion was solved."""
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

        It is the direction from the link's first to its second listed point, counter-clockwise from x; the first sample
        is in (-pi, pi]. Angles that drivers and gears determine follow them exactly, and those of a simulation follow
        its steps. Other links are followed from the sketch, however far apart the samples are and however fast a link
        turns; a motion that repeats is followed once. Behind a gap to which no motion leads, the shorter rotation
        across it is taken. NaN where the motion is too long to follow, or does not lead to the pose.
        """
        return wound(self._direction_angle(link), self.turn(link))

    def turn(self, link: str) -> Floats:
        """Return how far a link has turned since the sketch (n,) [rad], whole turns counted as in `angle`.

        Where neither drivers nor gears determine it, the first sample is within half a turn of the sketch. NaN as in
        `angle`.
        """
        if link in self.counted:
            return self.counted[link]
        self._frames.frame(link)
        how = self._turnings[link]
        if how.counted == link:
            return self._turn_of(("link", link), float(np.angle(self.mechanism.links[link].direction)))
        turn = self._frames.scalar(how.slots) + how.constant
        for driver, factor in how.drivers:
            turn = turn + factor * self.drivers[driver][0]
        return turn if how.counted is None else turn + self.turn(how.counted)

    def _turn_of(self, what: Counted, drawn: float) -> Floats:
        """Return the turn (n,) of a link or in a circular slot, which has the angle `drawn` in the sketch.

        It is counted along the samples, or along a path to them; NaN where it is unknown.
        """
        angle = self._frames.angle(*seen(what, self._frames))
        if self.counted or self._is_slow:
            return turns_along(angle, drawn, [z[0] for z in self.drivers.values()])[0]
        if self._followed is None:
            return np.full(len(self), np.nan)
        turn = self._followed.turn(what, drawn)
        return np.where(np.abs(wrapped(drawn + turn - angle)) < SAME, turn, np.nan)

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
        """Return the travel (n,) of a prismatic joint or slot, zero in the sketch.

        It is a length [m]; in a circular slot the angle [rad] about its centre, continuous as in `angle`.
        """
        sliding = self._frames.sliding(joint)
        along, vector = (self._frames.value(expression) for expression in self._frames.direction_and_vector(sliding))
        travel = np.asarray(sliding.travel_at(np.sum(along * vector, axis=1), cross(along, vector)))
        return travel if sliding.measure == "length" else wound(travel, self._turn_of(("slot", joint), 0.0))

    # --- velocity coefficients ----------------------------------------------------------------------------

    def drivers_of(self, name: str, kind: PartKind | None = None) -> tuple[str, ...]:
        """Return the drivers that move a point or link, in the order of the file: K has zeros in all other columns.

        `kind` is that of `K`.
        """
        return self._coefficients.movers(name, kind)

    def K(
        self,
        name: str | complex,
        drivers: Sequence[str] | None = None,
        link: str | None = None,
        kind: PartKind | None = None,
    ) -> Floats:
        """Return the velocity coefficients of a point (n, 2, f) or of a link's angle (n, f).

        Where a point and a link have the same name, `kind` is "point" or "link". With a `link`, the point is one of
        that link: a name, or a place `x + yj` [m] in its frame, as in `position`.
        Columns are the f drivers in the order of the file, or these `drivers`; units are those of the point or angle
        over those of the driver's coordinate. The velocity is K z' (Saura et al., eqs. 7 and 8). NaN where the pose is
        not regular. Where many drivers move a mechanism, `drivers_of` lists those that move a point.
        """
        return self._coefficients.K(name, drivers, link, kind)

    def L(
        self,
        name: str | complex,
        drivers: Sequence[str] | None = None,
        link: str | None = None,
        kind: PartKind | None = None,
    ) -> Floats:
        """Return the derivatives dK/dz of a point (n, 2, f, f) or of a link's angle (n, f, f).

        The acceleration is K z'' + z'^T L z' (Saura et al., eq. 9; its eq. 15 with the sign corrected). Rows and
        columns are the drivers, and points are given, as in `K`.
        """
        return self._coefficients.L(name, drivers, link, kind)

    def convective(self, name: str, kind: PartKind | None = None) -> Floats:
        """Return z'^T L z' of a point (n, 2) or of a link's angle (n,): the acceleration at z'' = 0, without L.

        `kind` is that of `K`.
        """
        return self._coefficients.convective(name, kind)

    def travel_coefficient(self, joint: str) -> Floats:
        """Return the velocity coefficients (n, f) of the travel along a prismatic joint or slot."""
        return self._coefficients.travel(joint)

    # --- the outcome --------------------------------------------------------------------------------------

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each sample (n,), as its integer."""
        return self._outcome[0]

    @property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (n,), -1 where it is ok."""
        return self._outcome[1]

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which samples are ok (n,)."""
        return np.asarray(self.status == Status.OK)

    @property
    def regular(self) -> NDArray[np.bool_]:
        """Which samples have a regular pose (n,), with all rates: those that are ok, and those beyond a stroke."""
        return np.asarray(self.lanes.status == Status.OK)

    def beyond(self, name: str) -> NDArray[np.int8]:
        """Return where a joint or driver with a stroke is beyond it (n,): 1 past its upper end, -1 past its lower end.

        Raises `InputError` where there is no such stroke.
        """
        if name not in self._sides:
            raise self._frames.unknown(name, "a joint or driver with a stroke", self._sides)
        return self._sides[name]

    def outcomes(self) -> Iterator[tuple[slice, Status, int]]:
        """Yield runs of neighbouring samples with the same outcome: samples, status, group."""
        return runs(self.status, self.failed_group)

    def group_name(self, index: int) -> str:
        """Return a group in words: its number, kind and links. Raises `InputError` where there is no such group."""
        groups = self.structure.groups
        return groups[whole_index(index, len(groups), "group", self.mechanism.title)].label

    @cached_property
    def size(self) -> float:
        """The largest extent of the sketch [m]."""
        return self.mechanism.size

    # --- computed on first use ---------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> MovingFrames:
        return MovingFrames(self.mechanism, self.plan, self.lanes)

    @cached_property
    def poses(self) -> Poses:
        """Where the links are at the n samples, as complex numbers [m]: what symbols and gaps are measured from."""
        return poses_of(self.mechanism, self.plan, self.lanes.x[0])

    @cached_property
    def _schedule(self) -> Schedule:
        return Schedule(self.mechanism, self.t, self.drivers, frozenset(self.thirds))

    @cached_property
    def _counted_angles(self) -> Mapping[Counted, Floats]:
        """The angles (n,) of links that neither drivers nor gears determine, and of pins in circular slots."""
        arcs = [id for id, joint in self.mechanism.joints.of(Sliding).items() if joint.measure == "angle"]
        links = [link for link, how in self._turnings.items() if how.counted == link]
        counted = [*(("link", link) for link in links), *(("slot", id) for id in arcs)]
        return {what: self._frames.angle(*seen(what, self._frames)) for what in counted}

    @cached_property
    def _is_slow(self) -> bool:
        """Whether the samples follow each other without a gap, so closely that they show how links turn."""
        if np.max(self._schedule.parts, initial=0) > FAR:
            return False
        known = all(np.isfinite(angle).all() for angle in self._counted_angles.values())
        vectors = [vector for what in self._counted_angles for vector in seen(what, self._frames)]
        return known and (len(self) < 2 or is_slow(self.plan, self.lanes, vectors))

    @cached_property
    def _followed(self) -> Followed | None:
        """The path to the samples in small steps from the sketch; None if it is too long."""
        plan = self.plan if self.statistics is None else compile_plan(self.mechanism)
        return follow(self.mechanism, plan, self._schedule, self._counted_angles)

    @cached_property
    def strokes(self) -> tuple[Stroke, ...]:
        """The strokes of joints and drivers."""
        m = self.mechanism
        return strokes_of(m.joints, m.drivers, self.plan, m.units)

    @cached_property
    def _sides(self) -> Mapping[str, NDArray[np.int8]]:
        drivers = {id: z[0] for id, z in self.drivers.items()}
        return {stroke.id: stroke.side(lambda e: self._frames.value(e).T, drivers) for stroke in self.strokes}

    @cached_property
    def _outcome(self) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Status and group of each sample, with strokes checked."""
        return mark_beyond(self.lanes.status, self.lanes.group, self.strokes, self._sides)

    @cached_property
    def _turnings(self) -> Mapping[str, Turning]:
        return turnings(self.mechanism, self.plan.turns)

    @cached_property
    def _coefficients(self) -> VelocityCoefficients:
        return VelocityCoefficients(self._frames, Coefficients(self.plan, self.lanes))

    @cached_property
    def _jerk(self) -> Jerk:
        return Jerk(self.plan, self.lanes, third_rates(self.mechanism.drivers, self.thirds, self.t))


# --- the samples of a motion in runs of one outcome ---------------------------------------------------------


def runs(status: NDArray[np.int8], group: NDArray[np.int32]) -> Iterator[tuple[slice, Status, int]]:
    """Yield runs of neighbouring samples with the same outcome: samples, status, group.

    >>> list(runs(np.array([0, 0, 1], np.int8), np.array([-1, -1, 2], np.int32)))
    [(slice(0, 2, None), <Status.OK: 0>, -1), (slice(2, 3, None), <Status.OUT_OF_REACH: 1>, 2)]
    """
    code = status.astype(np.int64) * (1 << 32) + group
    edges = np.concatenate(([0], np.flatnonzero(np.diff(code)) + 1, [len(status)]))
    for start, stop in pairwise(edges.tolist()):
        if stop > start:
            yield slice(start, stop), Status(int(status[start])), int(group[start])
