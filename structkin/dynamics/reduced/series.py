"""Power series of a mechanism's poses, used where its groups are singular.

At a change point (the flat pose of a parallelogram) K and L of the groups are 0/0, and close to it they lose their
precision; but along any smooth path of the drivers the pose is an analytic function of the path length s. Its power
series comes from poses on a circle of complex s, where every group is regular
(`structkin.solve.change_points.contours`), by one Fourier transform; its first two derivatives are K and z'^T L z'
along that path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from structkin.plan.plan import Plan
from structkin.solve.change_points.contours import RADII, Signs, solve_on_contours
from structkin.track.contour import POWERS, UNIT, is_analytic, powers
from structkin.types import Complexes, Floats

#: The part of the radius in which a series represents the pose: the omitted powers are below rounding there.
VALID = 0.3


@dataclass(frozen=True)
class Series:
    """Slots (rows,) as power series of the distance s from a `place` (f,) along each of c `directions` (c, f).

    `powers` (c, rows, POWERS) are the coefficients times powers of the radius, `nodes` (rows, c, NODES) the complex
    slots on the circles. The steps `flat` pass a flat pose inside a circle.
    """

    place: Floats
    directions: Floats
    radius: float
    powers: Floats
    nodes: Complexes
    flat: frozenset[int]

    def place_of(self, q: Floats) -> float:
        """Return the distance of some coordinates along the only direction."""
        return float((q - self.place)[0] / self.directions[0, 0])

    def holds(self, q: Floats, part: float = VALID) -> bool:
        """Return whether coordinates lie in the inner part of the circle."""
        return abs(self.place_of(q)) <= part * self.radius

    def at(self, s: float) -> tuple[Floats, Floats, Floats]:
        """Return value and the first two derivatives by s (rows, c) at a distance s from the place."""
        n = np.arange(POWERS)
        power = (s / self.radius) ** n
        first, second = np.zeros(POWERS), np.zeros(POWERS)
        first[1:] = n[1:] * power[:-1] / self.radius
        second[2:] = n[2:] * n[1:-1] * power[:-2] / self.radius**2
        value, one, two = np.moveaxis(self.powers @ np.stack((power, first, second), axis=1), 2, 0)
        return value.T, one.T, two.T


def expand(
    plan: Plan, order: Sequence[str], q: Floats, directions: Floats, signs: Signs, near: Floats
) -> Series | None:
    """Return the series of a pose along directions (c, f) from coordinates q (f,), None where no circle is reliable.

    `signs` distinguishes the smooth roots, as for `solve_on_contours`; `near` (rows,) are slots nearby.
    """
    around = np.repeat(near[:, None], len(directions), axis=1)
    for radius in RADII:
        nodes = q[:, None, None] + directions.T[:, :, None] * (radius * UNIT)
        with np.errstate(all="ignore"):
            contours = solve_on_contours(plan, dict(zip(order, nodes, strict=True)), radius, signs, around)
            if not (contours.until == len(plan.steps)).all():
                continue
            found = powers(contours.x)
        if is_analytic(found, np.max(np.abs(contours.x))).all():
            flat = frozenset(step for step, zeros in contours.zeros.items() if np.isfinite(zeros.flat).any())
            return Series(q, directions, radius, np.moveaxis(found[..., :POWERS].real, 1, 0), contours.x, flat)
    return None
