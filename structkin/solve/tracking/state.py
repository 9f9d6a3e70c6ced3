"""The results along the lanes: poses, statuses, and the continuation points with unfilled lanes between them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import FLAT
from structkin.plan.status import Status
from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.group_solvers import GroupSolver
from structkin.solve.tracking.input_path import BLOCK, InputPath
from structkin.solve.tracking.solved_lanes import Poses
from structkin.types import Floats, Indices

#: A pose whose determinant exceeds the solver's `regular_determinant` by this factor is not flat.
DOUBT = 1000


class TrackerState:
    """The poses `out` (rows, n) of a group along its path, and one status per lane (n,).

    `chain` are the points between which lanes are to be filled, with their `determinants`; `tracked` are all points
    that were tracked to one by one. `least` is the smallest singular value among the poses near a singular one,
    infinite where there are none.
    """

    def __init__(self, solver: GroupSolver, path: InputPath, out: Floats) -> None:
        """Begin without results."""
        self.solver, self.path, self.out = solver, path, out
        self.status = np.full(out.shape[1], Status.NOT_CONVERGED, np.int8)
        if len(path.lanes) < len(self.status):
            self.status[:] = Status.OUT_OF_REACH
            self.status[path.lanes] = Status.NOT_CONVERGED
        self.least = np.inf
        self.chain: list[int] = []
        self.determinants: list[float] = []
        self.tracked: list[int] = []
        #: Lanes, in order: between each, or one soon after it, and the one before there is a gap.
        self.gaps: list[int] = []
        #: Points that had been stepped to on another branch, and have their right pose now.
        self.corrected: set[int] = set()
        #: Lanes that have a pose, but a gap between them and the lane before.
        self.parted: set[int] = set()
        self._doubtful: list[Indices] = []
        #: A pose that is kept is asked for its singular value again.
        self._seen: tuple[Poses | None, Floats] = None, np.zeros(0)

    @property
    def doubtful_determinant(self) -> float:
        """A pose with a larger determinant than this is not near a singular one."""
        return DOUBT * self.solver.regular_determinant

    def keep(self, k: Any, poses: Poses) -> None:
        """Store poses."""
        lanes = self.path.lanes[np.atleast_1d(k)]
        # Lanes are in order: consecutive ones are written at once.
        at = slice(lanes[0], lanes[-1] + 1) if len(lanes) and lanes[-1] - lanes[0] + 1 == len(lanes) else lanes
        self.out[:, at] = poses.s
        self.status[at] = Status.OK
        self.watch(lanes, poses)

    def watch(self, lanes: Indices, poses: Poses) -> None:
        """Remember which poses may be singular, and the smallest singular value of those near a singular one."""
        doubtful = np.flatnonzero(~(np.abs(poses.determinant) > self.doubtful_determinant))
        if len(doubtful):
            near = ~(np.abs(poses.determinant[doubtful]) > self.solver.regular_determinant)
            self._doubtful.append(lanes[doubtful[near]])
            some = poses if len(doubtful) == len(lanes) else poses.take(doubtful)
            self.least = min(self.least, float(np.min(self.sigma(some))))

    def link(self, points: Sequence[int], determinants: Sequence[float], *, tracked: bool) -> None:
        """Add points after the last one; the lanes in between are filled later."""
        self.chain += points
        self.determinants += determinants
        if tracked:
            self.tracked += points

    def restart(self, k: int, pose: Poses) -> None:
        """Store a lane that does not follow from the last one, and begin a new chain there."""
        self.keep(k, pose)
        self.chain, self.determinants = [k], [float(pose.determinant[0])]
        self.tracked.append(k)

    def neighbour(self, k: int) -> tuple[list[int], list[float]]:
        """Return the point beside lane k, an end of the chain, and its determinant; empty where there is none."""
        if self.chain[-1:] == [k]:
            return self.chain[-2:-1], self.determinants[-2:-1]
        return (self.chain[1:2], self.determinants[1:2]) if self.chain[:1] == [k] else ([], [])

    def stretch(self, k: int) -> tuple[int, int]:
        """Return the first and the last lane of those around lane k that no gap parts from it."""
        after = bisect(self.gaps, k)
        first = max(self.gaps[after - 1] if after else 0, self.path.beginning_of_run(k))
        last = self.path.end_of_run(k)
        return first, min(last, self.gaps[after] - 1) if after < len(self.gaps) else last

    def poses(self, k: Indices) -> Poses:
        """Return the poses and determinants of solved lanes."""
        h, s = self.path.at(k), self.found(k)
        _, _, determinant = self.solver.newton(h, s, 1)
        return Poses(h, s, determinant)

    def found(self, k: Indices) -> Floats:
        """Return the poses (rows, n) of solved lanes."""
        return np.take(self.out, self.path.lanes[k], axis=1)

    def is_flat(self, pose: Poses) -> bool:
        """Return whether a pose is so near a singular one that its tangent is unreliable."""
        clear = abs(pose.determinant[0]) > self.doubtful_determinant
        return not clear and bool(self.sigma(pose)[0] < FLAT)

    def sigma(self, poses: Poses) -> Floats:
        """Return the smallest singular value of the scaled Jacobian (n,)."""
        if poses is not self._seen[0]:
            self._seen = poses, Direct(self.solver.form, self.solver.known).sigma(poses.h, poses.s)
        return self._seen[1]

    def close(self) -> None:
        """Mark the poses that have no rates, and clear the numbers of lanes without a pose."""
        doubtful = np.concatenate([*self._doubtful, np.zeros(0, np.intp)]).astype(np.intp)
        doubtful = doubtful[self.status[doubtful] == Status.OK]
        for start in range(0, len(doubtful), BLOCK):
            lanes = doubtful[start : start + BLOCK]
            h = self.path.inputs(lanes)
            self.status[lanes[self.solver.singular(h, np.take(self.out, lanes, axis=1))]] = Status.SINGULAR
        parted = self.path.lanes[list(self.parted)]
        self.status[parted[self.status[parted] == Status.OK]] = Status.OUT_OF_REACH
        if self.status.any():
            self.out[:, (self.status != Status.OK) & (self.status != Status.SINGULAR)] = np.nan


def unpacked(form: General, phi: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the origins (m, 2, n) and the angles (m, n) of a general group's unknowns, with their whole turns.

    >>> from structkin.groups import Rows
    >>> geared = General(Rows(1, 0, forms=(), row_sizes=(), angles=(0,), angle_numbers=(0,)))
    >>> O, theta = unpacked(geared, (np.zeros((2, 1)), np.array([[0.0], [1.0]]), np.array([2.5 * np.pi])))
    >>> (theta / np.pi).tolist()
    [[2.5]]
    """
    m = form.rows.links
    O, U = np.stack(phi[0 : 2 * m : 2]), np.stack(phi[1 : 2 * m : 2])
    theta = np.arctan2(U[:, 1], U[:, 0])
    theta[list(form.rows.angles)] = np.reshape(phi[2 * m :], (len(phi) - 2 * m, theta.shape[-1]))
    return O, theta
