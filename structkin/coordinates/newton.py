"""The Newton-Raphson method on Phi(q, z) = 0, over lanes, and why it fails where it does.

Rows and columns are scaled by their units, so that a step of 1 is a turn of a radian or a way of the mechanism's size,
and the smallest singular value of the scaled Jacobian tells how near a singular pose is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.linear import Dense, Factors, LinearSolver
from structkin.coordinates.system import Coordinates
from structkin.coordinates.triangular import Blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Makes the linear solver of a pattern: rows, columns, number of unknowns.
SolverMaker = Callable[[Ints, Ints, int], LinearSolver]

#: A step below this is the last: what quadratic convergence leaves after it is below rounding.
TOLERANCE = 1e-8
#: A step beyond this is thrown off.
FAR = 1e3
#: Iterations of the Newton-Raphson method on a sample.
ITERATIONS = 3
#: Redundant rows agree where the largest gap that is left is below this.
CONSISTENT = 1e-9
#: Smallest singular value of a regular pose.
SINGULAR = 1e-7


class Outcome(Enum):
    """How a run of the Newton-Raphson method ended; figures are those of Flores and Lankarani (S1)."""

    CONVERGED = "converged"
    OTHER_BRANCH = "converged on another branch: there are several solutions (Figs. 42b, 43)"
    NO_SOLUTION = "no solution near by: the mechanism cannot be assembled so at these values of its drivers (Fig. 44)"
    SINGULAR_POSE = "the pose is singular: branches meet there, and convergence is slow (Fig. 45)"
    SINGULAR_START = "the Jacobian is singular at the estimate: its tangent is level (Fig. 42d)"
    THROWN_OFF = "a solution exists, but the estimate was too far: the iteration was thrown off (Fig. 42c)"
    CYCLED = "a solution exists, but the iteration went to and fro around a bend of Phi (Fig. 42a)"


@dataclass(frozen=True)
class Scaled:
    """A family of coordinates with its rows and columns scaled, and the rows that are solved.

    Where joints are redundant there are more rows than coordinates; `chosen` are independent ones.
    """

    coordinates: Coordinates
    make_solver: SolverMaker
    chosen: Ints | None = None

    @cached_property
    def _scale(self) -> Floats:
        rows, columns = self.coordinates.pattern
        return (self.coordinates.column_units[columns] / self.coordinates.row_units[rows])[:, None]

    @cached_property
    def _kept(self) -> Ints | None:
        """The entries in chosen rows."""
        return None if self.chosen is None else np.flatnonzero(np.isin(self.coordinates.pattern[0], self.chosen))

    @cached_property
    def pattern(self) -> tuple[Ints, Ints]:
        """Rows and columns of the square matrix that is solved."""
        rows, columns = self.coordinates.pattern
        if self.chosen is None or self._kept is None:
            return rows, columns
        renumber = np.full(self.coordinates.m, -1, np.intp)
        renumber[self.chosen] = np.arange(len(self.chosen))
        return renumber[rows[self._kept]], columns[self._kept]

    @cached_property
    def solver(self) -> LinearSolver:
        """The linear solver for this pattern; its ordering is found once."""
        return self.make_solver(*self.pattern, self.coordinates.n)

    @cached_property
    def blocks(self) -> Blocks | None:
        """The pattern in block triangular form."""
        return Blocks.find(*self.pattern, self.coordinates.n)

    @property
    def redundant(self) -> bool:
        """Whether there are more rows than coordinates."""
        return self.coordinates.m > self.coordinates.n

    def all_rows(self, q: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return Phi (m, lanes) and the entries of all rows, scaled."""
        phi, entries = self.coordinates.evaluate(q, z)
        return phi / self.coordinates.row_units[:, None], entries * self._scale

    def system(self, q: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return Phi and the entries of the square system, scaled."""
        phi, entries = self.all_rows(q, z)
        return self.right(phi, scaled=True), entries if self._kept is None else entries[self._kept]

    def jacobian(self, q: Floats, z: Floats) -> Floats:
        """Return the entries of the square system, scaled."""
        entries = self.coordinates.jacobian(q, z) * self._scale
        return np.asarray(entries if self._kept is None else entries[self._kept])

    def right(self, rows: Floats, *, scaled: bool = False) -> Floats:
        """Return right-hand sides of the square system from those of all rows."""
        if not scaled:
            rows = rows / self.coordinates.row_units[:, None]
        return np.asarray(rows if self.chosen is None else rows[self.chosen])

    def change(self, step: Floats) -> Floats:
        """Return a scaled step in the coordinates' own units."""
        return np.asarray(step * self.coordinates.column_units[:, None])

    def choose(self, q: Floats, z: Floats) -> Scaled:
        """Return the system with its rows chosen anew at a pose, by a rank-revealing QR factorisation."""
        from scipy.linalg import qr

        _, entries = self.all_rows(q, z)
        order = qr(self.full(entries[:, 0]).T, mode="r", pivoting=True)[1]
        chosen = np.sort(order[: self.coordinates.n]).astype(np.intp)
        if self.chosen is not None and np.array_equal(chosen, self.chosen):
            return self
        return Scaled(self.coordinates, self.make_solver, chosen)

    def full(self, entries: Floats) -> Floats:
        """Return the scaled Jacobian (m, n) of one lane from the entries of all rows."""
        matrix = np.zeros((self.coordinates.m, self.coordinates.n))
        matrix[self.coordinates.pattern] = entries
        return matrix

    def gap(self, q: Floats, z: Floats) -> Floats:
        """Return the largest scaled residual of any row (lanes,)."""
        return np.asarray(np.max(np.abs(self.all_rows(q, z)[0]), axis=0))

    def smallest_singular_value(self, q: Floats, z: Floats) -> Floats:
        """Return the smallest singular value of the scaled Jacobian (lanes,); NaN where there is no pose."""
        entries = self.all_rows(q, z)[1]
        sigma = np.full(q.shape[1], np.nan)
        for lane in np.flatnonzero(np.isfinite(entries).all(axis=0)):
            sigma[lane] = np.linalg.svd(self.full(entries[:, lane]), compute_uv=False)[-1]
        return sigma


@dataclass(frozen=True)
class Closed:
    """What the iteration found: coordinates, iterations and last scaled step of each lane, and which converged."""

    q: Floats
    iterations: NDArray[np.int32]
    step: Floats
    converged: NDArray[np.bool_]


def close(scaled: Scaled, q: Floats, z: Floats, iterations: int = ITERATIONS) -> Closed:
    """Run the Newton-Raphson method over lanes (S1 eqs. 123-125): solve Phi_q dq = -Phi, q += dq.

    A lane is done after the step that is below the tolerance; lanes that are done are left alone.
    """
    q, lanes = np.array(q), q.shape[1]
    step, count = np.full(lanes, np.inf), np.zeros(lanes, np.int32)
    going: Any = slice(None)
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            here = q[:, going]
            phi, entries = scaled.system(here, z[:, going])
            dq = scaled.solver.step(entries, phi)
            size = np.max(np.abs(dq), axis=0, initial=0.0)
            lost = ~(size < FAR)
            if lost.any():
                size[lost], dq[:, lost] = np.inf, np.nan
            # `here` is a view of all lanes, or a copy of those that go on.
            here -= scaled.change(dq)
            if not isinstance(going, slice):
                q[:, going] = here
            step[going] = size
            count[going] += 1
            going = np.flatnonzero((step >= TOLERANCE) & (step < FAR))
            if not len(going):
                break
    return Closed(q, count, step, step < TOLERANCE)


@dataclass(frozen=True)
class Rates:
    """Velocities and accelerations (n, lanes), and the factors that both were solved with."""

    v: Floats
    a: Floats
    factors: Factors


def rates(scaled: Scaled, q: Floats, z: Floats, dz: Floats, ddz: Floats) -> Rates:
    """Solve velocities and accelerations with one factorisation a lane (S1 eqs. 44 and 45)."""
    coordinates = scaled.coordinates
    with np.errstate(all="ignore"):
        entries = scaled.jacobian(q, z)
        factors = scaled.solver.factor(entries)
        v = scaled.change(factors.solve(scaled.right(coordinates.nu(z, dz))))
        a = scaled.change(factors.solve(scaled.right(coordinates.gamma(q, v, z, dz, ddz))))
    return Rates(v, a, factors)


@dataclass(frozen=True)
class NewtonRun:
    """One run from an estimate: where it ended, how, its steps and residuals, and the rows that do not close.

    `steps` and `residuals` are the largest scaled ones of each iteration; `rows` the labels of open rows, the widest
    gap first.
    """

    q: Floats
    outcome: Outcome
    steps: tuple[float, ...]
    residuals: tuple[float, ...]
    smallest_singular_value: float
    rows: tuple[str, ...] = ()

    @property
    def iterations(self) -> int:
        """Number of linear systems that were solved."""
        return len(self.steps)

    @property
    def converged(self) -> bool:
        """Whether q solves Phi(q, z) = 0."""
        return self.outcome in (Outcome.CONVERGED, Outcome.OTHER_BRANCH)


def newton_raphson(
    coordinates: Coordinates, q: Any, z: Any, *, tolerance: float = TOLERANCE, limit: int = 20
) -> NewtonRun:
    """Solve Phi(q, z) = 0 from an estimate q (n,) at the drivers' values z, and say how it went.

    `tolerance` bounds the last step [rad, or parts of the mechanism's size], `limit` the iterations. Where it does not
    converge, the least residual near by is looked for: if that is not zero there is no solution.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (2, 0.1), "C": (3, 0)}, links={"ground": ["A"], "crank": ["A", "B"],
    ...         "rod": ["B", "C"], "slider": ["C"]},
    ...     joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "axis": [1, 0]}},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
    >>> c = sk.constraints(m, "relative")
    >>> sk.newton_raphson(c, c.start()[:, 0], [0.1]).outcome.name
    'CONVERGED'
    >>> run = sk.newton_raphson(c, c.start()[:, 0], [1.2])  # the crank is too long to turn so far
    >>> run.outcome.name, run.rows[0]
    ('NO_SOLUTION', 'guide (across the guide)')
    """
    scaled = Scaled(coordinates, Dense)
    q, z = np.array(q, float).reshape(-1, 1), np.array(z, float).reshape(-1, 1)
    estimate = q
    first, jacobian = _one(scaled, q, z)
    sign = _sign(jacobian)
    steps: list[float] = []
    residuals = [float(np.max(np.abs(first), initial=0.0))]
    if residuals[0] > tolerance and np.linalg.svd(jacobian, compute_uv=False)[-1] < SINGULAR:
        return _judge(scaled, q, q, z, Outcome.SINGULAR_START, steps, residuals)
    for _ in range(limit):
        phi, jacobian = _one(scaled, q, z)
        dq = np.asarray(np.linalg.lstsq(jacobian, -phi, rcond=None)[0], float)[:, None]
        q = q + scaled.change(dq)
        steps.append(float(np.max(np.abs(dq), initial=0.0)))
        residuals.append(float(scaled.gap(q, z)[0]))
        if steps[-1] < tolerance or not np.isfinite(q).all():
            break
    return _judge(scaled, estimate, q, z, _outcome(scaled, q, z, sign, steps, residuals, tolerance), steps, residuals)


def _one(scaled: Scaled, q: Floats, z: Floats) -> tuple[Floats, Floats]:
    phi, entries = scaled.all_rows(q, z)
    return phi[:, 0], scaled.full(entries[:, 0])


def _sign(jacobian: Floats) -> float:
    return float(np.linalg.slogdet(jacobian)[0]) if jacobian.shape[0] == jacobian.shape[1] else 0.0


def _outcome(
    scaled: Scaled, q: Floats, z: Floats, sign: float, steps: list[float], residuals: list[float], tolerance: float
) -> Outcome:
    if np.isfinite(q).all():
        sigma = float(scaled.smallest_singular_value(q, z)[0])
        # Where branches meet, each step halves what is left: the residual is gone before the steps are.
        if residuals[-1] < CONSISTENT and sigma < 1e-4 and (steps[-1] >= tolerance or sigma < SINGULAR):
            return Outcome.SINGULAR_POSE
        if steps[-1] < tolerance and residuals[-1] < CONSISTENT:
            return Outcome.CONVERGED if _sign(_one(scaled, q, z)[1]) == sign else Outcome.OTHER_BRANCH
    to_and_fro = len(steps) > 4 and max(residuals[-4:]) < 10 * min(residuals[-4:])
    return Outcome.CYCLED if to_and_fro else Outcome.THROWN_OFF


def _judge(
    scaled: Scaled,
    estimate: Floats,
    q: Floats,
    z: Floats,
    outcome: Outcome,
    steps: list[float],
    residuals: list[float],
) -> NewtonRun:
    rows: tuple[str, ...] = ()
    if outcome in (Outcome.CYCLED, Outcome.THROWN_OFF, Outcome.SINGULAR_START):
        # A least residual may be a local one: the estimate and the sketch have their say as well.
        starts = [x for x in (q, estimate, scaled.coordinates.start()) if np.isfinite(x).all()]
        found = (np.abs(scaled.all_rows(nearest_pose(scaled, x, z), z)[0][:, 0]) for x in starts)
        gaps = min(found, key=np.max)
        if gaps.max() > 1e-6:
            labels = scaled.coordinates.rows
            order = [k for k in np.argsort(-gaps) if gaps[k] > 0.1 * gaps.max()]
            rows = tuple(str(labels[k]) for k in order)
            if outcome is not Outcome.SINGULAR_START:
                outcome = Outcome.NO_SOLUTION
    sigma = float(scaled.smallest_singular_value(q, z)[0])
    return NewtonRun(q[:, 0], outcome, tuple(steps), tuple(residuals), sigma, rows)


def nearest_pose(scaled: Scaled, q: Floats, z: Floats) -> Floats:
    """Return the pose near q with the least residual, by the Levenberg-Marquardt method."""
    from scipy.optimize import least_squares

    unit = scaled.coordinates.column_units

    def phi(x: Floats) -> Floats:
        return _one(scaled, (x * unit)[:, None], z)[0]

    def jacobian(x: Floats) -> Floats:
        return _one(scaled, (x * unit)[:, None], z)[1]

    method: Literal["lm", "trf"] = "lm" if scaled.coordinates.m >= scaled.coordinates.n else "trf"
    found = least_squares(phi, q[:, 0] / unit, jac=jacobian, method=method, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return np.asarray(found.x * unit)[:, None]
