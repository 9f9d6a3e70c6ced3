"""The linear system of the multipliers: [M A^T; A 0] [x; lambda] = [f; g], dense, sparse or by group sweeps.

A = Phi_q. Rows and columns are scaled by the units of the coordinates, and M by its own size. Three cases:

- A has full row rank: one factorisation, by LAPACK or by SuperLU with its columns ordered once.
- Joints are redundant, k rows more than the rank: the system is solved with independent rows A_1, chosen by a
  rank-revealing QR factorisation. The others are A_2 = C A_1, where C follows from the same factors; the multipliers
  of minimum norm are lambda_2 = (E + C C^T)^-1 C mu, lambda_1 = mu - C^T lambda_2, where mu are those of A_1 alone.
- The rank drops at the pose (a change point): [M A^T; A -eps E] with iterative refinement, which is the augmented
  Lagrangian method (Bayo, Garcia de Jalon & Serna 1988) and converges to the solution of minimum norm.

By group sweeps: with the coordinates of all drivers added to Phi the system is triangular. Let G = [Phi_q; z_q]
be the Jacobian of the constraints and of the free coordinates z. It is square, and the structural groups are its
blocks. A forward sweep applies G^-1, a reverse sweep G^-T, in O(n):

    R = G^-1 [0; E]              velocities for unit rates of z: the velocity coefficients K of all coordinates
    x_0 = G^-1 [g; 0]            the solution of the constraints with z at rest
    R^T M R w = R^T (f - M x_0)  the reduced equations, as many as there are free coordinates
    G^T [lambda; 0] = f - M x    all multipliers, for x = R w + x_0; the last rows vanish by the choice of w

so the structure serves the global equations: no matrix of the size of [M Phi_q^T; Phi_q 0] is formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from structkin.blas import one_thread_for
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.global_methods.families import Coordinates
from structkin.global_methods.linear import Sparse, Triangular
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import LEAST_POSITIVE, PENALTY, ROUNDING_OF_ONE
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

    def factor(self, M: Floats, A: Floats, z_entries: Floats) -> Callable[[Floats], Floats]:
        """Sweep once for each free coordinate; return what solves for a right-hand side (n + m,): x and lambda."""
        factors = self._triangular.factor(np.concatenate((A, z_entries))[:, None])
        n, m = self._n, self._m
        unit = np.eye(n)[:, m:]
        R = np.stack([factors.solve(column[:, None])[:, 0] for column in unit.T], axis=1).reshape(n, n - m)
        by_mass = np.stack([self._times_mass(M, column) for column in R.T], axis=1).reshape(n, n - m)
        reduced = R.T @ by_mass

        def solve(right: Floats) -> Floats:
            padded = np.concatenate((right[n:], np.zeros(n - m)))
            x = factors.solve(padded[:, None])[:, 0]
            rest = right[:n] - self._times_mass(M, x)
            if n > m:
                x = x + R @ np.linalg.solve(reduced, R.T @ rest)
            force = right[:n] - self._times_mass(M, x)
            multipliers = factors.solve_transposed(force[:, None])[:, 0]
            return np.concatenate((x, multipliers[:m]))

        return solve

    def _times_mass(self, M: Floats, v: Floats) -> Floats:
        """Return M v (n,)."""
        return np.asarray(self._sum @ (M * v[self._m_pattern[1]]))


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
        units = np.array([drive.unit(coordinates.size) for drive in drives])
        self._scale = coordinates.column_units[self.pattern[1]] / units[self.pattern[0]]

    def entries(self, X: Floats, frame_map: Floats) -> Floats:
        """Return the scaled entries at the frames X (4 links,), for the entries of X_q."""
        slopes = self._read.gradient(X)[self._entries]
        return np.asarray(self._scale * (self._gather @ (slopes[self._first] * frame_map[self._second])))


#: Below this part of the largest strength of the motion, rows have lost their independence. The strength is about the
#: smallest singular value of A (scaled); that of a long chain is small everywhere.
LOST = 1e-4
#: How often the penalty of a violated row is corrected.
CORRECTIONS = 3


class Solution(Protocol):
    """Factors of one pose, for any right-hand side: `regular` says whether A has full rank."""

    regular: bool

    def solve(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Return x (n,) and lambda (m,) for f (n,) and g (m,)."""


