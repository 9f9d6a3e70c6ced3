"""The system of the multipliers by group sweeps: with the coordinates of all drivers added to Phi it is triangular.

Let G = [Phi_q; z_q] be the Jacobian of the constraints and of the free coordinates z. It is square, and the structural
groups are its blocks. A forward sweep applies G^-1, a reverse sweep G^-T, in O(n):

    R = G^-1 [0; E]              velocities for unit rates of z: the velocity coefficients K of all coordinates
    x_0 = G^-1 [g; 0]            the solution of the constraints with z at rest
    R^T M R w = R^T (f - M x_0)  the reduced equations, as many as there are free coordinates
    G^T [lambda; 0] = f - M x    all multipliers, for x = R w + x_0; the last rows vanish by the choice of w

so the structure serves the global equations: no matrix of the size of [M Phi_q^T; Phi_q 0] is formed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.global_methods.families import Coordinates
from structkin.global_methods.linear import Triangular
from structkin.model.mechanism import Mechanism
from structkin.rows.lane_matrix import Matrix
from structkin.types import Floats, Indices

Pattern = tuple[Indices, Indices]


class SweptMatrix:
    """[M A^T; A 0] for rows A of Phi_q, where z_q (f, n) completes A to a square matrix; everything scaled."""

    def __init__(self, m_pattern: Pattern, a_pattern: Pattern, z_pattern: Pattern, n: int, m: int) -> None:
        """Order the blocks; raises `ValueError` where the pattern has no perfect matching."""
        self._m_pattern, self._n, self._m = m_pattern, n, m
        rows = np.concatenate((a_pattern[0], m + z_pattern[0]))
        self._triangular = Triangular(rows, np.concatenate((a_pattern[1], z_pattern[1])), n)
        self._sum = Matrix.summing(m_pattern[0], n)

    def factor(self, M: Floats, A: Floats, z_entries: Floats) -> SweptFactors:
        """Return the factors of one pose."""
        return SweptFactors(self, M, A, z_entries)

    def times_mass(self, M: Floats, v: Floats) -> Floats:
        """Return M v (n,)."""
        return np.asarray(self._sum @ (M * v[self._m_pattern[1]]))


class SweptFactors:
    """R and the reduced mass matrix of one pose."""

    def __init__(self, matrix: SweptMatrix, M: Floats, A: Floats, z_entries: Floats) -> None:
        """Sweep once for each free coordinate."""
        self._matrix, self._M = matrix, M
        self._factors = matrix._triangular.factor(np.concatenate((A, z_entries))[:, None])
        n, m = matrix._n, matrix._m
        unit = np.eye(n)[:, m:]
        self.R = np.stack([self._factors.solve(column[:, None])[:, 0] for column in unit.T], axis=1).reshape(n, n - m)
        by_mass = np.stack([matrix.times_mass(M, column) for column in self.R.T], axis=1).reshape(n, n - m)
        self.reduced = self.R.T @ by_mass

    def __call__(self, right: Floats) -> Floats:
        """Return x and lambda (n + m,) for the right-hand side (n + m,)."""
        n, m = self._matrix._n, self._matrix._m
        padded = np.concatenate((right[n:], np.zeros(n - m)))
        x = self._factors.solve(padded[:, None])[:, 0]
        rest = right[:n] - self._matrix.times_mass(self._M, x)
        if n > m:
            x = x + self.R @ np.linalg.solve(self.reduced, self.R.T @ rest)
        force = right[:n] - self._matrix.times_mass(self._M, x)
        multipliers = self._factors.solve_transposed(force[:, None])[:, 0]
        return np.concatenate((x, multipliers[:m]))


class CoordinateDrivers:
    """The Jacobian z_q = z_X X_q of drivers in the coordinates of a family, scaled, in a fixed pattern."""

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates, drivers: Sequence[str]) -> None:
        """Join the entries of z_X with those of X_q."""
        drives = [mechanism.drivers[id] for id in drivers]
        self._read = DriverCoordinates.of_frames(mechanism, coordinates.links, drives)
        X_rows, X_columns, _ = coordinates.frame_map(coordinates.start())
        by_row: list[list[int]] = [[] for _ in range(4 * len(coordinates.links))]
        for e, row in enumerate(X_rows.tolist()):
            by_row[row].append(e)
        rows, columns = self._entries = self._read.pattern
        terms = [(k, e) for k, column in enumerate(columns.tolist()) for e in by_row[column]]
        self._first, self._second = (np.array([term[k] for term in terms], np.intp) for k in (0, 1))
        code = rows[self._first] * coordinates.n + X_columns[self._second]
        code, out = np.unique(code, return_inverse=True)
        self.pattern: Pattern = (code // coordinates.n, code % coordinates.n)
        self._gather = Matrix.summing(out, len(code))
        units = np.array([1.0 if drive.kind == "angle" else coordinates.size for drive in drives])
        self._scale = coordinates.column_units[self.pattern[1]] / units[self.pattern[0]]

    def entries(self, X: Floats, frame_map: Floats) -> Floats:
        """Return the scaled entries at the frames X (4 links,), for the entries of X_q."""
        slopes = self._read.gradient(X)[self._entries]
        return np.asarray(self._scale * (self._gather @ (slopes[self._first] * frame_map[self._second])))
