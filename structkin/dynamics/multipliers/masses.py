"""Masses and loads on the frames of all links, and their transfer to the coordinates of a family.

With the frames X = (O_x, O_y, U_x, U_y) of each link, a rigid body of mass m, centre c1 + i c2 and inertia J about its
centre has the constant mass matrix (Roupa, Goncalves & Tavares da Silva; Garcia de Jalon & Bayo)

    [ m E        m (c1 E + c2 R) ]
    [ sym.       (J + m |c|^2) E ]      R = [[0, -1], [1, 0]]

and M = X_q^T M_X X_q, Q = X_q^T (F_X - M_X X_q' v) in the coordinates q. It is constant wherever X is linear in q.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.dynamics.acting import law_values
from structkin.dynamics.bodies import Body
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.forces import add_loads
from structkin.dynamics.load_table import load_table
from structkin.dynamics.state import State
from structkin.dynamics.user_loads import UserLoad, add_user_load
from structkin.dynamics.wrench_sums import Wrenches
from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.rows.affine import frames_in_slots
from structkin.rows.matrix import Matrix, affine_map
from structkin.solve.engine import Lanes
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
        rows, columns, entries = coordinates.frame_map(q)
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
        #: Whether the frames are linear in the coordinates, so that M is constant.
        self.constant = coordinates.family in LINEAR
        self._kept = self._form(entries[:, 0]) if self.constant else None

    def _form(self, frame_map: Floats) -> Floats:
        first, second, values, _ = self.terms
        return np.asarray(self._gather @ (values * frame_map[first] * frame_map[second]))

    def entries(self, frame_map: Floats) -> Floats:
        """Return the entries of M, in the order of `pattern`, for the entries of X_q."""
        return self._form(frame_map) if self._kept is None else self._kept


class FrameLoads:
    """Springs, applied forces, friction and user loads on the frames (4 links,)."""

    def __init__(self, mechanism: Mechanism, plan: Plan, links: Sequence[str], users: Sequence[UserLoad]) -> None:
        """Write the points of action of loads as a constant matrix, and look up which slots of the plan are frames."""
        self._mechanism, self._plan, self._links, self._users = mechanism, plan, tuple(links), tuple(users)
        slots, parts = [], []
        for k, link in enumerate(links):
            for part, expression in enumerate((plan.frames[link].origin, plan.frames[link].direction)):
                if expression.is_slot:
                    first = plan.rows(expression.terms[0][0]).start
                    slots += [first, first + 1]
                    parts += [4 * k + 2 * part, 4 * k + 2 * part + 1]
        self._slots, self._parts = np.array(slots, np.intp), np.array(parts, np.intp)
        #: The impact speeds of contacts, and the turns of the links at the start.
        self.impacts: dict[str, float] = {}
        self.begun: dict[str, float] = {}
        self._drivers = DriverCoordinates.of_frames(mechanism, links, mechanism.drivers.values())
        self.table, index = load_table(mechanism), {link: k for k, link in enumerate(links)}
        vars(self).update(self.table.parts())
        self._owners = list(zip(self.table.laws, self.table.owners, strict=True))
        self._torsions = [[index.get(link, -1) for link in load.links] for load in self.table.named.get("torsions", ())]
        self._contacts = [load.id for load in self.table.named.get("contacts", ())]
        self.friction_limits = [load.limit for load in self.table.named.get("frictions", ())]
        places = self.table.expressions(frames_in_slots(links))
        self._places, self._zero = affine_map(places, 4 * len(links))
        self._onto_frames = self._places.transposed

    def __call__(self, t: float, X: Floats, dX: Floats, turns: Floats) -> Floats:
        """Return the forces on the frames at a time, where the links have these turns (links,) since the sketch."""
        out = np.zeros(len(X))
        if self._owners or len(self._zero):
            out += self._given(t, X, dX, turns)
        if self._users:
            total = Wrenches(self.motion(t, X, dX, turns))
            for user in self._users:
                add_user_load(total, user)
            for k, link in enumerate(self._links):
                Ux, Uy = X[4 * k + 2 : 4 * k + 4]
                moment = total.moment[link][0] / (Ux * Ux + Uy * Uy)
                out[4 * k : 4 * k + 4] += *total.force[link][0], -moment * Uy, moment * Ux
        return out

    def _given(self, t: float, X: Floats, dX: Floats, turns: Floats) -> Floats:
        """Return the forces of the file's loads on the frames, those on directions as moments."""
        place = (self._places @ X + self._zero).reshape(-1, 2)
        speed, push = (self._places @ dX).reshape(-1, 2), np.zeros_like(place)
        self.sizes = [float(law(np.array([t]))[0][0]) for law, _ in self._owners]
        if not np.isfinite(self.sizes).all():
            motion = self.motion(t, X, dX, turns)
            self.sizes = [float(law_values(law, motion, id)[0]) for law, id in self._owners]
        turned = np.append(turns, 0.0)
        self.turns = [turned[b] - turned[a] for a, b in self._torsions]
        self.met = [self.impacts.get(id, np.nan) for id in self._contacts]
        with np.errstate(invalid="ignore", divide="ignore"):
            add_loads(self, t, place, speed, push)
        forces = np.asarray(self._onto_frames @ push.ravel()).reshape(-1, 4)
        U = X.reshape(-1, 4)[:, 2:]
        moment = (U[:, 0] * forces[:, 3] - U[:, 1] * forces[:, 2]) / np.sum(U * U, axis=1)
        forces[:, 2], forces[:, 3] = -moment * U[:, 1], moment * U[:, 0]
        return forces.ravel()

    def motion(self, t: float, X: Floats, dX: Floats, turns: Floats) -> State:
        """Return the frames at a time as a motion of one sample."""
        x = np.zeros((3, self._plan.offsets[-1], 1))
        x[0, self._slots, 0], x[1, self._slots, 0] = X[self._parts], dX[self._parts]
        lanes = Lanes(x, np.zeros(1, np.int8), np.full(1, -1, np.int32), np.zeros(0))
        x[2], z = np.nan, np.full((3, len(self._mechanism.drivers), 1), np.nan)
        if self._users:
            z[0, :, 0] = self._drivers.values(X, dict(zip(self._links, turns.tolist(), strict=True)))
            z[1, :, 0] = self._drivers.rates(X, dX)
        drivers = dict(zip(self._mechanism.drivers, z.swapaxes(0, 1), strict=True))
        counted = dict(zip(self._links, turns[:, None], strict=True))
        return State(self._mechanism, self._plan, np.array([t]), drivers, lanes, counted=counted, begun=self.begun)
