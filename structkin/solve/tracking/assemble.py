"""The first pose of a general group: closed from the sketch, in the sketch's assembly mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import CLOSED, HALVINGS, TURN
from structkin.solve.tracking.direct import Direct, apart
from structkin.solve.tracking.group_solvers import GroupSolver
from structkin.solve.tracking.poses import Poses
from structkin.track.steps import follow_straight
from structkin.types import Floats

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
        O1, theta1, change = form.newton(values, *pose, left=(1.0 - end) * gaps)
        near = max(np.max(np.abs(O1 - pose[0])) / form.rows.size, np.max(np.abs(theta1 - pose[1]))) < TURN
        return (O1, theta1) if change[0] < CLOSED and near and _sign(form, values, O1, theta1)[0] == sign[0] else None

    closed, arrived = follow_straight((O, theta), take, lambda _: 0.5**HALVINGS)
    if not arrived:
        return None
    s = rows.join(*closed)
    return Poses(h, s, solver.newton(h, s, 1)[2])


def _sign(form: General, values: tuple[Any, ...], O: Floats, theta: Floats) -> Floats:
    return np.asarray(np.linalg.slogdet(form.jacobian(values, form.unknowns(O, theta)))[0])
