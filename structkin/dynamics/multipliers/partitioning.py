"""Coordinate partitioning (Wehage & Haug 1982): only independent coordinates are integrated.

The state is split by a choice of as many coordinates as there are degrees of freedom. At every evaluation the dependent
ones are found from them, position by Newton's method and velocity by a linear system,

    [ Phi_q ] [ dq ]   [ -Phi ]          [ Phi_q ]        [ nu ]
    [ E_u   ]        = [  0   ],         [ E_u   ] q'  =  [ u' ]

so that errors of the integrator in dependent coordinates do not count. The coordinates with the largest components of
the free motions are chosen; they are chosen again where one of them has become small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.multipliers.kkt import signs
from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.global_methods.linear import Dense, Factors, LinearSolver, Sparse
from structkin.plan.status import Status
from structkin.types import Floats, Indices

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.equations import Multipliers


#: Newton's method: most corrections; a correction (scaled) below which the next one is rounding.
ITERATIONS, TOLERANCE = 30, 1e-9
#: Chosen coordinates that move the others by more than this are replaced.
RATE_LIMIT = 4.0
#: An inverse that exceeds that of a regular pose by this factor indicates a change point; there, directions weaker than
#: the cut are left unchanged.
LOST, CUT = 1e4, 1e-3


@dataclass
class Partitioning(Stabilisation):
    """Independent coordinates, chosen and kept along the motion; `needs_restart` after a new choice."""

    chosen: Indices | None = None
    needs_restart: bool = False
    #: The size of the smallest inverse so far (scaled): that of a regular pose.
    least: float = math.inf
    _solver: LinearSolver | None = None

    def close(self, equations: Multipliers, t: float, y: Floats) -> Floats:
        """Return the state (2 n,) with the dependent coordinates found from the independent ones."""
        if self.chosen is None:
            self.chosen = _largest(equations, _free_motions(equations, t, y))
        c = equations.coordinates
        z, dz, _ = equations.laws(t)
        q, y = y[: c.n, None].copy(), np.array(y)
        for _ in range(ITERATIONS):
            phi, entries = c.evaluate(q, z)
            system = _System(self, equations, entries)
            change = system.solve(-phi[:, 0], np.zeros(len(self.chosen)))
            q[:, 0] += change
            size = float(np.max(np.abs(change / c.column_units), initial=0.0))
            if not size < 1.0:
                break
            if size < TOLERANCE:
                y[: c.n] = q[:, 0]
                entries = c.jacobian(q, z)
                y[c.n :] = _System(self, equations, entries).solve(c.nu(z, dz)[:, 0], y[c.n + self.chosen], y[c.n :])
                return y
        raise NoPoseError(t, Status.NOT_CONVERGED, -1)

    def project(self, equations: Multipliers, t: float, y: Floats) -> Floats:
        """Return the closed state."""
        return self.close(equations, t, y)

    def accept(self, equations: Multipliers, t: float, y: Floats) -> None:
        """Choose again where the chosen coordinates describe the motion poorly."""
        assert self.chosen is not None
        motions = _free_motions(equations, t, y)
        with np.errstate(all="ignore"):
            per_chosen = motions @ np.linalg.pinv(motions[self.chosen])
        self.needs_restart = not np.max(np.abs(per_chosen), initial=0.0) < RATE_LIMIT
        if self.needs_restart:
            self.chosen, self._solver = _largest(equations, motions), None

    def solver(self, equations: Multipliers) -> LinearSolver:
        """Return the linear solver for the rows that are solved and those of the chosen coordinates."""
        if self._solver is None:
            assert self.chosen is not None
            (rows, columns), _ = equations.kkt.chosen
            m, n = equations.coordinates.n - len(self.chosen), equations.coordinates.n
            pattern = np.append(rows, np.arange(m, n)), np.append(columns, self.chosen)
            self._solver = (Sparse if equations.kkt.sparse else Dense)(*pattern, n)
        return self._solver


class _System:
    """[Phi_q; E_u] of one pose, scaled."""

    def __init__(self, partitioning: Partitioning, equations: Multipliers, entries: Floats) -> None:
        c = self._c = equations.coordinates
        assert partitioning.chosen is not None
        self._equations, self._chosen = equations, partitioning.chosen
        rows, columns = c.pattern
        self._all = entries[:, 0] * c.column_units[columns] / c.row_units[rows]
        _, kept = equations.kkt.chosen
        ones = np.ones(len(self._chosen))
        self._factors: Factors = partitioning.solver(equations).factor(np.append(self._all[kept], ones)[:, None])
        with np.errstate(all="ignore"):
            inverse = self._factors.solve(signs(c.n)[:, None])
        size = float(np.max(np.abs(inverse), initial=0.0))
        partitioning.least = min(partitioning.least, size) if np.isfinite(size) else partitioning.least
        self._regular = bool(size < LOST * partitioning.least)

    def solve(self, right: Floats, chosen: Floats, near: Floats | None = None) -> Floats:
        """Return the solution (n,) for all rows and the chosen coordinates; nearest to `near` at a singular pose."""
        c = self._c
        rows = self._equations.kkt.rows
        top, bottom = right / c.row_units, chosen / c.column_units[self._chosen]
        if self._regular:
            both = np.append(top if rows is None else top[rows], bottom)
            return np.asarray(self._factors.solve(both[:, None])[:, 0] * c.column_units)
        matrix = np.zeros((c.m + len(bottom), c.n))
        matrix[c.pattern] = self._all
        matrix[c.m + np.arange(len(bottom)), self._chosen] = 1.0
        near = np.zeros(c.n) if near is None else near / c.column_units
        change = np.linalg.lstsq(matrix, np.append(top, bottom) - matrix @ near, rcond=CUT)[0]
        return np.asarray((near + change) * c.column_units)


def _free_motions(equations: Multipliers, t: float, y: Floats) -> Floats:
    """Return velocities (n, f), scaled, that the constraints leave free: M-projections of random ones."""
    c = equations.coordinates
    pose = equations.pose(t, y)
    random = np.random.default_rng(0).standard_normal((c.n, len(equations.free))) * c.column_units[:, None]
    nothing = np.zeros(c.m)
    found = [pose.factors.solve(equations.times_mass(pose, column), nothing)[0] for column in random.T]
    return np.asarray(np.stack(found, axis=1) / c.column_units[:, None])


def _largest(equations: Multipliers, motions: Floats) -> Indices:
    """Return the coordinates that describe the free motions best."""
    from scipy.linalg import qr

    return np.sort(qr(motions.T, mode="r", pivoting=True)[1][: len(equations.free)]).astype(np.intp)
