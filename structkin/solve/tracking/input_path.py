"""The inputs of a general group along its lanes: which lanes have them, and how far they move.

Between two lanes the route is that of the drivers, or a straight line where nothing more is known. Both give the inputs
at any part of the route, and on circles of complex places around a part, where a group that is singular on the route is
regular (`structkin.track.continuation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.group_solvers import GroupSolver, scales_of, weights_of
from structkin.track.continuation import Circle
from structkin.track.contour import UNIT
from structkin.types import Floats, Indices

# --- the route between two lanes -----------------------------------------------------------------------------------

#: The radius of a circle around a part of a route, in halves of its length.
RADIUS = 1.25

#: The inputs between two lanes, as coefficients (inputs, powers) of x from -1 to 1, and half the length of the drivers'
#: path between them [rad or parts of the size]; None where they are not smooth.
Places = Callable[[float, float], "tuple[Floats, float] | None"]
#: Where the inputs between two lanes are not smooth, the way is halved so often: near a gap they move like a root.
HALVED = 20


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


# --- inputs along the lanes ----------------------------------------------------------------------------------------

#: Lanes that are processed together: their data then stay in the cache.
BLOCK = 8192


class InputPath:
    """The lanes (n,) whose inputs are known, numbered by their place among these, and the `way` (n,) of the inputs.

    The path length is relative to the group's size. A run of lanes without a gap in the inputs is one motion.
    """

    def __init__(
        self,
        solver: GroupSolver,
        rows: Sequence[Floats],
        n: int,
        turned: Sequence[Floats] = (),
        places: Places | None = None,
    ) -> None:
        """Take the inputs, `rows` of (n,), and the angles `turned` (n,) whose whole turns matter.

        `places` returns the inputs between two lanes.
        """
        self._solver, self._places, self._turned = solver, places, turned
        self.rows, self._count, self.spacing = rows, n, solver.spacing
        scales = scales_of(solver)
        self._weights = weights_of(solver)
        self.length = path_length(rows, scales, n)
        self.lanes, self._ends = np.arange(n), np.array([n - 1])
        # A value missing anywhere makes the sum NaN; a single lane has no path.
        if not np.isfinite(self.length[-1]) or (n == 1 and not all(np.isfinite(row[0]) for row in rows)):
            # Lanes whose inputs are missing belong to an earlier group's failure.
            self.lanes = np.flatnonzero(np.logical_and.reduce([np.isfinite(row) for row in rows]))
            self._ends = np.append(np.flatnonzero(np.diff(self.lanes) > 1), len(self.lanes) - 1)
            self.length = path_length([row[self.lanes] for row in rows], scales, len(self.lanes))

    def inputs(self, lanes: Any) -> Floats:
        """Return the inputs (inputs, n) at some lanes."""
        if not self.rows:
            return np.empty((0, len(range(*lanes.indices(self._count)) if isinstance(lanes, slice) else lanes)))
        return np.array([row[lanes] for row in self.rows])

    def at(self, k: Any) -> Floats:
        """Return the inputs (inputs, n) at some of the lanes that have them."""
        return self.inputs(self.lanes[np.atleast_1d(k)])

    def part(self, low: int, high: int) -> tuple[Floats, ...]:
        """Return the inputs, views (n,) of each row, at consecutive lanes of one run."""
        lanes = slice(self.lanes[low], self.lanes[low] + high - low)
        return tuple(row[lanes] for row in self.rows)

    def places(self, h: Floats) -> Floats:
        """Return inputs as places in one space, in parts of the group's size (n, inputs)."""
        return (h * self._weights).T if len(h) else np.zeros((h.shape[1], 1))

    def turns(self, k: Any) -> Floats:
        """Return the angles whose whole turns matter, at some of the lanes that have inputs (n, angles)."""
        lanes = self.lanes[np.atleast_1d(k)]
        return np.array([row[lanes] for row in self._turned]).reshape(len(self._turned), len(lanes)).T

    def route(self, k: int, target: int) -> Route:
        """Return the way of the inputs from one lane to another."""
        first, last = int(self.lanes[k]), int(self.lanes[target])
        found = self._places(min(first, last), max(first, last)) if self._places else None
        if found is None:
            return Straight(self._solver, self.at(k), self.at(target))
        return Driven(self._solver, *found, 1 if last > first else -1)

    def pieces(self, k: int, target: int) -> list[Route]:
        """Return the drivers' way from one lane to another in parts in which the inputs are smooth; none where not."""
        first, last = int(self.lanes[k]), int(self.lanes[target])
        found = self._halves(min(first, last), max(first, last), HALVED)
        direction = 1 if last > first else -1
        return [Driven(self._solver, *piece, direction) for piece in found[::direction]]

    def _halves(self, low: float, high: float, halvings: int) -> list[tuple[Floats, float]]:
        """Return the inputs in both halves of a way on which they are not smooth; nothing if not in these."""
        middle, found = 0.5 * (low + high), list[tuple[Floats, float]]()
        if not self._places or not halvings:
            return []
        for begin, end in ((low, middle), (middle, high)):
            half = self._places(begin, end)
            parts = [half] if half is not None else self._halves(begin, end, halvings - 1)
            if not parts:
                return []
            found += parts
        return found

    def end_of_run(self, k: int) -> int:
        """Return the last lane that follows lane k without a gap."""
        return int(self._ends[np.searchsorted(self._ends, k)])

    def beginning_of_run(self, k: int) -> int:
        """Return the first lane from which lane k follows without a gap."""
        ends = self._ends[: int(np.searchsorted(self._ends, k))]
        return int(ends[-1]) + 1 if len(ends) else 0

    def points(self, k: int, count: int) -> Indices:
        """Return this many continuation points after lane k, spaced or each the next lane, up to the end of its run."""
        end = self.end_of_run(k)
        count = min(count, int((self.length[end] - self.length[k]) / self.spacing) + 1)
        ahead = np.searchsorted(self.length, self.length[k] + self.spacing * np.arange(1, count + 1), side="right") - 1
        ahead = np.minimum(np.maximum(ahead, k + 1), end)
        return np.asarray(ahead[np.append(True, ahead[1:] > ahead[:-1])])

    def point(self, k: int, end: int) -> int:
        """Return the next lane to step to from lane k towards another: one spacing away, or else the next."""
        if end > k:
            return min(
                max(k + 1, int(np.searchsorted(self.length, self.length[k] + self.spacing, side="right")) - 1), end
            )
        return max(min(k - 1, int(np.searchsorted(self.length, self.length[k] - self.spacing))), end)