class _Matrix:
    """One pattern [M A^T; A -eps E] of `rows` of A, and its factors."""

    def __init__(self, m_pattern: Pattern, a_pattern: Pattern, n: int, m: int, sparse: bool) -> None:
        below = np.arange(n, n + m)
        (mi, mj), (ai, aj) = m_pattern, a_pattern
        self._rows, self._columns = np.concatenate((mi, n + ai, aj, below)), np.concatenate((mj, aj, n + ai, below))
        self._n, self._m = n, m
        self._sparse = Sparse(self._rows, self._columns, n + m) if sparse else None

    def factor(self, M: Floats, A: Floats, epsilon: float) -> Callable[[Floats], Floats]:
        """Factorise; return what solves for a right-hand side, with NaN where a pivot is zero."""
        entries = np.concatenate((M, A, A, np.full(self._m, -epsilon)))
        size = self._n + self._m
        if self._sparse is not None:
            factors = self._sparse.factor(entries[:, None])
            return lambda right: np.asarray(factors.solve(right[:, None])[:, 0])
        from scipy.linalg.lapack import dgetrf, dgetrs

        full = np.zeros((size, size), order="F")
        full[self._rows, self._columns] = entries
        with one_thread_for(size):
            lu, pivots, info = dgetrf(full, overwrite_a=1)

        def solve(right: Floats) -> Floats:
            with one_thread_for(size):
                return np.full(size, np.nan) if info else np.asarray(dgetrs(lu, pivots, right)[0])

        return solve


@lru_cache(maxsize=64)
def signs(size: int) -> Floats:
    """Return a right-hand side of signs, whose solution estimates the size of an inverse; read-only."""
    found = np.where(np.random.default_rng(0).random(size) < 0.5, -1.0, 1.0)
    found.setflags(write=False)
    return found


