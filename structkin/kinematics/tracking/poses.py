"""Solved lanes, and one step from some to other inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.closers import Closer, Direct, apart, scales_of, weights_of
from structkin.kinematics.kernels.limits import DEPARTURE, ITERATIONS, TURN
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]

#: Halvings of the way to a lane before it is given up, and where a limit position is neared to rounding.
HALVINGS, FINEST = 12, 44
#: Inputs so near, relative to the group's size, to a limit position are there: it is not known better.
THERE = 2e-13


@dataclass(frozen=True)
class Poses:
    """Solved lanes: the inputs (inputs, n), the poses (rows, n), and their sides of singular poses (n,)."""

    h: Floats
    s: Floats
    side: Floats

    def take(self, lanes: Any) -> Poses:
        """Return some of them: a copy, or views for a slice."""
        if isinstance(lanes, slice):
            return Poses(self.h[:, lanes], self.s[:, lanes], self.side[lanes])
        return Poses(np.take(self.h, lanes, axis=1), np.take(self.s, lanes, axis=1), self.side[lanes])


def step(closer: Closer, poses: Poses, h: Floats) -> tuple[NDArray[np.bool_], Poses]:
    """Take one step to new inputs in every lane; return which lanes were accepted, and the new poses."""
    predicted = closer.ahead(poses.h, poses.s, h - poses.h)
    s, change, side = closer.newton(h, predicted, ITERATIONS)
    good = (change < 1e-8) & (apart(closer.form, s, predicted) < DEPARTURE) & (side * poses.side > 0)
    return good & (apart(closer.form, s, poses.s, origins=False) < TURN + DEPARTURE), Poses(h, s, side)


def reach(closer: Closer, start: Poses, target: Floats, halvings: int = HALVINGS) -> Poses | Status:
    """Walk one lane to other inputs; the step shrinks where a trial fails and grows with success."""
    pose, done, size, smallest = start, 0.0, 1.0, 0.5**halvings
    while done < 1.0:
        end = min(1.0, done + size)
        good, found = step(closer, pose, _on_the_way(closer, start.h, target, end))
        if good[0]:
            pose, done, size = found, end, 2 * size
            continue
        size *= 0.5
        if size < smallest:
            if np.max(np.abs(pose.h - target) * weights_of(closer)) < THERE:
                return Poses(target, pose.s, pose.side)
            rows = Direct(closer.form, closer.known)
            sigma = closer.form.smallest_singular_value(rows.values(pose.h), rows.phi(pose.s))[0]
            # Near a limit position the singular value falls like the square root of the way that is left.
            return Status.OUT_OF_REACH if sigma < 0.2 else Status.NOT_CONVERGED
    return pose


def _on_the_way(closer: Closer, h0: Floats, h1: Floats, part: float) -> Floats:
    """Return inputs on the straight way from h0 to h1; unit vectors stay unit vectors."""
    if part == 1.0:
        return h1
    mixed, row = h0 + part * (h1 - h0), 0
    moving = [j for j, value in enumerate(closer.known) if value is None]
    for j, (width, _) in zip(moving, scales_of(closer), strict=True):
        if j < len(closer.form.rows.unit) and closer.form.rows.unit[j]:
            mixed[row : row + 2] /= np.sqrt(np.sum(mixed[row : row + 2] ** 2, axis=0))
        row += width
    return np.asarray(mixed)
