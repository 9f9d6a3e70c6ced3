"""Following a general group over all its lanes, from the first pose, which is closed from the sketch.

Where the inputs return near places followed before, many continuation points are closed at once. Behind a gap the
motion is resumed where the inputs come back to those that it has had.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.budget import charge
from structkin.groups import General
from structkin.numerical_tolerances import (
    ACROSS,
    CLOSED,
    COME_BACK,
    DEPARTURE,
    HALVINGS,
    ITERATIONS,
    SAME_POSE,
    TRIALS,
    TURN,
)
from structkin.plan.status import Status
from structkin.solve.tracking.direct import Direct, apart
from structkin.solve.tracking.fill import fill
from structkin.solve.tracking.group_solvers import GroupSolver
from structkin.solve.tracking.input_path import InputPath, Places
from structkin.solve.tracking.solved_lanes import Poses
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import come_back, step_back, step_over, step_to
from structkin.track.steps import follow_straight
from structkin.types import Flags, Floats, Indices

# --- behind a gap --------------------------------------------------------------------------------------------------


def resume(state: TrackerState, k: int, why: Status) -> tuple[int, Poses | None]:
    """Resume the motion after lane k, where the inputs come back to those of solved lanes.

    That is the pose that reversing the inputs would reach; from there the lanes in the gap are reached backwards. If
    they include the first one, which lane k does not lead to, the gap is between these two, and that lane says so.
    Lanes between the points up to lane k are solved first; if a step has passed over a gap, the motion ends there, and
    if it has led to another branch, the motion is continued from where that was left.
    """
    lanes, passed = state.path.lanes, fill(state)
    if passed is not None and passed in state.corrected:
        pose = state.poses(np.array([passed]))
        state.restart(passed, pose)
        return passed, pose
    if passed is not None:
        k, why = passed, Status.OUT_OF_REACH
    if k + 1 >= len(lanes):
        return k, None
    state.status[lanes[k + 1 :]] = why
    follows = lanes[k + 1] == lanes[k] + 1
    solved = np.flatnonzero(state.status[lanes[: k + 1]] == Status.OK)
    # Where inputs are missing, the group itself has met no limit.
    within = COME_BACK if follows else ACROSS
    lane, found = come_back(state, solved, np.arange(k + 1 + follows, len(lanes)), within)
    if found is None:
        return lane, None
    insort(state.gaps, k + 1)
    state.restart(lane, found)
    step_back(state, lane, k + 1, found)
    fill(state, backwards=True)
    if follows and state.status[lanes[k + 1]] == Status.OK:
        state.parted.add(k + 1)
    return lane, found


# --- places followed before ----------------------------------------------------------------------------------------

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
            good, poses = self._from_tracked(path.at(points))
            if good[:1].any():
                good &= self._follow(pose, poses)
            count = len(good) if good.all() else int(np.argmin(good))
            if count:
                kept = poses.take(slice(count))
                state.keep(points[:count], kept)
                state.link(points[:count].tolist(), kept.determinant.tolist(), tracked=False)
                k, pose = int(points[count - 1]), poses.take(slice(count - 1, count))
            if count < len(points):
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
        """Close poses at inputs (inputs, n) from the nearest tracked points; return which of the first succeed.

        They end before the first inputs that have no such point near; few are not worth it.
        """
        state, path = self.state, self.state.path
        points = np.array(state.tracked)
        old = path.at(points)
        near, nearest = _nearest(path.places(old), path.places(h))
        ahead = len(near) if near.all() else int(np.argmin(near))
        if ahead <= self._few:
            return near[:0], Poses(h[:, :0], np.empty((len(state.out), 0)), np.empty(0))
        h, nearest = h[:, :ahead], nearest[:ahead]
        old, s = np.take(old, nearest, axis=1), state.found(points[nearest])
        found, change, determinant = state.solver.newton(h, state.solver.ahead(old, s, h - old), ITERATIONS)
        return change < CLOSED, Poses(h, found, determinant)


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


# --- the first pose ------------------------------------------------------------------------------------------------

#: A group that closes this close to its sketch is as drawn.
AS_DRAWN = 1e-3


def assemble(solver: GroupSolver, h: Floats, O: Floats, theta: Floats) -> Poses | None:
    """Close the gaps that exact lengths leave in a sketch gradually, so that its assembly mode is kept.

    The rows are brought from their values in the sketch, origins O (m, 2, 1) and angles theta (m, 1), to zero; None
    where that path meets a singular pose.
    """
    form, rows = solver.form, Direct(solver.form, solver.known)
    sketch = rows.join(O, theta)
    s, change, determinant = solver.newton(h, sketch, 6)
    if change[0] < CLOSED and apart(form, s, sketch)[0] < AS_DRAWN and determinant * solver.newton(h, sketch, 1)[2] > 0:
        return Poses(h, s, determinant)
    values = rows.values(h)
    if form.rows.count > 3 * form.rows.links:
        O, theta, change = form.newton(values, O, theta, iterations=30)
        return Poses(h, rows.join(O, theta), np.ones(1)) if change[0] < CLOSED else None
    gaps, sign = form.gaps(values, O, theta), _sign(form, values, O, theta)

    def take(pose: tuple[Floats, Floats], end: float) -> tuple[Floats, Floats] | None:
        charge(form.rows.links / 4)
        O1, theta1, change = form.newton(values, *pose, iterations=ITERATIONS, left=(1.0 - end) * gaps)
        near = max(np.max(np.abs(O1 - pose[0])) / form.rows.size, np.max(np.abs(theta1 - pose[1]))) < TURN
        return (O1, theta1) if change[0] < CLOSED and near and _sign(form, values, O1, theta1)[0] == sign[0] else None

    closed, arrived = follow_straight((O, theta), take, lambda _: 0.5**HALVINGS)
    if not arrived:
        return None
    s = rows.join(*closed)
    return Poses(h, s, solver.newton(h, s, 1)[2])


def _sign(form: General, values: tuple[Any, ...], O: Floats, theta: Floats) -> Floats:
    return np.asarray(np.linalg.slogdet(form.jacobian(values, form.unknowns(O, theta)))[0])


# --- the tracker ---------------------------------------------------------------------------------------------------


def track(
    solver: GroupSolver,
    inputs: Sequence[Floats],
    origins: Floats,
    angles: Floats,
    out: Floats,
    progress: Callable[[float], None] | None = None,
    turned: Sequence[Floats] = (),
    places: Places | None = None,
) -> tuple[NDArray[np.int8], float]:
    """Follow a general group over n lanes from a starting pose; return a status (n,), and the least singular value met.

    `inputs` are those that move, as rows (n,) over the lanes, `origins` (m, 2, 1) and `angles` (m, 1) the pose in the
    sketch. The poses are written into `out` (rows, n): O_x, O_y, U_x, U_y of each link, then the angles of geared
    links; NaN where there is none. `turned` are angles of drivers (n,), continuous, whose whole turns matter to wheels:
    after a gap a motion is not resumed a turn away. `places` returns the inputs between two lanes; without them they
    move in a straight line.
    """
    state = TrackerState(solver, InputPath(solver, inputs, out.shape[1], turned, places), out)
    _run(state, origins, angles, progress)
    state.close()
    return state.status, state.least


def _run(state: TrackerState, origins: Floats, angles: Floats, progress: Callable[[float], None] | None) -> None:
    path, predictor = state.path, Predictor(state)
    k, pose = _begin(state, origins, angles)
    while pose is not None:
        if k == len(path.lanes) - 1:
            k, pose = resume(state, k, Status.OK)
            continue
        if progress is not None:
            progress(k / len(path.lanes))
        if path.lanes[k + 1] != path.lanes[k] + 1:
            # Lanes without inputs lie between: the lane after them is not the next step of this motion.
            k, pose = resume(state, k, Status.OUT_OF_REACH)
            continue
        k, pose = predictor.predict(k, pose)
        if k >= path.end_of_run(k):
            continue
        reached, pose = step_over(state, k, pose, state.solver.few)
        if reached > k:
            k = reached
            continue
        points, determinants, pose, why = step_to(state, k, path.point(k, path.end_of_run(k)), pose, tried=True)
        state.link(points, determinants, tracked=True)
        k = points[-1] if points else k
        if why != Status.OK:
            k, pose = resume(state, k, why)


def _begin(state: TrackerState, origins: Floats, angles: Floats) -> tuple[int, Poses | None]:
    """Close the group from the sketch, at the first place of the inputs' path where that succeeds."""
    path = state.path
    tried = np.searchsorted(path.length, path.spacing * np.arange(TRIALS))
    for k in dict.fromkeys(tried[tried < len(path.lanes)].tolist()):
        pose = assemble(state.solver, path.at(k), origins, angles)
        if pose is not None:
            state.restart(k, pose)
            step_back(state, k, 0, pose)
            fill(state, backwards=True)
            return k, pose
    return 0, None
