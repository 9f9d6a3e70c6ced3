"""Masses and weight on the frames of all links, and their transfer to the coordinates of a family.

With the frames X = (O_x, O_y, U_x, U_y) of each link, a rigid body of mass m, centre c1 + i c2 and inertia J about its
centre has the constant mass matrix (Roupa, Goncalves & Tavares da Silva; Garcia de Jalon & Bayo)

    [ m E        m (c1 E + c2 R) ]
    [ sym.       (J + m |c|^2) E ]      R = [[0, -1], [1, 0]]

and M = X_q^T M_X X_q, Q = X_q^T (F_X - M_X X_q' v) in the coordinates q. It is constant wherever X is linear in q.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.dynamics.bodies import Body
from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.rows.lane_matrix import Matrix
from structkin.types import Floats, Indices

#: Families whose frames are linear in the coordinates: their mass matrix is constant.
LINEAR = ("natural", "fully-cartesian")


class FrameMasses:
    """M_X of the links in the order of a family, and the weight on the frames."""

    def __init__(self, mechanism: Mechanism, links: Sequence[str], bodies: Sequence[Body]) -> None:
        """Write the blocks of the links."""
        table = {body.link: body for body in bodies}
        entries: list[tuple[int, int, float]] = []
        for k, link in enumerate(links):
            body = table[link]
            m, c = body.mass, body.center
            turning = body.inertia + m * abs(c) ** 2
            across = np.array([[c.real, -c.imag], [c.imag, c.real]]) * m
            block = np.block([[m * np.eye(2), across], [across.T, turning * np.eye(2)]])
            entries += [(4 * k + i, 4 * k + j, float(block[i, j])) for i in range(4) for j in range(4) if block[i, j]]
        size = 4 * len(links)
        rows, columns = (np.array([entry[k] for entry in entries], np.intp) for k in (0, 1))
        values = np.array([entry[2] for entry in entries])
        self.matrix = Matrix(values, rows, columns, (size, size))
        gravity = mechanism.forces.gravity
        fall = np.zeros(size)
        fall[0::4], fall[1::4] = gravity.real, gravity.imag
        #: The force of gravity on the frames (4 links,).
        self.weight: Floats = np.asarray(self.matrix @ fall)


class CoordinateMasses:
    """The entries of M = X_q^T M_X X_q in a fixed pattern, refreshed by one sparse product."""

    def __init__(self, coordinates: Coordinates, masses: FrameMasses) -> None:
        """Join the entries of M_X with those of X_q on both sides."""
        q = coordinates.start()
        rows, columns, _ = coordinates.frame_map(q)
        full = masses.matrix
        by_row: list[list[int]] = [[] for _ in range(full.shape[0])]
        for e, row in enumerate(rows.tolist()):
            by_row[row].append(e)
        terms = [
            (a, b, value)
            for i, j, value in zip(full.rows.tolist(), full.columns.tolist(), full.factors.tolist(), strict=True)
            for a in by_row[i]
            for b in by_row[j]
        ]
        first, second = (np.array([term[k] for term in terms], np.intp) for k in (0, 1))
        values = np.array([term[2] for term in terms])
        n = coordinates.n
        code, out = np.unique(columns[first] * n + columns[second], return_inverse=True)
        self._gather = Matrix.summing(out, len(code))
        #: Entries of X_q on both sides, the factor between them, and the entry of M that their product is a term of.
        self.terms: tuple[Indices, Indices, Floats, Indices] = first, second, values, out
        self.pattern: tuple[Indices, Indices] = (code // n, code % n)

    def entries(self, frame_map: Floats) -> Floats:
        """Return the entries of M, in the order of `pattern`, for the entries of X_q."""
        first, second, values, _ = self.terms
        return np.asarray(self._gather @ (values * frame_map[first] * frame_map[second]))
