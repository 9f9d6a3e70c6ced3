"""Tracking a mechanism along its drivers by a global method, on the branch of the sketch.

Stations a short distance apart are reached one by one: extrapolated from the curve through the two before, closed by
the Newton-Raphson method, and accepted if they stay near the extrapolation and the determinants of all diagonal blocks
keep their signs. A sign may change where both poses lie on one analytic function: through a change point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.budget import charge
from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome
from structkin.global_methods.newton import close_pose
from structkin.global_methods.scaled import Scaled
from structkin.global_methods.smooth import is_smooth
from structkin.numerical_tolerances import (
    DEPARTURE_ON_CURVE,
    FINEST,
    HALVINGS,
    NEAR_LIMIT,
    RESIDUAL,
    SAME_POSE,
    SAME_SOLVED,
    SINGULAR,
    TURN_ON_CURVE,
    WEAK,
)
from structkin.plan.status import Status
from structkin.track.contour import is_undecided
from structkin.track.steps import follow_straight
from structkin.types import Flags, Floats, Indices

#: The status (lanes,) and the coordinates (n, lanes) of a motion solved group by group.
ByGroups = Callable[[], "tuple[NDArray[np.int8], Floats]"]

#: The work of a step per coordinate, in steps of the budget.
STEP = 0.05
#: The movement over which the slope of a singular value is a difference [parts of the size or rad].
TRIAL = 1e-5
#: A pose that has moved this many sizes runs off to infinity, as where guides become parallel: it has no limit pose.
AWAY = 5.0


@dataclass(frozen=True)
class Failure:
    """Why the tracker stopped before a sample: how Newton's method ended there, and the rows that do not close.

    `links` are those of the diagonal block that was closest to singular at the last pose. A singular sample that the
    tracker passed, as at a change point, is reported as well, with the links of its own weakest block.
    """

    sample: int
    outcome: Outcome
    rows: tuple[str, ...]
    links: tuple[str, ...] = ()


@dataclass
class BranchTracker:
    """The state of a run over all stations of a schedule; `z` (f, n) are the drivers' values.

    `units` (f, 1) are their units, `angular` (f, 1) says which are angles that repeat after a whole turn; `turning`:
    the only driver is an angle, so that its turns may repeat. `groups` returns the status (lanes,) and the coordinates
    (n, lanes) that the motion has group by group; lanes that are `near` are not passed over. Results are predictions
    and solutions q (n, lanes), which lanes are solved and in how many iterations. `lanes` are those whose drivers have
    values; a *place* is an index into them.
    """

    scaled: Scaled
    z: Floats
    units: Floats
    angular: Flags
    turning: bool = False
    groups: ByGroups | None = None
    near: Indices | None = None
    stations: int = 0
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare the results."""
        n, lanes = self.scaled.coordinates.n, self.z.shape[1]
        self.q = np.full((n, lanes), np.nan)
        self.solved = np.zeros(lanes, bool)
        self.iterations = np.zeros(lanes, np.int32)
        self.status = np.full(lanes, Status.OUT_OF_REACH, np.int8)
        #: Samples that may be singular: next to weak stations, and where a determinant has changed its sign.
        self.suspect = np.zeros(lanes, bool)
        self.reached: Pose | None = None
        #: What lengths miss a change point by, at each step across a flat pose that was refused near the last station.
        self.misses: list[float] = []
        self.systems: list[Scaled] = []
        self.system_of = np.full(lanes, -1, np.intp)
        self.lanes = np.flatnonzero(np.isfinite(self.z).all(axis=0))
        #: The drivers' values (f, places).
        self.values = self.z if len(self.lanes) == lanes else self.z[:, self.lanes]

    def at(self, k: int) -> Floats:
        """Return the drivers' values (f, 1) at a place."""
        return self.values[:, k : k + 1]

    def keep(self, k: int, pose: Pose) -> None:
        """Keep a station at a place."""
        lane = int(self.lanes[k])
        self.q[:, lane] = pose.q[:, 0]
        self.solved[lane], self.status[lane] = True, Status.OK
        self.iterations[lane] = pose.iterations
        if pose.strength > WEAK:
            self.misses.clear()
        self.suspect[lane] |= pose.strength < WEAK
        self.note(lane, pose.scaled)
        self.stations += 1

    def note(self, lanes: Indices | slice | int, scaled: Scaled) -> None:
        """Note which system lanes are solved with."""
        if not self.systems or self.systems[-1] is not scaled:
            self.systems.append(scaled)
        self.system_of[lanes] = len(self.systems) - 1

    def predict(self, lanes: Indices, curve: Curve, z: Floats, shift: Any = 0.0) -> None:
        """Predict lanes from a curve at values z (f, lanes), with a shift (n, lanes)."""
        if not len(lanes):
            return
        at = span(lanes)
        self.status[at] = Status.OK
        self.suspect[at] |= curve.doubtful(WEAK)
        self.note(at, curve.a.scaled)
        self.q[:, at] = curve.near(z, self.units) + shift

    @staticmethod
    def agrees(pose: Pose) -> bool:
        """Return whether redundant rows, if any, are met as well."""
        return not pose.scaled.redundant or float(pose.scaled.gap(pose.q, pose.z)[0]) < RESIDUAL

    @cached_property
    def by_groups(self) -> tuple[NDArray[np.int8], Floats]:
        """The status (lanes,) and the coordinates (n, lanes) that the motion has group by group."""
        return self.groups() if self.groups else (np.full(len(self.status), Status.OUT_OF_REACH, np.int8), self.q)

    @property
    def known(self) -> Indices:
        """The lanes that have a regular pose."""
        return np.flatnonzero(self.solved & (self.status == Status.OK))

    def pose(self, lane: int, z: Floats) -> Pose:
        """Return the pose of a known lane, its drivers shifted by whole turns to be nearest to values z (f, 1)."""
        known = self.z[:, [lane]]
        known = np.where(self.angular, known + 2 * np.pi * np.round((z - known) / (2 * np.pi)), known)
        return Pose(self.systems[self.system_of[lane]], known, self.q[:, [lane]])

    def go(self, pose: Pose, z: Floats, before: Curve | None = None) -> list[Curve]:
        """Move to other values of the drivers, and return the curve of each step; none where the branch is in doubt."""
        self.misses.clear()
        found = self.step(pose, z, before)
        way = self.track_to(pose, z) if found is None else [Curve(pose, found)]
        return [] if is_undecided(self.misses) else way

    def step(self, pose: Pose, z: Floats, before: Curve | None = None) -> Pose | None:
        """Take one step to other values of the drivers; None where it is not safe."""
        charge(STEP * len(self.q))
        guess = self._extrapolate(pose, z, before)
        found = close_pose(pose.scaled, guess, z) if np.isfinite(guess).all() else None
        if found is None or not is_near(pose.scaled, found.q, guess, pose.q)[0]:
            return None
        scaled = pose.scaled.choose(found.q, z)
        new = Pose(scaled, z, found.q, found.iterations, found if scaled is pose.scaled else None)
        if not self.agrees(new) or new.strength < SINGULAR:
            return None  # the tracker cannot continue from a singular pose: it is stepped over
        # Beside a fold the expansion may lead to another branch, which does not lead back.
        weak = min(pose.strength, new.strength) < WEAK
        if weak and not is_near(scaled, pose.q, new.taylor(pose.z), new.q)[0]:
            return None
        crosses = (new.signs != pose.signs).any() or self._falls_to_zero(pose, z)
        if crosses and not is_smooth(Curve(pose, new), self.units, self.misses):
            return None
        return new

    def _falls_to_zero(self, pose: Pose, z: Floats) -> bool:
        """Return whether the smallest singular value of a weak pose falls to zero along the tangent of a step.

        Behind a flat pose a step may end on another branch, whose determinants have the same signs.
        """
        if pose.strength > WEAK or pose.scaled.redundant:
            return False
        rise = pose.K @ (z - pose.z)
        part = TRIAL / max(float(np.max(np.abs(rise) / pose.scaled.column_units, initial=0.0)), TRIAL)
        beside = pose.weakest(pose.q + part * rise, pose.z + part * (z - pose.z))
        return pose.strength + (beside - pose.strength) / part <= 0.0

    def _extrapolate(self, pose: Pose, z: Floats, before: Curve | None) -> Floats:
        """Extrapolate the curve so far if the drivers continue straight, else expand in their values."""
        with np.errstate(all="ignore"):
            if before is not None and before.b is pose:
                s, beside = before.part(z, self.units)
                if 1.0 < s[0] < 2.6 and (len(z) == 1 or np.max(np.abs(beside / self.units)) < SAME_SOLVED):
                    return before.at(s)
            return pose.taylor(z)

    def track_to(self, pose: Pose, z: Floats) -> list[Curve]:
        """Track straight to other values in steps that shrink where a trial fails.

        Returns the curve of each step, none where a step failed. Only these tell where the motion was: one through both
        ends may miss a link that turns fast in between.
        """
        way: list[Curve] = []

        def take(here: Pose, end: float) -> Pose | None:
            new = self.step(here, z if end == 1.0 else pose.z + end * (z - pose.z))
            if new is not None:
                way.append(Curve(here, new))
            return new

        def shortest(here: Pose) -> float:
            gone = np.max(np.abs(here.q - pose.q) / here.scaled.column_units, initial=0.0)
            return 0.5 ** (FINEST if here.strength < NEAR_LIMIT and gone < AWAY else HALVINGS)

        last, arrived = follow_straight(pose, take, shortest, first=0.5, size=lambda here: here.strength)
        if arrived:
            return way
        self.reached = last
        return []


def is_near(scaled: Scaled, q: Floats, guess: Floats, before: Floats) -> Flags:
    """Return which poses q (n, lanes) are near their extrapolation, and not far from the poses before."""
    departure, turned = (np.max(np.abs(q - x) / scaled.column_units, axis=0, initial=0.0) for x in (guess, before))
    return np.asarray(
        (departure <= DEPARTURE_ON_CURVE) & (departure <= 0.3 * turned + SAME_POSE) & (turned <= TURN_ON_CURVE)
    )


def span(lanes: Indices) -> slice | Indices:
    """Return consecutive lanes as a slice, which copies nothing."""
    first, last = int(lanes[0]), int(lanes[-1]) + 1
    return slice(first, last) if last - first == len(lanes) else lanes
