"""Closing many continuation points at once where the inputs return near places followed before."""

from __future__ import annotations

import numpy as np

from structkin.numerical_tolerances import CLOSED, COME_BACK, DEPARTURE, ITERATIONS, SAME_POSE, TURN
from structkin.solve.tracking.direct import apart
from structkin.solve.tracking.poses import Poses
from structkin.solve.tracking.state import TrackerState
from structkin.types import Flags, Floats, Indices

#: Points of the first attempt, in multiples of `few`, and after a failure.
WINDOW, AFRESH = 32, 4
#: Up to this many pairs of places, all distances are computed.
PAIRS = 1_000_000
#: Newton steps from a prediction, which must reach the pose found from a tracked point.
STEPS = 3


class Predictor:
    """Predicts many points of a path at once, when that is worth trying."""

    def __init__(self, state: TrackerState) -> None:
        """Prepare the first attempt."""
        self.state = state
        self._few = state.solver.few
        self._tried, self._window = 0, WINDOW * self._few

    def predict(self, k: int, pose: Poses) -> tuple[int, Poses]:
        """Close the points ahead together where their inputs return near those of tracked ones.

        A point is kept if a step from the one before it arrives there as well, as if it had been tracked to.
        """
        state, path = self.state, self.state.path
        while len(state.tracked) >= self._tried + self._few and not state.is_flat(pose):
            points = path.points(k, self._window)
            if len(points) <= self._few:
                break
            h = path.at(points)
            good, poses = self._from_tracked(h)
            count = 0
            if good[0]:
                good &= self._follow(pose, poses)
                count = len(good) if good.all() else int(np.argmin(good))
            if count:
                kept = poses.take(slice(count))
                state.keep(points[:count], kept)
                state.link(points[:count].tolist(), kept.determinant.tolist(), tracked=False)
                k, pose = int(points[count - 1]), poses.take(slice(count - 1, count))
            if count < len(good):
                # After a place that has to be stepped past, try again soon.
                self._tried = len(state.tracked) - (self._few - 1 if count else 0)
                self._window = AFRESH * self._few
                break
            self._window *= 4
        return k, pose

    def _follow(self, pose: Poses, poses: Poses) -> Flags:
        """Return which poses a step from the one before leads to, the first from `pose`."""
        solver = self.state.solver
        h, s = (np.concatenate((a, b[:, :-1]), axis=1) for a, b in ((pose.h, poses.h), (pose.s, poses.s)))
        predicted = solver.ahead(h, s, poses.h - h)
        arrived, _, determinant = solver.newton(poses.h, predicted, STEPS)
        same = (apart(solver.form, arrived, poses.s) < SAME_POSE) & (apart(solver.form, poses.s, predicted) < DEPARTURE)
        near = apart(solver.form, poses.s, s, origins=False) < TURN + DEPARTURE
        return np.asarray(
            same & near & (determinant * pose.determinant > 0) & (poses.determinant * pose.determinant > 0)
        )

    def _from_tracked(self, h: Floats) -> tuple[Flags, Poses]:
        """Close poses at inputs (inputs, n) from the nearest tracked points; return which have one near."""
        state, path = self.state, self.state.path
        points = np.array(state.tracked)
        old = path.at(points)
        near, nearest = _nearest(path.places(old), path.places(h))
        if not near[0]:
            return near, Poses(h, np.empty((len(state.out), 0)), np.empty(0))
        old, s = np.take(old, nearest, axis=1), state.found(points[nearest])
        found, change, determinant = state.solver.newton(h, state.solver.ahead(old, s, h - old), ITERATIONS)
        return near & (change < CLOSED), Poses(h, found, determinant)


def _nearest(old: Floats, places: Floats) -> tuple[Flags, Indices]:
    """Return which places (n, d) are near one of the old ones (m, d), and which is the nearest of these."""
    if len(old) * len(places) <= PAIRS:
        # Squared distances, less the squares of the places themselves.
        away = np.sum(old * old, axis=1) - 2.0 * (places @ old.T)
        nearest = np.argmin(away, axis=1)
        gap = places - old[nearest]
        return np.sum(gap * gap, axis=1) < COME_BACK**2, nearest
    from scipy.spatial import cKDTree

    distance, at = cKDTree(old).query(places, distance_upper_bound=COME_BACK)
    return np.asarray(distance < COME_BACK), np.minimum(at, len(old) - 1)
