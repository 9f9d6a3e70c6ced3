"""Masses and loads on the frames of all links, and how they come to the coordinates of a family.

With the frames X = (O_x, O_y, U_x, U_y) of each link, a rigid body of mass m, centre c1 + i c2 and inertia J about its
centre has the constant mass matrix (Roupa, Goncalves & Tavares da Silva; Garcia de Jalon & Bayo)

    [ m E        m (c1 E + c2 R) ]
    [ sym.       (J + m |c|^2) E ]      R = [[0, -1], [1, 0]]

and M = X_q^T M_X X_q, Q = X_q^T (F_X - M_X X_q' v) in the coordinates q. It is constant wherever X is linear in q.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.bodies import Body
from structkin.dynamics.loads import wrenches
from structkin.dynamics.state import State
from structkin.dynamics.user_loads import UserLoad
from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.rows.matrix import summing
from structkin.solve.engine import Lanes

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Families whose frames are linear in the coordinates: their mass matrix is constant.
LINEAR = ("natural", "fully-cartesian")


class FrameMasses:
    """M_X of the links in the order of a family, and the weight on the frames."""

    def __init__(self, mechanism: Mechanism, links: Sequence[str], bodies: Sequence[Body]) -> None:
        """Write the blocks of the links."""
        from scipy.sparse import csr_array

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
        self.matrix = csr_array((values, (rows, columns)), shape=(size, size))
        gravity = mechanism.forces.gravity
        fall = np.zeros(size)
        fall[0::4], fall[1::4] = gravity.real, gravity.imag
        #: What gravity puts on the frames (4 links,).
        self.weight: Floats = np.asarray(self.matrix @ fall)


class CoordinateMasses:
    """The entries of M = X_q^T M_X X_q in a fixed pattern, refreshed by one sparse product."""

    def __init__(self, coordinates: Coordinates, masses: FrameMasses) -> None:
        """Join the entries of M_X with those of X_q on both sides."""
        q = coordinates.start()
        rows, columns, entries = coordinates.frame_map(q)
        by_row: list[list[int]] = [[] for _ in range(masses.matrix.shape[0])]
        for e, row in enumerate(rows.tolist()):
            by_row[row].append(e)
        full = masses.matrix.tocoo()
        terms = [
            (a, b, value)
            for i, j, value in zip(full.row.tolist(), full.col.tolist(), full.data.tolist(), strict=True)
            for a in by_row[i]
            for b in by_row[j]
        ]
        first, second = (np.array([term[k] for term in terms], np.intp) for k in (0, 1))
        self._first, self._second = first, second
        self._values = np.array([term[2] for term in terms])
        n = coordinates.n
        code, out = np.unique(columns[first] * n + columns[second], return_inverse=True)
        self._gather = summing(out, len(code))
        self.pattern: tuple[Ints, Ints] = (code // n, code % n)
        #: Whether the frames are linear in the coordinates, so that M is constant.
        self.constant = coordinates.family in LINEAR
        self._kept = self._form(entries[:, 0]) if self.constant else None

    def _form(self, frame_map: Floats) -> Floats:
        return np.asarray(self._gather @ (self._values * frame_map[self._first] * frame_map[self._second]))

    def entries(self, frame_map: Floats) -> Floats:
        """Return the entries of M, in the order of `pattern`, for the entries of X_q."""
        return self._form(frame_map) if self._kept is None else self._kept


class FrameLoads:
    """Springs, applied forces, friction and the user's loads on the frames (4 links,)."""

    def __init__(self, mechanism: Mechanism, plan: Plan, links: Sequence[str], users: Sequence[UserLoad]) -> None:
        """Look up which slots of the plan are frames."""
        self._mechanism, self._plan, self._links, self._users = mechanism, plan, tuple(links), tuple(users)
        slots, parts = [], []
        for k, link in enumerate(links):
            for part, expression in enumerate((plan.frames[link].origin, plan.frames[link].direction)):
                if expression.is_slot:
                    first = plan.rows(expression.terms[0][0]).start
                    slots += [first, first + 1]
                    parts += [4 * k + 2 * part, 4 * k + 2 * part + 1]
        self._slots, self._parts = np.array(slots, np.intp), np.array(parts, np.intp)
        self.any = bool(mechanism.forces.loads) or bool(users)
        #: The speeds at which the bodies of contacts have met, and the turns of the links at the start.
        self.impacts: dict[str, float] = {}
        self.begun: dict[str, float] = {}

    def __call__(self, t: float, X: Floats, dX: Floats, turns: Floats) -> Floats:
        """Return the forces on the frames at a time, where the links have these turns (links,) since the sketch."""
        out = np.zeros(len(X))
        if not self.any:
            return out
        total = wrenches(self.motion(t, X, dX, turns), (), self._users, impacts=self.impacts)
        for k, link in enumerate(self._links):
            out[4 * k : 4 * k + 2] = total.force[link][0]
            Ux, Uy = X[4 * k + 2 : 4 * k + 4]
            moment = total.moment[link][0] / (Ux * Ux + Uy * Uy)
            out[4 * k + 2], out[4 * k + 3] = -moment * Uy, moment * Ux
        return out

    def motion(self, t: float, X: Floats, dX: Floats, turns: Floats) -> State:
        """Return the frames at a time as a motion of one sample."""
        x = np.zeros((3, self._plan.offsets[-1], 1))
        x[0, self._slots, 0], x[1, self._slots, 0] = X[self._parts], dX[self._parts]
        lanes = Lanes(x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        drivers: dict[str, Any] = {id: np.full((3, 1), np.nan) for id in self._mechanism.drivers}
        counted = dict(zip(self._links, turns[:, None], strict=True))
        return State(self._mechanism, self._plan, np.array([t]), drivers, lanes, counted=counted, begun=self.begun)
