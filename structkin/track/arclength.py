"""Pseudo-arclength continuation: a curve of poses and a parameter, followed step by step through its folds.

The unknowns y are those of the poses with the parameter last. The predictor is the tangent; Newton's method corrects
within the plane square to it (Keller 1977; Allgower and Georg, Numerical Continuation Methods, 1990).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from structkin.numerical_tolerances import CLOSED, ROOT, ROUNDING_OF_FEW, SHORTEST_PART, SOLVED_POSE
from structkin.types import Floats

#: Arclength of a step: at first, and at most (times how far from its start it is, where that is above one).
FIRST, LONGEST = 0.02, 0.15
#: A step that crosses to another curve is halved down to this; what is still crossed is a change point.
CROSSING, BEYOND = 1e-5, 1e-2
#: Largest angle between neighbouring tangents [rad], and near a fold.
TANGENT_TURN, TANGENT_TURN_NEAR = 0.2, 0.08
#: Most steps along a curve.
STEPS = 20000


class Equations(Protocol):
    """The equations of a curve."""

    @property
    def angular(self) -> bool:
        """Whether the parameter's size is no measure of the distance between poses."""

    def equations(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the residuals (r,) at y (m,), scaled, and their derivatives (r, m)."""


@dataclass(frozen=True)
class Point:
    """A pose of the curve: its unknowns y (m,), and the unit tangent there in the direction of travel.

    `orientation` is the sign of the determinant of the Jacobian with the tangent below it. It does not change along a
    curve, even through its folds; 0 where there are more equations than unknowns.
    """

    y: Floats
    tangent: Floats
    orientation: float = 0.0


class LostError(Exception):
    """The curve could not be followed beyond the pose `y`: its steps became too short."""

    def __init__(self, y: Floats) -> None:
        """Keep the last pose."""
        self.y = y
        super().__init__(f"at {y[-1]:g}")


def steps(curve: Equations, start: Point) -> Iterator[tuple[Point, Point]]:
    """Yield the steps along a curve, from point to point. Raises `LostError` where it cannot be followed."""
    here, length = start, FIRST
    for _ in range(STEPS):
        there = _step(curve, here, length)
        if there is None:
            length *= 0.5
            if length < SHORTEST_PART:
                break
            continue
        yield here, there
        here, gone = there, np.abs(there.y - start.y)
        # Far from the start a step may be longer.
        far = float((gone[:-1] if curve.angular else gone).max(initial=0.0))
        length = min(2 * length, LONGEST * max(1.0, far))
    raise LostError(here.y)


def begin(curve: Equations, y: Floats, direction: int) -> Point:
    """Return a pose with the tangent along which the parameter increases (+1) or decreases (-1)."""
    _, J = curve.equations(y)
    tangent = np.linalg.svd(J)[2][-1]
    return _oriented(y, J, tangent * (direction if tangent[-1] >= 0 else -direction))


def _oriented(y: Floats, J: Floats, tangent: Floats) -> Point:
    full = np.vstack((J, tangent))
    return Point(y, tangent, float(np.linalg.slogdet(full)[0]) if len(full) == len(y) else 0.0)


def _step(curve: Equations, here: Point, length: float) -> Point | None:
    """Take one step along the curve; None where it must be shorter.

    Two curves that pass close to each other are distinguished by their orientations. Where they cross, at a change
    point, the path continues straight.
    """
    there = advance(curve, here, length)
    if there is None or not _is_smooth(here, there):
        return None
    if there.orientation == here.orientation or 0.0 in (there.orientation, here.orientation):
        return there
    if length > CROSSING:
        return None
    beyond = advance(curve, here, BEYOND)
    return beyond if beyond is not None and _is_smooth(here, beyond) else there


def advance(curve: Equations, here: Point, length: float) -> Point | None:
    """Take one step along the curve, or return None where Newton's method does not converge quickly."""
    guess = here.y + length * here.tangent
    y = guess
    change = np.full(len(y), np.inf)
    for _ in range(7):
        values, J = curve.equations(y)
        full = np.vstack((J, here.tangent))
        rest = np.append(-values, length - here.tangent @ (y - here.y))
        try:
            change = np.linalg.solve(full, rest) if len(full) == len(y) else np.linalg.lstsq(full, rest, rcond=None)[0]
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(change).all():
            return None
        y = y + change
        if np.abs(change).max() < ROUNDING_OF_FEW * max(1.0, np.abs(y).max()):
            break
    else:
        if np.abs(change).max() > SOLVED_POSE:
            return None
    if np.linalg.norm(y - guess) > 0.5 * length:
        return None
    values, J = curve.equations(y)
    if np.abs(values).max() > CLOSED:
        return None
    full = np.vstack((J, here.tangent))
    unit = np.zeros(len(full))
    unit[-1] = 1.0
    tangent = np.linalg.lstsq(full, unit, rcond=None)[0]
    return _oriented(y, J, tangent / np.linalg.norm(tangent))


def _is_smooth(here: Point, there: Point) -> bool:
    """Return whether a step turns the tangent only slightly."""
    turned = math.acos(min(1.0, abs(float(here.tangent @ there.tangent))))
    near = min(abs(here.tangent[-1]), abs(there.tangent[-1])) < 0.1
    return turned < (TANGENT_TURN_NEAR if near else TANGENT_TURN)


def root_between(curve: Equations, here: Point, there: Point, value: Callable[[Point], float]) -> Point:
    """Return the point of a step where a function is zero, by bracketed secants; its end where there is none."""
    from scipy.optimize import brentq

    def at(s: float) -> Point:
        point = advance(curve, here, s) if s else here
        if point is None:
            raise LostError(here.y)
        return point

    length = float(here.tangent @ (there.y - here.y))
    first, last = (value(at(s)) for s in (0.0, length))
    return at(brentq(lambda s: value(at(s)), 0.0, length, xtol=ROOT, rtol=ROOT) if first * last < 0 else length)


def crossing_between(curve: Equations, here: Point, there: Point) -> Floats:
    """Return the pose (m,) of a step at which another curve crosses.

    The determinant of the Jacobian with the tangent below it is zero there. It is interpolated between poses on both
    sides, which are regular.
    """
    middle = 0.5 * (here.y + there.y)
    places, poses, values = [], [], []
    for place in BEYOND * np.arange(1, 4):
        for sense in (-1, 1):
            found = advance(curve, Point(middle, sense * here.tangent), float(place))
            if found is not None:
                sign, size = np.linalg.slogdet(np.vstack((curve.equations(found.y)[1], sense * found.tangent)))
                places.append(sense * float(place))
                poses.append(found.y)
                values.append(sign * np.exp(size))
    if len(places) < 4:
        return middle
    # Of neighbours with other signs the zero between them, by Lagrange's polynomials.
    degree = len(places) - 1
    determinant = np.polyfit(places, np.array(values) / np.abs(values).max(), degree)
    roots = np.roots(determinant)
    zero = roots[np.argmin(np.abs(roots))].real
    return np.array([np.polyval(np.polyfit(places, row, degree), zero) for row in np.array(poses).T])
