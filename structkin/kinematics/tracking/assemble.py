"""The first pose of a general group: closed from the sketch, in the sketch's assembly mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.closers import Closer
from structkin.kinematics.direct import Direct, apart
from structkin.kinematics.tracking.poses import Poses
from structkin.track.tolerances import CLOSED, HALVINGS, TURN

Floats = NDArray[np.float64]

#: A group that closes this near to its sketch is as it is drawn.
AS_DRAWN = 1e-3


def assemble(closer: Closer, h: Floats, O: Floats, theta: Floats) -> Poses | None:
    """Close the gaps that exact lengths leave in a sketch little by little, so that its assembly mode is kept.

    The rows are brought from what they are in the sketch, origins O (m, 2, 1) and angles theta (m, 1), to zero; None
    where that way meets a singular pose.
    """
    form, rows = closer.form, Direct(closer.form, closer.known)
    sketch = rows.join(O, theta)
    s, change, side = closer.newton(h, sketch, 6)
    if change[0] < CLOSED and apart(form, s, sketch)[0] < AS_DRAWN and side * closer.newton(h, sketch, 1)[2] > 0:
        return Poses(h, s, side)
    values = rows.values(h)
    if form.rows.count > 3 * form.rows.links:
        O, theta, change = form.newton(values, O, theta, iterations=30)
        return Poses(h, rows.join(O, theta), np.ones(1)) if change[0] < CLOSED else None
    gaps, sign = form.gaps(values, O, theta), _sign(form, values, O, theta)
    closed, step = 0.0, 1.0
    while closed < 1.0:
        end = min(1.0, closed + step)
        O1, theta1, change = form.newton(values, O, theta, left=(1.0 - end) * gaps)
        near = max(np.max(np.abs(O1 - O)) / form.rows.size, np.max(np.abs(theta1 - theta))) < TURN
        if change[0] < CLOSED and near and _sign(form, values, O1, theta1)[0] == sign[0]:
            O, theta, closed, step = O1, theta1, end, 2 * step
            continue
        step *= 0.5
        if step < 0.5**HALVINGS:
            return None
    s = rows.join(O, theta)
    return Poses(h, s, closer.newton(h, s, 1)[2])


def _sign(form: General, values: tuple[Any, ...], O: Floats, theta: Floats) -> Floats:
    U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    return np.asarray(np.linalg.slogdet(form.jacobian(values, O, U))[0])
