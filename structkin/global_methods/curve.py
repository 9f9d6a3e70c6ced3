"""A solved pose with its derivatives by the drivers, and the curve between two of them: Newton's warm starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.linear import Factors
from structkin.global_methods.newton import ClosedPose
from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import ROUNDING, WEAK
from structkin.types import Floats

#: The powers 0 to 5 of the quintic by value, first and second derivative at both ends of the path, row by row.
QUINTIC = np.array([
    [1, 0, 0, -10, 15, -6], [0, 1, 0, -6, 8, -3], [0, 0, 0.5, -1.5, 1.5, -0.5],
    [0, 0, 0, 10, -15, 6], [0, 0, 0, -4, 7, -3], [0, 0, 0, 0.5, -1, 0.5],
])  # fmt: skip


@dataclass(frozen=True)
class Pose:
    """A solved pose: coordinates q (n, 1) at the drivers' values z (f, 1), with the signs of its diagonal blocks."""

    scaled: Scaled
    z: Floats
    q: Floats
    iterations: int = 0
    #: The last iterate of Newton's method, whose factors serve where the pose is far from singular.
    closed: ClosedPose | None = None

    @cached_property
    def _entries(self) -> Floats:
        return self.scaled.system(self.q, self.z)[1]

    @cached_property
    def factors(self) -> Factors:
        """The factorised Jacobian."""
        if self.closed is not None and self.strength > WEAK:
            return self.closed.factors
        return self.scaled.solver.factor(self._entries)

    @cached_property
    def _branch(self) -> tuple[Floats, int, float]:
        """The signs of the determinants of the diagonal blocks, the weakest block, its smallest singular value."""
        blocks = self.scaled.blocks
        if blocks is None:
            return np.zeros(0), -1, float(self.scaled.smallest_singular_value(self.q, self.z)[0])
        if self.closed is not None:
            signs, number, sigma = blocks.branch(self.closed.entries)
            if sigma[0] > WEAK:
                return signs[:, 0], int(number[0]), float(sigma[0])
        signs, number, sigma = blocks.branch(self._entries)
        return signs[:, 0], int(number[0]), float(sigma[0])

    @property
    def signs(self) -> Floats:
        """The branch: the signs of the determinants of the diagonal blocks."""
        # Rows that are chosen again have no determinant to compare.
        return np.zeros(0) if self.scaled.redundant else self._branch[0]

    @property
    def weakest_links(self) -> tuple[str, ...]:
        """The links in the diagonal block that is closest to singular."""
        scaled, blocks = self.scaled, self.scaled.blocks
        if blocks is None:
            return ()
        rows = blocks.blocks[self._branch[1]].rows
        rows = rows if scaled.chosen is None else scaled.chosen[rows]
        labels = scaled.coordinates.rows
        return tuple(dict.fromkeys(link for row in rows.tolist() for link in labels[row].links))

    @property
    def strength(self) -> float:
        """The smallest singular value of a diagonal block."""
        return self._branch[2]

    def weakest(self, q: Floats, z: Floats) -> float:
        """Return the smallest singular value that the block which is weakest here has at another pose q (n, 1)."""
        if self.scaled.blocks is None:
            return float(self.scaled.smallest_singular_value(q, z)[0])
        return self.scaled.blocks.least(self._branch[1], self.scaled.system(q, z)[1])

    @cached_property
    def K(self) -> Floats:
        """dq/dz (n, f)."""
        units = np.eye(len(self.z))[:, :, None]
        columns = [self._solve(self.scaled.nu(self.z, unit)) for unit in units]
        return np.concatenate([np.zeros((len(self.q), 0)), *columns], axis=1)

    def second(self, dz: Floats) -> Floats:
        """Return the second derivative of q (n, 1) along the straight path dz (f, 1): a quadratic form in dz."""
        if len(self.z) == 1:
            return self._second * dz**2
        return self._along(dz)

    @cached_property
    def _second(self) -> Floats:
        """The second derivative by the only driver: shared by both curves that end here."""
        return self._along(np.ones_like(self.z))

    def _along(self, dz: Floats) -> Floats:
        return self._solve(self.scaled.gamma(self.q, self.K @ dz, self.z, dz, 0.0 * dz))

    def _solve(self, right: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return self.scaled.change(self.factors.solve(self.scaled.right(right)))

    def taylor(self, z: Floats) -> Floats:
        """Return the coordinates at other values of the drivers, to the second order."""
        dz = z - self.z
        return self.q + self.K @ dz + 0.5 * self.second(dz)


def whole_turns(first: Pose, last: Pose, same: float) -> Floats | None:
    """Return the turn (n, 1) of each coordinate from one pose to an equal one; None where links differ by `same`."""
    coordinates = last.scaled.coordinates
    gap = np.abs(coordinates.frames(last.q) - coordinates.frames(first.q)).reshape(-1, 2, 2)
    # Where all links are in the same place, coordinates that differ are angles.
    moved = last.q - first.q
    shift = 2 * np.pi * np.round(moved / (2 * np.pi))
    open = np.abs(moved - shift) / last.scaled.column_units
    is_same = max(np.max(gap[:, 0]) / coordinates.size, np.max(gap[:, 1]), np.max(open)) <= same
    return np.asarray(shift) if is_same else None


@dataclass(frozen=True)
class Curve:
    """The quintic through two poses with their first and second derivatives, along the drivers' straight path."""

    a: Pose
    b: Pose

    @cached_property
    def displacement(self) -> Floats:
        """The drivers' path (f, 1)."""
        return self.b.z - self.a.z

    @cached_property
    def _coefficients(self) -> Floats:
        """The coefficients (n, 6) of the powers of the fraction of the path."""
        a, b, displacement = self.a, self.b, self.displacement
        ends = [part for end in (a, b) for part in (end.q, end.K @ displacement, end.second(displacement))]
        return np.asarray(np.concatenate(ends, axis=1) @ QUINTIC)

    def at(self, s: Any) -> NDArray[Any]:
        """Return the coordinates (n, lanes) at fractions s (lanes,) of the path, possibly complex: 0 is a, 1 is b."""
        return np.asarray(self._coefficients @ powers(s))

    def doubtful(self, weak: float) -> bool:
        """Return whether it may contain a singular pose: an end is weak, or a determinant changes its sign."""
        return min(self.a.strength, self.b.strength) < weak or not np.array_equal(self.a.signs, self.b.signs)

    def part(self, z: Floats, units: Floats) -> tuple[Floats, Floats]:
        """Return the fraction of the path (lanes,) at values z (f, lanes), and their deviation from it."""
        displacement = (self.displacement / units).T
        square = float((displacement @ displacement.T)[0, 0])
        s = (displacement @ ((z - self.a.z) / units))[0] / square if square else np.zeros(z.shape[1])
        return s, z - self.a.z - s * self.displacement

    def near(self, z: Floats, units: Floats) -> Floats:
        """Return the coordinates (n, lanes) at values z near the path; off it, to first order."""
        s, beside = self.part(z, units)
        q = self.at(s)
        if len(z) > 1 and np.any(np.abs(beside) > ROUNDING * units):
            q = q + (self.a.K @ beside) * (1 - s) + (self.b.K @ beside) * s
        return q


def powers(s: NDArray[Any]) -> NDArray[Any]:
    """Return the powers 0 to 5 of numbers (6, lanes)."""
    found = np.empty((6, len(s)), s.dtype)
    found[0] = 1.0
    found[1] = s
    for k in range(2, 6):
        np.multiply(found[k // 2], found[k - k // 2], out=found[k])
    return found
