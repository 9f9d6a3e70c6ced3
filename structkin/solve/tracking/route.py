"""The route of a group's inputs between two lanes: that of the drivers, or a straight line where nothing more is known.

Both give the inputs at any part of the route, and on circles of complex places around a part, where a group that is
singular on the route is regular (`structkin.track.continuation`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.group_solvers import GroupSolver, scales_of, weights_of
from structkin.track.continuation import Circle
from structkin.track.contour import UNIT
from structkin.types import Floats

#: The radius of a circle around a part of a route, in halves of its length.
RADIUS = 1.25

#: The inputs between two lanes, as coefficients (inputs, powers) of x from -1 to 1, and half the length of the drivers'
#: path between them [rad or parts of the size]; None where they are not smooth.
Places = Callable[[int, int], "tuple[Floats, float] | None"]


class Route(Protocol):
    """The way of the inputs from one lane, 0, to another, 1."""

    def at(self, part: float) -> Floats:
        """Return the inputs (inputs, 1) at a part of the way."""

    def circle(self, begin: float, end: float) -> Circle:
        """Return the inputs on a circle around a part of the way."""


@dataclass(frozen=True)
class Straight:
    """A straight line between inputs h0 and h1 (inputs, 1)."""

    solver: GroupSolver
    h0: Floats
    h1: Floats

    def at(self, part: float) -> Floats:
        """Return the inputs; unit vectors keep their length."""
        return np.asarray(mixed(self.solver, self.h0, self.h1, part))

    def circle(self, begin: float, end: float) -> Circle:
        """Return the inputs on a circle around a part of the line."""
        half = 0.5 * (end - begin) * float(np.max(np.abs(self.h1 - self.h0) * weights_of(self.solver), initial=0.0))
        h = mixed(self.solver, self.h0, self.h1, 0.5 * (begin + end) + 0.5 * (end - begin) * RADIUS * UNIT)
        return Circle(Direct(self.solver.form, self.solver.known).values(h), RADIUS, half)


@dataclass(frozen=True)
class Driven:
    """The way along the drivers' path: inputs as `powers` (inputs, n) of x from -1 to 1, in a `direction`."""

    solver: GroupSolver
    powers: Floats
    half: float
    direction: int

    def at(self, part: float) -> Floats:
        """Return the inputs."""
        return np.asarray(self._at(self.direction * (2.0 * np.array([part]) - 1.0)))

    def circle(self, begin: float, end: float) -> Circle:
        """Return the inputs on a circle around a part of the way."""
        x = self.direction * (begin + end - 1.0 + (end - begin) * RADIUS * UNIT)
        h = Direct(self.solver.form, self.solver.known).values(self._at(x))
        return Circle(h, RADIUS, self.half * (end - begin))

    def _at(self, x: Any) -> Any:
        return self.powers @ x ** np.arange(self.powers.shape[1])[:, None]


def mixed(solver: GroupSolver, h0: Floats, h1: Floats, part: Any) -> Any:
    """Return inputs on the straight path from h0 to h1, at a part of it or several; unit vectors stay unit vectors."""
    if isinstance(part, float) and part == 1.0:
        return h1
    found, row = h0 + part * (h1 - h0), 0
    moving = [j for j, value in enumerate(solver.known) if value is None]
    for j, (width, _) in zip(moving, scales_of(solver), strict=True):
        if solver.form.rows.is_unit(j):
            found[row : row + 2] /= np.sqrt(np.sum(found[row : row + 2] ** 2, axis=0))
        row += width
    return found
