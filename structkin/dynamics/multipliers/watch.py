"""A watch over the branch of a simulation with multipliers: steps that pass flat poses are proved, or refused.

An integrator sees the motion at its stages only. Where a group is nearly flat two branches pass each other, and a step
may lead from one to the other unseen. But det [Phi_q; E_u] changes its sign from one to the other, where u are as many
coordinates as there are degrees of freedom, those that move most; block by block, so that two groups that are flat at
once are two signs. Where one has changed over a step, the mechanism is moved there once more by the tracker of the
global methods, with u driven as the simulation has moved them. So both keep one rule: a flat pose is passed straight
where lengths miss it by rounding, never where they miss it clearly, and between the branch is not certified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from structkin.dynamics.multipliers.partitioning import largest
from structkin.dynamics.reduced.pose import NearlyFlatError, NoPoseError
from structkin.global_methods.branch_tracker import BranchTracker
from structkin.global_methods.curve import Pose
from structkin.global_methods.families import Coordinates
from structkin.global_methods.families.system import Label
from structkin.global_methods.linear import Dense, Sparse
from structkin.global_methods.newton import close_pose
from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import ITERATIONS, SAME_POSE, WEAK
from structkin.plan.status import Status
from structkin.track.contour import is_undecided
from structkin.types import Floats, Indices

#: The given coordinates are chosen again where another one moves so many times as far.
RATE_LIMIT = 1.1
#: A way that is proved begins and ends at poses with a larger singular value, whose rows are closed to this part of its
#: square: of others it is not sure to which branch they belong (Kantorovich's theorem).
CLEAR, CLOSED = 1e-5, 0.1
#: Most coordinates whose matrices are full: above, SuperLU is faster.
FULL = 100


class _Given:
    """Phi(q, z) = 0 with some coordinates given: after the drivers, z has the values of these."""

    def __init__(self, joints: Coordinates, given: Indices) -> None:
        self._joints, self._given, self._drivers = joints, given, len(joints.drivers)
        self.n, self.m = joints.n, joints.m + len(given)
        self.rows = (*joints.rows, *(Label("", "given", ()) for _ in given))
        rows, columns = joints.pattern
        self.pattern = np.append(rows, joints.m + np.arange(len(given))), np.append(columns, given)
        self.column_units = joints.column_units
        self.row_units = np.append(joints.row_units, joints.column_units[given])

    def evaluate(self, q: Any, z: Any) -> tuple[Any, Any]:
        phi, entries = self._joints.evaluate(q, z[: self._drivers])
        ones = np.ones((len(self._given), q.shape[1]))
        return np.concatenate((phi, q[self._given] - z[self._drivers :])), np.concatenate((entries, ones))

    def nu(self, z: Any, dz: Any) -> Any:
        return np.concatenate((self._joints.nu(z[: self._drivers], dz[: self._drivers]), dz[self._drivers :]))

    def gamma(self, q: Any, v: Any, z: Any, dz: Any, ddz: Any) -> Any:
        own = self._joints.gamma(q, v, *(part[: self._drivers] for part in (z, dz, ddz)))
        return np.concatenate((own, ddz[self._drivers :]))


@dataclass(frozen=True)
class _Seen:
    """A pose q (n, 1) at a time, at values z of the drivers and the given coordinates, and the signs of its blocks.

    `weak`: another branch may be near; `clear`: none is as near as the rows are open.
    """

    t: float
    z: Floats
    q: Floats
    signs: Floats
    weak: bool
    clear: bool


class Watch:
    """Compares the end of each step with the last pose that is clear of flat ones."""

    def __init__(
        self, joints: Coordinates, laws: Sequence[Callable[[Any], Any]], groups: Sequence[Sequence[str]], q: Floats,
        t: float, motions: Floats,
    ) -> None:  # fmt: skip
        """Begin at coordinates q (n,), with the free motions (n, f), scaled; `groups` are the links of each group."""
        self._joints, self._laws, self._groups = joints, laws, groups
        self._choose(q, t, motions)

    def _choose(self, q: Floats, t: float, motions: Floats) -> None:
        self._given = largest(motions) if motions.shape[1] else np.zeros(0, np.intp)
        system = cast(Coordinates, _Given(self._joints, self._given))
        scaled = Scaled(system, Dense if self._joints.n <= FULL else Sparse)
        self._scaled = scaled.choose(q[:, None], self._z(q, t))
        self._last = self._ahead = self._seen(q, t)

    def _z(self, q: Floats, t: float) -> Floats:
        return np.concatenate([*(law(np.array([t]))[0] for law in self._laws), q[self._given]])[:, None]

    def _seen(self, q: Floats, t: float) -> _Seen:
        z = self._z(q, t)
        phi, entries = self._scaled.system(q[:, None], z)
        if self._scaled.blocks is None:
            return _Seen(t, z, q[:, None], np.zeros(0), weak=False, clear=False)
        signs, _, strength = self._scaled.blocks.branch(entries)
        gap, least = float(np.max(np.abs(phi), initial=0.0)), float(strength[0])
        clear = least > CLEAR and gap < CLOSED * least**2
        return _Seen(t, z, q[:, None], signs[:, 0], least < WEAK, clear)

    def verify(self, q: Floats, t: float) -> None:
        """Raise `NoPoseError` where the way from the last pose to coordinates q (n,) is not proved."""
        self._ahead = now = self._seen(q, t)
        suspect = now.weak or self._last.weak or not np.array_equal(now.signs, self._last.signs)
        if not (now.clear and suspect):
            return
        misses: list[float] = []
        if self._leads(now, misses):
            return
        if is_undecided(misses):
            raise NearlyFlatError(t, self._group(now))
        raise NoPoseError(t, Status.UNCERTIFIED, self._group(now))

    def keep(self, q: Floats, t: float) -> None:
        """Go on from the end of a step, if it is clear of flat poses."""
        if self._ahead.t != t:  # bodies have met before it
            self._ahead = self._seen(q, t)
        if not self._ahead.clear:
            return
        self._last = self._ahead
        units = self._joints.column_units
        motions = Pose(self._scaled, self._last.z, self._last.q).K[:, len(self._laws) :]
        motions = motions / units[:, None] * units[self._given]
        if not np.max(np.abs(motions), initial=0.0) < RATE_LIMIT:
            self._choose(q, t, motions)

    def _leads(self, now: _Seen, misses: list[float]) -> bool:
        """Return whether the last pose leads to one, with the given coordinates moved straight.

        What lengths miss flat poses by is added to `misses`.
        """
        ends = []
        for seen in (self._last, now):
            closed = close_pose(self._scaled, seen.q, seen.z, ITERATIONS)
            if closed is None:
                return False
            ends.append(Pose(self._scaled, seen.z, closed.q))
        # Like a driver's, a unit turns the links by a radian: what lengths miss a flat pose by is measured along it.
        rates = self._joints.frame_rates(ends[0].q, ends[0].K).reshape(-1, 4, len(now.z))
        turning = np.max(np.hypot(rates[:, 2], rates[:, 3]), axis=0, initial=0.0)
        units = 1.0 / np.where(turning > 0, turning, 1.0 / self._joints.size)
        tracker = BranchTracker(self._scaled, now.z, units[:, None], np.zeros(now.z.shape, bool))
        way = tracker.go(ends[0], now.z)
        misses += tracker.misses
        return bool(way) and float(np.max(np.abs(way[-1].b.q - ends[1].q) / self._scaled.column_units)) < SAME_POSE

    def _group(self, now: _Seen) -> int:
        """Return the last group with links of the weakest block, -1 where it is not known."""
        links = Pose(self._scaled, now.z, now.q).weakest_links
        return max((k for k, group in enumerate(self._groups) if not set(links).isdisjoint(group)), default=-1)
