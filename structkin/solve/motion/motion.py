"""The motion: what every kinematic method returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.checked import checked
from structkin.errors import InputError, PoseError, Problem
from structkin.joints.pair import Poses
from structkin.joints.sliding import Sliding
from structkin.model.arguments import index as whole_index
from structkin.model.frozen import freeze
from structkin.model.mechanism import Mechanism
from structkin.model.units import Units
from structkin.numerical_tolerances import SAME_POSE
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.closure import closing_error, poses_of
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes
from structkin.solve.fast_turns import is_slow
from structkin.solve.motion.followed import Counted, Followed, follow, seen, turns_along
from structkin.solve.motion.moving_frames import MovingFrames, PartKind, cross
from structkin.solve.motion.turning import Turning, laps, turnings, wound, wrapped
from structkin.solve.motion.velocity_coefficients import Jerk, VelocityCoefficients, third_rates
from structkin.solve.schedule import Schedule
from structkin.solve.special_geometry import compile_plan
from structkin.solve.strokes import Stroke, mark_beyond, strokes_of
from structkin.structure import KinematicStructure
from structkin.types import Flags, Floats

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from anywidget import AnyWidget
    from matplotlib.figure import Figure

    from structkin.branches.classify import PoseClass
    from structkin.branches.limits.passages import Passage
    from structkin.dynamics import Kinetostatics
    from structkin.global_methods.solve import Statistics
    from structkin.show.animation import Animation
    from structkin.solve.motion.higher_pairs import CamMotion, GenevaMotion, ProfileMotion
    from structkin.solve.motion.swing import Swing


#: Samples are far apart if continuation takes more steps than this between two of them.
FAR = 4


@checked
@dataclass(frozen=True)
class Motion:
    """Position, velocity and acceleration of every point and link at n samples, in SI and radians.

    `t` (n,) holds the times [s], NaN where the drivers were given as values; `drivers[id]` (3, n) value, rate and
    second rate of each driver. `thirds[id]` (n,) holds the third rates of drivers that were given as values; those of
    the others follow from their laws. Values are NaN where a sample has no pose; rates are also NaN where the pose is
    singular or the drivers' rates are unknown. Names that are not in the mechanism raise `InputError`.

    >>> import structkin as sk
    >>> crank = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (2, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...     drivers={"motor": {"joint": "A", "law": "t**2"}})
    >>> motion = crank.solve(t=[0, 1])
    >>> [motion.position("B").shape, motion.omega("crank").tolist(), motion.alpha("crank").tolist()]
    [(2, 2), [0.0, 2.0], [2.0, 2.0]]
    >>> motion.K("B")[0, :, 0].round(9).tolist(), motion.L("B")[0, :, 0, 0].round(9).tolist()
    ([0.0, 2.0], [-2.0, 0.0])
    """

    mechanism: Mechanism
    plan: Plan
    t: Floats
    drivers: Mapping[str, Floats]
    lanes: Lanes
    thirds: Mapping[str, Floats] = field(default_factory=dict)
    #: Statistics of a global method; None after a topological one.
    statistics: Statistics | None = None
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
        turn = self.turn(link)
        counted = self._turnings[link].counted == link and link not in self.counted
        return wound(self._counted_angles["link", link] if counted else self._direction_angle(link), turn)

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
        angle = self._counted_angles[what]
        if self.counted or self._is_slow:
            return turns_along(angle, drawn, [z[0] for z in self.drivers.values()])[0]
        if self._followed is None:
            return np.full(len(self), np.nan)
        turn = self._followed.turn(what, drawn)
        return np.where(np.abs(wrapped(drawn + turn - angle)) < SAME_POSE, turn, np.nan)

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

        It is a length [m]; in a circular slot the angle [rad] about its centre. In closed slots it goes on from lap to
        lap, continuous as `angle` is; the first sample is within half a lap of the sketch.
        """
        sliding = self._frames.sliding(joint)
        along, vector = (self._frames.value(expression) for expression in self._frames.direction_and_vector(sliding))
        x, y = np.sum(along * vector, axis=1), cross(along, vector)
        travel = np.asarray(sliding.travel_at(x, y))
        if sliding.around is None:
            return travel
        return travel + sliding.lap * laps(sliding.winding_at(x, y), self._turn_of(("slot", joint), 0.0))

    # --- velocity coefficients ----------------------------------------------------------------------------

    def drivers_of(
        self, name: str | complex, link: str | None = None, kind: PartKind | None = None
    ) -> tuple[str, ...]:  # fmt: skip
        """Return the drivers that move a point or link, in the order of the file: K has zeros in all other columns.

        The arguments are those of `K`.
        """
        return self._coefficients.movers(self._frames.point_or_link(name, link, kind))

    def K(
        self,
        name: str | complex,
        link: str | None = None,
        drivers: Sequence[str] | None = None,
        kind: PartKind | None = None,
    ) -> Floats:
        """Return the velocity coefficients of a point (n, 2, f) or of a link's angle (n, f).

        Where a point and a link have the same name, `kind` is "point" or "link". With a `link`, the point is one of
        that link: a name, or a place `x + yj` [m] in its frame, as in `position`.
        Columns are the f drivers in the order of the file, or these `drivers` (one name or several); units are those of
        the point or angle over those of the driver's coordinate. The velocity is K z' (Saura et al., eqs. 7 and 8). NaN
        where the pose is not regular. Where many drivers move a mechanism, `drivers_of` lists those that move a point.
        """
        return self._coefficients.K(self._frames.point_or_link(name, link, kind), drivers)

    def L(
        self,
        name: str | complex,
        link: str | None = None,
        drivers: Sequence[str] | None = None,
        kind: PartKind | None = None,
    ) -> Floats:
        """Return the derivatives dK/dz of a point (n, 2, f, f) or of a link's angle (n, f, f).

        The acceleration is K z'' + z'^T L z' (Saura et al., eq. 9; its eq. 15 with the sign corrected). Rows and
        columns are the drivers, and points are given, as in `K`.
        """
        return self._coefficients.L(self._frames.point_or_link(name, link, kind), drivers)

    def convective(self, name: str | complex, link: str | None = None, kind: PartKind | None = None) -> Floats:
        """Return z'^T L z' of a point (n, 2) or of a link's angle (n,): the acceleration at z'' = 0, without L.

        The arguments are those of `K`.
        """
        return self._coefficients.convective(self._frames.point_or_link(name, link, kind))

    def travel_coefficient(self, joint: str) -> Floats:
        """Return the velocity coefficients (n, f) of the travel along a prismatic joint or slot."""
        return self._coefficients.travel(joint)

    # --- sensitivities ------------------------------------------------------------------------------------

    def sensitivity(
        self, name: str | complex, link: str | None = None, *, to: Sequence[str],
        kind: PartKind | None = None, order: int = 0,
    ) -> Floats:  # fmt: skip
        """Return the derivatives of a point (n, 2, p) or of a link's angle (n, p) by p numbers of the mechanism file.

        `to` names them by their keys: "lengths.A-B" [m] as in `Mechanism.solve_many`, "points.P.x" [m] of the sketch,
        "joints.J.axis", the angle [rad] of the axis of a guide, other numbers of joints such as "joints.J.radius",
        "joints.J.ratio", "joints.J.radii.0" or "joints.J.law.1.to", and "drivers.D.speed" or "drivers.D.table.2.1";
        by masses and loads, such as "links.L.mass" and "forces.F.stiffness", they are zero.
        Values are in SI and radians, items of lists are counted from zero. With `order=1` the derivatives are those of
        the velocity or the angular velocity.

        All lengths that are named, the other numbers of the file, the times and the drivers' values are held; a driver
        with a speed starts at its value in the sketch, which may move with a point. The cost hardly depends on p.
        Points are given as in `K`. NaN where the pose is not regular, and next to a change point, where a link's length
        decides which way the motion goes. Derivatives by constants of the plan are exact to rounding, those of the
        constants by the numbers of the file to some 1e-13 (`structkin.solve.sensitivity`).

        Raises `InputError` that lists all names that are unknown, given twice, or of numbers that cannot vary alone,
        and for motions that were not solved by groups.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (2, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> m.solve(t=[0.0]).sensitivity("B", to=["lengths.A-B", "points.A.y"])[0].round(9).tolist()
        [[1.0, 0.0], [0.0, 0.0]]
        """
        from structkin.solve.sensitivity.sensitivity import point_or_link

        return point_or_link(self, name, link, kind, to, order)

    def second_sensitivity(
        self, name: str | complex, link: str | None = None, *, to: Sequence[str], kind: PartKind | None = None
    ) -> Floats:
        """Return the second derivatives of a point (n, 2, p, p) or a link's angle (n, p, p) by p numbers of the file.

        They are differences of the first derivatives of variants, six for each number, of order six: good to some
        1e-10 of their size where the motion is far from its limits. What is named, held and refused is as in
        `sensitivity`; `InputError` too where a variant next to the mechanism cannot be built.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (2, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> m.solve(t=[0.0]).second_sensitivity("B", to=["lengths.A-B", "points.A.x"]).shape
        (1, 2, 2, 2)
        """
        from structkin.solve.sensitivity.by_variants import second_sensitivity

        return second_sensitivity(self, name, link, kind, to)

    def travel_sensitivity(self, joint: str, *, to: Sequence[str], order: int = 0) -> Floats:
        """Return the derivatives (n, p) of the travel along a prismatic joint or slot, as in `sensitivity`.

        With `order=1` those of its rate. Raises `InputError` as `sensitivity` does, and for slots along other curves
        than a line or a circle.
        """
        from structkin.solve.sensitivity.sensitivity import Sensitivity

        return Sensitivity.of(self, to).travel(joint, order)

    def gradient(self, weights: Mapping[str, ArrayLike], *, to: Sequence[str]) -> Floats:
        """Return the derivative (p,) of one number of the motion by p numbers of the mechanism file.

        `weights` are the derivatives of the number by the path of a point (n, 2), or by the angle of a link (n,): those
        of the squared distance from a path `wanted` (n, 2) are `{"P": 2 * (motion.position("P") - wanted)}`. All
        parameters together cost one sweep back through the groups, whatever their number. Samples without weight do
        not count; where one with a weight has no regular pose, the result is NaN. `to` and errors are as in
        `sensitivity`; shapes that do not fit raise `InputError`, too.
        """
        from structkin.solve.sensitivity.sensitivity import Sensitivity

        return Sensitivity.of(self, to).gradient(weights)

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
    def ok(self) -> Flags:
        """Which samples are ok (n,)."""
        return np.asarray(self.status == Status.OK)

    @property
    def regular(self) -> Flags:
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
        code = self.status.astype(np.int64) * (1 << 32) + self.failed_group
        edges = np.flatnonzero(np.diff(code, prepend=-2))  # the code of no outcome
        for start, stop in pairwise([*edges.tolist(), len(self)]):
            yield slice(start, stop), Status(int(self.status[start])), int(self.failed_group[start])

    def group_name(self, index: int) -> str:
        """Return a group in words: its number, kind and links. Raises `InputError` where there is no such group."""
        groups = self.structure.groups
        return groups[whole_index(index, len(groups), "group", self.mechanism.title)].label

    @cached_property
    def report(self) -> str:
        """How many samples are ok; for each run of the others: which samples, why, and at which group.

        Where the motion leaves or enters the reachable range is located between the samples, to seven digits.
        """
        from structkin.branches.limits.passages import report

        return report(self, self._passages)

    @property
    def limits(self) -> tuple[Passage, ...]:
        """Where the motion meets limits between the samples, in order: place, time, drivers' values, group and reason.

        If the motion has many gaps, only those of the first twenty are located.
        """
        return tuple(passage for run in self._passages.values() for passage in run)

    def require_ok(self) -> None:
        """Raise `PoseError` at the first sample that is not ok."""
        if not self.ok.all():
            raise PoseError(self.report, int(np.argmin(self.ok)))

    def residual(self) -> Floats:
        """Return the largest closure error (n,) of a joint or driver: lengths relative to the size, angles in rad.

        It is measured from the links' frames, not from the solved equations, as defined in each joint's `gaps`:
        coordinates of every pin from each of its links, each prismatic joint's distance and orientation, place and
        angle of fastened links, the mesh of gear teeth. A driver's error is how far its coordinate is from its value.
        """
        return closing_error(self.poses, self.mechanism.drivers, {id: z[0] for id, z in self.drivers.items()})

    def classify(self, sample: int) -> PoseClass | None:
        """Return the kind of pose at a sample: regular, dead point, change point or redundant; None without a pose.

        Raises `InputError` where there is no such sample, and for Geneva wheels: no equation of a pose says whether the
        pin is in a slot.
        """
        from structkin.branches.classify import classify

        return classify(self, sample)

    # --- what follows from the motion ---------------------------------------------------------------------

    def forces(self, *, static: bool = False, loads: Sequence[Callable[..., Any]] = ()) -> Kinetostatics:
        """Return the forces that a motion needs: Newton and Euler's equations, solved by groups in reverse order.

        `loads` are user functions that return forces in addition to those of the mechanism. With `static` the same
        poses are taken at rest: only gravity, springs and applied forces count. A torque that the file gives to a free
        coordinate is not applied: the result is the whole torque that the motion needs.

        Gears, belts, racks, rolling contacts, cams and Geneva wheels transmit forces as ideal pairs without
        losses; see `structkin.dynamics.inverse.pair_forces`. Raises `InputError` where a mass has no centre, where the
        rates of drivers are not known, or where one of `loads` raises or returns something else than loads.

        >>> import structkin as sk
        >>> arm = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (2, 0)}, forces={"gravity": (0, -10)},
        ...     links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 3}},
        ...     drivers={"motor": {"joint": "A", "speed": 0}})
        >>> held = arm.solve(t=[0.0]).forces(static=True)
        >>> held.driver("motor").tolist(), held.reaction("A", "arm").tolist()
        ([30.0], [[0.0, 30.0]])
        """
        from structkin.dynamics.inverse.kinetostatics import kinetostatics

        return kinetostatics(self, static=static, loads=loads)

    def cam(self, joint: str) -> CamMotion | ProfileMotion:
        """Return the state of a cam at the samples: angle, lift, pressure angle, curvature and point of contact.

        A `CamMotion` where the cam has a law, a `ProfileMotion` where it has a profile.

        Raises `InputError` if there is no such cam.
        """
        from structkin.solve.motion.higher_pairs import cam_motion

        return cam_motion(self, joint)

    def geneva(self, joint: str) -> GenevaMotion:
        """Return a Geneva wheel at the samples: where it is engaged, and how many steps it has completed.

        Raises `InputError` where there is no such wheel.
        """
        from structkin.solve.motion.higher_pairs import geneva_motion

        return geneva_motion(self, joint)

    def mechanical_advantage(
        self, output: str, driver: str | None = None, kind: Literal["point", "link", "joint"] | None = None
    ) -> Floats:
        """Return force or moment at the output over that of a driver (n,), without friction: the inverse of K.

        The output is a link (its moment), a prismatic joint or slot (its force), or a point (the force along its path);
        with several drivers the others are held. Where a link has the name of a point or joint, `kind` says which is
        meant. Signs are those of K; a point's is positive. Infinite at a dead centre of the output; NaN where the pose
        is not regular.
        """
        from structkin.branches.limits.transmission import mechanical_advantage

        return mechanical_advantage(self, output, driver, kind)

    def transmission_angle(self, at: str | int) -> Floats:
        """Return the transmission angle (n,) [rad] of a dyad: ideal at a right angle, locked at 0 (and pi).

        The dyad is named by its inner joint, by one of its links or by the index of its group. RRR: the angle between
        its links, 0 to pi. All others are 0 to pi/2: RRP that between the rod and the normal to its guide, RPR that
        between the line of the pins and the normal to the guide, PRP and RPP that between the guides. Raises
        `InputError` for other groups.
        """
        from structkin.branches.limits.transmission import transmission_angle

        return transmission_angle(self, at)

    def swing(self, output: str) -> Swing:
        """Return how an output goes to and fro over a cycle: a link by its angle, a slider by the travel of its joint.

        The output is a link, or a prismatic joint or slot; of a link that slides on the ground, its joint with the
        ground. Where its rate is zero between two samples, the mechanism is solved again, closer and closer to that
        time: ends and times are good to some 1e-9 of the range and of the cycle, however fast the output turns back. In
        a simulation, and where drivers are given by values, these are found from the rates and accelerations at the
        samples. An output that turns back twice between two samples is not seen to. The motion has to be a whole cycle,
        with times, every sample regular.

        Raises `InputError` where it is not, where there is no such output, and where that never turns back.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> ram = sk.load(path("whitworth_shaper")).solve().swing("ram")
        >>> ram.words
        'time ratio 2 (1.3333 s forth, 0.66667 s back)'
        """
        from structkin.solve.motion.swing import swing

        return swing(self, output)

    # --- pictures, tables and files -----------------------------------------------------------------------

    def plot(self, *names: str, kl: bool = False) -> Figure:
        """Return a figure of stacked motion plots of these points and links (default: those of interest).

        With `kl` the velocity coefficients K and their derivatives L are added below.
        """
        from structkin import show

        return show.plot_motion(self, *names, kl=kl)

    def schematic(self, sample: int | None = None, *, trace: Sequence[str] = ()) -> Figure:
        """Return a kinematic diagram at a sample (default: the first that is ok), with the paths of the points `trace`.

        Raises `InputError` for a sample that does not exist and for unknown points.
        """
        from structkin import show

        return show.draw_schematic(self.mechanism, motion=self, sample=sample, trace=trace)

    def animate(
        self, *, fps: float = 25.0, seconds: float | None = None, speed: float | None = None,
        trace: Sequence[str] = (), width: int = 800, repeat: bool = True,
    ) -> Animation:  # fmt: skip
        """Return an animation of the motion: `save` writes a GIF, WebP or MP4; a notebook shows it.

        It plays in real time, but a motion shorter than two seconds is slowed down and one longer than thirty is sped
        up. To choose, give its length in `seconds`, or the `speed` in seconds of motion per second. Each frame shows
        the sample nearest to its time. The paths of the points `trace` are drawn (default: the points of interest, at
        most four); `width` is the width of a frame [px].

        Raises `InputError` for numbers out of range and for unknown points.
        """
        from structkin import show

        return show.animate(self, fps=fps, seconds=seconds, speed=speed, trace=trace, width=width, repeat=repeat)

    def widget(self, *, trace: Sequence[str] = ()) -> AnyWidget:
        """Return the motion for a notebook: the drawing, which can be played (needs anywidget).

        The points `trace` leave their path (default: the points of interest, at most four). Raises `InputError` where
        anywidget is missing, and for points that are not there.
        """
        from structkin import show

        return show.widget(self.mechanism, self, trace=trace)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.summary_table(self))

    def to_dataframe(self, units: str = "SI") -> pd.DataFrame:
        """Return all points and links as columns, in SI or with `units="file"` in those of the file (needs pandas)."""
        from structkin import show

        return show.to_dataframe(self, self._units(units))

    def to_xarray(self, units: str = "SI") -> xr.Dataset:
        """Return the motion, K and L as an xarray dataset, in SI or with `units="file"` in the units of the file.

        Its dimensions are sample, point, link, driver and xy. Raises `InputError` if xarray is not installed.
        """
        from structkin import show

        return show.to_xarray(self, self._units(units))

    def to_csv(self, target: str | Path | IO[str], units: str = "SI", *, kl: bool = False) -> None:
        """Write the columns of `to_dataframe`, with `kl` also K and L, to a .csv path or an open file."""
        from structkin import show

        show.write_csv(self, target, self._units(units), kl=kl)

    def save(self, path: str | Path) -> None:
        """Write the motion with its mechanism; the suffix selects the format, see `Mechanism.save`.

        Raises `InputError` if the format cannot hold a motion, or not this one; a file is written whole or not at all.
        """
        from structkin import files

        files.write(self.mechanism, path, motion=self)

    def _units(self, units: str) -> Units:
        """Return SI or the units of the file; `InputError` for anything else."""
        if units not in ("SI", "file"):
            raise InputError([Problem("units", f"'{units}' is unknown", "known: SI, file")], self.mechanism.title)
        return Units() if units == "SI" else self.mechanism.units

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
        """The angles (n,) of links that neither drivers nor gears determine, and of pins in closed slots."""
        arcs = [id for id, joint in self.mechanism.joints.of(Sliding).items() if joint.around is not None]
        links = [link for link, how in self._turnings.items() if how.counted == link]
        in_slots = {("slot", id): self._frames.angle(*seen(("slot", id), self._frames)) for id in arcs}
        return {("link", link): self._direction_angle(link) for link in links} | in_slots

    @cached_property
    def _is_slow(self) -> bool:
        """Whether the samples follow each other without a gap, so closely that they show how links turn."""
        # A global method has no pins of dyads, which tell how fast links turn.
        if np.max(self._schedule.parts, initial=0) > FAR or self.statistics is not None:
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
    def _passages(self) -> Mapping[int, tuple[Passage, ...]]:
        from structkin.branches.limits.passages import passages

        return passages(self)

    @cached_property
    def _turnings(self) -> Mapping[str, Turning]:
        return turnings(self.mechanism, self.plan.turns)

    @cached_property
    def _coefficients(self) -> VelocityCoefficients:
        return VelocityCoefficients(self._frames, Coefficients(self.plan, self.lanes))

    @cached_property
    def _jerk(self) -> Jerk:
        return Jerk(self.plan, self.lanes, third_rates(self.mechanism.drivers, self.thirds, self.t))
