"""Where curves of poses cross: the change points of mechanisms whose groups have no closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.limits.follow import LEAP, Fold, Point, advance
from structkin.kinematics.limits.system import System

Floats = NDArray[np.float64]


def crossing_between(system: System, here: Point, there: Point) -> Floats:
    """Return the pose between two at which another curve crosses.

    The determinant of the Jacobian with the tangent below it is zero there. It is interpolated between poses on both
    sides, which are regular.
    """
    middle = Point(0.5 * (here.y + there.y), here.tangent, here.side)
    places, poses, values = [], [], []
    for step in LEAP * np.arange(1, 4):
        for way in (-1, 1):
            found = advance(system, Point(middle.y, way * here.tangent), float(step))
            if found is not None:
                sign, size = np.linalg.slogdet(np.vstack((system.equations(found.y)[1], way * found.tangent)))
                places.append(way * float(step))
                poses.append(found.y)
                values.append(sign * np.exp(size))
    if len(places) < 4:
        return middle.y
    # Of neighbours with other signs the zero between them, by Lagrange's polynomials.
    degree = len(places) - 1
    determinant = np.polyfit(places, np.array(values) / np.abs(values).max(), degree)
    roots = np.roots(determinant)
    zero = roots[np.argmin(np.abs(roots))].real
    return np.array([np.polyval(np.polyfit(places, row, degree), zero) for row in np.array(poses).T])


def change_at(system: System, y: Floats) -> Fold:
    """Return a pose at which curves cross like a fold, with the step that is singular there."""
    null = np.linalg.svd(system.equations(y)[1][:, :-1])[2][-1]
    return Fold(float(y[-1]), system.stuck(np.append(null, 0.0)), y)
