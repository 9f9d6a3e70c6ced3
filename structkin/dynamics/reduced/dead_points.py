"""Dead points in a simulation: the coordinates change automatically.

At a dead point a driver stands still while the links move on, and its coordinate does not tell the motion: a rocker at
the end of its swing, a slider at its limit. A structural group is singular there: its root, a signed sine, goes through
zero. The angle of this sine does tell the motion, and the driver's value is an even function of it. So it takes the
place of the driver's coordinate while the root is small, in the same structure, and gives it back afterwards; pose and
velocity are the same before and after. In a group without a closed form its fastest link takes that place. This is
coordinate partitioning (Wehage and Haug 1982) over structural groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.reduced.inverse import Chart
from structkin.dynamics.reduced.pose import Pose, slopes_at
from structkin.dynamics.reduced.poses import Poses
from structkin.groups import General
from structkin.kinematics.tracking import unpacked

Floats = NDArray[np.float64]

#: An angle gives its place as a coordinate back when its sine is larger than this.
LEAVE = 0.4
#: Below this a root is taken for one that goes to zero, wherever it goes.
SMALL = 0.1
#: At a dead point a driver stands still, to this part of its second derivative by the angle.
STANDS = 1e-5
#: Turns of a link of a general group by a driver [1/rad or 1/size] from which the link takes the driver's place, and
#: where trials found no pose; and how fast the driver has to move again to get its place back.
FAST, SLOWER, MOVES = 5.0, 1.5, 0.35
#: Step of the differences that tell how roots bend [rad or parts of the size].
BEND = 1e-5


class DeadPoints:
    """Changes the coordinates of poses near dead points."""

    def __init__(self, poses: Poses, free: NDArray[np.intp]) -> None:
        """Keep the poses, and which of their drivers may be replaced."""
        self.poses, self.free = poses, free
        self._refused: dict[int, float] = {}
        self._too_fast = 0.0

    def forget(self, grown: NDArray[np.bool_]) -> None:
        """Forget what was refused of roots (k,) that have been large since."""
        self._refused = {k: size for k, size in self._refused.items() if not grown[k]}

    def change(self, rates: Floats, near: float) -> Floats | None:
        """Change the coordinates at the last pose if others tell the motion better; return their rates (f,).

        `rates` (f,) are those of the present coordinates. A root that is smaller than `near`, and zero at a dead point,
        is replaced by its angle until that has grown. None where nothing is changed.
        """
        last, chart = self.poses.last, self.poses.chart
        assert last is not None
        if chart.step is not None:
            if not self._has_passed(last, chart):
                return None
            pose = self.poses.regular(last.z, last.x, last.roots)
            if pose is None:
                return None
            self.poses.take(Chart(), pose)
            self._refused, self._too_fast = {}, 0.0
            return np.asarray(rates @ last.K[:, : len(rates)])
        if last.smooth:
            return None
        for chart, slope in chain(self._small_roots(last, rates, near), self._fast_links(last, near)):
            if self._stand_in(chart, slope):
                changed = rates.copy()
                changed[chart.index] = rates @ slope
                return changed
        return None

    def _has_passed(self, last: Pose, chart: Chart) -> bool:
        """Return whether the driver moves again as the angle does that stands in for it."""
        if chart.link is None:
            assert chart.step is not None
            return bool(np.abs(last.roots[self.poses.steps.index(chart.step)]) > LEAVE)
        return bool(np.abs(last.K[chart.index, chart.index]) > MOVES * self.poses.lengths[chart.index])

    def _small_roots(self, last: Pose, rates: Floats, near: float) -> Iterator[tuple[Chart, Floats]]:
        """Yield charts by the angles of roots that go to zero at a dead point, and the slopes (f,) of these angles."""
        sizes = np.abs(last.roots)
        self._refused = {k: size for k, size in self._refused.items() if sizes[k] < LEAVE}
        bends: dict[int, Floats] = {}
        for k in map(int, np.argsort(sizes)):
            # What was no dead point is looked at again much closer: another one may have been in the way.
            if not sizes[k] < min(near, 0.5 * self._refused.get(k, np.inf)):
                continue
            slope = self.poses.slopes[:, k]
            if last.roots[k] * (rates @ slope) <= 0 or sizes[k] < SMALL:
                index = self._free(slope)
                if index not in bends:
                    bends[index] = self._bends(index)
                # Towards a dead point the square of a root is straight, r r'' = -r'^2; towards a flat pose r is.
                if last.roots[k] * bends[index][k] < -0.5 * slope[index] ** 2:
                    yield Chart(self.poses.steps[k], index), slope / np.sqrt(1 - last.roots[k] ** 2)
                    self._refused[k] = float(sizes[k])

    def _fast_links(self, last: Pose, near: float) -> Iterator[tuple[Chart, Floats]]:
        """Yield the chart by the link of a general group that turns fastest, and its rates (f,), where it is fast."""
        plan, K = self.poses.plan, last.K[:, len(last.q) :]
        best: tuple[float, Chart, Floats] | None = None
        for k, step in enumerate(plan.steps):
            if isinstance(step.kind, General):
                for link in range(step.kind.rows.links):
                    rows = plan.rows(step.outputs[2 * link + 1])
                    (c, s), (dc, ds) = last.x[rows], K[:, rows].T
                    turn = c * ds - s * dc
                    index = self._free(turn)
                    speed = float(abs(turn[index]) * self.poses.lengths[index])
                    if best is None or speed > best[0]:
                        best = speed, Chart(k, index, link), turn
        if best is None or best[0] < FAST:
            self._too_fast = 0.0
        if best is not None and best[0] > max(FAST if near < LEAVE else SLOWER, 2 * self._too_fast):
            yield best[1:]
            self._too_fast = best[0]

    def _free(self, slope: Floats) -> int:
        """Return the free driver that moves what has a slope (f,) most."""
        return int(self.free[np.argmax(np.abs(slope * self.poses.lengths)[self.free])])

    def _bends(self, index: int) -> Floats:
        """Return the second derivatives (k,) of the roots at the last pose by one coordinate."""
        poses, f = self.poses, len(self.poses.order)
        last = poses.last
        assert last is not None
        along = np.eye(f)[index]
        K, L = last.K[index, f:], poses.convective(last, along)[f:]
        h = BEND * poses.lengths[index]
        ahead, behind = (
            slopes_at(poses.plan, poses.steps, last.x + s * (K + 0.5 * s * L), (K + s * L)[None])[0] for s in (h, -h)
        )
        return np.asarray((ahead - behind) / (2 * h))

    def _stand_in(self, chart: Chart, slope: Floats) -> bool:
        """Take an angle with a slope (f,) as a coordinate, if there is a series; tell whether that is done."""
        poses, last, index = self.poses, self.poses.last, chart.index
        assert last is not None and chart.step is not None
        q, by_old = last.q.copy(), np.eye(len(last.q))
        by_old[:, index] = slope
        if chart.link is None:
            q[index] = np.arcsin(last.roots[poses.steps.index(chart.step)])
        else:
            step = poses.plan.steps[chart.step]
            assert isinstance(step.kind, General)
            _, angles = unpacked(step.kind, [_slot(last.x[poses.plan.rows(slot)]) for slot in step.outputs])
            q[index] = angles[chart.link, 0]
        K = np.asarray(np.linalg.solve(by_old, last.K), dtype=np.float64)
        poses.take(chart, Pose(q, last.z, last.x, K, last.roots))
        if (chart.link is not None or self._stands_still(q, index)) and poses.settle():
            return True
        poses.take(Chart(), last)
        return False

    def _stands_still(self, q: Floats, index: int) -> bool:
        """Return whether a driver stands still where the angle that stands in for it is zero."""
        dead, along = q.copy(), np.zeros((1, len(q)))
        dead[index], along[0, index] = 0.0, 1.0
        series = self.poses.expand(dead, along)
        if series is None:
            return False
        _, first, second = series.at(0.0)
        return bool(abs(first[index, 0]) < STANDS * abs(second[index, 0]))


def _slot(values: Floats) -> Floats:
    return values[:, None] if len(values) == 2 else values
