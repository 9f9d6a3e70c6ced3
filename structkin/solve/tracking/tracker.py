"""Following a general group over all its lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.numerical_tolerances import TRIALS
from structkin.plan.status import Status
from structkin.solve.tracking.assemble import assemble
from structkin.solve.tracking.fill import fill
from structkin.solve.tracking.group_solvers import GroupSolver
from structkin.solve.tracking.input_path import InputPath
from structkin.solve.tracking.poses import Poses
from structkin.solve.tracking.predict import Predictor
from structkin.solve.tracking.resume import resume
from structkin.solve.tracking.route import Places
from structkin.solve.tracking.state import TrackerState
from structkin.solve.tracking.stepping import step_back, step_over, step_to
from structkin.types import Floats


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
        points, determinants, pose, why = step_to(state, k, path.point(k, path.end_of_run(k)), pose)
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
