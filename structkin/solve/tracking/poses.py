"""Solved lanes, and one step from these to other inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.budget import charge
from structkin.plan.status import Status
from structkin.solve.tracking.direct import Direct, apart
from structkin.solve.tracking.group_solvers import GroupSolver, scales_of, weights_of
from structkin.track.steps import follow_straight
from structkin.track.tolerances import CLOSED, DEPARTURE, HALVINGS, ITERATIONS, NEAR_LIMIT, TURN

Floats = NDArray[np.float64]

#: For a pose that has moved far, allowed departures from the prediction grow by this part of its distance.
FAR = 0.1
#: A shorter step, to a limit position for instance, need not lead back.
SHORT = 0.05
#: Poses that move further than this, in sizes of the group, run off to infinity.
GONE = 1e4
#: Inputs this close to a limit position, relative to the group's size, are at it: it is not known more precisely.
THERE = 2e-13


@dataclass(frozen=True)
class Poses:
    """Solved lanes: the inputs (inputs, n), the poses (rows, n), and their determinants (n,)."""

    h: Floats
    s: Floats
    determinant: Floats

    def take(self, lanes: Any) -> Poses:
        """Return some of them: a copy, or views for a slice."""
        if isinstance(lanes, slice):
            return Poses(self.h[:, lanes], self.s[:, lanes], self.determinant[lanes])
        return Poses(np.take(self.h, lanes, axis=1), np.take(self.s, lanes, axis=1), self.determinant[lanes])


def step(solver: GroupSolver, poses: Poses, h: Floats, far: float = 1.0) -> tuple[NDArray[np.bool_], Poses]:
    """Take one step to new inputs in every lane; return which lanes were accepted, and the new poses.

    Places may depart from their prediction by a part of the size, times `far` where they are far away. The tangent at
    the new pose must lead back as well: near a limit position it is steep, and a prediction may end on another branch
    whose determinant has the same sign.
    """
    predicted = solver.ahead(poses.h, poses.s, h - poses.h)
    s, change, determinant = solver.newton(h, predicted, ITERATIONS)
    good = (
        (change < CLOSED) & (apart(solver.form, s, predicted) < far * DEPARTURE) & (determinant * poses.determinant > 0)
    )
    if far > 1.0:
        good &= apart(solver.form, s, predicted, origins=False) < DEPARTURE
    good &= apart(solver.form, s, poses.s, origins=False) < TURN + DEPARTURE
    if good.any():
        back = solver.ahead(h, s, poses.h - h)
        good &= (apart(solver.form, back, poses.s) < far * DEPARTURE) | (apart(solver.form, s, poses.s) < SHORT)
    return good, Poses(h, s, determinant)


def in_steps(solver: GroupSolver, poses: Poses, h: Floats, count: int) -> tuple[NDArray[np.bool_], Poses]:
    """Take equal steps on straight paths to new inputs; return which lanes succeeded, and only their poses."""
    good, now = np.arange(h.shape[1]), poses
    for k in range(1, count + 1):
        if len(good):
            fine, now = step(solver, now, _between(solver, poses.h[:, good], h[:, good], k / count))
            good, now = good[fine], now.take(np.flatnonzero(fine))
    return np.isin(np.arange(h.shape[1]), good), now


def reach(solver: GroupSolver, start: Poses, target: Floats, halvings: int = HALVINGS) -> Poses | Status:
    """Walk one lane to other inputs; the step shrinks where a trial fails and grows with success.

    Where guides become parallel a pose runs off to infinity: its steps then grow with the distance moved.
    """

    def gone(pose: Poses) -> float:
        return 0.0 if pose is start else float(apart(solver.form, pose.s, start.s)[0])

    def take(pose: Poses, end: float) -> Poses | None:
        charge(solver.form.rows.links / 4)
        good, found = step(solver, pose, _between(solver, start.h, target, end), max(1.0, FAR * gone(pose)))
        return found if good[0] else None

    pose, arrived = follow_straight(start, take, lambda _: 0.5**halvings)
    if arrived:
        return pose
    if gone(pose) < GONE and np.max(np.abs(pose.h - target) * weights_of(solver)) < THERE:
        return Poses(target, pose.s, pose.determinant)
    rows = Direct(solver.form, solver.known)
    sigma = solver.form.smallest_singular_value(rows.values(pose.h), rows.phi(pose.s))[0]
    return Status.OUT_OF_REACH if sigma < NEAR_LIMIT else Status.NOT_CONVERGED


def _between(solver: GroupSolver, h0: Floats, h1: Floats, part: float) -> Floats:
    """Return inputs on the straight path from h0 to h1; unit vectors stay unit vectors."""
    if part == 1.0:
        return h1
    mixed, row = h0 + part * (h1 - h0), 0
    moving = [j for j, value in enumerate(solver.known) if value is None]
    for j, (width, _) in zip(moving, scales_of(solver), strict=True):
        if solver.form.rows.is_unit(j):
            mixed[row : row + 2] /= np.sqrt(np.sum(mixed[row : row + 2] ** 2, axis=0))
        row += width
    return np.asarray(mixed)