@dataclass
class Kkt:
    """The system of one mechanism in one family of coordinates.

    `redundant` is the number of joint rows of Phi beyond its rank; `rows` are the rows that are solved.
    """

    coordinates: Coordinates
    m_pattern: Pattern
    redundant: int
    sparse: bool
    #: Rows and columns of z_q, the Jacobian of the free coordinates, where the system is solved by sweeps.
    z_pattern: Pattern | None = None
    rows: Indices | None = None
    size: float = 0.0
    strength: float = 0.0

    @cached_property
    def _units(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The scales of the entries of M and A, of columns and of rows."""
        c = self.coordinates
        (mi, mj), (ai, aj) = self.m_pattern, c.pattern
        columns, rows = c.column_units, c.row_units
        return columns[mi] * columns[mj], columns[aj] / rows[ai], columns, rows

    @cached_property
    def _all(self) -> _Matrix:
        c = self.coordinates
        return _Matrix(self.m_pattern, c.pattern, c.n, c.m, self.sparse)

    @cached_property
    def chosen(self) -> tuple[Pattern, Indices]:
        """The pattern of the rows that are solved, and their entries."""
        c = self.coordinates
        if self.rows is None:
            return c.pattern, np.arange(len(c.pattern[0]))
        renumber = np.full(c.m, -1, np.intp)
        renumber[self.rows] = np.arange(len(self.rows))
        kept = np.flatnonzero(renumber[c.pattern[0]] >= 0)
        return (renumber[c.pattern[0][kept]], c.pattern[1][kept]), kept

    @cached_property
    def _some(self) -> _Matrix:
        """The matrix of the rows that are solved."""
        c = self.coordinates
        return _Matrix(self.m_pattern, self.chosen[0], c.n, c.m - self.redundant, self.sparse)

    @cached_property
    def _swept(self) -> SweptMatrix:
        """The same by group sweeps."""
        assert self.z_pattern is not None
        c = self.coordinates
        return SweptMatrix(self.m_pattern, self.chosen[0], self.z_pattern, c.n, c.m - self.redundant)

    def choose(self, A: Floats) -> None:
        """Choose independent rows for scaled entries of A."""
        if self.redundant:
            from scipy.linalg import qr

            c = self.coordinates
            full = np.zeros((c.m, c.n))
            full[c.pattern] = A
            order = qr(full.T, mode="r", pivoting=True)[1]
            self.rows = np.sort(order[: c.m - self.redundant]).astype(np.intp)
            for made in ("chosen", "_some", "_swept"):
                self.__dict__.pop(made, None)

    def factor(self, M: Floats, A: Floats, z_q: Floats | None = None) -> Solution:
        """Return the factors for the entries of M and of A = Phi_q, in SI; by sweeps for scaled entries of z_q."""
        M, A = self._scale(M, A)
        if self.redundant and self.rows is None:
            self.choose(A)
        if z_q is not None:
            swept = _Regular(self, M, A, z_q)
            if swept.regular:
                return swept
        # At a dead point of the free coordinates the sweeps fail, and the whole matrix is factorised.
        found: Solution = _Regular(self, M, A)
        if not found.regular and self.redundant:
            self.choose(A)
            found = _Regular(self, M, A)
        return found if found.regular else Penalised(self, M, A, PENALTY, CORRECTIONS)

    def penalise(self, M: Floats, A: Floats, penalty: float, corrections: int) -> Solution:
        """Return the augmented Lagrangian method for entries in SI; its penalty counts in masses of the mechanism."""
        M, A = self._scale(M, A)
        return Penalised(self, M, A, 1.0 / penalty, corrections)

    def _scale(self, M: Floats, A: Floats) -> tuple[Floats, Floats]:
        scale_m, scale_a, _, _ = self._units
        M = M * scale_m
        self.size = self.size or float(np.max(np.abs(M), initial=0.0)) or 1.0
        return M / self.size, A * scale_a

    def scaled(self, f: Floats, g: Floats) -> Floats:
        """Return the right-hand side in scaled units."""
        return np.concatenate((f * self._units[2] / self.size, g / self._units[3]))

    def unscaled(self, x: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
        """Return a solution in SI."""
        return x * self._units[2], multipliers * self.size / self._units[3]


class _Regular:
    """Factors where the chosen rows are independent."""

    def __init__(self, kkt: Kkt, M: Floats, A: Floats, z_q: Floats | None = None) -> None:
        self._kkt, self._A = kkt, A
        kept, n = kkt.chosen[1], kkt.coordinates.n
        self._factors: Callable[[Floats], Floats] = (
            kkt._some.factor(M, A[kept], 0.0) if z_q is None else kkt._swept.factor(M, A[kept], z_q)
        )
        with np.errstate(all="ignore"):
            # Gaps of 1 in all rows are closed by moves of about 1 / strength.
            gaps = np.concatenate((np.zeros(n), signs(kkt.coordinates.m - kkt.redundant)))
            moves = float(np.max(np.abs(self._factors(gaps)[:n]), initial=0.0))
        # NaN where a pivot is exactly zero; without rows the rank cannot drop.
        strength = min(1.0, 1.0 / max(moves, LEAST_POSITIVE)) if np.isfinite(moves) else 0.0
        kkt.strength = max(kkt.strength, strength)
        self.regular = strength > LOST * kkt.strength

    @cached_property
    def _ties(self) -> tuple[Indices, Floats]:
        """The dependent rows, and C with A_2 = C A_1."""
        c, rows = self._kkt.coordinates, self._kkt.rows
        assert rows is not None
        rest = np.setdiff1d(np.arange(c.m), rows)
        C = np.empty((len(rest), len(rows)))
        for k, row in enumerate(rest):
            right = np.zeros(c.n + len(rows))
            of_row = c.pattern[0] == row
            right[c.pattern[1][of_row]] = self._A[of_row]
            C[k] = self._factors(right)[c.n :]
        return rest, C

    def solve(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        kkt, n = self._kkt, self._kkt.coordinates.n
        right = kkt.scaled(f, g)
        if kkt.rows is None:
            found = self._factors(right)
            return kkt.unscaled(found[:n], found[n:])
        found = self._factors(np.concatenate((right[:n], right[n:][kkt.rows])))
        rest, C = self._ties
        multipliers = np.empty(kkt.coordinates.m)
        multipliers[rest] = np.linalg.solve(np.eye(len(rest)) + C @ C.T, C @ found[n:])
        multipliers[kkt.rows] = found[n:] - C.T @ multipliers[rest]
        return kkt.unscaled(found[:n], multipliers)


class Penalised:
    """The augmented Lagrangian method: a penalty 1 / epsilon on violated rows, and its corrections."""

    regular = False

    def __init__(self, kkt: Kkt, M: Floats, A: Floats, epsilon: float, corrections: int) -> None:
        """Factorise; every correction costs one more solution."""
        self._kkt, self._corrections = kkt, corrections
        self._factors = kkt._all.factor(M, A, epsilon)
        self._M, self._A = M, A

    def solve(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Return x (n,) and lambda (m,) for f (n,) and g (m,)."""
        kkt, c = self._kkt, self._kkt.coordinates
        right = kkt.scaled(f, g)
        found = self._factors(right)
        for _ in range(self._corrections):
            change = self._factors(right - self._times(found))
            found = found + change
            if np.max(np.abs(change)) < ROUNDING_OF_ONE * np.max(np.abs(found)):
                break
        return kkt.unscaled(found[: c.n], found[c.n :])

    def _times(self, v: Floats) -> Floats:
        """Return [M A^T; A 0] v."""
        c = self._kkt.coordinates
        (mi, mj), (ai, aj) = self._kkt.m_pattern, c.pattern
        out = np.zeros(c.n + c.m)
        np.add.at(out, mi, self._M * v[mj])
        np.add.at(out, aj, self._A * v[c.n + ai])
        np.add.at(out, c.n + ai, self._A * v[aj])
        return out