#: Lanes whose path lengths are computed together, so that the data fit into the cache.
TOGETHER = 16384


def path_length(rows: Sequence[Floats], inputs: Sequence[tuple[int, float]], n: int) -> Floats:
    """Return the path length (n,) from the first lane: the sum of the changes of all inputs from lane to lane.

    `inputs` are the number of rows of each input, one or two of the `rows` (n,), and its scale. The length is NaN from
    the first NaN of an input on.

    >>> rows = [np.array([0.0, 3.0, 3.0]), np.array([0.0, 4.0, 4.0]), np.array([0.0, 0.0, -1.0])]
    >>> path_length(rows, [(2, 10.0), (1, 2.0)], 3).tolist()
    [0.0, 0.5, 1.0]
    """
    length = np.zeros(max(n, 1))
    step, square = np.empty((2, min(TOGETHER, n)))
    with np.errstate(all="ignore"):
        for start in range(0, n - 1, TOGETHER):
            end, row = min(start + TOGETHER, n - 1), 0
            part, one, two = length[start + 1 : end + 1], step[: end - start], square[: end - start]
            for width, size in inputs:
                np.subtract(rows[row][start + 1 : end + 1], rows[row][start:end], out=one)
                one *= one
                if width == 2:
                    np.subtract(rows[row + 1][start + 1 : end + 1], rows[row + 1][start:end], out=two)
                    two *= two
                    one += two
                np.sqrt(one, out=one)
                one *= 1 / size
                part += one
                row += width
            part[0] += length[start]
            np.cumsum(part, out=part)
    return length
