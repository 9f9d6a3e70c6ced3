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
    """[Phi_q; E_u] for the rows of a system and the coordinates u that were chosen last, scaled, at the last pose."""

    _chosen: Indices | None = None
    _rows: Indices | None = None
    _solver: LinearSolver

    def factor(self, kkt: Kkt, A: Floats, chosen: Indices, least: float) -> float:
        """Factorise for the entries of Phi_q; return the size of the smallest inverse so far, a regular pose's."""
        c, (rows, columns) = kkt.coordinates, kkt.coordinates.pattern
        if self._chosen is None or kkt.rows is not self._rows or not np.array_equal(chosen, self._chosen):
            solved = kkt.chosen[0]
            pattern = np.append(solved[0], np.arange(c.n - len(chosen), c.n)), np.append(solved[1], chosen)
            self._solver = (Sparse if kkt.sparse else Dense)(*pattern, c.n)
            self._chosen, self._rows = chosen, kkt.rows
        self._kkt, self._all = kkt, A * c.column_units[columns] / c.row_units[rows]
        self._factors = self._solver.factor(np.append(self._all[kkt.chosen[1]], np.ones(len(chosen)))[:, None])
        with np.errstate(all="ignore"):
            inverse = self._factors.solve(signs(c.n)[:, None])
        size = float(np.max(np.abs(inverse), initial=0.0))
        least = min(least, size) if np.isfinite(size) else least
        self._regular = bool(size < LOST * least)
        return least

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
