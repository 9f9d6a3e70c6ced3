"""Change points on the path of a global method: a determinant vanishes while the pose continues smoothly.

At a change point branches cross, and the motion passes straight through; dimensions that miss it slightly have a gap or
two branches that turn away from each other, and continuing straight would be a jump. The pose is an analytic function
of the drivers in the first case and has branch points in the second; a circle around it shows which
(`structkin.track.contour`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.newton import close
from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import FLAT_WITHIN, SAME_POSE
from structkin.track.contour import ITERATIONS, POWERS, UNIT, is_analytic, missed, powers
from structkin.types import Floats

#: Radii of the circles around the middle of a step, relative to it.
RADII = (1.5, 1.0, 0.75, 0.6)
#: Radii of the circles around a sample, relative to the drivers' units.
AROUND = (2e-2, 4e-3)


def is_smooth(curve: Curve, units: Floats, misses: list[float]) -> bool:
    """Return whether the poses at both ends of a curve lie on one analytic function of the drivers.

    Else what lengths miss a change point by is added to `misses`; `units` (f, 1) are those of the drivers.
    """
    length, least = float(np.max(np.abs(curve.displacement / units))), np.inf
    for radius in RADII:
        s = 0.5 + radius * UNIT
        found = close(curve.a.scaled, curve.at(s), curve.a.z + s * curve.displacement, ITERATIONS)
        if not found.converged.all():
            continue
        terms = powers(found.q / curve.a.scaled.column_units)
        ends = (terms[:, :POWERS] @ (np.array([-0.5, 0.5]) / radius) ** np.arange(POWERS)[:, None]).real
        gap = ends - np.concatenate((curve.a.q, curve.b.q), axis=1) / curve.a.scaled.column_units
        same = bool(np.max(np.abs(gap)) < SAME_POSE)
        least = min(least, missed(terms, radius * length)) if same else least
        if least <= FLAT_WITHIN:
            return same
    misses.append(least)
    return False


def smooth_pose(pose: Pose, predicted: Floats, z: Floats, direction: Floats) -> Floats | None:
    """Return the pose (n, 1) at a change point as the mean over a circle around it; None where there is none.

    The guesses on the circle are `predicted` (n, 1) with the slope of the expansion about a regular pose nearby.
    """
    for radius in AROUND:
        step = radius * direction
        slope = 0.5 * (pose.taylor(z + step) - pose.taylor(z - step))
        terms = _expanded(pose.scaled, predicted + UNIT * slope, z + UNIT * step)
        if terms is not None:
            return np.asarray(terms[:, :1].real * pose.scaled.column_units)
    return None


def _expanded(scaled: Scaled, guess: Any, z: Any) -> Any:
    """Return the powers (n, POWERS) of the scaled pose on a circle; None where it is not analytic inside."""
    found = close(scaled, guess, z, ITERATIONS)
    if not found.converged.all():
        return None
    terms = powers(found.q / scaled.column_units)
    return terms[:, :POWERS] if is_analytic(terms).all() else None
