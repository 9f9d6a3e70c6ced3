"""One run of the Newton-Raphson method examined closely: whether it converged, to what, and if not, why and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import numpy as np

from structkin.checked import checked
from structkin.errors import Problem, raise_problems
from structkin.global_methods.families.system import Coordinates
from structkin.global_methods.linear import Dense
from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import CLOSED, LAST_DIGIT, OPEN_ROW, RESIDUAL, SINGULAR
from structkin.types import Floats, Indices

#: Poses in which equations are evaluated in search of the least residual: where a search converges at all, it takes far
#: fewer, but next to a pose with links of very different lengths it may creep for thousands.
EVALUATIONS = 200


class Outcome(Enum):
    """How a run of the Newton-Raphson method ended; figures are those of Flores and Lankarani (S1)."""

    CONVERGED = "converged"
    OTHER_BRANCH = "converged on another branch: there are several solutions (Figs. 42b, 43)"
    NO_SOLUTION = "no solution nearby: the mechanism cannot be assembled at these values of its drivers (Fig. 44)"
    SINGULAR_POSE = "the pose is singular: branches meet there, and convergence is slow (Fig. 45)"
    SINGULAR_START = "the Jacobian is singular at the estimate: its tangent is horizontal (Fig. 42d)"
    THROWN_OFF = "a solution exists, but the estimate was too far away: the iteration diverged (Fig. 42c)"
    CYCLED = "a solution exists, but the iteration oscillated around an extremum of Phi (Fig. 42a)"
    NOT_EXAMINED = "not converged; with so many coordinates the cause is not examined"


@checked
@dataclass(frozen=True)
class NewtonRun:
    """One run from an estimate: where it ended, how, its steps and residuals, and the rows that do not close.

    `steps` and `residuals` are the largest scaled ones of each iteration; `rows` the labels of open rows, the largest
    gap first.
    """

    q: Floats
    outcome: Outcome
    steps: tuple[float, ...]
    residuals: tuple[float, ...]
    smallest_singular_value: float
    rows: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return how it ended, and after how many iterations."""
        return f"<NewtonRun: {self.outcome.value}, {self.iterations} iterations>"

    @property
    def iterations(self) -> int:
        """Number of linear systems that were solved."""
        return len(self.steps)

    @property
    def converged(self) -> bool:
        """Whether q solves Phi(q, z) = 0."""
        return self.outcome in (Outcome.CONVERGED, Outcome.OTHER_BRANCH)


@checked
def newton_raphson(
    coordinates: Coordinates, q: Any, z: Any, *, tolerance: float = CLOSED, limit: int = 20
) -> NewtonRun:
    """Solve Phi(q, z) = 0 from an estimate q (n,) at the drivers' values z, and report the outcome.

    `tolerance` bounds the last step [rad, or parts of the mechanism's size], `limit` the iterations. Where it does not
    converge, the least residual nearby is searched for: if that is not zero there is no solution. Raises `InputError`
    where q or z do not fit the coordinates.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (2, 0.1), "C": (3, 0)}, links={"ground": ["A"], "crank": ["A", "B"],
    ...         "rod": ["B", "C"], "slider": ["C"]},
    ...     joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "axis": [1, 0]}},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
    >>> c = m.constraints("relative")
    >>> sk.newton_raphson(c, c.start()[:, 0], [0.1]).outcome.name
    'CONVERGED'
    >>> run = sk.newton_raphson(c, c.start()[:, 0], [1.2])  # the crank is too long to turn this far
    >>> run.outcome.name, run.rows[0]
    ('NO_SOLUTION', 'guide (across the guide)')
    """
    _check(coordinates, q, z, tolerance, limit)
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


def _check(coordinates: Coordinates, q: Any, z: Any, tolerance: float, limit: int) -> None:
    """Raise `InputError` with every argument that does not fit the coordinates."""
    problems = []
    counts = (("q", q, coordinates.n, "coordinates"), ("z", z, len(coordinates.drivers), "drivers"))
    for key, values, count, what in counts:
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.array("")
        # A number alone is a row of one; a column of start() is a row as well.
        if array.dtype.kind not in "iuf" or array.size != count or max(array.shape, default=1) != max(count, 1):
            problems.append(Problem(key, f"expected {count} real numbers, one for each of the {what}"))
        elif not np.isfinite(array).all():
            problems.append(Problem(key, "contains values that are not finite"))
    if tolerance <= 0:
        problems.append(Problem("tolerance", f"{tolerance!r} is not a positive number"))
    if limit < 1:
        problems.append(Problem("limit", f"{limit!r} is not a positive whole number"))
    raise_problems(problems, "newton_raphson")


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
        # Where branches meet, each step halves the error: the residual vanishes before the steps do.
        if residuals[-1] < RESIDUAL and sigma < 1e-4 and (steps[-1] >= tolerance or sigma < SINGULAR):
            return Outcome.SINGULAR_POSE
        if steps[-1] < tolerance and residuals[-1] < RESIDUAL:
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
        # A least residual may be local: it is searched from the estimate and the sketch as well.
        starts = [x for x in (q, estimate, scaled.coordinates.start()) if np.isfinite(x).all()]
        found = (np.abs(scaled.all_rows(nearest_pose(scaled, x, z), z)[0][:, 0]) for x in starts)
        gaps = min(found, key=np.max)
        if gaps.max() > OPEN_ROW:
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
    found = least_squares(
        phi,
        q[:, 0] / unit,
        jac=jacobian,
        method=method,
        xtol=LAST_DIGIT,
        ftol=LAST_DIGIT,
        gtol=LAST_DIGIT,
        max_nfev=EVALUATIONS,
    )
    return np.asarray(found.x * unit)[:, None]


def open_links(scaled: Scaled, q: Floats, z: Floats) -> tuple[str, ...]:
    """Return the links at the open rows of the first diagonal block that does not close from q (n, 1) at z (f, 1).

    The blocks are closed one after another, as the groups would be: all equations together spread a gap that cannot be
    closed over every joint before it. Empty where all blocks close, or where the system has no such blocks.
    """
    from scipy.optimize import least_squares

    blocks, labels = scaled.blocks, scaled.coordinates.rows
    if blocks is None:
        return ()
    q, unit = q.copy(), scaled.coordinates.column_units
    for block in blocks.blocks:
        rows = block.rows if scaled.chosen is None else scaled.chosen[block.rows]
        columns = block.columns

        def phi(x: Floats, rows: Indices = rows, columns: Indices = columns) -> Floats:
            q[columns, 0] = x * unit[columns]
            return np.asarray(scaled.all_rows(q, z)[0][rows, 0])

        start = q[columns, 0] / unit[columns]
        if np.max(np.abs(phi(start))) > OPEN_ROW:
            found = least_squares(phi, start, method="lm", xtol=LAST_DIGIT, ftol=LAST_DIGIT, gtol=LAST_DIGIT)
            gaps = np.abs(phi(found.x))
            if not gaps.max() <= OPEN_ROW:
                wide = rows[gaps > 0.1 * gaps.max()]
                return tuple(dict.fromkeys(link for row in wide.tolist() for link in labels[row].links))
    return ()
