"""Dead points in a simulation: the coordinates change automatically.

At a dead point a driver stands still while the links move on, and its coordinate does not tell the motion: a rocker at
the end of its swing, a slider at its limit. A structural group is singular there: its root, a signed sine, goes through
zero. The angle of this sine does tell the motion, and the driver's value is an even function of it. So it takes the
place of the driver's coordinate while the root is small, in the same structure, and gives it back afterwards; pose and
velocity are the same before and after. This is coordinate partitioning (Wehage and Haug 1982) over structural groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.pose import Pose, slopes_at
from structkin.dynamics.poses import Poses
from structkin.dynamics.series import Chart

Floats = NDArray[np.float64]

#: An angle gives its place as a coordinate back when its sine is larger than this.
LEAVE = 0.4
#: Below this a root is taken for one that goes to zero, wherever it goes.
SMALL = 0.1
#: At a dead point a driver stands still, to this part of its second derivative by the angle.
STANDS = 1e-5
#: Step of the differences that tell how roots bend [rad or parts of the size].
BEND = 1e-5


class DeadPoints:
    """Changes the coordinates of poses near dead points."""

    def __init__(self, poses: Poses, free: NDArray[np.intp]) -> None:
        """Keep the poses, and which of their drivers may be replaced."""
        self.poses, self.free = poses, free
        self._refused: dict[int, float] = {}

    def change(self, rates: Floats, near: float) -> Floats | None:
        """Change the coordinates at the last pose if others tell the motion better; return their rates (f,).

        `rates` (f,) are those of the present coordinates. A root that is smaller than `near`, and zero at a dead point,
        is replaced by its angle until that has grown. None where nothing is changed.
        """
        last, chart = self.poses.last, self.poses.chart
        assert last is not None
        if chart.step is not None:
            if np.abs(last.roots[self.poses.steps.index(chart.step)]) < LEAVE:
                return None
            pose = self.poses.regular(last.z, last.x, last.roots)
            if pose is None:
                return None
            self.poses.take(Chart(), pose)
            return np.asarray(rates @ last.K[:, : len(rates)])
        sizes = np.abs(last.roots)
        self._refused = {k: size for k, size in self._refused.items() if sizes[k] < LEAVE}
        if last.smooth or not np.min(sizes, initial=np.inf) < near:
            return None
        bends: dict[int, Floats] = {}
        for k in map(int, np.argsort(sizes)):
            # What was no dead point is looked at again much closer: another one may have been in the way.
            if not sizes[k] < min(near, 0.5 * self._refused.get(k, np.inf)):
                continue
            slope = self.poses.slopes[:, k]
            if last.roots[k] * (rates @ slope) <= 0 or sizes[k] < SMALL:
                index = int(self.free[np.argmax(np.abs(slope * self.poses.lengths)[self.free])])
                if index not in bends:
                    bends[index] = self._bends(index)
                # Towards a dead point the square of a root is straight, r r'' = -r'^2; towards a flat pose r is.
                if last.roots[k] * bends[index][k] >= -0.5 * slope[index] ** 2:
                    continue
                if self._stand_in(k, index):
                    changed = rates.copy()
                    changed[index] = rates @ slope / np.sqrt(1 - last.roots[k] ** 2)
                    return changed
                self._refused[k] = float(sizes[k])
        return None

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

    def _stand_in(self, k: int, index: int) -> bool:
        """Let the angle of a root take the place of a driver, if the driver stands still where the root is zero."""
        poses, last = self.poses, self.poses.last
        assert last is not None
        q, by_old = last.q.copy(), np.eye(len(last.q))
        q[index] = np.arcsin(last.roots[k])
        by_old[:, index] = poses.slopes[:, k] / np.cos(q[index])
        dead, along = q.copy(), np.zeros((1, len(q)))
        dead[index], along[0, index] = 0.0, 1.0
        K = np.asarray(np.linalg.solve(by_old, last.K), dtype=np.float64)
        poses.take(Chart(poses.steps[k], index), Pose(q, last.z, last.x, K, last.roots))
        series = poses.expand(dead, along)
        if series is not None:
            _, first, second = series.at(0.0)
            if abs(first[index, 0]) < STANDS * abs(second[index, 0]) and poses.settle():
                return True
        poses.take(Chart(), last)
        return False
