"""The motion: what every kinematic method returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, PoseError, Problem
from structkin.kinematics.affine import Affine, Frame
from structkin.kinematics.cam_motion import CamMotion
from structkin.kinematics.classify import PoseClass, classify
from structkin.kinematics.coefficients import Coefficients
from structkin.kinematics.engine import Lanes
from structkin.kinematics.geneva_motion import GenevaMotion
from structkin.kinematics.jerk import Jerk
from structkin.kinematics.plan import Plan
from structkin.kinematics.profile_motion import ProfileMotion
from structkin.kinematics.status import Status
from structkin.model.cams import Cam
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Mesh
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.structure import KinematicStructure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from structkin.coordinates.solve import Statistics
    from structkin.dynamics import Kinetostatics, UserLoad
    from structkin.kinematics.limits.passages import Passage

Floats = NDArray[np.float64]


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
        return self._evaluate(self._place(point, link), 0)

    def velocity(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the velocity (n, 2) [m/s] of a point, as in `position`."""
        return self._evaluate(self._place(point, link), 1)

    def acceleration(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the acceleration (n, 2) [m/s^2] of a point, as in `position`."""
        return self._evaluate(self._place(point, link), 2)

    def jerk(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the jerk (n, 2) [m/s^3] of a point, as in `position`: the third derivative of its path by time.

        NaN also where a driver was given by values without third rates.
        """
        return self._jerk.of(self._place(point, link)).T

    # --- links --------------------------------------------------------------------------------------------

    def angle(self, link: str) -> Floats:
        """Return the angle (n,) [rad] of a link, continuous over the motion.

        It is the direction from the link's first to its second listed point, counter-clockwise from x; the first
        sample is in (-pi, pi]. Between samples further apart than half a turn the angular velocities choose the turn;
        where there are gears, whole turns are counted.
        """
        u = self._direction(link, 0)
        angle = np.arctan2(u[:, 1], u[:, 0])
        if link in self.plan.turns:
            return wound(angle, self._scalar(self.plan.turns[link]))
        return continuous(angle, self.omega(link), self.t)

    def omega(self, link: str) -> Floats:
        """Return the angular velocity (n,) [rad/s] of a link."""
        return _cross(self._direction(link, 0), self._direction(link, 1))

    def alpha(self, link: str) -> Floats:
        """Return the angular acceleration (n,) [rad/s^2] of a link."""
        return _cross(self._direction(link, 0), self._direction(link, 2))

    def angular_jerk(self, link: str) -> Floats:
        """Return the angular jerk (n,) [rad/s^3] of a link, the third derivative of its angle by time."""
        third = self._jerk.of(self._frame(link).direction).T
        # With the angle's third rate j: U x (third derivative of U) = j - omega^3.
        return np.asarray(_cross(self._direction(link, 0), third) + self.omega(link) ** 3)

    def travel(self, joint: str) -> Floats:
        """Return the travel (n,) [m] of a prismatic joint or slot, zero in the sketch."""
        guide = self.mechanism.guides.get(joint)
        if guide is None:
            raise self._unknown(joint, "a prismatic joint or slot", self.mechanism.guides)
        along = self._evaluate(self._frame(guide.carrier).direction * guide.direction, 0)
        way = self._evaluate(
            self._frame(guide.slider).point(guide.point) - self._frame(guide.carrier).point(guide.origin), 0
        )
        return np.asarray(np.sum(along * way, axis=1) - guide.start)

    def cam(self, joint: str) -> CamMotion | ProfileMotion:
        """Return a cam at the samples: its angle, lift, pressure angle, curvature and point of contact.

        A `CamMotion` where the cam has a law, a `ProfileMotion` where it has a profile.

        Raises `InputError` where there is no such cam.
        """
        if joint not in self.mechanism.cams:
            raise self._unknown(joint, "a cam", self.mechanism.cams)
        cam = self.mechanism.cams[joint]
        return CamMotion(cam, self) if isinstance(cam, Cam) else ProfileMotion(cam, self)

    def geneva(self, joint: str) -> GenevaMotion:
        """Return a Geneva wheel at the samples: where it is engaged, and how many steps it has made.

        Raises `InputError` where there is no such wheel.
        """
        if joint not in self.mechanism.genevas:
            raise self._unknown(joint, "a Geneva wheel", self.mechanism.genevas)
        return GenevaMotion(self.mechanism.genevas[joint], self)

    # --- velocity coefficients ----------------------------------------------------------------------------

    def drivers_of(self, name: str) -> tuple[str, ...]:
        """Return the drivers that move a point or link, in the order of the file: K has zeros in all other columns."""
        movers = self._coefficients.movers(self._point_or_link(name)[1])
        return tuple(id for id in self.mechanism.drives if id in movers)

    def K(self, name: str, drivers: Sequence[str] | None = None) -> Floats:
        """Return the velocity coefficients of a point (n, 2, f) or of a link's angle (n, f).

        Columns are the f drivers in the order of the file, or these `drivers`; units are those of the point or angle
        over those of the driver's coordinate. The velocity is K z' (Saura et al., eqs. 7 and 8). NaN where the pose is
        not regular. Where many drivers move a mechanism, `drivers_of` tells which of them move a point.
        """
        link, place = self._point_or_link(name)
        columns = self._columns(drivers)
        rates = np.empty((len(self), 2, len(columns)))
        for i, driver in enumerate(columns):
            rates[..., i] = self._coefficients.along(place, driver).T
        return rates if link is None else _cross(self._direction(link, 0)[..., None], rates)

    def L(self, name: str, drivers: Sequence[str] | None = None) -> Floats:
        """Return the derivatives dK/dz of a point (n, 2, f, f) or of a link's angle (n, f, f).

        The acceleration is K z'' + z'^T L z' (Saura et al., eq. 9; its eq. 15 with the sign corrected). Rows and
        columns are the drivers as in `K`.
        """
        link, place = self._point_or_link(name)
        columns = self._columns(drivers)
        both = np.empty((len(self), 2, len(columns), len(columns)))
        for i, first in enumerate(columns):
            for j, second in enumerate(columns[: i + 1]):
                both[..., i, j] = both[..., j, i] = self._coefficients.along(place, first, second).T
        return both if link is None else _cross(self._direction(link, 0)[..., None, None], both)

    def convective(self, name: str) -> Floats:
        """Return z'^T L z' of a point (n, 2) or of a link's angle (n,): the acceleration at z'' = 0, without L."""
        link, place = self._point_or_link(name)
        second = self._coefficients.convective(place).T
        return second if link is None else _cross(self._direction(link, 0), second)

    def travel_coefficient(self, joint: str) -> Floats:
        """Return the velocity coefficients (n, f) of the travel along a prismatic joint or slot."""
        guide = self.mechanism.guides.get(joint)
        if guide is None:
            raise self._unknown(joint, "a prismatic joint or slot", self.mechanism.guides)
        carrier, slider = self._frame(guide.carrier), self._frame(guide.slider)
        along, way = carrier.direction * guide.direction, slider.point(guide.point) - carrier.point(guide.origin)
        D, W = self._evaluate(along, 0), self._evaluate(way, 0)
        by = self._coefficients.along
        columns = [np.sum(by(along, driver).T * W + D * by(way, driver).T, axis=1) for driver in self.mechanism.drives]
        return np.stack(columns, axis=-1)

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

    @cached_property
    def _coefficients(self) -> Coefficients:
        return Coefficients(self.plan, self.lanes)

    @cached_property
    def _jerk(self) -> Jerk:
        thirds = {}
        for id, drive in self.mechanism.drives.items():
            if id in self.thirds or drive.law is None:
                thirds[id] = self.thirds.get(id, np.full(len(self), np.nan))
            else:
                with np.errstate(all="ignore"):
                    thirds[id] = drive.law.third(self.t)
        return Jerk(self.plan, self.lanes, thirds)

    def _columns(self, drivers: Sequence[str] | None) -> tuple[str, ...]:
        known = self.mechanism.drives
        if drivers is None:
            return tuple(known)
        wrong = [id for id in drivers if id not in known]
        if wrong or isinstance(drivers, str):
            problems = [Problem(str(id), "is not a driver", suggest(str(id), known)) for id in wrong]
            raise InputError(
                problems or [Problem("drivers", "expected a list of drivers", f'write ["{drivers}"]')],
                self.mechanism.title,
            )
        return tuple(drivers)

    def _point_or_link(self, name: str) -> tuple[str | None, Affine]:
        """Return (None, its place) of a point, or (the link, its direction)."""
        m = self.mechanism
        if name in m.points and name in m.links:
            raise InputError([Problem(name, "is both a point and a link", "rename one of them")], m.title)
        if name in m.links:
            return name, self._frame(name).direction
        if name not in m.points:
            raise self._unknown(name, "a point or link", (*m.points, *m.links))
        return None, self._place(name, None)

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
        code = self.lanes.status.astype(np.int64) * (1 << 32) + self.lanes.group
        edges = np.concatenate(([0], np.flatnonzero(np.diff(code)) + 1, [len(self)]))
        for start, stop in pairwise(edges.tolist()):
            if stop > start:
                yield slice(start, stop), Status(int(self.status[start])), int(self.failed_group[start])

    @cached_property
    def report(self) -> str:
        """How many samples are ok, and for each run of others which, why and at which group.

        Where the motion leaves and enters what can be reached is told to seven digits, between the samples.
        """
        lines = [f"{int(self.ok.sum())} of {len(self)} samples ok"]
        if self.ok.all():
            return lines[0]
        from structkin.kinematics.limits.passages import passage_words

        for part, status, group in self.outcomes():
            if status != Status.OK:
                lines.append(f"{self._when(part)}: {status.words} at {self.group_name(group)}")
                lines += [passage_words(self, passage) for passage in self._passages.get(part.start, ())]
        return "\n".join(lines)

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

    def _when(self, part: slice) -> str:
        first, last = part.start, part.stop - 1
        timed = np.isfinite(self.t[first])
        if first == last:
            return f"sample {first}" + (f" (t = {self.t[first]:.6g} s)" if timed else "")
        return f"samples {first} to {last}" + (f" (t = {self.t[first]:.6g} to {self.t[last]:.6g} s)" if timed else "")

    def group_name(self, index: int) -> str:
        """Return a group in words: its number, kind and links."""
        from structkin.kinematics.limits.words import group_name

        return group_name(self.structure.groups[index])

    def classify(self, sample: int) -> PoseClass | None:
        """Return the kind of pose at a sample: regular, dead point, change point or redundant; None without a pose.

        Raises `InputError` where there is no such sample.
        """
        if not -len(self) <= sample < len(self):
            raise InputError([Problem("sample", f"there is no sample {sample} of {len(self)}")], self.mechanism.title)
        return classify(self, sample % len(self))

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
        m, gaps = self.mechanism, [np.zeros(len(self))]
        for joint in m.topology.joints:
            if joint.kind == "R":
                places = [
                    self._evaluate(self._frame(link).point(m.links[link].local[joint.id]), 0) for link in joint.links
                ]
                gaps += [np.hypot(*(place - places[0]).T) / self.size for place in places[1:]]
        for guide in m.guides.values():
            carrier, slider = self._frame(guide.carrier), self._frame(guide.slider)
            along = self._evaluate(carrier.direction * guide.direction, 0)
            way = self._evaluate(slider.point(guide.point) - carrier.point(guide.origin), 0)
            gaps.append(np.abs(_cross(along, way) - guide.offset) / self.size)
            if guide.turn is not None:
                gaps.append(
                    np.abs(
                        _cross(self._evaluate(carrier.direction * guide.turn, 0), self._evaluate(slider.direction, 0))
                    )
                )
        gaps += [self._mesh_gap(mesh) for mesh in m.meshes.values()]
        for arc in m.arcs.values():
            pin, center = self._frame(arc.slider).point(arc.point), self._frame(arc.carrier).point(arc.center)
            gaps.append(np.abs(np.hypot(*self._evaluate(pin - center, 0).T) - arc.radius) / self.size)
        gaps += [self.cam(joint).gap / self.size for joint in m.cams]
        gaps += [self.geneva(joint).gap / self.size for joint in m.genevas]
        for name in m.links:
            u = self._direction(name, 0)
            gaps.append(np.abs(np.hypot(u[:, 0], u[:, 1]) - 1))
        return np.asarray(np.max(gaps, axis=0))

    def _mesh_gap(self, mesh: Mesh) -> Floats:
        """Return how far teeth are from meeting (n,), as a turn of the first link [rad]: whichever teeth they are."""
        first, second = (self._turned(link) for link in mesh.links)
        if mesh.guide is not None:
            return np.abs(_wrapped(first - second - (self.travel(mesh.guide) - mesh.shift) / mesh.lever))
        assert mesh.ratio is not None
        if mesh.carrier is not None:
            carrier, apart = self._turned(mesh.carrier), np.zeros(len(self))
        else:
            ends = [(link, center) for link, center in zip(mesh.links, mesh.centers, strict=True) if center is not None]
            a, b = (self._evaluate(self._frame(link).point(center), 0) for link, center in ends)
            bodies = [(self.mechanism.links[link], center) for link, center in ends]
            a0, b0 = (body.origin + body.direction * center for body, center in bodies)
            carrier = np.arctan2(*(b - a).T[::-1]) - np.angle(b0 - a0)
            apart = np.abs(np.hypot(*(b - a).T) - mesh.reach) / self.size
        teeth = Fraction(mesh.ratio).limit_denominator(10_000)
        if abs(float(teeth) - mesh.ratio) > 1e-15 * abs(mesh.ratio):
            return apart  # without a common number of teeth any turn could be a whole number of them
        p, q = teeth.numerator, teeth.denominator
        return np.maximum(apart, np.abs(_wrapped(q * (first - carrier) - p * (second - carrier))) / q)

    def _turned(self, link: str) -> Floats:
        """Return the turn of a link since the sketch (n,), but for whole turns."""
        x, y = self._direction(link, 0).T
        return np.asarray(np.arctan2(y, x) - np.angle(self.mechanism.links[link].direction))

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

    # --- inside -------------------------------------------------------------------------------------------

    def _frame(self, link: str) -> Frame:
        if link not in self.plan.frames:
            raise self._unknown(link, "a link", self.plan.frames)
        return self.plan.frames[link]

    def _unknown(self, name: Any, what: str, known: Iterable[str]) -> InputError:
        hint = suggest(str(name), known)
        return InputError([Problem(str(name), f"is not {what}", hint)], self.mechanism.title or "mechanism")

    def _direction(self, link: str, order: int) -> Floats:
        return self._evaluate(self._frame(link).direction, order)

    def _place(self, point: str | complex, link: str | None) -> Affine:
        m = self.mechanism
        if isinstance(point, Number):
            if link is None:
                raise InputError([Problem("link", "a place in a link's frame needs its link", "pass link=")], m.title)
            return self._frame(link).point(complex(point))
        if not isinstance(point, str):
            raise self._unknown(point, "a point: pass a name, or a place x + yj with link=", m.points)
        if link is None:
            if point in self.plan.pins:
                return self.plan.pins[point]
            if point not in m.points:
                raise self._unknown(point, "a point", m.points)
            link = m.link_of(point)
        frame = self._frame(link)
        if point not in m.links[link].local:
            raise self._unknown(point, f"a point of {link}", m.links[link].local)
        return frame.point(m.links[link].local[point])

    def _evaluate(self, expression: Affine, order: int) -> Floats:
        values = self._derivative(expression, self.lanes.x[order])
        return values + np.array((expression.const.real, expression.const.imag)) if order == 0 else values

    def _scalar(self, expression: Affine) -> Floats:
        """Return a sum of scalar slots (n,)."""
        values = np.full(len(self), expression.const.real)
        for slot, factor in expression.terms:
            values += factor.real * self.lanes.x[0, self.plan.rows(slot).start]
        return values

    def _derivative(self, expression: Affine, slots: Floats) -> Floats:
        """Return the linear part of an expression (n, 2) for slots or derivatives of slots (rows, n)."""
        x, y = np.zeros(len(self)), np.zeros(len(self))
        for slot, factor in expression.terms:
            a, b = slots[self.plan.rows(slot)]
            x += factor.real * a - factor.imag * b
            y += factor.imag * a + factor.real * b
        return np.stack((x, y), axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    """Return the vector product of vectors along the second axis."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _wrapped(angle: Floats) -> Floats:
    return np.asarray(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))


def wound(angle: Floats, turn: Floats) -> Floats:
    """Return angles (n,) with the whole turns that are counted in `turn`, from the first finite sample on.

    >>> wound(np.array([0.0, -3.0]), np.array([5.0, 5.0 + 3 * np.pi + 0.1])).round(3).tolist()
    [0.0, 9.566]
    """
    good = np.flatnonzero(np.isfinite(angle + turn))
    if not len(good):
        return np.array(angle)
    way = (turn - turn[good[0]]) - (angle - angle[good[0]])
    return np.asarray(angle + 2 * np.pi * np.round(way / (2 * np.pi)))


def continuous(angle: Floats, omega: Floats, t: Floats) -> Floats:
    """Return angles (n,) without jumps of a turn; NaN samples are bridged.

    Where rates and times are known, each step's turns are those nearest to the trapezoidal rule.

    >>> continuous(np.array([3.0, -3.0]), np.full(2, np.nan), np.arange(2.0)).round(3).tolist()
    [3.0, 3.283]
    """
    good = np.flatnonzero(np.isfinite(angle))
    result = np.array(angle)
    if len(good) < 2:
        return result
    step = np.diff(angle[good])
    expected = 0.5 * (omega[good][1:] + omega[good][:-1]) * np.diff(t[good])
    # A gap in the samples says nothing about what was turned in it.
    expected = np.where(np.isfinite(expected) & (np.diff(good) == 1), expected, 0.0)
    step = step - 2 * np.pi * np.round((step - expected) / (2 * np.pi))
    result[good[1:]] = angle[good[0]] + np.cumsum(step)
    return result
