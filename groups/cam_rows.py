"""Rows of cams for the general group: rows like its own, with a function of an angle in the place of a constant.

    travel     D . (P_j - P_i) - f(angle from B to A) = 0         a translating follower by its law
    turn       angle from E to D - f(angle from B to A) = 0       an oscillating follower by its law
    radius     |P_j - P_i| - f(angle from B to P_j - P_i) = 0     a roller or edge on the curve r = f
    face       D x (P_j - P_i) - f(angle from B to D) = 0         a flat face on the curve of support function f

A and B are directions of the cam and of the carrier; in the last two B is that of the cam, P_i its centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .jet import Jet, Vector, angle, length, seen_from, vector
from .kind import Array
from .periodic import TURN, Function


@dataclass(frozen=True, eq=False)
class CamRow:
    """One row: indices into the points and directions of the group, -1 where its form has none."""

    form: str
    function: Function
    b: int
    a: int = -1
    d: int = -1
    e: int = -1
    i: int = -1
    j: int = -1

    def value(self, points: Sequence[Array], directions: Sequence[Array]) -> Jet:
        """Return the row and its derivatives; `points[mask]` (p, 2, n) and `directions[mask]` (d, 2, n) are parts."""

        def direction(k: int) -> Vector:
            return vector([part[k] for part in directions])

        if self.form == "turn":
            gap = angle(seen_from(direction(self.d), direction(self.e))) - self._of(
                direction(self.a), direction(self.b)
            )
            # Angles are known up to a turn.
            turns = TURN * np.round(np.real(gap.parts[0]) / TURN)
            return Jet((gap.parts[0] - turns, *gap.parts[1:]))
        way = vector([part[self.j] - part[self.i] for part in points])
        if self.form == "travel":
            D = direction(self.d)
            return D[0] * way[0] + D[1] * way[1] - self._of(direction(self.a), direction(self.b))
        if self.form == "radius":
            return length(way) - self._of(way, direction(self.b))
        D = direction(self.d)
        return D[0] * way[1] - D[1] * way[0] - self._of(D, direction(self.b))

    def _of(self, a: Vector, b: Vector) -> Jet:
        return angle(seen_from(a, b)).follow(self.function)


def cam_parts(rows: Sequence[CamRow], points: Sequence[Array], directions: Sequence[Array]) -> Array:
    """Return the mixed derivative (r, n) of all rows along all directions of the parts; the rows for one part."""
    if not rows:
        return np.zeros((0, 1))
    lanes = max(part.shape[-1] for part in (*points, *directions))
    wide = [[np.broadcast_to(part, (*part.shape[:-1], lanes)) for part in parts] for parts in (points, directions)]
    found: list[Any] = [row.value(*wide).parts[-1] for row in rows]
    return np.stack([np.broadcast_to(part, (lanes,)) for part in found])
