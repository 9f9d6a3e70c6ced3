"""[Phi_q; E_u] of coordinate partitioning: the rows of the constraints and the independent coordinates u.

How they are used, and what the others follow from, stands in `stabilisation`.
"""

from __future__ import annotations

import numpy as np

from structkin.dynamics.multipliers.kkt import Kkt, signs
from structkin.global_methods.linear import Dense, LinearSolver, Sparse
from structkin.types import Floats, Indices

#: An inverse that exceeds that of a regular pose by this factor indicates a change point; there, directions weaker than
#: the cut are left unchanged.
LOST, CUT = 1e4, 1e-3


class Parts:
    """[Phi_q; E_u] for the rows of a system and the coordinates u that were chosen last."""

    _chosen: Indices | None = None
    _rows: Indices | None = None
    _solver: LinearSolver

    def factor(self, kkt: Kkt, A: Floats, chosen: Indices, least: float) -> tuple[Parted, float]:
        """Return the factors for the entries of Phi_q, and the size of the smallest inverse so far (scaled)."""
        if self._chosen is None or kkt.rows is not self._rows or not np.array_equal(chosen, self._chosen):
            (rows, columns), _ = kkt.chosen
            n = kkt.coordinates.n
            pattern = np.append(rows, np.arange(n - len(chosen), n)), np.append(columns, chosen)
            self._solver = (Sparse if kkt.sparse else Dense)(*pattern, n)
            self._chosen, self._rows = chosen, kkt.rows
        found = Parted(kkt, A, chosen, self._solver, least)
        return found, found.least


class Parted:
    """[Phi_q; E_u] of one pose, scaled; `least` is the size of the smallest inverse so far: that of a regular pose."""

    def __init__(self, kkt: Kkt, A: Floats, chosen: Indices, solver: LinearSolver, least: float) -> None:
        """Factorise, and compare the size of the inverse."""
        c, self._kkt, self._chosen = kkt.coordinates, kkt, chosen
        rows, columns = c.pattern
        self._all = A * c.column_units[columns] / c.row_units[rows]
        self._factors = solver.factor(np.append(self._all[kkt.chosen[1]], np.ones(len(chosen)))[:, None])
        with np.errstate(all="ignore"):
            inverse = self._factors.solve(signs(c.n)[:, None])
        size = float(np.max(np.abs(inverse), initial=0.0))
        self.least = min(least, size) if np.isfinite(size) else least
        self._regular = bool(size < LOST * self.least)

    def solve(self, right: Floats, chosen: Floats, near: Floats) -> Floats:
        """Return the solution (n,) for all rows (m,) and the chosen coordinates, scaled.

        At a singular pose it is the one nearest to `near`.
        """
        c, rows = self._kkt.coordinates, self._kkt.rows
        top = right / c.row_units
        if self._regular:
            both = np.append(top if rows is None else top[rows], chosen)
            return np.asarray(self._factors.solve(both[:, None])[:, 0] * c.column_units)
        matrix = np.zeros((c.m + len(chosen), c.n))
        matrix[c.pattern] = self._all
        matrix[c.m + np.arange(len(chosen)), self._chosen] = 1.0
        near = near / c.column_units
        change = np.linalg.lstsq(matrix, np.append(top, chosen) - matrix @ near, rcond=CUT)[0]
        return np.asarray((near + change) * c.column_units)


def largest(motions: Floats) -> Indices:
    """Return the coordinates (f,) that describe free motions (n, f) best."""
    from scipy.linalg import qr

    return np.sort(qr(motions.T, mode="r", pivoting=True)[1][: motions.shape[1]]).astype(np.intp)
