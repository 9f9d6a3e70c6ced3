"""Analytic continuation of a general group beyond a pose where it is singular: through a change point, past no limit.

At a change point Newton's method and the tangent have nothing to hold on to, but the pose is an analytic function of
the inputs. From a regular pose before it, the inputs go on in a straight line h(s) = h_0 + s (h_1 - h_0) for complex s
on a circle around: there the group closes by Newton's method, and the powers of s give the pose at s = 1
(`structkin.track.contour`). Around a limit, a gap between two limits and a narrow escape no circle is certain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.track.contour import ITERATIONS, POWERS, UNIT, is_analytic, powers
from structkin.track.tolerances import CLOSED

Floats = NDArray[np.float64]

#: Radii of the circles, as fractions of the path from h_0 to h_1.
RADII = (3.0, 2.0, 1.5, 1.25)
#: Coordinates closer than this, in parts of the size or radians, are the same.
SAME = 1e-7


def continued(
    form: General, h0: tuple[Any, ...], h1: tuple[Any, ...], O: Floats, theta: Floats
) -> tuple[Floats, Floats] | None:
    """Return origins (m, 2, 1) and angles (m, 1) at inputs h1, from those at h0; None where no circle is reliable."""
    if form.rows.count > 3 * form.rows.links:
        return None
    rise_O, rise_theta = _tangent(form, h0, h1, O, theta)
    pose = np.concatenate((O.reshape(-1) / form.rows.size, theta[:, 0]))
    for radius in RADII:
        s = radius * UNIT
        with np.errstate(all="ignore"):
            h = tuple(_along(form, j, a, b, s) for j, (a, b) in enumerate(zip(h0, h1, strict=True)))
            O1, theta1, change = form.newton(h, O + s * rise_O, theta + s * rise_theta, iterations=ITERATIONS)
            if not (change < CLOSED).all():
                continue
            found = powers(np.concatenate((O1.reshape(-1, len(s)) / form.rows.size, theta1)))
        # Newton's method may find another branch all around: the function has to pass through the pose at s = 0.
        if not is_analytic(found).all() or np.max(np.abs(found[:, 0] - pose)) > SAME:
            continue
        values = (found[:, :POWERS] @ radius ** -np.arange(POWERS, dtype=float)).real
        split = 2 * form.rows.links
        return values[:split].reshape(-1, 2, 1) * form.rows.size, values[split:, None]
    return None


def _tangent(
    form: General, h0: tuple[Any, ...], h1: tuple[Any, ...], O: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """Return the changes of origins (m, 2, 1) and angles (m, 1) that the inputs' change makes along the tangent."""
    dh = tuple(np.asarray(b) - np.asarray(a) for a, b in zip(h0, h1, strict=True))
    found = form.linear(h0, form.unknowns(O, theta), dh, (0.0,) * form.rows.equations)
    rates = np.stack([np.broadcast_to(x, (2, 1)) for x in found[: 2 * form.rows.links]])
    dO, dU = rates[0::2], rates[1::2]
    return dO, np.cos(theta) * dU[:, 1] - np.sin(theta) * dU[:, 0]


def _along(form: General, j: int, a: Any, b: Any, s: NDArray[np.complex128]) -> Any:
    """Return an input along the path; unit vectors keep their length."""
    mixed = np.asarray(a) + s * (np.asarray(b) - np.asarray(a))
    if form.rows.is_unit(j):
        mixed = mixed / np.sqrt(np.sum(mixed**2, axis=0))
    return mixed
