"""Analytic continuation of a general group beyond a pose where it is singular: through a change point, past no limit.

At a change point Newton's method and the tangent have nothing to hold on to, but the pose is an analytic function of
the drivers. On a circle of complex places around a part of their path the group closes by Newton's method, and the
powers of the place give the pose at the end of the part from that at its beginning (`structkin.track.contour`). Around
a limit, a gap between two limits and a narrow escape there are negative powers as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import CLOSED, FLAT_WITHIN, HALF_DIGITS
from structkin.track.contour import ITERATIONS, NODES, POWERS, UNIT, missed, powers
from structkin.types import Complexes, Floats


@dataclass(frozen=True)
class Circle:
    """The inputs `h` of a group at the complex places `radius` UNIT around a part of a path, from -1 to 1.

    The part is 2 `half` long [rad or parts of the size].
    """

    h: tuple[Any, ...]
    radius: float
    half: float


@dataclass(frozen=True)
class Continuation:
    """The pose at the end of a part of a path, and by how much lengths miss a change point on it, in parts of the size.

    Where the latter is not below `FLAT_WITHIN` the pose is not certain.
    """

    O: Floats
    theta: Floats
    missed: float

    @property
    def certain(self) -> bool:
        """Whether the pose follows from that at the beginning."""
        return self.missed <= FLAT_WITHIN


def continued(form: General, h0: tuple[Any, ...], circle: Circle, O: Floats, theta: Floats) -> Continuation | None:
    """Return the pose at the end of a part of a path from that at its beginning, O (m, 2, 1), theta (m, 1), inputs h0.

    None where Newton's method fails or leads to another branch.
    """
    with np.errstate(all="ignore"):
        rise_O, rise_theta = _tangent(form, h0, circle, O, theta)
        O1, theta1, change = form.newton(circle.h, O + rise_O, theta + rise_theta, iterations=ITERATIONS)
        if not (change < CLOSED).all():
            return None
        found = powers(np.concatenate((O1.reshape(-1, NODES) / form.rows.size, theta1)))
    at = [found[:, :POWERS] @ (place / circle.radius) ** np.arange(POWERS) for place in (-1.0, 1.0)]
    pose = np.concatenate((O.reshape(-1) / form.rows.size, theta[:, 0]))
    # Newton's method may find another branch all around: the function has to pass through the pose at the beginning.
    if np.max(np.abs(at[0] - pose)) > HALF_DIGITS:
        return None
    split = 2 * form.rows.links
    O, theta = at[1][:split].real.reshape(-1, 2, 1) * form.rows.size, at[1][split:, None].real
    return Continuation(O, theta, missed(found, circle.radius * circle.half))


def _tangent(
    form: General, h0: tuple[Any, ...], circle: Circle, O: Floats, theta: Floats
) -> tuple[Complexes, Complexes]:
    """Return the changes of origins (m, 2, NODES) and angles (m, NODES) along the tangent at the beginning of the part.

    The rates of the inputs are those at the beginning: a finite step of theirs meets redundant rows only roughly.
    """
    along = np.arange(1, POWERS) * (-1.0 / circle.radius) ** np.arange(POWERS - 1) / circle.radius

    def rate(value: Any) -> Any:
        if np.shape(value)[-1:] != (NODES,):
            return 0.0 * np.asarray(value)
        terms = powers(np.reshape(value, (-1, NODES)))[:, 1:POWERS].real @ along
        return terms.reshape(*np.shape(value)[:-1], 1)

    found = form.linear(h0, form.unknowns(O, theta), tuple(map(rate, circle.h)), (0.0,) * form.rows.equations)
    rates = np.stack([np.broadcast_to(x, (2, 1)) for x in found[: 2 * form.rows.links]])
    dO, dU = rates[0::2], rates[1::2]
    away = circle.radius * UNIT + 1.0
    return dO * away, (np.cos(theta) * dU[:, 1] - np.sin(theta) * dU[:, 0]) * away
